package api

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/market"
	"braid/plan"
	"braid/router"
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
	GasCostWei   string      `json:"gasCostWei"`
	ExpiresAt    uint64      `json:"expiresAt"`

	// What no plan can pay more than, and how far this one stays behind it;
	// neither where no bound was found.
	BoundAmountOut   string   `json:"boundAmountOut,omitempty"`
	OptimalityGapBps *float64 `json:"optimalityGapBps,omitempty"`
}

func (s *server) quote(x *exchange) error {
	a, err := s.askQuote(x)
	if err != nil {
		return err
	}
	t, err := s.trade(x, a)
	if err != nil {
		return err
	}
	body := t.body(x)
	if a.meta {
		tx, err := s.encode(t)
		if err != nil {
			return err
		}
		body.Meta = t.meta(tx)
	}
	return x.fresh(body)
}

// trade is an ask, answered on one snapshot.
type trade struct {
	ask
	snap     *market.Snapshot
	plan     plan.Plan
	impact   int
	minOut   u256.Int
	deadline uint64
}

func (s *server) trade(x *exchange, a ask) (*trade, error) {
	snap, err := s.head()
	if err != nil {
		return nil, err
	}
	block := snap.Block()
	x.Header().Set("X-Block-Number", strconv.FormatUint(block.Number, 10))
	x.Header().Set("X-Block-Timestamp", strconv.FormatUint(block.Time, 10))
	if err := unknownTokens(snap, a); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithDeadline(x.r.Context(), x.began.Add(s.Timeout))
	defer cancel()
	began := time.Now()
	p, err := s.find(ctx, snap, a)
	x.timed("find", began)
	if err != nil {
		return nil, err
	}
	return &trade{
		ask: a, snap: snap, plan: p, impact: p.ImpactBps(),
		minOut:   floor(p.AmountOut, a.minAmountOut, a.slippageBps),
		deadline: max(uint64(s.Now().Unix()), block.Time) + a.deadlineSeconds,
	}, nil
}

// head is the newest market, if it is there and can be trusted.
func (s *server) head() (*market.Snapshot, error) {
	snap := s.Head()
	switch {
	case snap == nil:
		return nil, &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	case s.age() > s.StaleAfter:
		return nil, &problem{code: stateStale, detail: "the market has not been brought up to date for too long", retryAfter: time.Second}
	}
	return snap, nil
}

func unknownTokens(snap *market.Snapshot, a ask) error {
	var faults []fault
	if _, ok := snap.Token(a.TokenIn); !ok {
		faults = append(faults, fault{"tokenIn", unknownToken, "is not a token of this market"})
	}
	if _, ok := snap.Token(a.TokenOut); !ok {
		faults = append(faults, fault{"tokenOut", unknownToken, "is not a token of this market"})
	}
	if faults == nil {
		return nil
	}
	return refuse(faults, hints{})
}

// find searches as soon as a core is free for it. A search is not interrupted,
// its effort being bounded; one that comes too late is not answered.
func (s *server) find(ctx context.Context, snap *market.Snapshot, a ask) (plan.Plan, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return plan.Plan{}, err
	}
	p, err := router.Find(snap, a.Order)
	if ctx.Err() != nil {
		return plan.Plan{}, ctx.Err()
	}
	if err != nil {
		return plan.Plan{}, explain(snap, a, err)
	}
	return p, nil
}

// explain adds what would have worked instead.
func explain(snap *market.Snapshot, a ask, err error) error {
	p := asProblem(err)
	switch p.code {
	case noRoute:
		if len(a.excluded) == 0 {
			break
		}
		open := a.Order
		open.Exclude = nil
		if _, again := router.Find(snap, open); !errors.Is(again, router.ErrNoRoute) {
			p.detail, p.hints.ExcludedSources = "only excluded sources join the tokens", a.excluded
		}
	case insufficientLiquidity:
		if n, ok := router.MaxIn(snap, a.Order); ok {
			p.hints.MaxAmountIn = n.String()
		}
	case amountTooSmall:
		if n, ok := router.MinIn(snap, a.Order); ok {
			p.hints.MinAmountIn = n.String()
		}
	case internal:
		return err
	}
	return p
}

// floor is the least the recipient must get: never nothing.
func floor(out, min u256.Int, slippageBps uint64) u256.Int {
	least, _ := out.MulDiv(u256.From(10000-slippageBps), u256.From(10000)) // at most out
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
	})
}

func (t *trade) body(x *exchange) quoteBody {
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
			TokenInSymbol:  t.symbol(step.TokenIn()),
			TokenOutSymbol: t.symbol(step.TokenOut()),
			Factory:        info.Source.ID,
			FactoryAddress: info.Source.Factory.Hex(),
			AmountIn:       step.AmountIn.String(),
			AmountOut:      step.AmountOut.String(),
			Weight:         weights[i],
		}
	}
	inUSD, okIn := usd(p.AmountIn, t.snap.USD(p.TokenIn))
	outUSD, okOut := usd(p.AmountOut, t.snap.USD(p.TokenOut))
	if !okIn || !okOut {
		x.warn("USD_PRICE_UNAVAILABLE")
	}
	return quoteBody{
		TokenIn:        lower(p.TokenIn),
		TokenOut:       lower(p.TokenOut),
		AmountIn:       p.AmountIn.String(),
		AmountOut:      p.AmountOut.String(),
		Routes:         routes,
		PriceImpactBps: t.impact,
		AmountInUsd:    inUSD,
		AmountOutUsd:   outUSD,
	}
}

func (t *trade) symbol(a common.Address) string {
	i, ok := t.snap.Token(a)
	if !ok {
		return ""
	}
	return t.snap.Tokens()[i].Symbol
}

func (t *trade) meta(tx calldata.Tx) *metaBody {
	block := t.snap.Block()
	m := &metaBody{
		BlockNumber:  block.Number,
		BlockHash:    block.Hash,
		MinAmountOut: t.minOut.String(),
		GasCostWei:   u256.From(tx.Gas).Mul(t.snap.GasPrice()).String(),
		ExpiresAt:    t.deadline,
	}
	if bound, ok := router.Bound(t.snap, t.Order); ok {
		if bound.Lt(t.plan.AmountOut) { // by what floats lose
			bound = t.plan.AmountOut
		}
		gap := math.Round(1e8*bound.Sub(t.plan.AmountOut).Float()/bound.Float()) / 1e4
		m.BoundAmountOut, m.OptimalityGapBps = bound.String(), &gap
	}
	return m
}
