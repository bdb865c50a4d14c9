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

// signing is what a caller wants of permits. Nothing here is read from the
// chain: what the token knows of its owner, the caller says.
type permitOptions struct {
	wantPermit, wantCalls bool
	owner                 common.Address
	nonce                 u256.Int // of the owner at the token
	hasNonce              bool     // the nonce is given: the token has ERC-2612
	version               string   // of the token's domain
	permit                *calldata.Permit
}

const maxVersionLength = 16

func (s *server) parsePermitOptions(q *query, req *request) {
	g := &req.permitOptions
	g.owner = req.recipient
	if _, ok := q.optional("owner"); ok {
		g.owner, _ = q.address("owner")
	}
	if v, ok := q.optional("permitNonce"); ok {
		if g.nonce, g.hasNonce = parseDecimal(v); !g.hasNonce {
			q.reject("permitNonce", invalidParameter, digitsMessage(v)+"; give an integer from 0 to 2^256-1 in digits alone, the answer of nonces(owner) of tokenIn")
		}
	}
	g.version = "1"
	if v, ok := q.optional("permitVersion"); ok {
		if g.version = v; v == "" || len(v) > maxVersionLength || strings.Trim(v, "0123456789.") != "" {
			q.reject("permitVersion", invalidParameter, "is not 1 to 16 digits and dots; give the version in tokenIn's EIP-712 domain, such as 1 or 2")
		}
	}
	v, ok := q.optional("permit")
	if !ok {
		return
	}
	b, err := hex.DecodeString(strings.TrimPrefix(v, "0x"))
	if err == nil {
		g.permit, err = calldata.ParsePermit(b)
	}
	switch {
	case err != nil || !strings.HasPrefix(v, "0x"):
		q.reject("permit", invalidParameter, "cannot be read; give the prefix that include=permit gave, with the signature behind it, as one 0x and hex digits")
	case req.nativeIn:
		q.reject("permit", invalidParameter, "is for a token, and tokenIn is native; leave it out, or give wrapped native as tokenIn")
	case g.permit.Amount.Lt(req.AmountIn):
		q.reject("permit", invalidParameter, "is for less than amount; sign another with include=permit, or lower amount")
	case g.permit.Deadline < uint64(s.Now().Unix()):
		q.reject("permit", invalidParameter, "has expired; sign another with include=permit")
	}
}

type permitsBody struct {
	Permit2 permitBody  `json:"permit2"`
	ERC2612 *permitBody `json:"erc2612,omitempty"`
}

// permitBody is what to sign, and what to write before the signature.
type permitBody struct {
	TypedData calldata.TypedData `json:"typedData"`
	Prefix    hexutil.Bytes      `json:"prefix"`
}

// permits are valid as long as the transaction they come with; the nonce of
// Permit2, which may be any the owner has not used, is the time.
func (s *server) permits(q *quote) *permitsBody {
	if !q.permitOptions.wantPermit || q.nativeIn {
		return nil
	}
	now := u256.From(uint64(s.Now().UnixMilli()))
	b := &permitsBody{Permit2: s.typedPermit(q, calldata.Permit{Kind: calldata.Permit2, Amount: q.AmountIn, Nonce: now, Deadline: q.deadline})}
	if q.permitOptions.hasNonce {
		b.ERC2612 = new(s.typedPermit(q, calldata.Permit{Kind: calldata.ERC2612, Amount: q.AmountIn, Nonce: q.permitOptions.nonce, Deadline: q.deadline}))
	}
	return b
}

func (s *server) typedPermit(q *quote, p calldata.Permit) permitBody {
	by := calldata.Signer{Owner: q.permitOptions.owner, Name: q.name(q.TokenIn), Version: q.permitOptions.version}
	return permitBody{s.Contracts.TypedData(&p, monad.ChainID, q.TokenIn, by), p.Prefix()}
}

func (q *quote) name(a common.Address) string {
	i, ok := q.cache.Token(a)
	if !ok {
		return ""
	}
	return q.cache.Tokens()[i].Name
}

// callsBody is the parameter of wallet_sendCalls (EIP-5792).
type callsBody struct {
	Version        string     `json:"version"`
	ChainID        string     `json:"chainId"`
	AtomicRequired bool       `json:"atomicRequired"`
	Calls          []callBody `json:"calls"`
}

type callBody struct {
	To    string        `json:"to"`
	Data  hexutil.Bytes `json:"data"`
	Value string        `json:"value"`
}

// calls are the approval, where one is needed, and the swap, to be sent as one.
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
