package indexer_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/market"
	"braid/monad"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venue/hanji"
	"braid/venue/kuru"
	"braid/venue/nadfun"
	"braid/venue/univ2"
	"braid/venue/univ3"
	"braid/venue/univ4"
	"braid/venuetest"
)

const auditEvery = 50 // blocks

// TestBusyMarket compares quotes with executed swaps, for every pool and direction,
// on a chain with swaps, liquidity changes and reorgs. The environment variables
// BLOCKS and SEED set its length and its random choices.
func TestBusyMarket(t *testing.T) {
	blocks, seed := venuetest.Setting(t, "BLOCKS", 200), venuetest.Setting(t, "SEED", 1)
	b := newBusyChain(t, seed)
	a := newQuoteChecker(t, b.chain.URL(), seed)
	began := time.Now()
	for n := 1; n <= int(blocks); n++ {
		if b.random.IntN(20) == 0 {
			b.reorg(1 + b.random.IntN(4))
		} else {
			b.block()
		}
		if n%auditEvery == 0 {
			a.check(t, b.awaitHead())
		}
	}
	fmt.Printf("market: blocks=%d pools=%d reorgs=%v actions=%d reverted=%d %v in %.0fs\n",
		blocks, len(b.index.Head().Pools()), b.metric("reorgs_total"), b.sent, b.reverted, a, time.Since(began).Seconds())
	for _, what := range slices.Sorted(maps.Keys(b.actions)) {
		n := b.actions[what]
		t.Logf("%s: %d of %d", what, n.ok, n.sent)
		if n.ok == 0 && n.sent > 4 {
			t.Errorf("every %s failed", what)
		}
	}
}

// busyChain is a fixture with random actions of the dev account in every block.
type busyChain struct {
	*fixture
	random  *rand.Rand
	at      calldata.Contracts
	kinds   []string // families
	allowed map[[2]common.Address]bool
	undo    []func() []action // actions that remove what was added
	abis    map[string]contracts.Contract

	actions        map[string]*tally
	sent, reverted int
}

// action is a transaction with a name.
type action struct {
	what string
	tx   venue.Tx
}

type tally struct{ sent, ok int }

func newBusyChain(t testing.TB, seed uint64) *busyChain {
	t.Helper()
	return &busyChain{
		fixture: newFixtureWith(t, 0, everyFamily(monad.Sources())...),
		random:  rand.New(rand.NewPCG(seed, 5)), at: ours(),
		kinds:   []string{univ2.Name, univ3.Name, univ4.Name, balancer.Name, kuru.Name, hanji.Name, nadfun.Name},
		allowed: map[[2]common.Address]bool{}, abis: map[string]contracts.Contract{}, actions: map[string]*tally{},
	}
}

// block mines a block of several actions.
func (b *busyChain) block() {
	b.Helper()
	txs, actions := b.blockActions()
	receipts, err := b.chain.Mine(txs...)
	if err != nil {
		b.Fatal(err)
	}
	for i, r := range receipts {
		n := b.actions[actions[i].what]
		if n == nil {
			n = &tally{}
			b.actions[actions[i].what] = n
		}
		n.sent++
		b.sent++
		if r.Status == types.ReceiptStatusSuccessful {
			n.ok++
		} else {
			b.reverted++
		}
	}
	b.rememberOrders(receipts)
}

// reorg replaces blocks by a longer or shorter branch with other actions.
func (b *busyChain) reorg(depth int) {
	b.Helper()
	b.nonce = b.nonceAt(b.chain.Head().Number.Uint64() - uint64(depth))
	clear(b.allowed)
	branch := make([][]*types.Transaction, max(1, depth+b.random.IntN(3)-1))
	for i := range branch {
		branch[i], _ = b.blockActions()
	}
	if err := b.chain.Reorg(depth, branch...); err != nil {
		b.Fatal(err)
	}
	clear(b.allowed)
}

// blockActions are the actions of one block.
func (b *busyChain) blockActions() (txs []*types.Transaction, actions []action) {
	b.Helper()
	s := b.awaitHead()
	for range 1 + b.random.IntN(6) {
		actions = append(actions, b.someActions(s)...)
	}
	for _, d := range actions {
		txs = append(txs, b.sign(d.tx))
	}
	return txs, actions
}

