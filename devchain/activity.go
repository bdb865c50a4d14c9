package devchain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/calldata"
	"braid/contracts"
	"braid/monad"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// approveGas is the gas limit of approvals and transfers.
const approveGas = 100_000

// trader makes small swaps, so that prices move, and arbitrage swaps, which bring
// prices back that large swaps have moved. It trades through the Router on the
// pools of its follower, so it needs no code for any venue.
type trader struct {
	follower
	random *rand.Rand
	at     calldata.Contracts

	// Balances in raw units at the follower's block, less what was sent since.
	held     map[common.Address]u256.Int
	approved map[common.Address]bool // tokens that the Router may spend
}

// order is a swap of an amount in raw units through one pool. in and out are
// positions in the pool's tokens.
type order struct {
	*tracked
	in, out int
	amount  u256.Int
}

func newTrader(chain *Chain, families []venue.Family, seed uint64) *trader {
	router, executor := contracts.Addresses(monad.WrappedNative)
	return &trader{
		follower: newFollower(chain, families), random: rand.New(rand.NewPCG(seed, 1)),
		at:       calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative},
		approved: map[common.Address]bool{},
	}
}

// run trades about once a second.
func (t *trader) run(ctx context.Context) {
	defer t.node.Close()
	for {
		if err := t.trade(ctx); err != nil && ctx.Err() == nil {
			t.chain.log.Warn("background trade failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(500*time.Millisecond + time.Duration(t.random.Int64N(int64(time.Second)))):
		}
	}
}

// trade follows the chain to its head and sends, for one block, the arbitrage swaps
// and one small swap on a pool that those do not use. A swap that fails does not
// keep the others from being sent.
func (t *trader) trade(ctx context.Context) error {
	if err := t.chain.sync(); err != nil { // or a nonce that was used already would be taken
		return err
	}
	mined, err := t.node.NonceAt(ctx, deployer, nil)
	nonce := t.chain.eth.TxPool().Nonce(deployer)
	if err != nil || nonce > mined {
		return err // what was sent before is not in a block yet
	}
	if t.follow(ctx) {
		t.approved = map[common.Address]bool{}
	}
	t.held = map[common.Address]u256.Int{}
	orders := t.arbitrage()
	if o, ok := t.small(); ok && !slices.ContainsFunc(orders, func(p order) bool { return p.tracked == o.tracked }) {
		orders = append(orders, o)
	}
	var faults []error
	var signed []*types.Transaction
	for _, o := range orders {
		txs, err := t.swap(ctx, o)
		faults = append(faults, err)
		for _, tx := range txs {
			signed = append(signed, Sign(deployerKey, nonce+uint64(len(signed)), tx))
		}
	}
	if err := errors.Join(t.chain.eth.TxPool().Add(signed, true)...); err != nil {
		t.approved = map[common.Address]bool{} // an approval may be among what was refused
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// small is a swap of up to 0.2 % of the depth of a random pool of a random family.
// Three of four go in the direction that brings the price back to the opening.
func (t *trader) small() (o order, ok bool) {
	pools := t.trading[t.random.IntN(len(t.trading))]
	if len(pools) == 0 {
		return o, false
	}
	p := pools[t.random.IntN(len(pools))]
	n := len(p.pool.Info().Tokens)
	o = order{tracked: p, in: t.random.IntN(n)}
	o.out = (o.in + 1 + t.random.IntN(n-1)) % n
	paysMore := p.excess(o.in, o.out) > p.excess(o.out, o.in)
	if back := t.random.IntN(4) > 0; paysMore != back {
		o.in, o.out = o.out, o.in
	}
	part := u256.From(1 + t.random.Uint64N(20))
	o.amount = u256.FromFloat(p.pool.Depth(o.in)).Mul(part).Div(u256.From(10_000))
	return o, true
}

// swap is the transactions that carry out an order, with as much as the
// deployer holds. They are none where the deployer holds nothing or the pool
// cannot take it.
func (t *trader) swap(ctx context.Context, o order) ([]venue.Tx, error) {
	tokens := o.pool.Info().Tokens
	held, err := t.balance(ctx, tokens[o.in])
	if err != nil {
		return nil, err
	}
	amount := u256.Min(o.amount, held)
	swap, err := plan.Run(tokens[o.in], tokens[o.out], amount, []plan.Step{{Pool: o.pool, In: o.in, Out: o.out}})
	if amount.IsZero() || errors.Is(err, venue.ErrEmpty) || errors.Is(err, venue.ErrTooSmall) || errors.Is(err, venue.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pool %s: %w", o.pool.Info().ID, err)
	}
	tx, err := t.at.Encode(&swap, calldata.Terms{
		Recipient: deployer, MinOut: swap.AmountOut, Deadline: max(t.chain.Head().Time, uint64(time.Now().Unix())) + 600,
	})
	if err != nil {
		return nil, fmt.Errorf("pool %s: %w", o.pool.Info().ID, err)
	}
	txs := []venue.Tx{{To: tx.To, Data: tx.Data, Gas: tx.Gas}}
	if !t.approved[tokens[o.in]] {
		data, err := contracts.Token.ABI.Pack("approve", t.at.Router, u256.Max.Big())
		if err != nil {
			return nil, err
		}
		txs = slices.Insert(txs, 0, venue.Tx{To: tokens[o.in], Data: data, Gas: approveGas})
	}
	t.approved[tokens[o.in]], t.held[tokens[o.in]] = true, held.Sub(amount)
	return txs, nil
}

// balance is what the deployer holds of a token: of a launched one, only what
// it bought.
func (t *trader) balance(ctx context.Context, token common.Address) (u256.Int, error) {
	if held, ok := t.held[token]; ok {
		return held, nil
	}
	data, err := contracts.Token.ABI.Pack("balanceOf", deployer)
	if err != nil {
		return u256.Zero, err
	}
	answer, err := t.node.CallContractAtHash(ctx, ethereum.CallMsg{To: &token, Data: data}, t.last)
	if err != nil {
		return u256.Zero, fmt.Errorf("balance of %s: %w", token, err)
	}
	t.held[token] = u256.FromBytes(answer)
	return t.held[token], nil
}
