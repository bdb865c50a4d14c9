package api

import (
	"net/netip"
	"sync"
	"time"
)

// limiter is a token bucket for each client network.
type limiter struct {
	rate    float64 // tokens per second; also a bucket's capacity, which is at least 1; 0: no limit
	mu      sync.Mutex
	buckets map[netip.Prefix]bucket
}

// bucket holds the tokens of one client as they were at a time; below 0 is a
// debt.
type bucket struct {
	tokens  float64
	updated time.Time
}

// maxClients bounds the memory: when there are as many buckets, the full ones
// are dropped, and if none is full, all.
const maxClients = 1 << 16

func newLimiter(rate float64) *limiter {
	return &limiter{rate: rate, buckets: map[netip.Prefix]bucket{}}
}

// take pays for a request and returns 0, or returns how long the client has to
// wait until its bucket holds one token. A request is admitted with one token
// even if it costs more; the rest is a debt.
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

// capacity is the most tokens that a bucket holds.
func (l *limiter) capacity() float64 { return max(l.rate, 1) }

// refilled is how many tokens the bucket holds now.
func (l *limiter) refilled(b bucket, now time.Time) float64 {
	return min(l.capacity(), b.tokens+max(now.Sub(b.updated).Seconds(), 0)*l.rate)
}

// evict drops full buckets, which a new one would equal; if that is not enough,
// all.
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

// withRateLimit rejects clients that send too many requests. The cost of a request
// is in tokens: one is a quote.
func (s *server) withRateLimit(e endpoint, cost float64) endpoint {
	return func(w *response) error {
		if err := s.charge(w, cost); err != nil {
			return err
		}
		return e(w)
	}
}

// charge makes the client of a request pay so many tokens, or rejects it.
func (s *server) charge(w *response, cost float64) error {
	if wait := s.limiter.take(s.client(w.r), s.Now(), cost); wait > 0 {
		return &problem{code: rateLimited, detail: "too many requests; wait for as many seconds as Retry-After says", retryAfter: wait}
	}
	return nil
}
