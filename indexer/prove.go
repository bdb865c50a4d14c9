package indexer

import (
	"cmp"
	"context"
	"slices"
	"time"

	"braid/proof"
	"braid/venue"
)

const (
	trialsAtOnce  = 32               // pools tried before the order is made anew: the deepest of those that wait come next
	longestRetest = 4096             // blocks after which a refused pool is tried again at the latest
	longestUntold = 64               // blocks after which a pool is tried again at the latest that nothing could be tried with
	maxTrials     = 1 << 16          // remembered; beyond that all are forgotten
	codeEvery     = 64               // blocks between readings of the code of all proved pools; 20 s at 300 ms
	retrialEvery  = 8                // blocks between trials of pools that are proved already
	retrialPools  = 8                // tried then, by one or two requests: those with events since their trial first, then the oldest
	provedFor     = 20_000           // blocks after which a verdict that was found again is recorded anew
	firstTrials   = 10 * time.Second // after which a chain that was just joined is served with what is proved by then
)

// trials is what the goroutine that tries pools remembers of them.
type trials struct {
	epoch int
	last  map[venue.ID]trialOf
}

type trialOf struct {
	pool venue.Pool // as it was tried: another value means that events changed it
	at   uint64     // number of the block
	next uint64     // not to be tried before, unless events changed it
	vain uint64     // how often in a row nothing could be tried
}

// due tells whether a pool that waits is to be tried.
func (t *trials) due(p venue.Pool, number uint64) bool {
	l, tried := t.last[p.Info().ID]
	return !tried || number >= l.next || l.pool != p && number >= l.at+2
}

// done notes that a pool was tried; refusals is how often in a row it was refused.
func (t *trials) done(p venue.Pool, number uint64, status proof.Status, refusals uint64) {
	if t.last == nil || len(t.last) >= maxTrials {
		t.last = map[venue.ID]trialOf{}
	}
	id := p.Info().ID
	vain, wait := t.last[id].vain+1, uint64(0)
	if status == proof.Untried {
		wait = min(uint64(1)<<min(vain, 20), longestUntold)
	} else {
		vain, wait = 0, min(uint64(1)<<min(refusals, 20), longestRetest)
	}
	t.last[id] = trialOf{p, number, number + wait, vain}
}

// proveWaiting tries the pools that wait for it, the deepest first, those again that
// were refused, and those whose code has changed.
func (x *Indexer) proveWaiting(ctx context.Context) {
	if x.prover == nil {
		return
	}
	var tried trials
	var began time.Time
	var codeChecked, retried uint64
	x.besideBlocks(ctx, "trying pools", func(s *state) (bool, error) {
		if tried.epoch != s.epoch {
			tried = trials{epoch: s.epoch}
		}
		if began.IsZero() {
			began = time.Now()
		}
		number := s.Block().Number
		pools, err := x.nextTrials(ctx, s, &tried)
		if err != nil {
			return false, err
		}
		if len(pools) == 0 || time.Since(began) > firstTrials {
			defer x.firstProofs.Store(true) // after the verdicts were reported
		}
		if len(pools) > 0 {
			return true, x.try(ctx, s, pools, &tried)
		}
		if number >= codeChecked+codeEvery || number < codeChecked {
			codeChecked = number
			if pools, err = x.changedCode(ctx, s); err != nil {
				return false, err
			}
		} else if number >= retried+retrialEvery || number < retried {
			retried = number
			pools = oldestTrials(s, &tried)
		}
		if len(pools) == 0 {
			return false, nil
		}
		return true, x.try(ctx, s, pools, &tried)
	})
}

