package proof_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/evm"
	"braid/families"
	"braid/gas"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/proof"
	"braid/u256"
	"braid/venue"
)

// local is the local chain, and its market at the newest block.
type local struct {
	chain  *devchain.Chain
	node   *chain.Client
	market *market.Snapshot
	prover *proof.Prover
}

// wrongFees are what the rows of some sources say of the fee of their pairs, in basis
// points: the chain has another.
var wrongFees = map[string]uint64{"Purps": 25, "Taya": 100, "DYOR": 31}

func newLocal(t *testing.T) *local {
	built := monad.Sources()
	c, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: built, Families: families.Of(built, monad.WrappedNative),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	node, err := chain.Dial(t.Context(), c.URL(), monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	rows := monad.Sources()
	for i := range rows {
		if fee := wrongFees[rows[i].ID]; fee != 0 {
			rows[i].Params = rows[i].Params.With("feeBps", fee)
		}
	}
	followed := families.Of(rows, monad.WrappedNative)
	x := indexer.New(indexer.Config{Node: node, Families: followed, Sources: rows, Start: market.New(monad.Chain()), Listed: monad.Tokens()})
	go x.Run(t.Context())
	select {
	case <-x.Ready():
	case <-time.After(time.Minute):
		t.Fatal("the chain was not joined")
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	prover, err := proof.New(node, calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Permit2: contracts.Permit2, Schedule: gas.Monad, Proxies: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &local{c, node, x.Head(), prover}
}

// usable are the pools of the market that take swaps.
func (l *local) usable() (pools []venue.Pool) {
	for _, p := range l.market.Pools() {
		if venue.Idle(p) == "" {
			pools = append(pools, p)
		}
	}
	return pools
}

// first is the first pool of a source that trades wrapped native, and the position of
// that token.
func (l *local) first(t *testing.T, source string) (venue.Pool, int) {
	for _, p := range l.usable() {
		if i := slices.Index(p.Info().Tokens, monad.WrappedNative); p.Info().Source.ID == source && i >= 0 {
			return p, i
		}
	}
	t.Fatalf("no pool of %s trades wrapped native", source)
	return nil, 0
}

// prove is the verdict on one pool, which is reached without others.
func (l *local) prove(t *testing.T, p venue.Pool) proof.Verdict {
	t.Helper()
	none, err := market.New(monad.Chain()).Next(l.market.Block(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.prover.Prove(t.Context(), none, []venue.Pool{p})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d verdicts: %v", len(list), err)
	}
	return list[0]
}

func TestLocalChain(t *testing.T) {
	l := newLocal(t)
	t.Run("every pool pays what we quote", func(t *testing.T) { testHonest(t, l) })
	t.Run("a pool in another state is refused", func(t *testing.T) { testStale(t, l) })
	t.Run("the fee of a pair is found", func(t *testing.T) { testFee(t, l) })
	t.Run("a token that is not what it seems is refused", func(t *testing.T) { testMoods(t, l) })
	t.Run("what a node refuses is no verdict", func(t *testing.T) { testRefusals(t, l) })
}

// testHonest: every pool of the local chain pays what we quote, to the wei, with the fees
// that are found.
func testHonest(t *testing.T, l *local) {
	pools := l.usable()
	verdicts, err := l.prover.Survey(t.Context(), l.market, pools)
	if err != nil {
		t.Fatal(err)
	}
	exact := map[string]int{}
	for i, v := range verdicts {
		source := pools[i].Info().Source.ID
		if v.Status != proof.Proved || v.Swaps < 2 || v.Code.Own == ([32]byte{}) {
			t.Errorf("%s pool %s: %s after %d swaps: %s", source, v.Pool, v.Status, v.Swaps, v.Reason)
		}
		exact[source]++
		if _, wrong := wrongFees[source]; wrong && v.Variant != 30+1 {
			t.Errorf("%s pool %s: a fee of %d bps was found, want 30", source, v.Pool, v.Variant-1)
		}
	}
	if rows := monad.Sources(); len(exact) != len(rows) {
		t.Errorf("%d of %d sources have pools", len(exact), len(rows))
	}
}

// testStale: what a pool pays after a trade that never was is not what the chain pays.
func testStale(t *testing.T, l *local) {
	for _, source := range []string{"UniswapV3", "UniswapV4", "BalancerV3", "NadFun"} {
		p, native := l.first(t, source)
		out := (native + 1) % len(p.Info().Tokens)
		moved, err := p.Swap(native, out, u256.FromFloat(p.Depth(native)/1e6+1e6))
		if err != nil {
			t.Fatal(err)
		}
		if v := l.prove(t, moved); v.Status != proof.Refused || !strings.Contains(v.Reason, "paid") {
			t.Errorf("%s: %s: %s", source, v.Status, v.Reason)
		}
	}
}

// testFee: a pair that is assumed to be cheaper or dearer than it is gets the fee that
// the chain takes.
func testFee(t *testing.T, l *local) {
	for _, source := range []string{"UniswapV2", "PancakeSwapV2"} {
		p, _ := l.first(t, source)
		right := p.(venue.Variable).Variant()
		for _, assumed := range []uint64{right - 1, right + 1, 1, 101} {
			v := l.prove(t, p.(venue.Variable).WithVariant(assumed))
			if v.Status != proof.Proved || v.Variant != right {
				t.Errorf("%s: a fee assumed to be %d bps: %s, %d bps, want %d: %s", source, assumed-1, v.Status, v.Variant-1, right-1, v.Reason)
			}
			if got := v.Apply(p.(venue.Variable).WithVariant(assumed)); got.(venue.Variable).Variant() != right {
				t.Errorf("%s: the verdict does not change the pool", source)
			}
		}
	}
}

// moody is a node to which a token has another code.
type moody struct {
	proof.Node
	token common.Address
	code  []byte
}

func (m moody) Execute(ctx context.Context, block common.Hash, e chain.Execution) ([]byte, error) {
	e.Accounts[m.token] = chain.Account{Code: m.code, Storage: e.Accounts[m.token].Storage}
	return m.Node.Execute(ctx, block, e)
}

// testMoods: a token that taxes, also if only a call without a gas price is spared, or
// cannot be sold is refused; one that can be sold only in a later block than it was
// bought in is not.
func testMoods(t *testing.T, l *local) {
	artifact, err := contracts.NewBuilds("../build/artifacts").Get("MoodyToken")
	if err != nil {
		t.Fatal(err)
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	p, native := l.first(t, "UniswapV2")
	token := p.Info().Tokens[1-native]
	for mood, want := range []struct {
		status proof.Status
		reason string
	}{{proof.Proved, ""}, {proof.Refused, "reverts"}, {proof.Refused, "paid"}, {proof.Refused, "paid"}} {
		account, err := evm.New(evm.Rules(1)).Etch(common.Address{1}, token, artifact.Init(uint8(mood), common.Address{1}))
		if err != nil {
			t.Fatal(err)
		}
		prover, err := proof.New(moody{l.node, token, account.Code}, calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Schedule: gas.Monad}, 0)
		if err != nil {
			t.Fatal(err)
		}
		list, err := prover.Prove(t.Context(), l.market, []venue.Pool{p})
		if err != nil || len(list) != 1 || list[0].Status != want.status || !strings.Contains(list[0].Reason, want.reason) {
			t.Errorf("mood %d: %+v, %v", mood, list, err)
		}
	}
}

// refusing is a node that refuses calls above a limit of gas, and below it as well if
// that is 0.
type refusing struct {
	proof.Node
	limit uint64
}

type refusal struct{ error }

func (refusal) ErrorCode() int { return -32000 }

func (r refusing) Execute(ctx context.Context, block common.Hash, e chain.Execution) ([]byte, error) {
	if e.Gas > r.limit {
		return nil, refusal{errors.New("gas limit is too high")}
	}
	return r.Node.Execute(ctx, block, e)
}

// testRefusals: a node with a lower limit of gas is asked for less; one that refuses
// everything leaves pools untried.
func testRefusals(t *testing.T, l *local) {
	p, _ := l.first(t, "UniswapV3")
	router, executor := contracts.Addresses(monad.WrappedNative)
	for _, limit := range []uint64{4_100_000, 0} {
		prover, err := proof.New(refusing{l.node, limit}, calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Schedule: gas.Monad}, 0)
		if err != nil {
			t.Fatal(err)
		}
		list, err := prover.Prove(t.Context(), l.market, []venue.Pool{p})
		switch {
		case limit > 0 && (err != nil || len(list) != 1 || list[0].Status != proof.Proved):
			t.Errorf("up to %d gas: %+v, %v", limit, list, err)
		case limit == 0 && (err == nil || len(list) != 0):
			t.Errorf("refused: %+v, %v", list, err)
		}
	}
}
