package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/chain"
	"braid/market"
	"braid/venue"
)

// A chain is joined in mid-life in two steps. Pools are found by their births:
// the logs of the factories, from each source's first block on. Then all of
// them are read as they stand at one settled block, from which the market goes
// on by logs. What has been found is kept in the store, so that a search that
// is interrupted goes on where it was.

// Progress is how far a join has come.
type Progress struct {
	Stage    string // "finding pools" in blocks, or "reading pools"
	Done, Of uint64
	Left     time.Duration // about; 0 when nobody can tell yet
}

func (p Progress) String() string {
	s := fmt.Sprintf("%s: %d of %d", p.Stage, p.Done, p.Of)
	if p.Left > 0 {
		s += fmt.Sprintf(", about %v left", p.Left.Round(time.Second))
	}
	return s
}

// finds are the pools that were found, blank, in the blocks below next. All of
// these are settled and on one branch with the anchor.
type finds struct {
	anchor market.Block
	next   uint64
	pools  []venue.Pool
	known  map[venue.ID]bool
}

func newFinds(anchor market.Block, next uint64, pools []venue.Pool) *finds {
	f := &finds{anchor: anchor, next: next, known: map[venue.ID]bool{}}
	for _, p := range pools {
		f.add(p)
	}
	return f
}

func (f *finds) add(p venue.Pool) {
	if id := p.Info().ID; !f.known[id] {
		f.known[id] = true
		f.pools = append(f.pools, p)
	}
}

// errLate is no fault: the search took so long that its block may be too old
// to be read by now. It goes on to a newer one.
var errLate = errors.New("joining: the block is an old one by now")

const (
	lately    = 20 * time.Second // a block can be read for longer than that
	saveFinds = 2 * time.Second  // between writes to the store
)

// join is a draft on the empty market with every pool that was born up to a
// settled block, to be read at that block.
func (x *Indexer) join(ctx context.Context, first uint64, b market.Block) (*draft, error) {
	began := time.Now()
	empty, err := x.empty(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.search(ctx, first, b); err != nil {
		return nil, err
	}
	if time.Since(began) > lately {
		return nil, errLate
	}
	d := newDraft(empty)
	for _, p := range x.finds.pools {
		x.blank(d, p)
	}
	d.tell = x.gauge("reading pools")
	return d, nil
}

// search finds the pools that were born up to b. It goes on from what was
// found before, if that is of the same chain.
func (x *Indexer) search(ctx context.Context, first uint64, b market.Block) error {
	if x.finds != nil && x.before(b, x.finds.anchor) {
		return errBehind
	}
	if x.finds != nil {
		now, err := x.node.BlockByNumber(ctx, x.finds.anchor.Number)
		switch {
		case err != nil && !errors.Is(err, chain.ErrUnknownBlock):
			return err
		case err != nil || now.Hash != x.finds.anchor.Hash:
			x.log.Warn("searching for pools anew: those found before are of another branch")
			x.finds = nil
		case x.finds.next > b.Number+1:
			return errLate // the node fell behind
		}
	}
	if x.finds == nil {
		x.finds = newFinds(b, first, nil)
	}
	x.finds.anchor = b
	start, saved, tell := x.finds.next, time.Now(), x.gauge("finding pools")
	for _, s := range x.spans(start, b.Number) {
		err := x.node.LogsOf(ctx, s.factories, s.from, s.to, x.births, func(logs []types.Log, upTo uint64) error {
			for i := range logs {
				if p := x.born(&logs[i]); p != nil {
					x.finds.add(p)
				}
			}
			x.finds.next = upTo + 1
			tell(int(upTo+1-start), int(b.Number+1-start))
			if time.Since(saved) > saveFinds {
				x.keepFinds()
				saved = time.Now()
			}
			return nil
		})
		if err != nil {
			x.keepFinds()
			return fmt.Errorf("finding pools: %w", err)
		}
	}
	x.finds.next = b.Number + 1
	x.keepFinds()
	return nil
}

// keepFinds writes the finds down. That it cannot is no reason to stop.
func (x *Indexer) keepFinds() {
	if err := x.store.saveFinds(x.finds); err != nil {
		x.log.Error("finds are not saved", "err", err)
	}
}

// span is a range of blocks in which some factories stand.
type span struct {
	from, to  uint64
	factories []common.Address
}

// spans divide a range where sources begin. A source that does not say when it
// began did so with the first. On a chain younger than all of them every
// source may have begun at any time.
func (x *Indexer) spans(from, to uint64) (list []span) {
	begins := func(s *venue.Source) uint64 {
		if to < x.firstBlock {
			return 0
		}
		return max(s.FirstBlock, x.firstBlock)
	}
	cuts := []uint64{from}
	for i := range x.sources {
		if n := begins(&x.sources[i]); n > from && n <= to {
			cuts = append(cuts, n)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, n := range cuts {
		s := span{from: n, to: to}
		if i+1 < len(cuts) {
			s.to = cuts[i+1] - 1
		}
		for k := range x.sources {
			if begins(&x.sources[k]) <= n {
				s.factories = append(s.factories, x.sources[k].Factory)
			}
		}
		if s.from <= s.to && len(s.factories) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// born is the pool that a log makes, blank; nil if it makes none.
func (x *Indexer) born(log *types.Log) venue.Pool {
	for _, j := range x.joiners {
		if len(log.Topics) == 0 || log.Topics[0] != j.Birth() {
			continue
		}
		f := j.(venue.Family)
		e, err := f.Decode(log)
		if e == nil && err == nil {
			continue
		}
		var p venue.Pool
		if err == nil {
			p, err = f.Apply(nil, e)
		}
		if err != nil {
			x.log.Warn("log cannot be read", "block", log.BlockNumber, "err", err)
			return nil
		}
		return j.Blank(p)
	}
	return nil
}

// gauge tells of progress: always to Health, a few times a second to the
// listener, and now and then to the log.
func (x *Indexer) gauge(stage string) func(done, of int) {
	const show, write = 200 * time.Millisecond, 10 * time.Second
	began := time.Now()
	var shown, written time.Time
	return func(done, of int) {
		now := time.Now()
		if now.Sub(shown) < show && done < of {
			return
		}
		p := Progress{Stage: stage, Done: uint64(done), Of: uint64(of)}
		if past := now.Sub(began); done > 0 && past > time.Second {
			p.Left = time.Duration(float64(past) * float64(of-done) / float64(done))
		}
		x.note(func(h *Health) { h.Reason = "joining: " + p.String() })
		if shown = now; x.progress != nil {
			x.progress(p)
		}
		if now.Sub(written) >= write {
			written = now
			x.log.Info("joining", "stage", stage, "done", done, "of", of, "left", p.Left.Round(time.Second))
		}
	}
}
