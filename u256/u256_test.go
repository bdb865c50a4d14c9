package u256_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"braid/u256"
)

var modulus = new(big.Int).Lsh(big.NewInt(1), 256)

// TestAgainstBig holds every operation to math/big on numbers of all sizes.
func TestAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func() *big.Int {
		b := new(big.Int)
		for range 4 {
			b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(r.Uint64()))
		}
		return b.Rsh(b, uint(r.IntN(257)))
	}
	wrap := func(b *big.Int) *big.Int { return b.Mod(b, modulus) }
	for range 20_000 {
		x, y, z := random(), random(), random()
		a, b, c := u256.FromBig(x), u256.FromBig(y), u256.FromBig(z)
		check := func(op string, got u256.Int, want *big.Int) {
			t.Helper()
			if got.Big().Cmp(want) != 0 {
				t.Fatalf("%s of %v, %v, %v: got %v, want %v", op, x, y, z, got, want)
			}
		}
		check("add", a.Add(b), wrap(new(big.Int).Add(x, y)))
		check("sub", a.Sub(b), wrap(new(big.Int).Sub(x, y)))
		product := new(big.Int).Mul(x, y)
		check("mul", a.Mul(b), wrap(new(big.Int).Set(product)))
		if _, over := a.MulOver(b); over != (product.BitLen() > 256) {
			t.Fatalf("mul of %v, %v: overflow %v", x, y, over)
		}
		sum, over := a.AddOver(b)
		check("add", sum, wrap(new(big.Int).Add(x, y)))
		if over != (new(big.Int).Add(x, y).BitLen() > 256) {
			t.Fatalf("add of %v, %v: overflow %v", x, y, over)
		}
		if y.Sign() > 0 {
			check("div", a.Div(b), new(big.Int).Div(x, y))
			check("mod", a.Mod(b), new(big.Int).Mod(x, y))
		}
		if z.Sign() > 0 {
			want := new(big.Int).Div(product, z)
			got, over := a.MulDiv(b, c)
			if over != (want.BitLen() > 256) {
				t.Fatalf("muldiv of %v, %v, %v: overflow %v", x, y, z, over)
			}
			if !over {
				check("muldiv", got, want)
			}
		}
		if got := u256.MustDecimal(a.String()); got != a {
			t.Fatalf("%v reads back as %v", a, got)
		}
		bytes := a.Bytes()
		check("bytes", u256.FromBytes(bytes[:]), x)
		f, _ := new(big.Float).SetInt(x).Float64()
		if got := a.Float(); math.Abs(got-f) > f*1e-15 {
			t.Fatalf("%v as a float: %v", a, got)
		}
	}
}

func TestDivisionByZero(t *testing.T) {
	if got := u256.One.Div(u256.Zero); !got.IsZero() {
		t.Errorf("1/0 = %v, the EVM says 0", got)
	}
	if _, over := u256.One.MulDiv(u256.One, u256.Zero); !over {
		t.Error("MulDiv by zero does not report it")
	}
}

func TestFromDecimal(t *testing.T) {
	if got, err := u256.FromDecimal("00" + u256.Max.String()); err != nil || got != u256.Max {
		t.Errorf("leading zeros: %v, %v", got, err)
	}
	for _, bad := range []string{"", "-1", "+1", "1.0", "0x10", "1e3", " 1", "1_000", "١", modulus.String(), strings.Repeat("9", 200)} {
		if got, err := u256.FromDecimal(bad); err == nil {
			t.Errorf("%q read as %v", bad, got)
		}
	}
}

func TestFromFloat(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want u256.Int
	}{
		{-1, u256.Zero}, {math.NaN(), u256.Zero}, {0.99, u256.Zero}, {1, u256.One}, {1234.9, u256.From(1234)},
		{0x1p200, u256.One.Lsh(200)}, {0x1p256, u256.Max}, {math.Inf(1), u256.Max},
	} {
		if got := u256.FromFloat(c.f); got != c.want {
			t.Errorf("%v gives %v, want %v", c.f, got, c.want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	a, b := u256.From(1<<40), u256.Max.Rsh(3)
	var sink u256.Int
	if n := testing.AllocsPerRun(100, func() {
		sink, _ = a.Mul(b).Add(a).Sub(b).MulDiv(a, b)
		sink = sink.Div(a)
	}); n != 0 {
		t.Errorf("arithmetic allocates %v times", n)
	}
	_ = sink
}