// someActions are a swap in two of three cases, or other actions on a pool.
func (b *busyChain) someActions(s *market.Snapshot) []action {
	if len(b.undo) > 0 && b.random.IntN(6) == 0 {
		i := b.random.IntN(len(b.undo))
		undo := b.undo[i]
		b.undo = slices.Delete(b.undo, i, i+1)
		return undo()
	}
	family := b.kinds[b.random.IntN(len(b.kinds))]
	var pools []venue.Pool
	for _, p := range s.Pools() {
		if p.Info().Source.Family == family {
			pools = append(pools, p)
		}
	}
	p := pools[b.random.IntN(len(pools))]
	if b.random.IntN(3) > 0 {
		return b.trade(p)
	}
	switch family {
	case univ2.Name:
		return b.pairs(p)
	case univ3.Name:
		return b.ticks3(p)
	case univ4.Name:
		return b.ticks4(p)
	case balancer.Name:
		return b.vault(p)
	case kuru.Name:
		return b.kuru(p)
	case hanji.Name:
		return b.hanji(p)
	}
	return b.curves(p)
}

// trade swaps a third of the pool's depth times 2^-u, u uniform in 0 to 12, through
// the Router.
func (b *busyChain) trade(p venue.Pool) []action {
	n := len(p.Info().Tokens)
	in := b.random.IntN(n)
	out := (in + 1 + b.random.IntN(n-1)) % n
	amount := u256.FromFloat(p.Depth(in) / 3 * math.Exp2(-12*b.random.Float64()))
	if _, err := p.Quote(in, out, amount); err != nil {
		return nil
	}
	return append(b.approve(p.Info().Tokens[in], b.at.Router), b.swap(string(p.Info().Source.Type)+" swap", p, in, out, amount))
}

func (b *busyChain) swap(what string, p venue.Pool, in, out int, amount u256.Int) action {
	b.Helper()
	tokens := p.Info().Tokens
	swap := plan.Plan{TokenIn: tokens[in], TokenOut: tokens[out], AmountIn: amount, Steps: []plan.Step{{Pool: p, In: in, Out: out}}}
	tx, err := b.at.Encode(&swap, calldata.Terms{Recipient: devchain.DevAccount, MinOut: u256.One, Deadline: math.MaxUint64})
	if err != nil {
		b.Fatal(err)
	}
	return b.do(what, tx.To, tx.Data)
}

func (b *busyChain) do(what string, to common.Address, data []byte) action {
	return action{what, venue.Tx{To: to, Data: data, Gas: 8_000_000}}
}

// approve approves a spender, once.
func (b *busyChain) approve(token, spender common.Address) []action {
	if b.allowed[[2]common.Address{token, spender}] {
		return nil
	}
	b.allowed[[2]common.Address{token, spender}] = true
	return []action{b.do("approve", token, pack("approve(address,uint256)", spender[:], word(u256.Max)))}
}

// part is a random number from least to most-1.
func (b *busyChain) part(most, least uint64) u256.Int {
	return u256.From(least + b.random.Uint64N(most-least))
}

// abi is a call of a venue's own contract.
func (b *busyChain) abi(name, method string, args ...any) []byte {
	b.Helper()
	c, ok := b.abis[name]
	if !ok {
		var err error
		if c, err = contracts.Read("../build/artifacts/" + name + ".json"); err != nil {
			b.Fatal(err)
		}
		b.abis[name] = c
	}
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// ask calls a contract at the head and gives the first word of what it returns, 0
// if there is none; reads gives all words.
func (b *busyChain) ask(to common.Address, data []byte) u256.Int {
	b.Helper()
	if w := b.reads(to, data); len(w) > 0 {
		return w[0]
	}
	return u256.Zero
}

func (b *busyChain) reads(to common.Address, data []byte) (words []u256.Int) {
	b.Helper()
	results, err := b.node.Calls(b.Context(), b.chain.Head().Hash(), []chain.Call{{To: to, Data: data}})
	if err != nil {
		b.Fatal(err)
	}
	for w := range slices.Chunk(results[0].Data, 32) {
		words = append(words, u256.FromBytes(w))
	}
	return words
}

func (b *busyChain) balance(token common.Address) u256.Int {
	b.Helper()
	return b.ask(token, pack("balanceOf(address)", devchain.DevAccount[:]))
}

func word(n u256.Int) []byte {
	w := n.Bytes()
	return w[:]
}

func yes(b bool) []byte {
	if b {
		return []byte{1}
	}
	return nil
}
