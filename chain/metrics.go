package chain

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are those of all nodes together. Names, labels and help texts are
// public.
type metrics struct {
	requests         *prometheus.CounterVec
	contradicted     *prometheus.CounterVec
	head, subscribed *prometheus.GaugeVec

	proved, believed prometheus.Counter // blocks whose logs were proved by the receipts root, or accepted by quorum
}

func newMetrics(r prometheus.Registerer) *metrics {
	auto := promauto.With(r)
	node := []string{"node"}
	blocks := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "braid_chain_blocks_total",
		Help: "Blocks with receipts whose logs were taken: proved by the receipts root, or believed because a quorum gave the same.",
	}, []string{"logs"})
	return &metrics{
		proved: blocks.WithLabelValues("proved"), believed: blocks.WithLabelValues("believed"),
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "braid_node_requests_total", Help: "Requests to a node, by outcome: ok, limited or failed.",
		}, []string{"node", "outcome"}),
		contradicted: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "braid_node_contradicted_total", Help: "Answers of a node that the others contradicted.",
		}, node),
		head: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "braid_node_head_block", Help: "Number of the newest block by the word of a node.",
		}, node),
		subscribed: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "braid_node_subscribed", Help: "1 while a node tells new heads by WebSocket, 0 while it is polled.",
		}, node),
	}
}

// counters are the metrics of one node.
type counters struct {
	ok, limited, failed, contradicted prometheus.Counter
	head, subscribed                  prometheus.Gauge
}

func (m *metrics) of(node string) *counters {
	return &counters{
		ok:           m.requests.WithLabelValues(node, "ok"),
		limited:      m.requests.WithLabelValues(node, "limited"),
		failed:       m.requests.WithLabelValues(node, "failed"),
		contradicted: m.contradicted.WithLabelValues(node),
		head:         m.head.WithLabelValues(node),
		subscribed:   m.subscribed.WithLabelValues(node),
	}
}
