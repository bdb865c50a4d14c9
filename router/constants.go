package router

// What an order gets that does not say.
const (
	// DefaultMaxHops is the longest path. A prototype of this search with three hops lost
	// 2,000 bps on single orders between tail tokens of large markets, and none with five.
	DefaultMaxHops = 5
	// DefaultMaxSteps is K of an order that names none: each step costs gas, and on Monad
	// the gas limit is billed.
	DefaultMaxSteps = 32
	// DefaultBudget is how many evaluations of supply curves a search may take for each
	// step that the plan may have.
	DefaultBudget = 1200
)

// The constants that steer the pipeline. "Order" is the value of the order at the dual
// prices. Where nothing is said about half and double of a constant, that was not measured.
const (
	// clearly is the part by which a split has to pay more than the single path for the
	// exact search of single paths to be left out.
	clearly = 1e-3
	// roundingLoss is the part that integers may lose against floats for sequential paths
	// not to be tried.
	roundingLoss = 1e-5
	// branchShare is the part of another plan's rate that a sequential path has to pay.
	// Where rounding alone makes sequential paths better, it may be less by luck times what
	// integers lose.
	branchShare, luck = 0.97, 10
	// tangledPart and roundingPart, as divisors, are the parts of a search's budget that
	// sequential paths get, where the network is in doubt and where rounding alone is.
	tangledPart, roundingPart = 4, 16

	// leastRest is the part of the first price of the best path that its last unit must be
	// paid for a network to begin with the whole order; leastPart the least part of an order
	// that it begins with otherwise, and looks how often paths join before that is doubled.
	leastRest, leastPart, looks = 1. / 2, 1. / 1024, 2
	// longChunk is the part of the order that long paths are looked for with.
	longChunk = 1. / 20
	// refills is how many looks free steps get, and refillRatio by how much smaller the
	// chunk becomes when nothing fits.
	refills, refillRatio = 3, 5
	// choosable is up to which K links are chosen anew where K binds, if they are not all
	// links of the market: with 16 no order of 300 gained more than 0.002 bps (1,000 pools).
	choosable = 10
	// clearGain is how many times as much as what bars it earns a barred path has to gain.
	clearGain = 5
	// joiningGain is how many times the gain of one barred path all that joins may gain.
	joiningGain = 4
	// displacements is how often edges are displaced.
	displacements = 2
)
