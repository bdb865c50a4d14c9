package calldata

import (
	"strconv"

	"github.com/ethereum/go-ethereum/common"
)

// TypedData is what an owner signs (EIP-712).
type TypedData struct {
	Types       map[string][]typedField `json:"types"`
	PrimaryType string                  `json:"primaryType"`
	Domain      typedDomain             `json:"domain"`
	Message     any                     `json:"message"`
}

type typedField struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type typedDomain struct {
	Name              string `json:"name"`
	Version           string `json:"version,omitempty"`
	ChainID           int    `json:"chainId"`
	VerifyingContract string `json:"verifyingContract"`
}

type permitMessage struct {
	Owner    string `json:"owner"`
	Spender  string `json:"spender"`
	Value    string `json:"value"`
	Nonce    string `json:"nonce"`
	Deadline string `json:"deadline"`
}

type transferMessage struct {
	Permitted struct {
		Token  string `json:"token"`
		Amount string `json:"amount"`
	} `json:"permitted"`
	Spender  string `json:"spender"`
	Nonce    string `json:"nonce"`
	Deadline string `json:"deadline"`
}

// Signer is who signs an ERC-2612 permit, and the domain of the token.
type Signer struct {
	Owner         common.Address
	Name, Version string
}

// TypedData is what to sign for the Router to get a permit of a token; the
// signer does not matter for Permit2.
func (c Contracts) TypedData(p *Permit, chainID int, token common.Address, by Signer) TypedData {
	deadline := strconv.FormatUint(p.Deadline, 10)
	if p.Kind == ERC2612 {
		return TypedData{
			Types: map[string][]typedField{
				"EIP712Domain": {{"name", "string"}, {"version", "string"}, {"chainId", "uint256"}, {"verifyingContract", "address"}},
				"Permit":       {{"owner", "address"}, {"spender", "address"}, {"value", "uint256"}, {"nonce", "uint256"}, {"deadline", "uint256"}},
			},
			PrimaryType: "Permit",
			Domain:      typedDomain{Name: by.Name, Version: by.Version, ChainID: chainID, VerifyingContract: token.Hex()},
			Message: permitMessage{
				Owner: by.Owner.Hex(), Spender: c.Router.Hex(), Value: p.Amount.String(), Nonce: p.Nonce.String(), Deadline: deadline,
			},
		}
	}
	m := transferMessage{Spender: c.Router.Hex(), Nonce: p.Nonce.String(), Deadline: deadline}
	m.Permitted.Token, m.Permitted.Amount = token.Hex(), p.Amount.String()
	return TypedData{
		Types: map[string][]typedField{
			"EIP712Domain":       {{"name", "string"}, {"chainId", "uint256"}, {"verifyingContract", "address"}},
			"PermitTransferFrom": {{"permitted", "TokenPermissions"}, {"spender", "address"}, {"nonce", "uint256"}, {"deadline", "uint256"}},
			"TokenPermissions":   {{"token", "address"}, {"amount", "uint256"}},
		},
		PrimaryType: "PermitTransferFrom",
		Domain:      typedDomain{Name: "Permit2", ChainID: chainID, VerifyingContract: c.Permit2.Hex()},
		Message:     m,
	}
}
