package score_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/benchfile"
	"braid/market"
	"braid/rival"
	"braid/router"
	"braid/score"
	"braid/u256"
	"braid/venuetest"
)

// TestScore measures the router on a fresh market, a line a set. make score sets the
// sizes; without it the market is small. Every plan must do what it claims, pay no
// more than the bounds, and the gaps of retail orders must be those of a good router.
func TestScore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := score.Sized(int(venuetest.Setting(t, "POOLS", 200)), venuetest.Setting(t, "SEED", 1))
	c.Noise = noise(t)
	m, s := generated(t, c)
	orders := int(venuetest.Setting(t, "ORDERS", 24))
	steps := int(venuetest.Setting(t, "MAXSTEPS", uint64(router.DefaultMaxSteps)))
	for _, set := range sets() {
		n := orders
		if set == "impact" {
			n = min(n, 54) // each takes some dozen bounds to make
		}
		trades, err := m.Orders(s, set, n, c.Seed)
		if err != nil {
			t.Fatal(err)
		}
		q := question{t: t, m: m, s: s, trades: trades, steps: steps}
		for i := range trades {
			q.orders = append(q.orders, order(t, s, &trades[i], steps))
		}
		bounds := score.BoundsOf(s, q.orders)
		prefix := fmt.Sprintf("pools=%d seed=%d noise=%g orders=%d set=%s maxsteps=%d", len(s.Pools()), c.Seed, c.Noise, len(trades), set, steps)
		var scores []score.Score
		builds := q.ask()
		for _, a := range builds {
			got, err := score.Judge(s, q.orders, a.answers, bounds)
			if err != nil {
				t.Fatalf("%s%s: %v", prefix, a.build, err)
			}
			fmt.Printf("%s%s %s", prefix, a.build, got)
			if scores = append(scores, got); a.build != baseBuild {
				q.printRivals()
			}
			fmt.Println()
		}
		if len(scores) == 2 {
			ours, base := scores[1].Ms, scores[0].Ms
			fmt.Printf("%s ratio ms_median=%.3f ms_mean=%.3f ms_p99=%.3f order_median=%.3f\n",
				prefix, ours.Median/base.Median, ours.Mean/base.Mean, ours.P99/base.P99, medianRatio(builds[1].answers, builds[0].answers))
		}
		got := scores[len(scores)-1]
		if set != "retail" || c.Noise != 0 || steps < router.DefaultMaxSteps {
			continue
		}
		if got.Gap.Median > 0.2 {
			t.Errorf("half of the retail plans are more than %.3f bps below the bound", got.Gap.Median)
		}
		if got.Certain < 99 {
			t.Errorf("only %.1f %% of the retail plans are answered with their gap", got.Certain)
		}
	}
}

// question is a set of orders on a market, for one build or for two.
type question struct {
	t      *testing.T
	m      *score.Market
	s      *market.Snapshot
	trades []benchfile.Trade
	orders []router.Order
	steps  int
}

type answers struct {
	build   string // a field of the line, if there are two
	answers []score.Answer
}

const baseBuild = " build=base"

// passes of each build over the orders when two are compared. An order's time is the
// least of them: whatever else the machine does only adds to it.
const passes = 6

// ask asks this build's router, or the base build and this one by turns, as commands.
func (q *question) ask() []answers {
	base, ours := os.Getenv("BASE_BINARY"), os.Getenv("BINARY")
	if base == "" {
		return []answers{{answers: score.Find(q.s, q.orders)}}
	}
	dir := q.t.TempDir()
	save(q.t, filepath.Join(dir, "market.json"), q.m.File)
	save(q.t, filepath.Join(dir, "trades.json"), q.trades)
	builds := []answers{{build: baseBuild}, {build: " build=this"}}
	for pass := range 2 * passes {
		i := (pass + 1) / 2 % 2 // base, this, this, base, base, …
		got := q.bench([]string{base, ours}[i], dir)
		for k := range builds[i].answers {
			got[k].CPU = min(got[k].CPU, builds[i].answers[k].CPU)
		}
		builds[i].answers = got
	}
	return builds
}

// printRivals prints fields of how plans compare with those of rivals, on as many orders
// as TINES and FILL say: both are slow.
func (q *question) printRivals() {
	fill := func(in, out common.Address, amount u256.Int) (rival.Answer, bool) {
		return rival.Fill(q.s, in, out, amount)
	}
	for _, r := range []struct {
		name, setting string
		orders        uint64
		route         score.Route
	}{{"tines", "TINES", 60, rival.NewTines(q.s).Route}, {"fill", "FILL", 6, fill}} {
		n := min(len(q.orders), int(venuetest.Setting(q.t, r.setting, r.orders)))
		b, err := score.BehindOf(q.s, q.orders[:n], r.route)
		if err != nil {
			q.t.Fatal(err)
		}
		ahead := score.QuantilesOf(b.Ahead)
		fmt.Printf(" behind_%[1]s=%[2]d/%[3]d behind_%[1]s_worst=%.3[4]f ahead_%[1]s_median=%.3[5]f ahead_%[1]s_mean=%.3[6]f",
			r.name, b.Behind, b.Orders, b.WorstBps, ahead.Median, ahead.Mean)
	}
}

// medianRatio is the median over all orders of the ratio of times.
func medianRatio(ours, base []score.Answer) float64 {
	var list []float64
	for i := range ours {
		list = append(list, float64(ours[i].CPU)/float64(base[i].CPU))
	}
	return score.QuantilesOf(list).Median
}

// bench is the answers of a build's braid bench, on one core.
func (q *question) bench(binary, dir string) []score.Answer {
	q.t.Helper()
	out := filepath.Join(dir, "plans.json")
	cmd := exec.Command(binary, "bench", "--market", filepath.Join(dir, "market.json"), "--trades", filepath.Join(dir, "trades.json"),
		"--out", out, "--max-steps", strconv.Itoa(q.steps))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		q.t.Fatalf("%s: %v: %s", binary, err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		q.t.Fatal(err)
	}
	var r benchfile.Report
	if err := json.Unmarshal(data, &r); err != nil {
		q.t.Fatal(err)
	}
	list := make([]score.Answer, len(r.Results))
	for i := range r.Results {
		a := &list[i]
		a.Steps, a.Out, a.Err = score.StepsOf(q.s, &r.Results[i])
		a.CPU = time.Duration(1e3 * r.Results[i].Micros)
	}
	return list
}

func save(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// generated is a market, its snapshot, and its graph computed.
func generated(t testing.TB, c score.Config) (*score.Market, *market.Snapshot) {
	t.Helper()
	m := score.Generate(c)
	s, err := m.File.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s.Price(0)
	return m, s
}

func order(t testing.TB, s *market.Snapshot, trade *benchfile.Trade, steps int) router.Order {
	t.Helper()
	o, err := trade.Order(s, steps)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// sets to measure: SETS of the environment, separated by spaces, or all.
func sets() []string {
	if list := strings.Fields(os.Getenv("SETS")); len(list) > 0 {
		return list
	}
	return score.Sets
}

func noise(t testing.TB) float64 {
	text := os.Getenv("NOISE")
	if text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("NOISE=%q is not a number", text)
	}
	return x
}
