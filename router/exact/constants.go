package exact

// The constants that steer this package. Where nothing is said about half and double of a
// constant, that was not measured.
const (
	// lotBits is the part of an amount, as a power of 1/2, that makes no difference to a
	// pool that trades in lots: one in two million.
	lotBits = 21
	// maxLots is how many steps of a plan that lose to lots are mended.
	maxLots = 8
	// lotPrecision is the part of what a step can spare, as a power of 1/2, up to which the
	// least amount is found.
	lotPrecision = 5
	// shareBits is the precision of a share: a step gets so much more that it does not fall
	// below its lots.
	shareBits = 31

	// lossy is the part by which a pool pays less than its supply for its edge to leave.
	lossy = 1e-4
	// exchangeable is the part by which a pool may pay less than another by its supply to be
	// tried in its place.
	exchangeable = 1e-3

	// maxBranches is how many sequential paths a plan may have, and parts in how many parts
	// the order is dealt to them.
	maxBranches, parts = 8, 20
	// shifts is how often the order is halved to move that much between two branches.
	shifts = 12
)

// headrooms are fractions of a saturated pool's capacity left unused, so that float error
// cannot overflow the integer limit; the last is negative: pools that trade in lots lack
// something instead.
var headrooms = []float64{0, 1e-7, 1e-4, -2e-3}

// sizes are the parts of the order for which branches are looked for, in two bounds: the
// best path for all first, or what is best for less and can be no more.
var sizes = [2][maxBranches]int{{parts, 1, 1, 1, 1, 1, 1, 1}, {4, 4, 4, 1, 1, 1, 1, 1}}
