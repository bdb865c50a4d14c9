package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"golang.org/x/sync/errgroup"

	"braid/chain"
	"braid/families"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// sources splits the deployments into those that are followed (on) and those that
// are not (off): what --off names, and what is not proved for mainnet. Requests may
// name either in excludeSources. On a local chain every row holds by construction.
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
	fees := readFees(s.storeFile)
	for _, row := range rows {
		why := row.Unproved
		if s.local {
			why = ""
		}
		if slices.Contains(s.off, row.ID) {
			why = "switched off by --off"
		} else if why != "" && univ2.Measurable(&row) {
			if fees[row.ID] == 0 {
				if fees[row.ID], err = measureFee(ctx, node, &row); err != nil {
					why = err.Error()
				}
			}
			if bps := fees[row.ID]; bps != 0 {
				log.Info("fee measured", "source", row.ID, "feeBps", bps)
				row, why = univ2.WithFee(row, bps), ""
			}
		}
		if why == "" {
			on = append(on, row)
			continue
		}
		off = append(off, row)
		log.Warn("source is not followed", "source", row.ID, "reason", why)
	}
	if err := writeFees(s.storeFile, fees); err != nil {
		return nil, nil, err
	}
	return on, off, checkDeployed(ctx, node, on)
}

// readFees is the fees in basis points, by source, that earlier runs measured, from
// a file beside the store. They never change: they are in the code of the pairs.
func readFees(store string) map[string]uint64 {
	fees := map[string]uint64{}
	if store != "" {
		data, _ := os.ReadFile(store + ".fees")
		json.Unmarshal(data, &fees) // missing or damaged: measured again
	}
	return fees
}

// writeFees keeps measured fees for the next run, if there is a store.
func writeFees(store string, fees map[string]uint64) error {
	maps.DeleteFunc(fees, func(_ string, bps uint64) bool { return bps == 0 })
	if store == "" || len(fees) == 0 {
		return nil
	}
	data, err := json.Marshal(fees)
	if err == nil {
		err = os.WriteFile(store+".fees.new", data, 0o600)
	}
	if err == nil {
		err = os.Rename(store+".fees.new", store+".fees")
	}
	return err
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

// A fee is measured by the swaps of the first pairs of a factory in the newest
// blocks, if there are enough of them.
const (
	measurePairs  = 50
	measureBlocks = 20_000
	measureSwaps  = 20 // at least
)

// measureFee is the fee of a V2 source by the recent swaps of its pairs.
func measureFee(ctx context.Context, node *chain.Client, row *venue.Source) (feeBps uint64, err error) {
	head, err := node.Head(ctx)
	if err != nil {
		return 0, err
	}
	calls := make([]chain.Call, measurePairs)
	for i := range calls {
		calls[i] = chain.Call{To: row.Factory, Data: venue.Calldata("allPairs(uint256)", u256.From(uint64(i)).Big().Bytes())}
	}
	results, err := node.Calls(ctx, head.Hash, calls)
	if err != nil {
		return 0, err
	}
	var pairs []common.Address
	for _, r := range results {
		if r.OK && len(r.Data) == 32 {
			pairs = append(pairs, common.BytesToAddress(r.Data))
		}
	}
	if len(pairs) == 0 {
		return 0, fmt.Errorf("its fee is not known: it has no pairs")
	}
	var logs []types.Log
	from := head.Number - min(measureBlocks, head.Number)
	err = node.LogsOf(ctx, pairs, from, head.Number, univ2.Measured(), func(page []types.Log, _ uint64) error {
		logs = append(logs, page...)
		return nil
	})
	if err != nil {
		return 0, err
	}
	fee, swaps, ok := univ2.Measure(logs)
	switch {
	case !ok && swaps == 0 && len(logs) > 0, fee == 0 && ok:
		return 0, fmt.Errorf("its pairs do not keep a constant product")
	case swaps < measureSwaps:
		return 0, fmt.Errorf("its fee is not known: %d swaps in the last %d blocks, want %d", swaps, measureBlocks, measureSwaps)
	}
	return uint64(fee), nil
}
