package siege_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// survey is the market before all attacks, as the attacker sees it.
type survey struct {
	snapshot *market.Snapshot
	usd      map[common.Address]float64 // of a whole token, by the service
	live     map[string]bool            // sources that the service routes through
	decimals map[common.Address]int
}

// look reads the market from the chain, and what the service says about it.
func (s *siege) look() *survey {
	s.Helper()
	node, err := chain.Open(s.Context(), chain.Config{URLs: []string{s.chain.URL()}, ChainID: monad.ChainID})
	if err != nil {
		s.Fatal(err)
	}
	defer node.Close()
	sources := monad.Sources()
	index := indexer.New(indexer.Config{
		Node: node, Families: families.Of(sources, monad.WrappedNative), Start: market.New(monad.Chain()), Listed: monad.Tokens(),
	})
	ctx, stop := context.WithCancel(s.Context())
	var done sync.WaitGroup
	done.Go(func() { index.Run(ctx) })
	select {
	case <-index.Ready():
	case <-time.After(time.Minute):
		s.Fatal("the market cannot be read")
	}
	m := &survey{snapshot: index.Head(), live: map[string]bool{}, decimals: map[common.Address]int{}}
	stop()
	done.Wait()
	s.catchUp()
	var states []sourceState
	m.usd, states = s.marketOf()
	for _, state := range states {
		m.live[state.ID] = state.Status == "live"
	}
	for _, t := range m.snapshot.Tokens() {
		m.decimals[t.Address] = int(t.Decimals)
	}
	return m
}

// rawUSD is the honest price of a raw unit of a token. Native is wrapped native.
func (m *survey) rawUSD(token common.Address) float64 {
	if token == (common.Address{}) {
		token = monad.WrappedNative
	}
	return m.usd[token] * math.Pow10(-m.decimals[token])
}

// pools are those of a pair in sources that the service routes through.
func (m *survey) pools(a, b common.Address) (list []venue.Pool) {
	for _, p := range m.snapshot.Pools() {
		t := p.Info().Tokens
		if len(t) == 2 && m.live[p.Info().Source.ID] && (t[0] == a && t[1] == b || t[0] == b && t[1] == a) {
			list = append(list, p)
		}
	}
	return list
}

// executable is the executable depth of a pool in dollars: the input that makes its
// price 2 % worse, of the direction in which that is less.
func (m *survey) executable(p venue.Pool) float64 {
	const worse = 0.02
	least := math.Inf(1)
	for in := range 2 {
		out, spot := 1-in, p.Spot(in, 1-in)
		low, high := 0.0, 1e12/m.rawUSD(p.Info().Tokens[in])
		for high > low*1.001+1 {
			amount := (low + high) / 2
			if after, err := p.Swap(in, out, u256.FromFloat(amount)); err == nil && after.Spot(in, out) > (1-worse)*spot {
				low = amount
			} else {
				high = amount
			}
		}
		least = min(least, low*m.rawUSD(p.Info().Tokens[in]))
	}
	return least
}

// pairUSD is the executable depth of all pools of a pair, in dollars.
func (m *survey) pairUSD(a, b common.Address) (sum float64) {
	for _, p := range m.pools(a, b) {
		sum += m.executable(p)
	}
	return sum
}

// order is an honest one.
type order struct {
	in, out common.Address
	amount  u256.Int
}

// honestOrders are those of $10 to $3M between listed tokens, which the service
// quotes before any attack. The first is that of the known attack, the next are
// between the token whose price is bent most and dollars.
func (s *siege) honestOrders() (list []order) {
	s.Helper()
	add := func(in, out common.Address, usd float64) {
		o := order{in, out, u256.FromFloat(usd / s.market.rawUSD(in))}
		if q := s.quote(o); q.status == http.StatusOK {
			list = append(list, o)
		}
	}
	add(monad.AUSD, monad.USDC, 3e6)
	add(monad.WrappedNative, monad.USDC, 3e5)
	add(monad.USDC, common.Address{}, 1000)
	var priced []common.Address
	for _, t := range monad.Tokens() {
		if s.market.usd[t.Address] > 0 {
			priced = append(priced, t.Address)
		}
	}
	for try := 0; len(list) < s.orders && try < 10*s.orders; try++ {
		in, out := priced[s.random.IntN(len(priced))], priced[s.random.IntN(len(priced))]
		if in != out {
			add(in, out, 10*math.Pow(300_000, s.random.Float64()))
		}
	}
	if len(list) < s.orders {
		s.Fatalf("only %d orders of %d can be quoted", len(list), s.orders)
	}
	return list
}

// quoted is what the service answers to an order.
type quoted struct {
	code   string // of an error
	status int
	out    float64 // raw units
	gas    float64
	pools  []venue.ID
}

func (s *siege) quote(o order) (q quoted) {
	var body struct {
		AmountOut string
		Routes    []struct{ Pool venue.ID }
		Meta      struct{ GasLimit string }
		Code      string // of an error
	}
	q.status = s.get(fmt.Sprintf("/api/v1/quote?tokenIn=%s&tokenOut=%s&amount=%s&include=meta", o.in, o.out, o.amount), &body)
	fmt.Sscan(body.AmountOut, &q.out)
	fmt.Sscan(body.Meta.GasLimit, &q.gas)
	q.code = body.Code
	for _, r := range body.Routes {
		q.pools = append(q.pools, r.Pool)
	}
	return q
}

func (s *siege) quotes(orders []order) (list []quoted) {
	for _, o := range orders {
		list = append(list, s.quote(o))
	}
	return list
}

// loss is how much less an order pays at most, net of gas, in basis
// points of what it paid before, and how many are not quoted any more.
func (s *siege) loss(orders []order, before, after []quoted) (bps float64, failed int) {
	for i, o := range orders {
		net := func(q quoted) float64 {
			return q.out*s.market.rawUSD(o.out) - q.gas*weiPerGas/1e18*monUSD
		}
		if after[i].status != http.StatusOK {
			failed++
			progress("%v of %v for %v is answered %d %s", o.amount, o.in, o.out, after[i].status, after[i].code)
			continue
		}
		was, is := net(before[i]), net(after[i])
		if was <= 0 {
			continue
		}
		lost := 10_000 * (1 - is/was)
		if bps = max(bps, lost); lost > maxLossBps {
			progress("%v of %v for %v loses %.4g bps: $%.6g became $%.6g, %.0f gas became %.0f", o.amount, o.in, o.out, lost, was, is, before[i].gas, after[i].gas)
		}
	}
	return bps, failed
}
