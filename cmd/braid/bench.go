package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router"
)

const benchHelp = `All files are JSON. Amounts are strings of digits, in raw token units.

--market   {"native":0, "gas":{"priceWei":"102000000000"}, "stables":[1], "tokens":[…], "pools":[…]}
  native   position in tokens of wrapped native; stables: those worth a dollar (without them the
           token whose usd is nearest to 1)
  tokens   {"symbol":"WMON", "address":"0x3bd3…", "decimals":18, "usd":0.03}
  pools    one of these, where t0 and t1 are positions in tokens and fees are in millionths:
    V2     {"id":0, "type":"v2", "address":"0x…", "t0":0, "t1":1, "feePpm":3000, "r0":"1000", "r1":"30"}
    V3     {"id":1, "type":"v3", "address":"0x…", "t0":0, "t1":1, "feePpm":500, "tickSpacing":10,
            "sqrtPriceX96":"79228162514264337593543950336", "tick":0,
            "ticks":[{"i":-10,"net":"1000000"},{"i":10,"net":"-1000000"}]}
    other  {"id":2, "type":"kuru", "source":"Kuru", "state":"0x…"}, as --dump writes them
--trades   [{"id":0, "in":0, "out":1, "amountIn":"1000000000000000000"}, …]
           in and out are positions in tokens
--out      {"runner":"braid", "version":"…", "config":"max-steps=32", "setupMs":1.5, "results":[…]}
  results  {"trade":0, "amountOut":"29", "micros":412.5, "steps":[{"pool":0,"in":0,"out":1,"amountIn":"1000"}]}
           one for each trade, in order: what the plan pays, the time to find it in microseconds, and
           its steps by positions in pools and tokens; "error" where there is no plan; with --bounds
           also "boundAmountOut" and "boundStepsAmountOut", more than which no plan can pay

--dump writes the market of a local chain (--rpc) as a --market file.
`

// trade is an order of the file of --trades. In and Out are positions in the
// market's list of tokens, Amount is in raw units.
type trade struct {
	ID     int     `json:"id"`
	In     int     `json:"in"`
	Out    int     `json:"out"`
	Amount decimal `json:"amountIn"`
}

// result is the plan of one trade, complete enough to be replayed by another
// program. Amounts are in raw units.
type result struct {
	Trade  int          `json:"trade"`
	Out    string       `json:"amountOut"`
	Micros float64      `json:"micros"`
	Steps  []resultStep `json:"steps"`
	Error  string       `json:"error,omitempty"`

	// Upper bounds of what any plan pays, and of what one of at most --max-steps
	// steps pays. Only with --bounds.
	Bound      string `json:"boundAmountOut,omitempty"`
	BoundSteps string `json:"boundStepsAmountOut,omitempty"`
}

// resultStep is a step of a plan: positions in the market's lists of pools and
// tokens, and the input in raw units.
type resultStep struct {
	Pool   int    `json:"pool"`
	In     int    `json:"in"`
	Out    int    `json:"out"`
	Amount string `json:"amountIn"`
}

// report is what bench writes to the file of --out.
type report struct {
	Runner  string   `json:"runner"`
	Version string   `json:"version"`
	Config  string   `json:"config"`
	SetupMs float64  `json:"setupMs"`
	Results []result `json:"results"`
}

