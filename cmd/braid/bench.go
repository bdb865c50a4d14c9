package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/u256"
)

// task is an order of a bench, by the numbers of the market's tokens.
type task struct {
	ID     int     `json:"id"`
	In     int     `json:"in"`
	Out    int     `json:"out"`
	Amount decimal `json:"amountIn"`
}

// outcome is a plan as a judge can replay it.
type outcome struct {
	Trade  int     `json:"trade"`
	Out    string  `json:"amountOut"`
	Micros float64 `json:"micros"`
	Steps  []move  `json:"steps"`
	Error  string  `json:"error,omitempty"`

	// What no plan pays more than, and no plan of as many steps as it may have.
	Bound      string `json:"boundAmountOut,omitempty"`
	BoundSteps string `json:"boundStepsAmountOut,omitempty"`
}

type move struct {
	Pool   int    `json:"pool"`
	In     int    `json:"in"`
	Out    int    `json:"out"`
	Amount string `json:"amountIn"`
}

type report struct {
	Runner  string    `json:"runner"`
	Version string    `json:"version"`
	Config  string    `json:"config"`
	SetupMs float64   `json:"setupMs"`
	Results []outcome `json:"results"`
}

// bench plans each order of a file once, in order, on one goroutine, and
// writes down what each plan pays and how long it took to find. Bounds come
// after all plans, so that these are timed alone.
func bench(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flags("bench", stderr)
	maxSteps := f.Int("max-steps", router.DefaultMaxSteps, "steps that a plan may have")
	marketFile := f.String("market", "", "the market, a JSON `file`")
	tradesFile := f.String("trades", "", "the orders, a JSON `file`")
	bounds := f.Bool("bounds", false, "compute what no plan can pay more than, and say how far the plans are from there")
	outFile := f.String("out", "", "the plans, a JSON `file` to be written")
	dumpFile := f.String("dump", "", "instead of all this, a JSON `file` to write the market of --rpc to")
	rpc := f.String("rpc", "", "a node of a local chain (`URL`), for --dump")
	if err := parse(f, args); err != nil {
		return err
	}
	if *dumpFile != "" {
		return dump(ctx, *rpc, *dumpFile)
	}
	if *marketFile == "" || *tradesFile == "" || *outFile == "" {
		return errors.New("bench needs --market, --trades and --out")
	}
	var sheet sheet
	var tasks []task
	if err := errors.Join(readJSON(*marketFile, &sheet), readJSON(*tradesFile, &tasks)); err != nil {
		return err
	}
	start := time.Now()
	s, err := sheet.snapshot()
	if err != nil {
		return fmt.Errorf("%s: %w", *marketFile, err)
	}
	s.Graph()
	r := report{Runner: "braid", Version: version, Config: fmt.Sprint("max-steps=", *maxSteps), SetupMs: since(start) / 1e3}
	var orders []router.Order
	for _, t := range tasks {
		o, err := t.order(s, *maxSteps)
		if err != nil {
			return fmt.Errorf("%s: order %d: %w", *tradesFile, t.ID, err)
		}
		r.Results = append(r.Results, t.run(s, o))
		orders = append(orders, o)
	}
	if *bounds {
		r.bound(s, orders, stdout)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(*outFile, data, 0o644)
}

func (t *task) order(s *market.Snapshot, maxSteps int) (router.Order, error) {
	amount, err := t.Amount.integer()
	if n := len(s.Tokens()); err == nil && (t.In < 0 || t.In >= n || t.Out < 0 || t.Out >= n) {
		err = fmt.Errorf("the market has %d tokens", n)
	}
	if err != nil {
		return router.Order{}, err
	}
	return router.Order{
		TokenIn: s.Tokens()[t.In].Address, TokenOut: s.Tokens()[t.Out].Address,
		AmountIn: amount, MaxSteps: maxSteps,
	}, nil
}

func (t *task) run(s *market.Snapshot, o router.Order) outcome {
	start := time.Now()
	p, err := router.Find(s, o)
	result := outcome{Trade: t.ID, Micros: since(start), Out: p.AmountOut.String()}
	if err != nil {
		result.Error = err.Error()
	}
	for i := range p.Steps {
		result.Steps = append(result.Steps, newMove(s, &p.Steps[i]))
	}
	return result
}

// bound adds the bounds of the orders, and prints how far below the plans are.
func (r *report) bound(s *market.Snapshot, orders []router.Order, stdout io.Writer) {
	var any, few []float64
	for i, o := range orders {
		result := &r.Results[i]
		bound, ok := router.Bound(s, o)
		steps, _ := router.BoundSteps(s, o)
		if !ok || result.Error != "" {
			continue
		}
		result.Bound, result.BoundSteps = bound.String(), steps.String()
		out, _ := decimal(result.Out).integer()
		any = append(any, 1e4*(1-out.Float()/bound.Float()))
		few = append(few, 1e4*(1-out.Float()/steps.Float()))
	}
	for _, row := range []struct {
		of   string
		gaps []float64
	}{{"any steps", any}, {r.Config, few}} {
		if n := len(row.gaps); n > 0 {
			slices.Sort(row.gaps)
			sum := 0.0
			for _, gap := range row.gaps {
				sum += gap
			}
			fmt.Fprintf(stdout, "bps below the bound of %s: median %.3f, mean %.3f, worst %.2f, of %d plans\n",
				row.of, row.gaps[n/2], sum/float64(n), row.gaps[n-1], n)
		}
	}
}

// newMove names pools and tokens by their numbers, which a sheet and its
// snapshot share.
func newMove(s *market.Snapshot, step *plan.Step) move {
	token := func(a common.Address) int {
		n, _ := s.Token(a)
		return n
	}
	pool, _ := s.PoolNo(step.Pool.Info().ID)
	return move{Pool: pool, In: token(step.TokenIn()), Out: token(step.TokenOut()), Amount: step.AmountIn.String()}
}

func since(start time.Time) (micros float64) { return float64(time.Since(start).Nanoseconds()) / 1e3 }

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// decimal is an integer that need not fit a double.
type decimal string

func (d decimal) integer() (u256.Int, error) {
	n, err := u256.FromDecimal(string(d))
	if err != nil {
		return u256.Zero, fmt.Errorf("%.90q: %w", string(d), err)
	}
	return n, nil
}

// nearest is the token of the sheet whose price is nearest to a dollar.
func (s *sheet) nearest() int {
	best, off := 0, math.Inf(1)
	for i, t := range s.Tokens {
		if d := math.Abs(math.Log(t.USD)); d < off {
			best, off = i, d
		}
	}
	return best
}
