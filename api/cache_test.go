package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"braid/market"
)

// TestCacheComputesOnce: concurrent calls with one key share one computation.
func TestCacheComputesOnce(t *testing.T) {
	var m resultCache[int, int]
	var computed atomic.Int32
	var g sync.WaitGroup
	for range 64 {
		g.Go(func() {
			v, err := m.get(t.Context(), 7, func(context.Context) (int, error) {
				computed.Add(1)
				time.Sleep(time.Millisecond)
				return 49, errors.ErrUnsupported
			})
			if v != 49 || err != errors.ErrUnsupported {
				t.Error(v, err)
			}
		})
	}
	g.Wait()
	if computed.Load() != 1 {
		t.Errorf("computed %d times", computed.Load())
	}
}

// TestCacheOutlivesItsCaller: a call that waits for one that is cancelled or panics
// computes the result itself.
func TestCacheOutlivesItsCaller(t *testing.T) {
	for name, leave := range map[string]func(ctx context.Context, cancel func()) (int, error){
		"is cancelled": func(ctx context.Context, cancel func()) (int, error) { cancel(); return 0, ctx.Err() },
		"panics":       func(context.Context, func()) (int, error) { panic("broken") },
	} {
		var m resultCache[int, int]
		began, wait := make(chan bool), make(chan bool)
		var g sync.WaitGroup
		g.Go(func() {
			defer func() { recover() }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := m.get(ctx, 7, func(ctx context.Context) (int, error) { close(began); <-wait; return leave(ctx, cancel) })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
		<-began
		g.Go(func() {
			if v, err := m.get(t.Context(), 7, func(context.Context) (int, error) { return 49, nil }); v != 49 || err != nil {
				t.Errorf("%s: %d %v", name, v, err)
			}
		})
		close(wait)
		g.Wait()
	}
}

// TestCacheIsBounded: it does not grow with the number of keys.
func TestCacheIsBounded(t *testing.T) {
	var m resultCache[int, int]
	for i := range 3 * maxCacheEntries {
		m.get(t.Context(), i, func(context.Context) (int, error) { return i, nil })
	}
	if len(m.entries) > maxCacheEntries {
		t.Errorf("%d kept", len(m.entries))
	}
}

// TestAnswersFollowTheBlock: a result of one snapshot is not given for another, even
// when a reorg brings the first one back.
func TestAnswersFollowTheBlock(t *testing.T) {
	first := testMarket(t)
	trade, err := first.Pools()[1].Swap(0, 1, units(300_000, 18))
	if err != nil {
		t.Fatal(err)
	}
	block := market.Block{Number: first.Block().Number + 1, Time: blockTime}
	second, err := first.Next(block, append(first.Pools()[:0:0], trade), nil)
	if err != nil {
		t.Fatal(err)
	}
	var head atomic.Pointer[market.Snapshot]
	s := serve(t, func(c *Config) { c.Head = head.Load })
	var amounts [2]string
	for i := range 8 {
		head.Store([]*market.Snapshot{first, second}[i%2])
		var q quoteBody
		a := s.get(goodQuote)
		a.into(t, &q)
		if want := fmt.Sprint(head.Load().Block().Number); a.status != http.StatusOK || a.header.Get("X-Block-Number") != want {
			t.Fatalf("block %s, want %s", a.header.Get("X-Block-Number"), want)
		}
		if amounts[i%2] == "" {
			amounts[i%2] = q.AmountOut
		}
		if q.AmountOut != amounts[i%2] {
			t.Errorf("turn %d: %s, before %s", i, q.AmountOut, amounts[i%2])
		}
	}
	if amounts[0] == amounts[1] {
		t.Error("the trade changed nothing")
	}
}
