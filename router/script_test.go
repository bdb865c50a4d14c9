package router

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"braid/markettest"
	"braid/ticks"
	"braid/u256"
)

// TestScripts runs the scripts of testdata, which its README.md explains.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v: %v", paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for script := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
			name, _, _ := strings.Cut(strings.TrimPrefix(script, "# "), ".\n")
			t.Run(name, func(t *testing.T) { runScript(t, script) })
		}
	}
}

func runScript(t *testing.T, script string) {
	w := markettest.New(t)
	var o Order
	for line := range strings.SplitSeq(script, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		f := strings.Fields(rest)
		switch word {
		case "#":
		case "pool":
			fee := uint64(30)
			if len(f) > 5 {
				fee = uint64(number(t, strings.TrimPrefix(f[5], "fee=")))
			}
			w.PoolFee(f[0], fee, f[1], raw(t, f[2]), f[3], raw(t, f[4]))
		case "ranges":
			var list []ticks.Position
			for _, text := range f[3:] {
				span, liquidity, _ := strings.Cut(text, ":")
				lower, upper, _ := strings.Cut(span, "..")
				list = append(list, ticks.Position{Lower: int32(number(t, lower)), Upper: int32(number(t, upper)), Liquidity: u256.FromFloat(raw(t, liquidity))})
			}
			w.Ranges(f[0], f[1], f[2], list...)
		case "book":
			var levels []markettest.Level
			for _, text := range f[3:] {
				price, amount, _ := strings.Cut(text, ":")
				levels = append(levels, markettest.Level{number(t, price), raw(t, amount)})
			}
			w.Book(f[0], f[1], f[2], levels...)
		case "curve":
			w.Curve(f[0], f[1], raw(t, f[2]))
		case "verify":
			w.Verify(f[0])
		case "order":
			o = scriptOrder(t, w, f)
		case "plan":
			s := w.Snapshot()
			p, err := Find(s, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Show(p); got != rest {
				t.Errorf("got  %s\nwant %s", got, rest)
			}
			checkPlan(t, s, o, p)
			return
		default:
			t.Fatalf("%q begins no line of a script", word)
		}
	}
	t.Fatal("the script has no plan")
}

func scriptOrder(t *testing.T, w *markettest.World, f []string) Order {
	o := order(w, f[0], raw(t, f[1]), f[2])
	for _, text := range f[3:] {
		switch key, value, _ := strings.Cut(text, "="); key {
		case "steps":
			o.MaxSteps = int(number(t, value))
		case "exclude":
			o.Exclude = map[string]bool{value: true}
		case "verified":
			o.VerifiedHops = true
		default:
			t.Fatalf("an order has no %q", text)
		}
	}
	return o
}

// raw is an amount in raw units.
func raw(t *testing.T, text string) float64 {
	if units, ok := strings.CutSuffix(text, "raw"); ok {
		return number(t, units)
	}
	return number(t, text) * e18
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
