package balancer

import "braid/u256"

// The power function of the contract's LogExpMath, for the only bases a swap
// raises: balanceIn/(balanceIn+amountIn), where amountIn is at most 30% of
// balanceIn, so from 1/1.3 to 1. Exponents are ratios of weights, at most 99.
// All logarithms are then zero or negative and above -26. They are kept as
// magnitudes, on which truncation is what signed division does; the terms of
// the contract that only larger arguments reach are not here.

var (
	two     = u256.From(2e18)
	four    = u256.From(4e18)
	one20   = u256.From(1e10).Mul(u256.From(1e10))
	one36   = one.Mul(one)
	hundred = u256.From(100)

	lowerLn36 = u256.From(9e17) // above it the logarithm has 36 decimals

	maxPowRelativeError = u256.From(10_000)
)

// terms are powers of e with 20 decimals: aN = e^xN.
type term struct{ x, a u256.Int }

var (
	lnTerms = [...]term{
		{u256.MustDecimal("25000000000000000000"), u256.MustDecimal("128402541668774148407")},
		{u256.MustDecimal("12500000000000000000"), u256.MustDecimal("113314845306682631683")},
		{u256.MustDecimal("6250000000000000000"), u256.MustDecimal("106449445891785942956")},
	}
	expTerms = [...]term{
		{u256.MustDecimal("1600000000000000000000"), u256.MustDecimal("888611052050787263676000000")},
		{u256.MustDecimal("800000000000000000000"), u256.MustDecimal("298095798704172827474000")},
		{u256.MustDecimal("400000000000000000000"), u256.MustDecimal("5459815003314423907810")},
		{u256.MustDecimal("200000000000000000000"), u256.MustDecimal("738905609893065022723")},
		{u256.MustDecimal("100000000000000000000"), u256.MustDecimal("271828182845904523536")},
		{u256.MustDecimal("50000000000000000000"), u256.MustDecimal("164872127070012814685")},
		{u256.MustDecimal("25000000000000000000"), u256.MustDecimal("128402541668774148407")},
	}
	expDivisors = divisors()
)

// divisors are n with 20 decimals: dividing by 1e20 and then by n is dividing
// once by both.
func divisors() (d [13]u256.Int) {
	for n := range d {
		d[n] = one20.Mul(u256.From(uint64(n)))
	}
	return d
}

// powUp is x^y, at least.
func powUp(x, y u256.Int) u256.Int {
	var c checked
	switch y {
	case one:
		return x
	case two:
		return c.mulUp(x, x)
	case four:
		square := c.mulUp(x, x)
		return c.mulUp(square, square)
	}
	raw := pow(x, y)
	return raw.Add(c.mulUp(raw, maxPowRelativeError)).Add(u256.One)
}

func pow(x, y u256.Int) u256.Int {
	var log u256.Int // minus ln(x) * y
	if x.Gt(lowerLn36) {
		ln := ln36(x)
		high := ln.Div(one)
		low := ln.Sub(high.Mul(one))
		log = high.Mul(y).Add(low.Mul(y).Div(one))
	} else {
		log = ln(x).Mul(y)
	}
	return expNegative(log.Div(one))
}

// ln36 is minus the logarithm of x, with 36 decimals.
func ln36(x u256.Int) u256.Int {
	x = x.Mul(one)
	z := one36.Sub(x).Mul(one36).Div(one36.Add(x))
	return series(z, one36, 15)
}

// ln is minus the logarithm of x, with 18 decimals.
func ln(x u256.Int) u256.Int {
	var sum u256.Int
	a := one36.Div(x).Mul(hundred)
	for i := range lnTerms {
		if !a.Lt(lnTerms[i].a) {
			a = a.Mul(one20).Div(lnTerms[i].a)
			sum = sum.Add(lnTerms[i].x)
		}
	}
	z := a.Sub(one20).Mul(one20).Div(a.Add(one20))
	return sum.Add(series(z, one20, 11)).Div(hundred)
}

// series is 2 * (z + z^3/3 + z^5/5 + … + z^last/last).
func series(z, unit u256.Int, last uint64) u256.Int {
	square := z.Mul(z).Div(unit)
	num, sum := z, z
	for n := uint64(3); n <= last; n += 2 {
		num = num.Mul(square).Div(unit)
		sum = sum.Add(num.Div(u256.From(n)))
	}
	return sum.Lsh(1)
}

// expNegative is e^-x, with 18 decimals.
func expNegative(x u256.Int) u256.Int {
	x = x.Mul(hundred)
	product := one20
	for i := range expTerms {
		if !x.Lt(expTerms[i].x) {
			x = x.Sub(expTerms[i].x)
			product = product.Mul(expTerms[i].a).Div(one20)
		}
	}
	term, sum := x, one20.Add(x)
	for n := 2; n <= 12; n++ {
		term = term.Mul(x).Div(expDivisors[n])
		sum = sum.Add(term)
	}
	return one36.Div(product.Mul(sum).Div(one20).Div(hundred))
}
