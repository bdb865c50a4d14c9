// Package devchain is a local chain with ID 143 and real venues on it, for the demo and the tests.
//
// It is go-ethereum in this process, in memory. Contracts and tokens have the
// addresses of mainnet, so that one file of deployments serves both chains. Pools
// are created and filled by transactions, so that an indexer finds them by logs.
// The chain up to there, block hashes included, is a function of the seed.
package devchain

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/params"

	"braid/venue"
)

// DevKey is the first of the well-known test keys of Foundry and Hardhat, and
// DevAccount its account, which holds native currency and every listed token and
// has sent no transaction.
var (
	DevKey     = mustKey("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
	DevAccount = crypto.PubkeyToAddress(DevKey.PublicKey)
)

// deployer is the account that sets up the venues and, with Activity, trades. It is
// not contracts.Deployer, the CREATE2 proxy that it calls.
var (
	deployerKey = mustKey(fmt.Sprintf("%x", crypto.Keccak256([]byte("braid founder"))))
	deployer    = crypto.PubkeyToAddress(deployerKey.PublicKey)
)

// Config describes the chain to start.
type Config struct {
	RPCAddr   string // host:port of HTTP and WebSocket; port 0 takes a free one
	Artifacts string // directory of the venues' compiled contracts
	Seed      uint64 // decides which sources list a pair, how deep, and at which price
	Sources   []venue.Source
	Families  []venue.Family // those that implement venue.Stager set their venues up
	Heartbeat time.Duration  // between blocks without transactions; 0: there are none
	Activity  bool           // trade in the background: small trades, and arbitrage

	Log      *slog.Logger      // may be nil
	Progress func(step string) // called as the start proceeds; may be nil
}

// Chain is a running chain. It ends with Close.
type Chain struct {
	stack *node.Node
	eth   *eth.Ethereum
	log   *slog.Logger

	mu       sync.Mutex // held while a block is built
	live     bool       // block times follow the wall clock
	branches byte       // number of reorgs, which makes the blocks of a branch unique
	syncing  sync.Mutex // held while waiting for the transaction pool

	stop context.CancelFunc
	done sync.WaitGroup
}

// Start sets up the venues and returns when the chain takes transactions. The
// context limits the start only; Close ends the chain.
func Start(ctx context.Context, c Config) (*Chain, error) {
	chain, err := start(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("devchain: %w", err)
	}
	return chain, nil
}

func start(ctx context.Context, c Config) (*Chain, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	listings := listings(c.Sources, c.Seed)
	c.Progress("placing contracts and tokens at their mainnet addresses")
	site, err := newSite(c.Artifacts)
	if err != nil {
		return nil, err
	}
	var stagers []venue.Stager
	for _, f := range c.Families {
		if s, ok := f.(venue.Stager); ok {
			stagers = append(stagers, s)
			if err := s.Etch(site); err != nil {
				return nil, err
			}
		}
	}
	stack, backend, err := startNode(c.RPCAddr, site.alloc)
	if err != nil {
		return nil, err
	}
	chain := &Chain{stack: stack, eth: backend, log: c.Log, stop: func() {}}
	site.ctx, site.chain = ctx, chain
	c.Progress(fmt.Sprintf("opening %d pools", len(listings)))
	if err := site.stage(stagers, listings); err != nil {
		chain.Close()
		return nil, err
	}
	chain.run(c)
	return chain, nil
}

// run starts the goroutines that produce blocks and, with Activity, trade.
func (c *Chain) run(config Config) {
	ctx, stop := context.WithCancel(context.Background())
	c.stop, c.live = stop, true
	c.done.Go(func() { c.produce(ctx, config.Heartbeat) })
	if config.Activity {
		t := newTrader(c, config.Families, config.Seed)
		c.done.Go(func() { t.run(ctx) })
	}
}

// Close ends the chain and waits for its goroutines.
func (c *Chain) Close() error {
	c.stop()
	c.done.Wait()
	return c.stack.Close()
}

// URL is the address of the chain's JSON-RPC over HTTP.
func (c *Chain) URL() string { return c.stack.HTTPEndpoint() }

// WebSocketURL is the address of the chain's JSON-RPC over WebSocket.
func (c *Chain) WebSocketURL() string { return "ws" + strings.TrimPrefix(c.URL(), "http") }

// Head is the header of the newest block.
func (c *Chain) Head() *types.Header { return c.eth.BlockChain().CurrentBlock() }

// Sign signs a transaction with a fee cap (1,000 gwei) that the base fee does not
// reach.
func Sign(key *ecdsa.PrivateKey, nonce uint64, tx venue.Tx) *types.Transaction {
	signed := types.MustSignNewTx(key, signer, &types.DynamicFeeTx{
		ChainID: signer.ChainID(), Nonce: nonce, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(1000 * params.GWei),
		Gas: tx.Gas, To: &tx.To, Value: tx.Value.Big(), Data: tx.Data,
	})
	types.Sender(signedBy{signer, crypto.PubkeyToAddress(key.PublicKey)}, signed)
	return signed
}

var signer = types.LatestSigner(rules)

// signedBy knows the sender of a transaction without recovering it from the
// signature. types.Sender keeps with the transaction what it was told once, so
// a block of our own transactions is made in half the time.
type signedBy struct {
	types.Signer
	sender common.Address
}

func (s signedBy) Sender(*types.Transaction) (common.Address, error) { return s.sender, nil }
func (s signedBy) Equal(other types.Signer) bool                     { return s.Signer.Equal(other) }

func mustKey(hex string) *ecdsa.PrivateKey {
	key, err := crypto.HexToECDSA(hex)
	if err != nil {
		panic(err)
	}
	return key
}

func ether(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(params.Ether)) }
