package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// gauss solves a*x = b by plain elimination with pivots.
func gauss(a [][]float64, b []float64) []float64 {
	for k := range a {
		pivot := k
		for i := k; i < len(a); i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
		for i := k + 1; i < len(a); i++ {
			part := a[i][k] / a[k][k]
			for j := k; j < len(a); j++ {
				a[i][j] -= part * a[k][j]
			}
			b[i] -= part * b[k]
		}
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := i + 1; j < len(a); j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}

// The sparse elimination is held against a dense one, on graphs from a few
// tokens to as many as a network may have.
func TestMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for round := range 60 {
		size := 3 + r.IntN(40)
		if round == 0 {
			size = MaxNodes
		}
		n := Network{Nodes: make([]Node, size)}
		for i := range n.Nodes {
			n.Nodes[i].Price = math.Exp(r.NormFloat64())
		}
		for range 3 * size {
			e := Edge{From: r.IntN(size), To: r.IntN(1 + r.IntN(size)), Conductance: math.Exp(3 * r.NormFloat64()), Off: r.IntN(8) == 0}
			e.X, e.Y, e.weightSlope = r.Float64(), r.Float64(), float64(r.IntN(2))
			if e.From != e.To {
				n.Edges = append(n.Edges, e)
			}
		}
		const extra = 0.01
		dense := func() [][]float64 {
			a := make([][]float64, size)
			for i := range a {
				a[i] = make([]float64, size)
				a[i][i] = extra
			}
			for _, e := range n.Edges {
				if e.Off {
					continue
				}
				in, out := e.X*n.Nodes[e.From].Price, e.Y*n.Nodes[e.To].Price
				a[e.From][e.From] += e.Conductance + e.weightSlope*in*in
				a[e.To][e.To] += e.Conductance + e.weightSlope*out*out
				a[e.From][e.To] -= e.Conductance + e.weightSlope*in*out
				a[e.To][e.From] -= e.Conductance + e.weightSlope*in*out
			}
			for i := range a {
				a[i][Sink], a[Sink][i] = 0, 0
			}
			a[Sink][Sink] = 1
			return a
		}
		var m matrix
		m.shape(&n)
		m.fill(&n, extra)
		m.factorise()

		b := make([]float64, size)
		for i := range b {
			b[i] = r.NormFloat64()
			if m.place[i] < 0 {
				b[i] = 0
			}
		}
		want := gauss(dense(), append([]float64(nil), b...))
		m.divide(b)
		for i := range b {
			if math.Abs(b[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Fatalf("%d nodes: %g at %d, want %g", size, b[i], i, want[i])
			}
		}
		p, q := int(m.order[0]), int(m.order[len(m.order)-1])
		if p == q {
			continue
		}
		unit := func() []float64 {
			b := make([]float64, size)
			b[p], b[q] = 1, -1
			return b
		}
		x := gauss(dense(), unit())
		if got, want := m.resistance(p, q), x[p]-x[q]; math.Abs(got-want) > 1e-6*want {
			t.Fatalf("%d nodes: resistance %g, want %g", size, got, want)
		}

		// What is taken out is as if it had not been there.
		a := dense()
		for range 3 {
			conductance := 1 / (3 * (x[p] - x[q]))
			m.without(p, q, conductance)
			a[p][p], a[q][q] = a[p][p]-conductance, a[q][q]-conductance
			a[p][q], a[q][p] = a[p][q]+conductance, a[q][p]+conductance
			b := make([][]float64, size)
			for i := range a {
				b[i] = append([]float64(nil), a[i]...)
			}
			x = gauss(b, unit())
		}
		potential, _ := m.without(p, q, 1)
		for i := range potential {
			if math.Abs(potential[i]-x[i]) > 1e-6*(1+math.Abs(x[i])) {
				t.Fatalf("%d nodes: %g at %d without what joins %d and %d, want %g", size, potential[i], i, p, q, x[i])
			}
		}
	}
}
