package path

// The constants that steer this package. "Value" is an amount times the reference price of
// its token: dollars where prices are known.
//
// A line "name: half: …; double: …" is what make constants ORDERS=30 found, with 60 retail and
// 20 large orders on 1,000 pools, sane and with arbitrage: mean loss in bps, its range, and
// the ratio of times on a busy machine. Where there is none, that was not measured.
const (
	// leastGas is the gas that any step costs at least: labels are cut by it before their
	// own gas is known.
	// leastGas: half: same, time 1.06; double: retail 0.0076 (-0.85 to 1.3), time 1.01
	leastGas = 80_000
	// capacityShare is the part of an order's value that a label must still have for it to
	// be led through a pool that cannot take a better label.
	// capacityShare: half: same, time 1.01; double: same, time 0.99
	capacityShare = 0.9
	// leastGain is the part of a chunk that a path must gain to join: less is float noise.
	// leastGain: half: same, time 0.96; double: same, time 0.95
	leastGain = 1e-9
	// maxOthers is how many links of one token to tokens that are no hubs are looked at, for a
	// value of up to graph.MaxImpactValue. For more all are: they are sorted by what they pay
	// for the first unit, and the few that are deep enough may be anywhere.
	// Half and double change no retail order on 1,000 or 10,000 pools (180 orders); with
	// arbitrage of 2 % in 300 tokens they move orders by hundreds of bps either way.
	// maxOthers: half: same, time 1.05; double: same, time 1.05
	maxOthers = 64

	// slack is what 32-bit floats may lose on a path, as a part.
	// slack: half: same, time 1.09; double: same, time 0.99
	slack = 1e-6
	// spotSlack is what the price of the first unit may lose against Pay, as a part.
	// spotSlack: half: same, time 1.05; double: same, time 1.02
	spotSlack = 1e-12
	// linksPerEvaluation is how many looks at links cost as much as one evaluation of a
	// supply curve.
	// linksPerEvaluation: half: same, time 1.01; double: same, time 1.08
	linksPerEvaluation = 64
	// quoteEvaluations is how many evaluations of supply curves cost as much as a pool's
	// own quote.
	// quoteEvaluations: half: same, time 0.94; double: same, time 0.95
	quoteEvaluations = 16
	// endRatio is how many times the value that a link of a path sees the path's end may
	// have at most: by it the size that all links see is known from the end.
	// endRatio: half: same, time 0.95; double: same, time 0.95
	endRatio = 2
	// reuse is the part of the least value at the last link from which on bounds that were
	// made for less still serve.
	// reuse: half: same, time 0.98; double: same, time 1.00
	reuse = 0.85
	// batch is how many links of a hub are compared before it is asked if more can matter.
	// batch: half: same, time 1.13; double: same, time 1.06
	batch = 8
	// hardly is the part by which a chunk must be more at the last link than at the end for
	// its price impact to be worth bounds of its own.
	// hardly: half: same, time 0.99; double: same, time 1.01
	hardly = 2e-3
	// approximations is how often the least value before the last token is approached.
	// approximations: half: same, time 0.94; double: same, time 1.05
	approximations = 4

	// SupplyError is the part by which a supply may be below what its pool pays.
	// SupplyError: half: same, time 0.93; double: same, time 0.98
	SupplyError = 1e-5

	// nearHops is how many hops a path makes from one node of a network to another, and
	// fewHops under a step price with more than ManySteps: longer ones seldom join. With 2
	// retail orders on 10,000 pools lost 7.6 bps on average and 417 at worst; with 5 they
	// gained 0.06 and lost 0.2 at worst (60 orders, generated market, 32 steps). On 1,000
	// pools neither made more than 0.1 bps (120 orders).
	// nearHops: half: retail 2.8 (-6.9 to 39), large 73 (-1.5 to 1.1e+03), time 0.68; double: retail 0.77 (-13 to 37), large 0.012 (-0.13 to 0.57), time 0.95
	// fewHops: half: same, time 0.99; double: same, time 1.00
	nearHops, fewHops = 3, 2
	// SmallNetwork is how many nodes a network has at most for paths of all hops to join:
	// long ones are not looked for once more then.
	// SmallNetwork: half: retail -0.027 (-1.6 to 0), large 0.75 (-0.12 to 15), time 1.03; double: retail 0.34 (-32 to 37), time 1.02
	SmallNetwork = 3
	// ManySteps is how many steps make a plan one that gets less effort for each: shorter
	// paths, and it is not grown a second time.
	// ManySteps: half: retail 0.023 (0 to 0.72), large 1.1 (0 to 22), time 0.87; double: same, time 0.92
	ManySteps = 48

	// maxRounds is how often at most paths are looked for while a network grows.
	// maxRounds: half: retail 0.32 (-4 to 11), large 0.55 (-0.0048 to 11), time 0.88; double: retail -0.031 (-1.9 to 0), time 1.05
	maxRounds = 24
	// FirstChunk is the part of the order for which paths are looked for first, lastChunk
	// the least; chunks become smaller by chunkRatio when little joins. Half and double of
	// FirstChunk: within 0.1 bps on 1,000 pools (120 orders), 3.4 bps at worst either way
	// and less than 0.01 on average on 10,000 (60 orders); at 100 times that size double
	// lost 179 on average and half 6. Half and double of lastChunk: nothing, but 0.03 for
	// one of 180 orders.
	// FirstChunk: half: retail 0.51 (-6.2 to 26), large -16 (-3.2e+02 to 3.4), time 0.86; double: retail 0.45 (-32 to 32), large -22 (-4.5e+02 to 0.77), time 0.95
	// lastChunk: half: retail 0.00025 (0 to 0.015), large -0.032 (-0.63 to 0), time 1.02; double: same, time 0.95
	// chunkRatio: half: retail -0.06 (-1.1 to 0.016), large -0.035 (-0.42 to 2.2e-06), time 1.02; double: retail 0.22 (-2.2 to 6.9), large -0.016 (-0.42 to 0.078), time 0.92
	FirstChunk, lastChunk, chunkRatio = 1. / 4, 1. / 1000, 5
	// WholeChunk is the part from which on paths from the first token are looked for alone.
	// WholeChunk: half: retail 0.28 (0 to 17), time 0.91; double: same, time 0.97
	WholeChunk = 1. / 20
	// RationedChunk, by K, is the largest chunk under a step price, and where steps are left
	// free: about what an edge has.
	// RationedChunk: half: retail 0.0081 (-0.098 to 0.57), large -20 (-4e+02 to 2.1e-08), time 0.92; double: retail 0.011 (-0.079 to 0.72), large -0.053 (-0.63 to 0), time 0.96
	RationedChunk = 2.
	// joinRatio is by how much less than the best of a look a path may gain to join with it.
	// joinRatio: half: retail 0.11 (-0.16 to 3.6), large -18 (-4e+02 to 53), time 0.96; double: retail -0.48 (-29 to 3.2e-08), large -14 (-3.4e+02 to 55), time 0.92
	joinRatio = 64
	// joinGain and littleGain are parts of the order: what a path must gain to join, and
	// below which the next look is for smaller chunks.
	// joinGain: half: retail -4.4e-05 (-0.0016 to 9.1e-05), time 1.03; double: retail 0.00093 (-0.001 to 0.047), time 1.01
	// littleGain: half: same, time 1.01; double: retail -0.017 (-0.85 to 0), time 1.06
	joinGain, littleGain = 1e-7, 1e-5
	// edgesPerStep and moreEdges are how many edges a network may have while it grows, by
	// K: edgesPerStep*K + moreEdges.
	// edgesPerStep: half: retail 0.66 (-0.5 to 11), large -8.5 (-3.9e+02 to 1.1e+02), time 0.78; double: same, time 1.16
	// moreEdges: half: same, time 1.00; double: same, time 1.04
	edgesPerStep, moreEdges = 3, 8
	// barredGain is the part of the order that a path must gain for what bars it to be
	// displaced.
	// barredGain: half: same, time 1.01; double: same, time 0.96
	barredGain = 1e-4
)

// descents are the parts below the upper bound at which a single path is looked for, one
// after the other: most are found close to it, at a small part of the effort.
var descents = []float64{1e-4, 1e-3, 1e-2, 1e-1, 4e-1}

// firstShares are the parts of what the first link leaves of an order that its last link
// is taken to see: the first makes tighter bounds, the second holds more often.
var firstShares = []float64{0.9, 0.5}
