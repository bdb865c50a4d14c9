package rival_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/plan"
	"braid/rival"
	"braid/router"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// TestLocalChain sends random orders on the local chain, one after the other. Net of
// gas, each plan must pay at least as much as the rivals on the same market, and the
// recipient must receive what the plan says. ORDERS and SEED in the environment set
// the number and the seed.
func TestLocalChain(t *testing.T) {
	orders, r := venuetest.Setting(t, "ORDERS", 300), rand.New(rand.NewPCG(venuetest.Setting(t, "SEED", 3), 9))
	l := newLocal(t)
	kinds := map[venue.Type]int{}
	gain := map[string]float64{}
	sent := 0
	for sent < int(orders) {
		s := l.settle()
		in, out, amount, ok := random(s, r)
		if !ok || amount.Gt(l.balance(in, devchain.DevAccount)) {
			continue
		}
		p, err := router.Find(s, router.Order{TokenIn: in, TokenOut: out, AmountIn: amount})
		if err != nil {
			continue // too little, or too much for all there is
		}
		for name, bps := range l.contest(s, &p, sent, 0) {
			gain[name] += bps / float64(orders)
		}
		l.send(&p, sent)
		for i := range p.Steps {
			kinds[p.Steps[i].Pool.Info().Source.Type]++
		}
		sent++
	}
	t.Logf("%d orders; steps %v; ahead on average, bps: single path %.2f, grid %.2f", sent, kinds, gain["single path"], gain["grid"])
	if len(kinds) != 6 {
		t.Errorf("only %v were used: not all six kinds", kinds)
	}
}

// TestLocalMarket compares many more plans with the rivals. Nothing is sent: the
// market after each plan is computed by the pools. Rounding lets a rival be ahead
// by noise in some.
func TestLocalMarket(t *testing.T) {
	orders, r := venuetest.Setting(t, "ORDERS", 400), rand.New(rand.NewPCG(venuetest.Setting(t, "SEED", 4), 9))
	l := newLocal(t)
	s := l.settle()
	for done := 0; done < int(orders); {
		in, out, amount, ok := random(s, r)
		if !ok {
			continue
		}
		p, err := router.Find(s, router.Order{TokenIn: in, TokenOut: out, AmountIn: amount})
		if err != nil {
			continue
		}
		l.contest(s, &p, done, noise)
		s = l.after(s, &p)
		done++
	}
}

// noise is by how many basis points a rival may be ahead: because of single raw
// units of tokens with few decimals, and because gas is priced in another token on
// the way.
const noise = 0.05

// contest checks that no rival pays more than a plan by more than the allowed basis
// points, and gives by how many the plan pays more than each.
func (l *local) contest(s *market.Snapshot, p *plan.Plan, order int, allowed float64) map[string]float64 {
	l.Helper()
	ours, ahead := rival.Answer{Out: p.AmountOut, Gas: p.Gas}.Net(s, p.TokenOut), map[string]float64{}
	for name, route := range map[string]func(*market.Snapshot, common.Address, common.Address, u256.Int) (rival.Answer, bool){
		"single path": rival.Single, "grid": rival.Grid,
	} {
		theirs, ok := route(s, p.TokenIn, p.TokenOut, p.AmountIn)
		if !ok {
			continue
		}
		if net := theirs.Net(s, p.TokenOut); net > ours {
			behind := 1e4 * (net - ours) / theirs.Out.Float()
			l.Logf("order %d, %v of %s to %s: the %s nets %g, we %g (%d steps), %.4f bps less", order, p.AmountIn, p.TokenIn, p.TokenOut, name, net, ours, len(p.Steps), behind)
			if behind > allowed {
				l.Fail()
			}
		}
		ahead[name] = 1e4 * (p.AmountOut.Float()/theirs.Out.Float() - 1)
	}
	return ahead
}

// after is the market after a plan.
func (l *local) after(s *market.Snapshot, p *plan.Plan) *market.Snapshot {
	l.Helper()
	var pools []venue.Pool
	for i := range p.Steps {
		step := &p.Steps[i]
		pool, err := step.Pool.Swap(step.In, step.Out, step.AmountIn)
		if err != nil {
			l.Fatal(err)
		}
		pools = append(pools, pool)
	}
	block := s.Block()
	block.Number++
	next, err := s.Next(block, pools, nil)
	if err != nil {
		l.Fatal(err)
	}
	return next
}

