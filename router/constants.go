package router

// What an order gets that does not say.
const (
	// DefaultMaxHops is the longest path. A prototype of this search with three hops lost
	// 2,000 bps on single orders between tail tokens of large markets, and none with five.
	// DefaultMaxHops: half: retail 6.1 (-18 to 48), large -0.85 (-77 to 53), time 0.45; double: retail -1.2 (-34 to 52), large 0.11 (-1.8 to 4.1), time 1.07
	DefaultMaxHops = 5
	// DefaultMaxSteps is K of an order that names none: each step costs gas, and on Monad
	// the gas limit is billed.
	DefaultMaxSteps = 32
	// DefaultBudget is how many evaluations of supply curves a search may take for each
	// step that the plan may have.
	// DefaultBudget: half: retail 0.64 (-0.048 to 20), large 7.6 (0 to 1.4e+02), time 0.83; double: retail -0.031 (-1.9 to 9.9e-08), time 1.18
	DefaultBudget = 1200
)

// The constants that steer the pipeline. "Order" is the value of the order at the dual
// prices.
//
// A line "name: half: …; double: …" is what make constants ORDERS=30 found, with 60 retail and
// 20 large orders on 1,000 pools, sane and with arbitrage: mean loss in bps, its range, and
// the ratio of times on a busy machine. Where there is none, that was not measured.
const (
	// clearly is the part by which a split has to pay more than the single path for the
	// exact search of single paths to be left out.
	// clearly: half: same, time 1.04; double: same, time 0.96
	clearly = 1e-3
	// roundingLoss is the part that integers may lose against floats for sequential paths
	// not to be tried.
	// roundingLoss: half: same, time 1.02; double: same, time 0.97
	roundingLoss = 1e-5
	// branchShare is the part of another plan's rate that a sequential path has to pay.
	// Where rounding alone makes sequential paths better, it may be less by luck times what
	// integers lose.
	// branchShare: half: same, time 1.06; double: same, time 0.96
	// luck: half: same, time 1.04; double: same, time 1.04
	branchShare, luck = 0.97, 10
	// tangledPart and roundingPart, as divisors, are the parts of a search's budget that
	// sequential paths get, where the network is in doubt and where rounding alone is.
	// tangledPart: half: same, time 1.14; double: same, time 0.98
	// roundingPart: half: same, time 1.00; double: same, time 0.92
	tangledPart, roundingPart = 4, 16

	// leastRest is the part of the first price of the best path that its last unit must be
	// paid for a network to begin with the whole order; leastPart the least part of an order
	// that it begins with otherwise, and looks how often paths join before that is doubled.
	leastRest, leastPart, looks = 1. / 2, 1. / 1024, 2
	// longChunk is the part of the order that long paths are looked for with.
	// longChunk: half: same, time 1.05; double: same, time 1.01
	longChunk = 1. / 20
	// refills is how many looks free steps get, and refillRatio by how much smaller the
	// chunk becomes when nothing fits.
	// refills: half: retail 0.012 (0 to 0.35), large 0.00041 (0 to 0.0056), time 0.99; double: retail -0.0022 (-0.13 to 0), time 1.04
	// refillRatio: half: same, time 1.04; double: same, time 0.99
	refills, refillRatio = 3, 5
	// choosable is up to which K links are chosen anew where K binds, if they are not all
	// links of the market: with 16 no order of 300 gained more than 0.002 bps (1,000 pools).
	choosable = 10
	// smallMarket is up to how many links of a market all are candidates. With twice as
	// many the tests of small markets (TestFindWithout) took three times as long.
	smallMarket = 32
	// clearGain is how many times as much as what bars it earns a barred path has to gain.
	// clearGain: half: same, time 1.06; double: same, time 0.97
	clearGain = 5
	// joiningGain is how many times the gain of one barred path all that joins may gain.
	// joiningGain: half: same, time 0.94; double: same, time 0.93
	joiningGain = 4
	// displacements is how often edges are displaced.
	// displacements: half: same, time 1.05; double: same, time 1.04
	displacements = 2
)
