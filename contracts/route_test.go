package contracts

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// step is one step of a route.
type step struct {
	kind, in, out byte
	share         uint32
	body          []byte
}

func through(p pair, in, out byte) step {
	return step{kind: 1, in: in, out: out, body: binary.BigEndian.AppendUint16(p.at.Bytes(), p.feeBps)}
}

func (s step) part(share uint32) step { s.share = share; return s }
func (s step) prepaid() step          { s.kind |= 0x80; return s }

func route(table []common.Address, steps ...step) []byte {
	b := []byte{byte(len(table))}
	for _, token := range table {
		b = append(b, token[:]...)
	}
	for _, s := range steps {
		b = append(b, s.kind, s.in, s.out)
		b = binary.BigEndian.AppendUint32(b, s.share)
		b = append(b, s.body...)
	}
	return b
}

func TestOneHopPaysTheQuote(t *testing.T) {
	r := newRig(t)
	for _, dir := range []struct{ in, out common.Address }{{r.a, r.b}, {r.b, r.a}} {
		want := r.quote(r.ab, dir.in, dir.out, e18(10))
		o := r.order(dir.in, dir.out, e18(10), route(nil, through(r.ab, 0, 1)))
		o.minOut = want
		r.pays(o, want)
	}
}

func TestPairsPayPairs(t *testing.T) {
	r := newRig(t)
	mid := r.quote(r.ab, r.a, r.b, e18(10))
	want := r.quote(r.bc, r.b, r.c, mid)
	o := r.order(r.a, r.c, e18(10), route([]common.Address{r.b}, through(r.ab, 0, 2), through(r.bc, 2, 1).prepaid()))
	r.pays(o, want)
}

// The input is split, one part takes a detour whose middle token is held by
// the Executor for a moment.
func TestSplitAndCustody(t *testing.T) {
	r := newRig(t)
	third := new(big.Int).Rsh(mul(e18(10), big.NewInt(1<<32/3)), 32)
	mid := r.quote(r.ab, r.a, r.b, third)
	want := plus(r.quote(r.bc, r.b, r.c, mid), r.quote(r.ac, r.a, r.c, new(big.Int).Sub(e18(10), third)))
	o := r.order(r.a, r.c, e18(10), route([]common.Address{r.b},
		through(r.ab, 0, 2).part(1<<32/3),
		through(r.ac, 0, 1),
		through(r.bc, 2, 1)))
	r.pays(o, want)
}

func TestNativeInAndOut(t *testing.T) {
	r := newRig(t)
	in := route(nil, through(r.wa, 0, 1))

	o := r.order(r.wrapped, r.a, e18(3), in)
	wrapped := r.held(r.wrapped, user)
	r.pays(o, r.quote(r.wa, r.wrapped, r.a, e18(3)))
	if got := wrapped.Sub(wrapped, r.held(r.wrapped, user)); got.Cmp(e18(3)) != 0 {
		t.Errorf("without value %s of wrapped native were pulled", got)
	}

	o.value = e18(3) // the same calldata
	wrapped, coins := r.held(r.wrapped, user), r.held(native, user)
	r.pays(o, r.quote(r.wa, r.wrapped, r.a, e18(3)))
	if r.held(r.wrapped, user).Cmp(wrapped) != 0 {
		t.Error("with value, wrapped native was pulled as well")
	}
	if got := coins.Sub(coins, r.held(native, user)); got.Cmp(e18(3)) != 0 {
		t.Errorf("with value %s of native were spent", got)
	}

	r.pays(r.order(r.a, native, e18(3), in), r.quote(r.wa, r.a, r.wrapped, e18(3)))
	r.pays(r.order(r.a, r.wrapped, e18(3), in), r.quote(r.wa, r.a, r.wrapped, e18(3)))
}

func TestRouteThatCannotBe(t *testing.T) {
	r := newRig(t)
	table := []common.Address{r.b, native, r.wrapped}
	for name, c := range map[string]struct {
		steps []step
		fault string
	}{
		"no steps":                 {nil, "LeftOver"},
		"input left":               {[]step{through(r.ac, 0, 1).part(1 << 31)}, "LeftOver"},
		"middle token left":        {[]step{through(r.ab, 0, 2), through(r.bc, 2, 1).part(1 << 31)}, "LeftOver"},
		"nothing held":             {[]step{through(r.bc, 2, 1)}, "ZeroAmount"},
		"input spent twice":        {[]step{through(r.ac, 0, 1), through(r.ac, 0, 1)}, "ZeroAmount"},
		"another token comes out":  {[]step{through(r.ab, 0, 4).part(1 << 31), through(r.ac, 0, 1)}, "ZeroAmount"},
		"out of the output":        {[]step{through(r.ac, 0, 1), through(r.bc, 1, 2)}, "Backwards"},
		"into the input":           {[]step{through(r.ab, 0, 2), through(r.ab, 2, 0)}, "Backwards"},
		"token beyond the table":   {[]step{through(r.ab, 0, 5)}, "UnknownToken"},
		"from beyond the table":    {[]step{through(r.ab, 9, 1)}, "UnknownToken"},
		"unknown kind":             {[]step{{kind: 77, in: 0, out: 1}}, "UnknownKind"},
		"kind zero":                {[]step{{kind: 0, in: 0, out: 1}}, "UnknownKind"},
		"fee below 25 bps":         {[]step{through(pair{r.ac.at, 24}, 0, 1)}, "UniswapV2: K"},
		"fee below 30 bps":         {[]step{through(pair{r.ab.at, 29}, 0, 2), through(r.bc, 2, 1)}, "UniswapV2: K"},
		"first step prepaid":       {[]step{through(r.ac, 0, 1).prepaid()}, "NotPrepaid"},
		"prepaid in another token": {[]step{through(r.ab, 0, 2), through(r.ac, 0, 1).prepaid()}, "NotPrepaid"},
		"unknown kind prepaid":     {[]step{through(r.ab, 0, 2), {kind: 0x82, in: 2, out: 1, body: stranger[:]}}, "UnknownKind"},
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.refuses(r.order(r.a, r.c, e18(10), route(table, c.steps...)), c.fault)
		})
	}
}

