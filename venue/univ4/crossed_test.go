package univ4_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/ticks"
	"braid/u256"
)

// TestMaxCrossed measures what a tick costs a swap that crosses many in the
// manager's own bytecode, where it is cheapest: ticks side by side, some of
// which enclose no liquidity, crossed before or not, with a fee or without. No
// transaction can pay for more than MaxCrossed.
func TestMaxCrossed(t *testing.T) {
	const (
		perTransaction = 30_000_000 // the gas limit of a transaction on Monad
		few, many      = 60, 160    // ticks
	)
	c := newContract(t)
	least, swap := uint64(perTransaction), uint64(0) // gas of a tick, and of the swap beside its ticks
	for _, fee := range []int64{0, 500} {
		for _, apart := range []int32{1, 2} { // 2 leaves gaps
			c.dust(fee, apart, many)
			for range 2 { // the second time all ticks were crossed before
				for _, down := range []bool{true, false} {
					from := c.cross(down, few)
					to := c.cross(down, many)
					if tick := (to - from) / (many - few); tick < least {
						least, swap = tick, from-few*tick
					}
				}
			}
		}
	}
	// On Monad one page is cold in place of three slots.
	least = least - 3*2_000 + 8_000
	if least*ticks.MaxCrossed+swap < perTransaction {
		t.Errorf("a tick costs %d gas and a swap %d: a transaction can cross more than %d", least, swap, ticks.MaxCrossed)
	}
	if least*ticks.MaxCrossed > perTransaction*6/5 {
		t.Errorf("a tick costs %d gas: no transaction crosses as many as %d", least, ticks.MaxCrossed)
	}
}

// dust opens a pool at tick 0 whose positions are one tick wide, up to so many
// ticks away from the price.
func (c *contract) dust(fee int64, apart, reach int32) {
	c.Helper()
	var tokens [2]common.Address
	for i := range tokens {
		tokens[i] = c.Deploy("Token", "T", "T", uint8(18), owner, u256.Max.Rsh(1).Big())
		c.Approve(tokens[i], c.actor, owner)
	}
	if tokens[0].Cmp(tokens[1]) > 0 {
		tokens[0], tokens[1] = tokens[1], tokens[0]
	}
	c.pool = nil
	c.key = poolKey{tokens[0], tokens[1], big.NewInt(fee), big.NewInt(1), common.Address{}}
	if err := c.manage("initialize", c.key, ticks.GetSqrtRatioAtTick(0).Big()); err != nil {
		c.Fatal(err)
	}
	for tick := -reach - 2; tick <= reach+2; tick += apart {
		if done, err := c.modify(ticks.Position{Lower: tick, Upper: tick + 1}, big.NewInt(1e12)); !done || err != nil {
			c.Fatal(done, err)
		}
	}
}

// cross is the gas of a swap from tick 0 so many ticks down or up; after it the
// price goes back.
func (c *contract) cross(down bool, n int32) uint64 {
	c.Helper()
	to := n
	if down {
		to = -n
	}
	there, err := c.Try(owner, c.actor, u256.Zero, "V4Actor", "swap", c.key, exactly(down, u256.One.Lsh(100), ticks.GetSqrtRatioAtTick(to)))
	if err == nil {
		_, err = c.Try(owner, c.actor, u256.Zero, "V4Actor", "swap", c.key, exactly(!down, u256.One.Lsh(100), ticks.GetSqrtRatioAtTick(0)))
	}
	if err != nil {
		c.Fatal(err)
	}
	return there.Gas
}
