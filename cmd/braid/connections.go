package main

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// connections is a listener that limits the connections that are open at the same
// time, and those of one client to a quarter of that. When there are too many, an
// idle one is closed, of the client with most connections; if none is, the new one
// is refused with 503.
type connections struct {
	net.Listener
	max     int
	exempt  func(netip.Addr) bool // clients that may have as many as they want, such as proxies
	refused prometheus.Counter
	evicted prometheus.Counter

	mu   sync.Mutex
	open map[netip.Addr]map[*connection]time.Time // by client: since when it is idle; zero if it is not
	all  int
}

func newConnections(l net.Listener, max int, exempt func(netip.Addr) bool, r prometheus.Registerer) *connections {
	auto := promauto.With(r)
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	c := &connections{
		Listener: l, max: max, exempt: exempt, open: map[netip.Addr]map[*connection]time.Time{},
		refused: counter("braid_connections_refused_total", "Connections refused because too many were open."),
		evicted: counter("braid_connections_evicted_total", "Idle connections closed because too many were open."),
	}
	auto.NewGaugeFunc(prometheus.GaugeOpts{Name: "braid_connections", Help: "Connections that are open."}, func() float64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return float64(c.all)
	})
	return c
}

// connection is one that was accepted; closing it makes room for another.
type connection struct {
	net.Conn
	list   *connections
	client netip.Addr
}

const refusal = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"

func (l *connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if conn := l.admit(c); conn != nil {
			return conn, nil
		}
		l.refused.Inc()
		c.SetWriteDeadline(time.Now().Add(time.Second))
		c.Write([]byte(refusal)) // fits into the socket's buffer
		c.Close()
	}
}

// admit adds a connection to the list; nil if there is no room.
func (l *connections) admit(c net.Conn) *connection {
	conn := &connection{Conn: c, list: l, client: clientOf(c)}
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.open[conn.client]
	if len(own) >= max(l.max/4, 1) && !l.exempt(conn.client) && !l.evict(own) {
		return nil
	}
	if l.all >= l.max && !l.evict(l.largest()) {
		return nil
	}
	if l.open[conn.client] == nil {
		l.open[conn.client] = map[*connection]time.Time{}
	}
	l.open[conn.client][conn] = time.Now() // idle until a request comes
	l.all++
	return conn
}

// largest are the connections of the client with most of them, of those clients
// that have an idle one.
func (l *connections) largest() (most map[*connection]time.Time) {
	for _, some := range l.open {
		if len(some) > len(most) && longestIdle(some) != nil {
			most = some
		}
	}
	return most
}

// longestIdle is the connection that has been idle for longest; nil if none is.
func longestIdle(some map[*connection]time.Time) (oldest *connection) {
	for c, since := range some {
		if !since.IsZero() && (oldest == nil || since.Before(some[oldest])) {
			oldest = c
		}
	}
	return oldest
}

// evict closes the connection that has been idle for longest; false if none is.
func (l *connections) evict(some map[*connection]time.Time) bool {
	oldest := longestIdle(some)
	if oldest == nil {
		return false
	}
	l.remove(oldest)
	l.evicted.Inc()
	oldest.Conn.Close()
	return true
}

func (l *connections) remove(c *connection) {
	some := l.open[c.client]
	if _, there := some[c]; !there {
		return
	}
	delete(some, c)
	if len(some) == 0 {
		delete(l.open, c.client)
	}
	l.all--
}

// Close closes the connection and takes it from the list.
func (c *connection) Close() error {
	c.list.mu.Lock()
	c.list.remove(c)
	c.list.mu.Unlock()
	return c.Conn.Close()
}

// track is the ConnState of a server that accepts from the list.
func (l *connections) track(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*connection)
	if !ok {
		return
	}
	var since time.Time
	if state == http.StateNew || state == http.StateIdle {
		since = time.Now()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.open[c.client][c]; open {
		l.open[c.client][c] = since
	}
}

// clientOf is the peer's address.
func clientOf(c net.Conn) netip.Addr {
	a, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr().Unmap()
}
