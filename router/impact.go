package router

import (
	"math"

	"braid/market"
)

// hardly is by which part a chunk may have to be more for what it is to make.
const hardly = 2e-3

// top is the worth that can come of an amount of the first token: of what its
// own arcs pay for all of it.
func (f *finder) top(amount float64) (best float64) {
	o, worth := f.outlook, amount*f.g.Worth[f.in]
	look := func(a *market.Arc, hope float64) {
		if a.Lift*worth*hope > best && !f.banned[a.Source] {
			y, _ := a.Pay(amount)
			best = max(best, y*f.g.Worth[a.To]*hope)
		}
	}
	for i := range o.entries {
		if e := &o.entries[i]; e.from == f.in {
			look(e.arc, 1)
		}
	}
	ways, fan, start := f.g.Ways(f.in, math.MaxInt)
	left := o.reach - 1
	for i := 0; i < fan && float64(ways[i].Lift)*worth*o.most[left] > best; i++ {
		look(&f.g.Arcs[start+i], f.hope(ways[i].Rank, left, best/(float64(ways[i].Lift)*worth)))
	}
	if left == 0 {
		return best
	}
	for i := fan; i < min(len(ways), fan+maxLook) && float64(ways[i].Lift)*worth*o.most[left-1] > best; i++ {
		look(&f.g.Arcs[start+i], f.exit(int(ways[i].To), left))
	}
	return best
}

// carried is the most worth that an arc of the first token leaves of an
// amount.
func (f *finder) carried(amount float64) (best float64) {
	arcs := f.g.All(f.in)
	if len(arcs) > market.Wide {
		arcs = f.g.Fan(f.in)
	}
	for i := range arcs {
		if a := &arcs[i]; a.Lift*amount*f.g.Worth[f.in] > best {
			y, _ := a.Pay(amount)
			best = max(best, y*f.g.Worth[a.To])
		}
	}
	return best
}

// fewest is the least worth of which an arc into the last token can make so
// much; 0 if there are too many to ask. As rates fall with the amount, it is
// approached from below.
func (f *finder) fewest(need float64) (least float64) {
	if need <= 0 || len(f.g.All(f.out)) > market.Wide {
		return 0
	}
	for range 4 {
		rate := 0.0
		f.g.Into(f.out, func(from int, a *market.Arc) {
			if f.banned[a.Source] || a.Lift <= rate {
				return
			}
			if least == 0 {
				rate = a.Lift
			} else {
				y, _ := a.Pay(least / f.g.Worth[from])
				rate = max(rate, y*f.g.Worth[f.out]/least)
			}
		})
		if !(rate > 0) {
			break
		}
		least = need / rate * (1 - slack)
	}
	return max(0, least)
}

// thin is fewest, or 0 where that is hardly more than without a price impact:
// outlooks of all chunks are then the same.
func (f *finder) thin(need float64) float64 {
	if least := f.fewest(need); least > need*(1+hardly) {
		return least
	}
	return 0
}
