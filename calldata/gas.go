package calldata

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/plan"
	"braid/venue"
)

// marginPercent is added to an estimate, so that it covers every swap that was
// measured (make gas).
const marginPercent = 3

// gasLimit is the gas limit of the plan's transaction, however its sender funds
// it.
func (c Contracts) gasLimit(p *plan.Plan, inputs []input, data []byte, t Terms) uint64 {
	need := c.estimate(p, inputs, t, gas.FromSender)
	if p.TokenIn == c.WrappedNative {
		need = max(need, c.estimate(p, inputs, t, gas.FromRouter))
	}
	need = (need + gas.Intrinsic(data)) * (100 + marginPercent) / 100
	return uint64(max(need, gas.Floor(data)))
}

// sender stands for whoever sends the transaction.
var sender = common.Address{0: 0x5e, 19: 0x5e}

// estimate is the gas of the plan beside the intrinsic gas, with the input where
// funds says.
func (c Contracts) estimate(p *plan.Plan, inputs []input, t Terms, funds gas.Funds) int64 {
	schedule := c.Schedule
	if schedule == nil {
		schedule = gas.Ethereum
	}
	accounts := gas.Accounts{Sender: sender, Router: c.Router, Executor: c.Executor, Recipient: t.Recipient, WrappedNative: c.WrappedNative, Proxies: c.Proxies}
	e := gas.NewEstimate(schedule, accounts, funds, p.TokenOut, t.NativeOut)
	for i := range p.Steps {
		step := &p.Steps[i]
		next := gas.Step{TokenIn: step.TokenIn(), TokenOut: step.TokenOut(), Funds: gas.FromExecutor, To: c.Executor}
		next.All = step.Share == plan.All
		if next.TokenIn == p.TokenIn {
			next.Funds = funds
		}
		if next.TokenOut == p.TokenOut {
			next.To = e.Receiver()
		}
		switch inputs[i] {
		case prepaid:
			next.Funds = gas.InPool
		case merged:
			next.NettedIn = true
		}
		if i+1 < len(inputs) {
			switch inputs[i+1] {
			case prepaid:
				next.To = callOf(&p.Steps[i+1]).Prepay
			case merged:
				next.NettedOut = true
			}
		}
		e.Begin(next)
		q, err := step.Pool.Quote(step.In, step.Out, step.AmountIn)
		if err != nil {
			continue // a step that the pool refuses reverts
		}
		if r, ok := step.Pool.(venue.GasEstimator); ok {
			r.EstimateGas(step.In, step.Out, step.AmountIn, e)
		} else {
			e.Add(int64(q.Gas))
		}
	}
	return e.Total()
}
