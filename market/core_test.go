package market_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"braid/market"
)

// TestCore: between any two well connected tokens the core has the best arc,
// and the best two arcs around, and nothing else, at every size, the best
// first.
func TestCore(t *testing.T) {
	arcs, detours := 0, 0
	for seed := range uint64(20) {
		b := newBazaar(t, seed)
		s := b.open()
		for range 40 {
			s = b.block(s)
		}
		g := s.Graph()
		for rank, from := range g.Core.Tokens {
			for size, worth := range market.Sizes {
				straight, around := map[int32]float32{}, map[int32]float32{}
				ways, fan, start := g.Ways(int(from), math.MaxInt)
				for i, way := range ways {
					faded := 1 + float64(way.Fade)*worth
					if i < fan {
						straight[way.To] = max(straight[way.To], float32(float64(way.Lift)/faded))
						continue
					}
					onward, fan, _ := g.Ways(int(way.To), math.MaxInt)
					for _, on := range onward[:fan] {
						if on.To != from {
							lift := g.Arcs[start+i].Lift * float64(on.Lift) / (faded * (1 + float64(on.Fade)*worth))
							around[on.To] = max(around[on.To], float32(lift))
						}
					}
				}
				if got := lifts(g, &g.Core.Arcs, rank, size); !maps.Equal(got, straight) {
					t.Fatalf("seed %d: token %d has rays %v, want %v", seed, from, got, straight)
				}
				if got := lifts(g, &g.Core.Detours, rank, size); !maps.Equal(got, around) {
					t.Fatalf("seed %d: token %d has detours %v, want %v", seed, from, got, around)
				}
				top := float32(0)
				for _, rays := range [][]market.Ray{g.Core.Arcs.From(rank, size), g.Core.Detours.From(rank, size)} {
					if !slices.IsSortedFunc(rays, func(a, b market.Ray) int { return cmp.Compare(b.Lift, a.Lift) }) {
						t.Fatalf("seed %d: token %d has rays in disorder: %v", seed, from, rays)
					}
					for _, r := range rays {
						top = max(top, r.Lift)
					}
				}
				if g.Core.Tops[size][rank] != top {
					t.Fatalf("seed %d: token %d has a highest lift of %v, want %v", seed, from, g.Core.Tops[size][rank], top)
				}
				arcs, detours = arcs+len(straight), detours+len(around)
			}
		}
	}
	if arcs < 100 || detours < 100 {
		t.Errorf("%d arcs and %d detours say little", arcs, detours)
	}
}

// TestFade: no way promises less than its arc pays.
func TestFade(t *testing.T) {
	bent := 0
	for seed := range uint64(20) {
		b := newBazaar(t, seed)
		s := b.open()
		for range 40 {
			s = b.block(s)
		}
		g := s.Graph()
		for token := range s.Tokens() {
			ways, _, start := g.Ways(token, math.MaxInt)
			for i, way := range ways {
				a := &g.Arcs[start+i]
				fade := float64(way.Fade) * g.Worth[token]
				for x := min(a.Supply.Max, market.Heap/g.Worth[token]); x > a.Supply.Max*1e-9; x /= 1.3 {
					if y, _ := a.Pay(x); y > a.Spot*x/(1+fade*x)*(1+1e-6) {
						t.Fatalf("seed %d: token %d: arc %d pays %g for %g, and fades by %g", seed, token, i, y, x, fade)
					}
				}
				if len(a.Supply.Pieces) > 1 && fade > 0 {
					bent++
				}
			}
		}
	}
	if bent < 100 {
		t.Errorf("%d arcs of several pieces say little", bent)
	}
}

// lifts are those of a token's rays, by where they lead.
func lifts(g *market.Graph, rays *market.Rays, rank, size int) map[int32]float32 {
	all := map[int32]float32{}
	for _, r := range rays.From(rank, size) {
		all[g.Core.Tokens[r.To]] = r.Lift
	}
	return all
}
