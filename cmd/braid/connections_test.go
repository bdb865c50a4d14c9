package main

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// limitedServer serves at most max connections. /wait is answered when release is
// closed.
func limitedServer(t *testing.T, max int, exempt func(netip.Addr) bool) (addr string, began chan struct{}, release chan struct{}) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	began, release = make(chan struct{}, 100), make(chan struct{})
	s := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			began <- struct{}{}
			<-release
		}
	}), slog.New(slog.DiscardHandler))
	limited := newConnections(l, max, exempt, prometheus.NewRegistry())
	s.ConnState = limited.track
	go s.Serve(limited)
	t.Cleanup(func() { s.Close() })
	return l.Addr().String(), began, release
}

// request sends a request from an address of this machine, on a connection of its own.
func request(t *testing.T, from, to, path string) *bufio.Reader {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	return bufio.NewReader(c)
}

func status(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode
}

// TestConnectionLimit: one client gets a quarter of the connections, of which idle
// ones make room for new ones and others do not; another client is served.
func TestConnectionLimit(t *testing.T) {
	addr, began, release := limitedServer(t, 8, func(netip.Addr) bool { return false })
	idle := request(t, "127.0.1.1", addr, "/")
	if s := status(t, idle); s != 200 {
		t.Fatal(s)
	}
	var busy []*bufio.Reader
	for range 2 {
		busy = append(busy, request(t, "127.0.1.1", addr, "/wait"))
		<-began
	}
	if _, err := idle.ReadByte(); err != io.EOF {
		t.Errorf("the idle connection is still open: %v", err)
	}
	refused := request(t, "127.0.1.1", addr, "/")
	if s := status(t, refused); s != 503 {
		t.Errorf("a third connection of the client: %d", s)
	}
	if s := status(t, request(t, "127.0.1.2", addr, "/")); s != 200 {
		t.Errorf("another client: %d", s)
	}
	close(release)
	for _, r := range busy {
		if s := status(t, r); s != 200 {
			t.Error(s)
		}
	}
}

// TestAllConnections: when all connections are in use, the client with most of them
// loses an idle one to a new client; a proxy may have as many as there are.
func TestAllConnections(t *testing.T) {
	proxy := netip.MustParseAddr("127.0.1.9")
	addr, began, release := limitedServer(t, 4, func(a netip.Addr) bool { return a == proxy })
	defer close(release)
	idle := request(t, "127.0.1.9", addr, "/")
	if s := status(t, idle); s != 200 {
		t.Fatal(s)
	}
	for range 3 {
		request(t, "127.0.1.9", addr, "/wait")
		<-began
	}
	if s := status(t, request(t, "127.0.1.1", addr, "/")); s != 200 {
		t.Errorf("a new client: %d", s)
	}
	if _, err := idle.ReadByte(); err != io.EOF {
		t.Errorf("the proxy's idle connection is still open: %v", err)
	}
	request(t, "127.0.1.2", addr, "/wait") // takes the place of the new client's, which is idle now
	<-began
	if s := status(t, request(t, "127.0.1.3", addr, "/")); s != 503 {
		t.Errorf("with no idle connection: %d", s)
	}
}

// TestProtocols: HTTP/2 without TLS is spoken, and headers are limited.
func TestProtocols(t *testing.T) {
	addr, _, _ := limitedServer(t, 8, func(netip.Addr) bool { return false })
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	r, err := (&http.Client{Transport: &http.Transport{Protocols: p}}).Get("http://" + addr)
	if err != nil || r.StatusCode != 200 || r.ProtoMajor != 2 {
		t.Errorf("%v %+v", err, r)
	}
	ask, _ := http.NewRequest("GET", "http://"+addr, nil)
	ask.Header.Set("X-Long", strings.Repeat("x", 2*maxHeaderBytes))
	if r, err := http.DefaultClient.Do(ask); err != nil || r.StatusCode != 431 {
		t.Errorf("%v %+v", err, r)
	}
}
