package main

import (
	"context"
	"encoding/json"
	"os"

	"golang.org/x/sync/errgroup"

	"braid/benchfile"
	"braid/chain"
	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
)

// dump writes the market at the head of a node's chain as a market file.
func dump(ctx context.Context, rpc, file string) error {
	node, err := chain.Dial(ctx, rpc, monad.ChainID)
	if err != nil {
		return err
	}
	defer node.Close()
	families := families.Of(monad.Sources(), monad.WrappedNative)
	index := indexer.New(indexer.Config{Node: node, Families: families, Start: market.New(monad.Chain()), Listed: monad.Tokens()})
	g, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	g.Go(func() error { return index.Run(ctx) })
	g.Go(func() error {
		defer stop()
		select {
		case <-index.Ready():
		case <-ctx.Done():
			return ctx.Err()
		}
		s, err := benchfile.Of(index.Head(), families)
		if err != nil {
			return err
		}
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o644)
	})
	return g.Wait()
}
