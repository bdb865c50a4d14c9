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

// Sizes of a diagram, in pixels.
const (
	nodeWidth     = 104
	columnWidth   = 300 // from the left side of a token to that of the next
	linkPadding   = 18  // height of a step without its share
	fullLinkWidth = 140 // width of a step that carries the whole order
	nodeGap       = 28  // between tokens of a column
	diagramMargin = 24
)

// diagramNode is a token of the route, as a box.
type diagramNode struct {
	token     common.Address
	amount    u256.Int // that passes through it, in raw units
	col, y, h int      // column, upper edge and height
	in, out   int      // heights of all links that enter and that leave
}

// diagramLink is a step of the route, as a band between two boxes.
type diagramLink struct {
	from, to *diagramNode
	source   string
	weight   int // in 1/10000 of the order
	y1, y2   int // middle of the band at from and at to
}

func (l *diagramLink) height() int { return linkPadding + fullLinkWidth*l.weight/10000 }

// svg draws the route as a Sankey diagram: tokens from left to right, and steps
// between them as wide as their share. The picture refers to nothing outside of it,
// has no script, and follows the reader's light or dark colour scheme.
func (q *quote) svg() string {
	nodes, links := q.diagram()
	width, height := layout(nodes, links)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="system-ui,sans-serif" font-size="12">`, width, height)
	title := q.cache.amountAndSymbol(q.plan.TokenIn, q.amountIn) + " to " + q.cache.amountAndSymbol(q.plan.TokenOut, q.amountOut)
	fmt.Fprintf(&b, `<title>%s</title><style>%s</style><rect class="ground" width="100%%" height="100%%" rx="12" fill="#ffffff"/>`, escapeXML(title), diagramStyle)
	for _, l := range links {
		x1, x2 := diagramMargin+l.from.col*columnWidth+nodeWidth, diagramMargin+l.to.col*columnWidth
		bend := (x2 - x1) / 2
		fmt.Fprintf(&b, `<path class="band" d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#7c5cff" stroke-opacity=".35" stroke-width="%.1f"/>`,
			x1, l.y1, x1+bend, l.y1, x2-bend, l.y2, x2, l.y2, max(1.5, fullLinkWidth*float64(l.weight)/10000))
	}
	for _, l := range links { // texts after all bands, or bands would cover them
		fmt.Fprintf(&b, `<text class="ink halo" x="%d" y="%d" fill="#1a1a2e">%s %.2f%%</text>`,
			diagramMargin+l.from.col*columnWidth+nodeWidth+8, l.y1+4, escapeXML(l.source), float64(l.weight)/100)
	}
	for _, n := range nodes {
		x, mid := diagramMargin+n.col*columnWidth, n.y+n.h/2
		fmt.Fprintf(&b, `<rect class="node" x="%d" y="%d" width="%d" height="%d" rx="8" fill="#eeebff" stroke="#7c5cff"/>`, x, n.y, nodeWidth, n.h)
		fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle" font-weight="600" fill="#1a1a2e">%s</text>`, x+nodeWidth/2, mid-2, escapeXML(truncate(q.cache.token(n.token).Symbol, 12)))
		fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle" fill="#1a1a2e">%s</text>`, x+nodeWidth/2, mid+14, q.cache.formatAmount(n.token, n.amount))
	}
	b.WriteString("</svg>")
	return b.String()
}

// diagram is the plan as nodes and links. The first two nodes are the input and the
// output token. The steps of a plan are in order: a node's column is final before a
// link leaves it. The output is alone in the last column.
func (q *quote) diagram() (nodes []*diagramNode, links []*diagramLink) {
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
		links = append(links, &diagramLink{from: from, to: to, source: s.Pool.Info().Source.ID, weight: weights[i]})
	}
	return nodes, links
}

// diagramStyle is the style sheet of a diagram: an outline around texts, and dark
// colours.
const diagramStyle = `.halo{paint-order:stroke;stroke:#fff;stroke-width:3px}` +
	`@media(prefers-color-scheme:dark){.ground{fill:#12121c}.ink{fill:#f0f0fa}.halo{stroke:#12121c}.node{fill:#2a2450;stroke:#9d86ff}.band{stroke:#9d86ff;stroke-opacity:.45}}`

// layout places the nodes of each column below each other, centres every column
// vertically, and lets links leave and enter a node in the order of their other
// ends, so that few cross. It returns the size of the picture.
func layout(nodes []*diagramNode, links []*diagramLink) (width, height int) {
	for _, l := range links {
		l.from.out += l.height()
		l.to.in += l.height()
	}
	last := nodes[1].col
	heights := make([]int, last+1) // of the columns
	for _, n := range nodes {
		n.h = max(n.in, n.out, 44)
		n.y = heights[n.col]
		heights[n.col] += n.h + nodeGap
	}
	highest := slices.Max(heights)
	ends := map[*diagramNode][2]int{} // y at which the next link enters and leaves
	for _, n := range nodes {
		n.y += diagramMargin + (highest-heights[n.col])/2
		ends[n] = [2]int{n.y + (n.h-n.in)/2, n.y + (n.h-n.out)/2}
	}
	take := func(n *diagramNode, side int, l *diagramLink) (middle int) {
		e := ends[n]
		middle = e[side] + l.height()/2
		e[side] += l.height()
		ends[n] = e
		return middle
	}
	slices.SortStableFunc(links, func(a, b *diagramLink) int { return a.to.y + a.to.h/2 - b.to.y - b.to.h/2 })
	for _, l := range links {
		l.y1 = take(l.from, 1, l)
	}
	slices.SortStableFunc(links, func(a, b *diagramLink) int { return a.y1 - b.y1 })
	for _, l := range links {
		l.y2 = take(l.to, 0, l)
	}
	return 2*diagramMargin + last*columnWidth + nodeWidth, 2*diagramMargin + highest - nodeGap
}

// escapeXML is a text for use between XML tags.
func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}

// truncate cuts a text to so many characters.
func truncate(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}

// amountAndSymbol is an amount in whole tokens, with the token's symbol.
func (c *snapshotCache) amountAndSymbol(a common.Address, amount u256.Int) string {
	return c.formatAmount(a, amount) + " " + c.token(a).Symbol
}

// formatAmount is an amount in whole tokens, cut to six significant digits; in
// scientific notation from 10^12 on.
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
