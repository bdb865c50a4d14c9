// Package chain is the wire: blocks with logs, reads pinned to one block.
//
// Every answer that matters is asked for by block hash and checked against it.
// What a node gets wrong is an error the caller may retry; nothing here
// retries, remembers or guesses. URLs may hold keys, so errors show the host
// of a node and no more.
package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/market"
)

var (
	// ErrUnknownBlock is a block the node does not have: not yet, or no more.
	ErrUnknownBlock = errors.New("unknown block")

	// ErrWrongChain is a node that follows another chain.
	ErrWrongChain = errors.New("wrong chain")
)

// patience is how long one request may take.
const patience = 15 * time.Second

// Client speaks to one node. Any number of goroutines may use it.
type Client struct {
	host  string
	ws    string // where newHeads can be asked for
	chain uint64
	rpc   *rpc.Client
}

// Dial connects to a node by an http, https, ws or wss URL and makes sure that
// it follows the chain with this ID.
func Dial(ctx context.Context, rawURL string, chainID uint64) (*Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("node URL: want http, https, ws or wss://host[:port][/path]")
	}
	c := &Client{host: u.Host, chain: chainID}
	switch u.Scheme {
	case "http", "https":
		ws := *u
		ws.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
		c.ws = ws.String()
	case "ws", "wss":
		c.ws = rawURL
	default:
		return nil, fmt.Errorf("node %s: scheme %q: want http, https, ws or wss", u.Host, u.Scheme)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.rpc, err = rpc.DialContext(ctx, rawURL); err != nil {
		return nil, fmt.Errorf("node %s: not reachable: %w", c.host, plain(err))
	}
	if err := c.CheckChain(ctx); err != nil {
		c.rpc.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection and all that waits on it.
func (c *Client) Close() { c.rpc.Close() }

// Host names the node without what may be secret about it.
func (c *Client) Host() string { return c.host }

// CheckChain is ErrWrongChain when the node follows another chain by now.
func (c *Client) CheckChain(ctx context.Context) error {
	var id hexutil.Uint64
	if err := c.call(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != c.chain {
		return fmt.Errorf("node %s: %w: it follows chain %d, not %d", c.host, ErrWrongChain, uint64(id), c.chain)
	}
	return nil
}

// Version is what the node says it runs.
func (c *Client) Version(ctx context.Context) (software string, err error) {
	err = c.call(ctx, &software, "web3_clientVersion")
	return software, err
}

// Head is the newest block the node has executed.
func (c *Client) Head(ctx context.Context) (market.Block, error) {
	return c.block(ctx, "eth_getBlockByNumber", "latest")
}

// BlockByNumber is the block that is canonical at that height now.
func (c *Client) BlockByNumber(ctx context.Context, n uint64) (market.Block, error) {
	b, err := c.block(ctx, "eth_getBlockByNumber", hexutil.Uint64(n))
	if err == nil && b.Number != n {
		err = fmt.Errorf("node %s: asked for block %d, got %d", c.host, n, b.Number)
	}
	return b, err
}

func (c *Client) BlockByHash(ctx context.Context, h common.Hash) (market.Block, error) {
	b, err := c.block(ctx, "eth_getBlockByHash", h)
	if err == nil && b.Hash != h {
		err = fmt.Errorf("node %s: asked for block %s, got %s", c.host, h, b.Hash)
	}
	return b, err
}

func (c *Client) block(ctx context.Context, method string, which any) (market.Block, error) {
	var h *header
	if err := c.call(ctx, &h, method, which, false); err != nil {
		return market.Block{}, err
	}
	if h == nil {
		return market.Block{}, fmt.Errorf("node %s: %s %v: %w", c.host, method, which, ErrUnknownBlock)
	}
	return h.Block, nil
}

func (c *Client) call(ctx context.Context, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := c.rpc.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("node %s: %s: %w", c.host, method, plain(err))
	}
	return nil
}

// plain takes out of an error what may hold a key, the URL and whole bodies,
// and gives the many ways to say "unknown block" one name.
func plain(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var status rpc.HTTPError
	if errors.As(err, &status) {
		status.Body = nil
		return status
	}
	var answer rpc.Error
	if errors.As(err, &answer) {
		m := strings.ToLower(answer.Error())
		missing := strings.Contains(m, "not found") && (strings.Contains(m, "block") || strings.Contains(m, "header"))
		if (missing || strings.Contains(m, "unknown block")) && !strings.Contains(m, "revert") {
			return fmt.Errorf("%w: %w", ErrUnknownBlock, err)
		}
	}
	return err
}

// answered tells an error the node has given as its answer from one on the way.
func answered(err error) bool {
	var answer rpc.Error
	return errors.As(err, &answer) && !errors.Is(err, ErrUnknownBlock)
}

// limited tells an answer that refuses because of how much was asked before.
func limited(err error) bool {
	var answer rpc.Error
	const limitExceeded = -32005 // EIP-1474
	return errors.As(err, &answer) && (answer.ErrorCode() == limitExceeded || answer.ErrorCode() == http.StatusTooManyRequests)
}
