// Package contracts is our Solidity, its ABI and its code.
//
// What out/ holds is compiled from src/ and dev/ by build.mjs and committed; a
// test compiles again and compares. Venue code is not ours to commit: build.mjs
// takes it from npm into build/artifacts, and Read reads it from there.
package contracts

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// Contract is what a compiler makes of a source: how to speak to it, and its
// creation code.
type Contract struct {
	ABI  abi.ABI
	Code []byte
}

//go:embed out/Router.json
var routerJSON []byte

//go:embed out/Executor.json
var executorJSON []byte

//go:embed out/Lens.json
var lensJSON []byte

//go:embed out/Trial.json
var trialJSON []byte

//go:embed out/Token.json
var tokenJSON []byte

var (
	// Router is what users approve; its address is the aggregator's.
	Router = embedded(routerJSON)
	// Executor carries routes out for the Router.
	Executor = embedded(executorJSON)
	// Lens reads in bulk. It is never deployed: its code, which is runtime
	// code, comes with each call.
	Lens = embedded(lensJSON)
	// Trial makes swaps for package proof. Like the Lens it is never deployed.
	Trial = embedded(trialJSON)
	// Token is a plain ERC-20 for the local chain.
	Token = embedded(tokenJSON)
)

// Deployer is the well-known contract that makes others by CREATE2; it stands
// at this address on every chain. Its input is a salt and creation code.
var Deployer = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")

// Multicall3 makes many reads in one call; it stands at this address on every
// chain that has it.
var Multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

// Permit2 moves tokens by signatures; it stands at this address on every chain.
var Permit2 = common.HexToAddress("0x000000000022D473030F116dDEE9F6B43aC78BA3")

// Salt is the one both contracts are deployed with.
var Salt common.Hash

// RouterInit is the creation code of the Router with its argument.
func RouterInit(wrappedNative common.Address) []byte {
	return Router.Init(wrappedNative)
}

// ExecutorInit is the creation code of the Executor with its arguments.
func ExecutorInit(router, wrappedNative common.Address) []byte {
	return Executor.Init(router, wrappedNative)
}

// Addresses are where the Deployer puts both contracts: they follow from their
// code and from wrapped native alone.
func Addresses(wrappedNative common.Address) (router, executor common.Address) {
	at := func(init []byte) common.Address {
		return crypto.CreateAddress2(Deployer, Salt, crypto.Keccak256(init))
	}
	router = at(RouterInit(wrappedNative))
	return router, at(ExecutorInit(router, wrappedNative))
}

// Init is the creation code with the constructor's arguments behind it. It
// panics if they are not of the constructor's types.
func (c Contract) Init(args ...any) []byte {
	packed, err := c.ABI.Pack("", args...)
	if err != nil {
		panic(fmt.Errorf("contracts: constructor: %w", err))
	}
	return slices.Concat(c.Code, packed)
}

// Read reads an artifact that build.mjs wrote.
func Read(path string) (Contract, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Contract{}, fmt.Errorf("contracts: %w", err)
	}
	c, err := parse(data)
	if err != nil {
		return Contract{}, fmt.Errorf("contracts: %s: %w", path, err)
	}
	return c, nil
}

// Builds reads the artifacts of a folder by their names, each once.
type Builds struct {
	folder string
	read   map[string]Contract
}

// NewBuilds reads the artifacts of a folder. Our own contracts come from the
// program itself.
func NewBuilds(folder string) *Builds {
	return &Builds{folder, map[string]Contract{"Router": Router, "Executor": Executor, "Token": Token}}
}

// Get is the build of that name.
func (b *Builds) Get(name string) (Contract, error) {
	if c, ok := b.read[name]; ok {
		return c, nil
	}
	c, err := Read(filepath.Join(b.folder, name+".json"))
	if err != nil {
		return Contract{}, fmt.Errorf("%w: run make artifacts", err)
	}
	b.read[name] = c
	return c, nil
}

func parse(data []byte) (Contract, error) {
	var artifact struct {
		ABI  json.RawMessage
		Code hexutil.Bytes
	}
	if err := json.Unmarshal(data, &artifact); err != nil {
		return Contract{}, err
	}
	parsed, err := abi.JSON(bytes.NewReader(artifact.ABI))
	if err != nil {
		return Contract{}, err
	}
	return Contract{ABI: parsed, Code: artifact.Code}, nil
}

func embedded(data []byte) Contract {
	c, err := parse(data)
	if err != nil {
		panic(fmt.Errorf("contracts: embedded data: %w", err))
	}
	return c
}
