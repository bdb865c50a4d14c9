package venue

// Idler is a pool that can give the reason why it takes no swaps, as one of a
// few constant texts; empty if it takes them.
type Idler interface{ Idle() string }

// Idle is the reason why a pool takes no swaps: its own, or that it is empty.
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
