package market

import (
	"slices"

	"braid/venue"
)

// Direction leads through a pool to a token. The first piece of its supply stands in it, so
// that most looks need nothing else. It is true of the pool alone, so that a graph takes it
// over from an older one.
type Direction struct {
	Pool, To    int32
	In, Out     uint8  // positions in the pool
	Source      uint16 // in Sources
	gas         uint32
	Spot        float64       // price of the first unit; 0 if it is shut
	bend, width float64       // of the first piece
	Supply      *venue.Supply // nil if it is shut
}

// Pay is what x brings, and the gas; negative when x is too much.
func (d *Direction) Pay(x float64) (y, gas float64) {
	if x <= d.width {
		return d.Spot * x / (1 + d.bend*x), float64(d.gas)
	}
	y, _, gas = d.Supply.Pay(x)
	return y, gas
}

// take notes the directions of all pools. Those of an older graph stay, unless the pool is
// another value, or a token of it has another number. It gives by direction its number in
// the older graph, or -1.
func (g *Graph) take(s *Snapshot, old *Graph) (from []int32) {
	g.tokens, g.pools = s.tokens.all, s.pools
	was := old.pools
	if strange := old.directions[old.row[agree(g.tokens, old.tokens)]:]; len(strange) > 0 {
		was = slices.Clone(was)
		for i := range strange {
			was[strange[i].Pool] = nil
		}
	}
	var changed []int32
	same := len(g.pools) == len(was) && len(g.tokens) == len(old.tokens)
	for i, p := range g.pools {
		if i >= len(was) || was[i] != p {
			changed = append(changed, int32(i))
			same = same && was[i] != nil && sameInfo(was[i].Info(), p.Info())
		}
	}
	if same {
		g.layout, g.directions, g.votes = old.layout, slices.Clone(old.directions), slices.Clone(old.votes)
		from = make([]int32, len(g.directions))
		for no := range from {
			from[no] = int32(no)
		}
	} else {
		from = g.newLayout(s, old, changed)
	}
	g.Sources = g.sources
	for _, i := range changed {
		g.model(int(i), from)
	}
	return from
}

// sameInfo tells whether two pools with one number join the same tokens. A pool that
// was decoded has an Info of its own.
func sameInfo(a, b *venue.Info) bool {
	return a == b || a.Source == b.Source && slices.Equal(a.Tokens, b.Tokens)
}

// agree is how many tokens have the same numbers in both lists.
func agree(a, b []Token) int {
	n := min(len(a), len(b))
	if n == 0 || &a[0] == &b[0] { // of one memory: one goes on where the other ends
		return n
	}
	for i := range n {
		if a[i].Address != b[i].Address {
			return i
		}
	}
	return n
}

// model makes the directions of a pool.
func (g *Graph) model(pool int, from []int32) {
	p, slots := g.pools[pool], g.of(pool)
	tokens, next := p.Info().Tokens, slots
	for in := range tokens {
		for out := range tokens {
			if in == out {
				continue
			}
			no := next[0].direction
			from[no] = -1
			d := &g.directions[no]
			*d = Direction{Pool: int32(pool), To: next[0].to, In: uint8(in), Out: uint8(out), Source: g.source[pool]}
			if s := venue.SupplyOf(p, in, out); s != nil {
				d.open(s)
			}
			next = next[1:]
		}
	}
	for i := range slots {
		if no := slots[i].direction; g.directions[no].In < g.directions[no].Out {
			g.setVotes(no, g.back[no])
		}
	}
}

// open gives a direction its supply.
func (d *Direction) open(s *venue.Supply) {
	first := &s.Pieces[0]
	d.Supply, d.gas, d.Spot, d.bend, d.width = s, uint32(first.Gas), first.Price(), first.Bend(), s.Max
	if len(s.Pieces) > 1 {
		d.width = s.Pieces[1].In
	}
}