// bench plans each order of a file once, in order, on one goroutine, and
// writes what each plan pays and how long it took to find. Bounds are computed
// after all plans, so that they do not disturb the timing of plans.
func bench(ctx context.Context, args []string, stdout io.Writer) error {
	f := flags("bench", stdout)
	maxSteps := f.Int("max-steps", router.DefaultMaxSteps, "most `steps` of a plan")
	marketPath := f.String("market", "", "the market, a JSON `file`")
	tradesPath := f.String("trades", "", "the orders, a JSON `file`")
	bounds := f.Bool("bounds", false, "compute an upper bound of what any plan can pay, and print how far the plans are below it")
	outPath := f.String("out", "", "the plans, a JSON `file` to be written")
	dumpPath := f.String("dump", "", "instead of all this, a JSON `file` to write the market of --rpc to")
	rpc := f.String("rpc", "", "a node of a local chain (`URL`), for --dump")
	if err := parse(f, args); err != nil {
		return err
	}
	switch {
	case *dumpPath != "" && *rpc == "":
		return misuse("bench --dump needs the node to read from: --rpc URL")
	case *dumpPath != "":
		return dump(ctx, *rpc, *dumpPath)
	case *marketPath == "" || *tradesPath == "" || *outPath == "":
		return misuse("bench needs --market, --trades and --out: braid bench -h shows what is in them")
	case *maxSteps < 1 || *maxSteps > 100:
		return misuse("--max-steps %d is not between 1 and 100", *maxSteps)
	}
	file, err := readMarket(*marketPath)
	if err != nil {
		return fmt.Errorf("%s: %w", *marketPath, err)
	}
	start := time.Now()
	s, err := file.snapshot()
	if err != nil {
		return fmt.Errorf("%s: %w", *marketPath, err)
	}
	s.Graph()
	setupMs := microsSince(start) / 1e3
	trades, orders, err := readTrades(*tradesPath, s, *maxSteps)
	if err != nil {
		return fmt.Errorf("%s: %w", *tradesPath, err)
	}
	r := report{Runner: "braid", Version: version, Config: fmt.Sprint("max-steps=", *maxSteps), SetupMs: setupMs}
	for i, t := range trades {
		r.Results = append(r.Results, t.run(s, orders[i]))
	}
	if *bounds {
		r.bound(s, orders, stdout)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(*outPath, data, 0o644)
}

// order is the trade as the router takes it, or what is wrong with it.
func (t *trade) order(s *market.Snapshot, maxSteps int) (router.Order, error) {
	amount, err := t.Amount.integer()
	if err != nil {
		return router.Order{}, fmt.Errorf("amountIn: %w", err)
	}
	n := len(s.Tokens())
	switch {
	case t.In < 0 || t.In >= n:
		return router.Order{}, fmt.Errorf("in: there is no token %d: the market has %d, from 0 on", t.In, n)
	case t.Out < 0 || t.Out >= n:
		return router.Order{}, fmt.Errorf("out: there is no token %d: the market has %d, from 0 on", t.Out, n)
	}
	return router.Order{
		TokenIn: s.Tokens()[t.In].Address, TokenOut: s.Tokens()[t.Out].Address,
		AmountIn: amount, MaxSteps: maxSteps,
	}, nil
}

// run finds the plan of an order and measures the time that takes.
func (t *trade) run(s *market.Snapshot, o router.Order) result {
	start := time.Now()
	p, err := router.Find(s, o)
	found := result{Trade: t.ID, Micros: microsSince(start), Out: p.AmountOut.String()}
	if err != nil {
		found.Error = err.Error()
	}
	for i := range p.Steps {
		found.Steps = append(found.Steps, newResultStep(s, &p.Steps[i]))
	}
	return found
}

// bound adds the upper bounds of the orders, and prints by how many basis points
// the plans stay below them.
func (r *report) bound(s *market.Snapshot, orders []router.Order, stdout io.Writer) {
	var any, few []float64
	for i, o := range orders {
		found := &r.Results[i]
		bound, ok := router.Bound(s, o)
		steps, _ := router.BoundSteps(s, o)
		if !ok || found.Error != "" {
			continue
		}
		found.Bound, found.BoundSteps = bound.String(), steps.String()
		out, _ := decimal(found.Out).integer()
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

// newResultStep names pools and tokens by their numbers, which are the same in
// a market file and its snapshot.
func newResultStep(s *market.Snapshot, step *plan.Step) resultStep {
	token := func(a common.Address) int {
		n, _ := s.Token(a)
		return n
	}
	pool, _ := s.PoolNo(step.Pool.Info().ID)
	return resultStep{Pool: pool, In: token(step.TokenIn()), Out: token(step.TokenOut()), Amount: step.AmountIn.String()}
}

func microsSince(start time.Time) float64 { return float64(time.Since(start).Nanoseconds()) / 1e3 }