// try tries pools in the state s and reports the verdicts.
func (x *Indexer) try(ctx context.Context, s *state, pools []venue.Pool, tried *trials) error {
	verdicts, err := x.prover.Prove(ctx, s.Snapshot, pools)
	if err != nil {
		x.metrics.trials.WithLabelValues("failed").Inc()
	}
	var f findings
	told := map[venue.ID]bool{}
	for _, v := range verdicts {
		old := verdictOf(s.verdicts, v.Pool)
		next := verdict{Verdict: v}
		if v.Status == proof.Refused {
			next.refusals = old.refusals + 1
		}
		told[v.Pool] = true
		tried.done(poolOf(pools, v.Pool), s.Block().Number, v.Status, next.refusals)
		x.metrics.trials.WithLabelValues(v.Status.String()).Inc()
		if v.Status != proof.Untried && !old.confirmedBy(v) {
			f.verdicts = append(f.verdicts, next)
		}
	}
	if err == nil {
		for _, p := range pools {
			if !told[p.Info().ID] {
				tried.done(p, s.Block().Number, proof.Untried, 0)
			}
		}
	}
	if len(f.verdicts) > 0 {
		x.report(ctx, s, f)
	}
	return err
}

func poolOf(pools []venue.Pool, id venue.ID) venue.Pool {
	return pools[slices.IndexFunc(pools, func(p venue.Pool) bool { return p.Info().ID == id })]
}

// nextTrials are the pools to be tried next: those that wait, and those in the market
// that were refused, which are read first.
func (x *Indexer) nextTrials(ctx context.Context, s *state, tried *trials) ([]venue.Pool, error) {
	number := s.Block().Number
	var due []venue.Pool
	for _, p := range s.waiting.forProof() {
		if tried.due(p, number) {
			due = append(due, p)
		}
	}
	due = proof.Ordered(s.Snapshot, due)
	due = due[:min(len(due), trialsAtOnce)]
	changes := x.newChangeset(s)
	changes.quiet = true
	var out []venue.Pool
	for _, p := range s.Pools() {
		u, refused := p.(unusable)
		if refused && u.reason == notProved && tried.due(u.previous, number) && len(out) < trialsAtOnce {
			x.reloadPool(changes, u.previous)
			out = append(out, u.previous)
		}
	}
	if len(out) == 0 {
		return due, nil
	}
	if err := x.loadPools(ctx, changes, s.Block(), nil); err != nil {
		return nil, err
	}
	for _, p := range out {
		tried.done(p, number, proof.Untried, 0) // unless there is a verdict
		if now := changes.pools[p.Info().ID]; venue.Idle(now) == "" {
			due = append(due, now)
		}
	}
	return due, nil
}

// oldestTrials are some of the pools in the market: those that events changed since their
// last trial first, and then those whose trial is the oldest.
func oldestTrials(s *state, tried *trials) []venue.Pool {
	type candidate struct {
		pool    venue.Pool
		changed bool
		at      uint64
	}
	var list []candidate
	for _, p := range s.Pools() {
		if venue.Idle(p) != "" {
			continue
		}
		l, known := tried.last[p.Info().ID]
		if !known {
			l.at = verdictOf(s.verdicts, p.Info().ID).Block
		}
		list = append(list, candidate{p, known && l.pool != p, l.at})
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		if a.changed != b.changed {
			if a.changed {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.at, b.at)
	})
	var pools []venue.Pool
	for _, c := range list[:min(len(list), retrialPools)] {
		pools = append(pools, c.pool)
	}
	return pools
}

// changedCode are the proved pools whose code is another than at their trial.
func (x *Indexer) changedCode(ctx context.Context, s *state) (list []venue.Pool, err error) {
	var pools []venue.Pool
	for _, p := range s.Pools() {
		if venue.Idle(p) == "" {
			pools = append(pools, p)
		}
	}
	codes, err := x.prover.Codes(ctx, s.Block().Hash, pools)
	if err != nil {
		return nil, err
	}
	for i, p := range pools {
		v := verdictOf(s.verdicts, p.Info().ID)
		if v.Code != codes[i] && len(list) < trialsAtOnce {
			list = append(list, p)
		}
	}
	return list, nil
}
