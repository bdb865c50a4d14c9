package calldata

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/venue"
)

// flagPrepaid is set in the kind of a step whose pool the step before has paid.
const flagPrepaid = 0x80

// Token numbers of a route: its ends, then the table of tokens in between.
const (
	numberIn  = 0
	numberOut = 1
	numberMid = 2
)

// flagFee is set in the first byte of a route, the number of tokens in between,
// where the record of a fee comes next.
const flagFee = 0x80

const maxMid = flagFee - 1

// input is where a step gets its input from.
type input byte

const (
	held    input = iota // what the Executor, or at first the sender, holds
	prepaid              // the step before pays it straight to this step's pool
	merged               // the step is part of the one before: one contract nets both
)

// inputsOf tells for each step of a plan where its input comes from. It need
// not pass through the Executor where the step before makes all there is of the
// token, and this one takes all of it.
func inputsOf(p *plan.Plan) []input {
	makers, takers := map[common.Address]int{}, map[common.Address]int{}
	for i := range p.Steps {
		makers[p.Steps[i].TokenOut()]++
		takers[p.Steps[i].TokenIn()]++
	}
	inputs := make([]input, len(p.Steps))
	for i := 1; i < len(p.Steps); i++ {
		token := p.Steps[i].TokenIn()
		if p.Steps[i-1].TokenOut() != token || makers[token] != 1 || takers[token] != 1 {
			continue
		}
		before, call := callOf(&p.Steps[i-1]), callOf(&p.Steps[i])
		switch {
		case call.JoinIn != "" && call.JoinIn == before.JoinOut && call.Kind == before.Kind:
			inputs[i] = merged
		case call.Prepay != common.Address{} && bytes.HasPrefix(call.Body, call.Prepay[:]):
			inputs[i] = prepaid // the Executor reads whom to pay from the body
		}
	}
	return inputs
}

func callOf(s *plan.Step) venue.Call { return s.Pool.Call(s.In, s.Out) }

// encodeRoute packs the steps as the Executor reads them: the fee, if there is one,
// the table of the tokens in between, then for each step kind, in, out, share and the
// body that its pool asks for.
func encodeRoute(p *plan.Plan, inputs []input, fee *Fee) ([]byte, error) {
	number := map[common.Address]int{p.TokenIn: numberIn, p.TokenOut: numberOut}
	var mid []common.Address
	for i := range p.Steps {
		token := p.Steps[i].TokenOut()
		if _, seen := number[token]; !seen && (i+1 == len(inputs) || inputs[i+1] != merged) {
			number[token] = numberMid + len(mid)
			mid = append(mid, token)
		}
	}
	if len(mid) > maxMid {
		return nil, fmt.Errorf("route of %d tokens: %d at most", len(mid)+numberMid, maxMid+numberMid)
	}
	route := make([]byte, 0, 1+23+20*len(mid)+32*len(p.Steps))
	route = append(route, byte(len(mid)))
	if fee != nil {
		route[0] |= flagFee
		route = fee.appendRecord(route)
	}
	for _, a := range mid {
		route = append(route, a[:]...)
	}
	for i := 0; i < len(p.Steps); {
		end := i + 1
		for end < len(inputs) && inputs[end] == merged {
			end++
		}
		kind, body := merge(p.Steps[i:end])
		if inputs[i] == prepaid {
			kind |= flagPrepaid
		}
		route = append(route, kind, byte(number[p.Steps[i].TokenIn()]), byte(number[p.Steps[end-1].TokenOut()]))
		route = binary.BigEndian.AppendUint32(route, uint32(p.Steps[i].Share))
		route = append(route, body...)
		i = end
	}
	return route, nil
}

// merge is one call for steps that are merged: see JoinIn of venue.Call.
func merge(steps []plan.Step) (kind byte, body []byte) {
	call := callOf(&steps[0])
	body = call.Body
	for i := 1; i < len(steps); i++ {
		token := steps[i].TokenIn()
		body[0]++
		body = append(body, token[:]...)
		body = append(body, callOf(&steps[i]).Body[1:]...)
	}
	return call.Kind, body
}
