package siege_test

import (
	"net/http"
	"time"
)

// quiet is what the service does without an attack, for comparison.
func (s *siege) quiet(r *report) {
	stop := s.watch()
	r.add("cpu_ms", "%.1f", s.idleMs())
	r.timed("stale_ms", stop(), maxStaleMs)
	r.add("rss_mb", "%.0f", s.rss()/1e6)
	r.add("join_ms", "%.0f", s.joinMs)
}

// quoteAll quotes honest orders one after the other until stop is called, which
// returns how many were quoted and how many of them were refused.
func (s *siege) quoteAll() (stop func() (n, failed int)) {
	const pause = 20 * time.Millisecond
	end, result, failed := make(chan struct{}), make(chan [2]int), s.Context().Done()
	go func() {
		var count [2]int
		for {
			if s.quote(s.honest[count[0]%len(s.honest)]).status != http.StatusOK {
				count[1]++
			}
			count[0]++
			select {
			case <-end:
				result <- count
				return
			case <-failed:
				return
			case <-time.After(pause):
			}
		}
	}()
	return func() (n, failed int) {
		close(end)
		count := <-result
		return count[0], count[1]
	}
}

// burden plays an attack that is to slow the service down: it reports for how long
// the service was behind at most, its memory, refused quotes during the attack, and
// what honest orders lose after it.
func (s *siege) burden(r *report, orders []order, attack func()) {
	s.catchUp()
	before, rss := s.quotes(orders), s.rss()
	stopWatch, stopQuotes := s.watch(), s.quoteAll()
	attack()
	stale := stopWatch()
	n, failed := stopQuotes()
	r.timed("stale_ms", stale, maxStaleMs)
	r.timed("rss_ratio", s.rss()/rss, maxRSSRatio)
	r.add("quotes", "%d", n)
	r.atMost("failed", float64(failed), 0)
	loss, gone := s.loss(orders, before, s.quotes(orders))
	r.atMost("loss_bps", loss, maxLossBps)
	r.atMost("refused", float64(gone), 0)
}

// standing is burden, and what blocks cost the service for ever after.
func (s *siege) standing(r *report, attack func()) {
	idle := s.idleMs()
	s.burden(r, s.honest, attack)
	r.add("cpu_ms_before", "%.1f", idle)
	r.timed("cpu_ms", s.idleMs(), idle+maxIdleMs)
}
