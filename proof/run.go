package proof

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/u256"
	"braid/venue"
)

const (
	legGas      = 120_000 // of a leg beside the Router's call: approval and balances
	requestGas  = 300_000 // of a request beside its trips: its own data
	maxTripGas  = 3_000_000
	minGas      = 500_000 // below that a node's limit is not asked for
	concurrency = 4       // requests at a time
)

// sender is who signs nothing: any account without code will do.
var sender = common.HexToAddress("0x00000000000000000000000000000000005e2de2")

// outcomes are those of the legs of a trip that was run.
type outcomes struct {
	exhausted bool // it used up all the gas it was given
	list      []outcome
}

// outcome is what one swap by the Router did.
type outcome struct {
	ok    bool
	taken u256.Int // of the input token; not told where that is native currency
	paid  u256.Int // of the output token
	gas   uint64
}

// exactUpTo tells whether the first n legs paid what they were to pay.
func (o *outcomes) exactUpTo(r *trip, n int) bool {
	for i := range n {
		if o.exhausted || !o.list[i].ok || o.list[i].paid != r.legs[i].AmountOut {
			return false
		}
	}
	return !o.exhausted
}

// Arguments of Trial.run.
type (
	legArgs struct {
		TokenIn, TokenOut common.Address
		Value             *big.Int
		Data              []byte
	}
	tripArgs struct {
		Gas  *big.Int
		Legs []legArgs
	}
)

// run makes trips, in as few requests as their gas allows. What did not run, because
// the gas of a request was used up before, goes into another; a trip that ran out of
// gas is made again with all there is. It ends with the first error.
func (t *trial) run(ctx context.Context, trips []*trip) error {
	if err := t.runBatches(ctx, t.batches(trips)); err != nil {
		return err
	}
	for round := 0; ; round++ {
		var again [][]*trip
		for _, r := range trips {
			if r.outcome == nil || r.outcome.exhausted && round == 0 {
				r.outcome = nil
				again = append(again, []*trip{r})
			}
		}
		if len(again) == 0 || round > 4 {
			return nil
		}
		if err := t.runBatches(ctx, again); err != nil {
			return err
		}
	}
}

// batches divides trips by the gas that they are expected to use. Trips that need
// storage of their own are alone.
func (t *trial) batches(trips []*trip) (list [][]*trip) {
	var batch []*trip
	used := uint64(0)
	flush := func() {
		if len(batch) > 0 {
			list = append(list, batch)
		}
		batch, used = nil, 0
	}
	for _, r := range trips {
		need := t.expectedGas(r)
		if used+need+need/2+requestGas > t.gasLimit() || r.holds != nil {
			flush()
		}
		batch, used = append(batch, r), used+need
		if r.holds != nil {
			flush()
		}
	}
	flush()
	return list
}

// gasLimit is the gas of a request.
func (p *Prover) gasLimit() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gas
}

// expectedGas is that of a trip by the gas limits of its swaps.
func (t *trial) expectedGas(r *trip) (gas uint64) {
	for i := range r.legs {
		l := &r.legs[i]
		if tx, err := t.contracts.Encode(l.Plan, calldata.Terms{Recipient: sender, MinOut: u256.One, Deadline: 1 << 40, NativeIn: l.native}); err == nil {
			l.limit = tx.Gas
		}
		gas += l.limit + legGas
	}
	return gas
}

// runBatches makes the requests, several at a time.
func (t *trial) runBatches(ctx context.Context, batches [][]*trip) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(concurrency)
	for _, batch := range batches {
		g.Go(func() error { return t.runBatch(ctx, batch) })
	}
	return g.Wait()
}

// runBatch makes one request. If the node refuses it, a smaller one may do: its
// limit of gas or of bytes is not known.
func (t *trial) runBatch(ctx context.Context, batch []*trip) error {
	err := t.request(ctx, batch)
	if !chain.IsRefusal(err) {
		return err
	}
	if len(batch) > 1 {
		half := len(batch) / 2
		if err := t.runBatch(ctx, batch[:half]); err != nil {
			return err
		}
		return t.runBatch(ctx, batch[half:])
	}
	t.mu.Lock()
	lower := t.gas / 2
	if lower >= minGas {
		t.gas = lower
	}
	t.mu.Unlock()
	if lower < minGas {
		return fmt.Errorf("the node refuses trials: %w", err)
	}
	return t.runBatch(ctx, batch)
}

// request makes the trips of a batch by one eth_call of a trader that never was.
func (t *trial) request(ctx context.Context, batch []*trip) error {
	var trader common.Address
	rand.Read(trader[:])
	gas := t.gasLimit()
	accounts := map[common.Address]chain.Account{
		sender: {Balance: u256.One.Lsh(100)},
		trader: {Balance: u256.One.Lsh(120), Code: contracts.Trial.Code},
	}
	for at, a := range t.code {
		accounts[at] = a
	}
	args := make([]tripArgs, len(batch))
	for i, r := range batch {
		most := gas - requestGas
		if len(batch) > 1 {
			most = min(most, max(2*t.expectedGas(r), maxTripGas))
		}
		args[i] = tripArgs{Gas: new(big.Int).SetUint64(most * 15 / 16)}
		for k := range r.legs {
			l := &r.legs[k]
			tx, err := t.contracts.Encode(l.Plan, calldata.Terms{Recipient: trader, MinOut: u256.One, Deadline: 1 << 40, NativeIn: l.native})
			if err != nil {
				return err
			}
			l.limit = tx.Gas
			args[i].Legs = append(args[i].Legs, legArgs{l.TokenIn, l.TokenOut, tx.Value.Big(), tx.Data})
		}
		if r.holds != nil {
			accounts[r.legs[0].TokenIn] = chain.Account{Storage: r.holds(trader)}
		}
	}
	data, err := contracts.Trial.ABI.Pack("run", t.contracts.Router, args)
	if err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	answer, err := t.execute(ctx, t.snapshot.Block().Hash, chain.Execution{
		From: sender, To: trader, Data: data, Gas: gas, GasPrice: t.gasPrice, Accounts: accounts,
	})
	if err != nil {
		return err
	}
	return decode(answer, batch)
}

// decode gives the trips of a batch their outcomes.
func decode(answer []byte, batch []*trip) error {
	out, err := contracts.Trial.ABI.Unpack("run", answer)
	if err != nil {
		return fmt.Errorf("proof: answer of %d bytes: %w", len(answer), err)
	}
	results, ok := out[0].([][]byte)
	if !ok || len(results) != len(batch) {
		return fmt.Errorf("proof: answer has %d results, want %d", len(results), len(batch))
	}
	for i, data := range results {
		switch {
		case len(data) == 1: // not run
		case len(data) == 0:
			batch[i].outcome = &outcomes{exhausted: true}
		default:
			o, err := decodeOutcomes(data, len(batch[i].legs))
			if err != nil {
				return err
			}
			batch[i].outcome = o
		}
	}
	return nil
}

// decodeOutcomes reads the ABI encoding of an array of n outcomes.
func decodeOutcomes(data []byte, n int) (*outcomes, error) {
	w := venue.NewWords(data)
	if w.Len() != 2+4*n || w.Uint64(1) != uint64(n) {
		return nil, fmt.Errorf("proof: result of %d bytes for %d swaps", len(data), n)
	}
	o := &outcomes{list: make([]outcome, n)}
	for i := range o.list {
		at := 2 + 4*i
		o.list[i] = outcome{ok: w.Uint64(at) == 1, taken: w.Number(at + 1), paid: w.Number(at + 2), gas: w.Uint64(at + 3)}
	}
	return o, nil
}
