package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"braid/benchfile"
	"braid/market"
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
	file, err := benchfile.ReadMarket(*marketPath)
	if err != nil {
		return fmt.Errorf("%s: %w", *marketPath, err)
	}
	start := time.Now()
	s, err := file.Snapshot()
	if err != nil {
		return fmt.Errorf("%s: %w", *marketPath, err)
	}
	s.Graph()
	setupMs := microsSince(start) / 1e3
	trades, orders, err := benchfile.ReadTrades(*tradesPath, s, *maxSteps)
	if err != nil {
		return fmt.Errorf("%s: %w", *tradesPath, err)
	}
	r := benchfile.Report{Runner: "braid", Version: version, Config: fmt.Sprint("max-steps=", *maxSteps), SetupMs: setupMs}
	for i, t := range trades {
		r.Results = append(r.Results, route(s, t.ID, orders[i]))
	}
	if *bounds {
		addBounds(&r, s, orders, stdout)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(*outPath, data, 0o644)
}

// route finds the plan of an order and measures the time that takes.
func route(s *market.Snapshot, trade int, o router.Order) benchfile.Result {
	start := time.Now()
	p, err := router.Find(s, o)
	found := benchfile.Result{Trade: trade, Micros: microsSince(start), Out: p.AmountOut.String()}
	if err != nil {
		found.Error = err.Error()
	}
	for i := range p.Steps {
		found.Steps = append(found.Steps, benchfile.NewStep(s, &p.Steps[i]))
	}
	return found
}

// addBounds adds the upper bounds of the orders, and prints by how many basis points
// the plans stay below them.
func addBounds(r *benchfile.Report, s *market.Snapshot, orders []router.Order, stdout io.Writer) {
	var any, few []float64
	for i, o := range orders {
		found := &r.Results[i]
		bound, ok := router.Bound(s, o)
		steps, _ := router.BoundSteps(s, o)
		if !ok || found.Error != "" {
			continue
		}
		found.Bound, found.BoundSteps = bound.String(), steps.String()
		out, _ := benchfile.Decimal(found.Out).Int()
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

func microsSince(start time.Time) float64 { return float64(time.Since(start).Nanoseconds()) / 1e3 }
