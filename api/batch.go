package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxBatch is the most orders of one request.
const maxBatch = 50

// batchParameters are those of /quotes; q is one order.
var batchParameters = []string{repeatable, "excludeSources", "includeSources", "onlyVerified", "maxSteps", "maxHops", "include", "chainId"}

// batchBody is the JSON of /quotes: for each order, in their order, a quote
// (batchQuoteBody) or a problem.
type batchBody struct {
	Results []json.RawMessage `json:"results"`
	Block   blockBody         `json:"block"`
}

// batchQuoteBody is a quote that shows its routes only where the request includes
// them.
type batchQuoteBody struct {
	quoteBody
	Routes []stepBody `json:"routes,omitempty"`
}

// quotes is the endpoint /quotes: several orders, quoted on one snapshot. An order
// that cannot be quoted, or for which no time is left, fails alone.
func (s *server) quotes(w *response) error {
	q := readQuery(w, batchParameters)
	if err := s.charge(w, float64(min(max(len(q.repeated), 1), maxBatch))); err != nil {
		return err
	}
	shared, wantRoutes := s.parseBatch(q)
	if err := q.err(); err != nil {
		return err
	}
	ctx, end := s.budget(w)
	defer end()
	c, err := s.admit(ctx, w, func(*snapshotCache) bool { return false })
	if err != nil {
		return err
	}
	began := time.Now()
	body := batchBody{Results: make([]json.RawMessage, len(q.repeated)), Block: s.blockBody(c)}
	for i, entry := range q.repeated {
		if body.Results[i], err = s.quoteEntry(ctx, c, shared, entry, wantRoutes); err != nil {
			_, body.Results[i] = s.renderProblem(w, err)
		}
	}
	w.addTiming("find", began)
	return w.writeUncached(body)
}

// parseBatch reads what all orders of a request share.
func (s *server) parseBatch(q *query) (shared request, wantRoutes bool) {
	s.parseShared(q, &shared)
	switch {
	case len(q.repeated) > maxBatch:
		q.reject(repeatable, invalidParameter, fmt.Sprintf("is given %d times; give at most %d orders, and the rest in another request", len(q.repeated), maxBatch))
	case slices.Equal(q.repeated, []string{""}) || len(q.repeated) == 0:
		q.reject(repeatable, missingParameter, "is required"+requiredMessages[repeatable])
	}
	return shared, slices.Contains(q.includes("routes"), "routes")
}

// quoteEntry quotes one order: tokenIn:tokenOut:amount.
func (s *server) quoteEntry(ctx context.Context, c *snapshotCache, req request, entry string, wantRoutes bool) ([]byte, error) {
	parts := strings.Split(entry, ":")
	if len(parts) != 3 {
		return nil, validationProblem([]paramError{{repeatable, invalidParameter, "is not three values with colons between them; give tokenIn:tokenOut:amount"}}, hints{})
	}
	q := &query{values: map[string]string{"tokenIn": parts[0], "tokenOut": parts[1], "amount": parts[2]}, rejected: map[string]bool{}}
	s.parseTokenPair(q, &req)
	req.exactIn = q.amount("amount")
	req.AmountIn = req.exactIn
	if err := q.err(); err != nil {
		return nil, err
	}
	quoted, err := s.quoteOn(ctx, c, req)
	if err != nil {
		return nil, err
	}
	body := batchQuoteBody{quoteBody: quoted.body()}
	if wantRoutes {
		body.Routes = quoted.routes()
	}
	return json.Marshal(body)
}
