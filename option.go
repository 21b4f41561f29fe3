package dynastay

import "github.com/dynastay/dynastay/internal/condition"

// ReadOption says more of a read.
type ReadOption int

// Consistent has a read see every write that was acknowledged before it, at twice the units. A lookup by a unique value
// then asks the value's guard instead of the index, which lags.
const Consistent ReadOption = 1

// UpdateOption narrows an update or a delete of a repository, or says more of it.
type UpdateOption func(*condition.Set)

// IfVersion lets the write happen only on the version that the caller has seen, for example the one that a form was
// filled in from; otherwise it fails with [ErrVersion], before an update's function is asked. Version 0 is that of an item that
// has none. An entity without versions refuses it.
func IfVersion(version int) UpdateOption { return func(s *condition.Set) { s.Version = &version } }

// IfWritten lets a write happen only while the item is as the write of that id left it; otherwise it fails with
// [ErrVersion]. Unlike a version, an id never comes back, not even after the item was deleted and made again. So a lock is
// released by the one who took it and by nobody else.
func IfWritten(id WriteID) UpdateOption {
	return func(s *condition.Set) { s.Written = (*string)(&id) }
}

// AgreedOn states what an update is about, so that it can be written under an [IdempotencyKey]: the function itself
// cannot be compared with that of another call. The values have at most 4,096 bytes together.
func AgreedOn(values ...string) UpdateOption {
	return func(s *condition.Set) { s.Agreed = append([]string{}, values...) }
}

// OrMissing has a delete succeed where there is nothing to delete. An update refuses it.
func OrMissing() UpdateOption { return func(s *condition.Set) { s.Missing = true } }
