package venue

// Variable is a pool with a parameter that neither logs nor reads tell, such as the fee
// in the code of a pair: only swaps do. Its values are called variants.
type Variable interface {
	Pool

	// Variant is the value that the pool quotes with; above 0.
	Variant() uint64

	// Variants are the values that the pool may have, by falling output. A contract that
	// pays what one of them quotes takes less too.
	Variants() []uint64

	// WithVariant is the pool with another value.
	WithVariant(uint64) Pool
}