// Routes of any shape pay what the arithmetic says, and the contracts end with
// what they had, donations among it.
func TestRandomRoutes(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(143, 2))
	tokens := []common.Address{r.a, r.b, r.c, r.token("D"), r.token("E")}
	pairs := map[[2]common.Address]pair{}
	for i, a := range tokens {
		for _, b := range tokens[:i] {
			fee := []uint16{25, 30}[rng.IntN(2)]
			p := r.pair(a, b, e18(1000+rng.Int64N(9000)), e18(1000+rng.Int64N(9000)), fee)
			pairs[[2]common.Address{a, b}], pairs[[2]common.Address{b, a}] = p, p
		}
	}
	r.donate(tokens...)
	before := r.ledger(r.router, r.exec, victim)
	prepaid := 0
	for range 200 {
		rng.Shuffle(len(tokens), func(i, j int) { tokens[i], tokens[j] = tokens[j], tokens[i] })
		steps, want := r.randomRoute(rng, tokens, pairs)
		for _, s := range steps {
			prepaid += int(s.kind >> 7)
		}
		o := r.order(tokens[0], tokens[1], e18(10), route(tokens[2:], steps...))
		r.pays(o, want)
	}
	if prepaid < 20 {
		t.Errorf("only %d steps of the routes were prepaid", prepaid)
	}
	r.same(before, r.ledger(r.router, r.exec, victim))
}

// randomRoute walks the tokens 0, 2, 3, 4 in order and lets each flow into some
// of those behind it and into 1, the last.
func (r *rig) randomRoute(rng *rand.Rand, tokens []common.Address, pairs map[[2]common.Address]pair) ([]step, *big.Int) {
	held := map[int]*big.Int{0: e18(10)}
	makers, takers := map[int]int{}, map[int]int{}
	var steps []step
	order := []int{0, 2, 3, 4, 1}
	for at, in := range order[:4] {
		if held[in] == nil {
			continue
		}
		var outs []int
		for _, out := range order[at+1:] {
			if rng.IntN(3) == 0 {
				outs = append(outs, out)
			}
		}
		if len(outs) == 0 {
			outs = []int{order[at+1+rng.IntN(4-at)]}
		}
		for i, out := range outs {
			p := pairs[[2]common.Address{tokens[in], tokens[out]}]
			s, amount := through(p, byte(in), byte(out)), held[in]
			if i < len(outs)-1 {
				s = s.part(1<<28 + rng.Uint32N(1<<31))
				amount = new(big.Int).Rsh(mul(held[in], big.NewInt(int64(s.share))), 32)
			}
			if held[out] == nil {
				held[out] = new(big.Int)
			}
			held[in] = new(big.Int).Sub(held[in], amount)
			held[out] = plus(held[out], r.quote(p, tokens[in], tokens[out], amount))
			makers[out]++
			takers[in]++
			steps = append(steps, s)
		}
	}
	for i := 1; i < len(steps); i++ {
		in := int(steps[i].in)
		if steps[i-1].out == steps[i].in && makers[in] == 1 && takers[in] == 1 {
			steps[i] = steps[i].prepaid()
		}
	}
	return steps, held[1]
}

// What plain swaps burn on Ethereum's schedule, before refunds, with a standing
// approval, a recipient that holds the output already, and pairs that write
// their price sums. A rise is a decision.
func TestGas(t *testing.T) {
	r := newRig(t)
	one := route(nil, through(r.ab, 0, 1))
	two := route([]common.Address{r.b}, through(r.ab, 0, 2), through(r.bc, 2, 1).prepaid())
	split := route([]common.Address{r.b}, through(r.ab, 0, 2).part(1<<31), through(r.ac, 0, 1), through(r.bc, 2, 1))
	wrap := r.order(r.wrapped, r.a, e18(1), route(nil, through(r.wa, 0, 1)))
	wrap.value = e18(1)
	for _, c := range []struct {
		name  string
		order order
		limit uint64
	}{
		{"1 hop", r.order(r.a, r.b, e18(1), one), 111_700}, // of which the fee that a route may have takes 200
		{"2 hops", r.order(r.a, r.c, e18(1), two), 169_000},
		{"split with a detour", r.order(r.a, r.c, e18(1), split), 256_000},
		{"native in, 1 hop", wrap, 136_500},
		{"native out, 1 hop", r.order(r.a, native, e18(1), route(nil, through(r.wa, 0, 1))), 148_500},
	} {
		c.order.deadline = maxWei
		var res result
		for range 2 { // the first price sums of a pair are new slots
			r.Time++
			res = r.swap(c.order)
		}
		if res.fault != "" || res.gas > c.limit {
			t.Errorf("%s: %d gas, limit %d %s", c.name, res.gas, c.limit, res.fault)
		}
	}
}
