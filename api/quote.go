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

func (s *server) quote(w *response) error {
	req, err := s.parseQuote(w)
	if err != nil {
		return err
	}
	ctx, cancel := s.budget(w)
	defer cancel()
	q, err := s.quoteNewest(ctx, w, req)
	if err != nil {
		return err
	}
	body, err := s.quoteBody(ctx, q)
	if err != nil {
		return err
	}
	w.warnUnpriced(&body)
	return w.writeUncached(body)
}

// budget is the time one request may take.
func (s *server) budget(w *response) (context.Context, context.CancelFunc) {
	return context.WithDeadline(w.r.Context(), w.started.Add(s.Timeout))
}

// trade is an ask, answered on one snapshot.
type quote struct {
	request
	cache     *snapshotCache
	plan      plan.Plan
	impactBps int
	minOut    u256.Int
	deadline  uint64
}

// trade answers an ask on the newest market and says in the headers which one
// that was.
func (s *server) quoteNewest(ctx context.Context, w *response, req request) (*quote, error) {
	c, err := s.headFor(w)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	q, err := s.quoteOn(ctx, c, req)
	w.addTiming("find", began)
	return q, err
}

// newest is the market of now, with its block in the headers.
func (s *server) headFor(w *response) (*snapshotCache, error) {
	c, err := s.head()
	if err != nil {
		return nil, err
	}
	block := c.Block()
	w.Header().Set("X-Block-Number", strconv.FormatUint(block.Number, 10))
	w.Header().Set("X-Block-Timestamp", strconv.FormatUint(block.Time, 10))
	return c, nil
}

func (s *server) quoteOn(ctx context.Context, c *snapshotCache, req request) (*quote, error) {
	if err := checkTokens(c.Snapshot, req); err != nil {
		return nil, err
	}
	p, err := c.find(ctx, &req)
	if err != nil {
		return nil, err
	}
	return &quote{
		request: req, cache: c, plan: p, impactBps: p.ImpactBps(),
		minOut:   minimumOut(p.AmountOut, req.minAmountOut, req.slippageBps),
		deadline: max(uint64(s.Now().Unix()), c.Block().Time) + req.deadlineSeconds,
	}, nil
}

// head is the newest market, if it is there and can be trusted.
func (s *server) head() (*snapshotCache, error) {
	snap := s.Head()
	switch {
	case snap == nil:
		return nil, &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	case s.snapshotAge() > s.StaleAfter:
		return nil, &problem{code: stateStale, detail: "the market has not been brought up to date for too long", retryAfter: time.Second}
	}
	return s.cacheOf(snap), nil
}

const unknownTokenMessage = "is not a token of any pool here; /api/v1/tokens lists those that can be traded"

func checkTokens(snap *market.Snapshot, req request) error {
	var faults []paramError
	if _, ok := snap.Token(req.TokenIn); !ok {
		faults = append(faults, paramError{"tokenIn", unknownToken, unknownTokenMessage})
	}
	if _, ok := snap.Token(req.TokenOut); !ok {
		faults = append(faults, paramError{"tokenOut", unknownToken, unknownTokenMessage})
	}
	if faults == nil {
		return nil
	}
	return validationProblem(faults, hints{})
}

// floor is the least the recipient must get: never nothing.
func minimumOut(out, min u256.Int, slippageBps uint64) u256.Int {
	least, _ := out.MulDiv(u256.From(MaxSlippageBps-slippageBps), u256.From(MaxSlippageBps)) // at most out
	for _, n := range []u256.Int{min, u256.One} {
		if least.Lt(n) {
			least = n
		}
	}
	return least
}

func (s *server) encode(q *quote) (calldata.Tx, error) {
	return s.Contracts.Encode(&q.plan, calldata.Terms{
		Recipient: q.recipient,
		MinOut:    q.minOut,
		Deadline:  q.deadline,
		NativeIn:  q.nativeIn,
		NativeOut: q.nativeOut,
		Permit:    q.permitOptions.permit,
	})
}

// quoteBody is the quote with the extras that were asked for.
func (s *server) quoteBody(ctx context.Context, q *quote) (quoteBody, error) {
	body := q.body()
	if q.request.wantMeta {
		tx, err := s.encode(q)
		if err != nil {
			return body, err
		}
		if body.Meta, err = q.meta(ctx, tx); err != nil {
			return body, err
		}
	}
	if q.request.wantWhy {
		var err error
		if body.Why, err = q.why(ctx); err != nil {
			return body, err
		}
	}
	if q.request.wantViz {
		body.Viz = q.svg()
	}
	return body, nil
}

func (q *quote) body() quoteBody {
	p := &q.plan
	weights := p.Weights()
	routes := make([]stepBody, len(p.Steps))
	for i := range p.Steps {
		step := &p.Steps[i]
		info := step.Pool.Info()
		routes[i] = stepBody{
			Pool:           info.ID,
			PoolType:       info.Source.Type,
			TokenIn:        lowerHex(step.TokenIn()),
			TokenOut:       lowerHex(step.TokenOut()),
			TokenInSymbol:  q.cache.symbol(step.TokenIn()),
			TokenOutSymbol: q.cache.symbol(step.TokenOut()),
			Factory:        info.Source.ID,
			FactoryAddress: info.Source.Factory.Hex(),
			AmountIn:       step.AmountIn.String(),
			AmountOut:      step.AmountOut.String(),
			Weight:         weights[i],
		}
	}
	return quoteBody{
		TokenIn:        lowerHex(p.TokenIn),
		TokenOut:       lowerHex(p.TokenOut),
		AmountIn:       p.AmountIn.String(),
		AmountOut:      p.AmountOut.String(),
		Routes:         routes,
		PriceImpactBps: q.impactBps,
		AmountInUsd:    formatUSD(p.AmountIn, q.cache.USD(p.TokenIn)),
		AmountOutUsd:   formatUSD(p.AmountOut, q.cache.USD(p.TokenOut)),
	}
}

func (w *response) warnUnpriced(b *quoteBody) {
	if b.AmountInUsd == unknownPrice || b.AmountOutUsd == unknownPrice {
		w.warn("USD_PRICE_UNAVAILABLE")
	}
}

func (c *snapshotCache) symbol(a common.Address) string {
	i, ok := c.Token(a)
	if !ok {
		return ""
	}
	return c.Tokens()[i].Symbol
}

func (q *quote) meta(ctx context.Context, tx calldata.Tx) (*metaBody, error) {
	block := q.cache.Block()
	m := &metaBody{
		BlockNumber:  block.Number,
		BlockHash:    block.Hash,
		MinAmountOut: q.minOut.String(),
		GasLimit:     strconv.FormatUint(tx.Gas, 10),
		GasCostWei:   u256.From(tx.Gas).Mul(q.cache.GasPrice()).String(),
		ExpiresAt:    q.deadline,
	}
	return m, q.addBound(ctx, m)
}
