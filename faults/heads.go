package faults

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// head is one that the node has shown.
type shownHead struct {
	header json.RawMessage
	at     time.Time
}

const (
	// staleFor is how old a head may be that an honest node shows as its newest.
	maxStaleness = 2 * time.Second

	maxHeads = 64
)

// saw remembers a head.
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

// old is a head of before, on whatever branch. A liar goes as far back as it
// remembers.
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
