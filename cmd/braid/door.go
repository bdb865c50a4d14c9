package main

import (
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/devchain"
	"braid/web"
)

// door is the way from the page to the local chain: the page's policy lets it
// talk to its own origin only.
const door = "/rpc"

// visitor is the account the page offers on the local chain.
var visitor = &web.Local{
	RPC:     door,
	Account: devchain.DevAccount.Hex(),
	Key:     hexutil.Encode(crypto.FromECDSA(devchain.DevKey)),
}

// withDoor answers JSON-RPC at door from the local chain, and leaves the rest
// to the service.
func withDoor(service http.Handler, rpc *url.URL) http.Handler {
	node := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(rpc)
		r.Out.URL.Path = "/"
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == door && r.Method == http.MethodPost {
			node.ServeHTTP(w, r)
			return
		}
		service.ServeHTTP(w, r)
	})
}
