package kuru

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "kuru"

var (
	topicRegistered    = venue.Topic("MarketRegistered(address,address,address,address,uint32,uint96,uint32,uint96,uint96,uint256,uint256,uint96)")
	topicPlaced        = venue.Topic("OrderCreated(uint40,address,uint96,uint32,bool)")
	topicFlipPlaced    = venue.Topic("FlipOrderCreated(uint40,uint40,address,uint96,uint32,uint32,bool)")
	topicFlipped       = venue.Topic("FlippedOrderCreated(uint40,uint40,address,uint96,uint32,uint32,bool)")
	topicResized       = venue.Topic("FlipOrderUpdated(uint40,uint96)")
	topicCanceled      = venue.Topic("OrderCanceled(uint40,address,uint32,uint96,bool)")
	topicCanceledMany  = venue.Topic("OrdersCanceled(uint40[],address)")
	topicFlipsCanceled = venue.Topic("FlipOrdersCanceled(uint40[],address)")
	topicTraded        = venue.Topic("Trade(uint40,address,bool,uint256,uint96,address,address,uint96)")
	topicVault         = venue.Topic("VaultParamsUpdated(uint96,uint96,uint96,uint96,uint256,uint256)")
	topicState         = venue.Topic("MarketStateUpdated(uint8,uint8)")
)

// Family follows the markets of its sources.
type Family struct {
	sources       map[common.Address]*venue.Source // by router
	wrappedNative common.Address
}

// New follows those of the sources that are of this family. Markets of native
// currency are listed as markets of wrapped native.
func New(sources []venue.Source, wrappedNative common.Address) *Family {
	return &Family{sources: venue.ByFactory(sources, Name), wrappedNative: wrappedNative}
}

// paramMargin is the parameter of a source that names its margin account,
// which holds the tokens of all its markets.
const paramMargin = "margin"

// Margin are the parameters of a source with that margin account.
func Margin(account common.Address) venue.Params { return venue.Params{paramMargin: account} }

func marginOf(s *venue.Source) common.Address { return s.Params.Address(paramMargin) }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check wants a margin account.
func (f *Family) Check(p venue.Params) error {
	if p.Address(paramMargin) == (common.Address{}) {
		return fmt.Errorf("%s is missing: the account that holds the tokens of all markets", paramMargin)
	}
	return p.Check(Margin(common.Address{}))
}

func (f *Family) Topics() []common.Hash {
	return []common.Hash{
		topicRegistered, topicPlaced, topicFlipPlaced, topicFlipped, topicResized, topicCanceled,
		topicCanceledMany, topicFlipsCanceled, topicTraded, topicVault, topicState,
	}
}

// Events of a market. Any contract may emit logs like those of all but the
// first: then there is no pool to apply them to.
type (
	at         struct{ market common.Address }
	registered struct {
		at
		pool *Pool
	}
	placed struct {
		at
		side  int
		order order
	}
	resized struct {
		at
		id   uint64
		size u256.Int
	}
	canceled struct {
		at
		ids   []uint64
		pairs bool // and their partners
	}
	traded struct {
		at
		side int
		id   uint64
		size u256.Int // left
		part u256.Int // filled
	}
	vaulted struct {
		at
		vault vault
	}
	toggled struct {
		at
		paused bool
	}
)

func (e at) Pool() venue.ID { return venue.AddressID(e.market) }

func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	if len(log.Topics) != 1 {
		return nil, nil
	}
	w, from := venue.NewWords(log.Data), at{log.Address}
	switch topic, n := log.Topics[0], w.Len(); {
	case topic == topicRegistered:
		return f.registered(log, w)
	case topic == topicPlaced && n == 5:
		return placed{from, sideOf(!w.Flag(4)), order{id: w.Uint64(0), maker: w.Address(1), size: w.Number(2), price: uint32(w.Uint64(3))}}, nil
	case (topic == topicFlipPlaced || topic == topicFlipped) && n == 7:
		o := order{id: w.Uint64(0), partner: w.Uint64(1), maker: w.Address(2), size: w.Number(3), price: uint32(w.Uint64(4)), flip: uint32(w.Uint64(5))}
		return placed{from, sideOf(!w.Flag(6)), o}, nil
	case topic == topicResized && n == 2:
		return resized{from, w.Uint64(0), w.Number(1)}, nil
	case topic == topicCanceled && n == 5:
		return canceled{at: from, ids: []uint64{w.Uint64(0)}}, nil
	case (topic == topicCanceledMany || topic == topicFlipsCanceled) && n >= 3:
		return canceled{from, ids(w, 3), topic == topicFlipsCanceled}, nil
	case topic == topicTraded && n == 8:
		return traded{from, sideOf(w.Flag(2)), w.Uint64(0), w.Number(4), w.Number(7)}, nil
	case topic == topicVault && n == 6:
		var v vault
		v.size[asks], v.filled[asks] = w.Number(0), w.Number(1)
		v.size[bids], v.filled[bids] = w.Number(2), w.Number(3)
		v.price[asks], v.price[bids] = w.Number(4), w.Number(5)
		return vaulted{from, v}, nil
	case topic == topicState && n == 2:
		return toggled{from, w.Flag(1)}, nil
	}
	return nil, nil
}

