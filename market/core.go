package market

import (
	"math"
	"slices"
)

// Core is what lies between well connected tokens, packed for those who go
// over all of it. Tokens go by their rank.
type Core struct {
	Tokens  []int32
	Rank    []int32               // by token; -1 of one that is ill connected
	Arcs    Rays                  // of several between two tokens the best lifts
	Detours Rays                  // the same for two arcs by way of a token that is ill connected
	Tops    [len(Sizes)][]float32 // the highest lift of a token's arcs and detours
	Gates   []int32               // ranks of those with arcs to ill connected tokens, and no more than Wide arcs
}

// Wide is how many arcs a token may have for those from ill connected tokens
// to be followed back.
const Wide = 256

// Sizes are worths, up to a Heap, for which a core knows what its rays lift.
var Sizes = [...]float64{0, 100, 1_000, 10_000}

// Rays are the ways out of each token of a core.
type Rays struct {
	all   [len(Sizes)][]Ray
	start []int32 // by rank
}

// Ray leads to a token, and lifts a worth of one of the sizes or more by no
// more than that.
type Ray struct {
	To   int32
	Lift float32
}

// From are the rays of a token at one of the sizes, the highest lift first.
func (r *Rays) From(rank, size int) []Ray {
	return r.all[size][r.start[rank]:r.start[rank+1]]
}

// Len is how many rays there are.
func (r *Rays) Len() int { return len(r.all[0]) }

// bundle keeps the best of the rays that leave one token.
type bundle struct {
	*Rays
	tops *[len(Sizes)][]float32
	at   []int32 // by rank: index+1 into all, of this token if beyond the last start
	keys []uint64
}

func (c *Core) bundle(r *Rays) *bundle {
	r.start = append(make([]int32, 0, len(c.Tokens)+1), 0)
	return &bundle{Rays: r, tops: &c.Tops, at: make([]int32, len(c.Tokens))}
}

// add offers a way to a token, whose worth fades once or twice.
func (b *bundle) add(to int32, lift, fade, again float64) {
	if b.at[to] <= b.start[len(b.start)-1] {
		for size := range b.all {
			b.all[size] = append(b.all[size], Ray{To: to})
		}
		b.at[to] = int32(len(b.all[0]))
	}
	for size, worth := range Sizes {
		best := &b.all[size][b.at[to]-1].Lift
		*best = max(*best, float32(lift/((1+fade*worth)*(1+again*worth))))
	}
}

// close ends the rays of a token and sorts them.
func (b *bundle) close() {
	start := b.start[len(b.start)-1]
	b.start = append(b.start, int32(len(b.all[0])))
	for size := range b.all {
		rays := b.all[size][start:]
		if len(rays) == 0 {
			return
		}
		b.keys = b.keys[:0]
		for _, r := range rays {
			b.keys = append(b.keys, uint64(^math.Float32bits(r.Lift))<<32|uint64(r.To))
		}
		slices.Sort(b.keys)
		for i, key := range b.keys {
			rays[i] = Ray{int32(uint32(key)), math.Float32frombits(^uint32(key >> 32))}
		}
		top := &b.tops[size][len(b.start)-2]
		*top = max(*top, rays[0].Lift)
	}
}

// newCore ranks the tokens.
func (g *Graph) newCore() *Core {
	c := &Core{Rank: make([]int32, len(g.kinds))}
	for t := range c.Rank {
		if c.Rank[t] = -1; g.Connected(t) {
			c.Rank[t] = int32(len(c.Tokens))
			c.Tokens = append(c.Tokens, int32(t))
		}
	}
	return c
}

// radiate gives the core its rays.
func (g *Graph) radiate() {
	c := g.Core
	for size := range c.Tops {
		c.Tops[size] = make([]float32, len(c.Tokens))
	}
	arcs, detours := c.bundle(&c.Arcs), c.bundle(&c.Detours)
	for rank, t := range c.Tokens {
		f := g.fans[t]
		if f.others < f.ends && f.ends-f.start <= Wide {
			c.Gates = append(c.Gates, int32(rank))
		}
		for i := f.start; i < f.others; i++ {
			way := &g.ways[i]
			arcs.add(way.Rank, float64(way.Lift), float64(way.Fade), 0)
		}
		for i := f.others; i < f.ends; i++ {
			lift, fade := g.Arcs[i].Lift, float64(g.ways[i].Fade)
			next := g.fans[g.ways[i].To]
			for j := next.start; j < next.others; j++ {
				if way := &g.ways[j]; way.To != t {
					detours.add(way.Rank, lift*float64(way.Lift), fade, float64(way.Fade))
				}
			}
		}
		arcs.close()
		detours.close()
	}
}
