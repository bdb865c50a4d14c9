package feed

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// replicaMayPublish and the others are the roles of docs/feed.md.
var (
	replicaMayPublish = []string{
		"braid.143.v1.*.get", "$JS.API.INFO", "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.MSG.GET.>", "$JS.API.DIRECT.GET.>",
		"$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.DELETE.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.FC.>",
	}
	replicaMaySubscribe = []string{"braid.143.v1.>", "_INBOX.>"}
	indexerMayPublish   = []string{"braid.143.v1.a.>", "$JS.API.>", "$KV.BRAID_143_v1.a", "$O.BRAID_143_v1.>", "_INBOX.>"}
)

// TestRoles: over TLS, with the roles of docs/feed.md, an indexer publishes and a replica
// follows and catches up; the replica can publish nothing.
func TestRoles(t *testing.T) {
	page, err := os.ReadFile("../docs/feed.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range append(append([]string{}, replicaMayPublish...), replicaMaySubscribe...) {
		if !strings.Contains(string(page), subject) {
			t.Errorf("docs/feed.md does not name %s", subject)
		}
	}
	dir := t.TempDir()
	certificate := newCertificate(t, filepath.Join(dir, "ca.pem"))
	user := func(file string, publish, subscribe []string) *server.NkeyUser {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := pair.Seed()
		public, _ := pair.PublicKey()
		if err := os.WriteFile(filepath.Join(dir, file), seed, 0o600); err != nil {
			t.Fatal(err)
		}
		return &server.NkeyUser{Nkey: public, Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: subscribe},
		}}
	}
	g := newRig(t, 100, func(o *server.Options) {
		o.TLS, o.TLSTimeout = true, 5
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		o.Nkeys = []*server.NkeyUser{
			user("indexer", indexerMayPublish, []string{"braid.143.v1.a.>", "_INBOX.>"}),
			user("replica", replicaMayPublish, replicaMaySubscribe),
		}
	})
	connect := func(role string) *nats.Conn {
		c, err := Connect(Broker{URLs: strings.Replace(g.ClientURL(), "nats://", "tls://", 1), CA: filepath.Join(dir, "ca.pem"), NKey: filepath.Join(dir, role)}, role, testLog(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	g.start("a", true, func(c *WriterConfig) { c.Conn = connect("indexer") })
	for range 2*Recent + 10 { // more than the indexer's memory holds: from the stores
		g.advance(2)
	}
	c := connect("replica")
	refused := make(chan error, 10)
	c.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	r := g.replica(func(rc *ReplicaConfig) { rc.Conn = c })
	g.await("the head", at(r, g.tip))
	g.same(r.Head(), g.tip)
	select {
	case err := <-refused:
		t.Errorf("the role is too small: %v", err)
	default:
	}
	if err := c.Publish(subjects{143, "a"}.block(), []byte("mine")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-refused:
		if !strings.Contains(err.Error(), "Permissions Violation") {
			t.Errorf("publishing fails with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a replica may publish blocks")
	}
}

// newCertificate is a certificate for this machine that signs itself, also written to a
// file.
func newCertificate(t *testing.T, file string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
