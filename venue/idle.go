package venue

// Idler is the ability of a pool to say why it takes nothing, in one of a few
// constant phrases; empty if it trades.
type Idler interface{ Idle() string }

// Idle is why a pool takes nothing, by its own word or because it is empty.
func Idle(p Pool) string {
	if i, ok := p.(Idler); ok && i.Idle() != "" {
		return i.Idle()
	}
	n := len(p.Info().Tokens)
	for i := range n * n {
		if in, out := i/n, i%n; in != out && p.Spot(in, out) > 0 {
			return ""
		}
	}
	return "no liquidity"
}
