package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"braid/chain"
	"braid/families"
	"braid/monad"
	"braid/venue"
)

// sources splits the deployments into those that are followed (on) and those that
// --off names. Requests may name either in excludeSources.
func (s *service) sources(ctx context.Context, node *chain.Client, log *slog.Logger) (on, off []venue.Source, err error) {
	rows, err := sourceRows(s.sourcesFile)
	if err != nil {
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

// sourceRows are the deployments that are built in, with the rows of a file, which add
// sources or replace those of the same id. Without a path there is no file.
func sourceRows(path string) ([]venue.Source, error) {
	rows := monad.Sources()
	if path == "" {
		return rows, families.Check(rows)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, misuse("--sources: %w", err)
	}
	var own []venue.Source
	if err := json.Unmarshal(data, &own); err != nil {
		return nil, misuse("--sources %s: want a JSON list of rows as in monad/sources.json: %w", path, err)
	}
	seen := map[string]bool{}
	for _, row := range own {
		switch {
		case row.ID == "" || row.Type == "":
			return nil, misuse("--sources %s: a row has no id or no type", path)
		case seen[row.ID]:
			return nil, misuse("--sources %s: source %s is there twice", path, row.ID)
		case row.Factory == common.Address{}:
			return nil, misuse("--sources %s: source %s has no factory", path, row.ID)
		}
		seen[row.ID] = true
		if i := slices.IndexFunc(rows, func(r venue.Source) bool { return r.ID == row.ID }); i >= 0 {
			rows[i] = row
		} else {
			rows = append(rows, row)
		}
	}
	factories := map[common.Address]string{}
	for _, row := range rows {
		if other := factories[row.Factory]; other != "" {
			return nil, misuse("--sources %s: %s and %s have the same factory", path, other, row.ID)
		}
		factories[row.Factory] = row.ID
	}
	if err := families.Check(rows); err != nil {
		return nil, misuse("--sources %s: %w", path, err)
	}
	return rows, nil
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
