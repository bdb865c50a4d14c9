package nadfun

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Gas limits of the transactions of Open.
const (
	createGas   = 3_000_000
	buyGas      = 500_000
	graduateGas = 300_000
)

// holder gets what is bought on the local chain: the first account of the
// mnemonic that development nodes use.
var holder = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

// launches are the curves of the local chain, and how many percent of what each
// sells has been sold.
var launches = []struct {
	name, symbol string
	percent      uint64
	graduates    bool
}{
	{"Chog Junior", "CHOGJR", 2, false},
	{"Molandak Hat", "MOLHAT", 20, false},
	{"Purple Frog", "PFROG", 45, false},
	{"Nad Cat", "NADCAT", 75, false},
	{"Almost There", "ALMOST", 99, false},
	{"Sold Out", "SOLD", 100, false},
	{"Gone Already", "GONE", 100, true},
}

// toTarget is what all that a curve sells costs on the local chain, in whole
// units of native currency and before the fee, which is one percent.
const toTarget = 225_000

// Etch places the contract of the curves and its router.
func (f *Family) Etch(site venue.Site) error {
	for _, source := range f.sources {
		if err := venue.Etch(site, source.Factory, "NadFunCurve", f.wrappedNative, site.Deployer()); err != nil {
			return fmt.Errorf("nadfun: curve of %s: %w", source.ID, err)
		}
		if err := venue.Etch(site, routerOf(source), "NadFunRouter", source.Factory, f.wrappedNative); err != nil {
			return fmt.Errorf("nadfun: router of %s: %w", source.ID, err)
		}
	}
	return nil
}

// Open launches tokens of its own: listings are of tokens that exist already.
func (f *Family) Open(site venue.Site, _ []venue.Listing) error {
	for _, source := range f.sources {
		if err := f.launch(site, source); err != nil {
			return fmt.Errorf("nadfun: launch on %s: %w", source.ID, err)
		}
	}
	return nil
}

func (f *Family) launch(site venue.Site, source *venue.Source) error {
	var create, trade []venue.Tx
	for i, l := range launches {
		create = append(create, venue.Tx{To: source.Factory, Data: createCall(site.Deployer(), l.name, l.symbol, i), Gas: createGas})
	}
	logs, err := site.Send(create)
	if err != nil {
		return err
	}
	for i, l := range launches {
		made, err := venue.EventIn[created](f, logs[i])
		if err != nil {
			return err
		}
		token, never := made.token, u256.Max.Bytes()
		buy := venue.Calldata("buy((uint256,address,address,uint256))", nil, token[:], holder[:], never[:])
		trade = append(trade, venue.Tx{To: routerOf(source), Value: payment(l.percent), Data: buy, Gas: buyGas})
		if l.graduates {
			trade = append(trade, venue.Tx{To: source.Factory, Data: venue.Calldata("graduate(address)", token[:]), Gas: graduateGas})
		}
	}
	_, err = site.Send(trade)
	return err
}

// payment is what to pay, in wei, so that exactly that percentage of toTarget is
// left after the fee, which is rounded down.
func payment(percent uint64) u256.Int {
	coin := u256.From(1_000_000_000_000_000_000)
	net := u256.From(toTarget * percent / 100).Mul(coin)
	gross := net.Mul(u256.From(100)).Div(u256.From(99))
	if gross.Sub(gross.Div(u256.From(100))).Lt(net) {
		gross = gross.Add(u256.One)
	}
	return gross
}

// createCall is calldata of create, whose one argument is a tuple with three
// strings in it.
func createCall(creator common.Address, name, symbol string, salt int) []byte {
	word := func(n int) []byte { b := u256.From(uint64(n)).Bytes(); return b[:] }
	const head = 6 * 32
	data := venue.Calldata("create((address,string,string,string,bytes32,uint8))",
		word(32), creator[:], word(head), word(head+64), word(head+128), word(salt), word(0))
	for _, text := range []string{name, symbol, ""} {
		data = append(data, word(len(text))...)
		data = append(data, common.RightPadBytes([]byte(text), 32)...)
	}
	return data
}
