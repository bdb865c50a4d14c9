package score_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"braid/market"
	"braid/router"
	"braid/score"
	"braid/score/tuning"
	"braid/venuetest"
)

// heldOut is the first of the seeds that no constant is chosen on: they serve to judge.
const heldOut = 1_000_000

// TestConstants measures what half and double of every constant of the router do, and
// with WRITE=1 puts that beside them. CONSTANTS is a list of packages, or of
// package.name; "all" is all of them. make constants runs it.
func TestConstants(t *testing.T) {
	wanted := strings.Fields(os.Getenv("CONSTANTS"))
	if len(wanted) == 0 {
		t.Skip("make constants runs this: it takes a few minutes")
	}
	folders := []string{"../router", "../router/path", "../router/flow", "../router/choose", "../router/exact", "../router/graph", "../router/bound"}
	list, files, err := tuning.Instrument(folders)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay, err := tuning.Overlay(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "score.test")
	if said, err := exec.Command("go", "test", "-c", "-o", binary, "-overlay="+overlay, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	list = slices.DeleteFunc(list, func(c tuning.Constant) bool {
		return c.Fixed || !slices.Contains(wanted, "all") && !slices.Contains(wanted, c.Package) && !slices.Contains(wanted, c.Flag())
	})
	save(t, filepath.Join(dir, "list.json"), list)
	cmd := exec.Command(binary, "-test.run", "^TestConstantsInstrumented$", "-test.timeout", "3h")
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "INSTRUMENTED="+dir), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("WRITE") == "" {
		return
	}
	var notes map[string]map[string][2]string
	load(t, filepath.Join(dir, "notes.json"), &notes)
	for _, folder := range folders {
		if err := tuning.Annotate(filepath.Join(folder, tuning.FileName), notes[filepath.Base(folder)]); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConstantsInstrumented is the part of TestConstants that runs in a build whose
// constants have flags.
func TestConstantsInstrumented(t *testing.T) {
	dir := os.Getenv("INSTRUMENTED")
	if dir == "" {
		t.Skip("TestConstants runs this in a build of its own")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var list []tuning.Constant
	load(t, filepath.Join(dir, "list.json"), &list)
	var cases []heldOutCase
	for i, level := range []float64{0, arbitrage} {
		c := score.Sized(int(venuetest.Setting(t, "POOLS", 1000)), heldOut+2*venuetest.Setting(t, "SEED", 1)+uint64(i))
		c.Noise = level
		m, s := generated(t, c)
		for _, set := range []string{"retail", "large"} {
			n := int(venuetest.Setting(t, "ORDERS", 150))
			if set == "large" {
				n /= 3
			}
			trades, err := m.Orders(s, set, n, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			h := heldOutCase{set: set, m: m, s: s}
			for k := range trades {
				h.orders = append(h.orders, order(t, s, &trades[k], 0))
			}
			cases = append(cases, h)
		}
	}
	notes := map[string]map[string][2]string{}
	for _, c := range list {
		note := measure(t, &c, cases)
		fmt.Printf("%s = %g: half: %s; double: %s\n", c.Flag(), c.Value, note[0], note[1])
		if notes[c.Package] == nil {
			notes[c.Package] = map[string][2]string{}
		}
		notes[c.Package][c.Name] = note
	}
	save(t, filepath.Join(dir, "notes.json"), notes)
}

// heldOutCase is a set of orders on a market of a held-out seed.
type heldOutCase struct {
	set    string
	m      *score.Market
	s      *market.Snapshot
	orders []router.Order
}

// effect is what a value of a constant does, against the value it has.
type effect struct {
	bps   map[string][]float64 // by set: losses, negative where plans pay more
	spent time.Duration
}

// measure is what half and double of a constant do. Every order is asked with each value
// in turn, so that whatever disturbs the machine disturbs all of them.
func measure(t *testing.T, c *tuning.Constant, cases []heldOutCase) (notes [2]string) {
	values := []float64{c.Value, c.Half(), 2 * c.Value}
	effects := make([]effect, len(values))
	for k := range effects {
		effects[k].bps = map[string][]float64{}
	}
	for _, h := range cases {
		snapshots := []*market.Snapshot{h.s, h.s, h.s}
		if c.Package == "graph" { // they take part in making a snapshot
			for k, v := range values {
				set(t, c, v)
				var err error
				if snapshots[k], err = h.m.File.Snapshot(); err != nil {
					t.Fatal(err)
				}
				snapshots[k].Price(0)
			}
		}
		orders := h.orders
		if c.Package == "bound" {
			orders = orders[:min(len(orders), 16)]
		}
		for i := range orders {
			var paid [3]float64
			for n := range values {
				k := (i + n) % len(values)
				set(t, c, values[k])
				var spent time.Duration
				paid[k], spent = pays(snapshots[k], orders[i], c.Package == "bound")
				effects[k].spent += spent
			}
			for k := range values {
				if loss := 1e4 * (1 - paid[k]/paid[0]); paid[0] != 0 {
					effects[k].bps[h.set] = append(effects[k].bps[h.set], loss)
				}
			}
		}
	}
	set(t, c, c.Value)
	for k := range notes {
		notes[k] = effects[k+1].against(&effects[0])
	}
	return notes
}

func set(t *testing.T, c *tuning.Constant, value float64) {
	if err := flag.Set(c.Flag(), fmt.Sprint(value)); err != nil {
		t.Fatal(err)
	}
}

// pays is what the plan of an order pays net of gas, or how tight its bounds are. It is
// not a number if the search fails.
func pays(s *market.Snapshot, o router.Order, bound bool) (paid float64, spent time.Duration) {
	defer func() {
		if recover() != nil {
			paid = math.NaN()
		}
	}()
	if bound {
		bounds, spent := score.TimedBounds(s, []router.Order{o})
		return 1 / (bounds[0].Any.Float() + bounds[0].Steps.Float()), spent
	}
	paid, spent, err := score.Net(s, o)
	if err != nil {
		paid = math.NaN()
	}
	return paid, spent
}

// against says in short what an effect is: by set of orders the mean of the losses and
// their range, in basis points, and the ratio of times.
func (e *effect) against(base *effect) string {
	said := ""
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 2, 64) }
	for _, of := range []string{"retail", "large"} {
		q, least := score.QuantilesOf(e.bps[of]), slices.Min(e.bps[of])
		switch {
		case math.IsNaN(q.Mean):
			return "fails"
		case max(q.Worst, -least) >= 1e-4:
			said += fmt.Sprintf("%s %s (%s to %s), ", of, number(q.Mean), number(least), number(q.Worst))
		}
	}
	if said == "" {
		said = "same, "
	}
	return fmt.Sprintf("%stime %.2f", said, float64(e.spent)/float64(base.spent))
}

func load(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
