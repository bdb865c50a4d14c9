package calldata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// Swap is decoded calldata. Amounts are raw units.
type Swap struct {
	TokenIn   common.Address
	AmountIn  u256.Int
	TokenOut  common.Address // zero is native currency
	MinOut    u256.Int
	Recipient common.Address
	Deadline  uint64 // Unix seconds
	Executor  common.Address
	Permit    *Permit
	Fee       *Fee
	Steps     []Step
}

// Step is one step of the route. In a swap for native currency TokenOut of the
// last steps is the zero address too.
type Step struct {
	TokenIn, TokenOut common.Address
	Share             plan.Share // of what is held at that moment; 0 is all
	Prepaid           bool       // the step before pays the venue
	Body              []byte     // as the kind has it

	kind *venue.StepKind
}

// call is the step as its kind reads it.
func (s *Step) call() venue.StepCall {
	return venue.StepCall{TokenIn: s.TokenIn, TokenOut: s.TokenOut, Body: s.Body}
}

// Decode reads calldata that Encode wrote, with steps of the given kinds. It
// takes no other: every byte has one meaning, and whatever carries none is an
// error.
func Decode(data []byte, kinds []venue.StepKind) (Swap, error) {
	h, err := decodeRouterCall(data)
	if err != nil {
		return Swap{}, fmt.Errorf("calldata: %w", err)
	}
	s := Swap{
		TokenIn: h.tokenIn, AmountIn: h.amountIn, TokenOut: h.tokenOut, MinOut: h.minOut,
		Recipient: h.recipient, Deadline: h.deadline, Executor: h.executor, Permit: h.permit,
	}
	r := reader{data: h.route}
	mid := r.take(1)[0]
	if mid&flagFee != 0 {
		s.Fee, err = readFee(&r)
	}
	if err == nil {
		s.Steps, err = decodeRoute(&r, int(mid&^flagFee), h.tokenIn, h.tokenOut, kinds)
	}
	if err != nil {
		return Swap{}, fmt.Errorf("calldata: route: %w", err)
	}
	return s, nil
}

// decodeRoute reads the table of so many tokens and the steps.
func decodeRoute(r *reader, mid int, tokenIn, tokenOut common.Address, kinds []venue.StepKind) (steps []Step, err error) {
	tokens := make([]common.Address, numberMid+mid)
	tokens[numberIn], tokens[numberOut] = tokenIn, tokenOut
	for i := numberMid; i < len(tokens); i++ {
		tokens[i] = common.Address(r.take(20))
		if slices.Contains(tokens[:i], tokens[i]) {
			return nil, fmt.Errorf("token %s has two numbers", tokens[i])
		}
	}
	made := numberMid // numbers below it are tokens that some step has made
	var before Step
	alone := false                    // the step before made all there is of its token
	held := make([]bool, len(tokens)) // a token was made and is not used up
	held[numberIn] = true
	for !r.short && len(r.data) > 0 {
		number, in, out := r.take(1)[0], int(r.take(1)[0]), int(r.take(1)[0])
		step := Step{Share: plan.Share(binary.BigEndian.Uint32(r.take(4))), Prepaid: number&flagPrepaid != 0}
		step.kind, step.Body = r.body(number&^flagPrepaid, kinds)
		switch {
		case r.short:
			return nil, errors.New("it is cut short")
		case step.kind == nil:
			return nil, fmt.Errorf("kind %d is unknown", number&^flagPrepaid)
		case in >= len(tokens) || out > made || out >= len(tokens) || in == numberOut || out == numberIn:
			return nil, fmt.Errorf("a step from token %d to %d cannot be", in, out)
		case !held[in]:
			return nil, fmt.Errorf("a step takes %s, of which there is none", tokens[in])
		}
		if out == made {
			made++
		}
		step.TokenIn, step.TokenOut = tokens[in], tokens[out]
		if step.Prepaid && (!step.kind.Prepaid || step.Share != 0 || len(steps) == 0 || before.TokenOut != step.TokenIn || !alone) {
			return nil, errors.New("a step is prepaid that cannot be")
		}
		alone = !held[out]
		held[in], held[out] = step.Share != 0, true
		steps, before = append(steps, step), step
	}
	if r.short || made != len(tokens) || !held[numberOut] {
		return nil, errors.New("it does not lead to tokenOut")
	}
	for i, left := range held {
		if left && i != numberOut {
			return nil, fmt.Errorf("it leaves some of %s", tokens[i])
		}
	}
	return steps, nil
}

// body takes the body of a step of that kind; the kind is nil if there is none
// of the number.
func (r *reader) body(number byte, kinds []venue.StepKind) (*venue.StepKind, []byte) {
	for i := range kinds {
		if kinds[i].Number != number {
			continue
		}
		n, ok := kinds[i].Length(r.data)
		if !ok {
			r.short = true
		}
		return &kinds[i], r.take(n)
	}
	return nil, nil
}
