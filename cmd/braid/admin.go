package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

const defaultAdminAddr = "127.0.0.1:8081"

// listenAdmin opens the listener of the admin address. If the default is in use,
// as by another instance on this machine, it takes a free port. It is nil if there
// is to be none.
func (s *service) listenAdmin(log *slog.Logger) (net.Listener, error) {
	if s.adminURL = "off"; s.adminAddr == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", s.adminAddr)
	if errors.Is(err, syscall.EADDRINUSE) && s.adminAddr == defaultAdminAddr {
		log.Warn("the default of --admin-addr is in use: taking a free port", "addr", s.adminAddr)
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %.80q: %w: choose another with --admin-addr or BRAID_ADMIN_ADDR", s.adminAddr, err)
	}
	s.adminURL = "http://" + l.Addr().String()
	return l, nil
}

// newAdminServer serves the admin address. Requests to a host that is not ours are
// refused: see withRPCProxy.
func newAdminServer(h http.Handler, addr string, log *slog.Logger) *http.Server {
	host, _, _ := net.SplitHostPort(addr) // it is listened on, so it is valid
	s := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOurHost(r.Host, []string{host}) {
			http.Error(w, "the host of this request is not ours: use an IP address, localhost or the host of --admin-addr", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	}), log)
	s.WriteTimeout = 5 * time.Minute // a profile takes as long as it is asked to
	return s
}
