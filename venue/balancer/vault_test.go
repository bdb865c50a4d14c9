package balancer_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venuetest"
)

var (
	owner   = venuetest.Owner
	vaultAt = common.HexToAddress("0xbA1333333333a1BA1108E8412f11850A5C319bA9")
	source  = venue.Source{ID: "BalancerV3", Type: venue.Balancer, Family: balancer.Name, Factory: vaultAt}
)

// vault is the real one, with tokens of ours and one pool that the family
// follows.
type vault struct {
	*venuetest.Rig
	fees   common.Address // the protocol fee controller
	family *balancer.Family
	tokens []common.Address // sorted
	scale  []u256.Int
	pool   venue.Pool
	birth  *types.Log     // of the pool
	at     common.Address // where it stands
	desk   common.Address // that made it and keeps its shares

	swaps, paid int
}

func newVault(t testing.TB) *vault {
	t.Helper()
	v := &vault{Rig: venuetest.NewRig(t), family: balancer.New([]venue.Source{source})}
	if err := v.family.Etch(v); err != nil {
		t.Fatal(err)
	}
	v.fees = common.BytesToAddress(v.ask("getProtocolFeeController"))
	v.mint()
	return v
}

func (v *vault) ask(method string, args ...any) []byte {
	return v.Must(owner, vaultAt, u256.Zero, "BalancerVaultExtension", method, args...).Return
}

// mint makes tokens of all sorts of decimals, which both desks may take.
func (v *vault) mint() {
	decimals := map[common.Address]uint8{}
	for _, d := range []uint8{18, 6, 8, 18, 18, 6, 0, 12} {
		at := v.Token(d)
		decimals[at] = d
		v.tokens = append(v.tokens, at)
		v.Approve(at, balancer.WeightedFactory, owner)
		v.Approve(at, balancer.StableFactory, owner)
	}
	slices.SortFunc(v.tokens, func(a, b common.Address) int { return a.Cmp(b) })
	for _, t := range v.tokens {
		scale := u256.One
		for range 18 - decimals[t] {
			scale = scale.Mul(u256.From(10))
		}
		v.scale = append(v.scale, scale)
	}
}

// do makes a call and applies its logs. A refusal of the contract
// is not an error: it just changes nothing.
func (v *vault) do(to common.Address, name, method string, args ...any) (bool, error) {
	r, err := v.Try(owner, to, u256.Zero, name, method, args...)
	if evm.IsReverted(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, v.apply(r.Logs)
}

func (v *vault) apply(logs []*types.Log) error {
	for _, log := range logs {
		e, err := v.family.Decode(log)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		next, err := v.family.Apply(v.pool, e)
		if errors.Is(err, venue.ErrUnknownPool) {
			continue
		}
		if err != nil {
			return err
		}
		if v.pool == nil {
			v.birth = log
		}
		v.pool = next
	}
	return v.load()
}

// load answers what the pool wants to know.
func (v *vault) load() (err error) {
	if v.pool != nil {
		v.pool, err = venuetest.Loaded(v.Machine, v.family, v.pool)
	}
	return err
}

// shape is a pool to be made.
type shape struct {
	tokens  []int
	amounts []u256.Int
	weights []*big.Int // of a weighted pool
	amp     int64      // of a stable one
	fee     int64
	rated   int // the position that goes at a fixed rate, or -1
}

// open makes a pool at the desk of its curve and follows it from then on.
func (v *vault) open(s shape) (bool, error) {
	desk := balancer.StableFactory
	if s.weights != nil {
		desk = balancer.WeightedFactory
	}
	return v.openAt(desk, balancer.FixedRate, s)
}

func (v *vault) openAt(desk, rate common.Address, s shape) (bool, error) {
	var configs []balancer.TokenConfig
	var amounts, least []*big.Int
	for i, t := range s.tokens {
		c := balancer.TokenConfig{Token: v.tokens[t]}
		if i == s.rated {
			c.Kind, c.RateProvider = 1, rate
		}
		configs = append(configs, c)
		amounts = append(amounts, s.amounts[i].Big())
		least = append(least, max256(u256.From(1e6), v.scale[t]).Big())
	}
	init := v.Artifact("BalancerStablePool").Init
	params := any(balancer.StableParams{"P", "P", big.NewInt(s.amp), "1"})
	if s.weights != nil {
		init = v.Artifact("BalancerWeightedPool").Init
		params = balancer.WeightedParams{"P", "P", big.NewInt(int64(len(s.tokens))), s.weights, "1", least}
	}
	before := v.pool
	v.pool = nil
	ok, err := v.do(desk, "BalancerDesk", "create", init(params, vaultAt), configs, big.NewInt(s.fee), amounts)
	if !ok {
		v.pool = before
		return false, err
	}
	v.at, v.desk = common.HexToAddress(string(v.pool.Info().ID)), desk
	return true, err
}

// balances are what the vault says the pool holds.
func (v *vault) balances() ([]u256.Int, error) {
	out, err := v.Artifact("BalancerVaultExtension").ABI.Unpack("getPoolTokenInfo", v.ask("getPoolTokenInfo", v.at))
	if err != nil {
		return nil, err
	}
	var list []u256.Int
	for _, b := range out[2].([]*big.Int) {
		list = append(list, u256.FromBig(b))
	}
	return list, nil
}

// Swap makes a swap through the desk and takes it back. To be paid nothing is
// a refusal to us, though the vault allows it.
func (v *vault) Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error) {
	tokens := v.pool.Info().Tokens
	v.Undo(func() {
		var r evm.Result
		if r, err = v.Try(owner, v.desk, u256.Zero, "BalancerDesk", "swap", v.at, tokens[in], tokens[out], amount.Big()); err == nil {
			paid = u256.FromBytes(r.Return)
		}
	})
	v.swaps++
	if err != nil {
		return u256.Zero, false, err
	}
	v.paid++
	return paid, !paid.IsZero(), nil
}

func max256(a, b u256.Int) u256.Int {
	if a.Lt(b) {
		return b
	}
	return a
}

// someSize is a number of up to so many bits, small ones as likely as large.
func someSize(r *rand.Rand, bits int) u256.Int {
	n := u256.From(r.Uint64()).Lsh(64).Add(u256.From(r.Uint64()))
	return n.Rsh(uint(128 - 1 - r.IntN(bits)))
}
