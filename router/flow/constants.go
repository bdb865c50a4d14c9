package flow

// The constants that steer this package. "Order" is the value of the order at the dual
// prices, in units of the sink. Where nothing is said about half and double of a
// constant, that was not measured.
const (
	// MaxNodes is the most nodes of a network: the size of a set, and of the matrix.
	MaxNodes = 256
	// MaxHops is the most edges of a path that joins.
	MaxHops = 8

	// newtonSteps and rationedSteps are the most steps of Newton's method without and with
	// a step price, whose corners take more evaluations for less precision.
	newtonSteps, rationedSteps = 60, 30
	// Rough, Fine and Coarse are tolerances: the part of the order by which the flow at a
	// node may not add up, while the network grows, when edges are compared by net output,
	// and under a step price.
	Rough, Fine, Coarse = 1e-5, 1e-9, 1e-3
	// damping is the least curvature of a direction, in parts of the order: below it the
	// matrix is singular where an edge is saturated.
	damping = 1e-12
	// maxDamping ends the search for a direction in which the sum falls.
	maxDamping = 1e6
	// raiseDamping and lowerDamping change the damping after a step that was too long and
	// after one that was not; firstDamping is the least that it is raised to.
	raiseDamping, lowerDamping, firstDamping = 64, 16, 1e-9
	// short is the part of a step below which curvature is taken to have misled it.
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
