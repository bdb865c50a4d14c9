package calldata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/u256"
)

// Swap is what calldata says, taken apart.
type Swap struct {
	TokenIn   common.Address
	AmountIn  u256.Int
	TokenOut  common.Address // zero is native
	MinOut    u256.Int
	Recipient common.Address
	Deadline  uint64 // seconds
	Executor  common.Address
	Permit    *Permit
	Steps     []Step
}

// Step is one call of a venue. TokenOut of a swap for native is native here too.
type Step struct {
	TokenIn, TokenOut common.Address
	Share             plan.Share // of what is held at that moment; 0 is all
	Prepaid           bool       // the step before pays the venue
	Kind              byte
	Body              []byte // as the kind has it
}

// Decode reads calldata that Encode wrote. It takes no other: every byte has
// one meaning, and whatever carries none is an error.
func Decode(data []byte) (Swap, error) {
	h, err := decodeHead(data)
	if err != nil {
		return Swap{}, fmt.Errorf("calldata: %w", err)
	}
	s := Swap{
		TokenIn: h.tokenIn, AmountIn: h.amountIn, TokenOut: h.tokenOut, MinOut: h.minOut,
		Recipient: h.recipient, Deadline: h.deadline, Executor: h.executor, Permit: h.permit,
	}
	if s.Steps, err = decodeRoute(h.route, h.tokenIn, h.tokenOut); err != nil {
		return Swap{}, fmt.Errorf("calldata: route: %w", err)
	}
	return s, nil
}

func decodeRoute(route []byte, tokenIn, tokenOut common.Address) (steps []Step, err error) {
	r := reader{data: route}
	tokens := make([]common.Address, numberMid+int(r.take(1)[0]))
	tokens[numberIn], tokens[numberOut] = tokenIn, tokenOut
	for i := numberMid; i < len(tokens); i++ {
		tokens[i] = common.Address(r.take(20))
		if slices.Contains(tokens[:i], tokens[i]) {
			return nil, fmt.Errorf("token %s has two numbers", tokens[i])
		}
	}
	made := numberMid // the tokens of the table that were made so far
	var before Step
	alone := false                    // it made all there is of its token
	held := make([]bool, len(tokens)) // and not used up
	held[numberIn] = true
	for !r.short && len(r.data) > 0 {
		kind, in, out := r.take(1)[0], int(r.take(1)[0]), int(r.take(1)[0])
		step := Step{Share: plan.Share(binary.BigEndian.Uint32(r.take(4))), Prepaid: kind&prepaid != 0, Kind: kind &^ prepaid}
		step.Body = r.body(step.Kind)
		switch {
		case r.short:
			return nil, errors.New("it is cut short")
		case step.Body == nil:
			return nil, fmt.Errorf("kind %d is unknown", step.Kind)
		case in >= len(tokens) || out > made || out >= len(tokens) || in == numberOut || out == numberIn:
			return nil, fmt.Errorf("a step from token %d to %d cannot be", in, out)
		case !held[in]:
			return nil, fmt.Errorf("a step takes %s, of which there is none", tokens[in])
		}
		if out == made {
			made++
		}
		step.TokenIn, step.TokenOut = tokens[in], tokens[out]
		if step.Prepaid && (step.Kind != kindV2 || step.Share != 0 || len(steps) == 0 || before.TokenOut != step.TokenIn || !alone) {
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

// Kinds of steps, as the Executor numbers them.
const (
	kindV2        = 1
	kindV3        = 4
	kindUniswapV4 = 5
	kindBalancer  = 6
	kindKuru      = 7
	kindHanji     = 8
	kindNadFun    = 9
)

// body takes what a kind of step has behind its head; nil if there is no such
// kind.
func (r *reader) body(kind byte) []byte {
	switch kind {
	case kindV2:
		return r.take(22)
	case kindV3, kindBalancer, kindNadFun:
		return r.take(20)
	case kindKuru:
		return r.take(42)
	case kindHanji:
		return r.take(37)
	case kindUniswapV4:
		if len(r.data) == 0 || r.data[0] == 0 {
			r.short = true
			return []byte{}
		}
		return r.take(8 + 27*(int(r.data[0])-1))
	}
	return nil
}
