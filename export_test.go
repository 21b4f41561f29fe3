package dynastay

// KeyedAs returns the name of an operation, the error for its arguments, and the hash by which calls with the same
// idempotency key are compared; the hash is empty if the operation cannot be written with a key.
func KeyedAs(p Part) (name, hash string, err error) {
	op := p.(operation)
	if op.restorable() && op.comparable() && op.invalid() == nil {
		hash = hashOf([]operation{op}, owner{})
	}
	return op.name(), hash, op.invalid()
}

// HasKey reports whether an operation has an idempotency key of its own. It can then not be written any more.
func HasKey(p Part) bool {
	var w write
	p.join(&w)
	return w.keyed
}
