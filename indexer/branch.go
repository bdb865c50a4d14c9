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

// kept are the last markets, of all branches.
type kept struct {
	max    int
	byHash map[common.Hash]*market.Snapshot
	order  []common.Hash // oldest first
}

func (k *kept) add(s *market.Snapshot) {
	h := s.Block().Hash
	if k.byHash[h] == nil {
		k.order = append(k.order, h)
	}
	k.byHash[h] = s
	if len(k.order) > k.max {
		delete(k.byHash, k.order[0])
		k.order = slices.Delete(k.order, 0, 1)
	}
}

// forked tells whether a stands on another branch than b, as far as kept. Of
// two blocks on one branch a must be the later one.
func (k *kept) forked(a, b *market.Snapshot) bool {
	for a != nil && a.Block().Number > b.Block().Number {
		a = k.byHash[a.Block().Parent]
	}
	return a != nil && a != b
}

// path finds the blocks that lead to head, oldest first, and the market they
// start from: a kept one, which is the common ancestor; the empty one, when
// the walk comes to the first block; or else that of a settled block.
func (x *Indexer) path(ctx context.Context, head chain.Header) (base *market.Snapshot, path []chain.Header, err error) {
	if seen := x.deep(); seen != nil && x.before(head.Block, seen.Block()) {
		return nil, nil, fmt.Errorf("block %d: %w", head.Number, errBehind)
	}
	first := x.firstBlock
	if head.Number < first {
		first = 0
	}
	for b := head; ; {
		path = append(path, b)
		switch base = x.kept.byHash[b.Parent]; {
		case base != nil:
			err = follows(b.Block, base.Block())
		case b.Number <= first:
			base, err = x.empty(ctx)
		default:
			var parent chain.Header
			if parent, err = x.node.HeaderByHash(ctx, b.Parent); err == nil {
				err = follows(b.Block, parent.Block)
			}
			if err == nil && len(path) < x.keep {
				b = parent
				continue
			}
			if err == nil {
				base, err = x.settled(ctx, first, parent.Block)
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("block %d: %w", b.Number, err)
		}
		slices.Reverse(path)
		return base, path, nil
	}
}

// errBehind is the head of nodes that fell back, or are not yet where others
// were: they will come to what we have, and nothing is done anew for them.
var errBehind = errors.New("the nodes are behind the market")

// before tells that a block is older than a settled one, by its number and by
// its time: one of another branch, or of another chain, is made later. A chain
// younger than all sources costs nothing to read anew, and its clock may err.
func (x *Indexer) before(b, settled market.Block) bool {
	return b.Number >= x.firstBlock && b.Number < settled.Number && b.Time <= settled.Time
}

// deep is the newest settled market we know; nil if there is none.
func (x *Indexer) deep() *market.Snapshot {
	if x.tip != nil {
		if s := x.kept.settledBelow(x.tip); s != nil {
			return s
		}
	}
	return x.saved
}

// follows is an error if a number does not follow its parent's.
func follows(b, parent market.Block) error {
	if parent.Number+1 != b.Number {
		return fmt.Errorf("its parent is block %d", parent.Number)
	}
	return nil
}

// empty is the market before the first block. To come back to it means that
// nothing we know has a place on the chain any more: it may be another chain.
func (x *Indexer) empty(ctx context.Context) (*market.Snapshot, error) {
	if x.tip != nil {
		x.metrics.resyncs.Inc()
		x.log.Warn("starting over: no common ancestor within reach")
	}
	if err := x.node.CheckChain(ctx); err != nil {
		return nil, err
	}
	return x.start.Next(market.Block{}, nil, x.list)
}

// reach is how many blocks of logs are read rather than all pools.
const reach = 20_000

// settled is the market after a block so deep that its branch is taken for
// final: that of our head or of the store, and the logs since; or else what is
// found and read anew.
func (x *Indexer) settled(ctx context.Context, first uint64, b market.Block) (*market.Snapshot, error) {
	base, err := x.below(ctx, b)
	if err != nil {
		return nil, err
	}
	var d *draft
	switch {
	case base != nil && (b.Number-base.Block().Number <= reach || len(x.births) == 0):
		d = newDraft(base)
		err = x.replay(ctx, d, base.Block().Number+1, b)
	case len(x.births) > 0:
		if base != nil {
			x.finds = newFinds(base.Block(), base.Block().Number+1, base.Pools())
		}
		d, err = x.join(ctx, first, b)
	default:
		if base, err = x.empty(ctx); err == nil {
			d = newDraft(base)
			err = x.replay(ctx, d, first, b)
		}
	}
	if err != nil {
		return nil, err
	}
	// Ranges go by number: this one told the history of b if b still stands.
	now, err := x.node.BlockByNumber(ctx, b.Number)
	if err != nil {
		return nil, err
	}
	if now.Hash != b.Hash {
		return nil, fmt.Errorf("block %d was replaced while its history was read", b.Number)
	}
	// Tokens are asked at the head: of a block this deep the node may have the
	// logs and no more the state.
	head, err := x.node.Head(ctx)
	if err != nil {
		return nil, err
	}
	s, err := x.finish(ctx, d, b, head.Hash)
	if err == nil {
		x.finds = nil
		x.kept.add(s)
		x.saver.offerNow(s)
	}
	return s, err
}

// replay reads the logs of blocks up to b into a draft.
func (x *Indexer) replay(ctx context.Context, d *draft, from uint64, b market.Block) error {
	tell, start := x.gauge("reading logs"), from
	for failures := 0; from <= b.Number; failures++ {
		err := x.node.LogsRange(ctx, from, b.Number, x.topics, func(logs []types.Log, upTo uint64) error {
			for i := range logs {
				x.read(d, &logs[i])
			}
			from, failures = upTo+1, 0
			tell(int(from-start), int(b.Number+1-start))
			return nil
		})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return err
		}
		x.fault(err, failures)
		rest(ctx, failures)
	}
	return nil
}

// below is our head, or else what the store held, if it is an ancestor of b,
// as far as the node can tell.
func (x *Indexer) below(ctx context.Context, b market.Block) (*market.Snapshot, error) {
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
