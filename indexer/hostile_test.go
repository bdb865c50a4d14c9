package indexer_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/contracts"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// logEmitter is runtime code that emits a log of its calldata: three topics, then
// data.
const logEmitter = "6060360380606060003760403560203560003583" + "6000a300"

// pairCode is runtime code that emits Sync with its calldata as data. %02x tells
// contracts apart.
var pairCode = "366000600037" + "7f" + common.Bytes2Hex(crypto.Keccak256([]byte("Sync(uint112,uint112)"))) + "366000a100" + "%02x"

// Runtime code of hostile and unusual tokens.
var (
	burner        = "5b600056"                                                   // uses up all gas
	reverter      = "60006000fd"                                                 // always reverts
	hugeDecimals  = "60ff60005260206000f3"                                       // 255 decimals
	selectors     = "60003560e01c63313ce5671460%02x57%s5b60%02x60005260206000f3" // decimals(), and %s for all else
	bytes32Symbol = fmt.Sprintf(selectors, 0x38, "7f"+common.Bytes2Hex(common.RightPadBytes([]byte("OLD"), 32))+"60005260206000f3", 18)
	nameless      = fmt.Sprintf(selectors, 0x14, reverter, 6)
)

// deploy creates a contract with this runtime code.
func (w *fixture) deploy(runtime string) common.Address {
	w.Helper()
	code := common.FromHex(runtime)
	return w.create(slices.Concat([]byte{0x60, byte(len(code))}, common.FromHex("80600b6000396000f3"), code))
}

func (w *fixture) create(init []byte) common.Address {
	w.mine(w.tx(contracts.Deployer, slices.Concat(contracts.Salt[:], init)))
	return crypto.CreateAddress2(contracts.Deployer, contracts.Salt, crypto.Keccak256(init))
}

// pair deploys a contract that is no pair but emits Sync.
func (w *fixture) pair(n int) common.Address { return w.deploy(fmt.Sprintf(pairCode, n)) }

// synced makes such a contract say that it holds liquidity.
func (w *fixture) synced(pair common.Address) *types.Transaction {
	return w.tx(pair, pack("", word(u256.From(1e9)), word(u256.From(1e9)))[4:])
}

// pairCreated makes a logEmitter emit PairCreated, with the last cut bytes missing.
func (w *fixture) pairCreated(factory, token, pair common.Address, cut int) *types.Transaction {
	topic := crypto.Keccak256([]byte("PairCreated(address,address,address,uint256)"))
	data := pack("", topic, token[:], monad.WrappedNative[:], pair[:], []byte{1})[4:]
	return w.tx(factory, data[:len(data)-cut])
}

// followFactory is a second indexer of the chain, which also follows the factory,
// and its log.
func (w *fixture) followFactory(factory common.Address) (*indexer.Indexer, *bytes.Buffer) {
	sources := append(monad.Sources(), venue.Source{ID: "Hostile", Type: venue.V2, Family: univ2.Name, Factory: factory, Params: univ2.Fee(30)})
	log := new(bytes.Buffer)
	x := indexer.New(indexer.Config{
		Node: w.node, Families: []venue.Family{univ2.New(sources)}, Start: market.New(monad.Chain()), Listed: monad.Tokens(),
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	run(w.TB, x)
	return x, log
}

// Tokens that are not on the list are described by their contracts; one that fails
// or returns nonsense affects no other.
func TestHostileTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	factory := w.deploy(logEmitter)
	hostile := contracts.Token.Init("Evil\u202e\x00 "+strings.Repeat("n", 99), "U\u200bSDC", uint8(9), common.Address{1}, u256.One.Big())
	odd := []struct {
		address common.Address
		want    market.Token // without decimals: left out
	}{
		{w.deploy(burner), market.Token{}},
		{w.create(hostile), market.Token{Symbol: "USDC", Name: "Evil " + strings.Repeat("n", 59), Decimals: 9}},
		{w.deploy(reverter), market.Token{}},
		{w.deploy(bytes32Symbol), market.Token{Symbol: "OLD", Name: "OLD", Decimals: 18}},
		{common.Address{0xde, 0xad}, market.Token{}}, // no code
		{w.deploy(hugeDecimals), market.Token{}},
		{w.deploy(nameless), market.Token{Decimals: 6}},
	}
	var txs []*types.Transaction
	var pairs []common.Address
	for i := range odd {
		pairs = append(pairs, w.pair(i))
	}
	for i, o := range odd {
		txs = append(txs, w.pairCreated(factory, o.address, pairs[i], 0), w.synced(pairs[i]))
	}
	w.mine(txs...)
	x, _ := w.followFactory(factory)
	s := await(t, x, w.chain.Head().Hash())
	for i, o := range odd {
		_, pool := s.Pool(venue.AddressID(pairs[i]))
		no, known := s.Token(o.address)
		if wanted := o.want.Decimals > 0; pool != wanted || known != wanted {
			t.Errorf("token %d: pool %v, token %v", i, pool, known)
			continue
		}
		if !known {
			continue
		}
		o.want.Address = o.address
		if o.want.Symbol == "" {
			hex := strings.ToLower(o.address.Hex())
			o.want.Symbol = hex[:6] + "…" + hex[38:]
			o.want.Name = o.want.Symbol
		}
		if got := s.Tokens()[no]; got != o.want {
			t.Errorf("token %d: %+v, want %+v", i, got, o.want)
		}
	}
	if no, ok := s.Token(monad.USDC); !ok || !s.Tokens()[no].Verified {
		t.Error("a listed token is not as listed")
	}
}

// Describing many tokens that use up all their gas takes few requests, and no block waits for it;
// they are not asked again at once.
func TestBurningTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	g := &limitedProvider{node: w.chain.URL(), blocks: 1 << 40, rate: 1e9, at: time.Now(), asked: map[string]int{}}
	server := httptest.NewServer(g)
	defer server.Close()
	factory := w.deploy(logEmitter)
	w.node = dial(t, server.URL)
	x, log := w.followFactory(factory)
	await(t, x, w.chain.Head().Hash())
	var tokens, pairs []common.Address
	for i := range 60 {
		tokens, pairs = append(tokens, w.deploy(fmt.Sprintf("%s%02x", burner, i))), append(pairs, w.pair(i))
	}
	await(t, x, w.chain.Head().Hash())
	calls := func() int {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.asked["eth_call"]
	}
	before := calls()
	var txs []*types.Transaction
	for i, token := range tokens {
		txs = append(txs, w.pairCreated(factory, token, pairs[i], 0), w.synced(pairs[i]))
	}
	w.mine(txs...)
	await(t, x, w.chain.Head().Hash())
	w.until("the tokens were asked", func() bool { return calls()-before >= 3 })
	for range 5 {
		w.mine()
		await(t, x, w.chain.Head().Hash())
	}
	if n := calls() - before; n != 3 || x.Health().Waiting["token not described yet"] != 60 {
		t.Errorf("%d calls for 60 tokens, waiting: %v", n, x.Health().Waiting)
	}
	if n := strings.Count(log.String(), "tokens have no decimals"); n != 1 {
		t.Errorf("%d log lines about 60 pools", n)
	}
}

