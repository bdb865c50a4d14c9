package indexer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/sync/errgroup"

	"braid/calldata"
	"braid/contracts"
	"braid/market"
	"braid/monad"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/kuru"
)

// swapCheck is one swap through one pool: what the snapshot quotes and what the chain
// pays.
type swapCheck struct {
	pool    venue.Pool
	in, out int
	amount  u256.Int

	quote venue.Quote
	err   error

	tx    calldata.Tx
	paid  hexutil.Bytes
	fault error
}

// takerAccount gets its balances and allowances by state override; payee never held
// anything.
var (
	takerAccount = common.HexToAddress("0x00000000000000000000000000000000007a4e12")
	payee        = common.HexToAddress("0x00000000000000000000000000000000007a4e13")
)

const ampleGas = 10_000_000

// quoteChecker compares quotes of a snapshot with swaps that our Router executes at
// the block of the snapshot.
type quoteChecker struct {
	client    *rpc.Client
	at        calldata.Contracts
	random    *rand.Rand
	ignoreGas bool // use ampleGas: check amounts only

	checks, swaps, paid, declined, short, mismatches int
}

func newQuoteChecker(t *testing.T, url string, seed uint64) *quoteChecker {
	t.Helper()
	client, err := rpc.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &quoteChecker{client: client, at: ours(), random: rand.New(rand.NewPCG(seed, 3))}
}

func ours() calldata.Contracts {
	router, executor := contracts.Addresses(monad.WrappedNative)
	return calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative}
}

// check tries several amounts in every direction of every pool. Where the snapshot
// quotes, the chain must pay that amount within the gas limit of the transaction;
// where the quote fails, the swap must fail.
func (a *quoteChecker) check(t *testing.T, s *market.Snapshot) {
	t.Helper()
	var deals []*swapCheck
	for _, p := range s.Pools() {
		n := len(p.Info().Tokens)
		for i := range n * n {
			if in, out := i/n, i%n; in != out {
				for _, amount := range a.amounts(p, in) {
					deals = append(deals, a.newSwapCheck(t, p, in, out, amount))
				}
			}
		}
	}
	a.execute(t, s.Block().Hash, deals)
	a.checks++
	for _, d := range deals {
		if a.agree(d) {
			continue
		}
		fault := d.fault
		if d.err == nil && fault != nil { // was it the gas?
			limit := d.tx.Gas
			d.tx.Gas = ampleGas
			if a.execute(t, s.Block().Hash, []*swapCheck{d}); a.same(d) {
				a.short++
				fault = fmt.Errorf("not with %d gas: %w", limit, fault)
			}
		}
		if a.mismatches++; a.mismatches <= 20 {
			i := d.pool.Info()
			t.Errorf("block %d: %s pool %s, %d to %d, amount %v: we say %v (%v), the chain %v (%v)",
				s.Block().Number, i.Source.ID, i.ID, d.in, d.out, d.amount, d.quote.Out, d.err, u256.FromBytes(d.paid), fault)
		}
	}
}

// agree counts a swap and tells whether quote and chain agree. An order book may
// refuse to quote a swap of very many fills that the chain would execute.
func (a *quoteChecker) agree(d *swapCheck) bool {
	a.swaps++
	switch {
	case d.tx.To == (common.Address{}):
		return false // no family owns the pool any more
	case d.err == nil && d.fault == nil:
		a.paid++
		return a.same(d)
	case d.err == venue.ErrTooLarge && d.fault == nil && d.pool.Info().Source.Family == kuru.Name:
		a.declined++
		return true
	}
	return d.err != nil && d.fault != nil
}

func (a *quoteChecker) same(d *swapCheck) bool {
	return d.fault == nil && u256.FromBytes(d.paid) == d.quote.Out
}

// amounts are from a few raw units to beyond the pool's depth.
func (a *quoteChecker) amounts(p venue.Pool, in int) []u256.Int {
	r := a.random
	depth := p.Depth(in)
	if depth < 1 {
		depth = 1e18
	}
	part := func(most float64) u256.Int { return u256.FromFloat(most * r.Float64()).Add(u256.One) }
	list := []u256.Int{part(depth / 10), part(depth * math.Exp2(-4-float64(r.IntN(24))))}
	switch r.IntN(8) {
	case 0, 1:
		list = append(list, part(depth*4))
	case 2:
		list = append(list, u256.From(1+r.Uint64N(1000)))
	case 3:
		list = append(list, u256.One.Lsh(uint(r.IntN(255))).Add(u256.From(r.Uint64N(3))).Sub(u256.One))
	}
	return slices.DeleteFunc(list, u256.Int.IsZero)
}

