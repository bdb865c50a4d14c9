package feed

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"strings"
)

// NewKey is a key of an indexer: the secret half, which signs, and the public one,
// which replicas are given. Both are hexadecimal.
func NewKey() (secret, public string, err error) {
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return "", "", err
	}
	return hex.EncodeToString(key.Seed()), hex.EncodeToString(pub), nil
}

// ParseSecret reads the secret half of a key.
func ParseSecret(text string) (ed25519.PrivateKey, error) {
	seed, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("a secret key is %d hexadecimal digits: braid keygen makes one", 2*ed25519.SeedSize)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Keys are the public keys of indexers, by name. An indexer may have several while its
// key is replaced.
type Keys map[string][]ed25519.PublicKey

// Add takes a key as NAME=KEY.
func (k Keys) Add(text string) error {
	name, digits, _ := strings.Cut(strings.TrimSpace(text), "=")
	if err := CheckName(name); err != nil {
		return err
	}
	key, err := hex.DecodeString(digits)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return fmt.Errorf("the key of %s is not %d hexadecimal digits: give the public key that braid keygen printed", name, 2*ed25519.PublicKeySize)
	}
	k[name] = append(k[name], key)
	return nil
}
