package siege_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"braid/u256"
)

// What greedy clients may achieve at most.
const (
	maxSlowdown     = 4    // of another client's quote, as a multiple of its time in quiet
	minAnswered     = 0.8  // of the capacity, when twice as much is asked
	maxAnsweredMs   = 300  // the 99th percentile of answers then
	maxRejectedMs   = 250  // the 99th percentile of rejections then
	maxFollowRatio  = 3    // of the time from a block to its market
	maxConnectionMB = 250. // of memory for connections that do nothing
)

// from is a client with an address of its own, on the network of this machine.
func from(n int) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(n))}}
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		DialContext: dialer.DialContext, MaxIdleConnsPerHost: 512, MaxConnsPerHost: 512,
	}}
}

// result is the answer to one request of a greedy client.
type result struct {
	status int // 0: none
	took   time.Duration
	block  uint64
}

func (s *siege) ask(c *http.Client, path string) result {
	began := time.Now()
	resp, err := c.Get(s.root + path)
	if err != nil {
		return result{took: time.Since(began)}
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	block, _ := strconv.ParseUint(resp.Header.Get("X-Block-Number"), 10, 64)
	return result{resp.StatusCode, time.Since(began), block}
}

// asked counts requests, so that every one is another and none is answered from a
// cache.
var asked atomic.Uint64

// distinct is a request for one of the honest orders, a little larger.
func (s *siege) distinct(path string) string {
	n := asked.Add(1)
	o := s.honest[n%uint64(len(s.honest))]
	return fmt.Sprintf("/api/v1/%s?tokenIn=%s&tokenOut=%s&amount=%s", path, o.in.Hex(), o.out.Hex(), o.amount.Add(u256.From(n)))
}

// quantile is that of durations, in milliseconds.
func quantile(all []time.Duration, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return float64(all[min(int(q*float64(len(all))), len(all)-1)].Microseconds()) / 1000
}

// modest are the times of quotes that a client asks for one after the other.
func (s *siege) modest(c *http.Client, n int) (times []time.Duration) {
	for range n {
		a := s.ask(c, s.distinct("quote"))
		if a.status != http.StatusOK {
			s.Errorf("a quote of another client is answered %d", a.status)
		}
		times = append(times, a.took)
	}
	return times
}

// depthFlood: one client asks for the depth of the market on very many connections,
// and another for quotes.
func (s *siege) depthFlood(r *report) {
	other := from(2)
	s.modest(other, 10)
	quiet := s.modest(other, s.requests)
	ctx, stop := context.WithCancel(s.Context())
	var g sync.WaitGroup
	greedy := from(1)
	for range s.connections {
		g.Go(func() {
			for ctx.Err() == nil {
				s.ask(greedy, s.distinct("depth"))
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	busy := s.modest(other, s.requests)
	stop()
	g.Wait()
	before, after := quantile(quiet, 0.5), quantile(busy, 0.5)
	r.add("connections", "%d", s.connections)
	r.add("quiet_ms", "%.3g", before)
	r.add("quote_ms", "%.3g", after)
	r.add("quote_p99_ms", "%.3g", quantile(busy, 0.99))
	r.timed("slowdown", after/before, maxSlowdown)
}

// overload: clients ask for twice as many quotes as there can be, whether they are
// answered or not.
func (s *siege) overload(r *report) {
	clients := []*http.Client{from(11), from(12), from(13), from(14)}
	memory := s.rss()
	quietFollow := s.follow(func() { time.Sleep(s.span) })
	capacity := s.closedLoop(clients)
	var all []result
	var behind uint64
	stop := s.watch()
	follow := s.follow(func() { all, behind = s.openLoop(clients, 2*capacity) })
	stale := stop()
	var answered, rejected []time.Duration
	others := 0
	for _, a := range all {
		switch a.status {
		case http.StatusOK:
			answered = append(answered, a.took)
		case http.StatusServiceUnavailable:
			rejected = append(rejected, a.took)
		default:
			others++
		}
	}
	r.add("capacity", "%.0f", capacity)
	r.add("asked", "%d", len(all))
	share := float64(len(answered)) / s.span.Seconds() / capacity
	r.timed("missing", 1-share, 1-minAnswered)
	r.timed("p99_ms", quantile(answered, 0.99), maxAnsweredMs)
	r.timed("rejected_p99_ms", quantile(rejected, 0.99), maxRejectedMs)
	r.timed("neither", float64(others), 0)
	r.timed("blocks_behind", float64(behind), 1)
	r.timed("stale_ms", stale, maxStaleMs)
	r.timed("follow_ratio", follow/quietFollow, maxFollowRatio)
	r.timed("rss_ratio", s.rss()/memory, maxRSSRatio)
}

// closedLoop is how many quotes a second are answered to clients that ask again when
// they have an answer.
func (s *siege) closedLoop(clients []*http.Client) float64 {
	var answered atomic.Int64
	ctx, stop := context.WithTimeout(s.Context(), s.span)
	defer stop()
	var g sync.WaitGroup
	for _, c := range clients {
		for range 2 {
			g.Go(func() {
				for ctx.Err() == nil {
					if s.ask(c, s.distinct("quote")).status == http.StatusOK {
						answered.Add(1)
					}
				}
			})
		}
	}
	g.Wait()
	return float64(answered.Load()) / s.span.Seconds()
}

// openLoop asks for so many quotes a second, and gives the answers, and how many
// blocks the oldest of them was behind the chain when it was asked for.
func (s *siege) openLoop(clients []*http.Client, perSecond float64) (all []result, behind uint64) {
	var mu sync.Mutex
	var g sync.WaitGroup
	began := time.Now()
	for n := 0; ; n++ {
		due := time.Duration(float64(n) / perSecond * float64(time.Second))
		if due > s.span {
			break
		}
		time.Sleep(time.Until(began.Add(due)))
		head := s.chain.Head().Number.Uint64()
		g.Go(func() {
			a := s.ask(clients[n%len(clients)], s.distinct("quote"))
			mu.Lock()
			defer mu.Unlock()
			all = append(all, a)
			if a.status == http.StatusOK && a.block < head {
				behind = max(behind, head-a.block)
			}
		})
	}
	g.Wait()
	return all, behind
}

// follow is the mean time in seconds from a block to its market while do runs, by the
// service's own metrics.
func (s *siege) follow(do func()) float64 {
	sum, count := s.metric("braid_indexer_block_to_snapshot_seconds_sum"), s.metric("braid_indexer_block_to_snapshot_seconds_count")
	do()
	return (s.metric("braid_indexer_block_to_snapshot_seconds_sum") - sum) / (s.metric("braid_indexer_block_to_snapshot_seconds_count") - count)
}

// metric is a figure of the admin address.
func (s *siege) metric(name string) float64 {
	s.Helper()
	resp, err := client.Get("http://" + s.admin + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				s.Fatal(err)
			}
			return n
		}
	}
	s.Fatalf("there is no metric %s", name)
	return 0
}

// idleConnections: very many connections that ask for nothing more, or do not end
// what they ask for.
func (s *siege) idleConnections(r *report) {
	memory := s.rss()
	other := from(2)
	quiet := s.modest(other, s.requests)
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	addr := strings.TrimPrefix(s.root, "http://")
	dial := func(n int, text string) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 2, byte(1+n%10))}}
		c, err := d.Dial("tcp", addr)
		if err != nil {
			return
		}
		open = append(open, c)
		io.WriteString(c, text)
	}
	for n := range s.idleClients {
		dial(n, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	for n := range s.idleClients * 6 / 100 {
		dial(n, "GET /healthz HTTP/1.1\r\nHost:")
	}
	busy := s.modest(other, s.requests)
	var limits struct{ Ready bool }
	if resp, err := other.Get(s.root + "/readyz"); err == nil {
		json.NewDecoder(resp.Body).Decode(&limits)
		resp.Body.Close()
	}
	r.add("connections", "%d", len(open))
	r.add("open", "%.0f", s.metric("braid_connections"))
	r.add("refused", "%.0f", s.metric("braid_connections_refused_total"))
	r.add("evicted", "%.0f", s.metric("braid_connections_evicted_total"))
	r.must(limits.Ready, "the service is not ready any more")
	r.timed("slowdown", quantile(busy, 0.5)/quantile(quiet, 0.5), maxSlowdown)
	r.timed("memory_mb", (s.rss()-memory)/1e6, maxConnectionMB)
}