// random is an order between two tokens, of 1 to 300,000 dollars.
func random(s *market.Snapshot, r *rand.Rand) (in, out common.Address, amount u256.Int, ok bool) {
	tokens := s.Tokens()
	i, j := r.IntN(len(tokens)), r.IntN(len(tokens))
	usd := s.Price(i).USD
	if usd == 0 || i == j {
		return in, out, amount, false
	}
	return tokens[i].Address, tokens[j].Address, u256.FromFloat(math.Exp(r.Float64()*math.Log(3e5)) / usd), true
}

// local is a local chain with all families, and an indexer that follows it.
type local struct {
	*testing.T
	chain   *devchain.Chain
	node    *chain.Client
	index   *indexer.Indexer
	at      calldata.Contracts
	nonce   uint64
	allowed map[common.Address]bool
}

func newLocal(t *testing.T) *local {
	t.Helper()
	sources := monad.Sources()
	families := families.Of(sources, monad.WrappedNative)
	c, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: sources, Families: families,
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
	l := &local{T: t, chain: c, node: node, allowed: map[common.Address]bool{}}
	l.at.Router, l.at.Executor = contracts.Addresses(monad.WrappedNative)
	l.at.WrappedNative = monad.WrappedNative
	l.index = indexer.New(indexer.Config{
		Node: node, Families: families, Start: market.New(monad.Chain()), Listed: monad.Tokens(), Registry: prometheus.NewRegistry(),
		FirstBlock: 1_000_000,
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- l.index.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return l
}

// settle waits for the snapshot of the chain's head.
func (l *local) settle() *market.Snapshot {
	l.Helper()
	head := l.chain.Head().Hash()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Microsecond) {
		if s := l.index.Head(); s != nil && s.Block().Hash == head {
			return s
		}
	}
	l.Fatalf("head %s is not reached: %+v", head, l.index.Health())
	return nil
}

// send executes a plan for a recipient that never held anything, which must receive
// what the plan says.
func (l *local) send(p *plan.Plan, order int) {
	l.Helper()
	recipient := common.Address{0: 0x77}
	binary.BigEndian.PutUint64(recipient[12:], uint64(order))
	tx, err := l.at.Encode(p, calldata.Terms{Recipient: recipient, MinOut: p.AmountOut, Deadline: math.MaxUint64})
	if err != nil {
		l.Fatal(err)
	}
	var txs []*types.Transaction
	if !l.allowed[p.TokenIn] {
		most := u256.Max.Bytes()
		approve := venue.Calldata("approve(address,uint256)", l.at.Router[:], most[:])
		txs = append(txs, l.sign(venue.Tx{To: p.TokenIn, Data: approve, Gas: 100_000}))
		l.allowed[p.TokenIn] = true
	}
	txs = append(txs, l.sign(venue.Tx{To: tx.To, Data: tx.Data, Gas: tx.Gas}))
	receipts, err := l.chain.Mine(txs...)
	if err != nil {
		l.Fatal(err)
	}
	last := receipts[len(receipts)-1]
	if got := l.balance(p.TokenOut, recipient); last.Status != types.ReceiptStatusSuccessful || got != p.AmountOut {
		l.Errorf("order %d: %v of %s over %d steps: promised %v, received %v, %d of %d gas", order, p.AmountIn, p.TokenIn, len(p.Steps), p.AmountOut, got, last.GasUsed, tx.Gas)
	}
}

func (l *local) balance(token, owner common.Address) u256.Int {
	l.Helper()
	answers, err := l.node.Calls(l.Context(), l.chain.Head().Hash(), []chain.Call{{To: token, Data: venue.Calldata("balanceOf(address)", owner[:])}})
	if err != nil {
		l.Fatal(err)
	}
	return u256.FromBytes(answers[0].Data)
}

func (l *local) sign(tx venue.Tx) *types.Transaction {
	l.nonce++
	return devchain.Sign(devchain.DevKey, l.nonce-1, tx)
}
