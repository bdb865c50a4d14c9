package devchain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/calldata"
	"braid/contracts"
	"braid/monad"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

const tradeGas = 500_000

// trader makes small swaps so that a demo is alive. It hears of the pools by
// their logs and trades through our own Router, so it knows no venue by name.
type trader struct {
	chain    *Chain
	families []venue.Family
	random   *rand.Rand
	at       calldata.Contracts

	// What was heard, up to a block.
	next     uint64      // the block to hear next
	last     common.Hash // the one before it
	pools    map[venue.ID]venue.Pool
	ids      []venue.ID              // of pools that trade
	opened   map[venue.ID]float64    // the first price of each
	approved map[common.Address]bool // tokens the Router may pull
}

func newTrader(chain *Chain, families []venue.Family, seed uint64) *trader {
	router, executor := contracts.Addresses(monad.WrappedNative)
	return &trader{
		chain: chain, families: families, random: rand.New(rand.NewPCG(seed, 1)),
		at: calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative},
	}
}

// run trades about once a second.
func (t *trader) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500*time.Millisecond + time.Duration(t.random.Int64N(int64(time.Second)))):
		}
		t.listen()
		if err := t.trade(); err != nil {
			t.chain.log.Warn("background trade not made", "err", err)
		}
	}
}

// listen brings the pools up to the head; from the start, if the chain has
// turned away from what was heard. What a family cannot read is not traded on.
func (t *trader) listen() {
	chain := t.chain.eth.BlockChain()
	if t.next == 0 || chain.GetCanonicalHash(t.next-1) != t.last {
		t.next, t.ids, t.approved = 0, nil, map[common.Address]bool{}
		t.pools, t.opened = map[venue.ID]venue.Pool{}, map[venue.ID]float64{}
	}
	for ; t.next <= t.chain.Head().Number.Uint64(); t.next++ {
		t.last = chain.GetCanonicalHash(t.next)
		for _, r := range chain.GetReceiptsByHash(t.last) {
			for _, log := range r.Logs {
				t.hear(log)
			}
		}
	}
}

func (t *trader) hear(log *types.Log) {
	for _, family := range t.families {
		event, err := family.Decode(log)
		if err != nil || event == nil {
			continue
		}
		id := event.Pool()
		pool, err := family.Apply(t.pools[id], event)
		if err != nil {
			continue
		}
		t.pools[id] = pool
		if _, known := t.opened[id]; !known && mid(pool) > 0 {
			t.ids = append(t.ids, id)
			t.opened[id] = mid(pool)
		}
	}
}

// trade swaps up to a fifth of a percent of a random pool, three times out of
// four in the direction that brings its price back to where it opened.
func (t *trader) trade() error {
	if len(t.ids) == 0 {
		return nil
	}
	id := t.ids[t.random.IntN(len(t.ids))]
	pool := t.pools[id]
	in, out := 0, 1
	dear := mid(pool) > t.opened[id]
	if back := t.random.IntN(4) > 0; dear != back {
		in, out = out, in
	}
	amount := u256.FromFloat(pool.Depth(in)).Mul(u256.From(1 + t.random.Uint64N(20))).Div(u256.From(10_000))
	tokens := pool.Info().Tokens
	swap, err := plan.Run(tokens[in], tokens[out], amount, []plan.Step{{Pool: pool, In: in, Out: out}})
	if err != nil {
		return fmt.Errorf("pool %s: %w", id, err)
	}
	tx, err := t.at.Encode(&swap, calldata.Terms{
		Recipient: founder, MinOut: swap.AmountOut, Deadline: max(t.chain.Head().Time, uint64(time.Now().Unix())) + 600,
	})
	if err != nil {
		return fmt.Errorf("pool %s: %w", id, err)
	}
	return t.send(tokens[in], venue.Tx{To: tx.To, Data: tx.Data, Gas: tradeGas})
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
		txs = []venue.Tx{{To: token, Data: data, Gas: 100_000}, swap}
		t.approved[token] = true
	}
	pool := t.chain.eth.TxPool()
	nonce := pool.Nonce(founder)
	for i, tx := range txs {
		if err := pool.Add([]*types.Transaction{Sign(founderKey, nonce+uint64(i), tx)}, true)[0]; err != nil {
			return err
		}
	}
	return nil
}

// mid is the price of a pool's first token in its second, free of fees; 0 when
// it does not trade.
func mid(p venue.Pool) float64 {
	there, back := p.Spot(0, 1), p.Spot(1, 0)
	if there == 0 || back == 0 {
		return 0
	}
	return math.Sqrt(there / back)
}
