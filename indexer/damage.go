package indexer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

var (
	errDamaged = errors.New("damaged")
	errCycle   = errors.New("its pages form a cycle")
)

// catchPanics calls do, and returns a panic or a memory fault, which bbolt may cause
// when it reads a damaged file, as errDamaged.
func catchPanics(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return do()
}

// checkCycles is errCycle if the branch pages of a bbolt file form a cycle, which
// bbolt would follow for ever. Only damage can cause one: bbolt never changes a
// page in place, so that all its links lead to older pages. size is the page size
// in bytes. Sizes of fields in bytes, integers little-endian:
//
//	page    id:8 flags:2 count:2 overflow:4 element*
//	element key:8 page:8, on a page with the branch flag
func checkCycles(path string, size int) error {
	const headerSize, elementSize, branchFlag = 16, 16, 1
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const onPath, done = 1, 2 // depth-first search
	state := make([]byte, len(file)/size)
	var visit func(id uint64) error
	visit = func(id uint64) error {
		if id >= uint64(len(state)) || state[id] == done {
			return nil
		}
		if state[id] == onPath {
			return errCycle
		}
		state[id] = onPath
		page := file[int(id)*size:][:size]
		if binary.LittleEndian.Uint64(page) == id && binary.LittleEndian.Uint16(page[8:]) == branchFlag {
			elements := page[headerSize:]
			for range min(int(binary.LittleEndian.Uint16(page[10:])), len(elements)/elementSize) {
				if err := visit(binary.LittleEndian.Uint64(elements[8:])); err != nil {
					return err
				}
				elements = elements[elementSize:]
			}
		}
		state[id] = done
		return nil
	}
	for id := range state {
		if err := visit(uint64(id)); err != nil {
			return err
		}
	}
	return nil
}
