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

// Joining a chain that already has pools takes two steps. First, pools are found
// by the creation events of the factories, from the first block of each source
// on. Then the state of all of them is read at one settled block; from there on
// the snapshot follows the logs. Pools found are saved in the store, so that an
// interrupted search continues where it was.

// Progress is how far joining a chain, or catching up with it, has come.
type Progress struct {
	Stage    string        // "finding pools" or "reading logs", counted in blocks; or "reading pools", in pools
	Done, Of uint64        // of the stage
	Left     time.Duration // estimated time to the end of the stage; 0: not known yet
}

// String is one line for people, such as "finding pools: 5 of 10, about 3s left".
func (p Progress) String() string {
	s := fmt.Sprintf("%s: %d of %d", p.Stage, p.Done, p.Of)
	if p.Left > 0 {
		s += fmt.Sprintf(", about %v left", p.Left.Round(time.Second))
	}
	return s
}

// discovery is a search for pools: those created in settled blocks below next, in
// the order of their creation and without their state.
type discovery struct {
	anchor  market.Block // settled block; all blocks searched are its ancestors, or itself
	next    uint64       // number of the first block not yet searched
	pools   []venue.Pool
	known   map[venue.ID]bool // IDs of pools
	resumed bool              // from a store of other sources
	added   []venue.Source    // whose pools have not been searched for in the blocks below next
}

func newDiscovery(anchor market.Block, next uint64, pools []venue.Pool) *discovery {
	d := &discovery{anchor: anchor, next: next, known: map[venue.ID]bool{}}
	for _, p := range pools {
		d.add(p)
	}
	return d
}

func (d *discovery) add(p venue.Pool) {
	if id := p.Info().ID; !d.known[id] {
		d.known[id] = true
		d.pools = append(d.pools, p)
	}
}

// errJoinTooSlow says that the search took so long that nodes may have dropped the
// state of its last block. It is no failure: the search continues to a newer one.
var errJoinTooSlow = errors.New("joining: the block may be too old to be read")

const (
	maxDiscoveryTime      = 20 * time.Second // nodes keep the state of a block for longer than that
	discoverySaveInterval = 2 * time.Second  // between writes of an unfinished discovery
)

