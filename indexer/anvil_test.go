package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/prometheus/client_golang/prometheus"

	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// TestAnvil follows anvil, a node that shares no code with ours, with blocks of
// 300 ms and reorgs. The logs of all its blocks must be proved by its receipts.
func TestAnvil(t *testing.T) {
	t.Parallel()
	a := startAnvil(t)
	supply := u256.From(1e18).Mul(u256.From(1e9))
	token := func(name string) common.Address {
		return a.create(contracts.Token.Init(name, name, uint8(18), devchain.DevAccount, supply.Big()))
	}
	code, err := contracts.Read("../build/artifacts/UniswapV2Factory-30.json")
	if err != nil {
		t.Fatal(err)
	}
	source := venue.Source{ID: "Anvil", Type: venue.V2, Family: univ2.Name, Factory: a.create(code.Init(devchain.DevAccount)), Params: univ2.Fee(30)}
	tokens := []common.Address{token("A"), token("B"), token("C"), token("D")}
	registry := prometheus.NewRegistry()
	node, err := chain.Open(t.Context(), chain.Config{URLs: []string{a.url}, ChainID: monad.ChainID, Registry: registry})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	x := indexer.New(indexer.Config{
		Node: node, Families: []venue.Family{univ2.New([]venue.Source{source})}, Start: market.New(monad.Chain()), Keep: 32,
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	for i, token := range tokens {
		for _, other := range tokens[i+1:] {
			a.send(source.Factory, pack("createPair(address,address)", token[:], other[:]))
		}
	}
	a.wait()
	for i, token := range tokens {
		for _, other := range tokens[i+1:] {
			results, err := node.Calls(t.Context(), a.head().Hash(), []chain.Call{{To: source.Factory, Data: pack("getPair(address,address)", token[:], other[:])}})
			if err != nil {
				t.Fatal(err)
			}
			pair := common.BytesToAddress(results[0].Data)
			a.send(token, pack("transfer(address,uint256)", pair[:], word(u256.From(1e9))))
			a.send(other, pack("transfer(address,uint256)", pair[:], word(u256.From(1e9))))
			a.send(pair, pack("sync()"))
		}
	}
	a.wait()
	pools := a.settled(x).Pools()
	for late := time.Now().Add(time.Minute); len(pools) != 6; pools = a.settled(x).Pools() { // tokens are described beside the blocks
		if time.Sleep(50 * time.Millisecond); time.Now().After(late) {
			t.Fatalf("%d pools, waiting: %v", len(pools), x.Health().Waiting)
		}
	}
	random := rand.New(rand.NewPCG(1, 17))
	reorgs := 0
	for n := range 40 {
		for range 1 + random.IntN(9) {
			p := pools[random.IntN(len(pools))]
			pair := common.HexToAddress(string(p.Info().ID))
			a.send(p.Info().Tokens[random.IntN(2)], pack("transfer(address,uint256)", pair[:], word(u256.From(1+random.Uint64N(1e9)))))
			a.send(pair, pack("sync()"))
		}
		a.wait()
		if n%4 == 3 {
			reorgs++
			if err := a.node.Client().Call(nil, "anvil_reorg", 1+random.IntN(3), []any{}); err != nil {
				t.Fatal(err)
			}
			a.nonce, _ = a.node.NonceAt(t.Context(), devchain.DevAccount, nil)
		}
		parity(t, node, a.settled(x))
	}
	var gone struct{ Hash common.Hash }
	if err := errors.Join(a.node.Client().Call(&gone, "eth_getBlockByNumber", "latest", false), a.node.Client().Call(nil, "anvil_reorg", 3, []any{})); err != nil {
		t.Fatal(err)
	}
	if _, err := node.Calls(t.Context(), gone.Hash, []chain.Call{{To: tokens[0]}}); !errors.Is(err, chain.ErrUnknownBlock) {
		t.Errorf("a read at a block that is gone: %v", err)
	}
	if proved, believed := blocks(t, registry); proved == 0 || believed > 0 {
		t.Errorf("the logs of %v blocks were proved, those of %v were not", proved, believed)
	}
	fmt.Printf("anvil: blocks=%d reorgs=%d pools=%d\n", a.head().Number, reorgs, len(pools))
}

func blocks(t *testing.T, r *prometheus.Registry) (proved, believed float64) {
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "braid_chain_blocks_total" { // labels are in order
			return f.GetMetric()[1].GetCounter().GetValue(), f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return 0, 0
}

// anvil is an anvil process.
type anvil struct {
	testing.TB
	url   string
	node  *ethclient.Client
	nonce uint64
	last  common.Hash // transaction
}

func startAnvil(t testing.TB) *anvil {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	binary, err := filepath.Glob("../node_modules/@foundry-rs/anvil-*/bin/anvil*")
	if err != nil || len(binary) != 1 {
		t.Fatalf("anvil is not installed: %v", binary)
	}
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, binary[0], "--port", port, "--chain-id", fmt.Sprint(monad.ChainID), "--block-time", "0.3",
		"--gas-limit", "150000000", "--order", "fifo", "--silent")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); command.Wait() })
	a := &anvil{TB: t, url: "http://127.0.0.1:" + port}
	for late := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if c, err := chain.Dial(t.Context(), a.url, monad.ChainID); err == nil {
			c.Close()
			break
		} else if time.Now().After(late) {
			t.Fatal(err)
		}
	}
	if a.node, err = ethclient.Dial(a.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.node.Close)
	return a
}

func (a *anvil) send(to common.Address, data []byte) {
	a.Helper()
	tx := devchain.Sign(devchain.DevKey, a.nonce, venue.Tx{To: to, Data: data, Gas: 5_000_000})
	if err := a.node.SendTransaction(a.Context(), tx); err != nil {
		a.Fatal(err)
	}
	a.nonce++
	a.last = tx.Hash()
}

// wait waits until the last transaction is in a block.
func (a *anvil) wait() {
	a.Helper()
	for late := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if r, err := a.node.TransactionReceipt(a.Context(), a.last); err == nil {
			if r.Status != types.ReceiptStatusSuccessful {
				a.Fatal("a transaction reverted")
			}
			return
		} else if time.Now().After(late) {
			a.Fatal(err)
		}
	}
}

func (a *anvil) create(init []byte) common.Address {
	a.Helper()
	a.send(contracts.Deployer, slices.Concat(contracts.Salt[:], init))
	a.wait()
	return crypto.CreateAddress2(contracts.Deployer, contracts.Salt, crypto.Keccak256(init))
}

func (a *anvil) head() *types.Header {
	a.Helper()
	h, err := a.node.HeaderByNumber(a.Context(), nil)
	if err != nil {
		a.Fatal(err)
	}
	return h
}

// settled waits for a snapshot of a canonical block not below the head at the time
// of the call. Blocks are mined all the time, so any later one will do.
func (a *anvil) settled(x *indexer.Indexer) *market.Snapshot {
	a.Helper()
	from := a.head().Number.Uint64()
	for late := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if s := x.Head(); s != nil && s.Block().Number >= from {
			var now struct{ Hash common.Hash }
			err := a.node.Client().Call(&now, "eth_getBlockByNumber", hexutil.Uint64(s.Block().Number), false)
			if err == nil && now.Hash == s.Block().Hash {
				return s
			}
		}
		if time.Now().After(late) {
			a.Fatalf("block %d is not reached: %+v", from, x.Health())
		}
	}
}
