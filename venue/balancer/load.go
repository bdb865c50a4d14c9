package balancer

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// CreationTopic is the topic of PoolRegistered.
func (f *Family) CreationTopic() common.Hash { return topicRegistered }

// Unloaded leaves a pool that is never routed as it is.
func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	if q.unsupported != "" {
		return q
	}
	return &Pool{info: q.info, vault: q.vault, address: q.address, curve: q.curve}
}

// Wants reads what no log contains: decimals, weights, the amplification and the
// first protocol fee; and with them all the rest, so that what is loaded is of
// one block. An amplification that moves is read again after each log.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.unsupported != "" || q.form != nil && (!q.ampMoving || q.ampRead) {
		return nil
	}
	reads := []venue.Read{
		{To: q.vault, Data: venue.Calldata("getPoolTokenRates(address)", q.address[:])},
		{To: q.vault, Data: venue.Calldata("getPoolTokenInfo(address)", q.address[:])},
		{To: q.vault, Data: venue.Calldata("getPoolConfig(address)", q.address[:])},
		{To: q.vault, Data: venue.Calldata("isVaultPaused()")},
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
	next.ampRead = true
	if err := next.load(answers); err != nil {
		return nil, fmt.Errorf("balancer: load %s: %w", q.address, err)
	}
	return &next, nil
}

func (p *Pool) load(answers [][]byte) error {
	n := len(p.info.Tokens)
	rates, info, config, halted := venue.NewWords(answers[0]), venue.NewWords(answers[1]), venue.NewWords(answers[2]), venue.NewWords(answers[3])
	f := &form{n: n, scale: numbers(rates, 0, n), rate: numbers(rates, 1, n)}
	p.raw = numbers(info, 2, n)
	p.fee, p.aggregate = config.Number(4), config.Number(5)
	p.paused, p.recovery, p.vaultPaused = config.Flag(11), config.Flag(12), halted.Flag(0)

	own, short := venue.NewWords(answers[4]), false
	if p.curve == stable {
		p.amp, p.ampMoving = own.Number(0), own.Flag(1)
	} else {
		least := venue.NewWords(answers[5])
		f.weight, f.least = numbers(own, 0, n), numbers(least, 0, n)
		short = least.Short()
	}
	if short || rates.Short() || info.Short() || config.Short() || halted.Short() || own.Short() {
		return errors.New("an answer is too short")
	}
	p.setForm(f)
	return nil
}

// numbers is an array with a number for each token of a pool.
func numbers(w *venue.Words, i, n int) (list [maxTokens]u256.Int) {
	copy(list[:], w.Numbers(i, n))
	return list
}

// setForm gives a new pool, which nobody else has seen yet, its form.
func (p *Pool) setForm(f *form) {
	f.gas = gasWeighted + gasToken*uint64(f.n)
	if p.curve == stable {
		f.gas += gasStable - gasWeighted
	}
	for i := range f.n {
		if f.rate[i] != one {
			f.gas += gasRate
		}
		f.rateUp[i] = f.rate[i]
		if !f.rate[i].Mod(one).IsZero() {
			f.rateUp[i] = f.rate[i].Add(u256.One)
		}
	}
	p.form = f
	p.derive()
}

// fields leaves out the state of a pool that is never routed.
func (p *Pool) fields(c *venue.Codec, f *form) {
	c.Info(&p.info)
	c.Fixed(p.vault[:])
	c.Fixed(p.address[:])
	venue.Number(c, &p.curve)
	c.Text(&p.unsupported)
	if p.unsupported != "" {
		return
	}
	c.Bool(&p.paused)
	c.Bool(&p.vaultPaused)
	c.Bool(&p.recovery)
	c.Bool(&p.ampMoving)
	c.Int(&p.fee)
	c.Int(&p.aggregate)
	c.Int(&p.amp)
	venue.Number(c, &f.n)
	for i := range min(f.n, maxTokens) {
		for _, n := range []*u256.Int{&p.raw[i], &f.scale[i], &f.rate[i], &f.weight[i], &f.least[i]} {
			c.Int(n)
		}
	}
}

func (f *Family) Save(p venue.Pool) []byte {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	have := q.form
	if have == nil {
		have = &form{}
	}
	return venue.Encode(func(c *venue.Codec) { q.fields(c, have) })
}

func (f *Family) Restore(data []byte) (venue.Pool, error) {
	var p Pool
	var had form
	err := venue.Decode(data, f.sources, func(c *venue.Codec) { p.fields(c, &had) })
	if err == nil && had.n != 0 && had.n != len(p.info.Tokens) {
		err = fmt.Errorf("terms of %d tokens", had.n)
	}
	if err != nil {
		return nil, fmt.Errorf("balancer: %w", err)
	}
	if had.n > 0 {
		p.setForm(&had)
	}
	return &p, nil
}
