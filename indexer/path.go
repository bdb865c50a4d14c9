package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/chain"
	"braid/market"
)

// recentStates are the last blocks, of all branches, and the states of some: of
// each of the newest maxDense, and of one in maxGap numbers below. A state between
// them is made again from the one before; a reorg that deep is rare, and each state
// that is kept holds its own version of what it shares with none.
type recentStates struct {
	max    int // number of blocks, besides the maxGap that a state may be away
	byHash map[common.Hash]*state
	blocks map[common.Hash]market.Block
	order  []common.Hash // of blocks, oldest first
}

const maxDense, maxGap = 8, 32

func (r *recentStates) add(s *state) {
	h := s.Block().Hash
	if _, known := r.blocks[h]; !known {
		r.order = append(r.order, h)
		r.thin()
	}
	r.byHash[h], r.blocks[h] = s, s.Block()
	if len(r.order) > r.max+maxGap {
		delete(r.byHash, r.order[0])
		delete(r.blocks, r.order[0])
		r.order = slices.Delete(r.order, 0, 1)
	}
}

// thin drops the state that is not among the newest maxDense any more, if one is
// kept less than maxGap below it.
func (r *recentStates) thin() {
	i := len(r.order) - 1 - maxDense
	if i < 0 {
		return
	}
	b := r.blocks[r.order[i]]
	for range maxGap - 1 {
		if b = r.blocks[b.Parent]; r.byHash[b.Hash] != nil {
			delete(r.byHash, r.order[i])
			return
		}
	}
}

// forked tells whether a is on another branch than b: not a descendant of b, nor b
// itself. It is false if too old blocks would be needed to tell.
func (r *recentStates) forked(a, b market.Block) bool {
	for known := true; a.Number > b.Number; {
		if a, known = r.blocks[a.Parent]; !known {
			return false
		}
	}
	return a.Hash != b.Hash
}

// settledAncestor is the newest state at least max/2 blocks below s on its branch,
// which counts as settled; nil if it is not among the recent ones.
func (r *recentStates) settledAncestor(s *state) *state {
	b := s.Block()
	for depth := 1; ; depth++ {
		parent, known := r.blocks[b.Parent]
		if !known {
			return nil
		}
		if b = parent; depth >= r.max/2 && r.byHash[b.Hash] != nil {
			return r.byHash[b.Hash]
		}
	}
}

