package balancer_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
)

var (
	owner   = common.HexToAddress("0x00000000000000000000000000000000000000fe")
	vaultAt = common.HexToAddress("0xbA1333333333a1BA1108E8412f11850A5C319bA9")
	source  = venue.Source{ID: "BalancerV3", Type: venue.Balancer, Family: balancer.Name, Factory: vaultAt}
)

type tokenConfig struct {
	Token         common.Address
	Kind          uint8
	RateProvider  common.Address
	PaysYieldFees bool
}

type weightedParams struct {
	Name              string
	Symbol            string
	NumTokens         *big.Int
	NormalizedWeights []*big.Int
	Version           string
	MinTokenBalances  []*big.Int
}

type stableParams struct {
	Name                   string
	Symbol                 string
	AmplificationParameter *big.Int
	Version                string
}

// vault is the real one, with tokens of ours and one pool that the family
// follows.
type vault struct {
	machine *evm.Machine
	fees    common.Address // the protocol fee controller
	family  *balancer.Family
	code    map[string]contracts.Contract
	tokens  []common.Address // sorted
	scale   []u256.Int
	pool    venue.Pool
	birth   *types.Log     // of the pool
	at      common.Address // where it stands
	desk    common.Address // that made it and keeps its shares

	swaps, paid int
}

func newVault() (*vault, error) {
	v := &vault{machine: evm.New(evm.Rules(143)), family: balancer.New([]venue.Source{source}), code: map[string]contracts.Contract{}}
	for _, name := range []string{"BalancerVaultExtension", "BalancerVaultAdmin", "BalancerProtocolFeeController", "BalancerStablePool", "BalancerDesk", "FixedRate"} {
		c, err := contracts.Read(artifact(name))
		if err != nil {
			return nil, fmt.Errorf("%w: run make artifacts", err)
		}
		v.code[name] = c
	}
	if err := v.family.Etch(v); err != nil {
		return nil, err
	}
	r, err := v.call(vaultAt, v.code["BalancerVaultExtension"], "getProtocolFeeController")
	if err != nil {
		return nil, err
	}
	v.fees = common.BytesToAddress(r.Return)
	return v, v.mint()
}

func artifact(name string) string { return "../../build/artifacts/" + name + ".json" }

// The vault's machine is a site, on which the family sets itself up.

func (v *vault) Founder() common.Address { return owner }

func (v *vault) Init(name string, args ...any) ([]byte, error) {
	c, err := contracts.Read(artifact(name))
	if err != nil {
		return nil, err
	}
	return c.Init(args...), nil
}

func (v *vault) Etch(at common.Address, init []byte) error {
	_, err := v.machine.Etch(owner, at, init)
	return err
}

func (v *vault) Send(txs []venue.Tx) (logs [][]*types.Log, err error) {
	for _, tx := range txs {
		r, err := v.machine.Call(owner, tx.To, tx.Value, tx.Data)
		if err != nil {
			return nil, err
		}
		if r.Gas > tx.Gas {
			return nil, fmt.Errorf("call of %s burns %d gas, above %d", tx.To, r.Gas, tx.Gas)
		}
		logs = append(logs, r.Logs)
	}
	return logs, nil
}

// mint makes tokens of all sorts of decimals, which both desks may take.
func (v *vault) mint() error {
	decimals := map[common.Address]uint8{}
	for _, d := range []uint8{18, 6, 8, 18, 18, 6, 0, 12} {
		at, err := v.machine.Create(owner, contracts.Token.Init("T", "T", d, owner, u256.Max.Big()))
		if err != nil {
			return err
		}
		decimals[at] = d
		v.tokens = append(v.tokens, at)
		for _, desk := range []common.Address{balancer.WeightedFactory, balancer.StableFactory} {
			if _, err := v.call(at, contracts.Token, "approve", desk, u256.Max.Big()); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(v.tokens, func(a, b common.Address) int { return a.Cmp(b) })
	for _, t := range v.tokens {
		scale := u256.One
		for range 18 - decimals[t] {
			scale = scale.Mul(u256.From(10))
		}
		v.scale = append(v.scale, scale)
	}
	return nil
}

func (v *vault) call(to common.Address, abi contracts.Contract, method string, args ...any) (evm.Result, error) {
	r, err := v.machine.Call(owner, to, u256.Zero, pack(abi, method, args...))
	if err != nil {
		return r, fmt.Errorf("%s: %w", method, err)
	}
	return r, nil
}

// do makes a call and lets the family hear its logs. A refusal of the contract
// is not an error: it just changes nothing.
func (v *vault) do(to common.Address, abi contracts.Contract, method string, args ...any) (bool, error) {
	r, err := v.call(to, abi, method, args...)
	if err != nil {
		if evm.IsReverted(err) {
			return false, nil
		}
		return false, err
	}
	return true, v.hear(r.Logs)
}

func (v *vault) hear(logs []*types.Log) error {
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
func (v *vault) load() error {
	if v.pool == nil {
		return nil
	}
	var answers [][]byte
	wants := v.family.Wants(v.pool)
	for _, w := range wants {
		r, err := v.machine.Call(owner, w.To, u256.Zero, w.Data)
		if err != nil {
			return err
		}
		answers = append(answers, r.Return)
	}
	if len(wants) == 0 {
		return nil
	}
	var err error
	v.pool, err = v.family.Load(v.pool, answers)
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
	var configs []tokenConfig
	var amounts, least []*big.Int
	for i, t := range s.tokens {
		c := tokenConfig{Token: v.tokens[t]}
		if i == s.rated {
			c.Kind, c.RateProvider = 1, rate
		}
		configs = append(configs, c)
		amounts = append(amounts, s.amounts[i].Big())
		least = append(least, max256(u256.From(1e6), v.scale[t]).Big())
	}
	var init []byte
	var err error
	if s.weights != nil {
		init, err = v.Init("BalancerWeightedPool", weightedParams{"P", "P", big.NewInt(int64(len(s.tokens))), s.weights, "1", least}, vaultAt)
	} else {
		init, err = v.Init("BalancerStablePool", stableParams{"P", "P", big.NewInt(s.amp), "1"}, vaultAt)
	}
	if err != nil {
		return false, err
	}
	before := v.pool
	v.pool = nil
	ok, err := v.do(desk, v.code["BalancerDesk"], "create", init, configs, big.NewInt(s.fee), amounts)
	if !ok {
		v.pool = before
		return false, err
	}
	v.at, v.desk = common.HexToAddress(string(v.pool.Info().ID)), desk
	return true, err
}

// balances are what the vault says the pool holds.
func (v *vault) balances() ([]u256.Int, error) {
	r, err := v.call(vaultAt, v.code["BalancerVaultExtension"], "getPoolTokenInfo", v.at)
	if err != nil {
		return nil, err
	}
	out, err := v.code["BalancerVaultExtension"].ABI.Unpack("getPoolTokenInfo", r.Return)
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
	data := pack(v.code["BalancerDesk"], "swap", v.at, tokens[in], tokens[out], amount.Big())
	v.machine.Undo(func() {
		var r evm.Result
		if r, err = v.machine.Call(owner, v.desk, u256.Zero, data); err == nil {
			paid = u256.FromBytes(r.Return)
		}
	})
	v.swaps++
	if evm.IsReverted(err) {
		return u256.Zero, false, nil
	}
	v.paid++
	return paid, err == nil && !paid.IsZero(), err
}

func pack(c contracts.Contract, method string, args ...any) []byte {
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		panic(err)
	}
	return data
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
