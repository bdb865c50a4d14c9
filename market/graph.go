package market

import (
	"iter"
	"slices"

	"braid/venue"
)

// Graph is the market as a search wants it: every direction of every pool that
// takes anything, with its supply, the best first. It is a function of the
// snapshot, made when first asked for; what follows from a pool alone is taken
// from the graph of an older snapshot that had the same pool.
//
// It is made in passes over flat arrays, from the pools' lanes to the tokens'
// arcs: one price can move every worth, so that no row is sure to stay.
type Graph struct {
	Arcs     []Arc
	Worth    []float64 // of a raw unit of each token, to compare; never 0
	Sources  []*venue.Source
	Unlisted []bool // by token: not on the token list
	Core     *Core

	prices    []Price // by token
	outOfLine bool    // a pool contradicts the prices of its tokens
	ways      []Way   // as Arcs
	fans      []fan   // by token
	kinds     []uint8 // by token, of arcs that lead to it

	*ground
	tokens []Token
	pools  []venue.Pool
	lanes  []lane
	rates  []rate // as lanes
	votes  []vote // as lanes
}

// Way is what a look at an arc needs in most cases. Its lift is that of Onward.
// A worth of w is no more than Lift*w/(1+Fade*w) behind it, if it is no more
// than a heap.
type Way struct {
	To, Rank       int32 // Rank is that in the core, or -1
	Lift, Fade     float32
	Back, BackFade float32 // of the arc the other way
}

// Arc leads through a pool to a token. The first piece of its supply stands in
// it, so that most looks need nothing else.
type Arc struct {
	Pool, To int32
	In, Out  uint8  // positions in the pool
	Source   uint16 // in Sources; more by their number if the pool contradicts the prices of its tokens
	gas      uint32
	Spot     float64 // price of the first unit
	bend     float64
	width    float64 // of the first piece
	Lift     float64
	Onward   float64 // lift of this arc and the best one to follow
	Supply   *venue.Supply
}

// Pay is what x brings, and the gas; negative when x is too much.
func (a *Arc) Pay(x float64) (y, gas float64) {
	if x <= a.width {
		return a.Spot * x / (1 + a.bend*x), float64(a.gas)
	}
	y, _, gas = a.Supply.Pay(x)
	return y, gas
}

// Fan are the arcs out of a token to well connected ones, the highest lift
// first. Lift is what is left of a unit's worth behind the arc.
func (g *Graph) Fan(token int) []Arc { f := g.fans[token]; return g.Arcs[f.start:f.others] }

// Others are the arcs to tokens that are not well connected but lead on, the
// highest Onward first.
func (g *Graph) Others(token int) []Arc { f := g.fans[token]; return g.Arcs[f.others:f.ends] }

// Ways are the arcs of Fan and Others in short, and where in Arcs they begin;
// of a token with more than limit those of Fan alone.
func (g *Graph) Ways(token, limit int) (ways []Way, fan, start int) {
	f := g.fans[token]
	end := f.ends
	if int(end-f.start) > limit {
		end = f.others
	}
	return g.ways[f.start:end], int(f.others - f.start), int(f.start)
}

// Connected says whether a token is well connected: if so, Fan has the arcs
// that lead to it.
func (g *Graph) Connected(token int) bool { return g.kinds[token] == connected }

// All are the arcs out of a token, also those to dead ends.
func (g *Graph) All(token int) []Arc { f := g.fans[token]; return g.Arcs[f.start:f.end] }

// Into are the arcs that lead to a token, with the tokens they leave.
func (g *Graph) Into(token int, do func(from int, a *Arc)) {
	row := g.out(token)
	for i := range row {
		if a := g.lanes[row[i].back].arc; a > 0 {
			do(int(row[i].To), &g.Arcs[a-1])
		}
	}
}

// Edge leads from a token through a pool to another token. Pool and To are
// dense numbers, In and Out positions in the pool.
type Edge struct {
	Pool, To int
	In, Out  int
}

// Edges lead out of a token, in the order in which their pools came, whether
// they take anything or not.
func (s *Snapshot) Edges(token int) iter.Seq[Edge] {
	g := s.Graph()
	return func(yield func(Edge) bool) {
		for _, l := range g.out(token) {
			if !yield(Edge{Pool: int(l.Pool), To: int(l.To), In: int(l.In), Out: int(l.Out)}) {
				return
			}
		}
	}
}

// Graph is the same for all callers. It follows from the pools and tokens alone, so
// that a snapshot of the same ones has the graph of the older snapshot.
func (s *Snapshot) Graph() *Graph {
	s.graphOnce.Do(func() {
		g := s.older.Load()
		if g == nil || !g.fits(s) {
			g = s.newGraph(g)
		}
		s.graph.Store(g)
		s.older.Store(nil)
	})
	return s.graph.Load()
}

// fits tells whether the graph was made of the pools and tokens of the snapshot.
func (g *Graph) fits(s *Snapshot) bool {
	return same(g.pools, s.pools) && same(g.tokens, s.tokens.all)
}

// same tells whether two slices have equal elements; at once if they share memory.
func same[T comparable](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

func (s *Snapshot) newGraph(old *Graph) *Graph {
	n := len(s.tokens.all)
	g := &Graph{Worth: make([]float64, n), Unlisted: make([]bool, n), kinds: make([]uint8, n), fans: make([]fan, n)}
	if old == nil {
		old = &Graph{ground: &ground{row: []int32{0}}}
	}
	arcs := g.lay(s, old)
	g.price(s)
	g.appraise()
	scales := g.settle(arcs)
	exits := g.lift()
	g.Core = g.newCore()
	g.fanOut(exits, scales, arcs)
	g.radiate()
	for t := range s.tokens.all {
		g.Unlisted[t] = !s.tokens.all[t].Verified
	}
	return g
}