// path follows parent hashes back from head to a block whose snapshot is known or
// can be made, and gives that snapshot and the headers of the blocks after it,
// oldest first. The base is a recent snapshot (on a reorg, of the common
// ancestor); the empty one, if the first block is reached; or, after x.keep
// blocks, that of a settled block.
func (x *Indexer) path(ctx context.Context, head chain.Header) (base *state, path []chain.Header, err error) {
	if seen := x.newestSettled(); seen != nil && x.olderThanSettled(head.Block, seen.Block()) {
		return nil, nil, fmt.Errorf("block %d: %w", head.Number, errNodesBehind)
	}
	first := x.firstBlock
	if head.Number < first {
		first = 0
	}
	for b := head; ; {
		path = append(path, b)
		switch base = x.recent.byHash[b.Parent]; {
		case base != nil:
			err = checkParent(b.Block, base.Block())
		case b.Number <= first:
			base, err = x.emptySnapshot(ctx)
		default:
			var parent chain.Header
			if parent, err = x.node.HeaderByHash(ctx, b.Parent); err == nil {
				err = checkParent(b.Block, parent.Block)
			}
			if _, recent := x.recent.blocks[parent.Hash]; err == nil && (len(path) < x.keep || recent) {
				b = parent
				continue
			}
			if err == nil {
				base, err = x.settledSnapshot(ctx, first, parent.Block)
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("block %d: %w", b.Number, err)
		}
		slices.Reverse(path)
		return base, path, nil
	}
}

// errNodesBehind says that the nodes' head is older than a settled block we have.
// They are waited for: nothing is read again because of them.
var errNodesBehind = errors.New("the nodes are behind the market")

// olderThanSettled tells whether b was made before the settled block, by number
// and timestamp. A block with a lower number and a later timestamp is of another
// branch or chain. It is false for a chain that has not reached the first source:
// reading that one again costs nothing, and its clock may be wrong.
func (x *Indexer) olderThanSettled(b, settled market.Block) bool {
	return b.Number >= x.firstBlock && b.Number < settled.Number && b.Time <= settled.Time
}

// newestSettled is the newest snapshot of a settled block; nil if there is none.
func (x *Indexer) newestSettled() *state {
	if x.tip != nil {
		if s := x.recent.settledAncestor(x.tip); s != nil {
			return s
		}
	}
	return x.saved
}

// checkParent is an error if the number of b is not one above its parent's.
func checkParent(b, parent market.Block) error {
	if parent.Number+1 != b.Number {
		return fmt.Errorf("its parent is block %d", parent.Number)
	}
	return nil
}

// emptySnapshot is the snapshot before the first block. If there was a snapshot
// before, none of its blocks is on the chain any more, which may have become
// another one: so the chain ID is checked.
func (x *Indexer) emptySnapshot(ctx context.Context) (*state, error) {
	if x.tip != nil {
		x.metrics.resyncs.Inc()
		x.log.Warn("starting over: no common ancestor among recent blocks")
	}
	if err := x.node.CheckChain(ctx); err != nil {
		return nil, err
	}
	// What was learned may be of another branch or chain, and its blocks may have
	// had higher numbers.
	x.record, x.epoch = record{}, x.epoch+1
	return x.emptyState()
}

// emptyState is the state before the first block.
func (x *Indexer) emptyState() (*state, error) {
	s, err := x.empty.Next(market.Block{}, nil, x.list)
	empty := &state{Snapshot: s, epoch: x.epoch}
	if x.tip == nil { // the chain is the one the store was written for
		empty.verdicts = x.carried
	}
	return empty, err
}

// maxReplayBlocks is how many blocks of logs are read at most to bring a snapshot up
// to date. Beyond it, all pools are read from the chain instead.
const maxReplayBlocks = 20_000

// settledSnapshot is the snapshot after block b, so deep that a reorg is not
// expected to reach it. It is made from an older snapshot (our last one or the
// store's) and the logs since, or by finding and reading all pools.
func (x *Indexer) settledSnapshot(ctx context.Context, first uint64, b market.Block) (*state, error) {
	base, err := x.ancestorBelow(ctx, b)
	if err != nil {
		return nil, err
	}
	var changes *changeset
	switch {
	case base != nil && (b.Number-base.Block().Number <= maxReplayBlocks || len(x.creationTopics) == 0):
		changes = x.newChangeset(base)
		err = x.replayLogs(ctx, changes, base.Block().Number+1, b)
	case len(x.creationTopics) > 0:
		if base != nil {
			x.discovery = newDiscovery(base.Block(), base.Block().Number+1, slices.Concat(base.Pools(), base.waiting.all(x.storers)))
		}
		changes, err = x.join(ctx, first, b)
	default:
		if base, err = x.emptySnapshot(ctx); err == nil {
			changes = x.newChangeset(base)
			err = x.replayLogs(ctx, changes, first, b)
		}
	}
	if err != nil {
		return nil, err
	}
	// Logs were requested by block number: they are those of b's branch only if b
	// still is canonical.
	now, err := x.node.BlockByNumber(ctx, b.Number)
	if err != nil {
		return nil, err
	}
	if now.Hash != b.Hash {
		return nil, fmt.Errorf("block %d was replaced while its history was read", b.Number)
	}
	// Tokens are read at the head: of a block as deep as b the node may have
	// dropped the state.
	head, err := x.node.Head(ctx)
	if err != nil {
		return nil, err
	}
	changes.settled = true
	x.takeFindings(changes.base.Block())
	s, err := x.buildState(ctx, changes, b, head.Hash)
	if err == nil {
		x.discovery = nil
		x.addState(s)
		x.saver.offerNow(s)
	}
	return s, err
}

// replayLogs applies the logs of blocks from..b to a changeset, and retries until
// ctx ends.
func (x *Indexer) replayLogs(ctx context.Context, changes *changeset, from uint64, b market.Block) error {
	report, start := x.progressReporter("reading logs"), from
	for failures := 0; from <= b.Number; failures++ {
		err := x.node.LogsRange(ctx, from, b.Number, x.topics, func(logs []types.Log, upTo uint64) error {
			for i := range logs {
				x.applyLog(changes, &logs[i])
			}
			from, failures = upTo+1, 0
			report(int(from-start), int(b.Number+1-start))
			return nil
		})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return err
		}
		x.recordFault(err, failures)
		backoff(ctx, failures)
	}
	return nil
}

// ancestorBelow is our last snapshot, or else the store's, if it is of a canonical
// block below b; otherwise nil.
func (x *Indexer) ancestorBelow(ctx context.Context, b market.Block) (*state, error) {
	ours := x.tip
	if ours == nil {
		ours = x.saved
	}
	if ours == nil || ours.Block().Number >= b.Number {
		return nil, nil
	}
	now, err := x.node.BlockByNumber(ctx, ours.Block().Number)
	if err != nil {
		return nil, err
	}
	if now.Hash != ours.Block().Hash {
		return nil, nil
	}
	return ours, nil
}
