package rival

import (
	"math"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// Gas of a swap as tines counts it. Its flow number depends on it.
const (
	tinesGasPair  = 60_000 // constant product
	tinesGasBase  = 70_000 // any other pool
	tinesGasPiece = 40_000 // each range of liquidity that a swap touches, on top
)

const (
	tinesFlows    = 12   // parts when the order has no price impact
	tinesMaxFlows = 100  // parts at most
	tinesWeak     = 1e-3 // of what leaves a token: edges that carry less are removed
)

// Tines routes as Sushi's library of that name (@sushiswap/tines 1.0.11): up to 100
// equal parts, one after the other, each along the path that pays most for it net of
// gas on top of the parts before. A part may go back through a pool that others
// passed. The path is found by a label-setting search with one label a token,
// ordered by reference value, so it is not always the best one. In the end the
// flows of all parts are added up to one swap for each pool.
type Tines struct {
	s     *market.Snapshot
	edges []tinesEdge
	rows  [][]int32 // by token: its edges, in the order of pools
	verts []tinesVert
	queue tinesQueue
}

// tinesEdge is a pair of tokens in a pool, and the flow that parts before have sent
// through it.
type tinesEdge struct {
	pool   int
	token  [2]int32 // numbers in the market
	pos    [2]int   // positions in the pool
	supply [2]*venue.Supply
	total  [2]float64 // all of each token that the pool can pay, raw units
	mid    float64    // raw units of token 1 for one of token 0, without fee
	keep   float64    // fraction of an input that the fee leaves
	pair   bool       // constant product

	flow   [2]float64 // of each token, in raw units; positive when token 0 comes in
	gas    float64    // of the flow
	newGas float64    // of the flow and the part that is being routed
	closed bool
}

// tinesVert is what is known of a token.
type tinesVert struct {
	price    float64 // of a raw unit, in raw units of the order's first token
	gasPrice float64 // of a unit of gas, in raw units of this token

	// The label: the best known path to here, for the part that is being routed.
	amount, gas, total float64
	from               int32 // edge by which it was reached; -1 if none
	order              int   // in which tokens were first reached
	done               bool
}

// NewTines prepares a market for any number of orders, one at a time.
func NewTines(s *market.Snapshot) *Tines {
	t := &Tines{s: s, rows: make([][]int32, len(s.Tokens())), verts: make([]tinesVert, len(s.Tokens()))}
	for n, p := range s.Pools() {
		tokens := p.Info().Tokens
		for i := range tokens {
			for j := i + 1; j < len(tokens); j++ {
				t.addEdge(n, p, i, j)
			}
		}
	}
	return t
}

func (t *Tines) addEdge(n int, p venue.Pool, i, j int) {
	e := tinesEdge{
		pool: n, pos: [2]int{i, j}, pair: p.Info().Source.Type == venue.V2,
		supply: [2]*venue.Supply{venue.SupplyOf(p, i, j), venue.SupplyOf(p, j, i)},
	}
	if e.supply[0] == nil || e.supply[1] == nil {
		return
	}
	there, back := e.supply[0].Spot(), e.supply[1].Spot()
	e.mid, e.keep = math.Sqrt(there/back), math.Sqrt(there*back)
	for k := range e.total {
		e.total[k], _, _ = e.supply[1-k].Pay(e.supply[1-k].Max)
	}
	for k := range e.token {
		e.supply[k] = withoutLastTick(e.supply[k], e.keep)
		no, _ := t.s.Token(p.Info().Tokens[e.pos[k]])
		e.token[k] = int32(no)
		t.rows[no] = append(t.rows[no], int32(len(t.edges)))
	}
	t.edges = append(t.edges, e)
}

// Route is the answer of tines to an order.
func (t *Tines) Route(in, out common.Address, amount u256.Int) (Answer, bool) {
	from, known := t.s.Token(in)
	to, knownToo := t.s.Token(out)
	if !known || !knownToo || from == to {
		return Answer{}, false
	}
	t.setPrices(from)
	single := t.split(from, to, amount, 1)
	flows := t.flowNumber(&single, from, amount.Float())
	if single.ok && flows == 1 {
		return single.answer, true
	}
	best := t.split(from, to, amount, flows)
	switch {
	case !best.ok, single.ok && !best.whole, single.ok && single.net > best.net:
		best = single
	}
	return best.answer, best.ok
}

// tinesRoute is a route that tines compares with another.
type tinesRoute struct {
	answer      Answer
	ok          bool
	whole       bool    // all parts found a path
	net         float64 // output less gas as tines counts it, raw units of the last token
	gas         float64
	priceImpact float64 // without fees, a fraction
}

// split routes equal parts one after the other.
func (t *Tines) split(from, to int, amount u256.Int, parts int) tinesRoute {
	for i := range t.edges {
		e := &t.edges[i]
		e.flow, e.gas, e.newGas, e.closed = [2]float64{}, 0, 0, false
	}
	routed := 0
	for routed < parts && t.search(from, to, amount.Float()/float64(parts)) {
		t.apply(from, to)
		routed++
	}
	if routed == 0 {
		return tinesRoute{}
	}
	t.closeWeak()
	r := tinesRoute{whole: routed == parts}
	legs := t.legs(from, to)
	kept := 1.0
	for _, l := range legs {
		e := &t.edges[l.edge]
		kept *= e.keep
		_, gas := e.pay(l.side, math.Abs(e.flow[l.side]))
		r.gas += gas
	}
	r.answer, r.ok = t.execute(legs, from, to, amount)
	first, last := &t.verts[from], &t.verts[to]
	out := r.answer.Out.Float()
	r.net = out - last.gasPrice*r.gas
	r.priceImpact = max(0, 1-out/amount.Float()/(first.price/last.price)/kept)
	return r
}

// flowNumber is the number of parts at which the gas of one more part is what it
// takes off the price impact.
func (t *Tines) flowNumber(single *tinesRoute, from int, amount float64) int {
	if !single.ok || single.priceImpact == 0 {
		return tinesFlows
	}
	part := math.Sqrt(single.gas * t.verts[from].gasPrice * amount / single.priceImpact)
	flows := math.Round(amount / part)
	if math.IsInf(flows, 0) || math.IsNaN(flows) {
		return tinesMaxFlows
	}
	return int(max(1, min(flows, tinesMaxFlows)))
}

// setPrices sets the reference prices of all tokens, starting from one. The next
// token to get one is always the one that the deepest pool leads to, where depth is
// the value of the known token in the pool.
func (t *Tines) setPrices(start int) {
	for i := range t.verts {
		t.verts[i].price = 0
	}
	t.queue.reset()
	t.setPrice(start, 1)
	for {
		_, n, ok := t.queue.pop()
		if !ok {
			break
		}
		e := &t.edges[n]
		known, next, mid := e.token[0], e.token[1], 1/e.mid
		if t.verts[known].price == 0 {
			known, next, mid = next, known, e.mid
		}
		if t.verts[next].price == 0 {
			t.setPrice(int(next), t.verts[known].price*mid)
		}
	}
	gasPrice := 0.0
	if native, ok := t.s.Token(t.s.Chain().WrappedNative); ok {
		gasPrice = t.s.GasPrice().Float() * t.verts[native].price
	}
	for i := range t.verts {
		t.verts[i].gasPrice = gasPrice / t.verts[i].price
	}
}

func (t *Tines) setPrice(token int, price float64) {
	t.verts[token].price = price
	for _, n := range t.rows[token] {
		e := &t.edges[n]
		side := e.side(token)
		if t.verts[e.token[1-side]].price == 0 {
			t.queue.push(price*e.total[side], int(n), int32(n))
		}
	}
}

// lastTickRoot is the square root of the price at the lowest tick that there can
// be, -887272, and of the inverse price at the highest; half a tick above it.
var lastTickRoot = math.Pow(1.0001, -887271.5/2)

// withoutLastTick is a supply without the range that ends at the last tick there
// can be. tines takes it to be empty once a swap has crossed into it, which matters
// where the tick spacing is 1: there positions over all prices end at that tick.
func withoutLastTick(s *venue.Supply, keep float64) *venue.Supply {
	n := len(s.Pieces) - 1
	if _, price, _ := s.Pay(s.Max); n == 0 || math.Sqrt(price/keep) > lastTickRoot {
		return s
	}
	return &venue.Supply{Pieces: s.Pieces[:n], Max: s.Pieces[n].In}
}
