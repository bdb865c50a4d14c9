package market

import (
	"container/heap"
	"math"

	"github.com/ethereum/go-ethereum/common"
)

// Price is what the pools say a token is worth.
type Price struct {
	USD       float64 // of one raw unit; 0 when unknown
	Liquidity float64 // USD of this token standing in pools with a price
}

// Price of a token, by its number.
func (s *Snapshot) Price(token int) Price {
	s.priceOnce.Do(s.computePrices)
	return s.prices[token]
}

// USD is the worth of one raw unit of a token; 0 when unknown.
func (s *Snapshot) USD(a common.Address) float64 {
	if i, ok := s.Token(a); ok {
		return s.Price(i).USD
	}
	return 0
}

// computePrices walks out from the stablecoins. The next token to get a price
// is always the one reached through the deepest market, measured on the side
// whose worth is already known: to bend a price one has to put more real money
// into a pool than the honest market holds.
func (s *Snapshot) computePrices() {
	s.prices = make([]Price, len(s.tokens))
	var q offers
	settle := func(token int, usd float64) {
		s.prices[token].USD = usd
		for _, e := range s.edges[token] {
			p := s.pools[e.Pool]
			there, back := p.Spot(e.In, e.Out), p.Spot(e.Out, e.In)
			if s.prices[e.To].USD != 0 || there <= 0 || back <= 0 {
				continue
			}
			// Both spots are net of the same fee; their ratio is free of it.
			mid := math.Sqrt(there / back)
			heap.Push(&q, offer{token: e.To, usd: usd / mid, depth: usd * p.Depth(e.In)})
		}
	}
	for _, a := range s.chain.Stables {
		if i, ok := s.tokenNo[a]; ok {
			heap.Push(&q, offer{token: i, usd: math.Pow10(-int(s.tokens[i].Decimals)), depth: math.Inf(1)})
		}
	}
	for q.Len() > 0 {
		if o := heap.Pop(&q).(offer); s.prices[o.token].USD == 0 {
			settle(o.token, o.usd)
		}
	}
	for _, p := range s.pools {
		for i, a := range p.Info().Tokens {
			price := &s.prices[s.tokenNo[a]]
			price.Liquidity += price.USD * p.Depth(i)
		}
	}
}

// offer proposes a price for a token, seen through a market of some depth.
type offer struct {
	token      int
	usd, depth float64
}

type offers []offer

func (q offers) Len() int { return len(q) }
func (q offers) Less(i, j int) bool {
	if q[i].depth != q[j].depth {
		return q[i].depth > q[j].depth
	}
	return q[i].token < q[j].token
}
func (q offers) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *offers) Push(x any)   { *q = append(*q, x.(offer)) }
func (q *offers) Pop() any {
	old := *q
	o := old[len(old)-1]
	*q = old[:len(old)-1]
	return o
}
