package chain

import (
	"encoding/json"
	"strings"
)

// BlockState says how far the consensus about a block has come. Later states are
// greater.
type BlockState uint8

// States of a block, as nodes of Monad announce them by monadNewHeads. A proposed
// block is executed, and may still be replaced; one that was voted on hardly; one
// that is finalized never.
const (
	StateUnknown BlockState = iota
	Proposed
	Voted
	Finalized
)

// String is the name of the state; empty if it is not known.
func (s BlockState) String() string {
	return [...]string{"", "proposed", "voted", "finalized"}[s]
}

// announcement is a notification of newHeads or monadNewHeads. The latter come once
// for each state of a block, so not all of them are about the head.
type announcement struct {
	Header
	state BlockState
}

// UnmarshalJSON reads a header with or without commitState.
func (a *announcement) UnmarshalJSON(data []byte) error {
	var f struct{ CommitState string }
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	switch strings.ToLower(f.CommitState) {
	case "proposed":
		a.state = Proposed
	case "voted":
		a.state = Voted
	case "finalized", "verified": // verified: its state root is in a finalized block too
		a.state = Finalized
	}
	return a.Header.UnmarshalJSON(data)
}
