package market

import (
	"math"

	"github.com/ethereum/go-ethereum/common"
)

// Price is what the pools say a token is worth.
type Price struct {
	USD       float64 // of one raw unit; 0 when unknown
	Liquidity float64 // USD of this token standing in pools with a price
}

// Price of a token, by its number.
func (s *Snapshot) Price(token int) Price { return s.Graph().prices[token] }

// USD is the worth of one raw unit of a token; 0 when unknown.
func (s *Snapshot) USD(a common.Address) float64 {
	if i, ok := s.Token(a); ok {
		return s.Price(i).USD
	}
	return 0
}

// price walks out from the stablecoins. The next token to get a price is
// always the one reached through the deepest market, measured on the side
// whose worth is already known: to bend a price one has to put more real money
// into a pool than the honest market holds.
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
				g.prices[l.To].USD = next.usd // no other can come
			default:
				q.push(next)
			}
		}
	}
	for t := range g.prices {
		price, row := &g.prices[t], g.out(t)
		for i := range row {
			if l := &row[i]; l.Out == 0 || l.In == 0 && l.Out == 1 { // one lane for each token of a pool
				price.Liquidity += price.USD * l.depth
			}
		}
	}
}

// offer proposes a price for a token, seen through a market of some depth.
type offer struct {
	usd, depth float64
	token      int32
}

func (a *offer) before(b *offer) bool {
	return a.depth > b.depth || a.depth == b.depth && a.token < b.token
}

// offers give the deepest first.
type offers struct {
	heap    []offer
	deepest []float64 // by token: the depth of the last one, as only deeper ones are to come
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
