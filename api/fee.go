package api

import (
	"braid/calldata"
	"braid/u256"
	"braid/venue"
)

// feesBody is what a request with feeBps is answered in addition.
type feesBody struct {
	Integrator feeBody `json:"integrator"`
}

// feeBody is a fee: its amount is in raw units of its token, which is tokenIn or
// tokenOut, never native.
type feeBody struct {
	Recipient string `json:"recipient"`
	Bps       uint64 `json:"bps"`
	Side      string `json:"side"`
	Token     string `json:"token"`
	Amount    string `json:"amount"`
	AmountUsd string `json:"amountUsd"`
}

// parseFee reads feeBps, feeRecipient and feeSide, after the tokens.
func (s *server) parseFee(q *query, req *request) {
	if _, given := q.values["feeBps"]; !given {
		for _, name := range []string{"feeRecipient", "feeSide"} {
			if _, given := q.optional(name); given {
				q.reject(name, invalidParameter, "is given without feeBps; give feeBps too, or leave it out")
			}
		}
		return
	}
	fee := calldata.Fee{Bps: q.integer("feeBps", 0, 1, calldata.MaxFeeBps, " in basis points: 30 is 0.3 %", invalidParameter)}
	switch side, _ := q.optional("feeSide"); side {
	case "", "in":
	case "out":
		fee.Side = calldata.FeeOut
	default:
		q.reject("feeSide", invalidParameter, "is neither in nor out; give one of them: what the fee is taken from")
	}
	fee.Recipient = s.parsePayee(q, req, "feeRecipient")
	if !q.rejected["feeBps"] {
		req.fee = &fee
	}
}

// feeOn is the fee of a request if it is taken on that side, or nil.
func (req *request) feeOn(side calldata.FeeSide) *calldata.Fee {
	if req.fee == nil || req.fee.Side != side {
		return nil
	}
	return req.fee
}

// beforeFee is the least amount of which that rest is left after the fee of a side.
func (req *request) beforeFee(side calldata.FeeSide, rest u256.Int) (u256.Int, error) {
	f := req.feeOn(side)
	if f == nil {
		return rest, nil
	}
	amount, ok := f.Before(rest)
	if !ok {
		return amount, venue.ErrTooLarge
	}
	return amount, nil
}

// afterFee is what is left of an amount after the fee of a side.
func (req *request) afterFee(side calldata.FeeSide, amount u256.Int) u256.Int {
	if f := req.feeOn(side); f != nil {
		return f.Rest(amount)
	}
	return amount
}

// fees is the JSON of the fees; nil if none was asked for.
func (q *quote) fees() *feesBody {
	if q.fee == nil {
		return nil
	}
	token, amount := q.plan.TokenIn, q.amountIn.Sub(q.plan.AmountIn)
	if q.fee.Side == calldata.FeeOut {
		token, amount = q.plan.TokenOut, q.plan.AmountOut.Sub(q.amountOut)
	}
	return &feesBody{feeBody{q.fee.Recipient.Hex(), q.fee.Bps, q.fee.Side.String(), lowerHex(token), amount.String(), formatUSD(amount, q.cache.USD(token))}}
}
