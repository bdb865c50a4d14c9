package chain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// After these delays without an answer, one more node is asked (a hedged
// request): the first for small answers, the second for those that take a node
// some work.
const (
	hedgeDelay     = 150 * time.Millisecond
	slowHedgeDelay = time.Second
)

// reply is what one node answered.
type reply[T any] struct {
	node   *node
	answer T
	err    error
}

// askQuorum asks c.quorum nodes, and one more for each that fails or is slow,
// until c.quorum answers are the same. The question must be pinned to a block,
// so that all honest nodes give the same answer. Nodes that had given another
// answer by then are recorded as contradicted.
func askQuorum[T any](ctx context.Context, c *Client, hedge time.Duration, ask func(context.Context, *node) (T, error), same func(a, b T) bool) (T, error) {
	if len(c.nodes) == 1 {
		return ask(ctx, c.nodes[0])
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		nodes   = c.byExpectedLatency()
		replies = make(chan reply[T], len(nodes))
		asked   int
		askNext = func() {
			n := nodes[asked]
			asked++
			go func() {
				answer, err := ask(ctx, n)
				replies <- reply[T]{n, answer, err}
			}()
		}
		answers  []reply[T]
		firstErr error
		slow     = time.NewTicker(hedge)
	)
	defer slow.Stop()
	for range c.quorum {
		askNext()
	}
	for received := 0; received < asked; {
		select {
		case <-slow.C:
			if asked < len(nodes) {
				askNext()
			}
			continue
		case r := <-replies:
			received++
			if r.err != nil {
				if firstErr == nil {
					firstErr = r.err
				}
				break
			}
			answers = append(answers, r)
			others := slices.DeleteFunc(slices.Clone(answers), func(a reply[T]) bool { return same(a.answer, r.answer) })
			if len(answers)-len(others) == c.quorum {
				for _, o := range others {
					o.node.recordContradiction()
				}
				return r.answer, nil
			}
		}
		if missing := c.quorum - len(answers); asked < len(nodes) && asked-received < max(missing, 1) {
			askNext()
		}
	}
	var none T
	if firstErr == nil || len(answers) >= c.quorum {
		firstErr = fmt.Errorf("%w: %d answers, %d nodes must give the same", ErrDisagree, len(answers), c.quorum)
	}
	return none, firstErr
}

// byExpectedLatency are the nodes, those first that will likely answer first.
func (c *Client) byExpectedLatency() []*node {
	latency := make(map[*node]time.Duration, len(c.nodes))
	for _, n := range c.nodes {
		latency[n] = n.expectedLatency()
	}
	return slices.SortedStableFunc(slices.Values(c.nodes), func(a, b *node) int { return cmp.Compare(latency[a], latency[b]) })
}

// askAll asks every node at the same time, and gives the answers and the errors.
func askAll[T any](ctx context.Context, c *Client, ask func(context.Context, *node) (T, error)) (answers []T, errs []error) {
	replies := make([]reply[T], len(c.nodes))
	var g sync.WaitGroup
	for i, n := range c.nodes {
		g.Go(func() { replies[i].answer, replies[i].err = ask(ctx, n) })
	}
	g.Wait()
	for _, r := range replies {
		if r.err == nil {
			answers = append(answers, r.answer)
		} else {
			errs = append(errs, r.err)
		}
	}
	return answers, errs
}

func equal[T comparable](a, b T) bool { return a == b }
