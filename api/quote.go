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

// quoteBody is the JSON of a quote.
type quoteBody struct {
	TokenIn        string     `json:"tokenIn"`
	TokenOut       string     `json:"tokenOut"`
	AmountIn       string     `json:"amountIn"`
	AmountOut      string     `json:"amountOut"`
	Routes         []stepBody `json:"routes"`
	PriceImpactBps int        `json:"priceImpactBps"`
	AmountInUsd    string     `json:"amountInUsd"`
	AmountOutUsd   string     `json:"amountOutUsd"`
	Fees           *feesBody  `json:"fees,omitempty"`
	Meta           *metaBody  `json:"meta,omitempty"`
	Why            *whyBody   `json:"why,omitempty"`
	Viz            string     `json:"viz,omitempty"`
}

// stepBody is a swap in one pool. Its weight, in 1/10000 of the whole order, is
// conserved at every token.
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

// metaBody is what include=meta adds.
type metaBody struct {
	BlockNumber  uint64      `json:"blockNumber"`
	BlockHash    common.Hash `json:"blockHash"`
	MinAmountOut string      `json:"minAmountOut"`
	GasLimit     string      `json:"gasLimit"`
	GasCostWei   string      `json:"gasCostWei"`
	ExpiresAt    uint64      `json:"expiresAt"`

	LeastAmountIn string `json:"leastAmountIn,omitempty"` // of a request with amountOut: what it takes without slippage

	// An amount out that no plan exceeds, and by how much this plan is below it;
	// or the reason why that is not shown.
	BoundAmountOut   string   `json:"boundAmountOut,omitempty"`
	OptimalityGapBps *float64 `json:"optimalityGapBps,omitempty"`
	BoundReason      string   `json:"boundReason,omitempty"`
}

// quote is the endpoint /quote.
func (s *server) quote(w *response) error {
	return s.withQuote(w, s.parseQuote, func(ctx context.Context, q *quote) error {
		body, err := s.quoteBody(ctx, q)
		if err != nil {
			return err
		}
		q.warn(w)
		return w.writeUncached(body)
	})
}

// withQuote reads the request, quotes it on the newest snapshot, and calls write
// with the quote. The context ends with the time of the request.
func (s *server) withQuote(w *response, parse func(*response) (request, error), write func(context.Context, *quote) error) error {
	req, err := parse(w)
	if err != nil {
		return err
	}
	ctx, end := s.budget(w)
	defer end()
	q, err := s.quoteNewest(ctx, w, req)
	if err != nil {
		return err
	}
	return write(ctx, q)
}

// budget is a context that ends when the request has taken Config.Timeout, and
// whose searches wait for their turn. The function ends both.
func (s *server) budget(w *response) (context.Context, func()) {
	ctx, cancel := context.WithDeadline(w.r.Context(), w.started.Add(s.Timeout))
	ctx, turn := s.admission.withTurn(ctx, s.client(w.r))
	return ctx, func() {
		turn.release()
		cancel()
	}
}

// admit waits until the request may search, unless what it asks for is cached
// already, and gives the snapshot that is the newest then.
func (s *server) admit(ctx context.Context, w *response, cached func(*snapshotCache) bool) (*snapshotCache, error) {
	c, err := s.head()
	if err == nil && !cached(c) {
		began := time.Now()
		err = turnOf(ctx).enter(ctx)
		w.addTiming("wait", began)
	}
	if err != nil {
		return nil, err
	}
	return s.headFor(w)
}

// quote is a request with the plan that was found for it on one snapshot.
type quote struct {
	request
	cache     *snapshotCache
	plan      plan.Plan
	amountIn  u256.Int // what the sender pays: the plan's, and a fee of the input
	amountOut u256.Int // what the recipient receives: the plan's less a fee of the output
	impactBps int
	minOut    u256.Int
	deadline  uint64
}

// quoteNewest quotes a request on the newest snapshot, and writes the block and
// the time of the search into the headers.
func (s *server) quoteNewest(ctx context.Context, w *response, req request) (*quote, error) {
	c, err := s.admit(ctx, w, func(c *snapshotCache) bool { return c.hasPlan(&req) })
	if err != nil {
		return nil, err
	}
	began := time.Now()
	q, err := s.quoteOn(ctx, c, req)
	w.addTiming("find", began)
	return q, err
}

// headFor is head; it writes the block's number, time and, where it is known, state
// into the headers.
func (s *server) headFor(w *response) (*snapshotCache, error) {
	c, err := s.head()
	if err != nil {
		return nil, err
	}
	block := c.Block()
	w.Header().Set("X-Block-Number", strconv.FormatUint(block.Number, 10))
	w.Header().Set("X-Block-Timestamp", strconv.FormatUint(block.Time, 10))
	if h := s.Health(); h.State != "" && h.Hash == block.Hash {
		w.Header().Set("X-Block-State", h.State)
	}
	return c, nil
}

