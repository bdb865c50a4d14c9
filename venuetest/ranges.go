package venuetest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// Ranges are the positions of one pool of concentrated liquidity, as a test has
// added them.
type Ranges struct {
	Spacing int32
	At      ticks.Point
	List    []ticks.Position
}

// Start is a random sqrt price (Q64.96) to open a pool at, mostly not extreme.
func Start(r *rand.Rand) u256.Int {
	tick := int32(r.IntN(2*ticks.MaxTick)) + ticks.MinTick
	if r.IntN(3) > 0 {
		tick = int32(r.NormFloat64() * 50_000)
	}
	return between(r, tick)
}

// between is a random sqrt price inside the tick, often its lowest.
func between(r *rand.Rand, tick int32) u256.Int {
	tick = max(ticks.MinTick, min(ticks.MaxTick-1, tick))
	low, high := ticks.GetSqrtRatioAtTick(tick), ticks.GetSqrtRatioAtTick(tick+1)
	if r.IntN(3) == 0 {
		return low
	}
	return low.Add(Word(r).Mod(high.Sub(low)))
}

// Another is a random position to be added.
func (l *Ranges) Another(r *rand.Rand) ticks.Position {
	edge, here := ticks.MaxTick/l.Spacing, l.At.Tick/l.Spacing
	reach := int32(1) << r.IntN(21)
	if l.Spacing == 1 {
		reach = min(reach, 1<<17) // or a swap burns more than a transaction may
	}
	pick := func() int32 { return max(-edge, min(edge, here+r.Int32N(2*reach+1)-reach)) * l.Spacing }
	p := ticks.Position{Lower: pick(), Upper: pick(), Liquidity: Word(r).Rsh(uint(146 + r.IntN(110))).Add(u256.One)}
	if p.Lower > p.Upper {
		p.Lower, p.Upper = p.Upper, p.Lower
	}
	if len(l.List) > 0 && r.IntN(4) == 0 { // one that ends where another begins
		p.Upper = l.List[r.IntN(len(l.List))].Lower
	}
	if p.Lower >= p.Upper {
		p.Lower, p.Upper = max(here-reach, -edge)*l.Spacing, min(here+reach, edge)*l.Spacing
	}
	return p
}

// Part is a position, and how much of its liquidity is to be removed: often all.
func (l *Ranges) Part(r *rand.Rand) (i int, part u256.Int) {
	i = r.IntN(len(l.List))
	if part = l.List[i].Liquidity; r.IntN(2) == 0 {
		part = Word(r).Mod(part.Add(u256.One))
	}
	return i, part
}

// Remove removes liquidity from a position.
func (l *Ranges) Remove(i int, part u256.Int) {
	p := &l.List[i]
	if p.Liquidity = p.Liquidity.Sub(part); p.Liquidity.IsZero() {
		l.List = append(l.List[:i], l.List[i+1:]...)
	}
}

// Target is a random sqrt price to swap to: a near one, or the end of a
// position. It is false if no swap leads there.
func (l *Ranges) Target(r *rand.Rand) (target u256.Int, ok bool) {
	target = between(r, l.At.Tick+int32(r.NormFloat64()*float64(int32(1)<<r.IntN(17))))
	if r.IntN(2) == 0 {
		p := l.List[r.IntN(len(l.List))]
		target = ticks.GetSqrtRatioAtTick([]int32{p.Lower, p.Upper}[r.IntN(2)])
	}
	return target, target != l.At.Price && target.Gt(ticks.MinSqrtRatio) && target.Lt(ticks.MaxSqrtRatio)
}

// Limit is the sqrt price beyond which there is no liquidity: as the limit of a
// swap it saves the loop through empty words of the bitmap.
func (l *Ranges) Limit(in int) u256.Int {
	lowest, highest := int32(ticks.MaxTick), int32(ticks.MinTick)
	for _, p := range l.List {
		lowest, highest = min(lowest, p.Lower), max(highest, p.Upper)
	}
	if low := ticks.GetSqrtRatioAtTick(lowest); in == 0 && low.Gt(ticks.MinLimit) {
		return low
	}
	if in == 0 {
		return ticks.MinLimit
	}
	return u256.Min(ticks.MaxLimit, ticks.GetSqrtRatioAtTick(highest))
}

// Ranged is a contract whose pools have concentrated liquidity.
type Ranged interface {
	Contract

	// Open is a new pool without liquidity.
	Open(r *rand.Rand) (venue.Pool, error)

	// Trade makes a swap that is not undone, and returns the pool after it.
	Trade(in int, amount u256.Int) (venue.Pool, error)
}

// RangedLaws is Laws for pools of the contract, one without liquidity among
// them.
func RangedLaws(t *testing.T, c Ranged) {
	r := rand.New(rand.NewPCG(3, 0))
	p, err := c.Open(r)
	if err != nil {
		t.Fatal(err)
	}
	pools := []venue.Pool{p}
	for range 12 {
		if p, err = c.Next(r); err != nil {
			t.Fatal(err)
		}
		pools = append(pools, p)
	}
	Laws(t, pools)
}

// RangedSwaps: Swap of a pool gives the pool that the logs of the same swap give.
func RangedSwaps(t *testing.T, c Ranged) {
	type placed interface{ At() ticks.Point }
	r := rand.New(rand.NewPCG(4, 0))
	made := 0
	for range 300 {
		p, err := c.Next(r)
		if err != nil {
			t.Fatal(err)
		}
		in := r.IntN(2)
		amount := u256.FromFloat(p.Depth(in)).Rsh(uint(r.IntN(80))).Add(u256.One)
		next, err := p.Swap(in, 1-in, amount)
		if err != nil {
			continue
		}
		heard, err := c.Trade(in, amount)
		if err != nil {
			t.Fatal(err)
		}
		made++
		if want, got := next.(placed).At(), heard.(placed).At(); want != got {
			t.Fatalf("%v of token %d: we expect %v, the contract says %v", amount, in, want, got)
		}
	}
	if made < 50 {
		t.Errorf("only %d swaps were made", made)
	}
}

// MostTicks: a pool with more ticks both ways than a transaction can cross
// refuses what would cross more, its supply ends there, and has no more pieces
// than that.
func MostTicks(t *testing.T, p venue.Pool) {
	t.Helper()
	for in := range 2 {
		s := venue.SupplyOf(p, in, 1-in)
		if s == nil || len(s.Pieces) > ticks.MaxCrossed+1 || len(s.Pieces) < ticks.MaxCrossed/2 {
			t.Fatalf("token %d: no supply, or of too many or too few pieces: %+v", in, s)
		}
		for part, want := range map[float64]error{1e-6: nil, 0.5: nil, 1 - 1e-6: nil, 1 + 1e-6: venue.ErrTooLarge, 2: venue.ErrTooLarge, 1e6: venue.ErrTooLarge} {
			amount := u256.FromFloat(s.Max * part)
			if _, err := p.Quote(in, 1-in, amount); !errors.Is(err, want) {
				t.Errorf("token %d, %g of the supply: %v, want %v", in, part, err, want)
			}
			if _, err := p.Swap(in, 1-in, amount); !errors.Is(err, want) {
				t.Errorf("token %d, a swap of %g of the supply: %v, want %v", in, part, err, want)
			}
		}
	}
}
