package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// errUnproved are receipts that do not make the root the header has.
var errUnproved = errors.New("receipts are not those of the header")

// unprovable is after how many blocks without a single proof a chain is taken
// to make its receipts root in a way of its own.
const unprovable = 5

// provable tells whether the logs of a block can be held to its header.
func (c *Client) provable(h Header) bool {
	return h.Receipts != (common.Hash{}) && (c.proved.Load() > 0 || c.refuted.Load() < unprovable)
}

// provedLogs takes the block's logs from its receipts, which make the root in
// its header: then none is missing and none made up. So one node is enough,
// any; others are asked when it fails or is slow.
func (c *Client) provedLogs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	one := &Client{nodes: c.nodes, quorum: 1}
	logs, err := agree(ctx, one, quickHedge, func(ctx context.Context, n *node) ([]types.Log, error) {
		return n.receiptLogs(ctx, h, topics)
	}, alike)
	switch {
	case unsupported(err):
		c.refuted.Add(unprovable)
	case errors.Is(err, errUnproved):
		c.refuted.Add(1)
	case err == nil && h.Receipts != types.EmptyReceiptsHash:
		c.proved.Add(1)
		c.count.proved.Inc()
	}
	return logs, err
}

// receiptLogs are the logs of the topics out of a block's receipts.
func (n *node) receiptLogs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	if h.Receipts == types.EmptyReceiptsHash {
		return nil, nil
	}
	list, err := n.receipts(ctx, h.Hash)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fmt.Errorf("node %s: receipts: %w", n.host, ErrUnknownBlock)
	}
	if types.DeriveSha(list, trie.NewStackTrie(nil)) != h.Receipts {
		n.distrust()
		return nil, fmt.Errorf("node %s: block %s: %d %w", n.host, h.Hash, len(list), errUnproved)
	}
	wanted := make(map[common.Hash]bool, len(topics))
	for _, t := range topics {
		wanted[t] = true
	}
	var logs []types.Log
	index := uint(0)
	for i := range list {
		for _, log := range list[i].logs {
			if len(log.Topics) > 0 && wanted[log.Topics[0]] {
				logs = append(logs, types.Log{
					Address: log.Address, Topics: log.Topics, Data: log.Data,
					BlockNumber: h.Number, BlockHash: h.Hash, BlockTimestamp: h.Time, TxIndex: uint(i), Index: index,
				})
			}
			index++
		}
	}
	return logs, nil
}