// registered: a router opened a market.
func (f *Family) registered(log *types.Log, w *venue.Words) (venue.Event, error) {
	source := f.sources[log.Address]
	if source == nil {
		return nil, nil
	}
	if w.Len() != 12 {
		return nil, fmt.Errorf("kuru: MarketRegistered of %s: %d bytes of data", log.Address, len(log.Data))
	}
	t := &terms{
		market:        w.Address(2),
		margin:        marginOf(source),
		sizePrecision: w.Number(5),
		takerFeeBps:   w.Number(9),
		spread:        w.Number(11),
		toWad:         wad.Div(w.Number(4)),
		maxQuote:      max96.Div(w.Number(5)),
	}
	tokens := make([]common.Address, 2)
	for i := range tokens {
		tokens[i] = w.Address(i)
		if tokens[i] == (common.Address{}) {
			t.native[i], tokens[i] = true, f.wrappedNative
		}
	}
	if tokens[base] == tokens[quote] {
		return nil, nil // native against wrapped native: nothing to route
	}
	p := &Pool{terms: t, info: &venue.Info{ID: venue.AddressID(t.market), Source: source, Tokens: tokens}}
	p.vault.price[asks] = u256.Max
	return registered{at{t.market}, p}, nil
}

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	if e, ok := e.(registered); ok {
		if p != nil {
			return nil, fmt.Errorf("kuru: market %s registered twice", e.market)
		}
		return e.pool, nil
	}
	old, ok := p.(*Pool)
	if !ok {
		return nil, venue.ErrUnknownPool
	}
	next := old.next()
	if err := next.apply(e); err != nil {
		return nil, fmt.Errorf("kuru: market %s: %w", old.market, err)
	}
	return next, nil
}

// apply changes a copy that nobody else has seen yet.
func (p *Pool) apply(e venue.Event) error {
	switch e := e.(type) {
	case placed:
		p.place(e.side, e.order)
	case resized:
		if r, found := p.ref(e.id); !found || !p.resize(int(r.side), e.id, e.size) {
			return fmt.Errorf("update of unknown order %d", e.id)
		}
	case canceled:
		for _, id := range e.ids {
			p.cancel(id, e.pairs)
		}
	case traded:
		p.traded[e.side] = true
		switch {
		case e.id != 0:
			p.pay(e.side, e.id)
			if !p.resize(e.side, e.id, e.size) {
				return fmt.Errorf("trade of unknown order %d", e.id)
			}
		case e.size.IsZero():
			// Whether a market order that ends with a level of the vault resets what
			// was filled of it depends on the market's version; no log tells.
			p.vaultUnknown = p.vaultUnknown || !p.vault.filled[e.side].IsZero()
			p.vault.advance(e.side, p.spread)
		default:
			p.vault.fill(e.side, e.part)
		}
	case vaulted:
		p.vault, p.vaultUnknown = e.vault, false
	case toggled:
		p.paused = e.paused
	default:
		return fmt.Errorf("event %T", e)
	}
	return nil
}

// cancel removes an order, if it is still there: a market may log it twice, and
// for orders that were filled before.
func (p *Pool) cancel(id uint64, pair bool) {
	r, _ := p.ref(id)
	side := int(r.side)
	if i, found := p.find(side, id); found && pair && p.book[side].At(i).partner != 0 {
		p.resize(1-side, p.book[side].At(i).partner, u256.Zero)
	}
	p.resize(side, id, u256.Zero)
}

// sideOf is the side that a taker who buys base, or sells it, is matched with.
func sideOf(buys bool) int {
	if buys {
		return asks
	}
	return bids
}
