package kuru

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/sequence"
	"braid/u256"
	"braid/venue"
)

// CreationTopic is the topic of MarketRegistered.
func (f *Family) CreationTopic() common.Hash { return topicRegistered }

// loading is how far a market has been read from the chain: first all but the
// orders, then the orders level by level.
type loading struct {
	begun  bool       // all but the orders has been read
	levels []u256.Int // prices whose orders are still to be read, as the Lens takes them
}

// bid is added to a price to ask the Lens for bids.
var bid = u256.One.Lsh(32)

func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	return &Pool{terms: q.terms, info: q.info, loading: &loading{}}
}

// Gas limits: for reading the levels of a book, and for the Lens, which reads
// orders until it has used what it is given: so much for each level, at most
// maxGas in all, and endGas to return what it has read.
const (
	levelsGas = 7_500_000
	levelGas  = 80_000
	maxGas    = 6_000_000
	endGas    = 1_000_000
)

// Wants reads the decimals of a market, which no log tells, and its vault where
// logs do not tell its state. Of a market that was not followed since its
// creation it reads all the rest: first the levels, then the orders of each.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	read := func(signature string) venue.Read {
		return venue.Read{To: q.market, Data: venue.Calldata(signature)}
	}
	switch s := q.loading; {
	case s == nil && q.lot[base].ten.IsZero():
		return []venue.Read{read("getMarketParams()")}
	case s == nil && q.vaultUnknown:
		return []venue.Read{read("getVaultParams()")}
	case s == nil:
		return nil
	case !s.begun:
		levels := read("getL2Book()")
		levels.Gas = levelsGas
		return []venue.Read{read("getMarketParams()"), read("getVaultParams()"), read("marketState()"), read("s_orderIdCounter()"), levels}
	default:
		budget := min(levelGas*uint64(len(s.levels)), maxGas)
		number := func(n uint64) []byte { return u256.From(n).Big().Bytes() }
		data := venue.Calldata("orders(address,uint256,uint256[])", q.market[:], number(budget), number(96), number(uint64(len(s.levels))))
		for _, l := range s.levels {
			b := l.Bytes()
			data = append(data, b[:]...)
		}
		return []venue.Read{{Data: data, Gas: budget + endGas}}
	}
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || len(answers) != len(f.Wants(p)) || len(answers) == 0 {
		return nil, errors.New("kuru: answers to what was not asked")
	}
	next := q.next()
	var err error
	switch {
	case q.loading == nil && q.lot[base].ten.IsZero():
		next.terms, err = q.terms.withLots(venue.NewWords(answers[0]))
	case q.loading == nil:
		err = next.readVault(venue.NewWords(answers[0]))
	case !q.loading.begun:
		err = next.begin(answers)
	default:
		err = next.read(q.loading.levels, venue.NewWords(answers[0]))
	}
	if err != nil {
		return nil, fmt.Errorf("kuru: market %s: %w", q.market, err)
	}
	return next, nil
}

// withLots are the terms with the lots of both tokens.
func (t *terms) withLots(w *venue.Words) (*terms, error) {
	if w.Len() != 11 {
		return nil, fmt.Errorf("%d words of parameters", w.Len())
	}
	next := *t
	for token, at := range [2][2]int{base: {1, 3}, quote: {0, 5}} { // precision, decimals
		digits, power := log10(w.Number(at[0]))
		decimals := w.Number(at[1])
		if !power || decimals.Gt(u256.From(maxDecimals)) {
			return nil, fmt.Errorf("precision %v of %v decimals", w.Number(at[0]), decimals)
		}
		next.lot[token] = newLot(int(decimals.Uint64()) - digits)
	}
	return &next, nil
}

// begin takes in the answers to all but the orders.
func (p *Pool) begin(answers [][]byte) (err error) {
	if p.terms, err = p.terms.withLots(venue.NewWords(answers[0])); err != nil {
		return err
	}
	state, last, book := venue.NewWords(answers[2]), venue.NewWords(answers[3]), venue.NewWords(answers[4])
	if state.Len() != 1 || last.Len() != 1 || book.Len() < 3 {
		return errors.New("an answer is too short")
	}
	if err := p.readVault(venue.NewWords(answers[1])); err != nil {
		return err
	}
	p.paused, p.last, p.loading = state.Flag(0), last.Uint64(0), &loading{begun: true}
	side := bid // bids until a zero, then asks; each a price and a size
	for book = book.From(3); book.Len() > 1; book = book.From(2) {
		if side == bid && !book.Flag(0) {
			side, book = u256.Zero, book.From(1)
			if book.Len() < 2 {
				break
			}
		}
		p.loading.levels = append(p.loading.levels, side.Add(book.Number(0)))
	}
	return p.done()
}

