package indexer

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/venue"
)

// Two goroutines read the chain beside the blocks, for pools that wait: one asks
// tokens for their decimals and names, one reads state. The pools that wait are
// their queues. No block waits for either of them.

const (
	tokensAtOnce  = 4 * tokensPerCall      // described by one request of four calls
	readsAtOnce   = 16                     // pools read at once that may hold liquidity
	dormantAtOnce = 4                      // pools read at once that most likely hold none
	readPause     = 250 * time.Millisecond // between reads
	firstRetry    = 2 * time.Second        // after a token or a pool failed; doubled each time
	longestRetry  = 6 * time.Hour
	maxAttempts   = 1 << 16 // remembered; beyond that all are forgotten
)

// attempts remembers what was tried, so that what fails is tried again at growing
// intervals.
type attempts struct {
	epoch int
	tried map[string]attempt
}

type attempt struct {
	count int
	next  time.Time // not to be tried before
}

// due tells whether a key may be tried.
func (a *attempts) due(key []byte, now time.Time) bool { return !now.Before(a.tried[string(key)].next) }

// try notes that a key is tried, and tells whether it is for the first time.
func (a *attempts) try(key []byte, now time.Time) (first bool) {
	if a.tried == nil || len(a.tried) >= maxAttempts {
		a.tried = map[string]attempt{}
	}
	t := a.tried[string(key)]
	t.next = now.Add(min(firstRetry<<min(t.count, 20), longestRetry))
	t.count++
	a.tried[string(key)] = t
	return t.count == 1
}

// start forgets what was tried on another chain.
func (a *attempts) start(s *state) {
	if a.epoch != s.epoch {
		*a = attempts{epoch: s.epoch}
	}
}

// report hands over findings to be recorded with the next block.
func (x *Indexer) report(ctx context.Context, s *state, f findings) {
	f.epoch = s.epoch
	select {
	case x.findings <- f:
	case <-ctx.Done():
	}
}

// besideBlocks calls do with the newest state again and again, until ctx ends. After
// do found nothing to do, or failed, it waits: for the next state at least.
func (x *Indexer) besideBlocks(ctx context.Context, what string, do func(*state) (worked bool, err error)) {
	for failures := 0; ctx.Err() == nil; {
		next := x.Changed() // before latest: no change is missed
		s := x.latest.Load()
		if s == nil {
			select {
			case <-next:
			case <-ctx.Done():
			}
			continue
		}
		worked, err := do(s)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !errors.Is(err, chain.ErrUnknownBlock):
			if failures == 0 {
				x.log.Warn("pools wait: "+what+" fails", "err", err)
			}
			x.metrics.faults.Inc()
			backoff(ctx, failures)
			failures++
		case worked:
			failures = 0
		default:
			select {
			case <-next:
			case <-ctx.Done():
			}
		}
	}
}

// describeWaiting describes the tokens that pools wait for.
func (x *Indexer) describeWaiting(ctx context.Context) {
	var tried attempts
	var searched *trieNode // in vain
	var again time.Time    // when to search it again
	x.besideBlocks(ctx, "describing tokens", func(s *state) (bool, error) {
		tried.start(s)
		now := time.Now()
		if s.waiting.needs.root == searched && now.Before(again) {
			return false, nil
		}
		list := s.waiting.neededTokens(tokensAtOnce, func(a common.Address) bool { return tried.due(a[:], now) })
		if len(list) == 0 {
			searched, again = s.waiting.needs.root, now.Add(firstRetry)
			return false, nil
		}
		tokens, err := x.describe(ctx, s.Block().Hash, list)
		if err != nil {
			return false, err
		}
		described, failed := map[common.Address]bool{}, 0
		for _, t := range tokens {
			described[t.Address] = true
		}
		for _, a := range list {
			if tried.try(a[:], now) && !described[a] {
				failed++
			}
		}
		if failed > 0 { // one line for all: anyone can create thousands
			x.log.Warn("pools wait: tokens have no decimals", "block", s.Block().Number, "tokens", failed)
		}
		if len(tokens) > 0 {
			x.report(ctx, s, findings{tokens: tokens})
		}
		return true, nil
	})
}

// neededTokens are up to n tokens that pools wait for and that are due.
func (w waiting) neededTokens(n int, due func(common.Address) bool) (list []common.Address) {
	var last common.Address
	w.needs.from(nil, func(e entry) bool {
		a := common.Address(e.key[:common.AddressLength])
		if a != last && due(a) {
			list = append(list, a)
		}
		last = a
		return len(list) < n
	})
	return list
}

// readWaiting reads the state of pools that wait for it, at the newest block. It is
// used if no log since concerns the pool. Dormant pools have their turn when no
// others are left.
func (x *Indexer) readWaiting(ctx context.Context) {
	var tried attempts
	var dormant turn
	x.besideBlocks(ctx, "reading pools", func(s *state) (bool, error) {
		tried.start(s)
		list := s.waiting.unread(readsAtOnce, &tried)
		if len(list) == 0 {
			list = dormant.next(s.waiting, dormantAtOnce, &tried)
		}
		if len(list) == 0 {
			return false, nil
		}
		f := findings{at: s.Block().Hash}
		var err error
		if f.loaded, err = x.readPools(ctx, s, list); err != nil {
			return false, err
		}
		for _, e := range list {
			tried.try(e.key, time.Now())
		}
		if len(f.loaded) > 0 {
			x.report(ctx, s, f)
		}
		select {
		case <-time.After(readPause):
		case <-ctx.Done():
		}
		return true, nil
	})
}

// readPools are the waiting pools of some entries with their state after the block
// of s, without those that cannot be read.
func (x *Indexer) readPools(ctx context.Context, s *state, list []entry) (pools []venue.Pool, err error) {
	changes := x.newChangeset(s)
	changes.quiet = true
	for _, e := range list {
		if p, err := unpack(x.storers, e); err == nil {
			x.reloadPool(changes, p)
		}
	}
	if err := x.loadPools(ctx, changes, s.Block(), nil); err != nil {
		return nil, err
	}
	for _, id := range changes.order {
		if why, waits := changes.waits(id); !waits || why == waitLiquidity {
			pools = append(pools, changes.pools[id])
		}
	}
	return pools, nil
}

// unread are up to n pools that have to be read and are due.
func (w waiting) unread(n int, tried *attempts) (list []entry) {
	now := time.Now()
	w.reads.from(nil, func(key entry) bool {
		if e, ok := w.pools.get(key.key); ok && tried.due(e.key, now) {
			list = append(list, e)
		}
		return len(list) < n
	})
	return list
}

// turn goes through the dormant pools by ID, again and again.
type turn struct {
	at    []byte    // ID to continue with
	after time.Time // when the next round may begin
}

// next are up to n dormant pools that are due.
func (t *turn) next(w waiting, n int, tried *attempts) (list []entry) {
	now := time.Now()
	if w.count[waitDormant] == 0 || now.Before(t.after) {
		return nil
	}
	end := true
	w.pools.from(t.at, func(e entry) bool {
		if len(list) == n {
			t.at, end = e.key, false
			return false
		}
		if e.reason() == waitDormant && tried.due(e.key, now) {
			list = append(list, e)
		}
		return true
	})
	if end {
		t.at, t.after = nil, now.Add(firstRetry)
	}
	return list
}
