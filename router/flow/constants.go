package flow

// The constants that steer this package. "Order" is the value of the order at the dual
// prices, in units of the sink.
//
// A line "name: half: …; double: …" is what make constants ORDERS=30 found, with 60 retail and
// 20 large orders on 1,000 pools, sane and with arbitrage: mean loss in bps, its range, and
// the ratio of times on a busy machine. Where there is none, that was not measured.
const (
	// MaxNodes is the most nodes of a network: the size of a set, and of the matrix.
	MaxNodes = 256
	// MaxHops is the most edges of a path that joins.
	MaxHops = 8

	// newtonSteps and rationedSteps are the most steps of Newton's method without and with
	// a step price, whose corners take more evaluations for less precision.
	// newtonSteps: half: same, time 1.02; double: same, time 1.05
	// rationedSteps: half: retail -0.00013 (-0.0078 to 9.9e-08), large 0.55 (0 to 11), time 1.09; double: retail 0.012 (-2.2e-06 to 0.72), large 0.63 (0 to 6.8), time 1.07
	newtonSteps, rationedSteps = 60, 30
	// Rough, Fine and Coarse are tolerances: the part of the order by which the flow at a
	// node may not add up, while the network grows, when edges are compared by net output,
	// and under a step price.
	// Rough: half: retail -8.3e-05 (-0.005 to 0), time 1.06; double: same, time 1.02
	// Fine: half: same, time 1.03; double: same, time 1.09
	// Coarse: half: same, time 0.99; double: same, time 0.99
	Rough, Fine, Coarse = 1e-5, 1e-9, 1e-3
	// damping is the least curvature of a direction, in parts of the order: below it the
	// matrix is singular where an edge is saturated.
	// damping: half: same, time 0.92; double: same, time 1.00
	damping = 1e-12
	// maxDamping ends the search for a direction in which the sum falls.
	// maxDamping: half: same, time 0.98; double: same, time 1.02
	maxDamping = 1e6
	// raiseDamping and lowerDamping change the damping after a step that was too long and
	// after one that was not; firstDamping is the least that it is raised to.
	// raiseDamping: half: same, time 1.02; double: retail 0.00078 (-4.1e-07 to 0.047), time 1.09
	// lowerDamping: half: large 1.2 (0 to 14), time 0.94; double: large 0.34 (0 to 6.8), time 0.97
	// firstDamping: half: large 0.69 (0 to 14), time 0.98; double: large 0.54 (0 to 6.8), time 1.01
	raiseDamping, lowerDamping, firstDamping = 64, 16, 1e-9
	// short is the part of a step below which curvature is taken to have misled it.
	// short: half: large 0.34 (0 to 6.8), time 1.01; double: large 0.55 (0 to 11), time 1.09
	short = 1. / 16
	// maxRise and maxFall are the parts by which one step may change a price: a factor of
	// two either way, as supplies bend within that.
	maxRise, maxFall = 1, -0.5
	// armijo is the part of the promised decrease that a step must bring; noise the part
	// of the sum that float64 loses; shortenings how often a step is shortened.
	armijo, noise, shortenings = 1e-4, 1e-15, 6
	// leastPivot is the part of a diagonal cell that elimination leaves at least: less is
	// cancellation.
	leastPivot = 1e-14
	// overflow is the part by which an edge may exceed its capacity, and the part of the
	// order that may be left over at a node without edges, before a push fails.
	overflow = 1e-4

	// alone is how little may be left of one for edges to be a chain's only way: the
	// share of the flow that others could take.
	alone = 1e-6
	// removedAtOnce is one by the part of surplus edges taken out before prices are found
	// anew: all at once misjudges edges that share flow, one by one is slow.
	removedAtOnce = 3

	// wideSmoothing and narrowSmoothing are parts of the step price: while paths join, and
	// when K edges are chosen.
	wideSmoothing, narrowSmoothing = 1., 1. / 4
	// leastStepPrice is the least step price in parts of the order: less makes the corner
	// at it too sharp for Newton's method where K hardly binds.
	leastStepPrice = 1e-6
	// slip is the part of K by which the sum of weights may differ from K.
	slip = 0.02
	// sparePart and spareEdges say how many more than K edges stay until Prune, which
	// compares networks, chooses among them: K/sparePart + spareEdges.
	sparePart, spareEdges = 2, 16
	// maxCarried is how many times the order an edge carries at most when prices are found
	// again after they ran away.
	maxCarried = 64
	// stepPriceDamping is the least curvature of the step price, in parts of K times itself.
	stepPriceDamping = 1e-9
)
