package hanji

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "hanji"

var (
	topicCreated  = venue.Topic("OnchainCLOBCreated(address,address,address,address,bool,uint256,uint256,address,address,address,bool,uint64,uint64,uint64,uint64)")
	topicPlaced   = venue.Topic("OrderPlaced(address,address,uint64,bool,uint128,uint72,uint128,uint128,uint128,uint128,uint128,bool,bool)")
	topicClaimed  = venue.Topic("OrderClaimed(uint64,uint128,uint128,uint128,uint128,bool)")
	topicPaused   = venue.Topic("Paused(address)")
	topicUnpaused = venue.Topic("Unpaused(address)")
	topicFilter   = venue.Topic("TraderFilterEnabledUpdated(bool)")
)

// Family follows the markets of its sources.
type Family struct {
	sources       map[common.Address]*venue.Source // by factory
	wrappedNative common.Address
}

// New follows those of the sources that are of this family.
func New(sources []venue.Source, wrappedNative common.Address) *Family {
	return &Family{sources: venue.ByFactory(sources, Name), wrappedNative: wrappedNative}
}

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check refuses any parameter: the family has none.
func (f *Family) Check(p venue.Params) error { return p.Check(nil) }

func (f *Family) Topics() []common.Hash {
	return []common.Hash{topicCreated, topicPlaced, topicClaimed, topicPaused, topicUnpaused, topicFilter}
}

// Events of a market. Any contract may emit logs like those of all but the
// first: then there is no pool to apply them to.
type (
	at      struct{ market common.Address }
	created struct {
		at
		pool *Pool
	}
	// placed: an order filled the best orders of the other side, and what was
	// left of it was placed on its own side. Units are those of the market.
	placed struct {
		at
		side          int // of the book that the order joins
		price, placed u256.Int
		shares, value u256.Int // filled
	}
	// claimed: what was left of an order was removed from the book.
	claimed struct {
		at
		side          int
		price, shares u256.Int
	}
	stopped struct {
		at
		why stops
		yes bool
	}
)

func (e at) Pool() venue.ID { return venue.AddressID(e.market) }

func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	if len(log.Topics) == 0 {
		return nil, nil
	}
	w := venue.NewWords(log.Data)
	from, indexed := at{log.Address}, len(log.Topics)-1
	switch topic, n := log.Topics[0], len(log.Data); {
	case topic == topicCreated:
		return f.created(log)
	case topic == topicPlaced && indexed == 3 && n == 320:
		e := placed{at: from, side: x, price: w.Number(2), placed: w.Number(3), shares: w.Number(5), value: w.Number(6)}
		if log.Topics[3] != (common.Hash{}) {
			e.side = y
		}
		return e, nil
	case topic == topicClaimed && indexed == 0 && n == 192:
		return claim(from, w.Uint64(0), w.Number(2), w.Number(3)), nil
	case topic == topicPaused && indexed == 0 && n == 32:
		return stopped{from, paused, true}, nil
	case topic == topicUnpaused && indexed == 0 && n == 32:
		return stopped{from, paused, false}, nil
	case topic == topicFilter && indexed == 0 && n == 32:
		return stopped{from, filtered, w.Flag(0)}, nil
	}
	return nil, nil
}

// created: a factory opened a market.
func (f *Family) created(log *types.Log) (venue.Event, error) {
	source := f.sources[log.Address]
	if source == nil {
		return nil, nil
	}
	if len(log.Topics) != 2 || len(log.Data) != 14*32 {
		return nil, fmt.Errorf("hanji: OnchainCLOBCreated of %s: %d topics, %d bytes of data", log.Address, len(log.Topics), len(log.Data))
	}
	w := venue.NewWords(log.Data)
	tokens := []common.Address{w.Address(1), w.Address(2)}
	t := &terms{market: w.Address(0), unit: [2]u256.Int{w.Number(4), w.Number(5)}, rate: w.Number(11).Add(w.Number(13))}
	for i := range tokens {
		t.native[i] = w.Flag(3) && tokens[i] == f.wrappedNative
		if t.unit[i].IsZero() || t.unit[i].BitLen() > 128 {
			return nil, fmt.Errorf("hanji: market %s counts in units of %v", t.market, t.unit[i])
		}
	}
	info := &venue.Info{ID: venue.AddressID(t.market), Source: source, Tokens: tokens}
	return created{at{t.market}, &Pool{terms: t, info: info}}, nil
}

// claim reads an order's side and price from its id: a bid ends in 0, an ask in
// 1 with its price inverted. What the order gets back of its own input was
// removed from the book.
func claim(from at, id uint64, gotX, gotY u256.Int) venue.Event {
	packed := uint32(id>>40) & 0xffffff
	if id&1 == 1 {
		return claimed{from, y, unpack(^packed & 0xffffff), gotX}
	}
	price := unpack(packed)
	return claimed{from, x, price, gotY.Div(price)}
}

// unpack reads a decimal float of 24 bits, with the exponent in the upper four.
func unpack(packed uint32) u256.Int {
	n := u256.From(uint64(packed & 0xfffff))
	for range packed >> 20 {
		n = n.Mul(u256.From(10))
	}
	return n
}

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	if e, ok := e.(created); ok {
		if p != nil {
			return nil, fmt.Errorf("hanji: market %s created twice", e.market)
		}
		return e.pool, nil
	}
	old, ok := p.(*Pool)
	if !ok {
		return nil, venue.ErrUnknownPool
	}
	next := *old
	consistent := true
	switch e := e.(type) {
	case placed:
		consistent = next.place(e)
	case claimed:
		if !e.shares.IsZero() {
			next.book[e.side], consistent = old.book[e.side].less(e.price, e.shares, e.side == y)
		}
	case stopped:
		next.stops &^= e.why
		if e.yes {
			next.stops |= e.why
		}
	default:
		return nil, fmt.Errorf("hanji: event %T", e)
	}
	if !consistent {
		next.stops |= inconsistent
	}
	return &next, nil
}

// place fills and places an order. It is false if what the log says was filled is
// not what the book gives.
func (p *Pool) place(e placed) bool {
	if !e.shares.IsZero() {
		rest, value, ok := p.book[1-e.side].take(e.shares)
		if !ok || value != e.value {
			return false
		}
		p.book[1-e.side] = rest
	}
	if !e.placed.IsZero() {
		p.book[e.side] = p.book[e.side].with(e.price, e.placed, e.side == y)
	}
	return true
}
