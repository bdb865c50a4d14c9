package market_test

import (
	"maps"
	"testing"

	"braid/market"
)

// TestCore: between any two well connected tokens the core has the best arc,
// and the best two arcs around, and nothing else.
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
			straight, around := map[int32]float32{}, map[int32]float32{}
			for _, a := range g.Fan(int(from)) {
				straight[a.To] = max(straight[a.To], float32(a.Lift))
			}
			for _, a := range g.Others(int(from)) {
				for _, on := range g.Fan(int(a.To)) {
					if on.To != from {
						around[on.To] = max(around[on.To], float32(a.Lift)*float32(on.Lift))
					}
				}
			}
			if got := lifts(g, &g.Core.Arcs, rank); !maps.Equal(got, straight) {
				t.Fatalf("seed %d: token %d has rays %v, want %v", seed, from, got, straight)
			}
			if got := lifts(g, &g.Core.Detours, rank); !maps.Equal(got, around) {
				t.Fatalf("seed %d: token %d has detours %v, want %v", seed, from, got, around)
			}
			arcs, detours = arcs+len(straight), detours+len(around)
		}
	}
	if arcs < 100 || detours < 100 {
		t.Errorf("%d arcs and %d detours say little", arcs, detours)
	}
}

// lifts are those of a token's rays, by where they lead.
func lifts(g *market.Graph, rays *market.Rays, rank int) map[int32]float32 {
	all := map[int32]float32{}
	for _, r := range rays.From(rank) {
		all[g.Core.Tokens[r.To]] = r.Lift
	}
	return all
}
