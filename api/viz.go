package api

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// The measures of a diagram, in pixels.
const (
	nodeWidth = 104
	column    = 300 // from one token to the next
	lane      = 18  // of a step, beside its share
	fullWidth = 140 // of a step that carries everything
	gap       = 28  // between tokens above each other
	margin    = 24
)

// node is a token of the route: a column, a place in it, and the heights that
// steps have taken so far on either side.
type node struct {
	token       common.Address
	col, y, h   int
	in, out     int // heights of the steps into and out of it
	atIn, atOut int
	amount      u256.Int
}

// viz draws the route: tokens from left to right, steps between them as wide
// as their share. The picture needs nothing from outside, and follows the
// reader's taste for light or dark.
func (t *trade) viz() string {
	p := &t.plan
	weights := p.Weights()
	height := func(step int) int { return lane + fullWidth*weights[step]/10000 }
	nodes := []*node{{token: p.TokenIn, amount: p.AmountIn}}
	at := map[common.Address]*node{p.TokenIn: nodes[0]}
	for i := range p.Steps { // a token is made before it is used, so columns come out right
		from, to := at[p.Steps[i].TokenIn()], at[p.Steps[i].TokenOut()]
		if to == nil {
			to = &node{token: p.Steps[i].TokenOut()}
			at[to.token] = to
			nodes = append(nodes, to)
		}
		to.col = max(to.col, from.col+1)
		to.amount = to.amount.Add(p.Steps[i].AmountOut)
		from.out += height(i)
		to.in += height(i)
	}
	width, high := stack(nodes, at[p.TokenOut])

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="system-ui,sans-serif" font-size="12">`, width, high)
	title := fmt.Sprintf("%s to %s", t.desk.label(p.TokenIn, p.AmountIn), t.desk.label(p.TokenOut, p.AmountOut))
	fmt.Fprintf(&b, `<title>%s</title><style>%s</style><rect class="ground" width="100%%" height="100%%" rx="12" fill="#ffffff"/>`, escaped(title), darkness)
	var labels strings.Builder
	for i := range p.Steps {
		step := &p.Steps[i]
		from, to := at[step.TokenIn()], at[step.TokenOut()]
		x1, x2 := margin+from.col*column+nodeWidth, margin+to.col*column
		y1, y2 := from.y+from.atOut+height(i)/2, to.y+to.atIn+height(i)/2
		from.atOut += height(i)
		to.atIn += height(i)
		bend := (x2 - x1) / 2
		fmt.Fprintf(&b, `<path class="band" d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#7c5cff" stroke-opacity=".35" stroke-width="%.1f"/>`,
			x1, y1, x1+bend, y1, x2-bend, y2, x2, y2, max(1.5, fullWidth*float64(weights[i])/10000))
		fmt.Fprintf(&labels, `<text class="ink halo" x="%d" y="%d" fill="#1a1a2e">%s %.2f%%</text>`,
			x1+8, y1+4, escaped(step.Pool.Info().Source.ID), float64(weights[i])/100)
	}
	b.WriteString(labels.String())
	for _, n := range nodes {
		x, mid := margin+n.col*column, n.y+n.h/2
		fmt.Fprintf(&b, `<rect class="node" x="%d" y="%d" width="%d" height="%d" rx="8" fill="#eeebff" stroke="#7c5cff"/>`, x, n.y, nodeWidth, n.h)
		fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle" font-weight="600" fill="#1a1a2e">%s</text>`, x+nodeWidth/2, mid-2, escaped(clip(t.desk.symbol(n.token), 12)))
		fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle" fill="#1a1a2e">%s</text>`, x+nodeWidth/2, mid+14, t.desk.readable(n.token, n.amount))
	}
	b.WriteString("</svg>")
	return b.String()
}

const darkness = `.halo{paint-order:stroke;stroke:#fff;stroke-width:3px}` +
	`@media(prefers-color-scheme:dark){.ground{fill:#12121c}.ink{fill:#f0f0fa}.halo{stroke:#12121c}.node{fill:#2a2450;stroke:#9d86ff}.band{stroke:#9d86ff;stroke-opacity:.45}}`

// stack puts the tokens of each column above each other, the last one alone at
// the end, and every column in the middle. It returns the size of the picture.
func stack(nodes []*node, last *node) (width, height int) {
	for _, n := range nodes {
		if n != last {
			last.col = max(last.col, n.col+1)
		}
		n.h = max(n.in, n.out, 44)
	}
	tall := make([]int, last.col+1)
	for _, n := range nodes {
		n.y = tall[n.col]
		tall[n.col] += n.h + gap
	}
	most := slices.Max(tall)
	for _, n := range nodes {
		n.y += margin + (most-tall[n.col])/2
		n.atIn, n.atOut = (n.h-n.in)/2, (n.h-n.out)/2
	}
	return 2*margin + last.col*column + nodeWidth, 2*margin + most - gap
}

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}

// clip cuts what would not fit.
func clip(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}

func (d *desk) label(a common.Address, amount u256.Int) string {
	return d.readable(a, amount) + " " + d.symbol(a)
}

// readable is an amount in whole tokens, cut to six digits that count.
func (d *desk) readable(a common.Address, amount u256.Int) string {
	i, _ := d.Token(a)
	digits, decimals := amount.String(), int(d.Tokens()[i].Decimals)
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	if point > 12 {
		return strconv.FormatFloat(amount.Float()/math.Pow10(decimals), 'e', 2, 64)
	}
	first := len(digits) - len(strings.TrimLeft(digits, "0"))
	digits = digits[:min(len(digits), max(first+6, point))]
	part := strings.TrimRight(digits[point:], "0")
	if part == "" || len(part) > 18 {
		return digits[:point]
	}
	return digits[:point] + "." + part
}
