package balancer

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// Name is the family's name in the deployments.
const Name = "balancer"

// WeightedFactory and StableFactory create pools of the code that the tests
// compare with. Anyone may register a pool with the vault that answers like one
// of these and pays something else.
var (
	WeightedFactory = common.HexToAddress("0x4bdCc2fb18AEb9e2d281b0278D946445070EAda7")
	StableFactory   = common.HexToAddress("0xf5CDdF6feD9C589f1Be04899F48f9738531daD59")
)

// FixedRate is a rate provider whose rate is known never to change.
var FixedRate = common.HexToAddress("0xF1CED0000000000000000000000000000000A7E0")

var (
	topicRegistered = venue.Topic("PoolRegistered(address,address,(address,uint8,address,bool)[],uint256,uint32,(address,address,address),(bool,bool,bool,bool,bool,bool,bool,bool,bool,bool,address),(bool,bool,bool,bool))")
	topicSwap       = venue.Topic("Swap(address,address,address,uint256,uint256,uint256,uint256)")
	topicAdded      = venue.Topic("LiquidityAdded(address,address,uint8,uint256,uint256[],uint256[])")
	topicRemoved    = venue.Topic("LiquidityRemoved(address,address,uint8,uint256,uint256[],uint256[])")
	topicFee        = venue.Topic("SwapFeePercentageChanged(address,uint256)")
	topicAggregate  = venue.Topic("AggregateSwapFeePercentageChanged(address,uint256)")
	topicPaused     = venue.Topic("PoolPausedStateChanged(address,bool)")
	topicHalted     = venue.Topic("VaultPausedStateChanged(bool)")
	topicRecovery   = venue.Topic("PoolRecoveryModeStateChanged(address,bool)")
	topicAuxiliary  = venue.Topic("VaultAuxiliary(address,bytes32,bytes)")

	rampStarted = key("AmpUpdateStarted")
	rampStopped = key("AmpUpdateStopped")
)

func key(name string) (h common.Hash) {
	copy(h[:], name)
	return h
}

// Family follows the pools of its vaults.
type Family struct {
	sources map[common.Address]*venue.Source // by vault
}

// New follows those of the sources that are of this family; the factory of a
// row is the vault.
func New(sources []venue.Source) *Family {
	return &Family{sources: venue.ByFactory(sources, Name)}
}

// event is a log of the vault. It is decoded when it is applied, as the number of
// its words depends on the pool.
type event struct {
	source *venue.Source
	pool   common.Address
	log    *types.Log
}

func (e event) Pool() venue.ID { return venue.AddressID(e.pool) }

// vaultPaused: the vault paused all its pools, or unpaused them.
type vaultPaused struct {
	source *venue.Source
	yes    bool
}

func (e vaultPaused) Pool() venue.ID        { return "" }
func (e vaultPaused) Source() *venue.Source { return e.source }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check refuses any parameter: the family has none.
func (f *Family) Check(p venue.Params) error { return p.Check(nil) }

func (f *Family) Topics() []common.Hash {
	return []common.Hash{topicRegistered, topicSwap, topicAdded, topicRemoved, topicFee, topicAggregate, topicPaused, topicHalted, topicRecovery, topicAuxiliary}
}

// Decode finds the pool, which is the second topic of all logs but one.
func (f *Family) Decode(log *types.Log) (venue.Event, error) {
	source := f.sources[log.Address]
	if source == nil || len(log.Topics) == 0 {
		return nil, nil
	}
	topics := 2
	switch log.Topics[0] {
	case topicHalted:
		if len(log.Topics) != 1 || len(log.Data) != 32 {
			return nil, fmt.Errorf("balancer: VaultPausedStateChanged of %s: %d bytes of data", log.Address, len(log.Data))
		}
		return vaultPaused{source, log.Data[31] != 0}, nil
	case topicFee, topicAggregate, topicPaused, topicRecovery:
	case topicRegistered, topicAuxiliary:
		topics = 3
	case topicSwap, topicAdded, topicRemoved:
		topics = 4
	default:
		return nil, nil
	}
	if len(log.Topics) != topics {
		return nil, fmt.Errorf("balancer: log %s of %s: %d topics", log.Topics[0], log.Address, len(log.Topics))
	}
	return event{source, common.BytesToAddress(log.Topics[1][:]), log}, nil
}

