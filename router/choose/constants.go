package choose

// The constants that steer this package.
const (
	// width is how many networks of each number of links are grown.
	width = 64
	// fewLinks is up to which K networks are tried that lack two links of the known one.
	fewLinks = 8
	// leastGain is the part of the output by which a network must be better.
	leastGain = 1e-9
)
