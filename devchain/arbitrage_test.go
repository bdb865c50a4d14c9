package devchain_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/plan"
	"braid/router"
	"braid/u256"
	"braid/venue"
)

// TestArbitrage moves the price of WMON in USDC with one large swap through the
// Router. With Activity all pools of that swap are restored within a minute of
// chain time: no curve's spot price differs from the opening by more than 30 bps,
// and no order book pays more than before. Filled orders stay filled.
func TestArbitrage(t *testing.T) {
	c := config()
	c.Families = families.Of(c.Sources, monad.WrappedNative)
	c.Activity, c.Heartbeat = true, time.Second
	local, _ := start(t, c)
	head := follow(t, local, c.Families)
	before := head(local.Head().Number.Uint64())
	swap := push(t, local, before, 80_000_000)
	if swap.ImpactBps() < 1000 {
		t.Fatalf("the swap has an impact of %d bps only", swap.ImpactBps())
	}
	pushed := local.Head()
	worst := 0.0
	for local.Head().Time < pushed.Time+60 {
		now := head(local.Head().Number.Uint64())
		worst = 0
		for i := range swap.Steps {
			worst = max(worst, movedBps(before, now, &swap.Steps[i]))
		}
		if worst < 30 {
			t.Logf("%d steps, impact %d bps: restored after %d s", len(swap.Steps), swap.ImpactBps(), now.Block().Time-pushed.Time)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("after a minute the price of a pool is still %.0f bps away", worst)
}

// movedBps is by how much the price of a step's pool has moved, in basis points.
func movedBps(before, now *market.Snapshot, step *plan.Step) float64 {
	id := step.Pool.Info().ID
	was, _ := before.Pool(id)
	is, _ := now.Pool(id)
	there := is.Spot(step.In, step.Out)/was.Spot(step.In, step.Out) - 1
	back := is.Spot(step.Out, step.In)/was.Spot(step.Out, step.In) - 1
	if step.Pool.Info().Source.Type == venue.CLOB {
		return 1e4 * max(there, back)
	}
	return 1e4 * max(math.Abs(there), math.Abs(back))
}

// follow gives the market at or after a block.
func follow(t *testing.T, local *devchain.Chain, families []venue.Family) (head func(block uint64) *market.Snapshot) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	node, err := chain.Dial(ctx, local.WebSocketURL(), monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	x := indexer.New(indexer.Config{Node: node, Families: families, Start: market.New(monad.Chain()), Listed: monad.Tokens()})
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		node.Close()
	})
	return func(block uint64) *market.Snapshot {
		for {
			if s := x.Head(); s != nil && s.Block().Number >= block {
				return s
			}
			if t.Context().Err() != nil {
				t.Fatal("the market does not follow the chain")
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// push sells WMON for USDC through the Router, for about so many dollars.
func push(t *testing.T, local *devchain.Chain, s *market.Snapshot, dollars float64) plan.Plan {
	t.Helper()
	amount := u256.FromFloat(dollars / s.USD(monad.WrappedNative))
	swap, err := router.Find(s, router.Order{TokenIn: monad.WrappedNative, TokenOut: monad.USDC, AmountIn: amount})
	if err != nil {
		t.Fatal(err)
	}
	at := calldata.Contracts{WrappedNative: monad.WrappedNative}
	at.Router, at.Executor = contracts.Addresses(monad.WrappedNative)
	tx, err := at.Encode(&swap, calldata.Terms{Recipient: devchain.DevAccount, MinOut: u256.One, Deadline: uint64(time.Now().Unix()) + 600})
	if err != nil {
		t.Fatal(err)
	}
	approval, err := contracts.Token.ABI.Pack("approve", at.Router, amount.Big())
	if err != nil {
		t.Fatal(err)
	}
	receipts, err := local.Mine(
		devchain.Sign(devchain.DevKey, 0, venue.Tx{To: monad.WrappedNative, Data: approval, Gas: 100_000}),
		devchain.Sign(devchain.DevKey, 1, venue.Tx{To: tx.To, Data: tx.Data, Gas: 2 * tx.Gas}),
	)
	if err != nil || slices.ContainsFunc(receipts, func(r *types.Receipt) bool { return r.Status != types.ReceiptStatusSuccessful }) {
		t.Fatalf("the swap fails: %v", err)
	}
	return swap
}
