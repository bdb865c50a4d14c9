package contracts

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// What our two contracts burn against Uniswap's own router of V3, for the same
// swap on the same state: a standing approval, a recipient that holds the
// output already, Ethereum's schedule, before refunds. Two contracts cost more
// than one on a single hop; paying straight from pool to pool saves some of it
// on the second.
func TestGasAgainstUniswap(t *testing.T) {
	for _, c := range []struct {
		name string
		hops int
		bar  float64
	}{{"1 hop", 1, 1.12}, {"2 hops", 2, 1.05}} {
		theirs, ours := v3Gas(t, c.hops, true), v3Gas(t, c.hops, false)
		ratio := float64(ours) / float64(theirs)
		t.Logf("%s: ours %d, Uniswap's %d: %.3f", c.name, ours, theirs, ratio)
		if ratio > c.bar {
			t.Errorf("%s: %.3f times Uniswap's gas, the bar is %.2f", c.name, ratio, c.bar)
		}
	}
}

// v3Gas is what the second of two swaps over one or two V3 pools burns.
func v3Gas(t *testing.T, hops int, theirs bool) uint64 {
	s := newVenueRig(t)
	o, router, data := v3Order(s, hops)
	if !theirs {
		router, data = s.router, o.data()
	}
	var res result
	for range 2 {
		s.Time++
		if res = s.send(user, &router, nil, data); res.fault != "" {
			t.Fatal(res.fault)
		}
	}
	return res.gas
}

// v3Order is a swap over V3 pools for us, and for Uniswap's router.
func v3Order(s *venueRig, hops int) (o order, router common.Address, data []byte) {
	way := []common.Address{s.a, s.b, s.c}[:hops+1]
	var steps []step
	var fee []byte
	path := s.a[:]
	for i := range hops {
		st := s.through("V3", way[i], way[i+1])
		body := st.Pool.Call(st.In, st.Out).Body
		steps = append(steps, step{kind: 4, in: 2, out: 2, body: body})
		fee = s.must(user, common.BytesToAddress(body), nil, pack(s.artifact("UniswapV3Pool"), "fee"))
		path = slices.Concat(path, fee[29:], way[i+1][:])
	}
	steps[0].in, steps[hops-1].out = 0, 1
	table := way[1:hops]
	o = s.order(way[0], way[hops], e18(1), route(table, steps...))
	o.deadline = maxWei
	code := s.artifact("SwapRouter")
	router = s.deploy(code.Init(place("V3"), s.wrapped))
	s.must(user, s.a, nil, pack(Token, "approve", router, maxWei))
	data = pack(code, "exactInput", struct {
		Path                                 []byte
		Recipient                            common.Address
		Deadline, AmountIn, AmountOutMinimum *big.Int
	}{path, recipient, maxWei, o.amountIn, big.NewInt(1)})
	if hops == 1 {
		data = pack(code, "exactInputSingle", struct {
			TokenIn, TokenOut                                       common.Address
			Fee                                                     *big.Int
			Recipient                                               common.Address
			Deadline, AmountIn, AmountOutMinimum, SqrtPriceLimitX96 *big.Int
		}{way[0], way[1], new(big.Int).SetBytes(fee), recipient, maxWei, o.amountIn, big.NewInt(1), new(big.Int)})
	}
	return o, router, data
}
