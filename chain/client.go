// Package chain is the wire: blocks with logs, reads pinned to one block.
//
// It speaks to one node or to several. Every answer that matters is asked for
// by block hash, so honest nodes can give but one answer: it is taken when a
// quorum gives the same, or when it can be proved against a header so taken.
// What a node gets wrong is made good by another or is an error the caller may
// retry. URLs may hold keys, so errors show the host of a node and no more.
package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"braid/market"
)

// Config says which nodes to speak to.
type Config struct {
	URLs     []string // http, https, ws or wss
	ChainID  uint64
	Rate     float64               // requests a second to each node; 0 is no limit
	Stuck    time.Duration         // a node that shows one head for longer, or one older, is as good as silent; 0: never
	Registry prometheus.Registerer // nil: metrics are kept but not shown
}

// Client speaks to the nodes. Any number of goroutines may use it.
type Client struct {
	chain  uint64
	nodes  []*node
	quorum int // nodes that must say the same
	stuck  time.Duration
	count  *metrics

	proved, refuted atomic.Int64 // blocks whose logs were held to the receipts root
}

// Dial is Open with one node and no limit.
func Dial(ctx context.Context, url string, chainID uint64) (*Client, error) {
	return Open(ctx, Config{URLs: []string{url}, ChainID: chainID})
}

// Open connects to the nodes. As many as make a quorum must be there and follow
// the chain; one that follows another chain is refused in any case.
//
// The quorum is half of the nodes, rounded up: one of one or two, which are
// trusted, two of three or four, three of five. It outnumbers any minority of
// liars among an odd number of nodes, and half of the nodes may be away.
func Open(ctx context.Context, config Config) (*Client, error) {
	if len(config.URLs) == 0 {
		return nil, errors.New("no node")
	}
	c := &Client{chain: config.ChainID, quorum: (len(config.URLs) + 1) / 2, stuck: config.Stuck, count: newMetrics(config.Registry)}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, url := range config.URLs {
		n, err := dial(ctx, i, url, config.Rate, c.count)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.nodes = append(c.nodes, n)
	}
	good, errs := c.ids(ctx)
	for _, err := range errs {
		if errors.Is(err, ErrWrongChain) || len(good) < c.quorum {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Close ends the connections and all that waits on them.
func (c *Client) Close() {
	for _, n := range c.nodes {
		n.close()
	}
}

// CheckChain is ErrWrongChain when no quorum follows the chain any more and a
// node follows another.
func (c *Client) CheckChain(ctx context.Context) error {
	good, errs := c.ids(ctx)
	if len(good) >= c.quorum {
		return nil
	}
	for _, err := range errs {
		if errors.Is(err, ErrWrongChain) {
			return err
		}
	}
	return errs[0]
}

func (c *Client) ids(ctx context.Context) (good []Header, errs []error) {
	return c.all(ctx, func(ctx context.Context, n *node) (Header, error) { return Header{}, n.checkChain(ctx, c.chain) })
}

// Runs tells whether the nodes run software whose version begins so, by the
// word of a quorum. A node that keeps its version to itself runs another.
func (c *Client) Runs(ctx context.Context, software string) (bool, error) {
	return agree(ctx, c, slowHedge, func(ctx context.Context, n *node) (bool, error) {
		var version string
		err := n.call(ctx, patience, &version, "web3_clientVersion")
		if answered(err) && !limited(err) {
			err = nil
		}
		return strings.HasPrefix(version, software), err
	}, equal)
}

// Head is a block that was the newest just now: so many nodes as make a quorum
// have it or are ahead of it.
func (c *Client) Head(ctx context.Context) (market.Block, error) { return c.tagged(ctx, "latest") }

// Finalized is a block that will not be replaced, by the word of a quorum.
func (c *Client) Finalized(ctx context.Context) (market.Block, error) {
	return c.tagged(ctx, "finalized")
}

func (c *Client) tagged(ctx context.Context, tag string) (market.Block, error) {
	heads, errs := c.all(ctx, func(ctx context.Context, n *node) (Header, error) {
		return n.header(ctx, "eth_getBlockByNumber", tag)
	})
	if len(heads) < c.quorum {
		return market.Block{}, errs[0]
	}
	if c.quorum == 1 {
		return slices.MaxFunc(heads, byHeight).Block, nil
	}
	slices.SortFunc(heads, byHeight)
	return c.BlockByNumber(ctx, heads[len(heads)-c.quorum].Number)
}

// BlockByNumber is the block that is canonical at that height now.
func (c *Client) BlockByNumber(ctx context.Context, number uint64) (market.Block, error) {
	h, err := c.headerByNumber(ctx, number)
	return h.Block, err
}

func (c *Client) headerByNumber(ctx context.Context, number uint64) (Header, error) {
	return agree(ctx, c, quickHedge, func(ctx context.Context, n *node) (Header, error) { return n.byNumber(ctx, number) }, equal)
}

func (c *Client) HeaderByHash(ctx context.Context, hash common.Hash) (Header, error) {
	return agree(ctx, c, quickHedge, func(ctx context.Context, n *node) (Header, error) {
		h, err := n.header(ctx, "eth_getBlockByHash", hash)
		if err == nil && h.Hash != hash {
			err = fmt.Errorf("node %s: asked for block %s, got %s", n.host, hash, h.Hash)
		}
		return h, err
	}, equal)
}

// all asks every node, and gives the answers and the errors.
func (c *Client) all(ctx context.Context, ask func(context.Context, *node) (Header, error)) (good []Header, failed []error) {
	answers, errs := make([]Header, len(c.nodes)), make([]error, len(c.nodes))
	var g sync.WaitGroup
	for i, n := range c.nodes {
		g.Go(func() { answers[i], errs[i] = ask(ctx, n) })
	}
	g.Wait()
	for i, err := range errs {
		if err == nil {
			good = append(good, answers[i])
		} else {
			failed = append(failed, err)
		}
	}
	return good, failed
}
