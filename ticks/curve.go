package ticks

import (
	"sync/atomic"

	"braid/u256"
)

// pips is the denominator of fees: a fee of 1 pip is a hundredth of a basis
// point.
const pips = 1_000_000

// Curve answers swaps in one direction through the liquidity of a book, at a
// fee. It does not depend on where the price stands, so pools of many blocks
// share one Curve until their book changes. Any number of goroutines may use
// it.
type Curve struct {
	book  *Book
	fee   uint64                    // pips
	down  bool                      // token0 comes in and the price falls
	table atomic.Pointer[stepTable] // sums over full steps, made when needed
}

// MaxCrossed is how many initialised ticks a swap crosses at most: no
// transaction can make a swap that crosses more. On Monad a transaction has at
// most 30,000,000 gas, and a tick costs 12,483 where it is cheapest, in a pool
// of Uniswap V4 without a fee (8,000 of it for the page of its words; with a fee
// one of them is written, and the bound is some 1,600). TestMaxCrossed of univ4
// measures it.
const MaxCrossed = 2400

// NewCurve is a direction through the book, at a fee in pips (hundredths of a
// basis point) below a million. zeroForOne tells that token0 comes in.
func NewCurve(book *Book, feePips uint64, zeroForOne bool) *Curve {
	return &Curve{book: book, fee: feePips, down: zeroForOne}
}

// Point is where the price of a pool stands. A price on the boundary between
// two ticks belongs to either: the tick says to which.
type Point struct {
	Price u256.Int // sqrt(token1/token0) in raw units, as a Q64.96
	Tick  int32
}

// Valid tells whether a pool can be there: the price lies inside the tick or
// at the upper end of it.
func (p Point) Valid() bool {
	return p.Tick >= MinTick && p.Tick < MaxTick &&
		!p.Price.Lt(GetSqrtRatioAtTick(p.Tick)) && !p.Price.Gt(GetSqrtRatioAtTick(p.Tick+1))
}

// Result is a swap as far as it got: where the price stands after it, and the
// amounts in raw units.
type Result struct {
	Point
	Out     u256.Int
	Left    u256.Int // of the input, when liquidity or MaxCrossed ends before it does
	Crossed int      // initialised ticks; above MaxCrossed the swap cannot be made
	Words   int      // of the tick bitmap that were read, beside the first

	stale bool // Tick is that of the last boundary, the price has moved on
}

// Swap is the contract's swap of an exact input, in raw units, with no limit
// of price.
func (c *Curve) Swap(at Point, amount u256.Int) Result {
	f := c.Quote(at, amount)
	if f.stale {
		f.Tick = GetTickAtSqrtRatio(f.Price)
	}
	return f
}

// Quote is Swap without the Tick of the result. It allocates nothing, except
// when it goes further than any quote before and the step table grows.
func (c *Curve) Quote(at Point, amount u256.Int) Result {
	f := Result{Point: at, Left: amount}
	start := c.book.at(at.Tick)
	if c.step(&f) && !c.useTable(&f) {
		for distance(start, c.book.at(f.Tick)) <= MaxCrossed && c.step(&f) {
		}
	}
	f.Crossed = distance(start, c.book.at(f.Tick))
	f.Words = distance(int(c.book.compress(at.Tick)>>8), int(c.book.compress(f.Tick)>>8))
	return f
}

func distance(a, b int) int { return max(a-b, b-a) }

// Spot is the price of the first unit, net of the fee, in raw units of the
// output for a raw unit of the input; 0 if no liquidity lies this way.
func (c *Curve) Spot(at Point) float64 {
	root := c.startPrice(at).Float() / 0x1p96
	if root == 0 {
		return 0
	}
	if !c.down {
		root = 1 / root
	}
	return root * root * (1 - float64(c.fee)/pips)
}

// startPrice is the sqrt price (Q64.96) at which the first unit is swapped: the
// present one or, where no liquidity is active, that at which the next active
// range begins.
func (c *Curve) startPrice(at Point) u256.Int {
	r, i := c.book.find(at.Tick)
	for !c.atLimit(at.Price) {
		e, liquidity := c.book.nextEntry(&r, i, c.down)
		if e == nil {
			break
		}
		if !liquidity.isZero() && e.price != at.Price {
			return at.Price
		}
		at.Price = e.price
		if c.down {
			i--
		} else {
			i++
		}
	}
	return u256.Zero
}

// step is one round of the contract's loop: to the next boundary, or as far as
// what is left of the input goes. It is false when the loop ends.
func (c *Curve) step(f *Result) bool {
	end, liquidity, ok := c.book.next(f.Tick, c.down)
	if !ok || c.atLimit(f.Price) {
		return false
	}
	in := c.amountIn(f.Price, end.Price, liquidity)
	if f.Left.Lt(in) {
		c.partialStep(f, liquidity)
		return false
	}
	f.Left = f.Left.Sub(in)
	f.Out = f.Out.Add(c.amountOut(f.Price, end.Price, liquidity))
	f.Point = c.cross(end)
	return !f.Left.IsZero()
}

// partialStep is the last round, which does not reach its boundary and uses up
// all that is left: what is not swapped is fee.
func (c *Curve) partialStep(f *Result, liquidity u256.Int) {
	lessFee := f.Left.Mul(u256.From(pips - c.fee)).Div(u256.From(pips))
	price := GetNextSqrtPriceFromInput(f.Price, liquidity, lessFee, c.down)
	f.Out = f.Out.Add(c.amountOut(f.Price, price, liquidity))
	f.stale = price != f.Price
	f.Price, f.Left = price, u256.Zero
}

// amountIn is what a full step between two prices takes in, in raw units with
// the fee: amountIn plus feeAmount of computeSwapStep, which reaches its target
// exactly if that much is left. Amounts of a step are below 2^192.
func (c *Curve) amountIn(from, to, liquidity u256.Int) u256.Int {
	var in u256.Int
	if c.down {
		in = GetAmount0Delta(to, from, liquidity, true)
	} else {
		in = GetAmount1Delta(from, to, liquidity, true)
	}
	return addFee(wideOf(in), c.fee).full()
}

// amountOut is what a step between two prices pays, in raw units.
func (c *Curve) amountOut(from, to, liquidity u256.Int) u256.Int {
	if c.down {
		return GetAmount1Delta(to, from, liquidity, false)
	}
	return GetAmount0Delta(from, to, liquidity, false)
}

// cross is where the pool stands after a step that ended at a boundary.
func (c *Curve) cross(boundary Point) Point {
	return Point{boundary.Price, c.crossed(boundary.Tick)}
}

// crossed is the tick of a pool that has crossed a boundary.
func (c *Curve) crossed(boundary int32) int32 {
	if c.down {
		return max(boundary-1, MinTick)
	}
	return min(boundary, MaxTick-1)
}

// atLimit tells that the price is the last that a swap may reach, or past it.
func (c *Curve) atLimit(price u256.Int) bool {
	if c.down {
		return !price.Gt(MinLimit)
	}
	return !price.Lt(MaxLimit)
}
