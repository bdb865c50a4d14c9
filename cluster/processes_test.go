package cluster_test

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// TestMain runs the NATS server instead of the tests when it is told to: the official
// server, of the module that go.mod names, with the flags of its own command.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "nats-server" {
		os.Exit(m.Run())
	}
	o, err := server.ConfigureOptions(flag.NewFlagSet("nats-server", flag.ExitOnError), os.Args[2:], nil, nil, nil)
	if err != nil {
		panic(err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	if err := server.Run(s); err != nil {
		panic(err)
	}
	s.WaitForShutdown()
}

// process is one that may be killed and started again.
type process struct {
	testing.TB
	name   string
	binary string
	args   []string

	mu   sync.Mutex
	cmd  *exec.Cmd
	down time.Time // since when it is killed, stopped or cut off; zero: it is not
	up   time.Time // when it was last started or let go on
}

func (p *process) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = exec.Command(p.binary, p.args...)
	p.cmd.Env = append(os.Environ(), "BRAID_LOG_LEVEL=warn", "BRAID_DRAIN=0s")
	if os.Getenv("VERBOSE") != "" {
		p.cmd.Stderr = os.Stderr
	}
	if err := p.cmd.Start(); err != nil {
		p.Errorf("%s: %v", p.name, err)
	}
	p.down, p.up = time.Time{}, time.Now()
}

// signal sends a signal; the process counts as down from then on, unless it is to
// continue.
func (p *process) signal(s os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd.Process.Signal(s) // of one that has ended it fails, as it may
	if s == syscall.SIGCONT {
		p.down, p.up = time.Time{}, time.Now()
	} else {
		p.down = time.Now()
	}
	if s == syscall.SIGKILL {
		p.cmd.Wait()
	}
}

// steady tells whether the process has been up for a time.
func (p *process) steady(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down.IsZero() && time.Since(p.up) > d
}

// freePort is a port that nothing listens on.
func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// proxy forwards connections; while it is cut, nothing passes and none is closed, as in
// a network that loses everything.
type proxy struct {
	l   net.Listener
	to  string
	cut sync.RWMutex // held while it is cut
}

func newProxy(t testing.TB, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{l: l, to: to}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxy) serve(c net.Conn) {
	defer c.Close()
	p.cut.RLock()
	p.cut.RUnlock() // it waits until it is not cut
	d, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer d.Close()
	pass := func(to, from net.Conn) {
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			p.cut.RLock()
			p.cut.RUnlock()
			if n > 0 {
				if _, err := to.Write(b[:n]); err != nil {
					break
				}
			}
			if err != nil {
				break
			}
		}
		to.Close()
		from.Close()
	}
	go pass(c, d)
	pass(d, c)
}

// get is the body of an answer, and its status; 0 if there is none.
func get(client *http.Client, url string) (int, http.Header, []byte) {
	r, err := client.Get(url)
	if err != nil {
		return 0, nil, nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, nil, nil
	}
	return r.StatusCode, r.Header, body
}

// metric is the sum of a metric over its labels.
func metric(client *http.Client, url, name string) (sum float64) {
	_, _, body := get(client, url)
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name); ok && (rest[0] == ' ' || rest[0] == '{') {
			var v float64
			fmt.Sscan(rest[strings.LastIndexByte(rest, ' ')+1:], &v)
			sum += v
		}
	}
	return sum
}
