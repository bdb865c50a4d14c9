package univ2

import (
	"fmt"

	"braid/venue"
)

// Gas limits of the transactions of Open.
const (
	createGas   = 3_000_000
	transferGas = 100_000
	mintGas     = 300_000
)

// Etch places the factories. The fee of a pair is a constant of its code, so
// each fee is a build of its own.
func (f *Family) Etch(site venue.Site) error {
	for _, source := range f.sources {
		err := venue.Etch(site, source.Factory, fmt.Sprintf("UniswapV2Factory-%d", FeeBps(source)), site.Deployer())
		if err != nil {
			return fmt.Errorf("univ2: factory of %s: %w", source.ID, err)
		}
	}
	return nil
}

// Open creates all pairs, reads their addresses from the logs, then pays tokens
// into each and mints its liquidity.
func (f *Family) Open(site venue.Site, listings []venue.Listing) error {
	var own []venue.Listing
	var create, fill []venue.Tx
	for _, l := range listings {
		if f.sources[l.Source.Factory] == nil {
			continue
		}
		own = append(own, l)
		data := venue.Calldata("createPair(address,address)", l.Tokens[0][:], l.Tokens[1][:])
		create = append(create, venue.Tx{To: l.Source.Factory, Data: data, Gas: createGas})
	}
	logs, err := site.Send(create)
	if err != nil {
		return fmt.Errorf("univ2: create pairs: %w", err)
	}
	deployer := site.Deployer()
	for i, l := range own {
		made, err := venue.EventIn[created](f, logs[i])
		if err != nil {
			return fmt.Errorf("univ2: create pairs: %w", err)
		}
		pair := made.pair
		for k, token := range l.Tokens {
			amount := l.Amounts[k].Bytes()
			fill = append(fill, venue.Tx{To: token, Data: venue.Calldata("transfer(address,uint256)", pair[:], amount[:]), Gas: transferGas})
		}
		fill = append(fill, venue.Tx{To: pair, Data: venue.Calldata("mint(address)", deployer[:]), Gas: mintGas})
	}
	if _, err := site.Send(fill); err != nil {
		return fmt.Errorf("univ2: fill pairs: %w", err)
	}
	return nil
}
