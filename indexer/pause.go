package indexer

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"braid/market"
	"braid/venue"
)

// pauses are the sources kept out of routes: for each party that paused some (such
// as "operator" or "audit"), the reason by source ID. A source is paused while
// any party pauses it. A value is never changed.
type pauses map[string]map[string]string

// Pause keeps sources out of routes until the same party, by, calls it again
// without them. sources has the reason by source ID. Paused pools are
// still followed, so that they are up to date when they return. It takes effect
// when the nodes next report a head, within about a second.
func (x *Indexer) Pause(by string, sources map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	next := pauses{}
	if old := x.paused.Load(); old != nil {
		next = maps.Clone(*old)
	}
	next[by] = maps.Clone(sources)
	x.paused.Store(&next)
	x.log.Info("sources paused", "by", by, "sources", sources)
}

// reasons are the paused sources with the reasons of all parties; nil pauses have
// none.
func (p *pauses) reasons() map[string]string {
	if p == nil {
		return nil
	}
	all := map[string]string{}
	for _, by := range slices.Sorted(maps.Keys(*p)) {
		for source, why := range (*p)[by] {
			if all[source] != "" {
				why = all[source] + "; " + why
			}
			all[source] = why
		}
	}
	return all
}

// withoutPaused is the snapshot with the pools of paused sources made unusable.
func (p *pauses) withoutPaused(s *market.Snapshot) (*market.Snapshot, error) {
	reasons := p.reasons()
	if len(reasons) == 0 {
		return s, nil
	}
	var idle []venue.Pool
	for _, pool := range s.Pools() {
		if reason, paused := reasons[pool.Info().Source.ID]; paused {
			idle = append(idle, unusable{info: pool.Info(), reason: "paused: " + reason})
		}
	}
	return s.Next(s.Block(), idle, nil)
}

var pausedDesc = prometheus.NewDesc("braid_market_paused_sources", "Sources kept out of routes, and why.", []string{"source", "reason"}, nil)

// pauseCollector reports the paused sources whenever metrics are collected.
type pauseCollector struct{ *Indexer }

// Describe and Collect implement prometheus.Collector.
func (c pauseCollector) Describe(ch chan<- *prometheus.Desc) { ch <- pausedDesc }

func (c pauseCollector) Collect(ch chan<- prometheus.Metric) {
	for source, why := range c.paused.Load().reasons() {
		ch <- prometheus.MustNewConstMetric(pausedDesc, prometheus.GaugeValue, 1, source, why)
	}
}
