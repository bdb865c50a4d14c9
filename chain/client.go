// Package chain is the JSON-RPC client: blocks with their logs, and contract reads pinned to one block.
//
// It uses one node or several. Every answer that matters is asked for by block
// hash, so that all honest nodes give the same answer. An answer is accepted
// when a quorum of nodes gives it, or when it is proved against a header that a
// quorum gave. A failure of one node is made good by another, or is an error
// that the caller may retry. URLs may contain keys, so errors name the host of a
// node and nothing else of its URL.
package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"braid/market"
)

// Config says which nodes to use.
type Config struct {
	URLs       []string // http, https, ws or wss; at least one
	ChainID    uint64
	Rate       float64               // limit of requests per second to each node; 0: no limit
	StuckAfter time.Duration         // a node that reports the same head for longer, or a head with an older timestamp, counts as failed; 0: never
	Registry   prometheus.Registerer // nil: metrics are counted but not exported

	dialContext func(ctx context.Context, network, host string) (net.Conn, error) // for tests; nil: over the network
}

// Client makes requests to the nodes. It is safe for concurrent use.
type Client struct {
	chain      uint64
	nodes      []*node
	quorum     int // number of nodes that must give the same answer
	stuckAfter time.Duration
	count      *metrics

	allLogs, logsOf pager // of LogsRange and LogsOf

	// Blocks whose receipts did and did not hash to the receipts root of their
	// header, since the start.
	provedBlocks, unprovedBlocks atomic.Int64
}

// Dial is Open with one node and no rate limit.
func Dial(ctx context.Context, url string, chainID uint64) (*Client, error) {
	return Open(ctx, Config{URLs: []string{url}, ChainID: chainID})
}

// Open connects to the nodes. At least a quorum of them must be reachable and
// follow the chain of Config.ChainID; one that follows another chain is
// ErrWrongChain in any case.
//
// The quorum is half of the nodes, rounded up: 1 of 1 or 2 nodes (which are
// trusted), 2 of 3 or 4, 3 of 5. Of an odd number of nodes n, up to n/2 (rounded
// down) may give false answers, and as many may be unreachable.
func Open(ctx context.Context, config Config) (*Client, error) {
	if len(config.URLs) == 0 {
		return nil, errors.New("no node: give at least one URL")
	}
	c := &Client{chain: config.ChainID, quorum: (len(config.URLs) + 1) / 2, stuckAfter: config.StuckAfter, count: newMetrics(config.Registry)}
	ctx, cancel := context.WithTimeout(ctx, longTimeout)
	defer cancel()
	for i, url := range config.URLs {
		n, err := dial(ctx, i, url, config, c.count)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.nodes = append(c.nodes, n)
	}
	right, errs := c.checkChains(ctx)
	for _, err := range errs {
		if errors.Is(err, ErrWrongChain) || right < c.quorum {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Close closes the connections; requests under way fail.
func (c *Client) Close() {
	for _, n := range c.nodes {
		n.close()
	}
}

// CheckChain is nil if a quorum of nodes follows the chain. Otherwise it is
// ErrWrongChain if a node follows another chain, or else the error of a node.
func (c *Client) CheckChain(ctx context.Context) error {
	right, errs := c.checkChains(ctx)
	if right >= c.quorum {
		return nil
	}
	for _, err := range errs {
		if errors.Is(err, ErrWrongChain) {
			return err
		}
	}
	return errs[0]
}

// checkChains counts the nodes that follow the chain; errs are of the others.
func (c *Client) checkChains(ctx context.Context) (right int, errs []error) {
	answers, errs := askAll(ctx, c, func(ctx context.Context, n *node) (struct{}, error) { return struct{}{}, n.checkChain(ctx, c.chain) })
	return len(answers), errs
}

// Head is the newest block that at least a quorum of nodes has reached.
func (c *Client) Head(ctx context.Context) (market.Block, error) { return c.blockByTag(ctx, "latest") }

// Finalized is the newest block that at least a quorum of nodes holds to be
// final: by the chain's rules it will not be replaced.
func (c *Client) Finalized(ctx context.Context) (market.Block, error) {
	return c.blockByTag(ctx, "finalized")
}

// blockByTag is the canonical block of the highest number that a quorum of nodes has
// reached, by what they answer for the tag "latest" or "finalized".
func (c *Client) blockByTag(ctx context.Context, tag string) (market.Block, error) {
	heads, errs := askAll(ctx, c, func(ctx context.Context, n *node) (Header, error) {
		return n.header(ctx, "eth_getBlockByNumber", tag)
	})
	if len(heads) < c.quorum {
		return market.Block{}, errs[0]
	}
	byNumber := func(a, b Header) int { return cmp.Compare(a.Number, b.Number) }
	if c.quorum == 1 {
		return slices.MaxFunc(heads, byNumber).Block, nil
	}
	slices.SortFunc(heads, byNumber)
	return c.BlockByNumber(ctx, heads[len(heads)-c.quorum].Number)
}

// BlockByNumber is the canonical block of that number, as of now: a reorg may
// replace it.
func (c *Client) BlockByNumber(ctx context.Context, number uint64) (market.Block, error) {
	h, err := c.headerByNumber(ctx, number)
	return h.Block, err
}

func (c *Client) headerByNumber(ctx context.Context, number uint64) (Header, error) {
	return askQuorum(ctx, c, hedgeDelay, func(ctx context.Context, n *node) (Header, error) { return n.headerByNumber(ctx, number) }, equal)
}

// HeaderByHash is the header of a block on any branch, or ErrUnknownBlock.
func (c *Client) HeaderByHash(ctx context.Context, hash common.Hash) (Header, error) {
	return askQuorum(ctx, c, hedgeDelay, func(ctx context.Context, n *node) (Header, error) {
		h, err := n.header(ctx, "eth_getBlockByHash", hash)
		if err == nil && h.Hash != hash {
			err = fmt.Errorf("node %s: asked for block %s, got %s", n.host, hash, h.Hash)
		}
		return h, err
	}, equal)
}
