// Package families is the list of the families that braid follows and trades with.
package families

import (
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
		kinds = append(kinds, f.(venue.Stepper).Step())
	}
	return kinds
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
