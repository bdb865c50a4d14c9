package graph

// The constants that steer this package. "Value" is an amount times the reference price of
// its token: dollars where prices are known. Where nothing is said about half and double
// of a constant, that was not measured.
const (
	// hubLinks is how many directions of pools make a token a hub, through which most
	// routes may lead.
	hubLinks = 6
	// MaxBack is how many links a token may have to tokens that are no hubs for those to be
	// followed back: more would cost each search too much. Links to hubs do not count, or
	// dust pools between tokens of the list would make plans worse: anybody can add a
	// thousand for a dollar.
	MaxBack = 256
	// MaxRatio is the largest ratio that a link is said to have. Pools out of line may say
	// any number; those of a whole path multiplied must not overflow a float32.
	MaxRatio = 1e6

	// probe is the value that is traded to see what pools pay with their price impact.
	probe = 100
	// MaxImpactValue is the value up to which the Impact of a bound holds; larger amounts
	// are bounded as if they were this large.
	MaxImpactValue = 20_000
	// impactProbes is the same in probes, which may be half as large as they should be.
	impactProbes = 2. * MaxImpactValue / probe
	// settlings is in how many rounds reference prices move to the middle between bid and
	// ask.
	settlings = 6
)

// Sizes are values, up to MaxImpactValue, for which the ratios between hubs are known: a
// path that carries more is bounded by the largest it exceeds.
var Sizes = [...]float64{0, 100, 1_000, 10_000}
