package api

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// limiter is a token bucket for each client. It takes the peer of the
// connection for the client: headers that name another can be made up.
type limiter struct {
	rate    float64 // a second; also the size of a bucket, which holds at least 1
	mu      sync.Mutex
	buckets map[netip.Prefix]bucket
}

type bucket struct {
	tokens  float64
	updated time.Time
}

// maxClients bounds the memory: past it full buckets are forgotten, and if
// all are in use, all.
const maxClients = 1 << 16

func newLimiter(rate float64) *limiter {
	return &limiter{rate: rate, buckets: map[netip.Prefix]bucket{}}
}

// client is the network of the peer: an address of IPv4, a /64 of IPv6, which
// is what one customer gets.
func client(r *http.Request) netip.Prefix {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	a := peer.Addr().Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // both lengths fit
	return p
}

// take is how long the client has to wait; 0 lets it in. A request that costs
// more than there is leaves a debt.
func (l *limiter) take(client netip.Prefix, now time.Time, cost float64) time.Duration {
	if l.rate <= 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known := l.buckets[client]
	if !known {
		if len(l.buckets) >= maxClients {
			l.evict(now)
		}
		b = bucket{tokens: l.capacity(), updated: now}
	}
	b = bucket{tokens: l.refilled(b, now), updated: now}
	var wait time.Duration
	if b.tokens >= 1 {
		b.tokens -= cost
	} else {
		wait = time.Duration((1 - b.tokens) / l.rate * float64(time.Second))
	}
	l.buckets[client] = b
	return wait
}

func (l *limiter) capacity() float64 { return max(l.rate, 1) }

// level is what the bucket holds now.
func (l *limiter) refilled(b bucket, now time.Time) float64 {
	return min(l.capacity(), b.tokens+max(now.Sub(b.updated).Seconds(), 0)*l.rate)
}

func (l *limiter) evict(now time.Time) {
	for c, b := range l.buckets {
		if l.refilled(b, now) >= l.capacity() {
			delete(l.buckets, c)
		}
	}
	if len(l.buckets) >= maxClients {
		clear(l.buckets)
	}
}
