package plan

import (
	"slices"
	"testing"
)

func TestWeightLaws(t *testing.T) {
	split := 0
	eachRandom(t, 3000, func(p *Plan) {
		weights := p.Weights()
		for i, w := range weights {
			if w < 1 || w > whole {
				t.Fatalf("step %d weighs %d", i, w)
			}
		}
		taken, made := sums(p, func(n, i int) int { return n + weights[i] })
		if taken[p.TokenIn] != whole || made[p.TokenOut] != whole {
			t.Fatalf("%d leave the first token, %d enter the last: %v", taken[p.TokenIn], made[p.TokenOut], weights)
		}
		for a, n := range made {
			if a != p.TokenOut && taken[a] != n {
				t.Fatalf("%d enter %s, %d leave it: %v", n, a, taken[a], weights)
			}
		}
		if n := len(p.paths()); n > len(p.Steps) {
			t.Fatalf("%d paths over %d steps", n, len(p.Steps))
		}
		if again := p.Weights(); !slices.Equal(weights, again) {
			t.Fatalf("%v, then %v", weights, again)
		}
		if len(p.Steps) > 4 {
			split++
		}
	})
	if split < 1000 {
		t.Errorf("only %d plans were wide", split)
	}
}

func TestWeights(t *testing.T) {
	const deep = 1e9 * e18
	of := func(f float64) Share { return Share(f * (1 << 32)) }
	for name, c := range map[string]struct {
		plan Plan
		want []int
	}{
		"direct":          {run(t, e18, 1, through(0, 0, 1, deep, deep, All)), []int{10000}},
		"two hops":        {run(t, e18, 2, through(0, 0, 1, deep, deep, All), through(1, 1, 2, deep, deep, All)), []int{10000, 10000}},
		"six and four":    {run(t, e18, 1, through(0, 0, 1, deep, deep, of(0.6)), through(1, 0, 1, deep, deep, All)), []int{6000, 4000}},
		"hardly anything": {run(t, e18, 1, through(0, 0, 1, deep, deep, of(1e-7)), through(1, 0, 1, deep, deep, All)), []int{1, 9999}},
		"three equal: the odd point goes by id": {
			run(t, 3<<20, 1, through(2, 0, 1, deep, deep, of(1./3)+1), through(1, 0, 1, deep, deep, of(1./2)), through(0, 0, 1, deep, deep, All)),
			[]int{3333, 3333, 3334},
		},
		"split, then merged": {
			run(t, e18, 2, through(0, 0, 1, deep, deep, of(0.25)), through(1, 0, 1, deep, deep, All), through(2, 1, 2, deep, deep, All)),
			[]int{2500, 7500, 10000},
		},
		"split in the middle": {
			run(t, e18, 3, through(0, 0, 1, deep, deep, of(0.5)), through(1, 1, 2, deep, deep, of(0.5)), through(2, 1, 3, deep, deep, All),
				through(3, 0, 3, deep, deep, All), through(4, 2, 3, deep, deep, All)),
			[]int{5000, 2500, 2500, 5000, 2500},
		},
		"there and back, one after the other": {
			run(t, e18, 3, through(0, 0, 1, deep, deep, of(0.25)), through(1, 1, 2, deep, deep, All), through(2, 2, 3, deep, deep, All),
				through(3, 0, 2, deep, deep, All), through(4, 2, 1, deep, deep, All), through(5, 1, 3, deep, deep, All)),
			[]int{2500, 2500, 2500, 7500, 7500, 7500},
		},
	} {
		if got := c.plan.Weights(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Many tiny legs: each is shown with one point, and the widest pays for it.
func TestWeightsOfDust(t *testing.T) {
	const deep = 1e9 * e18
	steps := []Step{through(0, 0, 1, deep, deep, 1<<31)}
	for i := 1; i < 30; i++ {
		steps = append(steps, through(i, 0, 1, deep, deep, 1000))
	}
	p := run(t, e18, 1, append(steps, through(30, 0, 1, deep, deep, All))...)
	weights := p.Weights()
	if weights[0]+weights[30] != whole-29 || weights[0]-weights[30] > 1 || weights[30]-weights[0] > 1 {
		t.Errorf("the wide ones weigh %d and %d", weights[0], weights[30])
	}
	for _, w := range weights[1:30] {
		if w != 1 {
			t.Errorf("dust weighs %d", w)
		}
	}
}
