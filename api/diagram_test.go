package api

import (
	"encoding/xml"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// TestViz: the picture of every route is well-formed, shows each step, and has no
// active content.
func TestViz(t *testing.T) {
	s := serve(t)
	rng := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		in, out, amount := randomOrder(rng)
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

// parseSVG reads a picture, and fails for elements and attributes that it must not
// have.
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
