package graph_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"braid/markettest"
	"braid/router/graph"
)

// TestCore: between any two well connected tokens the core has the best link,
// and the best two links around, and nothing else, at every size, the best
// first.
func TestCore(t *testing.T) {
	links, detours := 0, 0
	for seed := range uint64(20) {
		b := markettest.NewEvolving(t, seed)
		s := b.Open()
		for range 40 {
			s = b.Block(s)
		}
		g := graph.Of(s)
		for rank, from := range g.Core.Tokens {
			for size, value := range graph.Sizes {
				straight, around := map[int32]float32{}, map[int32]float32{}
				bounds, hubs, start := g.Bounds(int(from), math.MaxInt)
				for i, bound := range bounds {
					lowered := 1 + float64(bound.Impact)*value
					if i < hubs {
						straight[bound.To] = max(straight[bound.To], float32(float64(bound.Ratio)/lowered))
						continue
					}
					onward, hubs, _ := g.Bounds(int(bound.To), math.MaxInt)
					for _, on := range onward[:hubs] {
						if on.To != from {
							ratio := g.Links[start+i].Ratio * float64(on.Ratio) / (lowered * (1 + float64(on.Impact)*value))
							around[on.To] = max(around[on.To], float32(ratio))
						}
					}
				}
				if got := ratios(g, &g.Core.Links, rank, size); !maps.Equal(got, straight) {
					t.Fatalf("seed %d: token %d has links %v, want %v", seed, from, got, straight)
				}
				if got := ratios(g, &g.Core.Detours, rank, size); !maps.Equal(got, around) {
					t.Fatalf("seed %d: token %d has detours %v, want %v", seed, from, got, around)
				}
				top := float32(0)
				for _, links := range [][]graph.HubLink{g.Core.Links.From(rank, size), g.Core.Detours.From(rank, size)} {
					if !slices.IsSortedFunc(links, func(a, b graph.HubLink) int { return cmp.Compare(b.Ratio, a.Ratio) }) {
						t.Fatalf("seed %d: token %d has links in disorder: %v", seed, from, links)
					}
					for _, r := range links {
						top = max(top, r.Ratio)
					}
				}
				if g.Core.MaxRatio[size][rank] != top {
					t.Fatalf("seed %d: token %d has a highest ratio of %v, want %v", seed, from, g.Core.MaxRatio[size][rank], top)
				}
				links, detours = links+len(straight), detours+len(around)
			}
		}
	}
	if links < 100 || detours < 100 {
		t.Errorf("%d links and %d detours say little", links, detours)
	}
}

// TestImpact: no bound promises less than its link pays.
func TestImpact(t *testing.T) {
	bent := 0
	for seed := range uint64(20) {
		b := markettest.NewEvolving(t, seed)
		s := b.Open()
		for range 40 {
			s = b.Block(s)
		}
		g := graph.Of(s)
		for token := range s.Tokens() {
			bounds, _, start := g.Bounds(token, math.MaxInt)
			for i, bound := range bounds {
				a := &g.Links[start+i]
				impact := float64(bound.Impact) * g.Ref[token]
				for x := min(a.Supply.Max, graph.MaxImpactValue/g.Ref[token]); x > a.Supply.Max*1e-9; x /= 1.3 {
					if y, _ := a.Pay(x); y > a.Spot*x/(1+impact*x)*(1+1e-6) {
						t.Fatalf("seed %d: token %d: link %d pays %g for %g, and fades by %g", seed, token, i, y, x, impact)
					}
				}
				if len(a.Supply.Pieces) > 1 && impact > 0 {
					bent++
				}
			}
		}
	}
	if bent < 100 {
		t.Errorf("%d links of several pieces say little", bent)
	}
}

// raises by are those of a token's links, by where they lead.
func ratios(g *graph.Graph, links *graph.HubLinks, rank, size int) map[int32]float32 {
	all := map[int32]float32{}
	for _, r := range links.From(rank, size) {
		all[g.Core.Tokens[r.To]] = r.Ratio
	}
	return all
}
