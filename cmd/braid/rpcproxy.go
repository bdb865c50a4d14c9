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

// rpcPath is where braid dev proxies the JSON-RPC of its chain: the page's
// content security policy lets the page connect to its own origin only.
const rpcPath = "/rpc"

// devAccount is the account with which the page of braid dev signs.
var devAccount = &web.Local{
	RPC:     rpcPath,
	Account: devchain.DevAccount.Hex(),
	Key:     hexutil.Encode(crypto.FromECDSA(devchain.DevKey)),
}

// withRPCProxy forwards POST requests of rpcPath to the chain at rpc, and leaves
// all others to the service. Requests of pages of other origins are refused.
func withRPCProxy(service http.Handler, rpc *url.URL, log *slog.Logger) http.Handler {
	node := http.NewCrossOriginProtection().Handler(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(rpc)
			r.Out.URL.Path = "/"
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == rpcPath && r.Method == http.MethodPost {
			node.ServeHTTP(w, r)
			return
		}
		service.ServeHTTP(w, r)
	})
}
