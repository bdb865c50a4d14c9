package balancer

import (
	"errors"
	"fmt"

	"braid/u256"
	"braid/venue"
)

// Wants asks for what no log tells: decimals, weights, the amplification and
// the first protocol fee; and with them for all the rest, so that what is
// loaded is of one block. An amplification that moves is asked for again.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.barred != "" || q.form != nil && !q.ramping {
		return nil
	}
	reads := []venue.Read{
		{To: q.vault, Data: venue.Calldata("getPoolTokenRates(address)", q.address[:])},
		{To: q.vault, Data: venue.Calldata("getPoolTokenInfo(address)", q.address[:])},
		{To: q.vault, Data: venue.Calldata("getPoolConfig(address)", q.address[:])},
	}
	if q.curve == stable {
		return append(reads, venue.Read{To: q.address, Data: venue.Calldata("getAmplificationParameter()")})
	}
	return append(reads,
		venue.Read{To: q.address, Data: venue.Calldata("getNormalizedWeights()")},
		venue.Read{To: q.address, Data: venue.Calldata("getMinTokenBalances()")})
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || len(answers) != len(f.Wants(p)) {
		return nil, errors.New("balancer: answers to what was not asked")
	}
	next := *q
	if err := next.load(answers); err != nil {
		return nil, fmt.Errorf("balancer: load %s: %w", q.address, err)
	}
	return &next, nil
}

func (p *Pool) load(answers [][]byte) error {
	n := len(p.info.Tokens)
	rates, info, config := words{data: answers[0]}, words{data: answers[1]}, words{data: answers[2]}
	f := &form{n: n, gas: gasWeighted + gasToken*uint64(n), scale: rates.numbers(0, n), rate: rates.numbers(1, n)}
	for i := range n {
		if f.rate[i] != one {
			f.gas += gasRate
		}
		f.rateUp[i] = f.rate[i]
		if !f.rate[i].Mod(one).IsZero() {
			f.rateUp[i] = f.rate[i].Add(u256.One)
		}
	}
	p.raw = info.numbers(2, n)
	p.fee, p.aggregate = config.number(4), config.number(5)
	p.paused, p.recovery = config.flag(11), config.flag(12)

	own := words{data: answers[3]}
	if p.curve == stable {
		f.gas += gasStable - gasWeighted
		p.amp, p.ramping = own.number(0), own.flag(1)
	} else {
		least := words{data: answers[4]}
		f.weight, f.least = own.numbers(0, n), least.numbers(0, n)
		own.short = own.short || least.short
	}
	if rates.short || info.short || config.short || own.short {
		return errors.New("an answer is too short")
	}
	p.form = f
	p.derive()
	return nil
}
