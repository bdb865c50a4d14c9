package api

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/calldata"
	"braid/venue"
)

type swapBody struct {
	quoteBody
	Tx       txBody       `json:"tx"`
	Approval *callBody    `json:"approval,omitempty"`
	Permit   *permitsBody `json:"permit,omitempty"`
	Calls    *callsBody   `json:"calls,omitempty"`
}

type txBody struct {
	To           string        `json:"to"`
	Data         hexutil.Bytes `json:"data"`
	Value        string        `json:"value"`
	EstimatedGas string        `json:"estimatedGas"`
}

func (s *server) swap(x *exchange) error {
	a, err := s.askSwap(x)
	if err != nil {
		return err
	}
	ctx, cancel := s.budget(x)
	defer cancel()
	t, err := s.trade(ctx, x, a)
	if err != nil {
		return err
	}
	if err := t.guard(); err != nil {
		return err
	}
	began := time.Now()
	tx, err := s.encode(t)
	if err != nil {
		return err
	}
	x.timed("encode", began)
	quote, err := s.quoteBody(ctx, t)
	if err != nil {
		return err
	}
	x.warnUnpriced(&quote)
	body := swapBody{quoteBody: quote, Permit: s.permits(t), Calls: t.calls(tx), Tx: txBody{
		To:           tx.To.Hex(),
		Data:         tx.Data,
		Value:        tx.Value.String(),
		EstimatedGas: strconv.FormatUint(tx.Gas, 10),
	}}
	if a.approval && !a.nativeIn && a.signing.permit == nil {
		body.Approval = t.approve(tx)
	}
	return x.fresh(body)
}

// guard refuses what the caller would regret.
func (t *trade) guard() error {
	for i := range t.plan.Steps {
		// What a pool is sent unasked belongs to whoever trades next. Some
		// pools live inside a contract of their venue, or keep their money there.
		pool := t.plan.Steps[i].Pool
		info := pool.Info()
		if to := t.recipient; info.ID == venue.AddressID(to) || info.Source.Factory == to || venue.Custody(pool) == to {
			return refuse([]fault{{"recipient", invalidRecipient, "is a pool of the route, or its venue" + lostThere}}, hints{})
		}
	}
	if t.impact > t.maxImpactBps {
		return &problem{
			code:   priceImpactTooHigh,
			detail: fmt.Sprintf("the price impact of %d bps is above the guard of %d bps; swap less, or set another guard with maxPriceImpactBps", t.impact, t.maxImpactBps),
			hints:  hints{PriceImpactBps: t.impact},
		}
	}
	if t.plan.AmountOut.Lt(t.minAmountOut) {
		return &problem{
			code:   minAmountOutTooHigh,
			detail: fmt.Sprintf("the quote of %s is below minAmountOut; lower it to that or less, or ask again later", t.plan.AmountOut),
			hints:  hints{AmountOut: t.plan.AmountOut.String()},
		}
	}
	return nil
}

// approve lets the aggregator take the input, and no more than that.
func (t *trade) approve(tx calldata.Tx) *callBody {
	amount := t.plan.AmountIn.Bytes()
	data := venue.Calldata("approve(address,uint256)", tx.To[:], amount[:])
	return &callBody{To: t.plan.TokenIn.Hex(), Data: data, Value: "0"}
}
