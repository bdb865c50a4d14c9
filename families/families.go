// Package families is the list of the families that braid follows and trades with.
package families

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
	"braid/venue/balancer"
	"braid/venue/hanji"
	"braid/venue/kuru"
	"braid/venue/nadfun"
	"braid/venue/univ2"
	"braid/venue/univ3"
	"braid/venue/univ4"
)

// Steps are the kinds of steps that the families swap by, one each.
func Steps() (kinds []venue.StepKind) {
	for _, f := range Of(nil, common.Address{}) {
		kinds = append(kinds, f.(venue.Descriptor).Step())
	}
	return kinds
}

// Check says what is wrong with the first row that no family can follow.
func Check(sources []venue.Source) error {
	known := map[string]venue.Descriptor{}
	for _, f := range Of(nil, common.Address{}) {
		d := f.(venue.Descriptor)
		known[d.Name()] = d
	}
	for i := range sources {
		s := &sources[i]
		d := known[s.Family]
		if d == nil {
			return fmt.Errorf("source %s: there is no family %q", s.ID, s.Family)
		}
		if err := d.Check(s.Params); err != nil {
			return fmt.Errorf("source %s: %w", s.ID, err)
		}
	}
	return nil
}

// Of are the families, each with those of the sources that are its own.
func Of(sources []venue.Source, wrappedNative common.Address) []venue.Family {
	return []venue.Family{
		univ2.New(sources),
		univ3.New(sources),
		univ4.New(sources, wrappedNative),
		balancer.New(sources),
		kuru.New(sources, wrappedNative),
		hanji.New(sources, wrappedNative),
		nadfun.New(sources, wrappedNative),
	}
}
