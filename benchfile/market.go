// Package benchfile is the files of braid bench: a market, orders on it, and the plans found for them.
//
// Errors name the entry and the field.
package benchfile

import (
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/families"
	"braid/market"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// Market is the file of bench --market, which --dump writes. Tokens are named
// by their positions in Tokens, and amounts are in raw units.
type Market struct {
	Native int `json:"native"`
	Gas    struct {
		PriceWei Decimal `json:"priceWei"`
	} `json:"gas"`
	Stables []int   `json:"stables,omitempty"` // worth a dollar; without them the token whose USD is nearest to 1
	Tokens  []Token `json:"tokens"`
	Pools   []Pool  `json:"pools"`
}

// Token is a token of a market file; USD is the price of one whole token.
type Token struct {
	Symbol   string         `json:"symbol"`
	Address  common.Address `json:"address"`
	Decimals uint8          `json:"decimals"`
	USD      float64        `json:"usd"`
}

// Pool is a pool of a market file: one of type v2 or v3 by its fields, or one
// of any family (Type) by the bytes in which the family stores it (State).
type Pool struct {
	ID     int           `json:"id"`
	Type   string        `json:"type"`
	Source string        `json:"source,omitempty"`
	State  hexutil.Bytes `json:"state,omitempty"`

	Address      common.Address `json:"address,omitzero"`
	T0           int            `json:"t0,omitempty"`
	T1           int            `json:"t1,omitempty"`
	FeePpm       uint64         `json:"feePpm,omitempty"`
	R0           Decimal        `json:"r0,omitempty"`
	R1           Decimal        `json:"r1,omitempty"`
	TickSpacing  int32          `json:"tickSpacing,omitempty"`
	SqrtPriceX96 Decimal        `json:"sqrtPriceX96,omitempty"`
	Tick         int32          `json:"tick,omitempty"`
	Ticks        []Tick         `json:"ticks,omitempty"`
}

// Tick is an initialised tick, and by how much liquidity changes there.
type Tick struct {
	Index int32  `json:"i"`
	Net   string `json:"net"`
}

// Snapshot is the market of the file. Tokens and pools keep their numbers.
func (s *Market) Snapshot() (*market.Snapshot, error) {
	gasWei, err := s.Gas.PriceWei.Int()
	if err != nil {
		return nil, fmt.Errorf("gas.priceWei: %w", err)
	}
	if s.Native < 0 || s.Native >= len(s.Tokens) {
		return nil, fmt.Errorf("native: there is no token %d: the market has %d, from 0 on", s.Native, len(s.Tokens))
	}
	chain := market.Chain{WrappedNative: s.Tokens[s.Native].Address, MinBaseFee: gasWei}
	stables := s.Stables
	if len(stables) == 0 {
		stables = []int{s.nearestToDollar()}
	}
	for _, i := range stables {
		if i < 0 || i >= len(s.Tokens) {
			return nil, fmt.Errorf("stables: there is no token %d: the market has %d, from 0 on", i, len(s.Tokens))
		}
		chain.Stables = append(chain.Stables, s.Tokens[i].Address)
	}
	tokens := make([]market.Token, len(s.Tokens))
	for i, t := range s.Tokens {
		tokens[i] = market.Token{Address: t.Address, Symbol: t.Symbol, Decimals: t.Decimals, Verified: true}
	}
	pools := make([]venue.Pool, len(s.Pools))
	sources, families := map[string]*venue.Source{}, families.Of(monad.Sources(), monad.WrappedNative)
	for i := range s.Pools {
		p := &s.Pools[i]
		if p.State != nil {
			pools[i], err = p.decode(families)
		} else {
			pools[i], err = s.pool(p, sources)
		}
		if err != nil {
			return nil, fmt.Errorf("pools[%d]: %w", i, err)
		}
	}
	return market.New(chain).Next(market.Block{Number: 1}, pools, tokens)
}

// pool is a pool of type v2 or v3. Pools of one type and fee share a source.
func (s *Market) pool(p *Pool, sources map[string]*venue.Source) (venue.Pool, error) {
	if n := len(s.Tokens); p.T0 < 0 || p.T0 >= n || p.T1 < 0 || p.T1 >= n || p.T0 == p.T1 {
		return nil, fmt.Errorf("t0 %d and t1 %d are not two tokens: the market has %d, from 0 on", p.T0, p.T1, n)
	}
	tokens := [2]common.Address{s.Tokens[p.T0].Address, s.Tokens[p.T1].Address}
	row := venue.Source{ID: p.Type, Family: univ3.Name, Type: venue.V3}
	if p.Type == "v2" {
		row = venue.Source{ID: fmt.Sprint("v2-", p.FeePpm), Family: univ2.Name, Type: venue.V2, Params: univ2.Fee(p.FeePpm / 100)}
	}
	if sources[row.ID] == nil {
		sources[row.ID] = &row
	}
	source := sources[row.ID]
	switch p.Type {
	case "v2":
		return p.v2(source, tokens)
	case "v3":
		return p.v3(source, tokens)
	}
	return nil, fmt.Errorf("type: %.20q is neither v2 nor v3, and there is no state", p.Type)
}

// v2 is a constant-product pair.
func (p *Pool) v2(source *venue.Source, tokens [2]common.Address) (venue.Pool, error) {
	r0, err := p.R0.Int()
	if err != nil {
		return nil, fmt.Errorf("r0: %w", err)
	}
	r1, err := p.R1.Int()
	if err != nil {
		return nil, fmt.Errorf("r1: %w", err)
	}
	if p.FeePpm%100 != 0 || p.FeePpm >= 1_000_000 {
		return nil, fmt.Errorf("feePpm: %d is not a multiple of 100 below 1000000", p.FeePpm)
	}
	return univ2.NewPool(source, p.Address, tokens, r0, r1), nil
}

// v3 is a pool of concentrated liquidity.
func (p *Pool) v3(source *venue.Source, tokens [2]common.Address) (venue.Pool, error) {
	price, err := p.SqrtPriceX96.Int()
	if err != nil {
		return nil, fmt.Errorf("sqrtPriceX96: %w", err)
	}
	book, err := p.book()
	if err != nil {
		return nil, err
	}
	at := ticks.Point{Price: price, Tick: p.Tick}
	if !at.Valid() {
		return nil, fmt.Errorf("sqrtPriceX96: %v is not in tick %d", price, p.Tick)
	}
	if p.FeePpm >= 1_000_000 {
		return nil, fmt.Errorf("feePpm: %d is not below 1000000", p.FeePpm)
	}
	return univ3.NewPool(source, p.Address, tokens, p.FeePpm, at, book), nil
}

// book is the liquidity by ticks, as one position from each tick to the next.
// Swaps depend only on the sums, so it does not matter which positions they
// come from.
func (p *Pool) book() (*ticks.Book, error) {
	if p.TickSpacing <= 0 {
		return nil, fmt.Errorf("tickSpacing: %d is not above 0", p.TickSpacing)
	}
	book, liquidity := ticks.NewBook(p.TickSpacing), new(big.Int)
	for i, t := range p.Ticks {
		net, ok := new(big.Int).SetString(t.Net, 10)
		if !ok {
			return nil, fmt.Errorf("ticks[%d].net: %.90q is not an integer", i, t.Net)
		}
		if liquidity.Add(liquidity, net); liquidity.Sign() < 0 || liquidity.BitLen() > 128 {
			return nil, fmt.Errorf("ticks[%d].net: the liquidity from there on is %v, not from 0 to 2^128-1", i, liquidity)
		}
		if i+1 == len(p.Ticks) {
			break
		}
		var err error
		if book, err = book.With(t.Index, p.Ticks[i+1].Index, u256.FromBig(liquidity)); err != nil {
			return nil, fmt.Errorf("ticks[%d]: %w", i, err)
		}
	}
	if liquidity.Sign() != 0 {
		return nil, fmt.Errorf("ticks: the nets sum to %v, not to 0", liquidity)
	}
	return book, nil
}

// nearestToDollar is the token whose price is nearest to a dollar, by ratio.
func (s *Market) nearestToDollar() int {
	best, distance := 0, math.Inf(1)
	for i, t := range s.Tokens {
		if d := math.Abs(math.Log(t.USD)); d < distance {
			best, distance = i, d
		}
	}
	return best
}
