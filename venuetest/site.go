package venuetest

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/venue"
)

// A Rig is a venue.Site, on which a family sets itself up.

func (r *Rig) Deployer() common.Address { return Owner }

func (r *Rig) Init(name string, args ...any) ([]byte, error) {
	return r.Artifact(name).Init(args...), nil
}

func (r *Rig) Etch(at common.Address, init []byte) error {
	_, err := r.Machine.Etch(Owner, at, init)
	return err
}

// Send gives every call the gas it asked for and no more.
func (r *Rig) Send(txs []venue.Tx) (logs [][]*types.Log, err error) {
	all := r.Gas
	defer func() { r.Gas = all }()
	for i, tx := range txs {
		r.Gas = tx.Gas
		result, err := r.Call(Owner, tx.To, tx.Value, tx.Data)
		if err != nil {
			return nil, fmt.Errorf("transaction %d, to %s: %w", i, tx.To, err)
		}
		logs, r.Logs = append(logs, result.Logs), append(r.Logs, result.Logs...)
	}
	return logs, nil
}
