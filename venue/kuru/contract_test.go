package kuru

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

var (
	maker, taker = venuetest.Owner, venuetest.Taker

	router  = common.HexToAddress("0x00000000000000000000000000000000000000a0")
	margin  = common.HexToAddress("0x00000000000000000000000000000000000000a1")
	book    = common.HexToAddress("0x00000000000000000000000000000000000000a2")
	wrapped = common.HexToAddress("0x00000000000000000000000000000000000000a3")
)

// exchange is Kuru in a machine: its own order book and vault, with our purse
// and registrar around them.
type exchange struct {
	*venuetest.Rig
	family *Family
	tokens map[uint8]common.Address // by decimals
}

// conditions are what a market is opened with, as the registrar takes them.
type conditions struct {
	Base, Quote    common.Address
	SizePrecision  *big.Int
	PricePrecision uint32
	TickSize       uint32
	MinSize        *big.Int
	MaxSize        *big.Int
	TakerFeeBps    *big.Int
	MakerFeeBps    *big.Int
	Spread         *big.Int
}

func newExchange(t testing.TB) *exchange {
	x := &exchange{Rig: venuetest.NewRig(t), tokens: map[uint8]common.Address{}}
	x.Put(router, "KuruRegistrar", margin, book)
	x.Put(margin, "KuruMargin", router, router)
	x.Put(book, "KuruOrderBook")
	for _, n := range []uint8{6, 8, 18} {
		token := x.Token(n)
		x.tokens[n] = token
		x.Must(maker, token, u256.Zero, "Token", "transfer", taker, u256.One.Lsh(254).Big())
		x.Approve(token, margin, maker)
		x.deposit(maker, token, 180)
	}
	x.Fund(maker, u256.One.Lsh(201))
	x.Fund(taker, u256.One.Lsh(201))
	x.deposit(maker, common.Address{}, 180)
	x.family = newFamily()
	return x
}

func newFamily() *Family {
	return New([]venue.Source{{ID: "Kuru", Type: venue.CLOB, Family: Name, Factory: router, Params: Margin(margin)}}, wrapped)
}

// deposit gives someone plenty of a token to place orders with.
func (x *exchange) deposit(who, token common.Address, bits uint) {
	plenty, value := u256.One.Lsh(bits), u256.Zero
	if token == (common.Address{}) {
		value = plenty
	}
	x.Must(maker, margin, value, "KuruMargin", "deposit", who, token, plenty.Big())
}

// open opens a market that everyone has approved.
func (x *exchange) open(c conditions) (*market, error) {
	r := x.Must(maker, router, u256.Zero, "KuruRegistrar", "open", c)
	m := &market{exchange: x, terms: c}
	if err := m.apply(r.Logs); err != nil {
		return nil, err
	}
	m.at = m.pool.market
	if err := m.load(); err != nil {
		return nil, err
	}
	m.vault = common.BytesToAddress(r.Logs[len(r.Logs)-1].Data[96:128])
	for _, token := range []common.Address{c.Base, c.Quote} {
		if token != (common.Address{}) {
			x.Approve(token, m.at, maker, taker)
		}
	}
	return m, nil
}

// market is one of its books, and what our family makes of its logs.
type market struct {
	*exchange
	terms conditions
	at    common.Address
	vault common.Address
	pool  *Pool
}

// do makes a call, which the market may refuse, and applies its logs.
func (m *market) do(to common.Address, name, method string, args ...any) error {
	r, err := m.Try(maker, to, u256.Zero, name, method, args...)
	if evm.IsReverted(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.apply(r.Logs)
}

func (m *market) apply(logs []*types.Log) (err error) {
	if m.pool, err = venuetest.Applied(m.family, m.pool, logs); err == nil && m.pool.vaultUnknown {
		return m.load()
	}
	return err
}

// load answers what the pool wants to know.
func (m *market) load() (err error) {
	m.pool, err = venuetest.Loaded(m.Machine, m.family, m.pool)
	return err
}

// read is the book and the vault as the market itself tells them.
func (m *market) read() (levels [2][][2]u256.Int, v vault) {
	w := m.ask("getL2Book").From(3) // offset, length, block
	side := bids
	for i := 0; i < w.Len(); {
		if side == bids && !w.Flag(i) {
			side, i = asks, i+1
			continue
		}
		levels[side] = append(levels[side], [2]u256.Int{w.Number(i), w.Number(i + 1)})
		i += 2
	}
	// This build lists bids worst first, the published source best first.
	slices.SortFunc(levels[bids], func(a, b [2]u256.Int) int { return b[0].Cmp(a[0]) })
	w = m.ask("getVaultParams")
	v.price = [2]u256.Int{bids: w.Number(1), asks: w.Number(3)}
	v.filled = [2]u256.Int{bids: w.Number(2), asks: w.Number(4)}
	v.size = [2]u256.Int{bids: w.Number(5), asks: w.Number(6)}
	return levels, v
}

func (m *market) ask(method string, args ...any) *venue.Words {
	return venue.NewWords(m.Must(maker, m.at, u256.Zero, "KuruOrderBook", method, args...).Return)
}

// levelled is our book, level by level.
func levelled(p *Pool) (levels [2][][2]u256.Int) {
	for side, book := range p.book {
		for at := 0; at < book.Len(); {
			l := samePrice(book, at, book.Len())
			var size u256.Int
			for _, o := range l {
				size = size.Add(o.size)
			}
			levels[side] = append(levels[side], [2]u256.Int{u256.From(uint64(l[0].price)), size})
			at += len(l)
		}
	}
	return levels
}

// verify holds what was heard to what the market says.
func (m *market) verify() error {
	levels, v := m.read()
	if ours := levelled(m.pool); !slices.Equal(ours[bids], levels[bids]) || !slices.Equal(ours[asks], levels[asks]) {
		return fmt.Errorf("book: heard %v, the market says %v", ours, levels)
	}
	if v != m.pool.vault {
		return fmt.Errorf("vault: heard %v, the market says %v", m.pool.vault, v)
	}
	return nil
}

// take makes a market order of whole units and says what it paid.
func (m *market) take(in int, units *big.Int) (paid u256.Int, r evm.Result, err error) {
	method, value := "placeAndExecuteMarketSell", u256.Zero
	if in == quote {
		method = "placeAndExecuteMarketBuy"
	}
	if m.pool.native[in] {
		value = m.pool.lot[in].amount(u256.FromBig(units))
	}
	before := m.balance(1 - in)
	r, err = m.Try(taker, m.at, value, "KuruOrderBook", method, units, new(big.Int), false, true)
	if err != nil {
		return u256.Zero, r, err
	}
	return m.balance(1 - in).Sub(before), r, nil
}

func (m *market) balance(token int) u256.Int {
	if m.pool.native[token] {
		return m.Balance(taker)
	}
	return m.Holds(m.pool.info.Tokens[token], taker)
}

func upTo(r *rand.Rand, n int64) *big.Int { return big.NewInt(1 + r.Int64N(n)) }
