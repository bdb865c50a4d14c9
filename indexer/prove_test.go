package indexer_test

import (
	"context"
	"errors"
	"math/big"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/gas"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/proof"
	"braid/venue"
)

// swapped is a node to which the code of one contract, or the reserves of one pair, are
// others, while these are set, and which refuses all trials while down is set.
type swapped struct {
	proof.Node
	contract, pair atomic.Pointer[common.Address]
	down           atomic.Bool
}

func (s *swapped) Execute(ctx context.Context, block common.Hash, e chain.Execution) ([]byte, error) {
	if s.down.Load() {
		return nil, errors.New("out of reach")
	}
	if at := s.contract.Load(); at != nil && e.Accounts[*at].Code == nil {
		e.Accounts[*at] = chain.Account{Code: []byte{0xfe}} // INVALID
	}
	if at := s.pair.Load(); at != nil && e.Accounts[*at].Code == nil {
		reserves := common.HexToHash("0x0000000000000000000000010000000000000000000000000000010000000000")
		e.Accounts[*at] = chain.Account{Storage: map[common.Hash]common.Hash{common.BigToHash(big.NewInt(8)): reserves}}
	}
	return s.Node.Execute(ctx, block, e)
}

// proving starts an indexer on the fixture's chain that admits proved pools only.
func (w *fixture) proving(node proof.Node, store *indexer.Store) *indexer.Indexer {
	w.Helper()
	router, executor := contracts.Addresses(monad.WrappedNative)
	prover, err := proof.New(node, calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Schedule: gas.Monad}, 0)
	if err != nil {
		w.Fatal(err)
	}
	return indexer.New(indexer.Config{
		Node: w.node, Families: w.families, Sources: monad.Sources(), Start: market.New(monad.Chain()), Listed: monad.Tokens(),
		FirstBlock: 1_000_000, Keep: 8, Prover: prover, Store: store,
	})
}

// mineUntil mines blocks until a condition holds, and tells how many.
func (w *fixture) mineUntil(what string, holds func() bool) (blocks int) {
	w.Helper()
	p := w.index.Head().Pools()[0]
	for deadline := time.Now().Add(2 * time.Minute); !holds(); blocks++ {
		if time.Now().After(deadline) {
			w.Fatalf("%s: not after %d blocks, of %d", what, blocks, len(w.index.Head().Pools()))
		}
		w.mine(w.transferAndSync(p, 1)...)
		time.Sleep(20 * time.Millisecond)
	}
	return blocks
}

func counts(x *indexer.Indexer) (n indexer.Proofs) {
	for _, of := range x.Proofs() {
		n.Proved, n.Refused, n.Untried = n.Proved+of.Proved, n.Refused+of.Refused, n.Untried+of.Untried
	}
	return n
}

// unreachable is the number of pairs of the local chain whose tokens no other pair sells.
const unreachable = 3

// sameMarket checks that two snapshots of one block have the same pools, but for those
// that cannot be tried.
func sameMarket(t *testing.T, got, want *market.Snapshot) {
	t.Helper()
	if n := len(want.Pools()) - unreachable; len(got.Pools()) != n {
		t.Errorf("%d pools, want %d", len(got.Pools()), n)
	}
	for _, q := range got.Pools() {
		p, _ := want.Pool(q.Info().ID)
		if venue.Idle(q) != venue.Idle(p) || q.Spot(0, 1) != p.Spot(0, 1) {
			t.Errorf("pool %s: idle %q, want %q", q.Info().ID, venue.Idle(q), venue.Idle(p))
		}
	}
}

// TestOnlyProvedPools: a market that is not trusted gets its pools when trials have
// proved them, loses one whose code was swapped, and has it again when it pays as
// quoted; after a restart the verdicts still hold.
func TestOnlyProvedPools(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 8)
	path := filepath.Join(t.TempDir(), "market")
	node := &swapped{Node: w.node}
	store, err := indexer.OpenStore(path, monad.ChainID, monad.Sources(), w.families, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := w.proving(node, store)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()

	node.down.Store(true)
	w.mineUntil("joined", func() bool { return counts(x).Untried > 0 })
	if x.Head() != nil || x.Untried(w.index.Head().Pools()[0].Info().Tokens[0], w.index.Head().Pools()[0].Info().Tokens[1]) == 0 {
		t.Error("a market without trials is served")
	}
	node.down.Store(false)
	w.mineUntil("proved", func() bool { n := counts(x); return x.Head() != nil && n.Proved > 0 && n.Untried <= unreachable })
	if n := counts(x); n.Refused > 0 {
		t.Errorf("%d honest pools are refused: %+v", n.Refused, x.Proofs())
	}
	sameMarket(t, await(t, x, w.chain.Head().Hash()), w.awaitHead())

	id := x.Head().Pools()[3].Info().ID
	at := common.HexToAddress(string(id))
	usable := func() bool { p, _ := x.Head().Pool(id); return venue.Idle(p) == "" }
	for what, lie := range map[string]*atomic.Pointer[common.Address]{"other code": &node.contract, "other reserves": &node.pair} {
		lie.Store(&at)
		w.mineUntil(what+": refused", func() bool { return !usable() })
		if n := counts(x); n.Refused != 1 {
			t.Errorf("%s: %d pools are refused, want 1", what, n.Refused)
		}
		lie.Store(nil)
		w.mineUntil(what+": proved again", usable)
		sameMarket(t, await(t, x, w.chain.Head().Hash()), w.awaitHead())
	}

	for range 8 {
		w.mine(w.transferAndSync(w.index.Head().Pools()[0], 1)...)
	}
	await(t, x, w.chain.Head().Hash())
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	node.down.Store(true)
	if store, err = indexer.OpenStore(path, monad.ChainID, monad.Sources(), w.families, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	again := w.proving(node, store)
	run(t, again)
	sameMarket(t, await(t, again, w.chain.Head().Hash()), w.awaitHead())
}