// join is a changeset of the empty snapshot with every pool created up to settled
// block b, without state, to be read at b. first is the number of the block to
// begin the search with.
func (x *Indexer) join(ctx context.Context, first uint64, b market.Block) (*changeset, error) {
	began := time.Now()
	empty, err := x.emptySnapshot(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.discoverPools(ctx, first, b); err != nil {
		return nil, err
	}
	if time.Since(began) > maxDiscoveryTime {
		return nil, errJoinTooSlow
	}
	changes := x.newChangeset(empty)
	for _, p := range x.discovery.pools {
		x.reloadPool(changes, p)
	}
	changes.progress = x.progressReporter("reading pools")
	return changes, nil
}

// discoverPools finds the pools created up to block b. It continues an earlier
// discovery if that is of the same branch.
func (x *Indexer) discoverPools(ctx context.Context, first uint64, b market.Block) error {
	if x.discovery != nil && x.discovery.resumed && x.discovery.next > b.Number+1 {
		return errJoinTooSlow // b is soon above the stored block: they are half of keep apart
	}
	if x.discovery != nil && x.olderThanSettled(b, x.discovery.anchor) {
		return errNodesBehind
	}
	if x.discovery != nil {
		now, err := x.node.BlockByNumber(ctx, x.discovery.anchor.Number)
		switch {
		case err != nil && !errors.Is(err, chain.ErrUnknownBlock):
			return err
		case err != nil || now.Hash != x.discovery.anchor.Hash:
			x.log.Warn("searching for pools again: those found before are of another branch")
			x.discovery = nil
		case x.discovery.next > b.Number+1:
			return errJoinTooSlow // the nodes are behind
		}
	}
	if x.discovery == nil {
		x.discovery = newDiscovery(b, first, nil)
	}
	x.discovery.anchor = b
	if err := x.discoverAdded(ctx); err != nil {
		return fmt.Errorf("finding pools: %w", err)
	}
	start, saved, report := x.discovery.next, time.Now(), x.progressReporter("finding pools")
	for _, s := range x.factoryRanges(start, b.Number) {
		err := x.node.LogsOf(ctx, s.factories, s.from, s.to, x.creationTopics, func(logs []types.Log, upTo uint64) error {
			for i := range logs {
				if p := x.createdPool(&logs[i]); p != nil {
					x.discovery.add(p)
				}
			}
			x.discovery.next = upTo + 1
			report(int(upTo+1-start), int(b.Number+1-start))
			if time.Since(saved) > discoverySaveInterval {
				x.saveDiscovery()
				saved = time.Now()
			}
			return nil
		})
		if err != nil {
			x.saveDiscovery()
			return fmt.Errorf("finding pools: %w", err)
		}
	}
	x.discovery.next = b.Number + 1
	x.saveDiscovery()
	return nil
}

// discoverAdded finds the pools of sources that were added since the discovery began, in
// the blocks that were searched before. Nothing is saved until all are found.
func (x *Indexer) discoverAdded(ctx context.Context) error {
	if len(x.discovery.added) == 0 || x.discovery.next == 0 {
		return nil
	}
	from, factories := x.discovery.next, []common.Address(nil)
	for _, s := range x.discovery.added {
		first := max(s.FirstBlock, x.firstBlock)
		if x.discovery.next <= x.firstBlock { // a chain that ends before the first source
			first = 0
		}
		from, factories = min(from, first), append(factories, s.Factory)
	}
	err := x.node.LogsOf(ctx, factories, from, x.discovery.next-1, x.creationTopics, func(logs []types.Log, _ uint64) error {
		for i := range logs {
			if p := x.createdPool(&logs[i]); p != nil {
				x.discovery.add(p)
			}
		}
		return nil
	})
	if err == nil {
		x.discovery.added = nil
	}
	return err
}

// saveDiscovery writes the discovery to the store. A failure is logged only: the
// search continues without.
func (x *Indexer) saveDiscovery() {
	if err := x.store.saveDiscovery(x.discovery); err != nil {
		x.log.Error("discovered pools are not saved", "err", err)
	}
}

// blockRange is a range of block numbers, both included, and the factories whose
// creation events may be in it.
type blockRange struct {
	from, to  uint64
	factories []common.Address
}

// factoryRanges divides blocks from..to at the first blocks of the sources, so that
// no factory is searched for before it existed. A source without FirstBlock is
// taken to begin with the first of all. On a chain that ends before that one, such
// as a local one, every source may begin at any block.
func (x *Indexer) factoryRanges(from, to uint64) (list []blockRange) {
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
		s := blockRange{from: n, to: to}
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

// createdPool is the pool that a log creates, without state; nil if it creates
// none.
func (x *Indexer) createdPool(log *types.Log) venue.Pool {
	for _, j := range x.storers {
		if len(log.Topics) == 0 || log.Topics[0] != j.CreationTopic() {
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
			x.log.Warn("log cannot be decoded", "block", log.BlockNumber, "err", err)
			return nil
		}
		return j.Unloaded(p)
	}
	return nil
}

// progressReporter gives a function that reports progress of a stage to Health and
// Config.Progress, at most every 200 ms and at the end, and to the log, at most
// every 10 s.
func (x *Indexer) progressReporter(stage string) func(done, of int) {
	const reportInterval, logInterval = 200 * time.Millisecond, 10 * time.Second
	began := time.Now()
	var reported, logged time.Time
	return func(done, of int) {
		now := time.Now()
		if now.Sub(reported) < reportInterval && done < of {
			return
		}
		p := Progress{Stage: stage, Done: uint64(done), Of: uint64(of)}
		if past := now.Sub(began); done > 0 && past > time.Second {
			p.Left = time.Duration(float64(past) * float64(of-done) / float64(done))
		}
		x.updateHealth(func(h *Health) { h.Joining = "joining: " + p.String() })
		if reported = now; x.progress != nil {
			x.progress(p)
		}
		if now.Sub(logged) >= logInterval {
			logged = now
			x.log.Info("joining", "stage", stage, "done", done, "of", of, "left", p.Left.Round(time.Second))
		}
	}
}
