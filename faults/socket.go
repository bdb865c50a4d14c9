package faults

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// socket carries messages between a client and the node. What the client says
// is passed on; what it hears is spoilt.
func (p *Proxy) socket(w http.ResponseWriter, r *http.Request) {
	if p.nextFault("socket") != "" {
		http.Error(w, "no socket now", http.StatusServiceUnavailable)
		return
	}
	far, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(p.config.Node, "http"), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	near, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		far.Close()
		return
	}
	gone := make(chan struct{})
	p.done.Go(func() { // until either side or the proxy closes
		select {
		case <-gone:
		case <-p.closed:
		}
		near.Close()
		far.Close()
	})
	p.done.Go(func() {
		defer far.Close()
		for {
			kind, text, err := near.ReadMessage()
			if err != nil || far.WriteMessage(kind, text) != nil {
				return
			}
		}
	})
	defer close(gone)
	ear := clientStream{Proxy: p}
	for !ear.closed {
		kind, text, err := far.ReadMessage()
		if err != nil {
			return
		}
		for _, out := range ear.deliver(r.Context(), text) {
			if near.WriteMessage(kind, out) != nil {
				return
			}
		}
	}
}

// ear is what a client hears on a socket.
type clientStream struct {
	*Proxy
	delayed [][]byte // what waits for the next message
	closed  bool
}

// hear is what becomes of a message to the client.
func (e *clientStream) deliver(ctx context.Context, text []byte) [][]byte {
	var m message
	json.Unmarshal(text, &m)
	if m.Method != "eth_subscription" {
		return [][]byte{text}
	}
	var news struct {
		Subscription json.RawMessage `json:"subscription"`
		Result       json.RawMessage `json:"result"`
	}
	json.Unmarshal(m.Params, &news)
	e.rememberHead(news.Result)
	tell := func(header json.RawMessage) {
		news.Result = header
		m.Params, _ = json.Marshal(news)
		text = m.bytes()
	}
	if f := e.forgeBlock(ctx); f != nil {
		tell(f.header)
	}
	late := e.delayed
	e.delayed = nil
	switch e.nextFault("newHeads") {
	case "drop":
		return late
	case "delay":
		e.wait(ctx.Done(), time.Duration(1+e.randomBelow(300))*time.Millisecond)
	case "twice":
		late = append(late, text)
	case "late":
		e.delayed = [][]byte{text}
		return late
	case "close":
		e.closed = true
	case "truncate":
		text = text[:len(text)/2]
	case "stale":
		if old := e.staleHead(); old != nil {
			tell(old)
		}
	}
	return append([][]byte{text}, late...)
}
