package api

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/calldata"
	"braid/venue"
)

// swapBody is the JSON of a swap: a quote and its transaction.
type swapBody struct {
	quoteBody
	Tx       txBody       `json:"tx"`
	Approval *callBody    `json:"approval,omitempty"`
	Permit   *permitsBody `json:"permit,omitempty"`
	Calls    *callsBody   `json:"calls,omitempty"`
}

// txBody is a transaction; its value is in wei, and estimatedGas is its gas limit.
type txBody struct {
	To           string        `json:"to"`
	Data         hexutil.Bytes `json:"data"`
	Value        string        `json:"value"`
	EstimatedGas string        `json:"estimatedGas"`
}

// swap is the endpoint /swap.
func (s *server) swap(w *response) error {
	return s.withQuote(w, s.parseSwap, func(ctx context.Context, q *quote) error {
		if err := q.check(); err != nil {
			return err
		}
		began := time.Now()
		tx, err := s.encode(q)
		if err != nil {
			return err
		}
		w.addTiming("encode", began)
		body, err := s.quoteBody(ctx, q)
		if err != nil {
			return err
		}
		q.warn(w)
		return w.writeUncached(s.swapBody(q, body, tx))
	})
}

// swapBody is the JSON of a swap with what the request includes.
func (s *server) swapBody(q *quote, body quoteBody, tx calldata.Tx) swapBody {
	b := swapBody{quoteBody: body, Permit: s.permits(q), Calls: q.calls(tx), Tx: txBody{
		To:           tx.To.Hex(),
		Data:         tx.Data,
		Value:        tx.Value.String(),
		EstimatedGas: strconv.FormatUint(tx.Gas, 10),
	}}
	if q.wantApproval && !q.nativeIn && q.permitOptions.permit == nil {
		b.Approval = q.approvalCall(tx)
	}
	return b
}

// check rejects swaps that would lose money: a recipient that keeps the output, a
// price impact above the limit, an output below minAmountOut.
func (q *quote) check() error {
	if p := q.permitOptions.permit; p != nil && p.Amount.Lt(q.amountIn) {
		return validationProblem([]paramError{{"permit", invalidParameter, permitTooSmall}}, hints{})
	}
	for i := range q.plan.Steps {
		// Tokens sent to a pool outside of a swap belong to whoever swaps next.
		// Some pools are part of a contract of their source, or keep their tokens
		// in one.
		pool := q.plan.Steps[i].Pool
		info := pool.Info()
		keeps := func(to common.Address) bool {
			return info.ID == venue.AddressID(to) || info.Source.Factory == to || venue.Custody(pool) == to
		}
		var errs []paramError
		if keeps(q.recipient) {
			errs = append(errs, paramError{"recipient", invalidRecipient, "is a pool of the route, or its venue" + outputLost})
		}
		if q.fee != nil && keeps(q.fee.Recipient) {
			errs = append(errs, paramError{"feeRecipient", invalidRecipient, "is a pool of the route, or its venue" + outputLost})
		}
		if errs != nil {
			return validationProblem(errs, hints{})
		}
	}
	// A pool with dust at an absurd price makes the market's rate absurd too. What the
	// route loses against its own pools' prices is not in anybody's hands.
	if impact := min(q.impactBps, q.plan.ImpactBps()); impact > q.maxImpactBps {
		return &problem{
			code:   priceImpactTooHigh,
			detail: fmt.Sprintf("the price impact of %d bps is above the guard of %d bps; swap less, or set another guard with maxPriceImpactBps", impact, q.maxImpactBps),
			hints:  hints{PriceImpactBps: impact},
		}
	}
	if q.amountOut.Lt(q.minAmountOut) {
		return &problem{
			code:   minAmountOutTooHigh,
			detail: fmt.Sprintf("the quote of %s is below minAmountOut; lower it to that or less, or ask again later", q.amountOut),
			hints:  hints{AmountOut: q.amountOut.String()},
		}
	}
	return nil
}

// approvalCall is approve(router, amountIn) of the input token: no unlimited
// approval.
func (q *quote) approvalCall(tx calldata.Tx) *callBody {
	amount := q.amountIn.Bytes()
	data := venue.Calldata("approve(address,uint256)", tx.To[:], amount[:])
	return &callBody{To: q.plan.TokenIn.Hex(), Data: data, Value: "0"}
}
