package market

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
)

// Price is the price of a token by the pools of a snapshot.
type Price struct {
	USD       float64 // dollars for one raw unit; 0 if unknown, or if the pools disagree
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

const (
	// revotes is how often at most all prices are voted on again once every token has one.
	// At its first vote a token has heard only the neighbours that were priced before it.
	// Later repetitions are for tokens whose neighbours were mended by the first.
	revotes = 3
	// mended is the ratio by which a price has changed then.
	mended = 1.01
)

// pricing is the state in which prices are found.
type pricing struct {
	*Graph
	tokens []pricedToken
	order  []int32 // of the tokens, as they were first voted on: after their parents
	queue  offers
	ballot ballot
}

// pricedToken is the price of a token while prices are found, and its place in the tree
// of deepest paths from the stablecoins.
type pricedToken struct {
	usd      float64 // for one raw unit; 0 while unknown
	depth    float64 // of the deepest path from a stablecoin, dollars
	median   float64 // of the last vote, also where the price is withheld
	parent   int32   // the token before it on that path; -1 of a stablecoin
	first    int32   // its number in preorder; its descendants have the next ones
	subtree  int32   // how many tokens there are below it and itself; 0 before nest
	withheld bool
}

// price sets the prices of all tokens. Stablecoins are worth a dollar. The next token
// to get a price is always the one that the deepest path leads to (Prim's algorithm for
// the maximum spanning tree), where the depth of a path is that of its least pool. Its
// price is the weighted median of what its pools say (see ballot). Then all vote again.
// Tokens that no pool with a weight of its own leads to are priced by weak votes at
// last: they say nothing about tokens that have better ones.
func (g *Graph) price(s *Snapshot) {
	p := pricings.Get().(*pricing)
	defer p.release()
	p.begin(g)
	for _, a := range s.chain.Stables {
		if i, ok := s.tokenNo.of(a); ok && p.tokens[i].usd == 0 {
			p.tokens[i] = pricedToken{usd: math.Pow10(-int(s.tokens.all[i].Decimals)), depth: math.Inf(1), parent: -1}
			p.order = append(p.order, int32(i))
		}
	}
	stables := len(p.order)
	for _, t := range p.order {
		p.offer(int(t), false)
	}
	p.run(false)
	p.nest()
	for again, i := true, 0; again && i < revotes; i++ {
		again = p.revote(p.order[stables:])
	}
	p.offerWeak()
	p.run(true)
	p.finish()
}

var pricings = sync.Pool{New: func() any { return new(pricing) }}

// begin makes room for the tokens of a graph.
func (p *pricing) begin(g *Graph) {
	n := len(g.tokens)
	p.Graph = g
	p.tokens, p.queue.deepest = slices.Grow(p.tokens[:0], n)[:n], slices.Grow(p.queue.deepest[:0], n)[:n]
	clear(p.tokens)
	clear(p.queue.deepest)
	p.order = p.order[:0]
}

func (p *pricing) release() {
	p.Graph = nil
	pricings.Put(p)
}

// run gives prices to all tokens that offers lead to, the deepest first.
func (p *pricing) run(weak bool) {
	for len(p.queue.heap) > 0 {
		o := p.queue.pop()
		if t := &p.tokens[o.token]; t.usd != 0 || t.withheld {
			continue
		}
		if p.vote(int(o.token), weak) {
			p.offer(int(o.token), weak)
		}
		if p.tokens[o.token].median > 0 {
			p.order = append(p.order, o.token)
		}
	}
}

// offer queues the neighbours of a token with a price that have none.
func (p *pricing) offer(token int, weak bool) {
	t := &p.tokens[token]
	row := p.votesOf(token)
	for i := range row {
		v := &row[i]
		if v.mid == 0 || v.weak && !weak || p.tokens[v.to].usd != 0 || p.single(int(v.to)) {
			continue
		}
		if depth := min(t.depth, t.usd*v.depth); depth > p.queue.deepest[v.to] && Credible(t.usd/v.mid) {
			p.queue.push(offer{token: v.to, depth: depth})
		}
	}
}

// offerWeak queues all tokens without a price that a neighbour has a vote on, weak or not.
func (p *pricing) offerWeak() {
	clear(p.queue.deepest)
	for t := range p.tokens {
		if p.tokens[t].usd != 0 || p.tokens[t].withheld || p.single(t) {
			continue
		}
		row := p.votesOf(t)
		for i := range row {
			v, u := &row[i], &p.tokens[row[i].to]
			if depth := min(u.depth, u.usd*v.mid*v.depth); depth > p.queue.deepest[t] {
				p.queue.push(offer{token: int32(t), depth: depth})
			}
		}
	}
}

// single says whether a token has but one pool, with one other token. It gets its price
// at the end, and says nothing about others.
func (p *pricing) single(token int) bool { return p.row[token+1]-p.row[token] == 1 }

// vote has the neighbours of a token that have a price vote on its own, but for those
// that come after it on their deepest path: they would repeat what it says itself. It is
// false if the token has no price then.
func (p *pricing) vote(token int, weak bool) bool {
	t := &p.tokens[token]
	p.ballot.clear()
	row := p.votesOf(token)
	for i := range row {
		v := &row[i]
		u := &p.tokens[v.to]
		if u.usd == 0 || v.mid == 0 || v.weak && !weak || uint32(u.first-t.first) < uint32(t.subtree) {
			continue
		}
		if usd := u.usd * v.mid; Credible(usd) {
			p.ballot.add(ballotVote{usd: usd, weight: min(v.depth, u.depth/usd), from: v.to})
		}
	}
	median, deepest, agreed := p.ballot.count()
	t.usd, t.median, t.withheld = 0, median, median > 0 && !agreed
	if agreed {
		t.usd, t.depth = median, deepest.weight*median
	}
	if t.subtree == 0 {
		t.parent = deepest.from
	}
	return agreed
}

// revote has the prices of tokens voted on again, and says whether that mended any.
func (p *pricing) revote(tokens []int32) (again bool) {
	for _, t := range tokens {
		before := p.tokens[t].usd
		p.vote(int(t), false)
		if usd := p.tokens[t].usd; usd > before*mended || before > usd*mended {
			again = true
		}
	}
	return again
}

// nest numbers the tree of deepest paths in preorder.
func (p *pricing) nest() {
	for i := len(p.order) - 1; i >= 0; i-- {
		t := &p.tokens[p.order[i]]
		t.subtree++
		if t.parent >= 0 {
			p.tokens[t.parent].subtree += t.subtree
		}
	}
	// Until all are numbered, first is where the next child begins.
	next := int32(0)
	for _, i := range p.order {
		t := &p.tokens[i]
		begin := &next
		if t.parent >= 0 {
			begin = &p.tokens[t.parent].first
		}
		t.first = *begin + 1
		*begin += t.subtree
	}
	for _, i := range p.order {
		t := &p.tokens[i]
		t.first -= t.subtree - 1
	}
}

// finish writes the prices down, with those of tokens that have but one pool, and which
// pools contradict them. Where a price is withheld the median is still a reference price.
func (p *pricing) finish() {
	p.prices, p.reference = make([]Price, len(p.tokens)), make([]float64, len(p.tokens))
	p.contradicts = make([]bool, len(p.directions))
	for t := range p.tokens {
		token := &p.tokens[t]
		if token.usd == 0 && p.single(t) {
			v := &p.votesOf(t)[0]
			if usd := p.tokens[v.to].usd * v.mid; Credible(usd) {
				token.usd = usd
			}
		}
		p.prices[t].USD, p.reference[t] = token.usd, cmp.Or(token.usd, token.median)
	}
	for t := range p.prices {
		price, row, contradicts := &p.prices[t], p.votesOf(t), p.contradicts[p.row[t]:]
		for i := range row {
			v := &row[i]
			price.Liquidity += price.USD * v.reserve
			said := v.mid * p.prices[v.to].USD
			contradicts[i] = (said > inLine*price.USD || price.USD > inLine*said) && said > 0 && price.USD > 0
			p.outOfLine = p.outOfLine || contradicts[i]
		}
	}
}
