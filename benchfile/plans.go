package benchfile

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router"
)

// Trade is an order of the file of --trades. In and Out are positions in the
// market's list of tokens, Amount is in raw units.
type Trade struct {
	ID     int     `json:"id"`
	In     int     `json:"in"`
	Out    int     `json:"out"`
	Amount Decimal `json:"amountIn"`
}

// Result is the plan of one trade, complete enough to be replayed by another
// program. Amounts are in raw units.
type Result struct {
	Trade  int     `json:"trade"`
	Out    string  `json:"amountOut"`
	Micros float64 `json:"micros"`
	Steps  []Step  `json:"steps"`
	Error  string  `json:"error,omitempty"`

	// Upper bounds of what any plan pays, and of what one of at most --max-steps
	// steps pays. Only with --bounds.
	Bound      string `json:"boundAmountOut,omitempty"`
	BoundSteps string `json:"boundStepsAmountOut,omitempty"`
}

// Step is a step of a plan: positions in the market's lists of pools and
// tokens, and the input in raw units.
type Step struct {
	Pool   int    `json:"pool"`
	In     int    `json:"in"`
	Out    int    `json:"out"`
	Amount string `json:"amountIn"`
}

// Report is what bench writes to the file of --out.
type Report struct {
	Runner  string   `json:"runner"`
	Version string   `json:"version"`
	Config  string   `json:"config"`
	SetupMs float64  `json:"setupMs"`
	Results []Result `json:"results"`
}

// Order is the trade as the router takes it, or what is wrong with it.
func (t *Trade) Order(s *market.Snapshot, maxSteps int) (router.Order, error) {
	amount, err := t.Amount.Int()
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

// NewStep names pools and tokens by their numbers, which are the same in
// a market file and its snapshot.
func NewStep(s *market.Snapshot, step *plan.Step) Step {
	token := func(a common.Address) int {
		n, _ := s.Token(a)
		return n
	}
	pool, _ := s.PoolNo(step.Pool.Info().ID)
	return Step{Pool: pool, In: token(step.TokenIn()), Out: token(step.TokenOut()), Amount: step.AmountIn.String()}
}
