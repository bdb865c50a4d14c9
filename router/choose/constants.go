package choose

// The constants that steer this package.
const (
	// width is how many networks of each number of links are grown, and effort how many
	// evaluations of supply curves a search may take; exactWidth and exactEffort are those of
	// an exact search, which on markets of 12 pools uses all of them for no order of 500.
	// With a fifth of effort retail orders of four steps lost 0.7 bps on average, with five
	// times as much they gained 0.3 and took twice the time (1,000 pools, 150 orders).
	width, effort, exactWidth, exactEffort = 16, 20_000, 64, 100_000
	// fewLinks is up to which K networks are tried that lack two links of the known one.
	fewLinks = 8
	// leastGain is the part of the output by which a network must be better.
	leastGain = 1e-9
)
