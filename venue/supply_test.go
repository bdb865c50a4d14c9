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

// Need is the inverse of Pay, and infinite beyond what the largest input pays.
func TestNeed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s := &Supply{}
		for price := 1.0; len(s.Pieces) < 1+r.IntN(30); price *= 0.9 {
			s.Add(price, r.Float64()*float64(r.IntN(2)), r.Float64(), 0)
		}
		for range 50 {
			x := s.Max * r.Float64()
			y, _, _ := s.Pay(x)
			if got := s.Need(y); math.Abs(got-x) > 1e-9*s.Max {
				t.Fatalf("%d pieces: %g needs %g, want %g", len(s.Pieces), y, got, x)
			}
		}
		most, _, _ := s.Pay(s.Max)
		if got := s.Need(most * (1 + 1e-9)); !math.IsInf(got, 1) {
			t.Fatalf("%d pieces: more than all needs %g", len(s.Pieces), got)
		}
	}
}
