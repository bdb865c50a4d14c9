// Package venuetest holds the laws every family must pass.
//
// Laws checks pools against what the rest of the program relies on,
// Differential checks quotes against the venue's own contract in an EVM, Script
// checks them against amounts that such contracts paid (testdata/swaps.txt), and
// the Fuzz functions feed a family with logs, answers and stored bytes that
// were changed.
package venuetest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"braid/u256"
	"braid/venue"
)

// Laws checks the pools against what the rest of the program relies on, in every
// direction and for amounts from one raw unit to 2^256-1.
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
					direction{t, p, in, out}.check(amounts(r))
				}
			}
		}
	}
}

// direction is one direction of one pool.
type direction struct {
	*testing.T
	pool    venue.Pool
	in, out int
}

func (d direction) check(amounts []u256.Int) {
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
			d.errorf(amount, "a second Quote differs: the pool has changed")
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
	d.allocations(amounts)
	d.call()
}

// refusal: a pool refuses with one of the errors of package venue.
func (d direction) refusal(amount u256.Int, err error) {
	for _, known := range []error{venue.ErrTooSmall, venue.ErrTooLarge, venue.ErrEmpty} {
		if errors.Is(err, known) {
			return
		}
	}
	d.errorf(amount, "refuses with an unknown error: %v", err)
}

// spot: no amount gets a better price than Spot, apart from the rounding of one
// raw unit of either token.
func (d direction) spot(amount, paid u256.Int) {
	ceiling := (amount.Float() + 1) * d.pool.Spot(d.in, d.out) * (1 + 1e-9)
	if paid.Float() > ceiling+1 {
		d.errorf(amount, "pays %v, above %g at its spot price", paid, ceiling)
	}
}

// roundTrip: a swap and its way back never gain, and a swap leaves Info as it
// was.
func (d direction) roundTrip(amount, paid u256.Int, next venue.Pool) {
	if diff := cmp.Diff(d.pool.Info(), next.Info()); diff != "" {
		d.errorf(amount, "Swap changed what never changes: %s", diff)
	}
	if back, err := next.Quote(d.out, d.in, paid); err == nil && back.Out.Gt(amount) {
		d.errorf(amount, "swapped back it gives %v", back.Out)
	}
}

// allocations: Quote allocates nothing, whatever it answers.
func (d direction) allocations(amounts []u256.Int) {
	i := 0
	allocs := testing.AllocsPerRun(len(amounts), func() {
		d.pool.Quote(d.in, d.out, amounts[i%len(amounts)])
		i++
	})
	if allocs != 0 {
		d.errorf(u256.Zero, "Quote allocates %v times", allocs)
	}
}

// call: two Calls are equal, and the caller may change the bytes of one.
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
			d.errorf(u256.Zero, "Call returns memory that it uses again")
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
