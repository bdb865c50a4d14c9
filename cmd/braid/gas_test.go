package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/families"
	"braid/gas"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/plan"
	"braid/router"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// Largest ratios of a gas limit to the need on the quoted state: the median of all
// routes, and the worst.
const (
	maxMedian = 1.12
	maxWorst  = 1.25
)

// TestGas executes random routes and compares the gas limits that calldata names
// with what each route needs: for a recipient that never held the token, a sender
// that holds nothing else, an allowance that is used up, and the dearer way of
// funding. Each is measured on the quoted state, and again after its pools were
// traded, if it then pays the minimum. ROUTES and SEED in the environment set the
// number and the seed.
func TestGas(t *testing.T) {
	routes, seed := venuetest.Setting(t, "ROUTES", 60), venuetest.Setting(t, "SEED", 1)
	over := newGasRig(t, seed).sampleRoutes(t, int(routes), (*gasRig).route)
	for i, s := range schedules {
		short := sort.Search(len(over[i]), func(k int) bool { return over[i][k].ratio >= 1 })
		least, median, worst := over[i][0], over[i][len(over[i])/2], over[i][len(over[i])-1]
		moved, movedShort := countMoved(t, s, over[i])
		fmt.Printf("schedule=%s routes=%d short=%d median=%.2f worst=%.2f moved=%d moved_short=%d\n", s.Name, routes, short, median.ratio, worst.ratio, moved, movedShort)
		t.Logf("%s: least %.3f of %s", s.Name, least.ratio, least.route)
		t.Logf("%s: worst %.3f of %s", s.Name, worst.ratio, worst.route)
		if short > 0 || movedShort > 0 || median.ratio > maxMedian || worst.ratio > maxWorst {
			t.Errorf("%s: short, or over the bar", s.Name)
		}
	}
}

// TestGasBeforeTicks: limits suffice when somebody trades a pool before a swap that
// ends just before a tick or a level, unless what it then crosses costs more than
// limits allow for. Such routes are beyond; there is no bar for the ratio.
func TestGasBeforeTicks(t *testing.T) {
	const allowed = 1.17 // times the need on the quoted state
	routes, seed := venuetest.Setting(t, "ROUTES", 40), venuetest.Setting(t, "SEED", 1)
	over := newGasRig(t, seed).sampleRoutes(t, int(routes), (*gasRig).routeBeforeTick)
	for i, s := range schedules {
		all := len(over[i])
		over[i] = slices.DeleteFunc(over[i], func(r sample) bool { return r.moved > 0 && r.moved < 1 && r.ratio/r.moved > allowed })
		moved, short := countMoved(t, s, over[i])
		fmt.Printf("schedule=%s before_ticks=%d moved=%d moved_short=%d beyond=%d\n", s.Name, routes, moved, short, all-len(over[i]))
		if short > 0 || moved == 0 || over[i][0].ratio < 1 {
			t.Errorf("%s: short", s.Name)
		}
	}
}

// countMoved counts the routes that pay the minimum after their pools were traded,
// and those of them whose limit is too low.
func countMoved(t *testing.T, s *gas.Schedule, list []sample) (moved, short int) {
	most := 0.0
	for _, r := range list {
		if r.moved == 0 {
			continue
		}
		moved++
		most = max(most, r.ratio/r.moved)
		if r.moved < 1 {
			short++
			t.Logf("%s: least %.3f, after trades, of %s", s.Name, r.moved, r.route)
		}
	}
	t.Logf("%s: the need rose at most to %.3f times as much after trades", s.Name, most)
	return moved, short
}

// TestGasJoined: of pools that were read rather than followed it is not known
// which slots are in use, and no limit is too low for that.
func TestGasJoined(t *testing.T) {
	w := newGasRig(t, 2)
	w.sampleRoutes(t, 12, (*gasRig).route)
	var log bytes.Buffer
	w.follow(t, indexer.Config{Keep: 4, Log: slog.New(slog.NewTextHandler(&log, nil))})
	over := w.sampleRoutes(t, 40, (*gasRig).route)
	if !strings.Contains(log.String(), "msg=joined") {
		t.Fatalf("the indexer did not join: %s", &log)
	}
	for i, s := range schedules {
		least, median := over[i][0], over[i][len(over[i])/2]
		t.Logf("%s: median %.2f", s.Name, median.ratio)
		if least.ratio < 1 {
			t.Errorf("%s: %.3f of %s", s.Name, least.ratio, least.route)
		}
	}
}

