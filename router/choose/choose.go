// Package choose finds, among candidate links, the network of at most K that pays most net of gas.
//
// Networks grow by ways: rows of links that lead from one token of a network to another
// over tokens outside it. Whatever pays more than a network and contains it is reached by
// ways of which each gains at the prices of the network that it joins: the dual at those
// prices bounds what links add, so that a network is optimal for all links when none gains.
// The same bound says what a network can become with the steps that are left, and cuts it
// when that is no more than what is known. Unless effort or width end it,
// the search is exact.
package choose

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"braid/router/flow"
)

// MaxLinks is the most candidates.
const MaxLinks = 64

// Problem is what to choose from.
type Problem struct {
	Links   []flow.Hop              // no more than MaxLinks; each direction once
	Known   []flow.Direction        // links of a network that is known, which others are to be better than
	Net     float64                 // what that pays, net of gas
	Price   func(token int) float64 // about what a unit of a token is worth in units of the sink
	MaxHops int                     // of a path
	K       int
	Exact   bool // more effort
}

// search is a problem with tokens numbered from 0, the source, and 1, the sink.
type search struct {
	Problem
	n       *flow.Network
	sizes   [2]int // tokens and pools of the market
	links   []link
	tokens  []int     // by number
	out     [][]int32 // by token: links
	rival   []uint64  // by link: those through the same pool
	seen    map[uint64]bool
	levels  [][]state // by number of links
	best    state
	width   int       // how many networks of each size are grown
	end     int       // of the effort
	price   []float64 // by token, of the network at hand
	profits []float64 // that sum up to what so many links can add
	ways    []way
}

type link struct {
	flow.Hop
	from, to int // numbers of tokens
	spot     float64
}

// state is a network with its flow: links and tokens as bits, prices by token.
type state struct {
	links  uint64
	net    float64
	prices []float64
}

// way is a row of links that may join.
type way struct {
	links  uint64
	gain   float64   // at most
	prices []float64 // of the tokens, with those on the way
}

// Best is the network of at most K links that pays more than the known one; false if none
// is found. The network is left as it was found, in order and with its flow.
func Best(n *flow.Network, tokens, pools int, p Problem) bool {
	s := newSearch(n, tokens, pools, p)
	s.best = state{net: p.Net}
	s.seed()
	for k := 1; k < p.K; k++ {
		level := s.levels[k]
		slices.SortStableFunc(level, func(a, b state) int { return cmp.Compare(b.net, a.net) })
		for i := range level[:min(len(level), s.width)] {
			if n.Budget.Used > s.end {
				break
			}
			s.grow(&level[i])
		}
	}
	if s.best.links == 0 {
		return false
	}
	s.solve(s.best.links, s.best.prices, flow.Fine)
	return true
}

func newSearch(n *flow.Network, tokens, pools int, p Problem) *search {
	s := &search{Problem: p, n: n, sizes: [2]int{tokens, pools}, seen: map[uint64]bool{}, levels: make([][]state, p.K+1)}
	s.width, s.end = width, n.Budget.Used+effort
	if p.Exact {
		s.width, s.end = exactWidth, n.Budget.Used+exactEffort
	}
	s.tokens = []int{n.Nodes[flow.Source].Token, n.Nodes[flow.Sink].Token}
	number := func(token int) int {
		i := slices.Index(s.tokens, token)
		if i < 0 {
			i = len(s.tokens)
			s.tokens = append(s.tokens, token)
		}
		return i
	}
	for _, h := range p.Links {
		s.links = append(s.links, link{h, number(h.From), number(h.To), h.Supply.Spot()})
	}
	s.out, s.rival = make([][]int32, len(s.tokens)), make([]uint64, len(s.links))
	for i := range s.links {
		l := &s.links[i]
		s.out[l.from] = append(s.out[l.from], int32(i))
		for j := range s.links {
			if s.links[j].Pool == l.Pool {
				s.rival[i] |= 1 << j
			}
		}
	}
	s.price = make([]float64, len(s.tokens))
	return s
}

