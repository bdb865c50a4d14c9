package e2e_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"braid/monad"
)

// balancer is a proxy that sends requests to instances in turn, as far as /readyz
// says that they are ready.
type balancer struct {
	mu        sync.Mutex
	instances []*instance
	next      int
}

type instance struct {
	process *exec.Cmd
	root    *url.URL
	ready   atomic.Bool
}

func startInstance(t *testing.T) *instance {
	t.Helper()
	p, base, err := start("API", env.braid, "serve", "--rpc", env.url, "--rpc-rate", "0", "--drain", "1s", "--trusted-proxy", "127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	root, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &instance{process: p, root: &url.URL{Scheme: root.Scheme, Host: root.Host}}
}

// stop tells the instance to stop, and waits until it has.
func (i *instance) stop(t *testing.T) {
	t.Helper()
	i.process.Process.Signal(syscall.SIGTERM)
	if err := i.process.Wait(); err != nil {
		t.Errorf("stopped with %v", err)
	}
}

// watch asks for readiness until the end of the test.
func (b *balancer) watch(t *testing.T) {
	for ; t.Context().Err() == nil; time.Sleep(50 * time.Millisecond) {
		b.mu.Lock()
		instances := b.instances
		b.mu.Unlock()
		for _, i := range instances {
			r, err := http.Get(i.root.String() + "/readyz")
			if err == nil {
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
			i.ready.Store(err == nil && r.StatusCode == 200)
		}
	}
}

func (b *balancer) pick() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.instances {
		b.next++
		if i := b.instances[b.next%len(b.instances)]; i.ready.Load() {
			return i.root
		}
	}
	return b.instances[0].root
}

// replace puts an instance into the place of another.
func (b *balancer) replace(n int, i *instance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.instances = append([]*instance(nil), b.instances...)
	b.instances[n] = i
}

// TestRollingRestart: two instances behind a proxy are restarted one after the other
// under load, and every request is answered.
func TestRollingRestart(t *testing.T) {
	b := &balancer{instances: []*instance{startInstance(t), startInstance(t)}}
	go b.watch(t)
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(b.pick())
		r.SetXForwarded()
	}})
	defer front.Close()
	for !b.instances[0].ready.Load() || !b.instances[1].ready.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	var answered, lost atomic.Int64
	end := make(chan struct{})
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			path := front.URL + "/api/v1/quote?tokenIn=" + monad.WrappedNative.Hex() + "&tokenOut=" + monad.USDC.Hex() + "&amount=1000000000000000000"
			for {
				select {
				case <-end:
					return
				default:
				}
				r, err := http.Get(path)
				if err != nil || r.StatusCode != 200 {
					lost.Add(1)
					t.Logf("lost: %v %+v", err, r)
				} else {
					answered.Add(1)
				}
				if err == nil {
					io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
			}
		})
	}
	for n := range 2 {
		b.instances[n].stop(t)
		fresh := startInstance(t)
		b.replace(n, fresh)
		for !fresh.ready.Load() {
			time.Sleep(10 * time.Millisecond)
		}
	}
	close(end)
	g.Wait()
	t.Logf("%d requests answered, %d lost", answered.Load(), lost.Load())
	if lost.Load() > 0 || answered.Load() < 10 {
		t.Errorf("%d requests answered, %d lost", answered.Load(), lost.Load())
	}
	for _, i := range b.instances {
		i.stop(t)
		if err := i.process.Process.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("it is still there: %v", err)
		}
	}
}
