package faults

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// shownHead is a head that the node has sent.
type shownHead struct {
	header json.RawMessage
	at     time.Time
}

const (
	// maxStaleness is how long ago a head may have been sent that the proxy, if it
	// is not Byzantine, sends again as the newest.
	maxStaleness = 2 * time.Second

	maxHeads = 64 // that are remembered
)

// rememberHead remembers a head that the node has sent.
func (p *Proxy) rememberHead(header json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.heads); len(header) < 3 || n > 0 && bytes.Equal(p.heads[n-1].header, header) {
		return
	}
	p.heads = append(p.heads, shownHead{header, time.Now()})
	if len(p.heads) > maxHeads {
		p.heads = slices.Delete(p.heads, 0, 1)
	}
}

// staleHead is a random earlier head, on whatever branch; nil if there is none. A
// Byzantine proxy ignores maxStaleness.
func (p *Proxy) staleHead() json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	heads := p.heads
	for !p.config.Byzantine && len(heads) > 0 && time.Since(heads[0].at) > maxStaleness {
		heads = heads[1:]
	}
	if len(heads) == 0 {
		return nil
	}
	return heads[p.random.IntN(len(heads))].header
}
