package benchfile

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/venue"
)

// Of is a snapshot as a market file; each pool is the bytes in which
// its family stores it.
func Of(m *market.Snapshot, families []venue.Family) (*Market, error) {
	s := &Market{Tokens: make([]Token, len(m.Tokens()))}
	s.Gas.PriceWei = Decimal(m.GasPrice().String())
	number := func(a common.Address) int {
		n, _ := m.Token(a)
		return n
	}
	s.Native = number(m.Chain().WrappedNative)
	for _, a := range m.Chain().Stables {
		if _, ok := m.Token(a); ok {
			s.Stables = append(s.Stables, number(a))
		}
	}
	for i, t := range m.Tokens() {
		s.Tokens[i] = Token{Symbol: t.Symbol, Address: t.Address, Decimals: t.Decimals, USD: m.Price(i).USD}
	}
	for i, p := range m.Pools() {
		info := p.Info()
		state, err := encodePool(p, families)
		if err != nil {
			return nil, fmt.Errorf("pool %s: %w", info.ID, err)
		}
		s.Pools = append(s.Pools, Pool{ID: i, Type: info.Source.Family, Source: info.Source.ID, State: state})
	}
	return s, nil
}

// encodePool is a pool in the bytes of its family.
func encodePool(p venue.Pool, families []venue.Family) ([]byte, error) {
	for _, f := range families {
		if j, ok := f.(venue.Storer); ok {
			if data := j.Save(p); data != nil {
				return data, nil
			}
		}
	}
	return nil, fmt.Errorf("family %s cannot store its pools", p.Info().Source.Family)
}

// decode is a pool of the bytes in which its family stored it.
func (p *Pool) decode(families []venue.Family) (venue.Pool, error) {
	for _, f := range families {
		j, ok := f.(venue.Storer)
		if !ok {
			continue
		}
		pool, err := j.Restore(p.State)
		if err == nil && pool.Info().Source.Family == p.Type && pool.Info().Source.ID == p.Source {
			return pool, nil
		}
	}
	return nil, fmt.Errorf("state: it is not a pool of family %.40q, source %.40q: dump the market again with this version of braid", p.Type, p.Source)
}
