package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// maxConcurrent is how many requests of one caller are under way at the same
// time. With answers after 300 ms, 8 of them make use of 25 requests per second.
const maxConcurrent = 8

// LogsOf is LogsRange restricted to logs of the contracts in of, with up to
// maxConcurrent requests under way. The pages still come in order.
func (c *Client) LogsOf(ctx context.Context, of []common.Address, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var flight []*pageRequest
	defer func() {
		cancel()
		for _, r := range flight {
			<-r.done
		}
	}()
	ask := func(from, upTo uint64) *pageRequest {
		r := &pageRequest{from: from, upTo: upTo, done: make(chan struct{})}
		go func() {
			defer close(r.done)
			r.logs, r.err = c.logsPage(ctx, of, r.from, r.upTo, topics)
		}()
		return r
	}
	for p := (pager{size: firstPage}); from <= to || len(flight) > 0; {
		for ; from <= to && len(flight) < maxConcurrent; from = flight[len(flight)-1].upTo + 1 {
			flight = append(flight, ask(from, min(to, from+p.size-1)))
		}
		r := flight[0]
		<-r.done
		switch {
		case r.err == nil:
			flight = flight[1:]
			if err := page(r.logs, r.upTo); err != nil {
				return err
			}
			p.granted()
		case maybeTooLarge(ctx, r.err) && r.upTo > r.from:
			size := r.upTo - r.from + 1
			if size <= p.size { // a larger page was requested before the pager shrank
				p.refused(size)
			}
			flight = append([]*pageRequest{ask(r.from, r.from+size/2-1), ask(r.from+size/2, r.upTo)}, flight[1:]...)
		default:
			return r.err
		}
	}
	return nil
}

// pageRequest is a request for the logs of blocks from..upTo. logs and err are
// valid once done is closed.
type pageRequest struct {
	from, upTo uint64
	done       chan struct{}
	logs       []types.Log
	err        error
}
