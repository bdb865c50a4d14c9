package plan

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

const e18 = 1e18

var source = &venue.Source{ID: "one", Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(30)}

func token(n int) common.Address { return common.Address{0: 0xaa, 19: byte(n)} }

// through is a step from one token to another through a fresh pool.
func through(pool, from, to int, rIn, rOut float64, share Share) Step {
	p := univ2.NewPool(source, common.Address{0: 0x11, 19: byte(pool)},
		[2]common.Address{token(from), token(to)}, u256.FromFloat(rIn), u256.FromFloat(rOut))
	return Step{Pool: p, In: 0, Out: 1, Share: share}
}

func run(t *testing.T, amount float64, out int, steps ...Step) Plan {
	t.Helper()
	p, err := Run(token(0), token(out), u256.FromFloat(amount), steps)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// random is a plan over a DAG of up to eight tokens, shares from even to
// hardly anything.
func random(r *rand.Rand) (Plan, error) {
	out := 1 + r.IntN(7)
	held := map[int]bool{0: true}
	var steps []Step
	for from := range out {
		if !held[from] {
			continue
		}
		for left := 1 + r.IntN(4); left > 0; left-- {
			to := from + 1 + r.IntN(out-from)
			held[to] = true
			share := All
			if left > 1 {
				share = Share(math.Exp(r.Float64() * math.Log(1<<32-1)))
			}
			depth := func() float64 { return math.Exp(math.Log(1e24) + r.NormFloat64()*3) }
			steps = append(steps, through(len(steps), from, to, depth(), depth(), share))
		}
	}
	return Run(token(0), token(out), u256.FromFloat(math.Exp(r.Float64()*math.Log(1e26))), steps)
}

// eachRandom calls f with n plans that can be carried out.
func eachRandom(t *testing.T, n int, f func(p *Plan)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for tries, done := 0, 0; done < n; tries++ {
		if tries > 10*n {
			t.Fatalf("only %d of %d random plans ran", done, tries)
		}
		p, err := random(r)
		if errors.Is(err, venue.ErrTooSmall) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		done++
		f(&p)
	}
}

// sums adds a number of each step to the token it leaves and the one it enters.
func sums[T any](p *Plan, add func(T, int) T) (taken, made map[common.Address]T) {
	taken, made = map[common.Address]T{}, map[common.Address]T{}
	for i := range p.Steps {
		in, out := p.Steps[i].TokenIn(), p.Steps[i].TokenOut()
		taken[in], made[out] = add(taken[in], i), add(made[out], i)
	}
	return taken, made
}

func TestRunConserves(t *testing.T) {
	eachRandom(t, 2000, func(p *Plan) {
		taken, _ := sums(p, func(n u256.Int, i int) u256.Int { return n.Add(p.Steps[i].AmountIn) })
		_, made := sums(p, func(n u256.Int, i int) u256.Int { return n.Add(p.Steps[i].AmountOut) })
		if taken[p.TokenIn] != p.AmountIn || made[p.TokenOut] != p.AmountOut {
			t.Fatalf("%v in and %v out, but the steps take %v and make %v", p.AmountIn, p.AmountOut, taken[p.TokenIn], made[p.TokenOut])
		}
		for a, n := range made {
			if a != p.TokenOut && taken[a] != n {
				t.Fatalf("%v made of %s, %v taken", n, a, taken[a])
			}
		}
	})
}

func TestRunRefuses(t *testing.T) {
	const deep = 1e6 * e18
	half := Share(1 << 31)
	twice := through(0, 0, 1, deep, deep, half)
	for name, c := range map[string]struct {
		steps []Step
		want  error
	}{
		"a token nobody made":  {[]Step{through(0, 1, 2, deep, deep, All)}, ErrNothingHeld},
		"a rest of the first":  {[]Step{through(0, 0, 2, deep, deep, half)}, ErrLeftOver},
		"a rest in the middle": {[]Step{through(0, 0, 1, deep, deep, All), through(1, 1, 2, deep, deep, half)}, ErrLeftOver},
		"a pool twice":         {[]Step{twice, twice}, ErrPoolTwice},
		"out of the last":      {[]Step{through(0, 0, 2, deep, deep, All), through(1, 2, 1, deep, deep, All)}, ErrBackwards},
		"into the first":       {[]Step{through(0, 0, 1, deep, deep, All), through(1, 1, 0, deep, deep, All)}, ErrBackwards},
		"a part too small":     {[]Step{through(0, 0, 2, deep, 1, 1), through(1, 0, 2, deep, deep, All)}, venue.ErrTooSmall},
		"a pool without depth": {[]Step{through(0, 0, 2, 0, 0, All)}, venue.ErrEmpty},
	} {
		if _, err := Run(token(0), token(2), u256.FromFloat(10*e18), c.steps); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	// The contract's checked product of held and share would revert.
	_, err := Run(token(0), token(2), u256.Max, []Step{through(0, 0, 2, deep, deep, half), through(1, 0, 2, deep, deep, All)})
	if !errors.Is(err, venue.ErrTooLarge) {
		t.Errorf("a product beyond 256 bits: %v", err)
	}
}

func TestRunLeavesTheStepsAlone(t *testing.T) {
	steps := []Step{through(0, 0, 1, e18, e18, All)}
	p := run(t, 1e9, 1, steps...)
	if !steps[0].AmountIn.IsZero() || p.Steps[0].AmountIn.IsZero() {
		t.Errorf("given %v, returned %v", steps[0].AmountIn, p.Steps[0].AmountIn)
	}
}

func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 10_000 {
		held := u256.FromFloat(math.Exp(r.Float64()*math.Log(1e30)) + 2)
		amount := u256.FromFloat(held.Float() * r.Float64())
		s := ShareOf(amount, held)
		part, ok := s.Of(held)
		if !ok || s == All || (s > 1 && part.Gt(amount)) {
			t.Fatalf("share of %v in %v: %d gives %v", amount, held, s, part)
		}
		if more, _ := (s + 1).Of(held); s < 1<<32-1 && !more.Gt(amount) {
			t.Fatalf("share of %v in %v: %d is not the largest", amount, held, s)
		}
	}
	if s := ShareOf(u256.From(5), u256.From(5)); s != 1<<32-1 {
		t.Errorf("all of it: %d", s)
	}
	if s := ShareOf(u256.Zero, u256.From(1<<40)); s != 1 {
		t.Errorf("nothing of it: %d", s)
	}
}