// BenchmarkGas reports how far limits lie above needs, in percent.
func BenchmarkGas(b *testing.B) {
	const routes = 60
	w := newGasRig(b, 1)
	var over [][]sample
	for b.Loop() {
		over = w.sampleRoutes(b, routes, (*gasRig).route)
	}
	for i, s := range schedules {
		b.ReportMetric(100*(over[i][routes/2].ratio-1), s.Name+"-median-%")
		b.ReportMetric(100*(over[i][routes-1].ratio-1), s.Name+"-worst-%")
	}
}

var schedules = []*gas.Schedule{gas.Ethereum, gas.Monad}

// sample is the ratio of a route's gas limit to its need on the quoted state.
type sample struct {
	ratio float64
	moved float64 // the same after its pools were traded; 0 if it then pays too little
	route string
}

// sampleRoutes executes routes, and gives for every schedule a sample of each, the
// lowest ratio first.
func (w *gasRig) sampleRoutes(t testing.TB, routes int, route func(*gasRig) *plan.Plan) [][]sample {
	over := make([][]sample, len(schedules))
	for range routes {
		p := route(w)
		for !w.affords(t, p) {
			p = route(w)
		}
		for i, m := range w.measure(t, p) {
			next := sample{ratio: float64(m.limit) / float64(m.need), route: fmt.Sprintf("need %d, then %d, fee %s:%s", m.need, m.moved, m.fee, describe(p))}
			if m.moved > 0 {
				next.moved = float64(m.limit) / float64(m.moved)
			}
			over[i] = append(over[i], next)
		}
	}
	for i := range over {
		slices.SortFunc(over[i], func(a, b sample) int { return cmp.Compare(a.ratio, b.ratio) })
	}
	return over
}

// gasRig is a local chain on which random routes are executed, so that its state is
// more and more one of a chain in use, and an indexer that follows it.
type gasRig struct {
	chain  *devchain.Chain
	node   *chain.Client
	index  *indexer.Indexer
	random *rand.Rand
	nonce  uint64
	sender *ecdsa.PrivateKey
}

