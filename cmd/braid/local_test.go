package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"braid/chain"
	"braid/gas"
	"braid/monad"
)

// TestNodesAreNotLocal: that the chain is our own is what the operator says. A node
// that calls itself one of our local chain changes nothing: rows that are not proved
// for mainnet stay off, gas is Monad's, and routes pass verified tokens only.
func TestNodesAreNotLocal(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			ID     json.RawMessage
			Method string
		}
		json.NewDecoder(r.Body).Decode(&ask)
		answers := map[string]string{"eth_chainId": `"0x8f"`, "web3_clientVersion": `"braid/v1/linux-amd64/go1.26"`, "eth_getCode": `"0x00"`}
		w.Header().Set("Content-Type", "application/json")
		if answer, ok := answers[ask.Method]; ok {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, ask.ID, answer)
		} else {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, ask.ID)
		}
	}))
	defer node.Close()
	client, err := chain.Dial(t.Context(), node.URL, monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, local := range []bool{false, true} {
		s := service{local: local}
		d, err := s.deployment(t.Context(), client, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.sources) != len(monad.Sources()) || len(d.retired) != 0 {
			t.Errorf("local %v: %d sources are followed, %d are not", local, len(d.sources), len(d.retired))
		}
		c := s.contracts()
		if (c.Schedule == gas.Ethereum) != local || c.Proxies == local || s.verifiedHops() == local {
			t.Errorf("local %v: gas of %s, proxies %v, verified hops %v", local, c.Schedule.Name, c.Proxies, s.verifiedHops())
		}
	}
}
