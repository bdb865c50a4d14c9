package api

import (
	"maps"
	"net/http"
	"net/http/pprof"
	"time"
)

// Admin is the handler of the paths for the operator: health, readiness with the
// node's faults, metrics and profiles. It waits for no search, so that overload
// does not reach it. It is not meant for the public: serve it on an address that
// only the operator reaches.
func (s *server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) { s.adminJSON(w, r, s.healthz) })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) { s.adminJSON(w, r, s.readyzInFull) })
	mux.Handle("/metrics", s.metrics.handler)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// adminJSON serves an endpoint that cannot fail, without counting the request.
func (s *server) adminJSON(rw http.ResponseWriter, r *http.Request, e endpoint) {
	w := &response{ResponseWriter: rw, r: r, started: time.Now()}
	if err := e(w); err != nil {
		s.writeProblem(w, err)
	}
}

// readiness is the body of /readyz.
type readiness struct {
	Ready      bool              `json:"ready"`
	Reason     string            `json:"reason"`
	Reachable  bool              `json:"nodeReachable"`
	Block      uint64            `json:"block"`
	Lag        uint64            `json:"lag"`
	Updated    *string           `json:"updated"`
	AgeSeconds *int64            `json:"ageSeconds"`
	Paused     map[string]string `json:"paused"`
	Feed       *Feed             `json:"feed,omitempty"`
}

// readyz is the endpoint /readyz: whether quotes can be given, and if not, why. It
// does not name nodes or repeat what they say.
func (s *server) readyz(w *response) error {
	return w.writeReadiness(s.readiness(), nil)
}

// readyzInFull is /readyz of the admin address: also what nodes did wrong last, and
// pools that are not in the market yet.
func (s *server) readyzInFull(w *response) error {
	h, r := s.Health(), s.readiness()
	return w.writeReadiness(r, struct {
		readiness
		NodeFault string            `json:"nodeFault"`
		Waiting   map[string]int    `json:"waitingPools"`
		Proofs    map[string]Proofs `json:"proofs,omitempty"`
	}{r, h.Reason, h.Waiting, s.proofs()})
}

func (s *server) readiness() readiness {
	h := s.Health()
	r := readiness{Ready: h.Ready, Reachable: h.Reachable, Block: h.Block, Lag: h.Lag, Paused: map[string]string{}, Feed: h.Feed}
	if h.Feed != nil {
		r.Reason = h.Reason
	} else if h.Reason != "" || !h.Ready {
		r.Reason = "a node does not answer as it should"
	}
	maps.Copy(r.Paused, h.Paused)
	if !h.Updated.IsZero() {
		r.Updated = new(h.Updated.UTC().Format(time.RFC3339))
		r.AgeSeconds = new(int64(s.snapshotAge().Seconds()))
	}
	if _, err := s.head(); err != nil {
		r.Ready, r.Reason = false, asProblem(err).detail
		if h.Joining != "" {
			r.Reason = h.Joining
		} else if h.Feed != nil && h.Reason != "" {
			r.Reason = h.Reason
		}
	}
	if s.draining() {
		r.Ready, r.Reason = false, "the service is about to stop"
	}
	return r
}

// draining says whether the service is about to stop.
func (s *server) draining() bool {
	select {
	case <-s.Draining:
		return true
	default:
		return false
	}
}

// writeReadiness answers 200 or 503, with the body, or r itself if that is nil.
func (w *response) writeReadiness(r readiness, body any) error {
	if body == nil {
		body = r
	}
	w.Header().Set("Cache-Control", "no-store")
	if r.Ready {
		return w.writeJSON(http.StatusOK, body)
	}
	w.Header().Set("Retry-After", "1")
	return w.writeJSON(http.StatusServiceUnavailable, body)
}
