package feed

import (
	"braid/u256"
	"braid/venue"
)

// withheld stands for a pool that may not be routed. It quotes nothing.
type withheld struct {
	info   *venue.Info
	reason string
}

// Info, Idle and the other methods implement venue.Pool and venue.Idler.
func (p withheld) Info() *venue.Info { return p.info }
func (p withheld) Idle() string      { return p.reason }
func (p withheld) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	return venue.Quote{}, venue.ErrEmpty
}
func (p withheld) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	return nil, venue.ErrEmpty
}
func (p withheld) Spot(in, out int) float64    { return 0 }
func (p withheld) Depth(token int) float64     { return 0 }
func (p withheld) Call(in, out int) venue.Call { return venue.Call{} }