func (f *Family) Apply(p venue.Pool, e venue.Event) (venue.Pool, error) {
	if e, ok := e.(vaultPaused); ok {
		old, ok := p.(*Pool)
		if !ok {
			return nil, venue.ErrUnknownPool
		}
		next := *old
		next.vaultPaused = e.yes
		return &next, nil
	}
	ev, ok := e.(event)
	if !ok {
		return nil, fmt.Errorf("balancer: event %T", e)
	}
	var next *Pool
	var err error
	if ev.log.Topics[0] == topicRegistered {
		if p != nil {
			return nil, fmt.Errorf("balancer: pool %s registered twice", ev.pool)
		}
		next, err = ev.register()
	} else {
		old, ok := p.(*Pool)
		if !ok {
			return nil, venue.ErrUnknownPool
		}
		copied := *old
		copied.ampRead = false
		next, err = &copied, copied.apply(ev.log)
	}
	if err != nil {
		return nil, fmt.Errorf("balancer: pool %s: %w", ev.pool, err)
	}
	return next, nil
}

// register is a pool that was just registered: it holds nothing yet.
func (e event) register() (*Pool, error) {
	const size = 4 // words of a token's entry: token, type, rate provider, yield fees
	w := venue.NewWords(e.log.Data)
	p := &Pool{vault: e.log.Address, address: e.pool, fee: storedFee(w.Number(1))}
	switch common.BytesToAddress(e.log.Topics[2][:]) {
	case WeightedFactory:
		p.curve = weighted
	case StableFactory:
		p.curve = stable
	default:
		p.unsupported = "made by a factory whose code was not proved"
	}
	if hooks := w.Address(16); hooks != (common.Address{}) {
		p.unsupported = "has hooks"
	}
	first, n := w.List(0, size, maxTokens)
	tokens := make([]common.Address, n)
	for i := range tokens {
		tokens[i] = w.Address(first + size*i)
		rate, yields := w.Address(first+size*i+2), w.Flag(first+size*i+3)
		if rate != (common.Address{}) && (rate != FixedRate || yields) {
			// The vault takes its part of the yield without a log.
			p.unsupported = "the rate of a token moves"
		}
	}
	if w.Short() || n < 2 {
		return nil, fmt.Errorf("PoolRegistered: %d bytes of data", len(e.log.Data))
	}
	p.info = &venue.Info{ID: e.Pool(), Source: e.source, Tokens: tokens}
	return p, nil
}

// apply changes a pool as the log says.
func (p *Pool) apply(log *types.Log) error {
	w := venue.NewWords(log.Data)
	var c checked
	switch log.Topics[0] {
	case topicSwap:
		in, out := p.position(log.Topics[2]), p.position(log.Topics[3])
		if in < 0 || out < 0 {
			return fmt.Errorf("Swap of a token that is not its own")
		}
		p.raw[in] = c.sub(c.add(p.raw[in], w.Number(0)), p.aggregateFee(&c, w.Number(3)))
		p.raw[out] = c.sub(p.raw[out], w.Number(1))
	case topicAdded, topicRemoved:
		n := len(p.info.Tokens)
		amounts, fees := numbers(w, 1, n), numbers(w, 2, n)
		for i := range n {
			if log.Topics[0] == topicAdded {
				p.raw[i] = c.add(p.raw[i], amounts[i])
			} else {
				p.raw[i] = c.sub(p.raw[i], amounts[i])
			}
			p.raw[i] = c.sub(p.raw[i], p.aggregateFee(&c, fees[i]))
		}
	case topicFee:
		p.fee = storedFee(w.Number(0))
	case topicAggregate:
		p.aggregate = storedFee(w.Number(0))
	case topicPaused:
		p.paused = w.Flag(0)
	case topicRecovery:
		p.recovery = w.Flag(0)
	case topicAuxiliary:
		switch log.Topics[2] {
		case rampStarted:
			p.ampMoving = true
		case rampStopped:
			p.ampMoving, p.amp = false, w.Number(2)
		}
	}
	if w.Short() {
		return fmt.Errorf("log %s: %d bytes of data", log.Topics[0], len(log.Data))
	}
	if c.broken {
		return fmt.Errorf("log %s: a balance beyond its bounds", log.Topics[0])
	}
	p.derive()
	return nil
}

// position of a token, or -1.
func (p *Pool) position(topic common.Hash) int {
	for i := range p.info.Tokens {
		if p.info.Tokens[i] == common.BytesToAddress(topic[:]) {
			return i
		}
	}
	return -1
}

// storedFee is a percentage as the vault keeps it: in 24 bits, by steps of
// 1e11. Logs say it unrounded.
func storedFee(percentage u256.Int) u256.Int {
	step := u256.From(1e11)
	return percentage.Div(step).Mul(step)
}
