package indexer

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"braid/market"
)

type metrics struct {
	head, headTime, pools, tokens   prometheus.Gauge
	blocks, reorgs, resyncs, faults prometheus.Counter
	latency                         prometheus.Histogram
}

func newMetrics(r prometheus.Registerer) *metrics {
	auto := promauto.With(r)
	gauge := func(name, help string) prometheus.Gauge {
		return auto.NewGauge(prometheus.GaugeOpts{Namespace: "braid", Subsystem: "indexer", Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Namespace: "braid", Subsystem: "indexer", Name: name, Help: help})
	}
	return &metrics{
		head:     gauge("head_block", "Number of the block of the market."),
		headTime: gauge("head_time_seconds", "Time of that block, by its header."),
		pools:    gauge("pools", "Pools in the market."),
		tokens:   gauge("tokens", "Tokens in the market."),
		blocks:   counter("blocks_applied_total", "Blocks applied one by one."),
		reorgs:   counter("reorgs_total", "Times the market went on from an ancestor of its block."),
		resyncs:  counter("resyncs_total", "Times the market was made again from the first block."),
		faults:   counter("rpc_errors_total", "Answers of the node that were missing or wrong."),
		latency: auto.NewHistogram(prometheus.HistogramOpts{
			Namespace: "braid", Subsystem: "indexer", Name: "block_to_snapshot_seconds",
			Help:    "From the sight of a block to its market.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}),
	}
}

func (m *metrics) show(s *market.Snapshot) {
	b := s.Block()
	m.head.Set(float64(b.Number))
	m.headTime.Set(float64(b.Time))
	m.pools.Set(float64(len(s.Pools())))
	m.tokens.Set(float64(len(s.Tokens())))
}
