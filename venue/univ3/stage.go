package univ3

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// Gas limits of the transactions of Open.
const (
	enableGas     = 100_000
	createGas     = 8_000_000
	initializeGas = 150_000
	approveGas    = 80_000
	mintGas       = 600_000
)

// actor is the contract that provides the liquidity, on the local chain alone.
var actor = common.BytesToAddress(crypto.Keccak256([]byte("braid univ3 actor")))

// Etch places the factories, and the contracts that create their pools where
// they do not do so themselves.
func (f *Family) Etch(site venue.Site) error {
	for _, source := range f.rows {
		if source.Params.Flag(paramIndexedSpacing) {
			return fmt.Errorf("univ3: factory of %s: the local chain has none that indexes the tick spacing", source.ID)
		}
		err := etchUniswap(site, source)
		if isPancake(source) {
			err = etchPancake(site, source)
		}
		if err != nil {
			return fmt.Errorf("univ3: factory of %s: %w", source.ID, err)
		}
	}
	return venue.Etch(site, actor, "V3Actor")
}

func etchUniswap(site venue.Site, source *venue.Source) error {
	name := "UniswapV3Factory"
	if callback := source.Params.Text(paramCallback); callback != "" {
		name += "-" + callback
	}
	return venue.Etch(site, source.Factory, name)
}

func etchPancake(site venue.Site, source *venue.Source) error {
	pool, err := site.Init("PancakeV3Pool")
	if err != nil {
		return err
	}
	if err := venue.Etch(site, deployerOf(source), "PancakeV3Deployer", source.Factory, pool); err != nil {
		return err
	}
	return venue.Etch(site, source.Factory, "PancakeV3Factory", deployerOf(source))
}

// Open creates all pools, reads their addresses from the logs, then gives each
// its price and its liquidity.
func (f *Family) Open(site venue.Site, listings []venue.Listing) error {
	if err := f.enable(site); err != nil {
		return err
	}
	var own []venue.Listing
	var create, fill []venue.Tx
	for _, l := range listings {
		if f.sources[l.Source.Factory] == nil {
			continue
		}
		own = append(own, l)
		data := venue.Calldata("createPool(address,address,uint24)", l.Tokens[0][:], l.Tokens[1][:], venue.Word(u256.From(fee(l))))
		create = append(create, venue.Tx{To: l.Source.Factory, Data: data, Gas: createGas})
	}
	logs, err := site.Send(create)
	if err != nil {
		return fmt.Errorf("univ3: create pools: %w", err)
	}
	approved := map[common.Address]bool{}
	most := u256.Max.Bytes()
	for i, l := range own {
		pool, err := venue.EventIn[created](f, logs[i])
		if err != nil {
			return fmt.Errorf("univ3: create pools: %w", err)
		}
		for _, token := range pool.tokens {
			if !approved[token] {
				approved[token] = true
				fill = append(fill, venue.Tx{To: token, Data: venue.Calldata("approve(address,uint256)", actor[:], most[:]), Gas: approveGas})
			}
		}
		fill = append(fill, pool.fill(l)...)
	}
	if _, err := site.Send(fill); err != nil {
		return fmt.Errorf("univ3: fill pools: %w", err)
	}
	return nil
}

// enable adds the lowest fee tier to the factories that lack it.
func (f *Family) enable(site venue.Site) error {
	var txs []venue.Tx
	for _, source := range f.rows {
		if !isPancake(source) {
			data := venue.Calldata("enableFeeAmount(uint24,int24)", venue.Signed(100), venue.Signed(1))
			txs = append(txs, venue.Tx{To: source.Factory, Data: data, Gas: enableGas})
		}
	}
	if _, err := site.Send(txs); err != nil {
		return fmt.Errorf("univ3: enable the tier of 100: %w", err)
	}
	return nil
}

// fee is the fee tier of a listing in pips, which follows from its source and
// tokens.
func fee(l venue.Listing) uint64 {
	tiers := [...]uint64{100, 500, 3000}
	if isPancake(l.Source) {
		tiers[2] = 2500
	}
	hash := crypto.Keccak256([]byte(l.Source.ID), l.Tokens[0][:], l.Tokens[1][:])
	return tiers[hash[0]%3]
}

// fill are the transactions that give a new pool its price and liquidity.
func (e created) fill(l venue.Listing) []venue.Tx {
	amount0, amount1 := l.Amounts[0], l.Amounts[1]
	if e.tokens[0] != l.Tokens[0] {
		amount0, amount1 = amount1, amount0
	}
	price, ranges := ticks.Spread(e.spacing, amount0, amount1)
	word := price.Bytes()
	txs := []venue.Tx{{To: e.pool, Data: venue.Calldata("initialize(uint160)", word[:]), Gas: initializeGas}}
	for _, r := range ranges {
		liquidity := r.Liquidity.Bytes()
		data := venue.Calldata("mint(address,int24,int24,uint128)", e.pool[:], venue.Signed(r.Lower), venue.Signed(r.Upper), liquidity[:])
		txs = append(txs, venue.Tx{To: actor, Data: data, Gas: mintGas})
	}
	return txs
}
