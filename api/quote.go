package api

import (
	"context"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

type quoteBody struct {
	TokenIn        string     `json:"tokenIn"`
	TokenOut       string     `json:"tokenOut"`
	AmountIn       string     `json:"amountIn"`
	AmountOut      string     `json:"amountOut"`
	Routes         []stepBody `json:"routes"`
	PriceImpactBps int        `json:"priceImpactBps"`
	AmountInUsd    string     `json:"amountInUsd"`
	AmountOutUsd   string     `json:"amountOutUsd"`
	Meta           *metaBody  `json:"meta,omitempty"`
	Why            *whyBody   `json:"why,omitempty"`
	Viz            string     `json:"viz,omitempty"`
}

type stepBody struct {
	Pool           venue.ID   `json:"pool"`
	PoolType       venue.Type `json:"poolType"`
	TokenIn        string     `json:"tokenIn"`
	TokenOut       string     `json:"tokenOut"`
	TokenInSymbol  string     `json:"tokenInSymbol"`
	TokenOutSymbol string     `json:"tokenOutSymbol"`
	Factory        string     `json:"factory"`
	FactoryAddress string     `json:"factoryAddress"`
	AmountIn       string     `json:"amountIn"`
	AmountOut      string     `json:"amountOut"`
	Weight         int        `json:"weight"`
}

type metaBody struct {
	BlockNumber  uint64      `json:"blockNumber"`
	BlockHash    common.Hash `json:"blockHash"`
	MinAmountOut string      `json:"minAmountOut"`
	GasLimit     string      `json:"gasLimit"`
	GasCostWei   string      `json:"gasCostWei"`
	ExpiresAt    uint64      `json:"expiresAt"`

	// What no plan can pay more than, and how far this one stays behind it; or
	// else why that is not shown.
	BoundAmountOut   string   `json:"boundAmountOut,omitempty"`
	OptimalityGapBps *float64 `json:"optimalityGapBps,omitempty"`
	BoundReason      string   `json:"boundReason,omitempty"`
}

func (s *server) quote(x *exchange) error {
	a, err := s.askQuote(x)
	if err != nil {
		return err
	}
	ctx, cancel := s.budget(x)
	defer cancel()
	t, err := s.trade(ctx, x, a)
	if err != nil {
		return err
	}
	body, err := s.quoteBody(ctx, t)
	if err != nil {
		return err
	}
	x.warnUnpriced(&body)
	return x.fresh(body)
}

// budget is the time one request may take.
func (s *server) budget(x *exchange) (context.Context, context.CancelFunc) {
	return context.WithDeadline(x.r.Context(), x.began.Add(s.Timeout))
}

// trade is an ask, answered on one snapshot.
type trade struct {
	ask
	desk     *desk
	plan     plan.Plan
	impact   int
	minOut   u256.Int
	deadline uint64
}

// trade answers an ask on the newest market and says in the headers which one
// that was.
func (s *server) trade(ctx context.Context, x *exchange, a ask) (*trade, error) {
	d, err := s.newest(x)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	t, err := s.answer(ctx, d, a)
	x.timed("find", began)
	return t, err
}

// newest is the market of now, with its block in the headers.
func (s *server) newest(x *exchange) (*desk, error) {
	d, err := s.head()
	if err != nil {
		return nil, err
	}
	block := d.Block()
	x.Header().Set("X-Block-Number", strconv.FormatUint(block.Number, 10))
	x.Header().Set("X-Block-Timestamp", strconv.FormatUint(block.Time, 10))
	return d, nil
}

func (s *server) answer(ctx context.Context, d *desk, a ask) (*trade, error) {
	if err := unknownTokens(d.Snapshot, a); err != nil {
		return nil, err
	}
	p, err := d.find(ctx, &a)
	if err != nil {
		return nil, err
	}
	return &trade{
		ask: a, desk: d, plan: p, impact: p.ImpactBps(),
		minOut:   floor(p.AmountOut, a.minAmountOut, a.slippageBps),
		deadline: max(uint64(s.Now().Unix()), d.Block().Time) + a.deadlineSeconds,
	}, nil
}

// head is the newest market, if it is there and can be trusted.
func (s *server) head() (*desk, error) {
	snap := s.Head()
	switch {
	case snap == nil:
		return nil, &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	case s.age() > s.StaleAfter:
		return nil, &problem{code: stateStale, detail: "the market has not been brought up to date for too long", retryAfter: time.Second}
	}
	return s.desk(snap), nil
}

const notTraded = "is not a token of any pool here; /api/v1/tokens lists those that can be traded"

func unknownTokens(snap *market.Snapshot, a ask) error {
	var faults []fault
	if _, ok := snap.Token(a.TokenIn); !ok {
		faults = append(faults, fault{"tokenIn", unknownToken, notTraded})
	}
	if _, ok := snap.Token(a.TokenOut); !ok {
		faults = append(faults, fault{"tokenOut", unknownToken, notTraded})
	}
	if faults == nil {
		return nil
	}
	return refuse(faults, hints{})
}

// floor is the least the recipient must get: never nothing.
func floor(out, min u256.Int, slippageBps uint64) u256.Int {
	least, _ := out.MulDiv(u256.From(MaxSlippageBps-slippageBps), u256.From(MaxSlippageBps)) // at most out
	for _, n := range []u256.Int{min, u256.One} {
		if least.Lt(n) {
			least = n
		}
	}
	return least
}

func (s *server) encode(t *trade) (calldata.Tx, error) {
	return s.Contracts.Encode(&t.plan, calldata.Terms{
		Recipient: t.recipient,
		MinOut:    t.minOut,
		Deadline:  t.deadline,
		NativeIn:  t.nativeIn,
		NativeOut: t.nativeOut,
		Permit:    t.signing.permit,
	})
}

// quoteBody is the quote with the extras that were asked for.
func (s *server) quoteBody(ctx context.Context, t *trade) (quoteBody, error) {
	body := t.body()
	if t.ask.meta {
		tx, err := s.encode(t)
		if err != nil {
			return body, err
		}
		if body.Meta, err = t.meta(ctx, tx); err != nil {
			return body, err
		}
	}
	if t.ask.why {
		var err error
		if body.Why, err = t.why(ctx); err != nil {
			return body, err
		}
	}
	if t.ask.viz {
		body.Viz = t.viz()
	}
	return body, nil
}

func (t *trade) body() quoteBody {
	p := &t.plan
	weights := p.Weights()
	routes := make([]stepBody, len(p.Steps))
	for i := range p.Steps {
		step := &p.Steps[i]
		info := step.Pool.Info()
		routes[i] = stepBody{
			Pool:           info.ID,
			PoolType:       info.Source.Type,
			TokenIn:        lower(step.TokenIn()),
			TokenOut:       lower(step.TokenOut()),
			TokenInSymbol:  t.desk.symbol(step.TokenIn()),
			TokenOutSymbol: t.desk.symbol(step.TokenOut()),
			Factory:        info.Source.ID,
			FactoryAddress: info.Source.Factory.Hex(),
			AmountIn:       step.AmountIn.String(),
			AmountOut:      step.AmountOut.String(),
			Weight:         weights[i],
		}
	}
	return quoteBody{
		TokenIn:        lower(p.TokenIn),
		TokenOut:       lower(p.TokenOut),
		AmountIn:       p.AmountIn.String(),
		AmountOut:      p.AmountOut.String(),
		Routes:         routes,
		PriceImpactBps: t.impact,
		AmountInUsd:    usd(p.AmountIn, t.desk.USD(p.TokenIn)),
		AmountOutUsd:   usd(p.AmountOut, t.desk.USD(p.TokenOut)),
	}
}

func (x *exchange) warnUnpriced(b *quoteBody) {
	if b.AmountInUsd == unpriced || b.AmountOutUsd == unpriced {
		x.warn("USD_PRICE_UNAVAILABLE")
	}
}

func (d *desk) symbol(a common.Address) string {
	i, ok := d.Token(a)
	if !ok {
		return ""
	}
	return d.Tokens()[i].Symbol
}

func (t *trade) meta(ctx context.Context, tx calldata.Tx) (*metaBody, error) {
	block := t.desk.Block()
	m := &metaBody{
		BlockNumber:  block.Number,
		BlockHash:    block.Hash,
		MinAmountOut: t.minOut.String(),
		GasLimit:     strconv.FormatUint(tx.Gas, 10),
		GasCostWei:   u256.From(tx.Gas).Mul(t.desk.GasPrice()).String(),
		ExpiresAt:    t.deadline,
	}
	return m, t.bound(ctx, m)
}
