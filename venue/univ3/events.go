package univ3

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "univ3"

// Collect and Flash are not decoded: they change neither price nor liquidity.
// The protocol's share and the oracle's size matter for the gas of a swap alone.
var (
	topicCreated     = venue.Topic("PoolCreated(address,address,uint24,int24,address)")
	topicInitialize  = venue.Topic("Initialize(uint160,int24)")
	topicMint        = venue.Topic("Mint(address,address,int24,int24,uint128,uint256,uint256)")
	topicBurn        = venue.Topic("Burn(address,int24,int24,uint128,uint256,uint256)")
	topicSwap        = venue.Topic("Swap(address,address,int256,int256,uint160,uint128,int24)")
	topicFeeProtocol = venue.Topic("SetFeeProtocol(uint8,uint8,uint8,uint8)")
	topicCardinality = venue.Topic("IncreaseObservationCardinalityNext(uint16,uint16)")
	topicSwapPancake = venue.Topic("Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)")
)

// Family follows the pools of its sources.
type Family struct {
	sources map[common.Address]*venue.Source // by factory
	rows    []*venue.Source                  // in the order of the deployments
}

// New follows those of the sources that are of this family.
func New(sources []venue.Source) *Family {
	f := &Family{sources: map[common.Address]*venue.Source{}}
	for i := range sources {
		if sources[i].Family == Name {
			f.sources[sources[i].Factory] = &sources[i]
			f.rows = append(f.rows, &sources[i])
		}
	}
	return f
}

// Parameters of a source, for what is not plain Uniswap V3: the name of the
// function by which its pools call back; the contract that creates them for the
// factory, which only PancakeSwap's code has; and whether PoolCreated indexes the
// tick spacing, with the fee in the data, where Uniswap's indexes the fee. Both
// layouts have the same topic, number of topics and length of data.
const (
	paramCallback       = "callback"
	paramDeployer       = "deployer"
	paramIndexedSpacing = "indexedSpacing"
)

// Callback are the parameters of a source whose pools call back by that name.
func Callback(name string) venue.Params { return venue.Params{paramCallback: name} }

// Deployer are the parameters of a source with PancakeSwap's code.
func Deployer(at common.Address) venue.Params { return venue.Params{paramDeployer: at} }

func deployerOf(s *venue.Source) common.Address { return s.Params.Address(paramDeployer) }

func isPancake(s *venue.Source) bool { return deployerOf(s) != (common.Address{}) }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check wants nothing: a source without parameters is plain Uniswap V3.
func (f *Family) Check(p venue.Params) error {
	return p.Check(venue.Params{paramCallback: "", paramDeployer: common.Address{}, paramIndexedSpacing: false})
}

// created: a factory made a pool.
type created struct {
	source  *venue.Source
	pool    common.Address
	tokens  [2]common.Address
	fee     uint64
	spacing int32
}

// moved: a pool has another price, by its first price or by a swap. A swap also
// says what liquidity is active there.
type moved struct {
	pool      common.Address
	at        ticks.Point
	liquidity u256.Int
	in        u256.Int // input of the swap, raw units
	first     bool     // it is the first price
}

// oracleGrown: the oracle keeps more observations. protocolFee: the protocol
// takes a share of the fees, or none.
type (
	oracleGrown struct{ pool common.Address }
	protocolFee struct {
		pool  common.Address
		share bool
	}
)

// changed: liquidity was added to a position or removed from it.
type changed struct {
	pool         common.Address
	lower, upper int32
	delta        u256.Int // two's complement
}

func (e created) Pool() venue.ID     { return venue.AddressID(e.pool) }
func (e moved) Pool() venue.ID       { return venue.AddressID(e.pool) }
func (e changed) Pool() venue.ID     { return venue.AddressID(e.pool) }
func (e oracleGrown) Pool() venue.ID { return venue.AddressID(e.pool) }
func (e protocolFee) Pool() venue.ID { return venue.AddressID(e.pool) }

func (f *Family) Topics() []common.Hash {
	return []common.Hash{topicCreated, topicInitialize, topicMint, topicBurn, topicSwap, topicSwapPancake, topicFeeProtocol, topicCardinality}
}

