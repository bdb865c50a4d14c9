package api

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the counters of all requests, and the handler of /metrics. Label
// values come from closed sets: no client can add one.
type metrics struct {
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	admission admissionMetrics
	handler   http.Handler
}

// admissionMetrics are those of the queue for searches.
type admissionMetrics struct {
	wait, search prometheus.Histogram
	shed         *prometheus.CounterVec
}

// seconds from 0.1 ms to 6 s.
var latencyBuckets = prometheus.ExponentialBuckets(0.0001, 2.5, 13)

func newMetrics(s *server) *metrics {
	auto := promauto.With(s.Registry)
	histogram := func(name, help string) prometheus.Histogram {
		return auto.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: latencyBuckets})
	}
	gauge := func(name, help string, value func() float64) {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m := &metrics{
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "braid_http_requests_total", Help: "Requests by route, status and error code.",
		}, []string{"route", "status", "code"}),
		seconds: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "braid_http_request_seconds", Help: "Time to answer, by route.", Buckets: latencyBuckets,
		}, []string{"route"}),
		inFlight: auto.NewGauge(prometheus.GaugeOpts{
			Name: "braid_http_in_flight", Help: "Requests that are being answered, streams included.",
		}),
		admission: admissionMetrics{
			wait:   histogram("braid_search_wait_seconds", "Time that searches waited for a core."),
			search: histogram("braid_search_seconds", "Time that searches took, once they had a core."),
			shed: auto.NewCounterVec(prometheus.CounterOpts{
				Name: "braid_shed_total", Help: "Requests rejected with OVERLOADED, by reason.",
			}, []string{"reason"}),
		},
		handler: promhttp.HandlerFor(s.Registry, promhttp.HandlerOpts{}),
	}
	gauge("braid_searches", "Searches that run.", func() float64 { n, _ := s.admission.load(); return float64(n) })
	gauge("braid_search_queue", "Requests that wait for their first search.", func() float64 { _, n := s.admission.load(); return float64(n) })
	gauge("braid_streams", "Streams that are open.", func() float64 { return float64(s.streams.count()) })
	gauge("braid_market_block", "Number of the newest block that is applied.", func() float64 { return float64(s.Health().Block) })
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "braid_build_info", Help: "Always 1; the labels name the build.",
		ConstLabels: prometheus.Labels{"version": s.Version, "go": runtime.Version()},
	}, func() float64 { return 1 })
	s.Registry.MustRegister(marketAge{s})
	return m
}

// marketAge collects the age of the market, once there is one.
type marketAge struct{ *server }

var marketAgeDesc = prometheus.NewDesc("braid_market_age_seconds", "Time since the market was that of the node's head.", nil, nil)

// Describe and Collect implement prometheus.Collector.
func (a marketAge) Describe(ch chan<- *prometheus.Desc) { ch <- marketAgeDesc }

func (a marketAge) Collect(ch chan<- prometheus.Metric) {
	if !a.Health().Updated.IsZero() {
		ch <- prometheus.MustNewConstMetric(marketAgeDesc, prometheus.GaugeValue, a.snapshotAge().Seconds())
	}
}

// observe counts a request that has ended.
func (m *metrics) observe(w *response, took time.Duration) {
	m.requests.WithLabelValues(w.route, strconv.Itoa(w.status), w.outcome).Inc()
	m.seconds.WithLabelValues(w.route).Observe(took.Seconds())
}