func (p *Pool) readVault(w *venue.Words) error {
	if w.Len() != 8 {
		return fmt.Errorf("%d words of the vault", w.Len())
	}
	p.vault = vault{
		price:  [2]u256.Int{bids: w.Number(1), asks: w.Number(3)},
		filled: [2]u256.Int{bids: w.Number(2), asks: w.Number(4)},
		size:   [2]u256.Int{bids: w.Number(5), asks: w.Number(6)},
	}
	p.vaultUnknown = false
	return nil
}

// read takes in the orders of as many levels as the Lens could read.
func (p *Pool) read(levels []u256.Int, w *venue.Words) error {
	const size = 9 // words of an order: its number and what s_orders says
	if w.Len()%size != 1 || w.Uint64(0) == 0 || w.Uint64(0) > uint64(len(levels)) {
		return fmt.Errorf("%d words of orders", w.Len())
	}
	var orders [2][]order
	for i := 1; i < w.Len(); i += size {
		o := order{id: w.Uint64(i), size: w.Number(i + 2), partner: w.Uint64(i + 5), price: uint32(w.Uint64(i + 6)), flip: uint32(w.Uint64(i + 7))}
		side := sideOf(!w.Flag(i + 8))
		orders[side] = append(orders[side], o)
		p.refer(side, o)
	}
	for side, n := range [2]int{p.book[bids].Len(), p.book[asks].Len()} {
		p.book[side] = p.book[side].Splice(n, n, orders[side]...)
	}
	p.loading = &loading{begun: true, levels: levels[w.Uint64(0):]}
	return p.done()
}

// done sorts the book once all of it was read: the Lens returns levels as the
// market lists them, and the orders of each as they are filled.
func (p *Pool) done() error {
	if len(p.loading.levels) > 0 {
		return nil
	}
	p.loading = nil
	for side := range p.book {
		orders := p.book[side].Slice()
		slices.SortStableFunc(orders, func(a, b order) int {
			if side == bids {
				return cmp.Compare(b.price, a.price)
			}
			return cmp.Compare(a.price, b.price)
		})
		p.book[side] = sequence.Of(orders)
	}
	return nil
}

// fields of a pool, whose orders are in the given book.
func (p *Pool) fields(c *venue.Codec, book *[2][]order) {
	c.Info(&p.info)
	c.Fixed(p.market[:])
	for i := range p.lot {
		c.Bool(&p.native[i])
		venue.Number(c, &p.lot[i].exponent)
		c.Int(&p.lot[i].ten)
	}
	for _, n := range []*u256.Int{
		&p.sizePrecision, &p.toWad, &p.maxQuote, &p.takerFeeBps, &p.spread,
		&p.vault.price[0], &p.vault.price[1], &p.vault.size[0], &p.vault.size[1], &p.vault.filled[0], &p.vault.filled[1],
	} {
		c.Int(n)
	}
	blank := p.loading != nil // is written as not read at all
	c.Bool(&blank)
	if p.loading == nil && blank {
		p.loading = &loading{}
	}
	c.Bool(&p.vaultUnknown)
	c.Bool(&p.paused)
	venue.Number(c, &p.last)
	for side := range book {
		venue.List(c, &book[side], func(o *order) {
			venue.Number(c, &o.id)
			venue.Number(c, &o.price)
			venue.Number(c, &o.flip)
			venue.Number(c, &o.partner)
			c.Int(&o.size)
		})
	}
}

func (f *Family) Save(p venue.Pool) []byte {
	return venue.Save(p, func(q *Pool, c *venue.Codec) {
		q.fields(c, &[2][]order{q.book[bids].Slice(), q.book[asks].Slice()})
	})
}

func (f *Family) Restore(data []byte) (venue.Pool, error) {
	p := Pool{terms: &terms{}}
	var book [2][]order
	if err := venue.Decode(data, f.sources, func(c *venue.Codec) { p.fields(c, &book) }); err != nil {
		return nil, fmt.Errorf("kuru: %w", err)
	}
	p.margin = marginOf(p.info.Source)
	for side, orders := range book {
		p.book[side] = sequence.Of(orders)
	}
	p.refs = refs(p.book)
	return &p, nil
}

// maxDecimals keeps amounts of 2^96 units below 2^256.
const maxDecimals = 40

// log10 is the number of zeros behind the one, if that is all n is made of.
func log10(n u256.Int) (digits int, power bool) {
	ten := u256.From(10)
	for !n.IsZero() && n.Mod(ten).IsZero() {
		n = n.Div(ten)
		digits++
	}
	return digits, n == u256.One
}

// ids are the order ids from word i on.
func ids(w *venue.Words, i int) (list []uint64) {
	for ; i < w.Len(); i++ {
		list = append(list, w.Uint64(i))
	}
	return list
}
