package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"braid/chain"
	"braid/market"
	"braid/monad"
	"braid/proof"
	"braid/venue"
)

const proveHelp = `It follows the chain like serve does, executes swaps through every pool by eth_call with
state overrides, and compares what they pay with what was quoted. Nothing is sent to the
chain. Each source is a line; with --json every pool is an object of its own.
`

// sourcesUsage describes a setting of serve and prove.
const sourcesUsage = "JSON `file` of sources to add, or to put in the place of those with the same id: rows as in monad/sources.json"

// sourceProof is the outcome of the trials of the pools of a source.
type sourceProof struct {
	Source  string        `json:"source"`
	Pools   int           `json:"pools"`   // that can be traded
	Tried   int           `json:"tried"`   // of which a trial told
	Exact   int           `json:"exact"`   // proved
	Refused int           `json:"refused"` // that paid something else
	Reason  string        `json:"reason"`  // of the first that is not proved
	Of      []poolVerdict `json:"verdicts"`
}

type poolVerdict struct {
	Pool   venue.ID `json:"pool"`
	Status string   `json:"status"`
	Block  uint64   `json:"block"`
	Swaps  int      `json:"swaps"`
	Gas    uint64   `json:"gas"`
	FeeBps *uint64  `json:"feeBps,omitempty"` // of a pair: as found
	Reason string   `json:"reason,omitempty"`
}

// prove is the command that tries the pools of a chain and prints what they pay.
func prove(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var s service
	f := flags("prove", stdout)
	f.Var(&s.rpc, "rpc", "JSON-RPC `URL` of a node, http or ws; repeat it for further nodes")
	f.Float64Var(&s.rpcRate, "rpc-rate", 25, "requests a second to each node; 0: no `limit`")
	f.StringVar(&s.storeFile, "store", "", "`file` that keeps the market between runs; without it the whole chain is read")
	f.StringVar(&s.sourcesFile, "sources", "", sourcesUsage)
	source := f.String("source", "", "`id` of the source to try; without it all")
	asJSON := f.Bool("json", false, "print JSON")
	if err := parseSettings(f, args, getenv); err != nil {
		return err
	}
	if len(s.rpc.list) == 0 {
		return misuse("prove needs a node: give --rpc URL or set BRAID_RPC")
	}
	rows, err := sourceRows(s.sourcesFile)
	if err != nil {
		return err
	}
	if *source != "" && !slices.ContainsFunc(rows, func(r venue.Source) bool { return r.ID == *source }) {
		return misuse("--source %.40q is not a source: docs/venues.md lists them", *source)
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	node, err := chain.Open(ctx, chain.Config{URLs: s.rpc.list, ChainID: monad.ChainID, Rate: s.rpcRate})
	if err != nil {
		return err
	}
	defer node.Close()
	prover, err := proof.New(node, s.contracts(), s.rpcRate)
	if err != nil {
		return err
	}
	s.local = true // all pools are in the market, proved or not
	head, err := s.joined(ctx, node, rows, log)
	if err != nil {
		return err
	}
	pools := slices.DeleteFunc(slices.Clone(head.Pools()), func(p venue.Pool) bool { return venue.Idle(p) != "" })
	verdicts, err := prover.Survey(ctx, head, pools)
	if err != nil {
		return err
	}
	table := bySource(rows, pools, verdicts)
	if *source != "" {
		table = slices.DeleteFunc(table, func(p sourceProof) bool { return p.Source != *source })
	}
	return printProofs(stdout, table, *asJSON)
}

// joined is the market of the newest block, with every source on.
func (s *service) joined(ctx context.Context, node *chain.Client, rows []venue.Source, log *slog.Logger) (*market.Snapshot, error) {
	index, closeStore, err := s.indexer(node, rows, log, prometheus.NewRegistry())
	if err != nil {
		return nil, err
	}
	defer closeStore()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- index.Run(ctx) }()
	defer func() {
		cancel()
		<-ended
	}()
	select {
	case <-index.Ready():
		return index.Head(), nil
	case err := <-ended:
		ended <- err
		return nil, cmp.Or(err, context.Cause(ctx), errors.New("the chain was not joined"))
	}
}

// bySource counts the verdicts of each source, in the order of the rows.
func bySource(rows []venue.Source, pools []venue.Pool, verdicts []proof.Verdict) []sourceProof {
	table := make([]sourceProof, len(rows))
	number := map[string]int{}
	for i, r := range rows {
		table[i].Source, number[r.ID] = r.ID, i
	}
	for i, p := range pools {
		v, row := verdicts[i], &table[number[p.Info().Source.ID]]
		row.Pools++
		switch v.Status {
		case proof.Proved:
			row.Tried++
			row.Exact++
		case proof.Refused:
			row.Tried++
			row.Refused++
		}
		row.Reason = cmp.Or(row.Reason, v.Reason)
		one := poolVerdict{p.Info().ID, v.Status.String(), v.Block, v.Swaps, v.Gas, nil, v.Reason}
		if v.Variant != 0 {
			one.FeeBps = new(v.Variant - 1)
		}
		row.Of = append(row.Of, one)
	}
	return table
}

func printProofs(w io.Writer, table []sourceProof, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(table)
	}
	for _, p := range table {
		if _, err := fmt.Fprintf(w, "source=%s pools=%d tried=%d exact=%d refused=%d reason=%q\n", p.Source, p.Pools, p.Tried, p.Exact, p.Refused, p.Reason); err != nil {
			return err
		}
	}
	return nil
}
