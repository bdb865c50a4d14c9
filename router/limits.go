package router

import (
	"errors"
	"fmt"

	"braid/market"
	"braid/router/path"
	"braid/u256"
	"braid/venue"
)

var errNoPath = errors.New("no path")

// refusal says why no path carries the amount, by what the search for one came across.
func (p *problem) refusal(signs path.Signs) error {
	tooSmall, tooLarge := signs.TooSmall || p.amount.IsZero(), signs.TooLarge
	if !p.Joined() {
		return ErrNoRoute
	}
	if tooSmall && tooLarge {
		// Some pool is odd. The amounts that do pass tell the side.
		lo, _, ok := p.passing()
		tooLarge = !ok || !p.amount.Lt(lo)
	}
	if tooLarge {
		return fmt.Errorf("every path: %w", venue.ErrTooLarge)
	}
	return fmt.Errorf("every path: %w", venue.ErrTooSmall)
}

// MaxIn is about the largest amount for which Find has a plan, and MinIn the
// smallest; false when there is none.
func MaxIn(s *market.Snapshot, o Order) (u256.Int, bool) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return u256.Zero, false
	}
	defer p.release()
	_, hi, ok := p.passing()
	refused := u256.Max
	if hi.BitLen()+stride <= 256 {
		refused = hi.Lsh(stride)
	}
	return p.narrow(hi, refused, 10), ok
}

func MinIn(s *market.Snapshot, o Order) (u256.Int, bool) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return u256.Zero, false
	}
	defer p.release()
	lo, _, ok := p.passing()
	return p.narrow(lo, lo.Rsh(stride), 256), ok
}

// stride is how far apart, in bits, passing looks for amounts that pass.
const stride = 4

// passing gives the least and the greatest power of 2^stride that some path
// carries.
func (p *problem) passing() (lo, hi u256.Int, ok bool) {
	for bit := uint(0); bit < 256; bit += stride {
		amount := u256.One.Lsh(bit)
		if p.passes(amount) {
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
func (p *problem) narrow(passes, refused u256.Int, bits uint) u256.Int {
	for {
		lo := u256.Min(passes, refused)
		gap := passes.Add(refused).Sub(lo).Sub(lo)
		if !gap.Gt(u256.One) || !gap.Gt(passes.Rsh(bits)) {
			return passes
		}
		mid := lo.Add(gap.Rsh(1))
		if p.passes(mid) {
			passes = mid
		} else {
			refused = mid
		}
	}
}

// passes says whether some path carries the amount.
func (p *problem) passes(amount u256.Int) bool {
	_, _, _, err := p.single(amount)
	return err == nil
}
