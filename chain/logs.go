package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// logFilter is the argument of eth_getLogs. Topics has one element: the values
// that the first topic of a log may have.
type logFilter struct {
	Address   []common.Address `json:"address,omitempty"`
	BlockHash *common.Hash     `json:"blockHash,omitempty"`
	FromBlock *hexutil.Uint64  `json:"fromBlock,omitempty"`
	ToBlock   *hexutil.Uint64  `json:"toBlock,omitempty"`
	Topics    [][]common.Hash  `json:"topics"`
}

// Logs are the logs of block h whose first topic is one of topics, in order.
// They are taken from the receipts, and proved complete by the receipts root,
// where the node gives receipts and the chain makes the root as Ethereum does.
// Otherwise, or if the receipts are too large to be sent, they are what a quorum
// of nodes answers.
func (c *Client) Logs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	if c.canProve(h) {
		logs, err := c.provedLogs(ctx, h, topics)
		if err == nil || !maybeTooLarge(ctx, err) {
			return logs, err
		}
	}
	logs, err := askQuorum(ctx, c, hedgeDelay, func(ctx context.Context, n *node) ([]types.Log, error) {
		logs, err := n.blockLogs(ctx, h, topics)
		if err != nil {
			return nil, err
		}
		return logs, n.checkBlock(h, logs)
	}, sameLogs)
	if err == nil {
		c.count.believed.Inc()
	}
	return logs, err
}

// blockLogs asks once more, by receipts or after a pause, if the answer is empty
// although the header's Bloom filter contains a topic. The filter has false
// positives, but far more often the node has imported the block and not yet its
// logs, or does not know the block: then some nodes answer with an empty list.
func (n *node) blockLogs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	q := logFilter{BlockHash: &h.Hash, Topics: [][]common.Hash{topics}}
	logs, err := n.logs(ctx, shortTimeout, q)
	if err != nil || len(logs) > 0 || !slices.ContainsFunc(topics, func(t common.Hash) bool { return h.Bloom.Test(t[:]) }) {
		return logs, err
	}
	if logs, err = n.receiptLogs(ctx, h, topics); !maybeTooLarge(ctx, err) && !errors.Is(err, errReceiptsRoot) {
		return logs, err
	}
	if !sleep(ctx, 2*hedgeDelay) {
		return nil, ctx.Err()
	}
	if logs, err = n.logs(ctx, shortTimeout, q); err == nil && len(logs) == 0 {
		_, err = n.header(ctx, "eth_getBlockByHash", h.Hash)
	}
	return logs, err
}

func sameLogs(a, b []types.Log) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

// checkBlock is an error if a log is of another block than h, and sets the
// timestamps of the logs, in seconds since 1970.
func (n *node) checkBlock(h Header, logs []types.Log) error {
	for i := range logs {
		if logs[i].BlockHash != h.Hash || logs[i].BlockNumber != h.Number {
			return fmt.Errorf("node %s: asked for logs of block %s, got one of %s", n.host, h.Hash, logs[i].BlockHash)
		}
		logs[i].BlockTimestamp = h.Time // not every node sends it
	}
	return nil
}

func (n *node) logs(ctx context.Context, timeout time.Duration, q logFilter) ([]types.Log, error) {
	var logs []types.Log
	if err := n.call(ctx, timeout, &logs, "eth_getLogs", q); err != nil {
		return nil, err
	}
	return logs, n.checkLogs(logs)
}

// checkLogs sorts by block number and log index. An answer of null, and a log that
// is marked as removed or occurs twice, are errors.
func (n *node) checkLogs(logs []types.Log) error {
	if logs == nil {
		return fmt.Errorf("node %s: eth_getLogs: null", n.host)
	}
	slices.SortStableFunc(logs, compareLogs)
	for i := range logs {
		if logs[i].Removed {
			return fmt.Errorf("node %s: removed log in block %d", n.host, logs[i].BlockNumber)
		}
		if i > 0 && compareLogs(logs[i-1], logs[i]) == 0 {
			return fmt.Errorf("node %s: log %d of block %d given twice", n.host, logs[i].Index, logs[i].BlockNumber)
		}
	}
	return nil
}

func compareLogs(a, b types.Log) int {
	return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.Index, b.Index))
}
