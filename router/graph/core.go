package graph

import (
	"math"
	"slices"
)

// Core is what lies between hubs, packed for those who go over all of it. Hubs go by their
// rank.
type Core struct {
	Tokens   []int32
	Rank     []int32               // by token; -1 of one that is no hub
	Links    HubLinks              // of several between two hubs the best ratios
	Detours  HubLinks              // the same for two links by way of a token that is no hub
	MaxRatio [len(Sizes)][]float32 // the highest ratio of a hub's links and detours
	Gateways []int32               // ranks of those with links to tokens that are no hubs, and no more than MaxBack of these
}

// HubLinks are the links out of each hub of a core.
type HubLinks struct {
	all   [len(Sizes)][]HubLink
	start []int32 // by rank
}

// HubLink leads to a hub. Its ratio for a value of one of the sizes or more is no more than
// this.
type HubLink struct {
	To    int32
	Ratio float32
}

// From are the links of a hub at one of the sizes, the highest ratio first.
func (r *HubLinks) From(rank, size int) []HubLink {
	return r.all[size][r.start[rank]:r.start[rank+1]]
}

// Len is how many links there are.
func (r *HubLinks) Len() int { return len(r.all[0]) }

// hubBuilder keeps the best of the links that leave one hub.
type hubBuilder struct {
	*HubLinks
	maxRatio *[len(Sizes)][]float32
	at       []int32 // by rank: index+1 into all, of this hub if beyond the last start
	keys     []uint64
}

func (c *Core) build(r *HubLinks) *hubBuilder {
	r.start = append(make([]int32, 0, len(c.Tokens)+1), 0)
	return &hubBuilder{HubLinks: r, maxRatio: &c.MaxRatio, at: make([]int32, len(c.Tokens))}
}

// add offers a way to a hub, with the impact of one link or two.
func (b *hubBuilder) add(to int32, ratio, impact, again float64) {
	if b.at[to] <= b.start[len(b.start)-1] {
		for size := range b.all {
			b.all[size] = append(b.all[size], HubLink{To: to})
		}
		b.at[to] = int32(len(b.all[0]))
	}
	for size, value := range Sizes {
		best := &b.all[size][b.at[to]-1].Ratio
		*best = max(*best, float32(ratio/((1+impact*value)*(1+again*value))))
	}
}

// close ends the links of a hub and sorts them.
func (b *hubBuilder) close() {
	start := b.start[len(b.start)-1]
	b.start = append(b.start, int32(len(b.all[0])))
	for size := range b.all {
		links := b.all[size][start:]
		if len(links) == 0 {
			return
		}
		b.keys = b.keys[:0]
		for _, r := range links {
			b.keys = append(b.keys, uint64(^math.Float32bits(r.Ratio))<<32|uint64(r.To))
		}
		slices.Sort(b.keys)
		for i, key := range b.keys {
			links[i] = HubLink{int32(uint32(key)), math.Float32frombits(^uint32(key >> 32))}
		}
		top := &b.maxRatio[size][len(b.start)-2]
		*top = max(*top, links[0].Ratio)
	}
}

// newCore ranks the hubs.
func (g *Graph) newCore() *Core {
	c := &Core{Rank: make([]int32, len(g.kinds))}
	for t := range c.Rank {
		if c.Rank[t] = -1; g.IsHub(t) {
			c.Rank[t] = int32(len(c.Tokens))
			c.Tokens = append(c.Tokens, int32(t))
		}
	}
	return c
}

// joinHubs gives the core its links.
func (g *Graph) joinHubs() {
	c := g.Core
	for size := range c.MaxRatio {
		c.MaxRatio[size] = make([]float32, len(c.Tokens))
	}
	links, detours := c.build(&c.Links), c.build(&c.Detours)
	for rank, t := range c.Tokens {
		f := g.spans[t]
		if f.others < f.ends && f.ends-f.others <= MaxBack {
			c.Gateways = append(c.Gateways, int32(rank))
		}
		for i := f.start; i < f.others; i++ {
			b := &g.bounds[i]
			links.add(b.Rank, float64(b.Ratio), float64(b.Impact), 0)
		}
		for i := f.others; i < f.ends; i++ {
			ratio, impact := g.Links[i].Ratio, float64(g.bounds[i].Impact)
			next := g.spans[g.bounds[i].To]
			for j := next.start; j < next.others; j++ {
				if b := &g.bounds[j]; b.To != t {
					detours.add(b.Rank, ratio*float64(b.Ratio), impact, float64(b.Impact))
				}
			}
		}
		links.close()
		detours.close()
	}
}
