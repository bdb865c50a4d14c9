package bound

// The constants that steer this package. "Order" is the value of the order at the dual
// prices, in units of the last token. A looser search only makes the bound less tight: it
// holds at any prices. Where nothing is said about half and double of a constant, that was
// not measured.
const (
	// maxEffort is how many links are looked at, or the like, before the search ends.
	maxEffort = 100_000_000
	// maxTokens is how many tokens have their prices found together: the size of a network.
	maxTokens = 256
	// joinAtOnce is how many tokens join them before the prices are found anew.
	joinAtOnce = 64
	// startEdges is how many edges the network has at most that the search starts from.
	startEdges = 512
	// queueRounds is how often on average a token's price may be raised by its neighbours
	// before arbitrage is taken to raise it for ever.
	queueRounds = 4
	// relaxations is how often the prices of tokens outside the network are balanced,
	// halvings in how many steps each is, and relaxed the part of their profit that must be
	// left for another time not to pay.
	relaxations, halvings, relaxed = 8, 16, 3. / 4
	// maxLimits is how often the holdings of a plan are limited by the bound before, and
	// limited the part of the bound that this must take off it.
	maxLimits, limited = 16, 1e-4
	// loose is the part of the order by which the flow at a token may not add up.
	loose = 1e-6
	// negligible is the part of the order that is not worth another round.
	negligible = 1e-6
	// floatError is the part by which sums of floats may be too low.
	floatError = 1e-9
	// slack is what 32-bit floats of the graph may lose, as a part.
	slack = 1e-6

	// linkRounds is how often link prices are moved at most, firstMove and lastMove the
	// largest and least move in parts of the step price; moves that help become longer by
	// longer, others shorter by shorter.
	linkRounds, firstMove, lastMove = 40, 0.3, 1e-3
	longer, shorter                 = 1.3, 3
	// wide, narrow and sharp are smoothings, in parts of the step price: to begin with,
	// while link prices are found, and at the end.
	wide, narrow, sharp = 1., 1. / 4, 1. / 64
)
