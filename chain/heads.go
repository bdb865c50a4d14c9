package chain

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"braid/market"
)

const (
	pollAlone  = 250 * time.Millisecond // without a subscription
	pollBeside = time.Second            // with one: sockets can be dead in silence
	dialAgain  = 15 * time.Second
	quick      = 2 * time.Second // no head is worth waiting longer for
)

// Sighting is the head of the chain as a node showed it, or why it did not.
type Sighting struct {
	Block market.Block
	At    time.Time
	Err   error
}

// Heads shows the head of the chain whenever it changes, and again about once
// a second, until ctx ends; then the channel is closed. Heads come by
// subscription where the node offers one, by asking otherwise. Who reads
// slowly sees the newest head only: blocks may be left out, and must be looked
// for by their parents.
func (c *Client) Heads(ctx context.Context) <-chan Sighting {
	out := make(chan Sighting, 1)
	go func() {
		defer close(out)
		c.watch(ctx, func(s Sighting) {
			select {
			case <-out: // nobody saw it, and it is old now
			default:
			}
			out <- s
		})
	}()
	return out
}

func (c *Client) watch(ctx context.Context, show func(Sighting)) {
	var (
		news   = make(chan header, 16)
		feed   = c.subscribe(ctx, news)
		redial = time.NewTicker(dialAgain)
		poll   = time.NewTimer(0)
	)
	defer func() { redial.Stop(); poll.Stop(); feed.stop() }()
	for {
		pause := pollAlone
		if feed.sub != nil {
			pause = pollBeside
		}
		select {
		case <-ctx.Done():
			return
		case h := <-news:
			show(Sighting{Block: h.Block, At: time.Now()})
		case <-feed.failed():
			feed.stop()
			feed, pause = noFeed, 0
		case <-redial.C:
			if feed.sub != nil {
				continue
			}
			feed, pause = c.subscribe(ctx, news), 0
		case <-poll.C:
			show(c.look(ctx))
		}
		poll.Reset(pause)
	}
}

func (c *Client) look(ctx context.Context) Sighting {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	b, err := c.Head(ctx)
	return Sighting{Block: b, At: time.Now(), Err: err}
}

// feed is a subscription of newHeads on a connection of its own.
type feed struct {
	conn *rpc.Client
	sub  *rpc.ClientSubscription
}

var noFeed feed

// subscribe asks for newHeads. Many nodes have no socket to offer: then there
// is no feed, and asking for the head tells whether the node is there at all.
func (c *Client) subscribe(ctx context.Context, news chan header) feed {
	dialCtx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	conn, err := rpc.DialContext(dialCtx, c.ws)
	if err != nil {
		return noFeed
	}
	sub, err := conn.EthSubscribe(dialCtx, news, "newHeads")
	if err != nil {
		conn.Close()
		return noFeed
	}
	return feed{conn, sub}
}

func (f feed) failed() <-chan error {
	if f.sub == nil {
		return nil
	}
	return f.sub.Err()
}

func (f feed) stop() {
	if f.sub != nil {
		f.conn.Close()
	}
}
