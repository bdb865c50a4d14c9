package indexer

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"braid/market"
	"braid/proof"
	"braid/venue"
)

// metrics are those of the indexer. Names, labels and help texts are public.
type metrics struct {
	head, headTime, final           prometheus.Gauge
	pools, tokens                   prometheus.Gauge
	blocks, reorgs, resyncs, faults prometheus.Counter
	latency                         prometheus.Histogram
	audited                         prometheus.Counter
	differences                     *prometheus.CounterVec
	waiting                         *prometheus.GaugeVec
	trials                          *prometheus.CounterVec
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
		final:    gauge("final_block", "Number of the newest block that will not be replaced."),
		pools:    gauge("pools", "Pools in the market."),
		tokens:   gauge("tokens", "Tokens in the market."),
		blocks:   counter("blocks_applied_total", "Blocks applied one by one."),
		reorgs:   counter("reorgs_total", "Times the market went on from an ancestor of its block."),
		resyncs:  counter("resyncs_total", "Times the market was made again from the first block."),
		faults:   counter("rpc_errors_total", "Answers of the node that were missing or wrong."),
		audited:  counter("audited_pools_total", "Pools that were held to the chain."),
		differences: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "braid", Subsystem: "indexer", Name: "audit_differences_total",
			Help: "Pools that were not as the chain had them.",
		}, []string{"source"}),
		waiting: auto.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "braid", Subsystem: "indexer", Name: "waiting_pools",
			Help: "Pools that are followed and not in the market yet, and why.",
		}, []string{"reason"}),
		trials: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "braid", Subsystem: "indexer", Name: "trials_total",
			Help: "Trials of pools by executed swaps, by what they told; failed: the node gave no answer.",
		}, []string{"verdict"}),
		latency: auto.NewHistogram(prometheus.HistogramOpts{
			Namespace: "braid", Subsystem: "indexer", Name: "block_to_snapshot_seconds",
			Help:    "From the first sight of a block to its market.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}),
	}
}

// poolCollector counts the pools of the newest snapshot whenever metrics are
// collected.
type poolCollector struct{ head func() *market.Snapshot }

var (
	poolsDesc     = prometheus.NewDesc("braid_market_pools", "Pools that trade.", []string{"source"}, nil)
	idlePoolsDesc = prometheus.NewDesc("braid_market_idle_pools", "Pools that take nothing, and why.", []string{"source", "reason"}, nil)
)

// Describe and Collect implement prometheus.Collector.
func (c poolCollector) Describe(ch chan<- *prometheus.Desc) { ch <- poolsDesc; ch <- idlePoolsDesc }

func (c poolCollector) Collect(ch chan<- prometheus.Metric) {
	s := c.head()
	if s == nil {
		return
	}
	type label struct{ source, reason string }
	count := map[label]int{}
	for _, p := range s.Pools() {
		count[label{p.Info().Source.ID, venue.Idle(p)}]++
	}
	for l, n := range count {
		if l.reason == "" {
			ch <- prometheus.MustNewConstMetric(poolsDesc, prometheus.GaugeValue, float64(n), l.source)
		} else {
			ch <- prometheus.MustNewConstMetric(idlePoolsDesc, prometheus.GaugeValue, float64(n), l.source, l.reason)
		}
	}
}

var provedDesc = prometheus.NewDesc("braid_market_proofs", "Pools that can be traded, by what trials told of them.", []string{"source", "status"}, nil)

// proofCollector counts the verdicts on pools whenever metrics are collected.
type proofCollector struct{ *Indexer }

// Describe and Collect implement prometheus.Collector.
func (c proofCollector) Describe(ch chan<- *prometheus.Desc) { ch <- provedDesc }

func (c proofCollector) Collect(ch chan<- prometheus.Metric) {
	for source, n := range c.Proofs() {
		for status, count := range map[proof.Status]int{proof.Proved: n.Proved, proof.Refused: n.Refused, proof.Untried: n.Untried} {
			ch <- prometheus.MustNewConstMetric(provedDesc, prometheus.GaugeValue, float64(count), source, status.String())
		}
	}
}

// setHead sets the gauges that describe the newest snapshot.
func (m *metrics) setHead(s *market.Snapshot, w waiting) {
	for why, n := range w.count {
		m.waiting.WithLabelValues(reasonNames[why]).Set(float64(n))
	}
	b := s.Block()
	m.head.Set(float64(b.Number))
	m.headTime.Set(float64(b.Time))
	m.pools.Set(float64(len(s.Pools())))
	m.tokens.Set(float64(len(s.Tokens())))
}
