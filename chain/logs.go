package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/market"
)

// query is the argument of eth_getLogs. A log must have one of the topics as
// its first.
type query struct {
	BlockHash *common.Hash    `json:"blockHash,omitempty"`
	FromBlock *hexutil.Uint64 `json:"fromBlock,omitempty"`
	ToBlock   *hexutil.Uint64 `json:"toBlock,omitempty"`
	Topics    [][]common.Hash `json:"topics"`
}

// Logs are the logs of one block, in order. A log of another block, a removed
// one or one given twice is an error.
func (c *Client) Logs(ctx context.Context, block market.Block, topics []common.Hash) ([]types.Log, error) {
	logs, err := c.logs(ctx, query{BlockHash: &block.Hash, Topics: [][]common.Hash{topics}})
	if err != nil {
		return nil, err
	}
	for i := range logs {
		if logs[i].BlockHash != block.Hash || logs[i].BlockNumber != block.Number {
			return nil, fmt.Errorf("node %s: asked for logs of block %s, got one of %s", c.host, block.Hash, logs[i].BlockHash)
		}
	}
	return logs, nil
}

// LogsRange gives the logs of the blocks from..to that are canonical at the
// time, in order and in pages that fit the node. Each page ends at block upTo.
//
// Nothing pins a range to one branch. It is for blocks so far below the head
// that they are settled; the caller makes sure of that.
func (c *Client) LogsRange(ctx context.Context, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	for p := (pager{size: firstPage}); from <= to; {
		upTo := min(to, from+p.size-1)
		first, last := hexutil.Uint64(from), hexutil.Uint64(upTo)
		logs, err := c.logs(ctx, query{FromBlock: &first, ToBlock: &last, Topics: [][]common.Hash{topics}})
		if err != nil {
			if tooMuch(ctx, err) && upTo > from {
				p.refused(upTo - from + 1)
				continue
			}
			return err
		}
		if n := len(logs); n > 0 && (logs[0].BlockNumber < from || logs[n-1].BlockNumber > upTo) {
			return fmt.Errorf("node %s: asked for logs of blocks %d to %d, got %d to %d",
				c.host, from, upTo, logs[0].BlockNumber, logs[n-1].BlockNumber)
		}
		if err := page(logs, upTo); err != nil {
			return err
		}
		from = upTo + 1
		p.granted()
	}
	return nil
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

// tooMuch guesses that a shorter range may be granted where this one was not.
// There is no common code for it, so any refusal counts.
func tooMuch(ctx context.Context, err error) bool {
	var status rpc.HTTPError
	switch {
	case errors.As(err, &status):
		return status.StatusCode == http.StatusRequestEntityTooLarge || status.StatusCode == http.StatusBadRequest
	case errors.Is(err, context.DeadlineExceeded):
		return ctx.Err() == nil
	}
	return answered(err)
}

func (c *Client) logs(ctx context.Context, q query) ([]types.Log, error) {
	var logs []types.Log
	if err := c.call(ctx, &logs, "eth_getLogs", q); err != nil {
		return nil, err
	}
	if logs == nil {
		return nil, fmt.Errorf("node %s: eth_getLogs: null", c.host)
	}
	slices.SortStableFunc(logs, inOrder)
	for i := range logs {
		if logs[i].Removed {
			return nil, fmt.Errorf("node %s: removed log in block %d", c.host, logs[i].BlockNumber)
		}
		if i > 0 && inOrder(logs[i-1], logs[i]) == 0 {
			return nil, fmt.Errorf("node %s: log %d of block %d given twice", c.host, logs[i].Index, logs[i].BlockNumber)
		}
	}
	return logs, nil
}

func inOrder(a, b types.Log) int {
	return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.Index, b.Index))
}
