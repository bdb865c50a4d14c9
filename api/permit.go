package api

import (
	"encoding/hex"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/calldata"
	"braid/monad"
	"braid/u256"
)

// permitOptions are the parameters of /swap about signed approvals: Permit2 and
// ERC-2612. Nothing is read from the chain for them: nonce and version are the
// caller's.
type permitOptions struct {
	wantPermit, wantCalls bool
	owner                 common.Address
	nonce                 u256.Int // nonces(owner) of the token, for ERC-2612
	hasNonce              bool     // the nonce is given, so the token has ERC-2612
	version               string   // of the token's EIP-712 domain
	permit                *calldata.Permit
}

const permitTooSmall = "is for less than amount; sign another with include=permit, or lower amount"

// maxVersionLength bounds permitVersion, in characters.
const maxVersionLength = 16

// parsePermitOptions reads owner, permitNonce, permitVersion and permit, after the
// recipient, the tokens and the amount.
func (s *server) parsePermitOptions(q *query, req *request) {
	opts := &req.permitOptions
	opts.owner = req.recipient
	if _, ok := q.optional("owner"); ok {
		opts.owner, _ = q.address("owner")
	}
	if v, ok := q.optional("permitNonce"); ok {
		if opts.nonce, opts.hasNonce = parseDecimal(v); !opts.hasNonce {
			q.reject("permitNonce", invalidParameter, digitsMessage(v)+"; give an integer from 0 to 2^256-1 in digits alone, the answer of nonces(owner) of tokenIn")
		}
	}
	opts.version = "1"
	if v, ok := q.optional("permitVersion"); ok {
		if opts.version = v; v == "" || len(v) > maxVersionLength || strings.Trim(v, "0123456789.") != "" {
			q.reject("permitVersion", invalidParameter, "is not 1 to 16 digits and dots; give the version in tokenIn's EIP-712 domain, such as 1 or 2")
		}
	}
	v, ok := q.optional("permit")
	if !ok {
		return
	}
	b, err := hex.DecodeString(strings.TrimPrefix(v, "0x"))
	if err == nil {
		opts.permit, err = calldata.ParsePermit(b)
	}
	switch {
	case err != nil || !strings.HasPrefix(v, "0x"):
		q.reject("permit", invalidParameter, "cannot be read; give the prefix that include=permit gave, with the signature behind it, as one 0x and hex digits")
	case req.nativeIn:
		q.reject("permit", invalidParameter, "is for a token, and tokenIn is native; leave it out, or give wrapped native as tokenIn")
	case opts.permit.Amount.Lt(req.exactIn):
		q.reject("permit", invalidParameter, permitTooSmall)
	case opts.permit.Deadline < uint64(s.Now().Unix()):
		q.reject("permit", invalidParameter, "has expired; sign another with include=permit")
	}
}

// permitsBody is what include=permit adds: typed data to sign, one of which is
// enough.
type permitsBody struct {
	Permit2 permitBody  `json:"permit2"`
	ERC2612 *permitBody `json:"erc2612,omitempty"`
}

// permitBody is what to sign (EIP-712); the parameter permit is the prefix with
// the signature after it.
type permitBody struct {
	TypedData calldata.TypedData `json:"typedData"`
	Prefix    hexutil.Bytes      `json:"prefix"`
}

// permits are valid until the deadline of the transaction. The nonce of Permit2
// may be any that the owner has not used: it is the time in milliseconds.
func (s *server) permits(q *quote) *permitsBody {
	if !q.permitOptions.wantPermit || q.nativeIn {
		return nil
	}
	now := u256.From(uint64(s.Now().UnixMilli()))
	b := &permitsBody{Permit2: s.typedPermit(q, calldata.Permit{Kind: calldata.Permit2, Amount: q.amountIn, Nonce: now, Deadline: q.deadline})}
	if q.permitOptions.hasNonce {
		b.ERC2612 = new(s.typedPermit(q, calldata.Permit{Kind: calldata.ERC2612, Amount: q.amountIn, Nonce: q.permitOptions.nonce, Deadline: q.deadline}))
	}
	return b
}

// typedPermit is a permit of the input token as typed data.
func (s *server) typedPermit(q *quote, p calldata.Permit) permitBody {
	by := calldata.Signer{Owner: q.permitOptions.owner, Name: q.cache.token(q.TokenIn).Name, Version: q.permitOptions.version}
	return permitBody{s.Contracts.TypedData(&p, monad.ChainID, q.TokenIn, by), p.Prefix()}
}

// callsBody is the parameter of wallet_sendCalls (EIP-5792).
type callsBody struct {
	Version        string     `json:"version"`
	ChainID        string     `json:"chainId"`
	AtomicRequired bool       `json:"atomicRequired"`
	Calls          []callBody `json:"calls"`
}

// callBody is a call of a contract; its value is in wei.
type callBody struct {
	To    string        `json:"to"`
	Data  hexutil.Bytes `json:"data"`
	Value string        `json:"value"`
}

// calls are the approval, where one is needed, and the swap, for a wallet that
// sends both in one transaction.
func (q *quote) calls(tx calldata.Tx) *callsBody {
	if !q.permitOptions.wantCalls {
		return nil
	}
	b := &callsBody{Version: "2.0.0", ChainID: hexutil.EncodeUint64(monad.ChainID), AtomicRequired: true}
	if !q.nativeIn && q.permitOptions.permit == nil {
		approve := q.approvalCall(tx)
		approve.Value = "0x0"
		b.Calls = append(b.Calls, *approve)
	}
	b.Calls = append(b.Calls, callBody{To: tx.To.Hex(), Data: tx.Data, Value: hexutil.EncodeBig(tx.Value.Big())})
	return b
}
