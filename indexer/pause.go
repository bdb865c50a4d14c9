package indexer

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"braid/market"
	"braid/venue"
)

// holds are the sources kept out of routes: why, by who says so. A source may
// be held by several and is free when none does.
type holds map[string]map[string]string

// Hold keeps sources out of routes, and says why of each; an empty set lets all
// go that this one held before. They are followed all the while, so that they
// come back as the chain has them. It shows with the next sight of a head.
func (x *Indexer) Hold(by string, sources map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	next := holds{}
	if old := x.held.Load(); old != nil {
		next = maps.Clone(*old)
	}
	next[by] = maps.Clone(sources)
	x.held.Store(&next)
	x.log.Info("sources held", "by", by, "sources", sources)
}

// reasons are the held sources, and why.
func (h *holds) reasons() map[string]string {
	if h == nil {
		return nil
	}
	all := map[string]string{}
	for _, by := range slices.Sorted(maps.Keys(*h)) {
		for source, why := range (*h)[by] {
			if all[source] != "" {
				why = all[source] + "; " + why
			}
			all[source] = why
		}
	}
	return all
}

// without is the market in which the pools of held sources take nothing.
func (h *holds) without(s *market.Snapshot) (*market.Snapshot, error) {
	reasons := h.reasons()
	if len(reasons) == 0 {
		return s, nil
	}
	var idle []venue.Pool
	for _, p := range s.Pools() {
		if why, held := reasons[p.Info().Source.ID]; held {
			idle = append(idle, unusable{info: p.Info(), why: "paused: " + why})
		}
	}
	return s.Next(s.Block(), idle, nil)
}

var pausedDesc = prometheus.NewDesc("braid_market_paused_sources", "Sources kept out of routes, and why.", []string{"source", "reason"}, nil)

// pauses shows the held sources when it is asked.
type pauses struct{ *Indexer }

func (c pauses) Describe(ch chan<- *prometheus.Desc) { ch <- pausedDesc }

func (c pauses) Collect(ch chan<- prometheus.Metric) {
	for source, why := range c.held.Load().reasons() {
		ch <- prometheus.MustNewConstMetric(pausedDesc, prometheus.GaugeValue, 1, source, why)
	}
}
