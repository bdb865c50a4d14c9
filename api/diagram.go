package api

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/u256"
)

// The measures of a diagram, in pixels.
const (
	nodeWidth     = 104
	columnWidth   = 300 // from one token to the next
	linkPadding   = 18  // of a step, beside its share
	fullLinkWidth = 140 // of a step that carries everything
	nodeGap       = 28  // between tokens above each other
	diagramMargin = 24
)

// node is a token of the route: a column, a place in it, and how much of
// either side the steps take.
type diagramNode struct {
	token     common.Address
	amount    u256.Int
	col, y, h int
	in, out   int
}

// band is a step of the route, with its middle at either end.
type diagramLink struct {
	from, to *diagramNode
	source   string
	weight   int
	y1, y2   int
}

func (b *diagramLink) height() int { return linkPadding + fullLinkWidth*b.weight/10000 }

// viz draws the route: tokens from left to right, steps between them as wide
// as their share. The picture needs nothing from outside, and follows the
// reader's taste for light or dark.
func (q *quote) svg() string {
	nodes, bands := q.diagram()
	width, height := layout(nodes, bands)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="system-ui,sans-serif" font-size="12">`, width, height)
	title := q.cache.amountAndSymbol(q.plan.TokenIn, q.plan.AmountIn) + " to " + q.cache.amountAndSymbol(q.plan.TokenOut, q.plan.AmountOut)
	fmt.Fprintf(&b, `<title>%s</title><style>%s</style><rect class="ground" width="100%%" height="100%%" rx="12" fill="#ffffff"/>`, escapeXML(title), diagramStyle)
	for _, s := range bands {
		x1, x2 := diagramMargin+s.from.col*columnWidth+nodeWidth, diagramMargin+s.to.col*columnWidth
		bend := (x2 - x1) / 2
		fmt.Fprintf(&b, `<path class="band" d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#7c5cff" stroke-opacity=".35" stroke-width="%.1f"/>`,
			x1, s.y1, x1+bend, s.y1, x2-bend, s.y2, x2, s.y2, max(1.5, fullLinkWidth*float64(s.weight)/10000))
	}
	for _, s := range bands { // above all bands
		fmt.Fprintf(&b, `<text class="ink halo" x="%d" y="%d" fill="#1a1a2e">%s %.2f%%</text>`,
			diagramMargin+s.from.col*columnWidth+nodeWidth+8, s.y1+4, escapeXML(s.source), float64(s.weight)/100)
	}
	for _, n := range nodes {
		x, mid := diagramMargin+n.col*columnWidth, n.y+n.h/2
		fmt.Fprintf(&b, `<rect class="node" x="%d" y="%d" width="%d" height="%d" rx="8" fill="#eeebff" stroke="#7c5cff"/>`, x, n.y, nodeWidth, n.h)
		fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle" font-weight="600" fill="#1a1a2e">%s</text>`, x+nodeWidth/2, mid-2, escapeXML(truncate(q.cache.symbol(n.token), 12)))
		fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle" fill="#1a1a2e">%s</text>`, x+nodeWidth/2, mid+14, q.cache.formatAmount(n.token, n.amount))
	}
	b.WriteString("</svg>")
	return b.String()
}

// flow is the plan as nodes, one for each place, and bands. A token is made
// before it is used, so columns come out right; the last token stands alone at
// the end.
func (q *quote) diagram() (nodes []*diagramNode, bands []*diagramLink) {
	p := &q.plan
	nodes = []*diagramNode{{token: p.TokenIn, amount: p.AmountIn}, {token: p.TokenOut, amount: p.AmountOut}}
	last := nodes[plan.Last]
	places, next := p.Places()
	weights := p.Weights()
	for i := range p.Steps {
		s := &p.Steps[i]
		if next[i] == len(nodes) {
			nodes = append(nodes, &diagramNode{token: s.TokenOut()})
		}
		from, to := nodes[places[i]], nodes[next[i]]
		if to != last {
			to.amount = to.amount.Add(s.AmountOut)
			to.col = max(to.col, from.col+1)
		}
		last.col = max(last.col, from.col+1)
		bands = append(bands, &diagramLink{from: from, to: to, source: s.Pool.Info().Source.ID, weight: weights[i]})
	}
	return nodes, bands
}

const diagramStyle = `.halo{paint-order:stroke;stroke:#fff;stroke-width:3px}` +
	`@media(prefers-color-scheme:dark){.ground{fill:#12121c}.ink{fill:#f0f0fa}.halo{stroke:#12121c}.node{fill:#2a2450;stroke:#9d86ff}.band{stroke:#9d86ff;stroke-opacity:.45}}`

// stack puts the tokens of each column above each other, every column in the
// middle, and lets bands leave and enter a token in the order of their other
// ends, so that few cross. It returns the size of the picture.
func layout(nodes []*diagramNode, bands []*diagramLink) (width, height int) {
	for _, s := range bands {
		s.from.out += s.height()
		s.to.in += s.height()
	}
	last := nodes[1].col
	tall := make([]int, last+1)
	for _, n := range nodes {
		n.h = max(n.in, n.out, 44)
		n.y = tall[n.col]
		tall[n.col] += n.h + nodeGap
	}
	most := slices.Max(tall)
	ends := map[*diagramNode][2]int{} // where the next band enters and leaves
	for _, n := range nodes {
		n.y += diagramMargin + (most-tall[n.col])/2
		ends[n] = [2]int{n.y + (n.h-n.in)/2, n.y + (n.h-n.out)/2}
	}
	take := func(n *diagramNode, side int, s *diagramLink) (middle int) {
		e := ends[n]
		middle = e[side] + s.height()/2
		e[side] += s.height()
		ends[n] = e
		return middle
	}
	slices.SortStableFunc(bands, func(a, b *diagramLink) int { return a.to.y + a.to.h/2 - b.to.y - b.to.h/2 })
	for _, s := range bands {
		s.y1 = take(s.from, 1, s)
	}
	slices.SortStableFunc(bands, func(a, b *diagramLink) int { return a.y1 - b.y1 })
	for _, s := range bands {
		s.y2 = take(s.to, 0, s)
	}
	return 2*diagramMargin + last*columnWidth + nodeWidth, 2*diagramMargin + most - nodeGap
}

func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}

// clip cuts what would not fit.
func truncate(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}

func (c *snapshotCache) amountAndSymbol(a common.Address, amount u256.Int) string {
	return c.formatAmount(a, amount) + " " + c.symbol(a)
}

// readable is an amount in whole tokens, cut to six digits that count.
func (c *snapshotCache) formatAmount(a common.Address, amount u256.Int) string {
	i, _ := c.Token(a)
	digits, decimals := amount.String(), int(c.Tokens()[i].Decimals)
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
