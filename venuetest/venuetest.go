// Package venuetest holds the laws every family must pass.
package venuetest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"braid/u256"
	"braid/venue"
)

// Laws holds the pools to what the rest of the house relies on, in every
// direction and for amounts from one unit to beyond any depth.
func Laws(t *testing.T, pools []venue.Pool) {
	t.Helper()
	if len(pools) == 0 {
		t.Fatal("no pools to hold to the laws")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range pools {
		n := len(p.Info().Tokens)
		for in := range n {
			for out := range n {
				if in != out {
					direction{t, p, in, out}.hold(amounts(r))
				}
			}
		}
	}
}

// direction is one way through one pool.
type direction struct {
	*testing.T
	pool    venue.Pool
	in, out int
}

func (d direction) hold(amounts []u256.Int) {
	d.Helper()
	var last u256.Int
	for _, amount := range amounts {
		q, err := d.pool.Quote(d.in, d.out, amount)
		next, swapErr := d.pool.Swap(d.in, d.out, amount)
		if (err == nil) != (swapErr == nil) {
			d.errorf(amount, "Quote says %v, Swap says %v", err, swapErr)
			continue
		}
		if again, _ := d.pool.Quote(d.in, d.out, amount); again != q {
			d.errorf(amount, "a second Quote differs: the pool is no value")
		}
		if err != nil {
			d.refusal(amount, err)
			continue
		}
		if q.Out.IsZero() || q.Gas == 0 {
			d.errorf(amount, "quotes %v for %d gas: nothing is an error, and no swap is free", q.Out, q.Gas)
		}
		if q.Out.Lt(last) {
			d.errorf(amount, "pays %v, less than the %v for a smaller amount", q.Out, last)
		}
		last = q.Out
		d.spot(amount, q.Out)
		d.roundTrip(amount, q.Out, next)
	}
	d.supply(amounts)
	d.silent(amounts)
	d.call()
}

// refusal: a pool says no with one of the words that callers know.
func (d direction) refusal(amount u256.Int, err error) {
	for _, known := range []error{venue.ErrTooSmall, venue.ErrTooLarge, venue.ErrEmpty} {
		if errors.Is(err, known) {
			return
		}
	}
	d.errorf(amount, "refuses with a word of its own: %v", err)
}

// spot: no amount is paid better than the first unit, but for what rounding may
// give away: a unit of either token.
func (d direction) spot(amount, paid u256.Int) {
	ceiling := (amount.Float() + 1) * d.pool.Spot(d.in, d.out) * (1 + 1e-9)
	if paid.Float() > ceiling+1 {
		d.errorf(amount, "pays %v, above %g at its spot price", paid, ceiling)
	}
}

// roundTrip: there and back again never pays, and the way there leaves the
// identity of the pool as it was.
func (d direction) roundTrip(amount, paid u256.Int, next venue.Pool) {
	if diff := cmp.Diff(d.pool.Info(), next.Info()); diff != "" {
		d.errorf(amount, "Swap changed what never changes: %s", diff)
	}
	if back, err := next.Quote(d.out, d.in, paid); err == nil && back.Out.Gt(amount) {
		d.errorf(amount, "there and back gives %v", back.Out)
	}
}

// silent: Quote allocates nothing, whatever it answers.
func (d direction) silent(amounts []u256.Int) {
	i := 0
	allocs := testing.AllocsPerRun(len(amounts), func() {
		d.pool.Quote(d.in, d.out, amounts[i%len(amounts)])
		i++
	})
	if allocs != 0 {
		d.errorf(u256.Zero, "Quote allocates %v times", allocs)
	}
}

// call: the hand is steady and its bytes are the caller's own.
func (d direction) call() {
	a, b := d.pool.Call(d.in, d.out), d.pool.Call(d.in, d.out)
	if diff := cmp.Diff(a, b); diff != "" {
		d.errorf(u256.Zero, "two Calls differ: %s", diff)
	}
	if a.Kind == 0 || a.Kind >= 0x80 {
		d.errorf(u256.Zero, "kind %#x is not one of the Executor's", a.Kind)
	}
	if len(a.Body) > 0 {
		a.Body[0] ^= 0xff
		if c := d.pool.Call(d.in, d.out); cmp.Diff(b, c) != "" {
			d.errorf(u256.Zero, "Call hands out its own memory")
		}
	}
}

func (d direction) errorf(amount u256.Int, format string, args ...any) {
	d.Helper()
	args = append([]any{d.pool.Info().ID, d.in, d.out, amount}, args...)
	d.Errorf("pool %s, %d to %d, amount %v: "+format, args...)
}

// amounts rise from one unit to 2^256-1: every power of two and something
// random between each and the next.
func amounts(r *rand.Rand) []u256.Int {
	var list []u256.Int
	for bit := range uint(256) {
		low := u256.One.Lsh(bit)
		part := Word(r).Mod(low)
		list = append(list, low, low.Add(part))
	}
	return append(list, u256.Max)
}
