package path

// The constants that steer this package. "Value" is an amount times the reference price of
// its token: dollars where prices are known. Where nothing is said about half and double
// of a constant, that was not measured.
const (
	// leastGas is the gas that any step costs at least: labels are cut by it before their
	// own gas is known.
	leastGas = 80_000
	// capacityShare is the part of an order's value that a label must still have for it to
	// be led through a pool that cannot take a better label.
	capacityShare = 0.9
	// leastGain is the part of a chunk that a path must gain to join: less is float noise.
	leastGain = 1e-9
	// maxOthers is how many links of one token to tokens that are no hubs are looked at, for a
	// value of up to graph.MaxImpactValue. For more all are: they are sorted by what they pay
	// for the first unit, and the few that are deep enough may be anywhere.
	// Half and double change no retail order on 1,000 or 10,000 pools (180 orders); with
	// arbitrage of 2 % in 300 tokens they move orders by hundreds of bps either way.
	maxOthers = 64

	// slack is what 32-bit floats may lose on a path, as a part.
	slack = 1e-6
	// spotSlack is what the price of the first unit may lose against Pay, as a part.
	spotSlack = 1e-12
	// linksPerEvaluation is how many looks at links cost as much as one evaluation of a
	// supply curve.
	linksPerEvaluation = 64
	// quoteEvaluations is how many evaluations of supply curves cost as much as a pool's
	// own quote.
	quoteEvaluations = 16
	// endRatio is how many times the value that a link of a path sees the path's end may
	// have at most: by it the size that all links see is known from the end.
	endRatio = 2
	// reuse is the part of the least value at the last link from which on bounds that were
	// made for less still serve.
	reuse = 0.85
	// batch is how many links of a hub are compared before it is asked if more can matter.
	batch = 8
	// hardly is the part by which a chunk must be more at the last link than at the end for
	// its price impact to be worth bounds of its own.
	hardly = 2e-3
	// approximations is how often the least value before the last token is approached.
	approximations = 4

	// SupplyError is the part by which a supply may be below what its pool pays.
	SupplyError = 1e-5

	// nearHops is how many hops a path makes from one node of a network to another, and
	// fewHops under a step price with more than ManySteps: longer ones seldom join. With 2
	// retail orders on 10,000 pools lost 7.6 bps on average and 417 at worst; with 5 they
	// gained 0.06 and lost 0.2 at worst (60 orders, generated market, 32 steps). On 1,000
	// pools neither made more than 0.1 bps (120 orders).
	nearHops, fewHops = 3, 2
	// SmallNetwork is how many nodes a network has at most for paths of all hops to join:
	// long ones are not looked for once more then.
	SmallNetwork = 3
	// ManySteps is how many steps make a plan one that gets less effort for each: shorter
	// paths, and it is not grown a second time.
	ManySteps = 48

	// maxRounds is how often at most paths are looked for while a network grows.
	maxRounds = 24
	// FirstChunk is the part of the order for which paths are looked for first, lastChunk
	// the least; chunks become smaller by chunkRatio when little joins. Half and double of
	// FirstChunk: within 0.1 bps on 1,000 pools (120 orders), 3.4 bps at worst either way
	// and less than 0.01 on average on 10,000 (60 orders); at 100 times that size double
	// lost 179 on average and half 6. Half and double of lastChunk: nothing, but 0.03 for
	// one of 180 orders.
	FirstChunk, lastChunk, chunkRatio = 1. / 4, 1. / 1000, 5
	// WholeChunk is the part from which on paths from the first token are looked for alone.
	WholeChunk = 1. / 20
	// RationedChunk, by K, is the largest chunk under a step price, and where steps are left
	// free: about what an edge has.
	RationedChunk = 2.
	// joinRatio is by how much less than the best of a look a path may gain to join with it.
	joinRatio = 64
	// joinGain and littleGain are parts of the order: what a path must gain to join, and
	// below which the next look is for smaller chunks.
	joinGain, littleGain = 1e-7, 1e-5
	// edgesPerStep and moreEdges are how many edges a network may have while it grows, by
	// K: edgesPerStep*K + moreEdges.
	edgesPerStep, moreEdges = 3, 8
	// barredGain is the part of the order that a path must gain for what bars it to be
	// displaced.
	barredGain = 1e-4
)

// descents are the parts below the upper bound at which a single path is looked for, one
// after the other: most are found close to it, at a small part of the effort.
var descents = []float64{1e-4, 1e-3, 1e-2, 1e-1, 4e-1}

// firstShares are the parts of what the first link leaves of an order that its last link
// is taken to see: the first makes tighter bounds, the second holds more often.
var firstShares = []float64{0.9, 0.5}
