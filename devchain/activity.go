package devchain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/calldata"
	"braid/contracts"
	"braid/monad"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

const approveGas = 100_000

// trader makes small swaps so that a demo is alive. It hears of the pools by
// their logs, asks for what those do not tell, and trades through our own
// Router, so it knows no venue by name.
type trader struct {
	chain    *Chain
	node     *ethclient.Client
	families []venue.Family
	random   *rand.Rand
	at       calldata.Contracts

	// What was heard, up to a block.
	next     uint64      // the block to hear next
	last     common.Hash // the one before it
	places   map[venue.ID]*place
	trading  [][]*place              // by family
	approved map[common.Address]bool // tokens the Router may pull
}

// place is a pool of a family, and the prices it opened with: of its first
// token in each, none before it trades.
type place struct {
	family int
	pool   venue.Pool
	opened []float64
}

func newTrader(chain *Chain, families []venue.Family, seed uint64) *trader {
	router, executor := contracts.Addresses(monad.WrappedNative)
	return &trader{
		chain: chain, node: ethclient.NewClient(chain.stack.Attach()),
		families: families, random: rand.New(rand.NewPCG(seed, 1)),
		at: calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative},
	}
}

// run trades about once a second.
func (t *trader) run(ctx context.Context) {
	defer t.node.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500*time.Millisecond + time.Duration(t.random.Int64N(int64(time.Second)))):
		}
		t.listen(ctx)
		if err := t.trade(ctx); err != nil && ctx.Err() == nil {
			t.chain.log.Warn("background trade not made", "err", err)
		}
	}
}

// listen brings the pools up to the head; from the start, if the chain has
// turned away from what was heard. What a family cannot read is not traded on.
func (t *trader) listen(ctx context.Context) {
	chain := t.chain.eth.BlockChain()
	if t.next == 0 || chain.GetCanonicalHash(t.next-1) != t.last {
		t.next, t.places, t.trading = 0, map[venue.ID]*place{}, make([][]*place, len(t.families))
		t.approved = map[common.Address]bool{}
	}
	var changed []*place
	for ; t.next <= t.chain.Head().Number.Uint64(); t.next++ {
		t.last = chain.GetCanonicalHash(t.next)
		for _, r := range chain.GetReceiptsByHash(t.last) {
			for _, log := range r.Logs {
				if p := t.hear(log); p != nil && !slices.Contains(changed, p) {
					changed = append(changed, p)
				}
			}
		}
	}
	for _, p := range changed {
		t.load(ctx, p)
		if p.opened == nil && p.open() {
			t.trading[p.family] = append(t.trading[p.family], p)
		}
	}
}

// hear is the place that a log changed; nil if there is none.
func (t *trader) hear(log *types.Log) *place {
	for i, family := range t.families {
		event, err := family.Decode(log)
		if err != nil || event == nil {
			continue
		}
		p := t.places[event.Pool()]
		if p == nil {
			p = &place{family: i}
		}
		if pool, err := family.Apply(p.pool, event); err == nil {
			p.pool = pool
			t.places[event.Pool()] = p
			return p
		}
	}
	return nil
}

// load asks the chain for what the logs do not tell of a pool.
func (t *trader) load(ctx context.Context, p *place) {
	loader, ok := t.families[p.family].(venue.Loader)
	if !ok {
		return
	}
	wants := loader.Wants(p.pool)
	answers := make([][]byte, len(wants))
	for i, want := range wants {
		if answer, err := t.node.CallContractAtHash(ctx, ethereum.CallMsg{To: &want.To, Data: want.Data}, t.last); err == nil {
			answers[i] = answer
		}
	}
	if len(wants) == 0 {
		return
	}
	if pool, err := loader.Load(p.pool, answers); err == nil {
		p.pool = pool
	}
}

// open notes the first prices, if the pool has any.
func (p *place) open() bool {
	prices := []float64{1}
	for i := range p.pool.Info().Tokens[1:] {
		price := mid(p.pool, 0, i+1)
		if price == 0 {
			return false
		}
		prices = append(prices, price)
	}
	p.opened = prices
	return true
}

// trade swaps up to a fifth of a percent of a random pool of a random family,
// three times out of four in the direction that brings its price back to where
// it opened. A pool that cannot take it is left alone.
func (t *trader) trade(ctx context.Context) error {
	places := t.trading[t.random.IntN(len(t.trading))]
	if len(places) == 0 {
		return nil
	}
	p := places[t.random.IntN(len(places))]
	pool, tokens := p.pool, p.pool.Info().Tokens
	in := t.random.IntN(len(tokens))
	out := (in + 1 + t.random.IntN(len(tokens)-1)) % len(tokens)
	dear := mid(pool, in, out) > p.opened[out]/p.opened[in]
	if back := t.random.IntN(4) > 0; dear != back {
		in, out = out, in
	}
	part := u256.From(1 + t.random.Uint64N(20))
	amount := func() u256.Int { return u256.FromFloat(pool.Depth(in)).Mul(part).Div(u256.From(10_000)) }
	held, err := t.balance(ctx, tokens[in])
	if err != nil {
		return err
	}
	if held.Lt(amount()) {
		in, out = out, in
	}
	swap, err := plan.Run(tokens[in], tokens[out], amount(), []plan.Step{{Pool: pool, In: in, Out: out}})
	if errors.Is(err, venue.ErrEmpty) || errors.Is(err, venue.ErrTooSmall) || errors.Is(err, venue.ErrTooLarge) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pool %s: %w", pool.Info().ID, err)
	}
	tx, err := t.at.Encode(&swap, calldata.Terms{
		Recipient: founder, MinOut: swap.AmountOut, Deadline: max(t.chain.Head().Time, uint64(time.Now().Unix())) + 600,
	})
	if err != nil {
		return fmt.Errorf("pool %s: %w", pool.Info().ID, err)
	}
	return t.send(tokens[in], venue.Tx{To: tx.To, Data: tx.Data, Gas: tx.Gas})
}

// balance is what the founder holds of a token: of a launched one, only what
// it bought.
func (t *trader) balance(ctx context.Context, token common.Address) (u256.Int, error) {
	data, err := contracts.Token.ABI.Pack("balanceOf", founder)
	if err != nil {
		return u256.Zero, err
	}
	answer, err := t.node.CallContractAtHash(ctx, ethereum.CallMsg{To: &token, Data: data}, t.last)
	return u256.FromBytes(answer), err
}

// send hands the swap to the pool of transactions, after an approval if it is
// the first of its token.
func (t *trader) send(token common.Address, swap venue.Tx) error {
	txs := []venue.Tx{swap}
	if !t.approved[token] {
		data, err := contracts.Token.ABI.Pack("approve", t.at.Router, u256.Max.Big())
		if err != nil {
			return err
		}
		txs = []venue.Tx{{To: token, Data: data, Gas: approveGas}, swap}
		t.approved[token] = true
	}
	pool := t.chain.eth.TxPool()
	if err := t.chain.sync(); err != nil { // with the head, or it repeats a nonce
		return err
	}
	nonce := pool.Nonce(founder)
	for i, tx := range txs {
		if err := pool.Add([]*types.Transaction{Sign(founderKey, nonce+uint64(i), tx)}, true)[0]; err != nil {
			return err
		}
	}
	return nil
}

// mid is the price of one token of a pool in another, free of fees; 0 when
// they do not trade both ways.
func mid(p venue.Pool, in, out int) float64 {
	there, back := p.Spot(in, out), p.Spot(out, in)
	if there == 0 || back == 0 {
		return 0
	}
	return math.Sqrt(there / back)
}
