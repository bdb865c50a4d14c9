package univ4

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
	initializeGas = 150_000
	approveGas    = 80_000
	modifyGas     = 600_000
)

// actorOf is the contract that provides the liquidity in a manager, on the local
// chain alone.
func actorOf(manager common.Address) common.Address {
	return common.BytesToAddress(crypto.Keccak256([]byte("braid univ4 actor"), manager[:]))
}

// Etch places the managers.
func (f *Family) Etch(site venue.Site) error {
	for _, source := range f.sources {
		err := venue.Etch(site, source.Factory, "UniswapV4PoolManager", site.Deployer())
		if err == nil {
			err = venue.Etch(site, actorOf(source.Factory), "V4Actor", source.Factory)
		}
		if err != nil {
			return fmt.Errorf("univ4: manager of %s: %w", source.ID, err)
		}
	}
	return nil
}

// Open gives each pool its price and its liquidity.
func (f *Family) Open(site venue.Site, listings []venue.Listing) error {
	var txs []venue.Tx
	approved := map[common.Address]bool{}
	most := u256.Max.Bytes()
	for _, l := range listings {
		if f.sources[l.Source.Factory] == nil {
			continue
		}
		actor := actorOf(l.Source.Factory)
		for _, token := range l.Tokens {
			if !approved[token] {
				approved[token] = true
				txs = append(txs, venue.Tx{To: token, Data: venue.Calldata("approve(address,uint256)", actor[:], most[:]), Gas: approveGas})
			}
		}
		txs = append(txs, f.fill(l, actor)...)
	}
	if _, err := site.Send(txs); err != nil {
		return fmt.Errorf("univ4: open pools: %w", err)
	}
	return nil
}

// fill are the transactions that open one pool. Its fee tier, and whether it
// holds native or wrapped native, follows from its tokens.
func (f *Family) fill(l venue.Listing, actor common.Address) []venue.Tx {
	currency, amount := [2]common.Address(l.Tokens), [2]u256.Int(l.Amounts)
	hash := crypto.Keccak256(currency[0][:], currency[1][:])
	tier := [...][2]int64{{100, 1}, {500, 10}, {3000, 60}}[hash[0]%3]
	value := u256.Zero
	for i := range currency {
		if currency[i] == f.wrappedNative && hash[1]%3 > 0 {
			currency[i], value = common.Address{}, amount[i]
		}
	}
	if currency[0].Cmp(currency[1]) > 0 {
		currency[0], currency[1] = currency[1], currency[0]
		amount[0], amount[1] = amount[1], amount[0]
	}
	key := [][]byte{currency[0][:], currency[1][:], venue.Signed(tier[0]), venue.Signed(tier[1]), nil}
	price, ranges := ticks.Spread(int32(tier[1]), amount[0], amount[1])
	word := price.Bytes()
	data := venue.Calldata("initialize((address,address,uint24,int24,address),uint160)", append(key[:5:5], word[:])...)
	txs := []venue.Tx{{To: l.Source.Factory, Data: data, Gas: initializeGas}}
	for _, r := range ranges {
		liquidity := r.Liquidity.Bytes()
		data := venue.Calldata("modify((address,address,uint24,int24,address),(int24,int24,int256,bytes32))",
			append(key[:5:5], venue.Signed(r.Lower), venue.Signed(r.Upper), liquidity[:], nil)...)
		txs = append(txs, venue.Tx{To: actor, Data: data, Value: value, Gas: modifyGas})
	}
	return txs
}
