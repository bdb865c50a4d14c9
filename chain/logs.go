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

// query is the argument of eth_getLogs. A log must have one of the topics as
// its first.
type query struct {
	Address   []common.Address `json:"address,omitempty"`
	BlockHash *common.Hash     `json:"blockHash,omitempty"`
	FromBlock *hexutil.Uint64  `json:"fromBlock,omitempty"`
	ToBlock   *hexutil.Uint64  `json:"toBlock,omitempty"`
	Topics    [][]common.Hash  `json:"topics"`
}

// Logs are the logs of one block that have one of the topics as their first,
// in order. They are proved complete where the chain allows it and receipts are
// to be had, which anyone can make too many; or else a quorum says so, and the
// bloom does not deny it.
func (c *Client) Logs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	if c.provable(h) {
		logs, err := c.provedLogs(ctx, h, topics)
		if err == nil || !tooMuch(ctx, err) {
			return logs, err
		}
	}
	logs, err := agree(ctx, c, quickHedge, func(ctx context.Context, n *node) ([]types.Log, error) {
		logs, err := n.blockLogs(ctx, h, topics)
		if err != nil {
			return nil, err
		}
		return logs, n.belong(h, logs)
	}, alike)
	if err == nil {
		c.count.believed.Inc()
	}
	return logs, err
}

// blockLogs asks again for logs where there are none and the bloom has some. The
// bloom may err; a node that has the block and not yet its logs errs far more
// often, and not for long.
func (n *node) blockLogs(ctx context.Context, h Header, topics []common.Hash) ([]types.Log, error) {
	q := query{BlockHash: &h.Hash, Topics: [][]common.Hash{topics}}
	logs, err := n.logs(ctx, quick, q)
	if err != nil || len(logs) > 0 || !slices.ContainsFunc(topics, func(t common.Hash) bool { return h.Bloom.Test(t[:]) }) {
		return logs, err
	}
	if logs, err = n.receiptLogs(ctx, h, topics); !tooMuch(ctx, err) && !errors.Is(err, errUnproved) {
		return logs, err
	}
	if !sleep(ctx, 2*quickHedge) {
		return nil, ctx.Err()
	}
	return n.logs(ctx, quick, q)
}

func alike(a, b []types.Log) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

// belong holds logs to their block.
func (n *node) belong(h Header, logs []types.Log) error {
	for i := range logs {
		if logs[i].BlockHash != h.Hash || logs[i].BlockNumber != h.Number {
			return fmt.Errorf("node %s: asked for logs of block %s, got one of %s", n.host, h.Hash, logs[i].BlockHash)
		}
		logs[i].BlockTimestamp = h.Time // which not every node adds
	}
	return nil
}

// LogsRange gives the logs of the blocks from..to that are canonical at the
// time, in order and in pages that fit the node. Each page ends at block upTo.
//
// Nothing pins a range to one branch. It is for blocks so far below the head
// that they are settled; the caller makes sure of that. Of several nodes the
// logs have no times.
func (c *Client) LogsRange(ctx context.Context, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	for p := (pager{size: firstPage}); from <= to; {
		upTo := min(to, from+p.size-1)
		logs, err := c.page(ctx, nil, from, upTo, topics)
		if err != nil {
			if !tooMuch(ctx, err) {
				return err
			}
			if upTo > from {
				p.refused(upTo - from + 1)
				continue
			}
			// Anyone may fill a block with more logs than nodes grant; receipts
			// have them all.
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

func (c *Client) page(ctx context.Context, of []common.Address, from, upTo uint64, topics []common.Hash) ([]types.Log, error) {
	first, last := hexutil.Uint64(from), hexutil.Uint64(upTo)
	return agree(ctx, c, slowHedge, func(ctx context.Context, n *node) ([]types.Log, error) {
		logs, err := n.logs(ctx, patience, query{Address: of, FromBlock: &first, ToBlock: &last, Topics: [][]common.Hash{topics}})
		if k := len(logs); err == nil && k > 0 && (logs[0].BlockNumber < from || logs[k-1].BlockNumber > upTo) {
			err = fmt.Errorf("node %s: asked for logs of blocks %d to %d, got %d to %d", n.host, from, upTo, logs[0].BlockNumber, logs[k-1].BlockNumber)
		}
		for i := range logs {
			if len(c.nodes) > 1 {
				logs[i].BlockTimestamp = 0 // honest nodes differ: not every one adds it
			}
		}
		return logs, err
	}, alike)
}

// pager finds out how many blocks a node grants in one request. Refused, it
// halves. Granted, it grows by half: at once until the first refusal, and
// every eighth time from then on, so that few requests are made in vain.
type pager struct {
	size    uint64
	limited bool
	inARow  int
}

const (
	firstPage   = 100
	largestPage = 10_000
)

func (p *pager) refused(size uint64) {
	p.size, p.limited, p.inARow = (size+1)/2, true, 0
}

func (p *pager) granted() {
	if p.inARow++; !p.limited || p.inARow%8 == 0 {
		p.size = min(p.size+(p.size+1)/2, largestPage)
	}
}

func (n *node) logs(ctx context.Context, within time.Duration, q query) ([]types.Log, error) {
	var logs []types.Log
	if err := n.call(ctx, within, &logs, "eth_getLogs", q); err != nil {
		return nil, err
	}
	if logs == nil {
		return nil, fmt.Errorf("node %s: eth_getLogs: null", n.host)
	}
	return logs, n.sort(logs)
}

// sort refuses removed logs and logs given twice.
func (n *node) sort(logs []types.Log) error {
	slices.SortStableFunc(logs, inOrder)
	for i := range logs {
		if logs[i].Removed {
			return fmt.Errorf("node %s: removed log in block %d", n.host, logs[i].BlockNumber)
		}
		if i > 0 && inOrder(logs[i-1], logs[i]) == 0 {
			return fmt.Errorf("node %s: log %d of block %d given twice", n.host, logs[i].Index, logs[i].BlockNumber)
		}
	}
	return nil
}

func inOrder(a, b types.Log) int {
	return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.Index, b.Index))
}
