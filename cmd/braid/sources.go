package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"golang.org/x/sync/errgroup"

	"braid/chain"
	"braid/families"
	"braid/monad"
	"braid/venue"
)

// sources splits the deployments into those that are followed (on) and those that
// --off names. Requests may name either in excludeSources.
func (s *service) sources(ctx context.Context, node *chain.Client, log *slog.Logger) (on, off []venue.Source, err error) {
	rows := monad.Sources()
	if err := families.Check(rows); err != nil {
		return nil, nil, err
	}
	for _, id := range s.off {
		if !slices.ContainsFunc(rows, func(r venue.Source) bool { return r.ID == id }) {
			return nil, nil, fmt.Errorf("--off %.40q is not a source: docs/venues.md and /api/v1/liquidity-sources list them", id)
		}
	}
	for _, row := range rows {
		if slices.Contains(s.off, row.ID) {
			off = append(off, row)
			log.Warn("source is not followed", "source", row.ID, "reason", "switched off by --off")
		} else {
			on = append(on, row)
		}
	}
	return on, off, checkDeployed(ctx, node, on)
}

// checkDeployed checks that there is a contract at the factory of each source.
func checkDeployed(ctx context.Context, node *chain.Client, sources []venue.Source) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for _, s := range sources {
		g.Go(func() error {
			code, err := node.HasCode(ctx, s.Factory)
			if err == nil && !code {
				err = fmt.Errorf("there is no contract at %s, the factory of %s: check that --rpc is the right chain; if it is, start with --off %s", s.Factory, s.ID, s.ID)
			}
			return err
		})
	}
	return g.Wait()
}
