package chain

import (
	"context"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	pollInterval           = 250 * time.Millisecond // between polls of a node without a subscription
	subscribedPollInterval = time.Second            // with one: a dead socket gives no error, so the node is polled all the same
	maxMissedHeads         = 3                      // heads seen by polling only, in a row, after which a subscription counts as dead
)

// Heads sends the head of the chain whenever it changes, and again about once
// a second, until ctx ends; then it closes the channel. Heads come by
// monadNewHeads subscription where a node offers one, which tells the state of
// blocks too, or else by newHeads, or else by polling. A slow
// reader receives the newest head only: blocks may be left out, and must be
// found by following parent hashes.
func (c *Client) Heads(ctx context.Context) <-chan HeadUpdate {
	out := make(chan HeadUpdate, 1)
	go func() {
		defer close(out)
		c.watchHeads(ctx, func(u HeadUpdate) {
			select {
			case <-out: // replaced before it was read
			default:
			}
			out <- u
		})
	}()
	return out
}

// watchHeads watches all nodes until ctx ends, and sends the head that a quorum
// confirms after each observation.
func (c *Client) watchHeads(ctx context.Context, send func(HeadUpdate)) {
	var g sync.WaitGroup
	defer g.Wait()
	observations := make(chan observation)
	for _, n := range c.nodes {
		g.Go(func() {
			n.watchHead(ctx, func(o observation) {
				select {
				case observations <- o:
				case <-ctx.Done():
				}
			})
		})
	}
	answers := make(chan ancestorAnswer)
	heads := &headQuorum{quorum: c.quorum, stuckAfter: c.stuckAfter, voters: make([]voter, len(c.nodes))}
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-observations:
			heads.observe(o)
			if o.err == nil {
				c.nodes[o.node].count.head.Set(float64(o.head.Number))
			}
		case a := <-answers:
			v := &heads.voters[a.node]
			v.pending = false
			if a.err == nil && v.head == a.head {
				v.ancestors[a.ancestor.Number] = a.ancestor
			}
		}
		update, queries := heads.head()
		for _, q := range queries {
			v := &heads.voters[q.node]
			if v.pending {
				continue
			}
			v.pending = true
			head := v.head
			g.Go(func() {
				ancestor, err := c.nodes[q.node].headerByNumber(ctx, q.number)
				select {
				case answers <- ancestorAnswer{q.node, head, ancestor, err}:
				case <-ctx.Done():
				}
			})
		}
		send(update)
	}
}

// ancestorAnswer is a node's answer to an ancestorQuery, valid while the node's
// head is the one it had when it was asked.
type ancestorAnswer struct {
	node           int
	head, ancestor Header
	err            error
}

// watchHead reports the head of one node until ctx ends: each new head of its
// subscription, and each poll. A poll may take long, so it does not hold up the
// subscription; if that announces a head meanwhile, the answer to the poll is old
// and is not reported.
func (n *node) watchHead(ctx context.Context, report func(observation)) {
	var (
		newHeads      = make(chan announcement, 16)
		sub           subscription
		subscriptions = n.subscriptions(ctx, newHeads)
		poll          = time.NewTimer(0)
		polled        = make(chan observation)
		polling, late bool // a poll is under way; a head was announced since it began
		last          Header
	)
	defer func() {
		poll.Stop()
		sub.close()
		if polling {
			<-polled
		}
		for s := range subscriptions { // until the dialling goroutine has ended
			s.close()
		}
	}()
	for failures, missed := 0, 0; ; {
		pause := pollInterval
		if sub.active() {
			pause = subscribedPollInterval
		}
		select {
		case <-ctx.Done():
			return
		case a := <-newHeads:
			if missed = 0; a.state <= Proposed || a.Number > last.Number {
				last, late = a.Header, true
				n.reached(a.Number)
			}
			report(observation{node: n.index, head: a.Header, state: a.state, at: time.Now()})
		case s := <-subscriptions:
			sub.close()
			sub, missed, pause = s, 0, 0
			n.count.subscribed.Set(1)
		case <-sub.errs():
			sub = sub.drop(n)
			pause = 0
		case <-poll.C:
			polling, late = true, false
			go func() {
				h, err := n.header(ctx, "eth_getBlockByNumber", "latest")
				polled <- observation{node: n.index, head: h, at: time.Now(), err: err}
			}()
		case o := <-polled:
			if polling = false; late {
				break
			}
			report(o)
			if failures++; o.err == nil {
				failures = 0
			} else {
				pause = min(backoff(failures), subscribedPollInterval)
			}
			if sub.active() && o.err == nil && o.head != last {
				if missed++; missed == maxMissedHeads {
					sub = sub.drop(n)
				}
				last = o.head
			}
		}
		if !polling {
			poll.Reset(pause)
		}
	}
}

// subscription is a monadNewHeads or newHeads subscription on a WebSocket
// connection of its own. The zero value is none.
type subscription struct {
	conn   *rpc.Client
	sub    *rpc.ClientSubscription
	closed chan<- struct{} // closed by close
}

// subscriptions dials until the node grants a subscription, sends it, and dials
// again when it has been closed. The pauses between attempts grow, up to about
// a minute for a node without WebSocket.
func (n *node) subscriptions(ctx context.Context, newHeads chan announcement) <-chan subscription {
	out := make(chan subscription)
	go func() {
		defer close(out)
		for attempts := 0; ; attempts++ {
			s, closed := n.subscribe(ctx, newHeads)
			if s.active() {
				select {
				case out <- s:
				case <-ctx.Done():
					s.close()
					return
				}
				began := time.Now()
				select {
				case <-closed:
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

// subscribe makes one attempt. The channel is closed when the subscription is.
func (n *node) subscribe(ctx context.Context, newHeads chan announcement) (subscription, <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, shortTimeout)
	defer cancel()
	if n.throttle(ctx) != nil {
		return subscription{}, nil
	}
	conn, err := rpc.DialContext(ctx, n.wsURL)
	if err != nil {
		return subscription{}, nil
	}
	sub, err := conn.EthSubscribe(ctx, newHeads, "monadNewHeads")
	if isRPCError(err) {
		sub, err = conn.EthSubscribe(ctx, newHeads, "newHeads")
	}
	if err != nil {
		conn.Close()
		return subscription{}, nil
	}
	closed := make(chan struct{})
	return subscription{conn, sub, closed}, closed
}

func (s subscription) active() bool { return s.sub != nil }

// errs is nil, and blocks for ever, without a subscription.
func (s subscription) errs() <-chan error {
	if !s.active() {
		return nil
	}
	return s.sub.Err()
}

// drop closes the subscription and gives the empty one to replace it.
func (s subscription) drop(n *node) subscription {
	n.count.subscribed.Set(0)
	s.close()
	return subscription{}
}

func (s subscription) close() {
	if s.active() {
		s.conn.Close()
		close(s.closed)
	}
}
