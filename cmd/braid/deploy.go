package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/contracts"
	"braid/monad"
)

// contractDeployment is a contract at the address that CREATE2 gives it.
type contractDeployment struct {
	name string
	at   common.Address
	code []byte // creation code
	init []byte // creation code and constructor arguments
}

// contractDeployments are the Router and then the Executor. They follow from the
// address of wrapped native alone.
func contractDeployments(wrapped common.Address) []contractDeployment {
	router, executor := contracts.Addresses(wrapped)
	return []contractDeployment{
		{"Router", router, contracts.Router.Code, contracts.RouterInit(wrapped)},
		{"Executor", executor, contracts.Executor.Code, contracts.ExecutorInit(router, wrapped)},
	}
}

// deploy is the command that creates both contracts, if they do not exist yet, and
// prints hashes by which to verify them. Without a key it prints the transactions.
func deploy(ctx context.Context, args []string, getenv func(string) string, stdout io.Writer) (err error) {
	defer func() {
		if at := new(url.Error); errors.As(err, &at) {
			err = fmt.Errorf("node: %w", at.Err) // without the URL, which may hold an API key
		}
	}()
	f := flags("deploy", stdout)
	rpc := f.String("rpc", getenv("BRAID_RPC"), "a node's JSON-RPC `URL` (BRAID_RPC)")
	keyEnv := f.String("key-env", "", "the environment `variable` that holds the sender's private key; without it transactions are printed, not sent")
	wrapped := f.String("wrapped-native", monad.WrappedNative.Hex(), "the chain's wrapped native `token`")
	if err := parse(f, args); err != nil {
		return err
	}
	if *rpc == "" || !common.IsHexAddress(*wrapped) {
		return misuse("deploy needs a node and a token: --rpc URL, --wrapped-native ADDRESS")
	}
	node, err := ethclient.DialContext(ctx, *rpc)
	if err != nil {
		return err
	}
	defer node.Close()
	chain, err := node.ChainID(ctx)
	if err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	for _, at := range []common.Address{contracts.Deployer, common.HexToAddress(*wrapped)} {
		if code, err := node.CodeAt(ctx, at, nil); err != nil || len(code) == 0 {
			return errors.Join(fmt.Errorf("there is no contract at %s on chain %v: check --rpc and --wrapped-native", at, chain), err)
		}
	}
	fmt.Fprintf(stdout, "chain %v, wrapped native %s, by %s with salt %s\n", chain, *wrapped, contracts.Deployer, contracts.Salt)
	for _, p := range contractDeployments(common.HexToAddress(*wrapped)) {
		if err := p.deploy(ctx, node, chain, *keyEnv, getenv, stdout); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// deploy sends the transaction that creates the contract, or prints it if there is
// no key, unless the contract is there already. Then it prints what to compare.
func (p contractDeployment) deploy(ctx context.Context, node *ethclient.Client, chain *big.Int, keyEnv string, getenv func(string) string, stdout io.Writer) error {
	code, err := node.CodeAt(ctx, p.at, nil)
	if err != nil {
		return err
	}
	data := append(contracts.Salt.Bytes(), p.init...)
	switch {
	case len(code) > 0:
		fmt.Fprintf(stdout, "%s is deployed at %s\n", p.name, p.at)
	case keyEnv == "":
		fmt.Fprintf(stdout, "%s is not deployed at %s: send to %s, value 0, data\n%#x\n", p.name, p.at, contracts.Deployer, data)
		return nil
	default:
		if err := send(ctx, node, chain, strings.TrimPrefix(getenv(keyEnv), "0x"), data); err != nil {
			return err
		}
		if code, err = node.CodeAt(ctx, p.at, nil); err != nil || len(code) == 0 {
			return errors.Join(fmt.Errorf("there is no contract at %s after the transaction", p.at), err)
		}
		fmt.Fprintf(stdout, "%s was deployed at %s\n", p.name, p.at)
	}
	fmt.Fprintf(stdout, "  init code keccak256 %s, of contracts/out/%s.json and the arguments %#x\n  code of %d bytes, keccak256 %s\n",
		crypto.Keccak256Hash(p.init), p.name, p.init[len(p.code):], len(code), crypto.Keccak256Hash(code))
	return nil
}

// send signs a call of the CREATE2 deployer, sends it and waits until it is mined.
func send(ctx context.Context, node *ethclient.Client, chain *big.Int, hexKey string, data []byte) error {
	key, err := crypto.HexToECDSA(hexKey)
	if err != nil {
		return errors.New("the variable of --key-env does not hold a private key: 64 hex digits, with or without 0x")
	}
	from := crypto.PubkeyToAddress(key.PublicKey)
	nonce, err := node.PendingNonceAt(ctx, from)
	if err != nil {
		return err
	}
	gas, err := node.EstimateGas(ctx, ethereum.CallMsg{From: from, To: &contracts.Deployer, Data: data})
	if err != nil {
		return err
	}
	tip, err := node.SuggestGasTipCap(ctx)
	if err != nil {
		return err
	}
	head, err := node.HeaderByNumber(ctx, nil)
	if err != nil {
		return err
	}
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(chain), &types.DynamicFeeTx{
		ChainID: chain, Nonce: nonce, To: &contracts.Deployer, Data: data, Gas: gas + gas/20, GasTipCap: tip,
		GasFeeCap: new(big.Int).Add(tip, new(big.Int).Mul(head.BaseFee, big.NewInt(2))),
	})
	if err != nil {
		return err
	}
	if err := node.SendTransaction(ctx, tx); err != nil {
		return err
	}
	return waitMined(ctx, node, tx.Hash())
}

// waitMined waits for the receipt of a transaction; it is an error if that
// reverted.
func waitMined(ctx context.Context, node *ethclient.Client, tx common.Hash) error {
	for {
		r, err := node.TransactionReceipt(ctx, tx)
		switch {
		case err == nil && r.Status != types.ReceiptStatusSuccessful:
			return fmt.Errorf("transaction %s reverted", tx)
		case err == nil:
			return nil
		case !errors.Is(err, ethereum.NotFound):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
