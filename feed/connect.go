package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Broker is how the broker is reached.
type Broker struct {
	URLs  string // separated by commas; with tls:// for TLS
	Creds string // file of NATS credentials; empty: none
	NKey  string // file of an nkey seed; empty: none
	CA    string // file of the certificates that the broker's is signed by; empty: the system's
	Cert  string // file of a client certificate; empty: none
	Key   string // file of its key

	InProcess nats.InProcessConnProvider // a broker in this process, instead of URLs
}

// Check says what is wrong with the settings, if anything.
func (b *Broker) Check() error {
	for _, u := range strings.Split(b.URLs, ",") {
		parsed, err := url.Parse(strings.TrimSpace(u))
		if err != nil || parsed.Host == "" || parsed.Scheme != "nats" && parsed.Scheme != "tls" {
			return errors.New("a broker is nats://host:port or tls://host:port; several are separated by commas")
		}
	}
	if (b.Cert == "") != (b.Key == "") {
		return errors.New("a client certificate needs its key, and the key its certificate")
	}
	return nil
}

// Connect opens a connection that is kept up from then on: it need not succeed at
// once. A broker that does not answer two pings within about a second is left for
// another.
func Connect(b Broker, name string, log *slog.Logger) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("braid " + name),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(50 * time.Millisecond),
		nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), // what cannot be sent now is asked for later
		nats.Timeout(time.Second),
		nats.FlusherTimeout(500 * time.Millisecond), // a broker that takes nothing is hung
		nats.PingInterval(400 * time.Millisecond),
		nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { log.Warn("broker is gone", "err", err) }),
		nats.ReconnectHandler(func(c *nats.Conn) { log.Info("broker is back", "server", c.ConnectedServerName()) }),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			log.Warn("broker", "subject", subjectOf(s), "err", err)
		}),
	}
	if b.Creds != "" {
		options = append(options, nats.UserCredentials(b.Creds))
	}
	if b.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(b.NKey)
		if err != nil {
			return nil, fmt.Errorf("nkey: %w", err)
		}
		options = append(options, o)
	}
	if b.CA != "" {
		options = append(options, nats.RootCAs(b.CA))
	}
	if b.Cert != "" {
		options = append(options, nats.ClientCert(b.Cert, b.Key))
	}
	if b.InProcess != nil {
		options = append(options, nats.InProcessServer(b.InProcess))
	}
	c, err := nats.Connect(b.URLs, options...)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	return c, nil
}

func subjectOf(s *nats.Subscription) string {
	if s == nil {
		return ""
	}
	return s.Subject
}

// pause waits; it is false if ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
