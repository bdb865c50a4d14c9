package univ2

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "univ2"

var (
	topicCreated = venue.Topic("PairCreated(address,address,address,uint256)")
	topicSync    = venue.Topic("Sync(uint112,uint112)")
)

// Family follows the pairs of its sources.
type Family struct {
	sources map[common.Address]*venue.Source // by factory
}

// New follows those of the sources that are of this family.
func New(sources []venue.Source) *Family {
	return &Family{sources: venue.ByFactory(sources, Name)}
}

// created: a factory made a pair.
type created struct {
	source *venue.Source
	pair   common.Address
	tokens [2]common.Address
}

// synced: a pair stored new reserves. Every change of a pair ends in one.
type synced struct {
	pair    common.Address
	reserve [2]u256.Int
	time    uint64 // Unix seconds; 0 if the log does not say
}

func (e created) Pool() venue.ID { return venue.AddressID(e.pair) }
func (e synced) Pool() venue.ID  { return venue.AddressID(e.pair) }

func (f *Family) Topics() []common.Hash { return []common.Hash{topicCreated, topicSync} }

func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	if len(log.Topics) == 0 {
		return nil, nil
	}
	w := venue.NewWords(log.Data)
	switch log.Topics[0] {
	case topicCreated:
		source := f.sources[log.Address]
		if source == nil {
			return nil, nil
		}
		if len(log.Topics) != 3 || len(log.Data) != 64 {
			return nil, fmt.Errorf("univ2: PairCreated of %s: %d topics, %d bytes of data", log.Address, len(log.Topics), len(log.Data))
		}
		return created{
			source: source,
			pair:   w.Address(0),
			tokens: [2]common.Address{common.BytesToAddress(log.Topics[1][:]), common.BytesToAddress(log.Topics[2][:])},
		}, nil
	case topicSync:
		// Any contract may emit a Sync; only for those of known pairs there is a
		// pool, and a pair's own code always writes two words.
		if len(log.Topics) != 1 || len(log.Data) != 64 {
			return nil, nil
		}
		return synced{
			pair:    log.Address,
			reserve: [2]u256.Int{w.Number(0), w.Number(1)},
			time:    log.BlockTimestamp,
		}, nil
	}
	return nil, nil
}

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	switch e := e.(type) {
	case created:
		if p != nil {
			return nil, fmt.Errorf("univ2: pair %s created twice", e.pair)
		}
		return NewPool(e.source, e.pair, e.tokens, u256.Zero, u256.Zero), nil
	case synced:
		old, ok := p.(*Pool)
		if !ok {
			return nil, venue.ErrUnknownPool
		}
		next := *old
		next.reserve, next.unread, next.synced = e.reserve, false, e.time
		// The first Sync of a second adds the prices before it to the price sums.
		open := !old.reserve[0].IsZero() && !old.reserve[1].IsZero()
		next.oracle = old.oracle || open && old.synced != 0 && e.time > old.synced
		return &next, nil
	}
	return nil, fmt.Errorf("univ2: event %T", e)
}
