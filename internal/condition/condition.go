// Package condition contains the options of an update or a delete, shared by the package that defines them and the one
// that implements them.
package condition

// Set is the options of one update or delete.
type Set struct {
	Version *int     // the version that the item must have
	Written *string  // the write id that the item must have
	Agreed  []string // what the update is about; nil if not stated
	Missing bool     // a delete succeeds if the item does not exist
	Whole   bool     // there are options of the whole write, which the operation passes on
}

// Option is an option of an update or a delete.
type Option interface{ Apply(*Set) }

// Func is an option that is no more than what it sets.
type Func func(*Set)

// Apply calls the function.
func (f Func) Apply(s *Set) { f(s) }

// Of collects options.
func Of[O Option](opts []O) (s Set) {
	for _, option := range opts {
		option.Apply(&s)
	}
	return s
}

// PassedOn returns an error if the current operation of a transaction, a *dynastay.Tx, has no options of the whole write.
// It is a variable that package dynastay sets and package entity calls, because a method of Tx would be shown to authors
// of operations, who have no use for it.
var PassedOn func(tx any) error
