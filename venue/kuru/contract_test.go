package kuru

import (
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
)

var (
	maker   = common.HexToAddress("0x00000000000000000000000000000000000000fe")
	taker   = common.HexToAddress("0x00000000000000000000000000000000000000fd")
	router  = common.HexToAddress("0x00000000000000000000000000000000000000a0")
	margin  = common.HexToAddress("0x00000000000000000000000000000000000000a1")
	book    = common.HexToAddress("0x00000000000000000000000000000000000000a2")
	wrapped = common.HexToAddress("0x00000000000000000000000000000000000000a3")
)

// exchange is Kuru in a machine: its own order book and vault, with our purse
// and registrar around them.
type exchange struct {
	machine                        *evm.Machine
	family                         *Family
	registrar, purse, clob, ladder contracts.Contract
	tokens                         map[uint8]common.Address // by decimals
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

func newExchange() (*exchange, error) {
	x := &exchange{machine: evm.New(evm.Rules(143)), tokens: map[uint8]common.Address{}}
	for name, c := range map[string]*contracts.Contract{
		"KuruRegistrar": &x.registrar, "KuruMargin": &x.purse, "KuruOrderBook": &x.clob, "KuruVault": &x.ladder,
	} {
		var err error
		if *c, err = contracts.Read("../../build/artifacts/" + name + ".json"); err != nil {
			return nil, fmt.Errorf("%w: run make artifacts", err)
		}
	}
	for at, init := range map[common.Address][]byte{
		router: x.registrar.Init(margin, book), margin: x.purse.Init(router, router), book: x.clob.Init(),
	} {
		if _, err := x.machine.Etch(maker, at, init); err != nil {
			return nil, err
		}
	}
	for _, n := range []uint8{6, 8, 18} {
		token, err := x.machine.Create(maker, contracts.Token.Init("T", "T", n, maker, u256.Max.Big()))
		if err != nil {
			return nil, err
		}
		x.tokens[n] = token
		half := u256.One.Lsh(254)
		if _, err := x.call(maker, token, contracts.Token, "transfer", taker, half.Big()); err != nil {
			return nil, err
		}
		if err := x.deposit(token); err != nil {
			return nil, err
		}
	}
	for range 2 {
		x.machine.Fund(maker, u256.One.Lsh(200))
		x.machine.Fund(taker, u256.One.Lsh(200))
	}
	if err := x.deposit(common.Address{}); err != nil {
		return nil, err
	}
	source := venue.Source{ID: "Kuru", Type: venue.CLOB, Family: Name, Factory: router, Margin: margin}
	x.family = New([]venue.Source{source}, wrapped)
	return x, nil
}

// deposit gives the maker plenty of a token to place orders with.
func (x *exchange) deposit(token common.Address) error {
	plenty, value := u256.One.Lsh(180), u256.Zero
	if token == (common.Address{}) {
		value = plenty
	} else if _, err := x.call(maker, token, contracts.Token, "approve", margin, u256.Max.Big()); err != nil {
		return err
	}
	_, err := x.machine.Call(maker, margin, value, pack(x.purse, "deposit", maker, token, plenty.Big()))
	return err
}

// open opens a market that everyone has approved.
func (x *exchange) open(c conditions) (*market, error) {
	r, err := x.call(maker, router, x.registrar, "open", c)
	if err != nil {
		return nil, err
	}
	m := &market{exchange: x, terms: c}
	if err := m.hear(r.Logs); err != nil {
		return nil, err
	}
	m.at = m.pool.market
	if err := m.load(); err != nil {
		return nil, err
	}
	m.vault = common.BytesToAddress(r.Logs[len(r.Logs)-1].Data[96:128])
	for _, token := range []common.Address{c.Base, c.Quote} {
		for _, who := range []common.Address{maker, taker} {
			if token == (common.Address{}) {
				continue
			}
			if _, err := x.call(who, token, contracts.Token, "approve", m.at, u256.Max.Big()); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

func (x *exchange) call(from, to common.Address, c contracts.Contract, method string, args ...any) (evm.Result, error) {
	return x.machine.Call(from, to, u256.Zero, pack(c, method, args...))
}

// market is one of its books, and what our family makes of its logs.
type market struct {
	*exchange
	terms conditions
	at    common.Address
	vault common.Address
	pool  *Pool
}

// do makes a call, which the market may refuse, and hears its logs.
func (m *market) do(value u256.Int, to common.Address, c contracts.Contract, method string, args ...any) error {
	r, err := m.machine.Call(maker, to, value, pack(c, method, args...))
	if err != nil {
		if evm.IsReverted(err) {
			return nil
		}
		return err
	}
	return m.hear(r.Logs)
}

func (m *market) hear(logs []*types.Log) error {
	next, err := heard(m.family, m.pool, logs)
	if err == nil {
		m.pool = next
	}
	return err
}

// load answers what the pool wants to know.
func (m *market) load() error {
	var answers [][]byte
	for _, want := range m.family.Wants(m.pool) {
		r, err := m.machine.Call(taker, want.To, u256.Zero, want.Data)
		if err != nil {
			return err
		}
		answers = append(answers, r.Return)
	}
	p, err := m.family.Load(m.pool, answers)
	if err == nil {
		m.pool = p.(*Pool)
	}
	return err
}

// heard is the pool after the logs.
func heard(f *Family, p *Pool, logs []*types.Log) (*Pool, error) {
	for _, log := range logs {
		e, err := f.Decode(log)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		var old venue.Pool
		if p != nil {
			old = p
		}
		next, err := f.Apply(old, e)
		if err != nil {
			return nil, err
		}
		p = next.(*Pool)
	}
	return p, nil
}

// read is the book and the vault as the market itself tells them.
func (m *market) read() (levels [2][][2]u256.Int, v vault, err error) {
	r, err := m.call(maker, m.at, m.clob, "getL2Book")
	if err != nil {
		return levels, v, err
	}
	w := words(r.Return)[3:] // offset, length, block
	side := bids
	for i := 0; i < len(w); {
		if side == bids && w[i] == [32]byte{} {
			side, i = asks, i+1
			continue
		}
		levels[side] = append(levels[side], [2]u256.Int{w.number(i), w.number(i + 1)})
		i += 2
	}
	// This build lists bids worst first, the published source best first.
	slices.SortFunc(levels[bids], func(a, b [2]u256.Int) int { return b[0].Cmp(a[0]) })
	r, err = m.call(maker, m.at, m.clob, "getVaultParams")
	if err != nil {
		return levels, v, err
	}
	w = words(r.Return)
	v.price = [2]u256.Int{bids: w.number(1), asks: w.number(3)}
	v.filled = [2]u256.Int{bids: w.number(2), asks: w.number(4)}
	v.size = [2]u256.Int{bids: w.number(5), asks: w.number(6)}
	return levels, v, nil
}

// levelled is our book, level by level.
func levelled(p *Pool) (levels [2][][2]u256.Int) {
	for side, orders := range p.book {
		for len(orders) > 0 {
			l := samePrice(orders)
			var size u256.Int
			for _, o := range l {
				size = size.Add(o.size)
			}
			levels[side] = append(levels[side], [2]u256.Int{u256.From(uint64(l[0].price)), size})
			orders = orders[len(l):]
		}
	}
	return levels
}

// verify holds what was heard to what the market says.
func (m *market) verify() error {
	levels, v, err := m.read()
	if err != nil {
		return err
	}
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
	r, err = m.machine.Call(taker, m.at, value, pack(m.clob, method, units, new(big.Int), false, true))
	if err != nil {
		return u256.Zero, r, err
	}
	return m.balance(1 - in).Sub(before), r, nil
}

func (m *market) balance(token int) u256.Int {
	if m.pool.native[token] {
		return m.machine.Balance(taker)
	}
	r, err := m.call(maker, m.pool.info.Tokens[token], contracts.Token, "balanceOf", taker)
	if err != nil {
		panic(err)
	}
	return u256.FromBytes(r.Return)
}

func pack(c contracts.Contract, method string, args ...any) []byte {
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		panic(err)
	}
	return data
}

func upTo(r *rand.Rand, n int64) *big.Int { return big.NewInt(1 + r.Int64N(n)) }
