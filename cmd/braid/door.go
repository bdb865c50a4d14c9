package main

import (
	"log/slog"
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
// to the service. Pages of other origins are sent away.
func withDoor(service http.Handler, rpc *url.URL, log *slog.Logger) http.Handler {
	node := http.NewCrossOriginProtection().Handler(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(rpc)
			r.Out.URL.Path = "/"
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == door && r.Method == http.MethodPost {
			node.ServeHTTP(w, r)
			return
		}
		service.ServeHTTP(w, r)
	})
}
