package venue

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Wherever the look for a piece begins, it ends at the same one.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := &Supply{}
		for price := 1.0; len(s.Pieces) < 1+r.IntN(30); price *= 0.9 {
			s.Add(price, r.Float64(), r.Float64(), 0)
		}
		for range 50 {
			price := math.Exp(-4*r.Float64() + 0.1)
			if r.IntN(4) == 0 {
				price = s.Pieces[r.IntN(len(s.Pieces))].Price()
			}
			want := 0
			for i := range s.Pieces {
				if s.Pieces[i].Root > math.Sqrt(price) {
					want = i
				}
			}
			for guess := range s.Pieces {
				if _, _, _, _, got := s.Near(math.Sqrt(price), 1/math.Sqrt(price), guess); got != want {
					t.Fatalf("%d pieces: %g is in %d from %d, want %d", len(s.Pieces), price, got, guess, want)
				}
			}
		}
	}
}
