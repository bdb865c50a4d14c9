package chain

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	pollAlone  = 250 * time.Millisecond // without a subscription
	pollBeside = time.Second            // with one: sockets can be dead in silence
	deaf       = 3                      // heads that only the poll saw end a subscription
)

// Sighting is the head of the chain as the nodes showed it, or why they did not.
type Sighting struct {
	Header
	Seen   time.Time // when the first node showed it
	At     time.Time // up to when as many nodes as make a quorum had nothing newer
	Height uint64    // what as many nodes claim to have reached
	Err    error
}

// Heads shows the head of the chain whenever it changes, and again about once
// a second, until ctx ends; then the channel is closed. Heads come by
// subscription where a node offers one, by asking otherwise. Who reads slowly
// sees the newest head only: blocks may be left out, and must be looked for by
// their parents.
func (c *Client) Heads(ctx context.Context) <-chan Sighting {
	out := make(chan Sighting, 1)
	go func() {
		defer close(out)
		c.convene(ctx, func(s Sighting) {
			select {
			case <-out: // nobody saw it, and it is old now
			default:
			}
			out <- s
		})
	}()
	return out
}

// look is what one node shows as its head.
type look struct {
	node int
	head Header
	at   time.Time
	err  error
}

// watch shows the head of one node until ctx ends.
func (n *node) watch(ctx context.Context, show func(look)) {
	var (
		news  = make(chan Header, 16)
		feed  feed
		feeds = n.feeds(ctx, news)
		poll  = time.NewTimer(0)
		last  Header
	)
	defer func() {
		poll.Stop()
		feed.stop()
		for f := range feeds { // until the dialling has ended
			f.stop()
		}
	}()
	for failures, silent := 0, 0; ; {
		pause := pollAlone
		if feed.sub != nil {
			pause = pollBeside
		}
		select {
		case <-ctx.Done():
			return
		case h := <-news:
			silent, last = 0, h
			show(look{n.no, h, time.Now(), nil})
		case f := <-feeds:
			feed.stop()
			feed, silent, pause = f, 0, 0
			n.count.feed.Set(1)
		case <-feed.failed():
			feed = feed.drop(n)
			pause = 0
		case <-poll.C:
			h, err := n.header(ctx, "eth_getBlockByNumber", "latest")
			show(look{n.no, h, time.Now(), err})
			if failures++; err == nil {
				failures = 0
			} else {
				pause = min(backoff(failures), pollBeside)
			}
			if feed.sub != nil && err == nil && h != last {
				if silent++; silent == deaf {
					feed = feed.drop(n)
				}
				last = h
			}
		}
		poll.Reset(pause)
	}
}

// feed is a subscription of newHeads on a connection of its own.
type feed struct {
	conn *rpc.Client
	sub  *rpc.ClientSubscription
	gone chan<- struct{} // closed when it is
}

// feeds gives a feed whenever there is none, as soon as the node grants one. A
// node without sockets is asked less and less often.
func (n *node) feeds(ctx context.Context, news chan Header) <-chan feed {
	out := make(chan feed)
	go func() {
		defer close(out)
		for attempts := 0; ; attempts++ {
			f, gone := n.subscribe(ctx, news)
			if f.sub != nil {
				select {
				case out <- f:
				case <-ctx.Done():
					f.stop()
					return
				}
				began := time.Now()
				select {
				case <-gone:
				case <-ctx.Done():
					return
				}
				if time.Since(began) > time.Minute {
					attempts = 0
				}
			}
			if !sleep(ctx, backoff(attempts)<<min(max(attempts-5, 0), 4)) {
				return
			}
		}
	}()
	return out
}

func (n *node) subscribe(ctx context.Context, news chan Header) (feed, <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	if n.admit(ctx) != nil {
		return feed{}, nil
	}
	conn, err := rpc.DialContext(ctx, n.ws)
	if err != nil {
		return feed{}, nil
	}
	sub, err := conn.EthSubscribe(ctx, news, "newHeads")
	if err != nil {
		conn.Close()
		return feed{}, nil
	}
	gone := make(chan struct{})
	return feed{conn, sub, gone}, gone
}

func (f feed) failed() <-chan error {
	if f.sub == nil {
		return nil
	}
	return f.sub.Err()
}

func (f feed) drop(n *node) feed {
	n.count.feed.Set(0)
	f.stop()
	return feed{}
}

func (f feed) stop() {
	if f.sub != nil {
		f.conn.Close()
		close(f.gone)
	}
}
