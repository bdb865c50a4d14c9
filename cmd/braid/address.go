package main

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// apiPath is the path of the API below the service's URL.
const apiPath = "/api/v1"

// serviceURL is the base of the API of the service at an address, which may be
// written as host:port, :port or a URL, with or without the API's own path.
func serviceURL(addr string) (string, error) {
	text := strings.TrimSpace(addr)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	wrong := func(why string) error {
		return misuse("--addr %.80q %s: write host:port or a URL such as http://127.0.0.1:8080", addr, why)
	}
	switch {
	case err != nil:
		return "", wrong("cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", wrong("is neither http nor https")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", wrong("has a user, a query or a fragment")
	case u.Host == "", u.Hostname() == "" && u.Port() == "":
		return "", wrong("has no host")
	case !strings.Contains(addr, "://") && u.Port() == "":
		return "", wrong("has no port")
	}
	if u.Hostname() == "" {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	path := strings.TrimRight(u.Path, "/")
	return u.Scheme + "://" + u.Host + strings.TrimSuffix(path, apiPath) + apiPath, nil
}

// listenAddress is the host:port to listen on, which may be given as an http URL.
func listenAddress(addr string) (string, error) {
	if !strings.Contains(addr, "://") {
		return addr, nil
	}
	u, err := url.Parse(addr)
	if err != nil || u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("--addr %.80q is not an address to listen on: write host:port such as 127.0.0.1:8080 (it serves plain http; for https put a reverse proxy before it)", addr)
	}
	return u.Host, nil
}
