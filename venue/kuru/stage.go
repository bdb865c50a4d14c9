package kuru

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

// The contract whose code all markets share, at its address on mainnet, and the
// account that creates the markets, which is on the local chain alone.
var (
	implementation = common.HexToAddress("0xea2Cc8769Fb04Ff1893Ed11cf517b7F040C823CD")
	makerAccount   = common.BytesToAddress(crypto.Keccak256([]byte("kuru maker")))
)

// Gas limits of the transactions of Open.
const (
	transferGas = 100_000
	openGas     = 12_000_000
)

// Etch places the order book's code, the margin account and the registrar.
func (f *Family) Etch(site venue.Site) error {
	for _, s := range f.sources {
		for _, c := range []struct {
			name string
			at   common.Address
			args []any
		}{
			{"KuruOrderBook", implementation, nil},
			{"KuruMargin", marginOf(s), []any{s.Factory, site.Deployer()}},
			{"KuruRegistrar", s.Factory, []any{marginOf(s), implementation}},
			{"KuruMaker", makerAccount, []any{s.Factory, marginOf(s)}},
		} {
			if err := venue.Etch(site, c.at, c.name, c.args...); err != nil {
				return fmt.Errorf("kuru: %s of %s: %w", c.name, s.ID, err)
			}
		}
	}
	return nil
}

// Open pays the maker account for each market, which creates the market and
// places orders. Wrapped native is traded as native currency.
func (f *Family) Open(site venue.Site, listings []venue.Listing) error {
	var txs []venue.Tx
	for _, l := range listings {
		if f.sources[l.Source.Factory] == nil {
			continue
		}
		open := venue.Tx{To: makerAccount, Gas: openGas, Data: crypto.Keccak256([]byte("open(address,address,uint256,uint256)"))[:4]}
		for i, token := range l.Tokens {
			if token == f.wrappedNative {
				token, open.Value = common.Address{}, l.Amounts[i]
			} else {
				txs = append(txs, pay(token, makerAccount, l.Amounts[i]))
			}
			open.Data = append(open.Data, common.LeftPadBytes(token[:], 32)...)
		}
		for _, amount := range l.Amounts {
			word := amount.Bytes()
			open.Data = append(open.Data, word[:]...)
		}
		txs = append(txs, open)
	}
	if _, err := site.Send(txs); err != nil {
		return fmt.Errorf("kuru: open markets: %w", err)
	}
	return nil
}

func pay(token, to common.Address, amount u256.Int) venue.Tx {
	word := amount.Bytes()
	return venue.Tx{To: token, Data: venue.Calldata("transfer(address,uint256)", to[:], word[:]), Gas: transferGas}
}
