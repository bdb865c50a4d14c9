package devchain

import (
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"strconv"
	"syscall"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/evm"
	"braid/monad"
)

const (
	genesisTime = 1_760_000_000 // Unix seconds; fixed, so that the chain is the same every day
	blockGas    = 150_000_000   // gas limit of a block
)

var rules = evm.Rules(monad.ChainID)

// startNode runs go-ethereum in memory, without peers, and serves its JSON-RPC
// over HTTP and WebSocket on one address.
func startNode(addr string, alloc types.GenesisAlloc) (*node.Node, *eth.Ethereum, error) {
	log.SetDefault(silent{log.NewLogger(slog.DiscardHandler)})

	host, port, err := splitAddr(addr)
	if err != nil {
		return nil, nil, err
	}
	stack, err := node.New(nodeConfig(host, port))
	if err != nil {
		return nil, nil, err
	}
	backend, err := eth.New(stack, chainConfig(alloc))
	if err == nil {
		system := filters.NewFilterSystem(backend.APIBackend, filters.Config{})
		stack.RegisterAPIs([]rpc.API{{Namespace: "eth", Service: filters.NewFilterAPI(system)}})
		err = stack.Start()
	}
	if err != nil {
		stack.Close()
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%s is in use: stop what listens there or choose another address with --rpc-addr or BRAID_RPC_ADDR", addr)
		}
		return nil, nil, err
	}
	backend.SetSynced()
	return stack, backend, nil
}

// nodeConfig serves JSON-RPC and nothing else: no peers, no IPC. Only methods that
// read the chain or take signed transactions are served, so pages of any origin
// may use them.
func nodeConfig(host string, port int) *node.Config {
	c := node.DefaultConfig
	c.Name = "braid"
	c.DataDir, c.IPCPath = "", ""
	c.P2P = p2p.Config{NoDiscovery: true, NoDial: true}
	c.HTTPHost, c.HTTPPort = host, port
	c.WSHost, c.WSPort = host, port
	c.HTTPModules = []string{"eth", "net", "web3", "txpool"}
	c.WSModules = c.HTTPModules
	c.HTTPCors = []string{"*"}
	c.WSOrigins = []string{"*"}
	c.HTTPVirtualHosts = []string{"localhost", host} // and every IP address
	return &c
}

// chainConfig keeps the state of every block (hash scheme, no pruning), so that any
// block can be read and built upon, and no log index, so that logs are there as
// soon as their block is.
func chainConfig(alloc types.GenesisAlloc) *ethconfig.Config {
	c := ethconfig.Defaults
	c.NetworkId = monad.ChainID
	c.Genesis = &core.Genesis{
		Config: rules, GasLimit: blockGas, BaseFee: big.NewInt(params.GWei), Difficulty: new(big.Int),
		Timestamp: genesisTime, Alloc: alloc,
	}
	c.SyncMode = ethconfig.FullSync
	c.StateScheme = "hash"
	c.NoPruning = true
	c.LogNoHistory = true
	c.TrieCleanCache, c.TrieDirtyCache, c.SnapshotCache = 16, 0, 0
	c.Miner.GasCeil = blockGas
	c.Miner.GasPrice = big.NewInt(1)
	c.RPCGasCap = blockGas
	c.RPCTxFeeCap = 0
	c.TxPool.NoLocals = true
	c.TxPool.Journal = ""
	c.TxPool.PriceLimit = 1
	c.TxPool.AccountSlots, c.TxPool.AccountQueue = 4096, 4096
	c.BlobPool.Datadir = ""
	return &c
}

func splitAddr(addr string) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(p)
	}
	if err != nil {
		return "", 0, fmt.Errorf("address %q is not host:port, such as 127.0.0.1:8545", addr)
	}
	return host, port, nil
}

// silent hides the type of a logger: go-ethereum would otherwise also replace the
// default logger of log/slog.
type silent struct{ log.Logger }
