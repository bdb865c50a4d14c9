package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// errReceiptsRoot is for receipts that are not those of the header.
var errReceiptsRoot = errors.New("receipts do not hash to the receipts root of the header")

// maxUnproved is the number of blocks without a single proof after which the
// chain is taken to compute its receipts root differently from Ethereum, and
// proofs are no longer tried.
const maxUnproved = 5

// canProve tells whether it makes sense to prove the logs of a block.
func (c *Client) canProve(h Header) bool {
	return h.ReceiptsRoot != (common.Hash{}) && (c.provedBlocks.Load() > 0 || c.unprovedBlocks.Load() < maxUnproved)
}

// provedLogs takes the logs of a block from its receipts. If these hash to the
// receipts root of the header, no log is missing and none is forged, so that the
// answer of any one node is enough. Others are asked if it fails or is slow.
func (c *Client) provedLogs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	one := &Client{nodes: c.nodes, quorum: 1}
	logs, err := askQuorum(ctx, one, hedgeDelay, func(ctx context.Context, n *node) ([]types.Log, error) {
		return n.receiptLogs(ctx, h, topics)
	}, sameLogs)
	switch {
	case isMethodNotFound(err):
		c.unprovedBlocks.Add(maxUnproved)
	case errors.Is(err, errReceiptsRoot):
		c.unprovedBlocks.Add(1)
	case err == nil && h.ReceiptsRoot != types.EmptyReceiptsHash:
		c.provedBlocks.Add(1)
		c.count.proved.Inc()
	}
	return logs, err
}

// receiptLogs are the logs in the receipts of a block whose first topic is one of
// topics, or errReceiptsRoot.
func (n *node) receiptLogs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	if h.ReceiptsRoot == types.EmptyReceiptsHash {
		return nil, nil
	}
	list, err := n.receipts(ctx, h.Hash)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fmt.Errorf("node %s: receipts: %w", n.host, ErrUnknownBlock)
	}
	if types.DeriveSha(list, trie.NewStackTrie(nil)) != h.ReceiptsRoot {
		n.recordContradiction()
		return nil, fmt.Errorf("node %s: block %s: %d %w", n.host, h.Hash, len(list), errReceiptsRoot)
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