func newGasRig(t testing.TB, seed uint64) *gasRig {
	t.Helper()
	sources := monad.Sources()
	local, err := devchain.Start(context.Background(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../../build/artifacts", Seed: seed, Sources: sources, Families: families.Of(sources, monad.WrappedNative),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { local.Close() })
	w := &gasRig{chain: local, random: rand.New(rand.NewPCG(seed, 143))}
	w.follow(t, indexer.Config{})
	return w
}

// follow starts a new indexer, which takes the place of the one before.
func (w *gasRig) follow(t testing.TB, config indexer.Config) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	node, err := chain.Dial(ctx, w.chain.WebSocketURL(), monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	sources := monad.Sources()
	config.Node, config.Families, config.Sources = node, families.Of(sources, monad.WrappedNative), sources
	config.Start, config.Listed = market.New(monad.Chain()), monad.Tokens()
	w.node, w.index = node, indexer.New(config)
	x, done := w.index, make(chan error, 1)
	go func() { done <- x.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-done
		node.Close()
	})
}

// head is the market at the chain's head.
func (w *gasRig) head() *market.Snapshot {
	for {
		if s := w.index.Head(); s != nil && s.Block().Number == w.chain.Head().Number.Uint64() {
			return s
		}
		time.Sleep(time.Millisecond)
	}
}

// route is one that the router finds, or one of random steps.
func (w *gasRig) route() *plan.Plan {
	s := w.head()
	for {
		in := w.token()
		usd := s.USD(in)
		if usd == 0 {
			continue
		}
		amount := u256.FromFloat(w.dollars() / usd)
		var p plan.Plan
		var err error
		if w.random.IntN(2) == 0 {
			p, err = router.Find(s, router.Order{TokenIn: in, TokenOut: w.token(), AmountIn: amount, Exclude: w.without(), MaxSteps: 32})
		} else {
			p, err = w.randomSteps(s, in, amount)
		}
		if err == nil {
			return &p
		}
	}
}

// routeBeforeTick is a swap in one pool that ends up to 1/256 of its amount before
// it would cross another tick or fill another level.
func (w *gasRig) routeBeforeTick() *plan.Plan {
	s := w.head()
	for {
		p := s.Pools()[w.random.IntN(len(s.Pools()))]
		tokens := p.Info().Tokens
		in := w.random.IntN(len(tokens))
		out := (in + 1) % len(tokens)
		usd := s.USD(tokens[in])
		if usd == 0 {
			continue
		}
		gasOf := func(amount u256.Int) uint64 {
			q, err := p.Quote(in, out, amount)
			if err != nil {
				return 0
			}
			return q.Gas
		}
		low := u256.FromFloat(w.dollars() / usd)
		high, few := low.Lsh(6), gasOf(low)
		if few == 0 || gasOf(high) <= few {
			continue
		}
		for range 40 {
			if mid := low.Add(high).Rsh(1); gasOf(mid) == few {
				low = mid
			} else {
				high = mid
			}
		}
		amount := u256.FromFloat(low.Float() * (1 - w.random.Float64()/256))
		if one, err := plan.Run(tokens[in], tokens[out], amount, []plan.Step{{Pool: p, In: in, Out: out}}); err == nil {
			return &one
		}
	}
}

// affords says whether the dev account still holds the input of a route and its fee.
func (w *gasRig) affords(t testing.TB, p *plan.Plan) bool {
	t.Helper()
	asked := chain.Call{To: p.TokenIn, Data: venue.Calldata("balanceOf(address)", devchain.DevAccount[:])}
	held, err := w.node.Calls(context.Background(), w.chain.Head().Hash(), []chain.Call{asked})
	if err != nil {
		t.Fatal(err)
	}
	return !u256.FromBytes(held[0].Data).Lt(p.AmountIn.Add(p.AmountIn.Rsh(4))) // with any fee
}

// token is one of the token list: wrapped native or one of the first ten more
// often than others.
func (w *gasRig) token() common.Address {
	listed := monad.Tokens()
	switch w.random.IntN(4) {
	case 0:
		return monad.WrappedNative
	case 1:
		return listed[w.random.IntN(10)].Address
	}
	return listed[w.random.IntN(len(listed))].Address
}

// dollars is the value of a random input, over six orders of magnitude.
func (w *gasRig) dollars() float64 {
	usd := 1.0
	for range 6 {
		if usd *= 1 + 9*w.random.Float64(); w.random.IntN(4) == 0 {
			break
		}
	}
	return usd
}

// without is the sources to exclude: every other time all but those of one family.
func (w *gasRig) without() map[string]bool {
	sources := monad.Sources()
	only := sources[w.random.IntN(len(sources))].Family
	exclude := map[string]bool{}
	for i := range sources {
		exclude[sources[i].ID] = sources[i].Family != only
	}
	if w.random.IntN(2) == 0 {
		clear(exclude)
	}
	return exclude
}

// randomSteps is a plan of one to five random hops, each through up to three pools.
func (w *gasRig) randomSteps(s *market.Snapshot, in common.Address, amount u256.Int) (plan.Plan, error) {
	from, steps, seen := in, []plan.Step(nil), map[common.Address]bool{in: true}
	for range 1 + w.random.IntN(5) {
		next := w.stepsFrom(s, from, seen)
		if len(next) == 0 {
			break
		}
		to := next[w.random.IntN(len(next))].TokenOut()
		next = slices.DeleteFunc(next, func(step plan.Step) bool { return step.TokenOut() != to })
		n := min(len(next), 1+w.random.IntN(3))
		for i, k := range w.random.Perm(len(next))[:n] {
			step := next[k]
			if i < n-1 {
				step.Share = plan.Share(1<<20 + w.random.Uint32N(1<<31))
			}
			steps = append(steps, step)
		}
		from, seen[to] = to, true
	}
	if len(steps) == 0 {
		return plan.Plan{}, errors.New("no step leads on")
	}
	return plan.Run(in, from, amount, steps)
}

// stepsFrom are all steps from a token to tokens that are not seen yet.
func (w *gasRig) stepsFrom(s *market.Snapshot, from common.Address, seen map[common.Address]bool) (list []plan.Step) {
	for _, p := range s.Pools() {
		tokens := p.Info().Tokens
		in := slices.Index(tokens, from)
		if in < 0 {
			continue
		}
		for out := range tokens {
			if !seen[tokens[out]] && p.Spot(in, out) > 0 {
				list = append(list, plan.Step{Pool: p, In: in, Out: out})
			}
		}
	}
	return list
}

// measured is the gas limit of a route and the least limits with which it succeeds:
// on the quoted state, and after its pools were traded, 0 if it then pays less than
// the minimum.
type measured struct {
	limit, need, moved uint64
	fee                *calldata.Fee
}

// measure executes a route, and gives its limit and needs on every schedule.
func (w *gasRig) measure(t testing.TB, p *plan.Plan) []measured {
	t.Helper()
	var recipient common.Address
	for i := range recipient {
		recipient[i] = byte(w.random.Uint32())
	}
	terms := calldata.Terms{Recipient: recipient, MinOut: leastOf(p), Deadline: 1 << 40,
		NativeOut: p.TokenOut == monad.WrappedNative && w.random.IntN(2) == 0}
	w.charge(p, &terms)
	list := make([]measured, len(schedules))
	var swap calldata.Tx
	for i, s := range schedules {
		swap = encode(t, p, terms, s)
		list[i].limit, list[i].fee = swap.Gas, terms.Fee
	}
	needs, err := w.needs(t, p, swap)
	if err != nil {
		t.Fatalf("%v: %s", err, describe(p))
	}
	for i := range list {
		list[i].need = needs[i]
	}
	w.trade(t, p)
	needs, err = w.needs(t, p, swap)
	if err != nil {
		return list // it pays less than the minimum now
	}
	for i := range list {
		list[i].moved = needs[i]
	}
	if _, err := w.chain.Mine(w.pulled(t, p, swap)...); err != nil {
		t.Fatal(err)
	}
	w.nonce += 2
	return list
}

// charge adds a fee to every other route, for an account that never held the token.
func (w *gasRig) charge(p *plan.Plan, terms *calldata.Terms) {
	if w.random.IntN(2) == 0 {
		return
	}
	terms.Fee = &calldata.Fee{Bps: 1 + w.random.Uint64N(calldata.MaxFeeBps), Side: calldata.FeeSide(w.random.IntN(2))}
	for i := range terms.Fee.Recipient {
		terms.Fee.Recipient[i] = byte(w.random.Uint32())
	}
	if terms.Fee.Side == calldata.FeeIn {
		terms.AmountIn, _ = terms.Fee.Before(p.AmountIn)
	} else {
		terms.MinOut = terms.Fee.Rest(terms.MinOut)
	}
}

// paidBy is the amountIn of a swap's calldata.
func paidBy(swap calldata.Tx) u256.Int { return u256.FromBytes(swap.Data[4+32 : 4+64]) }

func encode(t testing.TB, p *plan.Plan, terms calldata.Terms, s *gas.Schedule) calldata.Tx {
	t.Helper()
	at, executor := contracts.Addresses(monad.WrappedNative)
	tx, err := calldata.Contracts{Router: at, Executor: executor, WrappedNative: monad.WrappedNative, Schedule: s}.Encode(p, terms)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// leastOf is the minimum that a route must pay: 50 bps less than is quoted.
func leastOf(p *plan.Plan) u256.Int {
	least, _ := p.AmountOut.MulDiv(u256.From(9_950), u256.From(10_000))
	if least.IsZero() {
		return u256.One
	}
	return least
}

// pulled are the transactions of a new sender that swaps what it holds.
func (w *gasRig) pulled(t testing.TB, p *plan.Plan, swap calldata.Tx) []*types.Transaction {
	t.Helper()
	approve, err := contracts.Token.ABI.Pack("approve", swap.To, paidBy(swap).Big())
	if err != nil {
		t.Fatal(err)
	}
	return append(w.fund(t, p.TokenIn, paidBy(swap)),
		devchain.Sign(w.sender, 0, venue.Tx{To: p.TokenIn, Data: approve, Gas: 100_000}),
		devchain.Sign(w.sender, 1, venue.Tx{To: swap.To, Data: swap.Data, Gas: maxTxGas}))
}

// needs are the least gas limits of a swap by a new sender, with the dearer way of
// funding, on every schedule.
func (w *gasRig) needs(t testing.TB, p *plan.Plan, swap calldata.Tx) ([]uint64, error) {
	t.Helper()
	pulled := w.pulled(t, p, swap)
	fundings := [][]*types.Transaction{pulled}
	if p.TokenIn == monad.WrappedNative {
		sent := devchain.Sign(w.sender, 0, venue.Tx{To: swap.To, Data: swap.Data, Value: paidBy(swap), Gas: maxTxGas})
		fundings = append(fundings, []*types.Transaction{pulled[0], sent}) // the sender holds no wrapped native
	}
	most := make([]uint64, len(schedules))
	for _, txs := range fundings {
		needs, err := w.chain.Need(schedules, txs...)
		if err != nil {
			return nil, err
		}
		if w.nonce%20 == 0 {
			w.checkNeed(t, txs, needs[0])
		}
		for i := range most {
			most[i] = max(most[i], needs[i])
		}
	}
	return most, nil
}

// trade trades each pool of a route, in either direction, by 1/256 to 1/16 of what
// its step swaps. A trade that the pool refuses is left out.
func (w *gasRig) trade(t testing.TB, p *plan.Plan) {
	t.Helper()
	var txs []*types.Transaction
	send := func(tx venue.Tx) {
		txs = append(txs, devchain.Sign(devchain.DevKey, w.nonce, tx))
		w.nonce++
	}
	for i := range p.Steps {
		step := plan.Step{Pool: p.Steps[i].Pool, In: p.Steps[i].In, Out: p.Steps[i].Out}
		amount := p.Steps[i].AmountIn
		if w.random.IntN(2) == 0 {
			step.In, step.Out, amount = step.Out, step.In, p.Steps[i].AmountOut
		}
		amount = u256.FromFloat(amount.Float() * math.Exp2(-4-4*w.random.Float64()))
		one, err := plan.Run(step.TokenIn(), step.TokenOut(), amount, []plan.Step{step})
		if err != nil {
			continue
		}
		swap := encode(t, &one, calldata.Terms{Recipient: devchain.DevAccount, MinOut: u256.One, Deadline: 1 << 40}, gas.Ethereum)
		approve, err := contracts.Token.ABI.Pack("approve", swap.To, one.AmountIn.Big())
		if err != nil {
			t.Fatal(err)
		}
		send(venue.Tx{To: one.TokenIn, Data: approve, Gas: 100_000})
		send(venue.Tx{To: swap.To, Data: swap.Data, Gas: 2_000_000})
	}
	if _, err := w.chain.Mine(txs...); err != nil {
		t.Fatal(err)
	}
}

// maxTxGas is the largest gas limit of a transaction on the local chain.
const maxTxGas = 1 << 24

// fund makes a new sender that holds native currency, so much of a token and nothing
// else.
func (w *gasRig) fund(t testing.TB, token common.Address, amount u256.Int) []*types.Transaction {
	t.Helper()
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(w.random.Uint32())
	}
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	w.sender = key
	who := crypto.PubkeyToAddress(key.PublicKey)
	transfer, err := contracts.Token.ABI.Pack("transfer", who, amount.Big())
	if err != nil {
		t.Fatal(err)
	}
	native := u256.From(1e18).Mul(u256.From(100))
	if token == monad.WrappedNative {
		native = native.Add(amount)
	}
	return []*types.Transaction{
		devchain.Sign(devchain.DevKey, w.nonce, venue.Tx{To: who, Value: native, Gas: 21_000}),
		devchain.Sign(devchain.DevKey, w.nonce+1, venue.Tx{To: token, Data: transfer, Gas: 100_000}),
	}
}

// checkNeed compares devchain's meter with the EVM: the need on Ethereum's schedule
// is enough, and one unit of gas less is not.
func (w *gasRig) checkNeed(t testing.TB, txs []*types.Transaction, need uint64) {
	t.Helper()
	last := len(txs) - 1
	for _, limit := range []uint64{need, need - 1} {
		tx := txs[last]
		again := devchain.Sign(w.sender, tx.Nonce(), venue.Tx{To: *tx.To(), Data: tx.Data(), Value: u256.FromBytes(tx.Value().Bytes()), Gas: limit})
		_, err := w.chain.Need(nil, append(slices.Clone(txs[:last]), again)...)
		if (err == nil) != (limit == need) {
			t.Errorf("needs %d, and with %d: %v", need, limit, err)
		}
	}
}

// describe lists the steps of a plan.
func describe(p *plan.Plan) string {
	text := ""
	for i := range p.Steps {
		s := &p.Steps[i]
		text += fmt.Sprintf(" %s:%.4s>%.4s", s.Pool.Info().Source.ID, s.TokenIn().Hex()[2:], s.TokenOut().Hex()[2:])
	}
	return text
}
