package siege_test

import (
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/contracts"
	"braid/devchain"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

const (
	artifacts = "../build/artifacts"

	txGas    = 16_000_000 // below the limit of a transaction, 2^24
	txPools  = 250        // that txGas suffices to create
	txLadder = 100        // positions that txGas suffices for

	// blockTxs is the number of transactions of txGas in a block that is to be filled:
	// less than half of its gas, so that the base fee does not rise.
	blockTxs = 4

	blockGas = 145_000_000 // less than the limit of a block

	// What gas costs on mainnet, and the time between its blocks.
	monUSD     = 0.03
	weiPerGas  = 100e9
	blockPause = 400 * time.Millisecond
)

// attacker has the money of the development account, and a contract that makes many
// pools and positions in one transaction.
type attacker struct {
	random    *rand.Rand
	builds    *contracts.Builds
	node      *ethclient.Client
	manager   common.Address // of V4
	forks     []venue.Source // of V3, in which no price was bent yet
	contract  common.Address
	nonce     uint64
	salt      uint64
	fee       int64 // of the last pool that was created in the manager
	mined     time.Time
	gasUsed   uint64
	atRiskUSD float64
}

// equip deploys the contract and gives it half of the money.
func (s *siege) equip() {
	s.Helper()
	s.random, s.builds = rand.New(rand.NewPCG(s.seed, 14)), contracts.NewBuilds(artifacts)
	var err error
	if s.node, err = ethclient.Dial(s.chain.URL()); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(s.node.Close)
	for _, source := range monad.Sources() {
		switch {
		case source.Family == "univ4":
			s.manager = source.Factory
		case source.Family == "univ3" && source.Unproved == "":
			s.forks = append(s.forks, source)
		}
	}
	s.fee = 20_000 // above the fees of the honest pools
	s.contract = s.deploy("Attacker", s.manager)
	var txs []venue.Tx
	for _, t := range monad.Tokens() {
		half := s.balance(t.Address, devchain.DevAccount).Rsh(1)
		txs = append(txs, s.call("Token", t.Address, "transfer", s.contract, half.Big()))
	}
	s.block(append(txs, venue.Tx{To: s.contract, Value: s.balance(common.Address{}, devchain.DevAccount).Rsh(1)})...)
}

// balance of a token; of native currency for the zero address.
func (s *siege) balance(token, holder common.Address) u256.Int {
	s.Helper()
	if token == (common.Address{}) {
		n, err := s.node.BalanceAt(s.Context(), holder, nil)
		if err != nil {
			s.Fatal(err)
		}
		return u256.FromBig(n)
	}
	return u256.FromBytes(s.read(token, "balanceOf(address)", holder[:]))
}

// read calls a contract without a transaction.
func (s *siege) read(to common.Address, method string, args ...[]byte) []byte {
	s.Helper()
	out, err := s.node.CallContract(s.Context(), ethereum.CallMsg{To: &to, Data: venue.Calldata(method, args...)}, nil)
	if err != nil {
		s.Fatalf("%s of %s: %v", method, to, err)
	}
	return out
}

// deploy creates a contract of the artifacts.
func (s *siege) deploy(name string, args ...any) common.Address {
	s.Helper()
	at, tx := s.deployment(name, args...)
	s.block(tx)
	return at
}

// deployment is the transaction that creates a contract, and the contract's address.
func (s *siege) deployment(name string, args ...any) (at common.Address, tx venue.Tx) {
	s.Helper()
	build, err := s.builds.Get(name)
	if err != nil {
		s.Fatal(err)
	}
	s.salt++
	salt, init := common.BigToHash(new(big.Int).SetUint64(s.salt)), build.Init(args...)
	at = crypto.CreateAddress2(contracts.Deployer, salt, crypto.Keccak256(init))
	return at, venue.Tx{To: contracts.Deployer, Data: append(salt[:], init...)}
}

// call is a transaction to a contract of the artifacts.
func (s *siege) call(build string, to common.Address, method string, args ...any) venue.Tx {
	s.Helper()
	c, err := s.builds.Get(build)
	if err != nil {
		s.Fatal(err)
	}
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		s.Fatal(err)
	}
	return venue.Tx{To: to, Data: data}
}

// block makes a block of transactions, none of which may revert, not sooner after
// the last one than a block of mainnet would come.
func (s *siege) block(txs ...venue.Tx) types.Receipts {
	s.Helper()
	signed := make([]*types.Transaction, len(txs))
	for i, tx := range txs {
		tx.Gas = min(txGas, blockGas/uint64(len(txs)))
		signed[i] = devchain.Sign(devchain.DevKey, s.nonce, tx)
		s.nonce++
	}
	time.Sleep(time.Until(s.mined.Add(blockPause)))
	s.mined = time.Now()
	receipts, err := s.chain.Mine(signed...)
	if err != nil {
		s.Fatal(err)
	}
	for i, r := range receipts {
		if s.gasUsed += r.GasUsed; r.Status != types.ReceiptStatusSuccessful {
			s.Fatalf("call of %s reverts after %d gas: %x", txs[i].To, r.GasUsed, txs[i].Data)
		}
	}
	return receipts
}

// load makes blocks of calls of the attacker's contract, each of which does up
// to perTx of n things.
func (s *siege) load(what string, n, perTx int, tx func(first, n int) venue.Tx) {
	s.Helper()
	var txs []venue.Tx
	for done := 0; done < n; {
		some := min(perTx, n-done)
		txs = append(txs, tx(done, some))
		if done += some; len(txs) == blockTxs || done == n {
			s.block(txs...)
			txs = nil
			progress("%d of %d %s", done, n, what)
		}
	}
}

// costUSD is what the gas of the attack would cost on mainnet.
func (s *siege) costUSD() float64 { return float64(s.gasUsed) * weiPerGas / 1e18 * monUSD }
