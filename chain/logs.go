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
// logs.
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
	return n.logs(ctx, shortTimeout, q)
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

// LogsRange calls page with the logs of the canonical blocks from..to whose
// first topic is one of topics, in order, in ranges as large as the node allows.
// A page holds all logs up to and including block upTo.
//
// A range is not pinned to a branch by a hash: the caller must make sure that a
// reorg does not reach block to, or check afterwards that it still is canonical.
// With several nodes BlockTimestamp of the logs is 0.
func (c *Client) LogsRange(ctx context.Context, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	for p := (pager{size: firstPage}); from <= to; {
		upTo := min(to, from+p.size-1)
		logs, err := c.logsPage(ctx, nil, from, upTo, topics)
		if err != nil {
			if !maybeTooLarge(ctx, err) {
				return err
			}
			if upTo > from {
				p.refused(upTo - from + 1)
				continue
			}
			// Anyone may fill one block with more logs than a node allows in an
			// answer; its receipts have them all.
			h, err := c.headerByNumber(ctx, from)
			if err != nil {
				return err
			}
			if logs, err = c.Logs(ctx, h, topics); err != nil {
				return err
			}
		}
		if err := page(logs, upTo); err != nil {
			return err
		}
		from = upTo + 1
		p.granted()
	}
	return nil
}

// logsPage is the logs of blocks from..upTo, of all contracts if of is empty.
func (c *Client) logsPage(ctx context.Context, of []common.Address, from, upTo uint64, topics []common.Hash) ([]types.Log, error) {
	first, last := hexutil.Uint64(from), hexutil.Uint64(upTo)
	return askQuorum(ctx, c, slowHedgeDelay, func(ctx context.Context, n *node) ([]types.Log, error) {
		logs, err := n.logs(ctx, longTimeout, logFilter{Address: of, FromBlock: &first, ToBlock: &last, Topics: [][]common.Hash{topics}})
		if k := len(logs); err == nil && k > 0 && (logs[0].BlockNumber < from || logs[k-1].BlockNumber > upTo) {
			err = fmt.Errorf("node %s: asked for logs of blocks %d to %d, got %d to %d", n.host, from, upTo, logs[0].BlockNumber, logs[k-1].BlockNumber)
		}
		for i := range logs {
			if len(c.nodes) > 1 {
				logs[i].BlockTimestamp = 0 // not every node sends it, and answers must be comparable
			}
		}
		return logs, err
	}, sameLogs)
}

// pager adapts the size of a page, in blocks, to what the node accepts in one
// request. A refusal halves it. A granted page raises it by half: each time
// until the first refusal, and every eighth time from then on, so that few
// requests are refused.
type pager struct {
	size       uint64
	wasRefused bool
	grants     int // in a row
}

// Sizes of a page, in blocks.
const (
	firstPage   = 100
	largestPage = 10_000
)

func (p *pager) refused(size uint64) {
	p.size, p.wasRefused, p.grants = (size+1)/2, true, 0
}

func (p *pager) granted() {
	if p.grants++; !p.wasRefused || p.grants%8 == 0 {
		p.size = min(p.size+(p.size+1)/2, largestPage)
	}
}

func (n *node) logs(ctx context.Context, timeout time.Duration, q logFilter) ([]types.Log, error) {
	var logs []types.Log
	if err := n.call(ctx, timeout, &logs, "eth_getLogs", q); err != nil {
		return nil, err
	}
	if logs == nil {
		return nil, fmt.Errorf("node %s: eth_getLogs: null", n.host)
	}
	return logs, n.sortLogs(logs)
}

// sortLogs sorts by block number and log index. A log that is marked as removed,
// or occurs twice, is an error.
func (n *node) sortLogs(logs []types.Log) error {
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
