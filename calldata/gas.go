package calldata

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/plan"
	"braid/venue"
)

// margin is what lies between a foreseen swap and any that was measured, in
// percent.
const margin = 3

// gasLimit covers the plan however its sender funds it.
func (c Contracts) gasLimit(p *plan.Plan, joints []joint, data []byte, t Terms) uint64 {
	need := c.foresee(p, joints, t, gas.Pulled)
	if p.TokenIn == c.WrappedNative {
		need = max(need, c.foresee(p, joints, t, gas.Wrapped))
	}
	need = (need + gas.Intrinsic(data)) * (100 + margin) / 100
	return uint64(max(need, gas.Floor(data)))
}

// sender stands for whoever sends the transaction.
var sender = common.Address{0: 0x5e, 19: 0x5e}

// foresee tells what the plan does, step by step, and adds it up.
func (c Contracts) foresee(p *plan.Plan, joints []joint, t Terms, funds gas.Funds) int64 {
	schedule := c.Schedule
	if schedule == nil {
		schedule = gas.Ethereum
	}
	cast := gas.Cast{Sender: sender, Router: c.Router, Executor: c.Executor, Recipient: t.Recipient, WrappedNative: c.WrappedNative, Proxies: c.Proxies}
	s := gas.NewScript(schedule, cast, funds, p.TokenOut, t.NativeOut)
	for i := range p.Steps {
		step := &p.Steps[i]
		next := gas.Step{TokenIn: step.TokenIn(), TokenOut: step.TokenOut(), Funds: gas.Here, To: c.Executor}
		next.All = step.Share == plan.All
		if next.TokenIn == p.TokenIn {
			next.Funds = funds
		}
		if next.TokenOut == p.TokenOut {
			next.To = s.Receiver()
		}
		switch joints[i] {
		case paid:
			next.Funds = gas.Paid
		case joined:
			next.Joined = true
		}
		if i+1 < len(joints) {
			switch joints[i+1] {
			case paid:
				next.To = callOf(&p.Steps[i+1]).Prepay
			case joined:
				next.Joins = true
			}
		}
		s.Begin(next)
		q, err := step.Pool.Quote(step.In, step.Out, step.AmountIn)
		if err != nil {
			continue // it will revert
		}
		if r, ok := step.Pool.(venue.Rehearser); ok {
			r.Rehearse(step.In, step.Out, step.AmountIn, s)
		} else {
			s.Burn(int64(q.Gas))
		}
	}
	return s.End()
}
