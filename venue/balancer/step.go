package balancer

import "braid/venue"

// Kind is the number of the Executor's step for a swap in the vault. Its body
// is the pool's address.
const Kind = 6

// Step describes the Executor's step for a swap in the vault.
func (f *Family) Step() venue.StepKind { return venue.PoolStep(Kind, "in the Balancer pool") }

// Call names the pool to the vault, which is a constant of the Executor.
func (p *Pool) Call(in, out int) venue.Call {
	return venue.Call{Kind: Kind, Body: p.address.Bytes()}
}
