package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// socket forwards messages between a client and the node over WebSocket. Faults
// are injected into the notifications to the client.
func (p *Proxy) socket(w http.ResponseWriter, r *http.Request) {
	if p.nextFault("socket") != "" {
		http.Error(w, "no socket now", http.StatusServiceUnavailable)
		return
	}
	node, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(p.config.Node, "http"), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		node.Close()
		return
	}
	gone := make(chan struct{})
	p.done.Go(func() { // until either side or the proxy closes
		select {
		case <-gone:
		case <-p.closed:
		}
		client.Close()
		node.Close()
	})
	p.done.Go(func() {
		defer node.Close()
		for {
			kind, text, err := client.ReadMessage()
			if p.config.States {
				text = bytes.Replace(text, []byte(`"monadNewHeads"`), []byte(`"newHeads"`), 1)
			}
			if err != nil || node.WriteMessage(kind, text) != nil {
				return
			}
		}
	})
	defer close(gone)
	stream := clientStream{Proxy: p}
	for !stream.closed {
		kind, text, err := node.ReadMessage()
		if err != nil {
			return
		}
		for _, announced := range stream.announce(text) {
			for _, out := range stream.deliver(r.Context(), announced) {
				if client.WriteMessage(kind, out) != nil {
					return
				}
			}
		}
	}
}

// clientStream is the messages to one client.
type clientStream struct {
	*Proxy
	delayed [][]byte          // sent after the next message
	last    []json.RawMessage // the last two heads, oldest first, if states are announced
	closed  bool
}

// announce is a message of the node, or what a node of Monad sends instead of a
// notification of newHeads: the head as proposed, its parent as voted and the one
// before as finalized.
func (c *clientStream) announce(text []byte) (list [][]byte) {
	var m message
	if json.Unmarshal(text, &m); m.Method != "eth_subscription" || !c.config.States {
		return [][]byte{text}
	}
	var params map[string]json.RawMessage
	json.Unmarshal(m.Params, &params)
	c.last = append(c.last, params["result"])
	for i, state := range []string{"Proposed", "Voted", "Finalized"} {
		if i >= len(c.last) {
			break
		}
		var header map[string]any
		json.Unmarshal(c.last[len(c.last)-1-i], &header)
		header["blockId"], header["commitState"] = header["hash"], state
		params["result"], _ = json.Marshal(header)
		m.Params, _ = json.Marshal(params)
		list = append(list, m.bytes())
	}
	c.last = c.last[max(0, len(c.last)-2):]
	return list
}

// deliver is what is sent to the client for a message of the node: nothing, the
// message, or several.
func (c *clientStream) deliver(ctx context.Context, text []byte) [][]byte {
	var m message
	json.Unmarshal(text, &m)
	if m.Method != "eth_subscription" {
		return [][]byte{text}
	}
	var head struct {
		Subscription json.RawMessage `json:"subscription"`
		Result       json.RawMessage `json:"result"`
	}
	json.Unmarshal(m.Params, &head)
	c.rememberHead(head.Result)
	replace := func(header json.RawMessage) {
		head.Result = header
		m.Params, _ = json.Marshal(head)
		text = m.bytes()
	}
	if f := c.forgeBlock(ctx); f != nil {
		replace(f.header)
	}
	delayed := c.delayed
	c.delayed = nil
	switch c.nextFault("newHeads") {
	case "drop":
		return delayed
	case "delay":
		c.wait(ctx.Done(), time.Duration(1+c.randomBelow(300))*time.Millisecond)
	case "duplicate":
		delayed = append(delayed, text)
	case "reorder":
		c.delayed = [][]byte{text}
		return delayed
	case "close":
		c.closed = true
	case "truncate":
		text = text[:len(text)/2]
	case "stale":
		if old := c.staleHead(); old != nil {
			replace(old)
		}
	}
	return append([][]byte{text}, delayed...)
}
