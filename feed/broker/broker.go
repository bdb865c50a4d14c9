// Package broker is a NATS server inside the process, for braid dev and for tests.
package broker

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Broker is a running server with JetStream.
type Broker struct {
	*server.Server
	dir string // of the streams; removed by Close
}

// Start runs a server on a free port of this machine. configure, unless nil, may change
// its options.
func Start(configure func(*server.Options)) (*Broker, error) {
	dir, err := os.MkdirTemp("", "braid-broker-")
	if err != nil {
		return nil, err
	}
	o := &server.Options{ServerName: "braid", Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true}
	if configure != nil {
		configure(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("broker: %w", err), os.RemoveAll(dir))
	}
	s.Start()
	b := &Broker{s, dir}
	if !s.ReadyForConnections(10 * time.Second) {
		return nil, errors.Join(errors.New("broker: not ready after 10 s"), b.Close())
	}
	return b, nil
}

// Close stops the server and removes what it has stored.
func (b *Broker) Close() error {
	b.Shutdown()
	b.WaitForShutdown()
	return os.RemoveAll(b.dir)
}
