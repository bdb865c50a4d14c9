package balancer

// Arguments of BalancerDesk and the pools' constructors, for the tests.
type (
	TokenConfig    = tokenConfig
	WeightedParams = weightedParams
	StableParams   = stableParams
)
