package api

import (
	"fmt"
	"strings"
	"testing"

	"braid/router"
)

// TestShape: a route has no more steps than the request wants, and no more one
// after the other; neither limit can be above the operator's.
func TestShape(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxSteps = 10 })
	large := "/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1_000_000, 18))
	steps := func(query string) (count, middle int) {
		var body quoteBody
		s.get(large+query).into(t, &body)
		for _, step := range body.Routes {
			if step.TokenOutSymbol != "USDC" {
				middle++
			}
		}
		return len(body.Routes), middle
	}
	if count, middle := steps(""); count < 5 || middle == 0 {
		t.Fatalf("the order has %d steps, %d of them on the way", count, middle)
	}
	for _, most := range []int{1, 3, 10} {
		if count, _ := steps(fmt.Sprint("&maxSteps=", most)); count > most {
			t.Errorf("%d steps with maxSteps=%d", count, most)
		}
	}
	if count, middle := steps("&maxHops=1"); count < 2 || middle > 0 {
		t.Errorf("%d steps with maxHops=1, %d of them on the way", count, middle)
	}
	for query, want := range map[string]string{
		"&maxSteps=11":               "from 1 to 10: no route of this service has more",
		"&maxSteps=0":                "from 1 to 10",
		"&maxHops=0":                 "from 1 to 5",
		"&maxHops=6":                 "from 1 to 5: no route of this service has more",
		"&maxSteps=2.5":              "from 1 to 10",
		"&maxHops=1&maxHops=2":       "more than once",
		"&maxHops=-1&maxSteps=1&x=1": "is negative",
	} {
		var p problemBody
		if a := s.get(large + query); a.status != 400 {
			t.Errorf("%s: status %d", query, a.status)
		} else if a.into(t, &p); !strings.Contains(p.Detail, want) {
			t.Errorf("%s: %s", query, p.Detail)
		}
	}
	if router.DefaultMaxHops != 5 || router.DefaultMaxSteps != 32 {
		t.Error("openapi.json names other limits of maxHops and maxSteps")
	}
}

// TestTooShort: where only the limits of the request are in the way, the refusal says
// so.
func TestTooShort(t *testing.T) {
	s := serve(t)
	for _, limit := range []string{"&maxHops=1", "&maxSteps=1"} {
		var p problemBody
		s.get("/api/v1/quote"+params("tokenIn", rare, "tokenOut", usdc, "amount", units(1, 18))+limit).into(t, &p)
		if p.Code != noRoute || !strings.Contains(p.Detail, "the best path has 2 steps") {
			t.Errorf("%s: %s: %s", limit, p.Code, p.Detail)
		}
	}
}
