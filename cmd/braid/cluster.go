package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"braid/feed"
	"braid/feed/broker"
)

// cluster is the broker and the replicas of braid dev; all in this process.
type cluster struct {
	broker   *broker.Broker
	replicas []localReplica
	dir      string // of the key
}

type localReplica struct {
	service
	listener net.Listener
}

// startCluster starts a broker to which s will publish, and opens the listeners of n
// replicas. Without replicas it does nothing.
func startCluster(s *service, n int, log *slog.Logger) (c *cluster, err error) {
	c = &cluster{}
	if n < 0 || n > 64 {
		return nil, misuse("--replicas %d is not between 0 and 64", n)
	}
	if n == 0 {
		return c, nil
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.broker, err = broker.Start(nil); err != nil {
		return nil, err
	}
	secret, public, err := feed.NewKey()
	if err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "braid-key-"); err != nil {
		return nil, err
	}
	s.name, s.secretFile, s.broker = "dev", filepath.Join(c.dir, "secret"), feed.Broker{URLs: c.broker.ClientURL(), InProcess: c.broker}
	if err := os.WriteFile(s.secretFile, []byte(secret), 0o600); err != nil {
		return nil, err
	}
	for range n {
		r := localReplica{service: *s}
		r.adminAddr, r.pauseFile, r.dev = "", "", false
		if err := r.feedKeys.Set(s.name + "=" + public); err != nil {
			return nil, err
		}
		if r.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
		c.replicas = append(c.replicas, r)
	}
	log.Info("broker started", "url", c.broker.ClientURL())
	return c, nil
}

// run runs the service and its replicas until ctx ends. ready is called when all of them
// are.
func (c *cluster) run(ctx context.Context, s *service, l net.Listener, log *slog.Logger, ready func()) error {
	g, ctx := errgroup.WithContext(ctx)
	waiting := make(chan struct{}, 1+len(c.replicas))
	one := func() { waiting <- struct{}{} }
	g.Go(func() error { return s.run(ctx, l, log, one) })
	for i := range c.replicas {
		r := &c.replicas[i]
		g.Go(func() error { return r.runReplica(ctx, r.listener, log.With("replica", i+1), one) })
	}
	g.Go(func() error {
		for range cap(waiting) {
			select {
			case <-waiting:
			case <-ctx.Done():
				return nil
			}
		}
		ready()
		return nil
	})
	return g.Wait()
}

func (c *cluster) close() {
	var errs []error
	for _, r := range c.replicas {
		errs = append(errs, r.listener.Close())
	}
	if c.broker != nil {
		errs = append(errs, c.broker.Close())
	}
	if c.dir != "" {
		errs = append(errs, os.RemoveAll(c.dir))
	}
	_ = errors.Join(errs...) // the process ends
}
