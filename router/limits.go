package router

import (
	"fmt"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// refusal says why no path carries the amount.
func (f *finder) refusal(amount u256.Int) error {
	reason := venue.ErrTooLarge
	switch {
	case !f.tooSmall && !f.tooLarge:
		return ErrNoRoute
	case !f.tooLarge:
		reason = venue.ErrTooSmall
	case f.tooSmall:
		// Some pool is odd. The amounts that do pass tell the side.
		if lo, _, ok := f.passing(); ok && amount.Lt(lo) {
			reason = venue.ErrTooSmall
		}
	}
	return fmt.Errorf("every path: %w", reason)
}

// MaxIn is about the largest amount for which Find has a plan, and MinIn the
// smallest; false when there is none.
func MaxIn(s *market.Snapshot, o Order) (u256.Int, bool) {
	f, err := newFinder(s, o)
	if err != nil {
		return u256.Zero, false
	}
	defer f.release()
	_, hi, ok := f.passing()
	refused := u256.Max
	if hi.BitLen()+stride <= 256 {
		refused = hi.Lsh(stride)
	}
	return f.narrow(hi, refused, 10), ok
}

func MinIn(s *market.Snapshot, o Order) (u256.Int, bool) {
	f, err := newFinder(s, o)
	if err != nil {
		return u256.Zero, false
	}
	defer f.release()
	lo, _, ok := f.passing()
	return f.narrow(lo, lo.Rsh(stride), 256), ok
}

// stride is how far apart, in bits, passing looks for amounts that pass.
const stride = 4

// passing gives the least and the greatest power of 2^stride that some path
// carries.
func (f *finder) passing() (lo, hi u256.Int, ok bool) {
	for bit := uint(0); bit < 256; bit += stride {
		amount := u256.One.Lsh(bit)
		if _, passes := f.search(amount, 0); passes {
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
func (f *finder) narrow(passes, refused u256.Int, bits uint) u256.Int {
	for {
		lo := u256.Min(passes, refused)
		gap := passes.Add(refused).Sub(lo).Sub(lo)
		if !gap.Gt(u256.One) || !gap.Gt(passes.Rsh(bits)) {
			return passes
		}
		mid := lo.Add(gap.Rsh(1))
		if _, ok := f.search(mid, 0); ok {
			passes = mid
		} else {
			refused = mid
		}
	}
}
