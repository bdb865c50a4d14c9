package rival

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var a, b, c = common.Address{1}, common.Address{2}, common.Address{3}

// testMarket has two equal pools between a and b, and a detour over c of half the
// depth.
func testMarket(t *testing.T) *market.Snapshot {
	t.Helper()
	row := &venue.Source{ID: "one", Family: univ2.Name, Type: venue.V2, Params: univ2.Fee(30)}
	pair := func(n byte, x, y common.Address, depth uint64) venue.Pool {
		return univ2.NewPool(row, common.Address{0x11, n}, [2]common.Address{x, y}, u256.From(depth), u256.From(depth))
	}
	s, err := market.New(market.Chain{WrappedNative: c, Stables: []common.Address{b}}).Next(market.Block{Number: 1},
		[]venue.Pool{pair(1, a, b, 1e12), pair(2, a, b, 1e12), pair(3, a, c, 5e11), pair(4, c, b, 5e11)},
		[]market.Token{{Address: a}, {Address: b}, {Address: c}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRivals: what each rival pays, by the formula of the constant product.
func TestRivals(t *testing.T) {
	s, amount := testMarket(t), u256.From(1e11)
	pays := func(depth, x float64) float64 { return depth * x * 0.997 / (depth + x*0.997) }
	round := func(x float64) float64 { return pays(5e11, pays(5e11, x)) }
	best := 0.0
	for k := range parts + 1 {
		for j := range parts + 1 - k {
			x, y := float64(k)/parts*1e11, float64(j)/parts*1e11
			best = max(best, pays(1e12, x)+pays(1e12, y)+round(1e11-x-y))
		}
	}
	for name, rival := range map[string]struct {
		route func(*market.Snapshot, common.Address, common.Address, u256.Int) (Answer, bool)
		least float64
		most  float64
	}{
		"single": {Single, pays(1e12, 1e11), pays(1e12, 1e11)},
		"grid":   {Grid, best, best},
		"chunks": {Chunks, 2 * pays(1e12, 5e10), best},
		"fill":   {Fill, 2 * pays(1e12, 5e10), best * (1 + 1e-4)}, // its parts are smaller
		"tines": {func(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
			return NewTines(s).Route(in, out, amount)
		}, 2 * pays(1e12, 5e10), best * (1 + 1e-4)}, // its parts are smaller
		"uniswap": {func(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
			return NewUniswap(s).Route(in, out, amount)
		}, 2 * pays(1e12, 5e10), best},
	} {
		got, ok := rival.route(s, a, b, amount)
		if out := got.Out.Float(); !ok || out < rival.least-40 || out > rival.most+40 {
			t.Errorf("%s pays %.0f, want %.0f to %.0f", name, out, rival.least, rival.most)
		}
		if _, ok := rival.route(s, a, a, amount); ok {
			t.Errorf("%s routes a token to itself", name)
		}
		if _, ok := rival.route(s, a, common.Address{9}, amount); ok {
			t.Errorf("%s routes to a token that is not there", name)
		}
	}
}
