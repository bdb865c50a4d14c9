package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"braid/venue"
)

// pair is the supply of a constant product without a fee.
func pair(in, out float64) *venue.Supply {
	s := &venue.Supply{}
	s.Add(out/in, 1/in, 1e9*in, 0)
	return s
}

// between is a network of pairs between its source and sink.
func between(amount float64, depths []float64) *Network {
	n := &Network{Budget: &Budget{Limit: 1 << 30}}
	n.Reset(2, len(depths), 0, 1)
	for i, depth := range depths {
		path := []Hop{{Direction: Direction{Pool: int32(i), Out: 1}, From: 0, To: 1, Supply: pair(depth, depth), Amount: amount}}
		if i == 0 {
			n.Begin(amount, path)
		} else {
			n.Insert(path)
		}
	}
	return n
}

// TestSolve: pairs of one price share an order by their depths, whatever they are.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		depths, sum := make([]float64, 1+r.IntN(30)), 0.0
		for i := range depths {
			depths[i] = math.Exp(10 + 10*r.Float64())
			sum += depths[i]
		}
		amount := sum * math.Exp(-10*r.Float64())
		n := between(amount, depths)
		if out, want := n.Solve(Fine), sum*amount/(sum+amount); math.Abs(out-want) > 1e-9*want {
			t.Fatalf("%d pairs pay %g, want %g", len(depths), out, want)
		}
		for i := range n.Edges {
			if e := &n.Edges[i]; math.Abs(e.X-amount*depths[e.Pool]/sum) > 1e-6*amount {
				t.Fatalf("a pair of %g of %g gets %g of %g", depths[e.Pool], sum, e.X, amount)
			}
		}
	}
}

// TestPrune: of pairs of one price the K deepest stay, with a step price and without.
func TestPrune(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		depths := make([]float64, 5+r.IntN(60))
		for i := range depths {
			depths[i] = 1e6 * math.Pow(1.1, float64(i))
		}
		r.Shuffle(len(depths), func(i, j int) { depths[i], depths[j] = depths[j], depths[i] })
		k := 1 + r.IntN(4)
		n := between(1e6*math.Exp(5*r.Float64()), depths)
		if r.IntN(2) == 0 {
			n.MaxEdges = k
			n.Settle()
			n.Choose()
		}
		net, _ := n.Prune(k)
		if n.InUse() != k || n.StepPrice != 0 {
			t.Fatalf("%d edges of %d are left at a step price of %g, want %d", n.InUse(), len(depths), n.StepPrice, k)
		}
		least := 1e6 * math.Pow(1.1, float64(len(depths)-k))
		for i := range n.Edges {
			if e := &n.Edges[i]; !e.Off && depths[e.Pool] < least*0.99 {
				t.Fatalf("of %d pairs one of %g is left, though %d are of %g or more", len(depths), depths[e.Pool], k, least)
			}
		}
		if !(net > 0) {
			t.Fatalf("net output %g", net)
		}
	}
}
