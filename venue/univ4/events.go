package univ4

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "univ4"

// Donate is not decoded: it changes neither price nor liquidity.
var (
	topicInitialize  = venue.Topic("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)")
	topicModify      = venue.Topic("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)")
	topicSwap        = venue.Topic("Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)")
	topicProtocolFee = venue.Topic("ProtocolFeeUpdated(bytes32,uint24)")
)

// shape is how many topics and words of data a log of the manager has.
var shape = map[common.Hash][2]int{
	topicInitialize:  {4, 5},
	topicModify:      {3, 4},
	topicSwap:        {3, 6},
	topicProtocolFee: {2, 1},
}

// Family follows the pools of its managers.
type Family struct {
	sources       map[common.Address]*venue.Source // by manager
	wrappedNative common.Address
}

// New follows those of the sources that are of this family. Where a pool has
// native, the route has wrapped native.
func New(sources []venue.Source, wrappedNative common.Address) *Family {
	return &Family{sources: venue.ByFactory(sources, Name), wrappedNative: wrappedNative}
}

// created: a pool was given its first price.
type created struct {
	id     common.Hash
	source *venue.Source
	tokens [2]common.Address
	key    key
	at     ticks.Point
}

// swapped: a swap moved the price to where that liquidity is active.
type swapped struct {
	id        common.Hash
	at        ticks.Point
	liquidity u256.Int
}

// changed: liquidity was added to a position or removed from it.
type changed struct {
	id           common.Hash
	lower, upper int32
	delta        u256.Int // two's complement
}

// protocolFee: the protocol takes another share of the input.
type protocolFee struct {
	id  common.Hash
	fee uint32
}

func (e created) Pool() venue.ID     { return venue.ID(e.id.Hex()) }
func (e swapped) Pool() venue.ID     { return venue.ID(e.id.Hex()) }
func (e changed) Pool() venue.ID     { return venue.ID(e.id.Hex()) }
func (e protocolFee) Pool() venue.ID { return venue.ID(e.id.Hex()) }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check refuses any parameter: the family has none.
func (f *Family) Check(p venue.Params) error { return p.Check(nil) }

func (f *Family) Topics() []common.Hash {
	return []common.Hash{topicInitialize, topicModify, topicSwap, topicProtocolFee}
}

func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	if len(log.Topics) == 0 {
		return nil, nil
	}
	source, want := f.sources[log.Address], shape[log.Topics[0]]
	if source == nil || want[0] == 0 {
		return nil, nil
	}
	if len(log.Topics) != want[0] || len(log.Data) != 32*want[1] {
		return nil, fmt.Errorf("univ4: log %#x: %d topics, %d bytes of data", log.Topics[0][:4], len(log.Topics), len(log.Data))
	}
	id, w := log.Topics[1], venue.NewWords(log.Data)
	switch log.Topics[0] {
	case topicInitialize:
		return f.created(source, log)
	case topicModify:
		return changed{id, w.Int32(0), w.Int32(1), w.Number(2)}, nil
	case topicSwap:
		return swapped{id, ticks.Point{Price: w.Number(2), Tick: w.Int32(4)}, w.Number(3)}, nil
	}
	return protocolFee{id, uint32(w.Uint64(0))}, nil
}

// created ignores a pool of native and wrapped native: to a route they are one
// token.
func (f *Family) created(source *venue.Source, log *types.Log) (venue.Event, error) {
	w := venue.NewWords(log.Data)
	e := created{
		id:     log.Topics[1],
		source: source,
		tokens: [2]common.Address{common.BytesToAddress(log.Topics[2][:]), common.BytesToAddress(log.Topics[3][:])},
		key: key{
			fee:     uint32(w.Uint64(0)),
			spacing: w.Int32(1),
			hooks:   w.Address(2),
		},
		at: ticks.Point{Price: w.Number(3), Tick: w.Int32(4)},
	}
	if e.key.spacing <= 0 {
		return nil, fmt.Errorf("univ4: Initialize of %s: tick spacing %d", e.id, e.key.spacing)
	}
	if e.tokens[0] == (common.Address{}) {
		e.key.native = true
		e.tokens[0] = f.wrappedNative
	}
	if e.tokens[0] == e.tokens[1] {
		return nil, nil
	}
	return e, nil
}

// contradiction is the Idle of a pool whose logs do not fit each other.
const contradiction = "its swaps and its liquidity contradict each other"

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	if e, ok := e.(created); ok {
		if p != nil {
			return nil, fmt.Errorf("univ4: pool %s created twice", e.id)
		}
		return newPool(e), nil
	}
	old, ok := p.(*Pool)
	if !ok {
		return nil, venue.ErrUnknownPool
	}
	if old.idle != "" {
		return old, nil // for good
	}
	next := *old
	switch e := e.(type) {
	case swapped:
		next.at = e.at
		next.growth = old.growth.After(old.book, uint64(old.key.fee), old.at, e.at)
		if !e.at.Valid() || old.book.Liquidity(e.at.Tick) != e.liquidity {
			next.idle = contradiction
		}
		return &next, nil
	case changed:
		book, growth, err := old.growth.With(old.book, e.lower, e.upper, e.delta)
		if err != nil {
			next.idle = contradiction
			return &next, nil
		}
		if book == old.book {
			return old, nil
		}
		next.book, next.growth = book, growth
		return next.withCurves(), nil
	case protocolFee:
		next.protocol = e.fee
		return next.withCurves(), nil
	}
	return nil, fmt.Errorf("univ4: event %T", e)
}
