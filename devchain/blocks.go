package devchain

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/miner"
)

// produce builds a block whenever transactions arrive in the pool, and one at every
// heartbeat in any case.
func (c *Chain) produce(ctx context.Context, heartbeat time.Duration) {
	arrived := make(chan core.NewTxsEvent, 256)
	sub := c.eth.TxPool().SubscribeTransactions(arrived, true)
	defer sub.Unsubscribe()
	var beat <-chan time.Time
	if heartbeat > 0 {
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-arrived:
			err = c.sealPending(false)
		case <-beat:
			err = c.sealPending(true)
		}
		if err != nil {
			c.log.Error("block was not built", "err", err)
		}
	}
}

// sealPending makes a block of the pool's transactions the head; if there are none,
// an empty block if evenEmpty, else nothing.
func (c *Chain) sealPending(evenEmpty bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.sync(); err != nil {
		return err
	}
	pending, _ := c.eth.TxPool().Stats()
	if pending == 0 && !evenEmpty {
		return nil
	}
	block, err := c.build(c.Head(), nil, pending == 0)
	if err != nil {
		return err
	}
	return c.setHead(block)
}

// sync waits until the transaction pool has processed the head. The pool answers
// only the last of several that wait at once, hence the lock.
func (c *Chain) sync() error {
	c.syncing.Lock()
	defer c.syncing.Unlock()
	return c.eth.TxPool().Sync()
}

// Mine makes a block of exactly these transactions, in this order, the head, and
// returns their receipts. Each must be valid; it may revert.
func (c *Chain) Mine(txs ...*types.Transaction) (types.Receipts, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	block, err := c.build(c.Head(), txs, len(txs) == 0)
	if err != nil {
		return nil, err
	}
	if err := c.setHead(block); err != nil {
		return nil, err
	}
	return c.eth.BlockChain().GetReceiptsByHash(block.Hash()), nil
}

// Reorg replaces the last depth blocks by a branch, one block for each element.
// Pending transactions, and those that the branch leaves out, are dropped.
func (c *Chain) Reorg(depth int, branch ...[]*types.Transaction) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	head := c.Head().Number.Uint64()
	if depth < 1 || uint64(depth) > head || len(branch) == 0 {
		return fmt.Errorf("devchain: cannot replace %d of %d blocks by %d", depth, head, len(branch))
	}
	c.branches++
	var block *types.Block
	parent := c.eth.BlockChain().GetHeaderByNumber(head - uint64(depth))
	for _, txs := range branch {
		var err error
		if block, err = c.build(parent, txs, len(txs) == 0); err != nil {
			return err
		}
		parent = block.Header()
	}
	if err := c.setHead(block); err != nil {
		return err
	}
	c.eth.TxPool().Clear()
	return nil
}

// build makes a block on a parent and stores it without making it the head. Without
// transactions it takes those of the pool, unless empty is set. Header times are
// whole seconds and must increase, so with more than one block a second they get
// ahead of the wall clock.
func (c *Chain) build(parent *types.Header, txs []*types.Transaction, empty bool) (*types.Block, error) {
	at := parent.Time + 1
	if c.live {
		at = max(at, uint64(time.Now().Unix()))
	}
	args := &miner.BuildPayloadArgs{
		Parent: parent.Hash(), Timestamp: at, Random: common.BigToHash(parent.Number),
		Withdrawals: types.Withdrawals{}, BeaconRoot: &common.Hash{},
	}
	// The extra data makes equal blocks of different branches differ in their hash.
	block, _, err := c.eth.Miner().BuildTestingPayload(args, txs, empty, []byte{c.branches})
	if err == nil {
		_, err = c.eth.BlockChain().InsertBlockWithoutSetHead(context.Background(), block, false)
	}
	if err != nil {
		return nil, fmt.Errorf("block on %d: %w", parent.Number, err)
	}
	return block, nil
}

// finality is the number of blocks after which a block is final. It is deeper than
// any reorg of a test: go-ethereum cannot replace final blocks.
const finality = 64

// setHead makes the block the head. As on Monad, the votes for a block come with
// the next one, so the parent is the safe block.
func (c *Chain) setHead(block *types.Block) error {
	chain := c.eth.BlockChain()
	if _, err := chain.SetCanonical(block); err != nil {
		return fmt.Errorf("block %d: %w", block.NumberU64(), err)
	}
	if voted := chain.GetHeaderByHash(block.ParentHash()); voted != nil {
		chain.SetSafe(voted)
	}
	if n := block.NumberU64(); n > finality {
		chain.SetFinalized(chain.GetHeaderByNumber(n - finality))
	}
	return nil
}
