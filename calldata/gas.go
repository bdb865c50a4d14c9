package calldata

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/plan"
	"braid/venue"
)

// What is added to estimates, so that limits cover every swap that was measured (make
// gas). An estimate after trades of others is the dearest case already, so it needs
// less. Monad bills the limit: to allow for trades that make a swap much dearer would
// cost more, each time, than the rare swap that fails for want of it.
const (
	marginPercent      = 3  // to the estimate on the quoted state
	movedMarginPercent = 1  // to that after trades of others
	maxMovedPercent    = 18 // the most by which a limit exceeds the first because of the second
)

// gasLimit is the gas limit of the plan's transaction, however its sender funds
// it.
func (c Contracts) gasLimit(p *plan.Plan, inputs []input, data []byte, t Terms) uint64 {
	limit := c.limit(p, inputs, data, t, gas.FromSender)
	if p.TokenIn == c.WrappedNative {
		limit = max(limit, c.limit(p, inputs, data, t, gas.FromRouter))
	}
	return uint64(max(limit, gas.Floor(data)))
}

// limit is the gas limit with the input where funds says.
func (c Contracts) limit(p *plan.Plan, inputs []input, data []byte, t Terms, funds gas.Funds) int64 {
	percent := func(need, more int64) int64 { return (need + gas.Intrinsic(data)) * (100 + more) / 100 }
	moved, allows := c.estimate(p, inputs, t, funds, false)
	if !allows {
		return percent(moved, marginPercent)
	}
	quoted, _ := c.estimate(p, inputs, t, funds, true)
	return max(percent(quoted, marginPercent), min(percent(moved, movedMarginPercent), percent(quoted, maxMovedPercent)))
}

// sender stands for whoever sends the transaction.
var sender = common.Address{0: 0x5e, 19: 0x5e}

// estimate is the gas of the plan beside the intrinsic gas, with the input where
// funds says: as quoted, or after trades of others, if it allows for those.
func (c Contracts) estimate(p *plan.Plan, inputs []input, t Terms, funds gas.Funds, quoted bool) (total int64, allows bool) {
	schedule := c.Schedule
	if schedule == nil {
		schedule = gas.Ethereum
	}
	accounts := gas.Accounts{Sender: sender, Router: c.Router, Executor: c.Executor, Recipient: t.Recipient, WrappedNative: c.WrappedNative, Proxies: c.Proxies}
	e := gas.NewEstimate(schedule, accounts, funds, p.TokenOut, t.NativeOut)
	e.Quoted = quoted
	if f := t.Fee.in(); f != nil {
		e.PayFee(f.Recipient, p.TokenIn, funds)
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		next := gas.Step{TokenIn: step.TokenIn(), TokenOut: step.TokenOut(), Funds: gas.FromExecutor, To: c.Executor}
		next.All = step.Share == plan.All
		if next.TokenIn == p.TokenIn {
			next.Funds = funds
		}
		if next.TokenOut == p.TokenOut && t.Fee.out() == nil {
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
	if f := t.Fee.out(); f != nil {
		e.DeliverLessFee(f.Recipient, p.TokenOut)
	}
	return e.Total(), e.Allows()
}
