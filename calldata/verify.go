package calldata

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Claim is what was asked for, and what the answer says of it.
type Claim struct {
	Terms
	TokenIn, TokenOut common.Address // never native
	AmountIn          string         // in digits, as both are
	Legs              []Leg          // the routes of the answer, in order
	Now               uint64         // seconds
}

// Leg is one swap through one pool.
type Leg struct {
	Pool    string
	In, Out u256.Int
}

// Verify takes the transaction apart and holds it to the claim. The error joins
// whatever is not as claimed; MinOut and Deadline of the claim are limits.
func (c Contracts) Verify(tx Tx, claim Claim) (Swap, error) {
	s, err := Decode(tx.Data, c.Kinds)
	if err != nil {
		return Swap{}, err
	}
	var faults []error
	same := func(what string, got, want any) {
		if got != want {
			faults = append(faults, fmt.Errorf("%s is %v, not %v", what, got, want))
		}
	}
	same("the contract", tx.To, c.Router)
	same("the executor", s.Executor, c.Executor)
	same("tokenIn", s.TokenIn, claim.TokenIn)
	same("amountIn", s.AmountIn.String(), claim.AmountIn)
	same("the recipient", s.Recipient, claim.Recipient)
	out, value := claim.TokenOut, "0"
	if claim.NativeOut {
		out = common.Address{}
	}
	if claim.NativeIn {
		value = s.AmountIn.String()
	}
	same("tokenOut", s.TokenOut, out)
	same("the value", tx.Value.String(), value)
	if s.MinOut.Lt(claim.MinOut) || s.MinOut.IsZero() {
		faults = append(faults, fmt.Errorf("the least to be paid is %s, not %s", s.MinOut, claim.MinOut))
	}
	if s.Deadline < claim.Now || s.Deadline > claim.Deadline {
		faults = append(faults, fmt.Errorf("the deadline is second %d, not between %d and %d", s.Deadline, claim.Now, claim.Deadline))
	}
	if !s.Permit.is(claim.Permit) {
		faults = append(faults, errors.New("the permit is not the one that was given"))
	}
	if p := s.Permit; p != nil && (p.Amount.Lt(s.AmountIn) || p.Deadline < claim.Now || claim.NativeIn) {
		faults = append(faults, errors.New("the permit is too small, too late or for native"))
	}
	if !s.Fee.is(claim.Fee) {
		faults = append(faults, fmt.Errorf("the fee is %s, not %s", s.Fee, claim.Fee))
	}
	if f := s.Fee; f != nil && (f.Recipient == s.Recipient || f.Recipient == c.Router || f.Recipient == c.Executor) {
		faults = append(faults, errors.New("the fee goes to the recipient of the swap, or to a contract that would keep it"))
	}
	if err := s.follows(claim.Legs, c.WrappedNative); err != nil {
		faults = append(faults, err)
	}
	return s, errors.Join(faults...)
}

// follows holds the steps to the legs: the same pools in the same order, each
// given what the leg says.
func (s *Swap) follows(legs []Leg, wrapped common.Address) error {
	held := map[common.Address]u256.Int{s.TokenIn: s.AmountIn}
	if f := s.Fee.in(); f != nil {
		held[s.TokenIn] = f.Rest(s.AmountIn)
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		ids := step.kind.Pools(step.call(), wrapped)
		if len(legs) < len(ids) {
			return errors.New("the calldata has more steps than the routes")
		}
		for j, id := range ids {
			if !strings.EqualFold(string(id), legs[j].Pool) {
				return fmt.Errorf("step %d goes through the pool %s, not %s", i+1, id, legs[j].Pool)
			}
		}
		amount, ok := step.Share.Of(held[step.TokenIn])
		if !ok || amount != legs[0].In {
			return fmt.Errorf("step %d is given %s, not %s", i+1, amount, legs[0].In)
		}
		held[step.TokenIn] = held[step.TokenIn].Sub(amount)
		held[step.TokenOut] = held[step.TokenOut].Add(legs[len(ids)-1].Out)
		legs = legs[len(ids):]
	}
	if len(legs) > 0 {
		return errors.New("the routes have more steps than the calldata")
	}
	return nil
}
