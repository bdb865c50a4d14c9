package calldata

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/venue"
)

// prepaid marks a step whose pool was paid by the step before it.
const prepaid = 0x80

// Token numbers of a route: its ends, then the table of tokens in between.
const (
	numberIn  = 0
	numberOut = 1
	numberMid = 2
)

// A route names its tokens by one byte.
const maxMid = 256 - numberMid

// joint is how a step is tied to the one before it.
type joint byte

const (
	loose  joint = iota // it takes from what is held
	paid                // the step before pays its pool
	joined              // it is part of the step before
)

// jointsOf ties steps together where nothing has to stop in the Executor: the
// step before makes all there is of a token, and the next takes all of it.
func jointsOf(p *plan.Plan) []joint {
	makers, takers := map[common.Address]int{}, map[common.Address]int{}
	for i := range p.Steps {
		makers[p.Steps[i].TokenOut()]++
		takers[p.Steps[i].TokenIn()]++
	}
	joints := make([]joint, len(p.Steps))
	for i := 1; i < len(p.Steps); i++ {
		token := p.Steps[i].TokenIn()
		if p.Steps[i-1].TokenOut() != token || makers[token] != 1 || takers[token] != 1 {
			continue
		}
		before, call := callOf(&p.Steps[i-1]), callOf(&p.Steps[i])
		switch {
		case call.JoinIn != "" && call.JoinIn == before.JoinOut && call.Kind == before.Kind:
			joints[i] = joined
		case call.Prepay != common.Address{} && bytes.HasPrefix(call.Body, call.Prepay[:]):
			joints[i] = paid // the step before finds whom to pay in the body
		}
	}
	return joints
}

func callOf(s *plan.Step) venue.Call { return s.Pool.Call(s.In, s.Out) }

// encodeRoute packs the steps: the table of middle tokens, then for each step
// kind, in, out, share and the body its pool asks for.
func encodeRoute(p *plan.Plan, joints []joint) ([]byte, error) {
	number := map[common.Address]int{p.TokenIn: numberIn, p.TokenOut: numberOut}
	var mid []common.Address
	for i := range p.Steps {
		token := p.Steps[i].TokenOut()
		if _, seen := number[token]; !seen && (i+1 == len(joints) || joints[i+1] != joined) {
			number[token] = numberMid + len(mid)
			mid = append(mid, token)
		}
	}
	if len(mid) > maxMid {
		return nil, fmt.Errorf("route of %d tokens: %d at most", len(mid)+numberMid, maxMid+numberMid)
	}
	route := make([]byte, 0, 1+20*len(mid)+32*len(p.Steps))
	route = append(route, byte(len(mid)))
	for _, a := range mid {
		route = append(route, a[:]...)
	}
	for i := 0; i < len(p.Steps); {
		end := i + 1
		for end < len(joints) && joints[end] == joined {
			end++
		}
		kind, body := join(p.Steps[i:end])
		if joints[i] == paid {
			kind |= prepaid
		}
		route = append(route, kind, byte(number[p.Steps[i].TokenIn()]), byte(number[p.Steps[end-1].TokenOut()]))
		route = binary.BigEndian.AppendUint32(route, uint32(p.Steps[i].Share))
		route = append(route, body...)
		i = end
	}
	return route, nil
}

// join makes one call of steps that are joined.
func join(steps []plan.Step) (kind byte, body []byte) {
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
