package chain

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// dialProvider serves a provider over HTTP.
func dialProvider(t *testing.T, p *provider) *Client {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	c, err := Dial(t.Context(), server.URL, 143)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// An overloaded node is asked the same again: a batch of reads is not split, and no
// read counts as the contract's failure.
func TestOverloadIsNoVerdict(t *testing.T) {
	for name, answer := range overloadAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, &provider{overloads: []http.Handler{answer}, first: 2})
			c := dialProvider(t, p)
			calls := make([]Call, 100)
			for i := range calls {
				calls[i].To = common.BigToAddress(common.Big256)
				calls[i].To[0] = byte(i)
			}
			results, err := c.Calls(t.Context(), common.Hash{1}, calls)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range results {
				if !r.OK || !bytes.Equal(r.Data, calls[i].To[:]) {
					t.Fatalf("read %d: %v", i, r)
				}
			}
			if p.asked["eth_call"] != 3 || p.single != 0 {
				t.Errorf("%d requests, of which %d for a single read; want 3 and 0", p.asked["eth_call"], p.single)
			}
		})
	}
}

// An overloaded node is asked for logs and its height by the same batch again.
func TestOverloadOfBatch(t *testing.T) {
	for name, answer := range overloadAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, &provider{maxBlocks: 100, head: 99, overloads: []http.Handler{answer}, first: 2})
			search(t, dialProvider(t, p), 99)
			if p.asked["batch"] != 3 || p.asked["eth_getLogs"]+p.asked["eth_blockNumber"] != 0 {
				t.Errorf("%v, want 3 batches", p.asked)
			}
		})
	}
}

// A node that stays overloaded is an error that callers can tell from others.
func TestOverloadForLong(t *testing.T) {
	p := newProvider(t, &provider{overloads: []http.Handler{overloadAnswers()["overloaded"]}, first: 1 << 30})
	c := dialProvider(t, p)
	if _, err := c.HeaderByHash(t.Context(), common.Hash{1}); !errors.Is(err, ErrLimited) {
		t.Errorf("%v", err)
	}
	if n := p.asked["eth_getBlockByHash"]; n < 2 || n > 6 {
		t.Errorf("%d requests within the time limit of a small answer", n)
	}
}

// What a contract says when it reverts, and the size of an answer, are no overload.
func TestNoOverload(t *testing.T) {
	for name, answer := range map[string]http.Handler{
		"revert":            refusal(http.StatusOK, 3, "execution reverted: overloaded"),
		"revert by text":    refusal(http.StatusOK, -32603, "VM Exception: reverted with reason string 'too many requests'"),
		"internal error":    refusal(http.StatusOK, -32603, "Internal error: out of gas"),
		"range":             refusal(http.StatusOK, -32602, "block range too large"),
		"too many results":  refusal(http.StatusOK, -32005, "query returned more than 10000 results"),
		"too long a search": refusal(http.StatusOK, -32005, "query timeout exceeded"),
	} {
		p := newProvider(t, &provider{overloads: []http.Handler{answer}, first: 1 << 30})
		c := dialProvider(t, p)
		if _, err := c.HeaderByHash(t.Context(), common.Hash{1}); err == nil || errors.Is(err, ErrLimited) || !maybeTooLarge(t.Context(), err) {
			t.Errorf("%s: %v", name, err)
		}
		if results, err := c.Calls(t.Context(), common.Hash{1}, []Call{{}}); err != nil || results[0].OK {
			t.Errorf("%s: call %v: %v", name, results, err)
		}
	}
}
