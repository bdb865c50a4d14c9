package market

import (
	"iter"
	"slices"

	"braid/venue"
)

// Graph is which pools join which tokens, with their supplies and the prices that follow
// from them. It is a function of the snapshot, made when first asked for; what follows from
// a pool alone is taken from the graph of an older snapshot that had the same pool.
type Graph struct {
	Sources []*venue.Source

	*layout
	tokens     []Token
	pools      []venue.Pool
	directions []Direction
	votes      []vote // as directions

	prices      []Price   // by token
	reference   []float64 // by token: its price, or the median where that is withheld; 0 if unknown
	contradicts []bool    // by direction: the pool contradicts the prices of its tokens
	outOfLine   bool      // one does
	gas         keptCosts // at the last price asked for
	derived     any
}

// A raw unit is worth no more than all the money there is, and not so little that as many
// as a balance can count come to nothing. What pools say beyond is no price: whoever
// strings together pools of tokens of his own can have them say anything, and overflow
// all that is computed from it.
const LeastPrice, MostPrice = 1e-80, 1e15

// Credible says whether a price of a raw unit can be one.
func Credible(price float64) bool { return price >= LeastPrice && price <= MostPrice }

// Tokens are all tokens, by their numbers.
func (g *Graph) Tokens() []Token { return g.tokens }

// Out are the directions that leave a token, in the order of their pools, and the number
// of the first.
func (g *Graph) Out(token int) ([]Direction, int) {
	first, end := g.row[token], g.row[token+1]
	return g.directions[first:end], int(first)
}

// Row are the number of the first direction that leaves a token and that after the last.
func (g *Graph) Row(token int) (first, end int) { return int(g.row[token]), int(g.row[token+1]) }

// Direction is the one with a number.
func (g *Graph) Direction(no int) *Direction { return &g.directions[no] }

// Back is the number of the direction the other way.
func (g *Graph) Back(no int) int { return int(g.back[no]) }

// Contradicts says whether the pool of a direction contradicts the prices of its tokens.
func (g *Graph) Contradicts(no int) bool { return g.contradicts[no] }

// ReferencePrices are the prices of raw units by token, also those that are withheld; 0 if
// unknown. The caller may change them.
func (g *Graph) ReferencePrices() []float64 { return append([]float64(nil), g.reference...) }

// derive makes what is derived from graphs; nil if nothing is.
var derive func(g *Graph, old any, from []int32) any

// Derive has a value made with every graph and kept in it, so that readers of a snapshot
// find it ready: the router's index. It is made from the graph, from the value of an older
// graph (nil if there is none), and from what tells by direction which of the older
// graph's it is, or -1 if it is none or its pool has changed. Call it once, from init.
func Derive(make func(g *Graph, old any, from []int32) any) { derive = make }

// Derived is the value made by the function given to Derive.
func (g *Graph) Derived() any { return g.derived }

// Edge leads from a token through a pool to another token. Pool and To are
// dense numbers, In and Out positions in the pool.
type Edge struct {
	Pool, To int
	In, Out  int
}

// Edges lead out of a token, in the order in which their pools came, whether
// they take anything or not.
func (s *Snapshot) Edges(token int) iter.Seq[Edge] {
	directions, _ := s.Graph().Out(token)
	return func(yield func(Edge) bool) {
		for i := range directions {
			d := &directions[i]
			if !yield(Edge{Pool: int(d.Pool), To: int(d.To), In: int(d.In), Out: int(d.Out)}) {
				return
			}
		}
	}
}

// Graph is the same for all callers, and has all that searches read. It follows from the pools and tokens alone, so
// that a snapshot of the same ones has the graph of the older snapshot.
func (s *Snapshot) Graph() *Graph {
	s.graphOnce.Do(func() {
		g := s.older.Load()
		if g == nil || !g.fits(s) {
			g = s.newGraph(g)
		}
		s.gas = g.gasAt(s)
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
	g := &Graph{}
	if old == nil {
		old = &Graph{layout: &layout{row: []int32{0}}}
	}
	from := g.take(s, old)
	g.price(s)
	if derive != nil {
		g.derived = derive(g, old.derived, from)
	}
	return g
}
