package router

import (
	"errors"
	"fmt"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

var errNoPath = errors.New("no path")

// refusal says why no path carries the amount.
func (f *finder) refusal(o *Order) error {
	tooSmall, tooLarge := f.tooSmall || o.AmountIn.IsZero(), f.tooLarge
	if !f.joined() {
		return ErrNoRoute
	}
	if tooSmall && tooLarge {
		// Some pool is odd. The amounts that do pass tell the side.
		lo, _, ok := f.passing(o)
		tooLarge = !ok || !o.AmountIn.Lt(lo)
	}
	if tooLarge {
		return fmt.Errorf("every path: %w", venue.ErrTooLarge)
	}
	return fmt.Errorf("every path: %w", venue.ErrTooSmall)
}

// joined says whether any path leads from the first token to the last.
func (f *finder) joined() bool {
	f.forget()
	f.layers[0].at(f.in)
	for k := range f.hops {
		for _, t := range f.layers[k].tokens {
			arcs := f.g.All(int(t))
			for i := range arcs {
				to := int(arcs[i].To)
				if f.banned[arcs[i].Source] {
					continue
				}
				if to == f.out {
					return true
				}
				if !f.shut(to) {
					f.layers[k+1].at(to)
				}
			}
		}
	}
	return false
}

// MaxIn is about the largest amount for which Find has a plan, and MinIn the
// smallest; false when there is none.
func MaxIn(s *market.Snapshot, o Order) (u256.Int, bool) {
	f, err := newFinder(s, o, true)
	if err != nil {
		return u256.Zero, false
	}
	defer f.release()
	_, hi, ok := f.passing(&o)
	refused := u256.Max
	if hi.BitLen()+stride <= 256 {
		refused = hi.Lsh(stride)
	}
	return f.narrow(&o, hi, refused, 10), ok
}

func MinIn(s *market.Snapshot, o Order) (u256.Int, bool) {
	f, err := newFinder(s, o, true)
	if err != nil {
		return u256.Zero, false
	}
	defer f.release()
	lo, _, ok := f.passing(&o)
	return f.narrow(&o, lo, lo.Rsh(stride), 256), ok
}

// stride is how far apart, in bits, passing looks for amounts that pass.
const stride = 4

// passing gives the least and the greatest power of 2^stride that some path
// carries.
func (f *finder) passing(o *Order) (lo, hi u256.Int, ok bool) {
	for bit := uint(0); bit < 256; bit += stride {
		amount := u256.One.Lsh(bit)
		if f.passes(o, amount) {
			if !ok {
				lo, ok = amount, true
			}
			hi = amount
		} else if ok {
			break
		}
	}
	return lo, hi, ok
}

// narrow moves an amount that passes towards one that does not, until a unit
// lies between them or one part in 2^bits.
func (f *finder) narrow(o *Order, passes, refused u256.Int, bits uint) u256.Int {
	for {
		lo := u256.Min(passes, refused)
		gap := passes.Add(refused).Sub(lo).Sub(lo)
		if !gap.Gt(u256.One) || !gap.Gt(passes.Rsh(bits)) {
			return passes
		}
		mid := lo.Add(gap.Rsh(1))
		if f.passes(o, mid) {
			passes = mid
		} else {
			refused = mid
		}
	}
}

// passes says whether some path carries the amount.
func (f *finder) passes(o *Order, amount u256.Int) bool {
	_, _, err := f.single(o, amount)
	return err == nil
}
