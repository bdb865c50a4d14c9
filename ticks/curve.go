package ticks

import (
	"sync/atomic"

	"braid/u256"
)

// pips is the denominator of fees.
const pips = 1_000_000

// Curve is one direction through a book at a fee. What full steps between
// boundaries take and give does not depend on where the price stands, so their
// sums are kept and serve every state of the pool until its book changes.
// Pools of many blocks share one Curve.
type Curve struct {
	book *Book
	fee  uint64
	down bool // token0 comes in
	sums atomic.Pointer[ladder]
}

// NewCurve is a direction through the book, at a fee in hundredths of a basis
// point, below a million.
func NewCurve(book *Book, feePips uint64, zeroForOne bool) *Curve {
	return &Curve{book: book, fee: feePips, down: zeroForOne}
}

// Point is where a pool stands. At the price of a boundary the tick tells on
// which side.
type Point struct {
	Price u256.Int // sqrt, Q64.96
	Tick  int32
}

// Valid tells whether a pool can stand there: the price lies in its tick or at
// the upper end of it.
func (p Point) Valid() bool {
	return p.Tick >= MinTick && p.Tick < MaxTick &&
		!p.Price.Lt(GetSqrtRatioAtTick(p.Tick)) && !p.Price.Gt(GetSqrtRatioAtTick(p.Tick+1))
}

// Fill is how far a swap comes.
type Fill struct {
	Point
	Out     u256.Int
	Left    u256.Int // of the amount, when liquidity ends before it does
	Crossed int      // initialised ticks
	Words   int      // of the bitmap, beside the first

	within bool // the price moved on from the last boundary, the tick not yet
}

// Swap is the contract's swap of an exact input with no limit of price.
func (c *Curve) Swap(at Point, amount u256.Int) Fill {
	f := c.Quote(at, amount)
	if f.within {
		f.Tick = GetTickAtSqrtRatio(f.Price)
	}
	return f
}

// Quote is Swap without the tick. It allocates nothing, but for the sums when
// they reach further than any quote before.
func (c *Curve) Quote(at Point, amount u256.Int) Fill {
	f := Fill{Point: at, Left: amount}
	if c.step(&f) && !c.climb(&f) {
		for c.step(&f) {
		}
	}
	f.Crossed = distance(c.book.at(at.Tick), c.book.at(f.Tick))
	f.Words = distance(int(c.book.compress(at.Tick)>>8), int(c.book.compress(f.Tick)>>8))
	return f
}

func distance(a, b int) int { return max(a-b, b-a) }

// Spot is how much of the other token the first unit brings, net of the fee;
// 0 if no liquidity lies this way.
func (c *Curve) Spot(at Point) float64 {
	root := c.ahead(at).Float() / 0x1p96
	if root == 0 {
		return 0
	}
	if !c.down {
		root = 1 / root
	}
	return root * root * (1 - float64(c.fee)/pips)
}

// ahead is the price at which the first unit is swapped: the present one, or,
// where no liquidity is in force, that at which the next range begins.
func (c *Curve) ahead(at Point) u256.Int {
	for !c.done(at.Price) {
		end, liquidity, ok := c.book.next(at.Tick, c.down)
		if !ok {
			break
		}
		if !liquidity.IsZero() && end.Price != at.Price {
			return at.Price
		}
		at = c.cross(end)
	}
	return u256.Zero
}

// step is one turn of the contract's loop: to the next boundary or as far as
// the rest carries. It is false when the loop ends.
func (c *Curve) step(f *Fill) bool {
	end, liquidity, ok := c.book.next(f.Tick, c.down)
	if !ok || c.done(f.Price) {
		return false
	}
	cost := c.cost(f.Price, end.Price, liquidity)
	if f.Left.Lt(cost) {
		c.rest(f, liquidity)
		return false
	}
	f.Left = f.Left.Sub(cost)
	f.Out = f.Out.Add(c.amountOut(f.Price, end.Price, liquidity))
	f.Point = c.cross(end)
	return !f.Left.IsZero()
}

// rest is the last turn, which does not reach its boundary and uses up all
// that is left: what is not swapped is fee.
func (c *Curve) rest(f *Fill, liquidity u256.Int) {
	lessFee := f.Left.Mul(u256.From(pips - c.fee)).Div(u256.From(pips))
	price := GetNextSqrtPriceFromInput(f.Price, liquidity, lessFee, c.down)
	f.Out = f.Out.Add(c.amountOut(f.Price, price, liquidity))
	f.within = price != f.Price
	f.Price, f.Left = price, u256.Zero
}

// cost is what a step all the way takes in, with the fee: amountIn and
// feeAmount of computeSwapStep, which reaches its target exactly if that much
// is left. Amounts of a step are below 2^192.
func (c *Curve) cost(from, to, liquidity u256.Int) u256.Int {
	var in u256.Int
	if c.down {
		in = GetAmount0Delta(to, from, liquidity, true)
	} else {
		in = GetAmount1Delta(from, to, liquidity, true)
	}
	return divRoundingUp(in.Mul(u256.From(pips)), u256.From(pips-c.fee))
}

func (c *Curve) amountOut(from, to, liquidity u256.Int) u256.Int {
	if c.down {
		return GetAmount1Delta(to, from, liquidity, false)
	}
	return GetAmount0Delta(from, to, liquidity, false)
}

// cross is where the pool stands once it has reached a boundary.
func (c *Curve) cross(boundary Point) Point {
	if c.down {
		return Point{boundary.Price, max(boundary.Tick-1, MinTick)}
	}
	return Point{boundary.Price, min(boundary.Tick, MaxTick-1)}
}

// done tells that the price stands at its limit or past it.
func (c *Curve) done(price u256.Int) bool {
	if c.down {
		return !price.Gt(Lowest)
	}
	return !price.Lt(Highest)
}
