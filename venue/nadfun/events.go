package nadfun

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "nadfun"

var (
	topicCreated   = venue.Topic("CurveCreate(address,address,address,string,string,string,uint256,uint256,uint256)")
	topicSynced    = venue.Topic("CurveSync(address,uint256,uint256,uint256,uint256)")
	topicLocked    = venue.Topic("CurveTokenLocked(address)")
	topicGraduated = venue.Topic("CurveGraduate(address,address)")
	topicConfig    = venue.Topic("SetConfig(((uint256,uint256,uint256),(uint256,uint256,uint24),(uint256,uint256[],uint256[])))")
)

// Family follows the curves of its sources, each of which is one contract.
type Family struct {
	sources       map[common.Address]*venue.Source // by that contract
	wrappedNative common.Address
}

// New follows those of the sources that are of this family.
func New(sources []venue.Source, wrappedNative common.Address) *Family {
	return &Family{sources: venue.ByFactory(sources, Name), wrappedNative: wrappedNative}
}

// paramRouter is the parameter of a source that names the contract by which
// its curves are traded.
const paramRouter = "router"

// Router are the parameters of a source with that router.
func Router(at common.Address) venue.Params { return venue.Params{paramRouter: at} }

func routerOf(s *venue.Source) common.Address { return s.Params.Address(paramRouter) }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check wants a router.
func (f *Family) Check(p venue.Params) error {
	if p.Address(paramRouter) == (common.Address{}) {
		return fmt.Errorf("%s is missing: the contract by which curves are traded", paramRouter)
	}
	return p.Check(Router(common.Address{}))
}

// Events of a curve, which is named by its token.
type (
	of      struct{ token common.Address }
	created struct {
		of
		source *venue.Source
	}
	// synced: a curve stored new reserves. Every trade ends in one.
	synced struct {
		of
		real    u256.Int
		virtual [2]u256.Int
	}
	closed struct {
		of
		reason string
	}
	// feeChanged: all curves of a source have another fee, in millionths.
	feeChanged struct {
		source *venue.Source
		fee    u256.Int
	}
)

func (e of) Pool() venue.ID                { return venue.AddressID(e.token) }
func (e feeChanged) Pool() venue.ID        { return "" }
func (e feeChanged) Source() *venue.Source { return e.source }

func (f *Family) Topics() []common.Hash {
	return []common.Hash{topicCreated, topicSynced, topicLocked, topicGraduated, topicConfig}
}

func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	source := f.sources[log.Address]
	if source == nil || len(log.Topics) == 0 {
		return nil, nil
	}
	indexed, w := len(log.Topics)-1, venue.NewWords(log.Data)
	at := func(i int) of { return of{common.BytesToAddress(log.Topics[i][:])} }
	switch topic := log.Topics[0]; {
	case topic == topicCreated && indexed == 3:
		return created{at(2), source}, nil
	case topic == topicSynced && indexed == 1 && len(log.Data) == 128:
		return synced{at(1), w.Number(1), [2]u256.Int{mon: w.Number(2), token: w.Number(3)}}, nil
	case topic == topicLocked && indexed == 1:
		return closed{at(1), locked}, nil
	case topic == topicGraduated && indexed == 2:
		return closed{at(1), graduated}, nil
	case topic == topicConfig && indexed == 0 && len(log.Data) >= 7*32:
		return feeChanged{source, w.Number(6)}, nil
	case topic == topicConfig || topic == topicCreated || topic == topicSynced || topic == topicLocked || topic == topicGraduated:
		return nil, fmt.Errorf("nadfun: log %s of %s: %d topics, %d bytes of data", topic, log.Address, len(log.Topics), len(log.Data))
	}
	return nil, nil
}

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	if e, ok := e.(created); ok {
		if p != nil {
			return nil, fmt.Errorf("nadfun: curve of %s created twice", e.token)
		}
		tokens := []common.Address{mon: f.wrappedNative, token: e.token}
		info := &venue.Info{ID: e.Pool(), Source: e.source, Tokens: tokens}
		return &Pool{info: info, address: e.token, idle: unread}, nil
	}
	old, ok := p.(*Pool)
	if !ok {
		return nil, venue.ErrUnknownPool
	}
	next := *old
	switch e := e.(type) {
	case synced:
		next.real, next.virtual = e.real, e.virtual
	case closed:
		next.idle = e.reason
	case feeChanged:
		next.terms.fee = e.fee
	default:
		return nil, fmt.Errorf("nadfun: event %T", e)
	}
	return &next, nil
}