// seed begins with all paths, and with what is left of the known network when one or two
// of its links leave.
func (s *search) seed() {
	prices := make([]float64, len(s.tokens))
	for t, token := range s.tokens {
		prices[t] = s.Price(token)
	}
	prices[flow.Sink] = 1
	known := uint64(0)
	for i := range s.links {
		if slices.Contains(s.Known, s.links[i].Direction) {
			known |= 1 << i
		}
	}
	var less []uint64
	for i := range bitsOf(known) {
		one := s.trim(known &^ (1 << i))
		less = append(less, one)
		for j := range bitsOf(one) {
			if s.K <= fewLinks && j > i {
				less = append(less, s.trim(one&^(1<<j)))
			}
		}
	}
	s.paths(prices)
	for _, links := range less {
		if links != 0 && bits.OnesCount64(links) <= s.K {
			s.add(links, prices)
		}
	}
}

// paths adds the best paths of every length.
func (s *search) paths(prices []float64) {
	type path struct {
		links uint64
		net   float64
	}
	found := make([][]path, min(s.K, s.MaxHops)+1)
	var walk func(links, tokens uint64, t, hops int, amount, gas float64)
	walk = func(links, tokens uint64, t, hops int, amount, gas float64) {
		if hops == len(found)-1 {
			return
		}
		for _, i := range s.out[t] {
			l := &s.links[i]
			if tokens>>l.to&1 == 1 || links&s.rival[i] != 0 {
				continue
			}
			y, _, burnt := l.Supply.Pay(min(amount, l.Supply.Max))
			if l.to == flow.Sink {
				found[hops+1] = append(found[hops+1], path{links | 1<<i, y - s.n.GasPrice*(gas+burnt)})
			} else if y > 0 {
				walk(links|1<<i, tokens|1<<l.to, l.to, hops+1, y, gas+burnt)
			}
		}
	}
	walk(0, 1<<flow.Source, flow.Source, 0, s.n.Amount, 0)
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b path) int { return cmp.Compare(b.net, a.net) })
		for _, p := range list[:min(len(list), s.width)] {
			s.add(p.links, prices)
		}
	}
}

// bitsOf are the positions of the bits of a set.
func bitsOf(set uint64) func(func(int) bool) {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// trim is a network without links that lead nowhere or that nothing feeds.
func (s *search) trim(links uint64) uint64 {
	for {
		fed, leads := uint64(1<<flow.Source), uint64(1<<flow.Sink)
		for i := range bitsOf(links) {
			fed |= 1 << s.links[i].to
			leads |= 1 << s.links[i].from
		}
		before := links
		for i := range bitsOf(links) {
			if fed>>s.links[i].from&1 == 0 || leads>>s.links[i].to&1 == 0 {
				links &^= 1 << i
			}
		}
		if links == before {
			return links
		}
	}
}

// add shares the order out over a network that was not seen, and keeps it.
func (s *search) add(links uint64, prices []float64) {
	if s.seen[links] || s.n.Budget.Used > s.end {
		return
	}
	s.seen[links] = true
	found := s.solve(links, prices, flow.Rough)
	k := bits.OnesCount64(links)
	s.levels[k] = append(s.levels[k], found)
	if found.net > s.floor() {
		s.best = found
	}
}

// floor is what a network must pay to be better than the best.
func (s *search) floor() float64 { return s.best.net + leastGain*math.Abs(s.best.net) }

// solve shares the order out over a network. What it cannot take counts as nothing paid.
func (s *search) solve(links uint64, prices []float64, tolerance float64) state {
	n := s.n
	amount, gas, budget := n.Amount, n.GasPrice, n.Budget
	n.Reset(s.sizes[0], s.sizes[1], s.tokens[flow.Source], s.tokens[flow.Sink])
	n.Amount, n.GasPrice, n.Budget = amount, gas, budget
	n.Nodes[flow.Source].Price = prices[flow.Source]
	for i := range bitsOf(links) {
		l := &s.links[i]
		n.Nodes[n.AddNode(l.From)].Price = prices[l.from]
		n.Nodes[n.AddNode(l.To)].Price = prices[l.to]
		n.Insert(s.Links[i : i+1])
	}
	n.Trim()
	found := state{links: links, prices: slices.Clone(prices)}
	if n.Solve(tolerance) > 0 {
		found.net = n.Net()
	}
	for i := range n.Nodes {
		found.prices[slices.Index(s.tokens, n.Nodes[i].Token)] = n.Nodes[i].Price
	}
	return found
}
