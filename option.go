package dynastay

import "github.com/dynastay/dynastay/internal/condition"

// ReadOption changes how a read is done; [Consistent] is the only one.
type ReadOption int

// Consistent makes a read strongly consistent: it sees every write that was acknowledged before it, at twice the read
// units. A lookup by a unique value then reads the value's guard, a separate item that makes the value unique, instead
// of the index, which lags.
const Consistent ReadOption = 1

// UpdateOption adds a condition to an update or a delete that a repository makes, or changes how it is done. Every
// [WriteOption] is one, too: it then applies to the write that the operation is part of.
type UpdateOption interface{ Apply(*condition.Set) }

// IfVersion lets the write happen only if the entity is at the given version, for example the one that a form was
// filled in from. Otherwise the write fails with [ErrVersion], before an update's function is called. An item without a
// version has version 0. An entity without versions does not support it and returns [ErrInvalid].
func IfVersion(version int) UpdateOption {
	return condition.Func(func(s *condition.Set) { s.Version = &version })
}

// IfWritten lets a write happen only while the item still has the given write id; otherwise it fails with [ErrVersion].
// Unlike a version, an id never recurs, not even if the item is deleted and created again. So it can ensure, for
// example, that only the holder of a lock releases it.
func IfWritten(id WriteID) UpdateOption {
	return condition.Func(func(s *condition.Set) { s.Written = (*string)(&id) })
}

// AgreedOn states the values that determine what an update does, so that it can be written with an [IdempotencyKey]:
// the update's function itself cannot be compared with that of another call. The values must be at most 4,096 bytes in
// total.
func AgreedOn(values ...string) UpdateOption {
	return condition.Func(func(s *condition.Set) { s.Agreed = append([]string{}, values...) })
}

// OrMissing makes a delete succeed even if the entity does not exist. An update does not accept it.
func OrMissing() UpdateOption {
	return condition.Func(func(s *condition.Set) { s.Missing = true })
}
