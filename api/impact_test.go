package api

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/venue"
	"braid/venue/univ2"
)

var outOfLine = regexp.MustCompile(`^OUT_OF_LINE;bps=([0-9]+)$`)

// TestOutOfLine: an answer warns exactly where its output is worth 5 % more than its
// input, and says how much more.
func TestOutOfLine(t *testing.T) {
	snap := testMarket(t)
	bargain := univ2.NewPool(snap.Pools()[0].Info().Source, addr(0x900300), [2]common.Address{wmon, usdc}, units(1000, 18), units(1000, 6)) // three times the price
	snap, err := snap.Next(market.Block{Number: 19_000_124, Hash: common.HexToHash("0xb10d"), Time: blockTime}, []venue.Pool{bargain}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *Config) { c.Head = func() *market.Snapshot { return snap } })
	warned, silent := 0, 0
	for amount := uint64(4); amount < 1e6; amount += amount / 4 {
		a := s.get("/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(amount, 18)))
		var q quoteBody
		a.into(t, &q)
		paid, _ := strconv.ParseFloat(q.AmountInUsd, 64)
		got, _ := strconv.ParseFloat(q.AmountOutUsd, 64)
		found := outOfLine.FindStringSubmatch(a.header.Get("X-Warnings"))
		more := 1e4 * (got/paid - 1)
		if (found != nil) != (more >= outOfLineBps) {
			t.Errorf("$%s for $%s: %q", q.AmountOutUsd, q.AmountInUsd, a.header.Get("X-Warnings"))
		}
		if found == nil {
			silent++
			continue
		}
		warned++
		if bps, _ := strconv.ParseFloat(found[1], 64); bps < more-1 || bps > more+1 {
			t.Errorf("$%s for $%s: %s", q.AmountOutUsd, q.AmountInUsd, found[0])
		}
	}
	if warned < 10 || silent < 10 {
		t.Errorf("%d warnings, %d without: the market does not exercise this test", warned, silent)
	}
}

// TestGuard: a swap is refused by its impact against the market or against its own
// pools, whichever is smaller, so that a pool of dust at an absurd price cannot block
// swaps.
func TestGuard(t *testing.T) {
	snap := arbitrageMarket(t)
	c := testConfig(t)
	c.Head = func() *market.Snapshot { return snap }
	s := New(c).(*server)
	rng := rand.New(rand.NewPCG(9, 9))
	market, own := 0, 0
	for range 200 {
		req := request{recipient: alice}
		req.TokenIn, req.TokenOut, req.AmountIn = randomOrder(rng)
		q, err := s.quoteOn(t.Context(), s.cacheOf(snap), req)
		if err != nil {
			continue
		}
		ofPools := q.plan.ImpactBps()
		if q.impactBps > ofPools {
			market++
		} else if q.impactBps < ofPools {
			own++
		}
		q.maxImpactBps = min(q.impactBps, ofPools)
		if err := q.check(); err != nil {
			t.Errorf("impacts %d and %d: %v", q.impactBps, ofPools, err)
		}
		if q.maxImpactBps--; q.maxImpactBps < 0 {
			continue
		}
		var p *problem
		if err := q.check(); !errors.As(err, &p) || p.code != priceImpactTooHigh || p.hints.PriceImpactBps != q.maxImpactBps+1 {
			t.Errorf("impacts %d and %d, guard %d: %v", q.impactBps, ofPools, q.maxImpactBps, fmt.Sprint(err))
		}
	}
	if market < 10 || own < 10 {
		t.Errorf("%d impacts are higher and %d lower than the pools': the market does not exercise this test", market, own)
	}
}
