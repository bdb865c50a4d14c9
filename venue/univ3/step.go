package univ3

import "braid/venue"

// Kind is the number of the Executor's step for a pool. Its body is the pool's
// address.
const Kind = 4

// Step describes the Executor's step for a pool.
func (f *Family) Step() venue.StepKind { return venue.PoolStep(Kind, "in the V3 pool") }

// Call lets the pool ask for its input once it has paid.
func (p *Pool) Call(in, out int) venue.Call {
	return venue.Call{Kind: Kind, Body: p.address.Bytes()}
}
