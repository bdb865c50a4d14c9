package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

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
// all others to the service. Requests of pages of other origins are refused, and
// so are those to a host that is not ours: whoever owns a name can have it resolve
// to this machine, and then his page has the origin of ours (DNS rebinding).
func withRPCProxy(service http.Handler, rpc *url.URL, hosts []string, log *slog.Logger) http.Handler {
	node := http.NewCrossOriginProtection().Handler(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(rpc)
			r.Out.URL.Path = "/"
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != rpcPath || r.Method != http.MethodPost:
			service.ServeHTTP(w, r)
		case !isOurHost(r.Host, hosts):
			http.Error(w, "the host of this request is not ours: use an IP address, localhost, or the host of --addr or --public-url", http.StatusForbidden)
		default:
			node.ServeHTTP(w, r)
		}
	})
}

// isOurHost says whether the Host header of a request names this machine: by an
// IP address, which nobody can have resolve to another, by localhost, or by one of
// hosts.
func isOurHost(header string, hosts []string) bool {
	host := (&url.URL{Host: header}).Hostname()
	if net.ParseIP(host) != nil || strings.EqualFold(host, "localhost") {
		return true
	}
	return host != "" && slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// hosts are the names by which the settings say that the service is reached.
func (s *service) hosts() (list []string) {
	if host, _, err := net.SplitHostPort(s.addr); err == nil {
		list = append(list, host)
	}
	if u, err := url.Parse(s.publicURL); err == nil {
		list = append(list, u.Hostname())
	}
	return list
}