// quoteOn quotes a request on a snapshot.
func (s *server) quoteOn(ctx context.Context, c *snapshotCache, req request) (*quote, error) {
	if err := c.checkTokens(req); err != nil {
		return nil, err
	}
	p, err := c.find(ctx, &req)
	if err != nil {
		return nil, err
	}
	impact, err := c.impact(ctx, &p)
	if err != nil {
		return nil, err
	}
	q := &quote{
		request: req, cache: c, plan: p, impactBps: impact,
		amountIn: req.exactIn, amountOut: req.afterFee(calldata.FeeOut, p.AmountOut),
		deadline: max(uint64(s.Now().Unix()), c.Block().Time) + req.deadlineSeconds,
	}
	q.minOut = minimumOut(q.amountOut, req.minAmountOut, req.slippageBps)
	if !req.exactOut.IsZero() {
		q.minOut = req.exactOut
		q.amountIn, err = req.beforeFee(calldata.FeeIn, p.AmountIn)
	}
	return q, err
}

// head is the newest snapshot, if it is not older than Config.StaleAfter.
func (s *server) head() (*snapshotCache, error) {
	c, err := s.headOfAnyAge()
	if err == nil && s.snapshotAge() > s.StaleAfter {
		return nil, &problem{code: stateStale, detail: "the market has not been brought up to date for too long", retryAfter: time.Second}
	}
	return c, err
}

// headOfAnyAge is the newest snapshot, however old it is.
func (s *server) headOfAnyAge() (*snapshotCache, error) {
	snap := s.Head()
	if snap == nil {
		return nil, &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	}
	return s.cacheOf(snap), nil
}

const unknownTokenMessage = "is not a token of any pool here; /api/v1/tokens lists those that can be traded"

// checkTokens rejects tokens that the snapshot does not have. If only untried pools trade
// them, there is no route yet.
func (c *snapshotCache) checkTokens(req request) error {
	var errs []paramError
	if _, ok := c.Token(req.TokenIn); !ok {
		errs = append(errs, paramError{"tokenIn", unknownToken, unknownTokenMessage})
	}
	if _, ok := c.Token(req.TokenOut); !ok {
		errs = append(errs, paramError{"tokenOut", unknownToken, unknownTokenMessage})
	}
	if errs == nil {
		return nil
	}
	wait := &problem{code: noRoute}
	if c.addUntried(&req, wait); wait.hints.Untried > 0 {
		return wait
	}
	return validationProblem(errs, hints{})
}

// minimumOut is the lowest amount out that the transaction accepts, in raw units:
// the quoted amount less the slippage, min and 1, whichever is highest.
func minimumOut(out, min u256.Int, slippageBps uint64) u256.Int {
	least, _ := out.MulDiv(u256.From(MaxSlippageBps-slippageBps), u256.From(MaxSlippageBps)) // at most out
	for _, n := range []u256.Int{min, u256.One} {
		if least.Lt(n) {
			least = n
		}
	}
	return least
}

// encode is the transaction that carries the quote out.
func (s *server) encode(q *quote) (calldata.Tx, error) {
	return s.Contracts.Encode(&q.plan, calldata.Terms{
		Recipient: q.recipient,
		MinOut:    q.minOut,
		Deadline:  q.deadline,
		NativeIn:  q.nativeIn,
		NativeOut: q.nativeOut,
		Permit:    q.permitOptions.permit,
		Fee:       q.fee,
		AmountIn:  q.amountIn,
	})
}

// quoteBody is the JSON of a quote with what the request includes.
func (s *server) quoteBody(ctx context.Context, q *quote) (quoteBody, error) {
	body := q.body()
	body.Routes = q.routes()
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

// body is the JSON of a quote without its routes and what may be included.
func (q *quote) body() quoteBody {
	p := &q.plan
	return quoteBody{
		TokenIn:        lowerHex(p.TokenIn),
		TokenOut:       lowerHex(p.TokenOut),
		AmountIn:       q.amountIn.String(),
		AmountOut:      q.amountOut.String(),
		PriceImpactBps: q.impactBps,
		AmountInUsd:    formatUSD(q.amountIn, q.cache.USD(p.TokenIn)),
		AmountOutUsd:   formatUSD(q.amountOut, q.cache.USD(p.TokenOut)),
		Fees:           q.fees(),
	}
}

// routes is the JSON of the steps of a quote.
func (q *quote) routes() []stepBody {
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
			TokenInSymbol:  q.cache.token(step.TokenIn()).Symbol,
			TokenOutSymbol: q.cache.token(step.TokenOut()).Symbol,
			Factory:        info.Source.ID,
			FactoryAddress: info.Source.Factory.Hex(),
			AmountIn:       step.AmountIn.String(),
			AmountOut:      step.AmountOut.String(),
			Weight:         weights[i],
		}
	}
	return routes
}

// token is what the snapshot knows of a token; zero if it does not have it.
func (c *snapshotCache) token(a common.Address) market.Token {
	if i, ok := c.Token(a); ok {
		return c.Tokens()[i]
	}
	return market.Token{}
}

// meta is what include=meta adds: block, limits and cost of the transaction, and
// the bound.
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
	var err error
	if m.LeastAmountIn, err = q.leastAmountIn(ctx); err != nil {
		return m, err
	}
	return m, q.addBound(ctx, m)
}
