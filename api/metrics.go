package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the counters of all requests, and the handler of /metrics.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	handler  http.Handler
}

func newMetrics(s *server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "braid_http_requests_total", Help: "Requests by route, status and error code.",
		}, []string{"route", "status", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "braid_http_request_seconds", Help: "Time to answer, by route.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2.5, 12),
		}, []string{"route"}),
		handler: promhttp.HandlerFor(s.Registry, promhttp.HandlerOpts{}),
	}
	s.Registry.MustRegister(m.requests, m.seconds,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "braid_streams", Help: "Streams that are open.",
		}, func() float64 { return float64(s.streams.count()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "braid_market_block", Help: "Number of the newest block that is applied.",
		}, func() float64 { return float64(s.Health().Block) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "braid_market_age_seconds", Help: "Time since the market was that of the node's head.",
		}, func() float64 { return s.snapshotAge().Seconds() }))
	return m
}

// observe counts a request that has ended.
func (m *metrics) observe(w *response, took time.Duration) {
	m.requests.WithLabelValues(w.route, strconv.Itoa(w.status), w.outcome).Inc()
	m.seconds.WithLabelValues(w.route).Observe(took.Seconds())
}
