package api

import (
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// TestWhy: each rival is the best of its kind, found by asking for it.
func TestWhy(t *testing.T) {
	s, snap := serve(t), testMarket(t)
	for _, c := range []struct {
		in, out common.Address
		amount  u256.Int
	}{
		{wmon, usdc, units(1, 18)}, {wmon, usdc, units(50_000, 18)}, {usdc, wmon, units(900_000, 6)}, {rare, usdc, units(100, 18)}, {weth, usdt, units(3, 18)}, {island, reef, units(1, 18)},
	} {
		base := params("tokenIn", c.in, "tokenOut", c.out, "amount", c.amount)
		var q quoteBody
		s.get("/api/v1/quote"+base+"&include=why").into(t, &q)
		ours := u256.MustDecimal(q.AmountOut)

		var pool u256.Int
		for _, p := range snap.Pools() {
			tokens := p.Info().Tokens
			in, out := slices.Index(tokens, c.in), slices.Index(tokens, c.out)
			if in < 0 || out < 0 {
				continue
			}
			if got, err := p.Quote(in, out, c.amount); err == nil && got.Out.Gt(pool) {
				pool = got.Out
			}
		}
		checkAlternative(t, ours, q.Why.Pool, pool, 1)

		var alone u256.Int
		ids := sourceIDs(snap.Pools())
		for i := range ids {
			others := slices.Delete(slices.Clone(ids), i, i+1)
			if a := s.get("/api/v1/quote" + base + "&excludeSources=" + strings.Join(others, ",")); a.status == 200 {
				var one quoteBody
				a.into(t, &one)
				if n := u256.MustDecimal(one.AmountOut); n.Gt(alone) {
					alone = n
				}
			}
		}
		checkAlternative(t, ours, q.Why.Venue, alone, 99)
		if q.Why.Venue != nil && len(q.Why.Venue.Sources) != 1 {
			t.Errorf("venues %v", q.Why.Venue.Sources)
		}
		path := u256.MustDecimal(q.Why.Path.AmountOut)
		checkAlternative(t, ours, q.Why.Path, path, 5)
		if path.Lt(pool) || ours.Lt(path) {
			t.Errorf("pool %s, path %s, ours %s", pool, path, ours)
		}
	}
}

func sourceIDs(pools []venue.Pool) (ids []string) {
	for _, p := range pools {
		ids = append(ids, p.Info().Source.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func checkAlternative(t *testing.T, ours u256.Int, got *alternativeBody, want u256.Int, maxPools int) {
	t.Helper()
	if got == nil {
		if !want.IsZero() {
			t.Errorf("no rival, but one pays %s", want)
		}
		return
	}
	gain := 1e4 * (ours.Float()/want.Float() - 1)
	if got.AmountOut != want.String() || math.Abs(got.GainBps-gain) > 1e-3 || len(got.Pools) > maxPools {
		t.Errorf("%+v, want %s, %g bps", got, want, gain)
	}
}

// TestViz: every route gives a picture that is well-formed, shows each step,
// and does nothing.
func TestViz(t *testing.T) {
	s := serve(t)
	rng := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		in, out := traded[rng.IntN(len(traded))], traded[rng.IntN(len(traded))]
		amount := u256.From(rng.Uint64N(9_999) + 1).Mul(units(1, rng.IntN(24)))
		a := s.get("/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", amount, "include", "viz"))
		if a.status != 200 {
			continue
		}
		var q quoteBody
		a.into(t, &q)
		paths, rects, texts := parseSVG(t, q.Viz)
		boxes, held := 2, map[string]u256.Int{q.TokenIn: amount}
		for _, r := range q.Routes {
			if r.TokenOut != q.TokenOut && held[r.TokenOut].IsZero() {
				boxes++
			}
			held[r.TokenIn] = held[r.TokenIn].Sub(u256.MustDecimal(r.AmountIn))
			held[r.TokenOut] = held[r.TokenOut].Add(u256.MustDecimal(r.AmountOut))
			if !slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, r.Factory+" ") }) {
				t.Errorf("no %s in %q", r.Factory, texts)
			}
		}
		if paths != len(q.Routes) || rects != boxes+1 {
			t.Errorf("%d paths and %d boxes for %+v", paths, rects, q.Routes)
		}
	}
}

// draw reads a picture, and refuses what a picture must not hold.
func parseSVG(t *testing.T, svg string) (paths, rects int, texts []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for inText := false; ; {
		token, err := d.Token()
		if err == io.EOF {
			return paths, rects, texts
		}
		if err != nil {
			t.Fatalf("%v: %s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "text"
			switch e.Name.Local {
			case "path":
				paths++
			case "rect":
				rects++
			case "svg", "text", "title", "style":
			default:
				t.Fatalf("<%s> in a picture", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("%s in a picture", a.Name.Local)
				}
			}
		case xml.CharData:
			if inText {
				texts = append(texts, string(e))
			}
		case xml.EndElement:
			inText = false
		default:
			t.Fatalf("%T in a picture", e)
		}
	}
}

func TestReadable(t *testing.T) {
	market := &snapshotCache{Snapshot: testMarket(t)}
	for _, c := range []struct {
		token  common.Address
		amount string
		want   string
	}{
		{wmon, "1000000000000000000", "1"}, {wmon, "1234567890123456789", "1.23456"}, {wmon, "1", "0.000000000000000001"}, {usdc, "0", "0"}, {usdc, "1200", "0.0012"},
		{usdc, "123456789012", "123456"}, {usdc, "12345678901234567890", "1.23e+13"}, {reef, "77", "77"}, {evil, "5", "0"}, {evil, u256.Max.String(), "0"},
	} {
		if got := market.formatAmount(c.token, u256.MustDecimal(c.amount)); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.amount, c.token, got, c.want)
		}
	}
}