// Decode takes any unreadable log of a factory for an error. Logs like those of a
// pool may come from any contract: those of another shape are ignored.
func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	if len(log.Topics) == 0 {
		return nil, nil
	}
	w := venue.NewWords(log.Data)
	shape := func(topics, words int) bool { return len(log.Topics) == topics && len(log.Data) == 32*words }
	switch log.Topics[0] {
	case topicCreated:
		return f.created(log)
	case topicInitialize:
		if shape(1, 2) {
			return moved{pool: log.Address, at: ticks.Point{Price: w.Number(0), Tick: w.Int32(1)}, first: true}, nil
		}
	case topicMint:
		if shape(4, 4) {
			return changed{log.Address, indexed(log, 2), indexed(log, 3), w.Number(1)}, nil
		}
	case topicBurn:
		if shape(4, 3) {
			return changed{log.Address, indexed(log, 2), indexed(log, 3), u256.Zero.Sub(w.Number(0))}, nil
		}
	case topicSwap, topicSwapPancake:
		if shape(3, 5) || shape(3, 7) {
			at := ticks.Point{Price: w.Number(2), Tick: w.Int32(4)}
			return moved{pool: log.Address, at: at, liquidity: w.Number(3), in: positive(w.Number(0), w.Number(1))}, nil
		}
	case topicFeeProtocol:
		if shape(1, 4) {
			return protocolFee{log.Address, !w.Number(2).IsZero() || !w.Number(3).IsZero()}, nil
		}
	case topicCardinality:
		if shape(1, 2) {
			return oracleGrown{log.Address}, nil
		}
	}
	return nil, nil
}

func (f *Family) created(log *types.Log) (venue.Event, error) {
	source := f.sources[log.Address]
	if source == nil {
		return nil, nil
	}
	if len(log.Topics) != 4 || len(log.Data) != 64 {
		return nil, fmt.Errorf("univ3: PoolCreated of %s: %d topics, %d bytes of data", log.Address, len(log.Topics), len(log.Data))
	}
	w := venue.NewWords(log.Data)
	e := created{
		source:  source,
		pool:    w.Address(1),
		tokens:  [2]common.Address{common.BytesToAddress(log.Topics[1][:]), common.BytesToAddress(log.Topics[2][:])},
		fee:     u256.FromBytes(log.Topics[3][:]).Uint64(),
		spacing: w.Int32(0),
	}
	if source.Params.Flag(paramIndexedSpacing) {
		e.fee, e.spacing = w.Number(0).Uint64(), indexed(log, 3)
	}
	if !plausible(e.fee, e.spacing) {
		return nil, fmt.Errorf("univ3: PoolCreated of %s: fee %d with tick spacing %d: is %q of source %s right?", log.Address, e.fee, e.spacing, paramIndexedSpacing, source.ID)
	}
	return e, nil
}

// maxSpacing is the largest tick spacing that the factory of Uniswap V3 allows.
const maxSpacing = 16383

// plausible tells whether a fee in pips and a tick spacing belong together. In every
// known tier the fee is at least the spacing (Uniswap: 100 and 1, 500 and 10, 3000
// and 60, 10000 and 200; Slipstream up to 10000 and 2000): a pool whose log is read
// in the wrong layout has them the other way round.
func plausible(fee uint64, spacing int32) bool {
	return spacing > 0 && spacing <= maxSpacing && fee >= uint64(spacing) && fee < 1_000_000
}

// contradiction is the Idle of a pool whose logs do not fit each other: a fork
// may emit the same events and compute differently.
const contradiction = "its swaps, mints and burns contradict each other"

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	if e, ok := e.(created); ok {
		if p != nil {
			return nil, fmt.Errorf("univ3: pool %s created twice", e.pool)
		}
		return newPool(e), nil
	}
	old, ok := p.(*Pool)
	if !ok {
		return nil, venue.ErrUnknownPool
	}
	switch e := e.(type) {
	case moved:
		next := *old
		next.at = e.at
		if !e.first {
			next.history.growth = old.history.growth.After(old.book, old.fee, old.at, e.at)
			next.history.protocolFees = old.history.protocolFees || old.earnsProtocol(e.in)
		}
		if !e.at.Valid() || !e.first && old.book.Liquidity(e.at.Tick) != e.liquidity {
			next.idle = contradiction
		}
		return &next, nil
	case changed:
		book, growth, err := old.history.growth.With(old.book, e.lower, e.upper, e.delta)
		if err != nil {
			next := *old
			next.idle = contradiction
			return &next, nil
		}
		if book == old.book { // a burn of no liquidity
			return old, nil
		}
		next := old.with(book)
		next.history.growth = growth
		return next, nil
	case protocolFee:
		next := *old
		next.history.noProtocolFee = !e.share
		return &next, nil
	case oracleGrown:
		next := *old
		next.history.singleObservation = false
		return &next, nil
	}
	return nil, fmt.Errorf("univ3: event %T", e)
}

// indexed is topic i as a tick.
func indexed(log *types.Log, i int) int32 { return venue.NewWords(log.Topics[i][:]).Int32(0) }

// positive is the one of two amounts that is above zero: what came in.
func positive(a, b u256.Int) u256.Int {
	if a.BitLen() == 256 {
		return b
	}
	return a
}
