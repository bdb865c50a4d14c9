package balancer

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

// Gas limits of the transactions of Open.
const (
	approveGas = 100_000
	lookGas    = 100_000
	createGas  = 10_000_000
)

const year = 365 * 24 * 3600

var extensionAt = common.HexToAddress("0x0E8B07657D719B86e06bF0806D6729e3D528C9A9")

var deskABI = func() abi.ABI {
	parsed, err := abi.JSON(strings.NewReader(`[
		{"type":"function","name":"look","inputs":[{"name":"token","type":"address"}]},
		{"type":"function","name":"create","inputs":[
			{"name":"init","type":"bytes"},
			{"name":"tokens","type":"tuple[]","components":[
				{"name":"token","type":"address"},
				{"name":"kind","type":"uint8"},
				{"name":"rateProvider","type":"address"},
				{"name":"paysYieldFees","type":"bool"}]},
			{"name":"fee","type":"uint256"},
			{"name":"amounts","type":"uint256[]"}]},
		{"type":"event","name":"Decimals","inputs":[
			{"name":"token","type":"address","indexed":true},
			{"name":"decimals","type":"uint8"}]}]`))
	if err != nil {
		panic(err) // a constant
	}
	return parsed
}()

// Etch places the vault, whose contracts refer to each other, and BalancerDesk, a
// contract of ours, in place of each factory: it creates pools, adds their
// liquidity and swaps.
func (f *Family) Etch(site venue.Site) error {
	for _, source := range f.sources {
		vault, deployer := source.Factory, site.Deployer()
		admin, fees := place("VaultAdmin"), place("ProtocolFeeController")
		half := big.NewInt(5e17) // of the swap fees is the protocol's
		rate, _ := new(big.Int).SetString("1073000000000000007", 10)
		for _, part := range []struct {
			at   common.Address
			name string
			args []any
		}{
			{admin, "BalancerVaultAdmin", []any{vault, uint32(4 * year), uint32(year / 12), minimumTrade.Big(), big.NewInt(1e4)}},
			{extensionAt, "BalancerVaultExtension", []any{vault, admin}},
			{fees, "BalancerProtocolFeeController", []any{vault, half, new(big.Int)}},
			{vault, "BalancerVault", []any{extensionAt, WeightedFactory, fees}},
			{WeightedFactory, "BalancerDesk", []any{vault, deployer}},
			{StableFactory, "BalancerDesk", []any{vault, deployer}},
			{FixedRate, "FixedRate", []any{rate}},
		} {
			init, err := site.Init(part.name, part.args...)
			if err == nil {
				err = site.Etch(part.at, init)
			}
			if err != nil {
				return fmt.Errorf("balancer: %s: %w", part.name, err)
			}
		}
	}
	return nil
}

// place is an address for a contract whose address does not matter.
func place(name string) common.Address {
	return common.BytesToAddress(crypto.Keccak256([]byte(name)))
}

// Open makes pools of several kinds out of the listings.
func (f *Family) Open(site venue.Site, listings []venue.Listing) error {
	for vault, source := range f.sources {
		var own []venue.Listing
		for _, l := range listings {
			if l.Source.Factory == vault {
				own = append(own, l)
			}
		}
		scale, err := prepare(site, own)
		if err != nil {
			return fmt.Errorf("balancer: look at the tokens of %s: %w", source.ID, err)
		}
		var txs []venue.Tx
		for _, d := range designs(own, scale) {
			tx, err := d.tx(site, vault)
			if err != nil {
				return err
			}
			txs = append(txs, tx)
		}
		if _, err := site.Send(txs); err != nil {
			return fmt.Errorf("balancer: make the pools of %s: %w", source.ID, err)
		}
	}
	return nil
}

// prepare approves both factories for the listed tokens, and returns what scales
// the amounts of each token to 18 decimals.
func prepare(site venue.Site, listings []venue.Listing) (map[common.Address]u256.Int, error) {
	var txs []venue.Tx
	scale := map[common.Address]u256.Int{}
	for _, l := range listings {
		for _, token := range l.Tokens {
			if _, seen := scale[token]; seen {
				continue
			}
			scale[token] = u256.Zero
			most := u256.Max.Bytes()
			for _, factory := range []common.Address{WeightedFactory, StableFactory} {
				txs = append(txs, venue.Tx{To: token, Data: venue.Calldata("approve(address,uint256)", factory[:], most[:]), Gas: approveGas})
			}
			txs = append(txs, venue.Tx{To: WeightedFactory, Data: venue.Calldata("look(address)", token[:]), Gas: lookGas})
		}
	}
	logs, err := site.Send(txs)
	if err != nil {
		return nil, err
	}
	for _, log := range slices.Concat(logs...) {
		if log.Topics[0] != deskABI.Events["Decimals"].ID {
			continue
		}
		n := u256.One
		for decimals := u256.FromBytes(log.Data).Uint64(); decimals < 18; decimals++ {
			n = n.Mul(u256.From(10))
		}
		scale[common.BytesToAddress(log.Topics[1][:])] = n
	}
	return scale, nil
}

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

// tx is the transaction that makes the pool and fills it.
func (d design) tx(site venue.Site, vault common.Address) (venue.Tx, error) {
	slices.SortFunc(d.parts, func(a, b part) int { return bytes.Compare(a.token[:], b.token[:]) })
	var configs []tokenConfig
	var amounts, weights, least []*big.Int
	for _, p := range d.parts {
		c := tokenConfig{Token: p.token}
		if p.rated {
			c.Kind, c.RateProvider = 1, FixedRate
		}
		configs = append(configs, c)
		amounts = append(amounts, p.amount.Big())
		weights = append(weights, big.NewInt(p.weight))
		least = append(least, big.NewInt(1e12)) // a unit of six decimals
	}
	factory, fee := WeightedFactory, big.NewInt(3e15)
	var init []byte
	var err error
	if d.curve == stable {
		factory, fee = StableFactory, big.NewInt(1e14)
		init, err = site.Init("BalancerStablePool", stableParams{d.name, d.name, big.NewInt(500), "1"}, vault)
	} else {
		params := weightedParams{d.name, d.name, big.NewInt(int64(len(d.parts))), weights, "1", least}
		init, err = site.Init("BalancerWeightedPool", params, vault)
	}
	if err != nil {
		return venue.Tx{}, err
	}
	data, err := deskABI.Pack("create", init, configs, fee, amounts)
	if err != nil {
		return venue.Tx{}, fmt.Errorf("balancer: create: %w", err)
	}
	return venue.Tx{To: factory, Data: data, Gas: createGas}, nil
}
