package api

import (
	"net/http"
	"net/netip"
	"strings"
)

// client is the network of the client that sent a request: one IPv4 address, or an
// IPv6 /64, which is what one customer of a provider gets. The client is the peer
// of the connection. If the peer is a trusted proxy, it is the last address in
// X-Forwarded-For that is not one: each proxy appends its own peer, and what stands
// before that may be forged.
func (s *server) client(r *http.Request) netip.Prefix {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	a := peer.Addr().Unmap()
	if s.trusts(a) {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(hops) - 1; i >= 0 && s.trusts(a); i-- {
			hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
			if err != nil {
				break
			}
			a = hop.Unmap()
		}
	}
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.WithZone("").Prefix(bits) // both lengths fit
	return p
}

func (s *server) trusts(a netip.Addr) bool {
	for _, p := range s.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