// newSwapCheck quotes a swap and encodes its transaction, which must fail if the
// quote does.
func (a *quoteChecker) newSwapCheck(t *testing.T, p venue.Pool, in, out int, amount u256.Int) *swapCheck {
	t.Helper()
	d := &swapCheck{pool: p, in: in, out: out, amount: amount}
	if p.Call(in, out).Kind == 0 {
		return d
	}
	d.quote, d.err = p.Quote(in, out, amount)
	tokens := p.Info().Tokens
	swap := plan.Plan{TokenIn: tokens[in], TokenOut: tokens[out], AmountIn: amount, Gas: d.quote.Gas,
		Steps: []plan.Step{{Pool: p, In: in, Out: out, AmountIn: amount}}}
	var err error
	d.tx, err = a.at.Encode(&swap, calldata.Terms{
		Recipient: payee, MinOut: u256.One, Deadline: math.MaxUint64,
		NativeIn: swap.TokenIn == monad.WrappedNative && a.random.IntN(2) == 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.err != nil || a.ignoreGas {
		d.tx.Gas = ampleGas
	}
	return d
}

// execute calls the Router for each swap, two batches at a time.
func (a *quoteChecker) execute(t *testing.T, block common.Hash, deals []*swapCheck) {
	t.Helper()
	var g errgroup.Group
	g.SetLimit(2)
	for batch := range slices.Chunk(deals, 50) {
		g.Go(func() error {
			calls := make([]rpc.BatchElem, len(batch))
			for i, d := range batch {
				calls[i] = rpc.BatchElem{Method: "eth_call", Result: &d.paid, Args: []any{
					map[string]any{
						"from": takerAccount, "to": d.tx.To, "data": hexutil.Bytes(d.tx.Data),
						"value": (*hexutil.Big)(d.tx.Value.Big()), "gas": hexutil.Uint64(d.tx.Gas),
					},
					map[string]any{"blockHash": block}, a.fundedState(d),
				}}
			}
			err := a.client.BatchCallContext(t.Context(), calls)
			if err != nil { // an idle connection was closed, or the machine is too busy
				err = a.client.BatchCallContext(t.Context(), calls)
			}
			if err != nil {
				return err
			}
			for i, d := range batch {
				if d.fault = calls[i].Error; d.fault != nil && !refused(d.fault) {
					return d.fault
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// refused tells whether the contract failed, as opposed to the node.
func refused(err error) bool {
	var reverted rpc.DataError
	return errors.As(err, &reverted) || strings.Contains(err.Error(), "out of gas")
}

// fundedState is a state override in which the taker has 2^254 of what it pays with,
// native or a token that the Router may transfer, and in which all wrapped native
// can be unwrapped.
func (a *quoteChecker) fundedState(d *swapCheck) map[common.Address]any {
	fortune := u256.One.Lsh(254)
	native := map[string]any{"balance": (*hexutil.Big)(fortune.Big())}
	accounts := map[common.Address]any{takerAccount: native, monad.WrappedNative: native}
	token := d.pool.Info().Tokens[d.in]
	if !d.tx.Value.IsZero() {
		return accounts
	}
	balances, allowances := uint64(0), uint64(1) // slots of our own token
	if token == monad.WrappedNative {
		balances, allowances = 3, 4
	}
	entry := func(key common.Address, slot common.Hash) common.Hash {
		return crypto.Keccak256Hash(common.LeftPadBytes(key[:], 32), slot[:])
	}
	word := func(n u256.Int) common.Hash { return n.Bytes() }
	slots := map[common.Hash]common.Hash{
		entry(takerAccount, word(u256.From(balances))):                       word(fortune),
		entry(a.at.Router, entry(takerAccount, word(u256.From(allowances)))): word(u256.Max),
	}
	if token == monad.WrappedNative {
		accounts[token] = map[string]any{"balance": native["balance"], "stateDiff": slots}
	} else {
		accounts[token] = map[string]any{"stateDiff": slots}
	}
	return accounts
}

// String is a summary in one line.
func (a *quoteChecker) String() string {
	return fmt.Sprintf("audits=%d checks=%d paid=%d declined=%d short=%d mismatches=%d", a.checks, a.swaps, a.paid, a.declined, a.short, a.mismatches)
}
