package chain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// How long a node is waited for before another one is asked as well: for small
// answers, and for such as take some work.
const (
	quickHedge = 150 * time.Millisecond
	slowHedge  = time.Second
)

// agree asks as many nodes as make a quorum, others in place of those that fail
// or are slow, until a quorum has given the same answer. The question must be
// pinned to a block, so that honest nodes can give but one.
func agree[T any](ctx context.Context, c *Client, hedge time.Duration, ask func(context.Context, *node) (T, error), same func(a, b T) bool) (T, error) {
	if len(c.nodes) == 1 {
		return ask(ctx, c.nodes[0])
	}
	type reply struct {
		node   *node
		answer T
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		waiting = c.eager()
		replies = make(chan reply, len(waiting))
		asked   int
		next    = func() {
			n := waiting[asked]
			asked++
			go func() {
				answer, err := ask(ctx, n)
				replies <- reply{n, answer, err}
			}()
		}
		given  []reply
		failed error
		slow   = time.NewTicker(hedge)
	)
	defer slow.Stop()
	for range c.quorum {
		next()
	}
	for heard := 0; heard < asked; {
		select {
		case <-slow.C:
			if asked < len(waiting) {
				next()
			}
			continue
		case r := <-replies:
			heard++
			if r.err != nil {
				if failed == nil {
					failed = r.err
				}
				break
			}
			given = append(given, r)
			if count(given, func(g reply) bool { return same(g.answer, r.answer) }) == c.quorum {
				for _, g := range given {
					if !same(g.answer, r.answer) {
						g.node.distrust()
					}
				}
				return r.answer, nil
			}
		}
		if missing := c.quorum - len(given); asked < len(waiting) && asked-heard < max(missing, 1) {
			next()
		}
	}
	var none T
	if failed == nil || len(given) >= c.quorum {
		failed = fmt.Errorf("%w: %d answers, %d nodes must give the same", ErrDisagree, len(given), c.quorum)
	}
	return none, failed
}

// eager are the nodes, those first that will likely answer first.
func (c *Client) eager() []*node {
	soon := make(map[*node]time.Duration, len(c.nodes))
	for _, n := range c.nodes {
		soon[n] = n.eager()
	}
	return slices.SortedStableFunc(slices.Values(c.nodes), func(a, b *node) int { return cmp.Compare(soon[a], soon[b]) })
}

func count[T any](list []T, is func(T) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

func equal[T comparable](a, b T) bool { return a == b }

func byHeight(a, b Header) int { return cmp.Compare(a.Number, b.Number) }
