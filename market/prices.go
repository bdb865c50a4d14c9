package market

import (
	"math"

	"github.com/ethereum/go-ethereum/common"
)

// Price is the price of a token by the pools of a snapshot.
type Price struct {
	USD       float64 // dollars for one raw unit; 0 if unknown
	Liquidity float64 // dollars of this token in all pools that can trade it
}

// Price is the price of the token with a number.
func (s *Snapshot) Price(token int) Price { return s.Graph().prices[token] }

// USD is the price of one raw unit of a token in dollars; 0 if unknown.
func (s *Snapshot) USD(a common.Address) float64 {
	if i, ok := s.Token(a); ok {
		return s.Price(i).USD
	}
	return 0
}

// price sets the prices of all tokens, starting from the stablecoins. The next token
// to get one is always the one that the deepest pool leads to, where the depth is
// that of the token with a known price, in dollars (Prim's algorithm for the maximum
// spanning tree). So to manipulate a price one has to put more money into a pool
// than the deepest other pool of the token holds.
func (g *Graph) price(s *Snapshot) {
	g.prices = make([]Price, len(s.tokens.all))
	q := offers{deepest: make([]float64, len(s.tokens.all))}
	for _, a := range s.chain.Stables {
		if i, ok := s.tokenNo.of(a); ok {
			q.push(offer{token: int32(i), usd: math.Pow10(-int(s.tokens.all[i].Decimals)), depth: math.Inf(1)})
		}
	}
	for len(q.heap) > 0 {
		o := q.pop()
		if g.prices[o.token].USD != 0 {
			continue
		}
		g.prices[o.token].USD = o.usd
		row := g.out(int(o.token))
		for i := range row {
			l := &row[i]
			if l.mid == 0 || g.prices[l.To].USD != 0 {
				continue
			}
			next := offer{token: l.To, usd: o.usd / l.mid, depth: o.usd * l.depth}
			switch {
			case !credible(next.usd) || next.depth <= q.deepest[next.token]:
			case len(g.out(int(l.To))) == 1:
				g.prices[l.To].USD = next.usd // it has no other pool
			default:
				q.push(next)
			}
		}
	}
	for t := range g.prices {
		price, row := &g.prices[t], g.out(t)
		for i := range row {
			if l := &row[i]; l.Out == 0 || l.In == 0 && l.Out == 1 { // count a pool once for each of its tokens
				price.Liquidity += price.USD * l.depth
			}
		}
	}
}

// offer is a possible price of a token, by a pool with that depth in dollars on the
// side of known price.
type offer struct {
	usd, depth float64
	token      int32
}

func (a *offer) before(b *offer) bool {
	return a.depth > b.depth || a.depth == b.depth && a.token < b.token
}

// offers is a heap of offers, the deepest first.
type offers struct {
	heap    []offer
	deepest []float64 // by token: the depth of the last offer; only deeper ones are added
}

func (q *offers) push(o offer) {
	q.deepest[o.token] = o.depth
	q.heap = append(q.heap, o)
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.heap[i].before(&q.heap[up]) {
			return
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *offers) pop() offer {
	h, last := q.heap, len(q.heap)-1
	top := h[0]
	h[0], q.heap = h[last], h[:last]
	for i := 0; ; {
		best := 2*i + 1
		if best >= last {
			return top
		}
		if best+1 < last && h[best+1].before(&h[best]) {
			best++
		}
		if !h[best].before(&h[i]) {
			return top
		}
		h[i], h[best] = h[best], h[i]
		i = best
	}
}
