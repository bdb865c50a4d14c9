package market

import (
	"math"

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

// revotes is how often all prices are voted on again once every token has one. At its
// first vote a token has heard only the neighbours that were priced before it. The
// second repetition is for tokens whose neighbours were mended by the first.
const revotes = 2

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
	n := len(s.tokens.all)
	p := pricing{Graph: g, tokens: make([]pricedToken, n), order: make([]int32, 0, n), queue: offers{deepest: make([]float64, n)}}
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
	for range revotes {
		for _, t := range p.order[stables:] {
			p.vote(int(t), false)
		}
	}
	clear(p.queue.deepest)
	for t := range p.tokens {
		if p.tokens[t].usd > 0 {
			p.offer(t, true)
		}
	}
	p.run(true)
	p.finish()
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
		if depth := min(t.depth, t.usd*v.depth); depth > p.queue.deepest[v.to] && credible(t.usd/v.mid) {
			p.queue.push(offer{token: v.to, depth: depth})
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
		if usd := u.usd * v.mid; credible(usd) {
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
// pools contradict them.
func (p *pricing) finish() {
	p.prices, p.medians = make([]Price, len(p.tokens)), make([]float64, len(p.tokens))
	for t := range p.tokens {
		token, row := &p.tokens[t], p.votesOf(t)
		if len(row) == 1 && token.usd == 0 && row[0].mid > 0 {
			if usd := p.tokens[row[0].to].usd * row[0].mid; credible(usd) {
				token.usd = usd
			}
		}
		price := &p.prices[t]
		price.USD, p.medians[t] = token.usd, token.median
		for i := range row {
			price.Liquidity += token.usd * row[i].reserve
		}
	}
	for t := range p.tokens {
		usd, row, rates := p.tokens[t].usd, p.votesOf(t), p.rates[p.row[t]:]
		for i := range row {
			said := row[i].mid * p.tokens[row[i].to].usd
			rates[i].outOfLine = said > 0 && usd > 0 && (said > inLine*usd || usd > inLine*said)
			p.outOfLine = p.outOfLine || rates[i].outOfLine
		}
	}
}
