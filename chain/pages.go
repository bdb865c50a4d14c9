package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// atOnce is how many pages are asked for at a time: enough to use up what a
// node grants a second.
const atOnce = 8

// LogsOf is LogsRange for the logs of some contracts, with several requests
// under way at a time. The pages still come in order.
func (c *Client) LogsOf(ctx context.Context, of []common.Address, from, to uint64, topics []common.Hash, page func(logs []types.Log, upTo uint64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var flight []*request
	defer func() {
		cancel()
		for _, r := range flight {
			<-r.done
		}
	}()
	ask := func(from, upTo uint64) *request {
		r := &request{from: from, upTo: upTo, done: make(chan struct{})}
		go func() {
			defer close(r.done)
			r.logs, r.err = c.page(ctx, of, r.from, r.upTo, topics)
		}()
		return r
	}
	for p := (pager{size: firstPage}); from <= to || len(flight) > 0; {
		for ; from <= to && len(flight) < atOnce; from = flight[len(flight)-1].upTo + 1 {
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
		case tooMuch(ctx, r.err) && r.upTo > r.from:
			size := r.upTo - r.from + 1
			if size <= p.size { // or else the pager knows by now
				p.refused(size)
			}
			flight = append([]*request{ask(r.from, r.from+size/2-1), ask(r.from+size/2, r.upTo)}, flight[1:]...)
		default:
			return r.err
		}
	}
	return nil
}

// request is a page that was asked for.
type request struct {
	from, upTo uint64
	done       chan struct{}
	logs       []types.Log
	err        error
}
