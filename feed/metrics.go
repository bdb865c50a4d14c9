package feed

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// writerMetrics are those of an indexer that publishes. Names, labels and help texts are
// public.
type writerMetrics struct {
	epoch, unacked, fenced, snapshotBytes      prometheus.Gauge
	messages, bytes, failed, dropped, unstored prometheus.Counter
	encode                                     prometheus.Histogram
}

func counterOf(r prometheus.Registerer, name, help string) prometheus.Counter {
	return promauto.With(r).NewCounter(prometheus.CounterOpts{Namespace: "braid", Subsystem: "feed", Name: name, Help: help})
}

func gaugeOf(r prometheus.Registerer, name, help string) prometheus.Gauge {
	return promauto.With(r).NewGauge(prometheus.GaugeOpts{Namespace: "braid", Subsystem: "feed", Name: name, Help: help})
}

func secondsOf(r prometheus.Registerer, name, help string) prometheus.Histogram {
	return promauto.With(r).NewHistogram(prometheus.HistogramOpts{
		Namespace: "braid", Subsystem: "feed", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
	})
}

func newWriterMetrics(r prometheus.Registerer) *writerMetrics {
	return &writerMetrics{
		epoch:         gaugeOf(r, "writer_epoch", "Epoch in which this process publishes; 0 before it does."),
		unacked:       gaugeOf(r, "unacked", "Recent block messages that the broker's stream has not stored."),
		fenced:        gaugeOf(r, "fenced", "1 once another process publishes under this name: this one has stopped."),
		snapshotBytes: gaugeOf(r, "snapshot_bytes", "Size of the last whole market that was stored."),
		messages:      counterOf(r, "sent_messages_total", "Messages sent, also in answer to replicas."),
		bytes:         counterOf(r, "sent_bytes_total", "Bytes of these."),
		failed:        counterOf(r, "send_failures_total", "Messages that could not be sent because no broker was connected."),
		dropped:       counterOf(r, "dropped_blocks_total", "Blocks that came faster than they were sent."),
		unstored:      counterOf(r, "snapshot_failures_total", "Whole markets that could not be stored at the broker."),
		encode:        secondsOf(r, "encode_seconds", "Time to encode a block."),
	}
}

func (m *writerMetrics) sent(bytes int) {
	m.messages.Inc()
	m.bytes.Add(float64(bytes))
}

// replicaMetrics are those of a replica.
type replicaMetrics struct {
	following, rejected, differs                      *prometheus.GaugeVec
	lag, age, contested                               prometheus.Gauge
	gaps, resyncs, applied, overflow, switches, bytes prometheus.Counter
	apply                                             prometheus.Histogram
}

func newReplicaMetrics(r prometheus.Registerer) *replicaMetrics {
	vec := func(name, help, label string) *prometheus.GaugeVec {
		return promauto.With(r).NewGaugeVec(prometheus.GaugeOpts{Namespace: "braid", Subsystem: "feed", Name: name, Help: help}, []string{label})
	}
	return &replicaMetrics{
		following: vec("following", "1 for the indexer that is followed, by name.", "indexer"),
		rejected:  vec("rejected_total", "Messages that were refused, by reason.", "reason"),
		differs:   vec("divergence", "1 while an indexer has another market than the followed one for the same block.", "indexer"),
		lag:       gaugeOf(r, "lag_blocks", "Blocks by which the nodes are ahead of the market."),
		age:       gaugeOf(r, "age_seconds", "Time since the nodes were last known to confirm the market, at the last head."),
		contested: gaugeOf(r, "contested_pools", "Pools kept out of routes because indexers do not agree on them."),
		gaps:      counterOf(r, "gaps_total", "Heads whose market could not be made of the messages that had come."),
		resyncs:   counterOf(r, "resyncs_total", "Whole markets loaded."),
		applied:   counterOf(r, "applied_blocks_total", "Blocks applied."),
		overflow:  counterOf(r, "overflow_total", "Messages dropped because the replica was too slow for them."),
		switches:  counterOf(r, "switches_total", "Times another indexer was followed."),
		bytes:     counterOf(r, "received_bytes_total", "Bytes of messages received."),
		apply:     secondsOf(r, "apply_seconds", "From a block message to its market, derived data included."),
	}
}
