package chain

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// maxConcurrent is how many requests of one caller are under way at the same
// time. With answers after 300 ms, 8 of them make use of 25 requests per second.
const maxConcurrent = 8

// LogsRange calls page with the logs of the canonical blocks from..to whose
// first topic is one of topics, in order, in ranges as large as the node allows.
// A page holds all logs up to and including block upTo.
//
// A range is not pinned to a branch by a hash: the caller must make sure that a
// reorg does not reach block to, or check afterwards that it still is canonical.
// With several nodes BlockTimestamp of the logs is 0.
func (c *Client) LogsRange(ctx context.Context, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	s := &logSearch{Client: c, pager: &c.allLogs, topics: topics, concurrent: 1}
	return s.run(ctx, from, to, page)
}

// LogsOf is LogsRange restricted to logs of the contracts in of, with up to
// maxConcurrent requests under way. The pages still come in order.
func (c *Client) LogsOf(ctx context.Context, of []common.Address, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	s := &logSearch{Client: c, pager: &c.logsOf, of: of, topics: topics, concurrent: maxConcurrent}
	return s.run(ctx, from, to, page)
}

// logSearch is a search for the logs of a range of blocks.
type logSearch struct {
	*Client
	pager      *pager
	of         []common.Address // contracts; empty: all
	topics     []common.Hash
	concurrent int // most requests under way
}

// pageRequest is a request for the logs of blocks from..upTo. logs and err are
// valid once done is closed.
type pageRequest struct {
	from, upTo uint64
	done       chan struct{}
	logs       []types.Log
	err        error
}

func (r *pageRequest) size() uint64 { return r.upTo - r.from + 1 }

// run gives the pages in order. A page of a size that has not been answered before
// is asked for alone: if it is refused, its blocks are still divided into pages as
// large as possible.
func (s *logSearch) run(ctx context.Context, from, to uint64, page func(logs []types.Log, upTo uint64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var flight []*pageRequest
	defer func() {
		cancel()
		for _, r := range flight {
			<-r.done
		}
	}()
	for from <= to || len(flight) > 0 {
		for from <= to && len(flight) < s.concurrent {
			size, known := s.pager.next()
			if !known && len(flight) > 0 {
				break
			}
			r := s.ask(ctx, from, min(to, from+size-1))
			flight, from = append(flight, r), r.upTo+1
			if !known {
				break
			}
		}
		r := flight[0]
		<-r.done
		flight = flight[1:]
		switch {
		case r.err == nil:
			s.pager.answered(r.size())
		case maybeTooLarge(ctx, r.err) && r.size() > 1:
			s.pager.refused(r.size())
			if len(flight) == 0 {
				from = r.from
			} else {
				flight = append([]*pageRequest{s.ask(ctx, r.from, r.from+r.size()/2-1), s.ask(ctx, r.from+r.size()/2, r.upTo)}, flight...)
			}
			continue
		case maybeTooLarge(ctx, r.err):
			if r.logs, r.err = s.logsOfBlock(ctx, r.from); r.err != nil {
				return r.err
			}
		default:
			return r.err
		}
		if err := page(r.logs, r.upTo); err != nil {
			return err
		}
	}
	return nil
}

func (s *logSearch) ask(ctx context.Context, from, upTo uint64) *pageRequest {
	r := &pageRequest{from: from, upTo: upTo, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.logs, r.err = s.logsPage(ctx, from, upTo)
	}()
	return r
}

// logsOfBlock are the logs of one block, from its receipts: anyone may fill a block
// with more logs than a node allows in an answer.
func (s *logSearch) logsOfBlock(ctx context.Context, number uint64) ([]types.Log, error) {
	h, err := s.headerByNumber(ctx, number)
	if err != nil {
		return nil, err
	}
	logs, err := s.Logs(ctx, h, s.topics)
	if len(s.of) > 0 {
		logs = slices.DeleteFunc(logs, func(l types.Log) bool { return !slices.Contains(s.of, l.Address) })
	}
	return logs, err
}

// errPageRefused is for a page that a node is not asked for, because it refused one
// that was not larger.
type errPageRefused struct{ error }

// ErrorCode makes it an rpc.Error: a smaller page may be answered.
func (errPageRefused) ErrorCode() int { return 0 }

// logsPage is the logs of blocks from..upTo. Nodes that refused a page of this size
// before are asked only if the others are fewer than a quorum.
func (s *logSearch) logsPage(ctx context.Context, from, upTo uint64) ([]types.Log, error) {
	size := upTo - from + 1
	willing := 0
	for _, n := range s.nodes {
		if !n.refusesPage(size) {
			willing++
		}
	}
	first, last := hexutil.Uint64(from), hexutil.Uint64(upTo)
	filter := logFilter{Address: s.of, FromBlock: &first, ToBlock: &last, Topics: [][]common.Hash{s.topics}}
	return askQuorum(ctx, s.Client, slowHedgeDelay, func(ctx context.Context, n *node) ([]types.Log, error) {
		if willing >= s.quorum && n.refusesPage(size) {
			return nil, errPageRefused{fmt.Errorf("node %s: refused pages of fewer than %d blocks", n.host, size)}
		}
		logs, err := n.logsUpTo(ctx, filter, upTo)
		n.recordPage(size, err == nil, maybeTooLarge(ctx, err))
		if k := len(logs); err == nil && k > 0 && (logs[0].BlockNumber < from || logs[k-1].BlockNumber > upTo) {
			err = fmt.Errorf("node %s: asked for logs of blocks %d to %d, got %d to %d", n.host, from, upTo, logs[0].BlockNumber, logs[k-1].BlockNumber)
		}
		for i := range logs {
			if len(s.nodes) > 1 {
				logs[i].BlockTimestamp = 0 // not every node sends it, and answers must be comparable
			}
		}
		return logs, err
	}, sameLogs)
}

// refusesPage tells whether the node refused a page that was not larger.
func (n *node) refusesPage(size uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refusedPage != 0 && n.refusedPage <= size
}

// recordPage remembers the smallest page that the node refused, until it answers
// one as large.
func (n *node) recordPage(size uint64, answered, refused bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case answered && n.refusedPage <= size:
		n.refusedPage = 0
	case refused && (n.refusedPage == 0 || size < n.refusedPage):
		n.refusedPage = size
	}
}