// A node that ignores state overrides is an error: no token counts as failed, and
// no pool is left out because of it.
func TestStateOverridesRequired(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	factory, pair := w.deploy(logEmitter), w.pair(0)
	token := w.create(contracts.Token.Init("Honest", "HON", uint8(9), common.Address{1}, u256.One.Big()))
	w.mine(w.pairCreated(factory, token, pair, 0), w.synced(pair))
	node := &laggingNode{node: w.chain.URL()}
	server := httptest.NewServer(node)
	defer server.Close()
	node.dropOverrides.Store(true)
	w.node = dial(t, server.URL)
	x, _ := w.followFactory(factory)
	w.index = x
	w.until("the error is reported", func() bool { return strings.Contains(x.Health().Reason, "state overrides") })
	node.dropOverrides.Store(false)
	if _, ok := w.awaitHead().Pool(venue.AddressID(pair)); !ok {
		t.Error("the pool is left out")
	}
}

// A pool whose logs cannot be decoded becomes unusable, which is logged once; no
// other pool is affected.
func TestUnreadablePool(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	factory, pair := w.deploy(logEmitter), w.pair(0)
	x, log := w.followFactory(factory)
	w.mine(w.pairCreated(factory, monad.USDC, pair, 0), w.synced(pair))
	s := await(t, x, w.chain.Head().Hash())
	if _, ok := s.Pool(venue.AddressID(pair)); !ok {
		t.Fatal("no pool")
	}
	for range 3 {
		w.mine(append(w.transferAndSync(s.Pools()[0], 77), w.pairCreated(factory, monad.USDC, pair, 0), w.pairCreated(factory, monad.USDC, pair, 1))...)
	}
	s = await(t, x, w.chain.Head().Hash())
	p, ok := s.Pool(venue.AddressID(pair))
	if !ok {
		t.Fatal("the pool has lost its number")
	}
	if _, err := p.Quote(0, 1, u256.From(1)); !errors.Is(err, venue.ErrEmpty) || p.Spot(0, 1) != 0 || p.Depth(0) != 0 {
		t.Errorf("an unusable pool quotes: %v", err)
	}
	theirs, _ := w.awaitHead().Pool(s.Pools()[0].Info().ID)
	if s.Pools()[0].Depth(0) != theirs.Depth(0) {
		t.Error("another pool fell behind")
	}
	first := w.chain.Head().Number.Uint64() - 2
	want := fmt.Sprintf(`msg="pool is unusable" pool=%s err="block %d: univ2: pair %s created twice"`, venue.AddressID(pair), first, pair)
	if n := strings.Count(log.String(), "pool is unusable"); n != 1 || !strings.Contains(log.String(), want) {
		t.Errorf("want once %s in\n%s", want, log)
	}
	if !strings.Contains(log.String(), "univ2: PairCreated of "+factory.Hex()+": 3 topics, 63 bytes of data") {
		t.Errorf("the short log is not reported in\n%s", log)
	}
}
