package indexer

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// draft is a market being written: one that stands, and the pools that logs
// have changed or added since.
type draft struct {
	base  *market.Snapshot
	pools map[venue.ID]venue.Pool
	order []venue.ID // of first change, so that equal chains give equal markets

	loaders map[venue.ID]venue.Loader // of the pools whose logs do not tell all
	tell    func(done, of int)        // unless nil, hears how many pools have been loaded
	quiet   bool                      // what goes wrong is no news
}

func newDraft(base *market.Snapshot) *draft {
	return &draft{base: base, pools: map[venue.ID]venue.Pool{}, loaders: map[venue.ID]venue.Loader{}}
}

// pool is nil when there is none.
func (d *draft) pool(id venue.ID) venue.Pool {
	if p := d.pools[id]; p != nil {
		return p
	}
	p, _ := d.base.Pool(id)
	return p
}

// of are the pools of a source.
func (d *draft) of(source *venue.Source) (ids []venue.ID) {
	for _, p := range d.base.Pools() {
		if info := p.Info(); info.Source == source {
			ids = append(ids, info.ID)
		}
	}
	for _, id := range d.order {
		if _, old := d.base.Pool(id); !old && d.pools[id].Info().Source == source {
			ids = append(ids, id)
		}
	}
	return ids
}

func (d *draft) put(p venue.Pool) {
	id := p.Info().ID
	if d.pools[id] == nil {
		d.order = append(d.order, id)
	}
	d.pools[id] = p
}

// read lets the families read a log. Events of pools nobody knows are passed
// over. A pool whose log cannot be read or applied is in a state we do not
// know: it becomes unusable, and all others go on.
func (x *Indexer) read(d *draft, log *types.Log) {
	if len(log.Topics) == 0 {
		return
	}
	for _, f := range x.families[log.Topics[0]] {
		e, err := f.Decode(log)
		if e == nil && err == nil {
			continue
		}
		if wide, ok := e.(venue.Wide); ok && err == nil {
			for _, id := range d.of(wide.Source()) {
				x.apply(d, f, id, e, log)
			}
			return
		}
		id := venue.AddressID(log.Address)
		if err != nil {
			x.spoil(d, id, fmt.Errorf("block %d: %w", log.BlockNumber, err))
			return
		}
		if x.apply(d, f, e.Pool(), e, log) {
			return
		}
	}
}

// apply is false if the pool is not the family's.
func (x *Indexer) apply(d *draft, f venue.Family, id venue.ID, e venue.Event, log *types.Log) bool {
	p, err := f.Apply(d.pool(id), e)
	switch {
	case errors.Is(err, venue.ErrUnknownPool):
		return false
	case err != nil:
		x.spoil(d, id, fmt.Errorf("block %d: %w", log.BlockNumber, err))
		return true
	}
	d.put(p)
	if l, ok := f.(venue.Loader); ok {
		d.loaders[id] = l
	}
	return true
}

// spoil makes a pool unusable, and says so once.
func (x *Indexer) spoil(d *draft, id venue.ID, err error) {
	p := d.pool(id)
	if p == nil {
		x.log.Warn("log cannot be read", "err", err)
		return
	}
	if _, already := p.(unusable); !already {
		if !d.quiet {
			x.log.Warn("pool is unusable", "pool", id, "err", err)
		}
		d.put(unusable{p.Info(), "its state is not known", p})
	}
}

// finish is the market after b with all that the draft holds, what its pools
// want to know, and the tokens its new pools need, as they stood at a block. A
// pool of a token without decimals is left out.
func (x *Indexer) finish(ctx context.Context, d *draft, b market.Block, at common.Hash) (*market.Snapshot, error) {
	x.reload = append(x.reload, x.auditor.take()...)
	anew := x.reload
	for _, id := range anew {
		if p := d.pool(id); p != nil {
			x.blank(d, p)
		}
	}
	if err := x.load(ctx, d, b, d.tell); err != nil {
		return nil, err
	}
	known := map[common.Address]bool{}
	var strange []common.Address
	for _, id := range d.order {
		for _, a := range d.pools[id].Info().Tokens {
			if _, ok := d.base.Token(a); !ok && !known[a] {
				known[a] = true
				strange = append(strange, a)
			}
		}
	}
	tokens, err := x.tokens(ctx, at, strange)
	if err != nil {
		return nil, fmt.Errorf("block %d: tokens: %w", b.Number, err)
	}
	clear(known)
	for _, t := range tokens {
		known[t.Address] = true
	}
	pools := make([]venue.Pool, 0, len(d.order))
	var out []venue.ID
next:
	for _, id := range d.order {
		for _, a := range d.pools[id].Info().Tokens {
			if _, ok := d.base.Token(a); !ok && !known[a] {
				out = append(out, id)
				continue next
			}
		}
		pools = append(pools, d.pools[id])
	}
	if len(out) > 0 { // anyone can make thousands: one line tells of all
		x.log.Warn("pools are left out: a token has no decimals", "block", b.Number, "pools", len(out), "first", out[0])
	}
	s, err := d.base.Next(b, pools, tokens)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	x.reload = x.reload[len(anew):]
	return s, nil
}

// unusable holds the place of a pool that must not be used. No family takes it
// for its own, so its events are passed over.
type unusable struct {
	info *venue.Info
	why  string
	was  venue.Pool // before, to be read anew; nil if it is known
}

func (p unusable) Info() *venue.Info { return p.info }
func (p unusable) Idle() string      { return p.why }
func (p unusable) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	return venue.Quote{}, venue.ErrEmpty
}
func (p unusable) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	return nil, venue.ErrEmpty
}
func (p unusable) Spot(in, out int) float64    { return 0 }
func (p unusable) Depth(token int) float64     { return 0 }
func (p unusable) Call(in, out int) venue.Call { return venue.Call{} }
