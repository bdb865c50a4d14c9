package calldata

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// Words tell the whole of a swap, line by line: two that differ anywhere differ
// in words. name gives a token another name than its address; nil gives none.
func (s *Swap) Words(name func(common.Address) string) []string {
	called := func(a common.Address) string {
		if a == (common.Address{}) {
			return "native"
		}
		if name != nil {
			if n := name(a); n != "" {
				return n + " " + a.Hex()
			}
		}
		return a.Hex()
	}
	lines := []string{
		fmt.Sprintf("take %s of %s from the sender", s.AmountIn, called(s.TokenIn)),
		fmt.Sprintf("pay at least %s of %s to %s", s.MinOut, called(s.TokenOut), s.Recipient),
		fmt.Sprintf("until second %d", s.Deadline),
		fmt.Sprintf("carried out by %s", s.Executor),
	}
	if f := s.Fee.in(); f != nil {
		lines = append(lines, fmt.Sprintf("of the input pay a fee of %d bps, %s, to %s", f.Bps, f.Of(s.AmountIn), f.Recipient))
	}
	if f := s.Fee.out(); f != nil {
		lines = append(lines, fmt.Sprintf("of the output pay a fee of %d bps to %s; what the recipient is paid is after it", f.Bps, f.Recipient))
	}
	if p := s.Permit; p != nil {
		lines = append(lines, fmt.Sprintf("paid by a %s permit of %s, nonce %s, until second %d, signed %#x", p.Kind, p.Amount, p.Nonce, p.Deadline, p.Signature))
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		lines = append(lines, fmt.Sprintf("%d. swap %s of %s for %s %s", i+1, step.share(), called(step.TokenIn), called(step.TokenOut), step.kind.Words(step.call(), called)))
	}
	return lines
}

func (s *Step) share() string {
	switch {
	case s.Prepaid:
		return "all it was just paid"
	case s.Share == 0:
		return "all that is held"
	}
	return fmt.Sprintf("%.2f%% (%d/2^32)", 100*float64(s.Share)/(1<<32), s.Share)
}
