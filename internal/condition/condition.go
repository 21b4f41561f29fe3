// Package condition contains the options of an update or a delete, shared by the package that defines them and the one
// that implements them.
package condition

// Set is the options of one update or delete.
type Set struct {
	Version *int     // the version that the item must have
	Written *string  // the write id that the item must have
	Agreed  []string // what the update is about; nil if not stated
	Missing bool     // a delete succeeds if the item does not exist
}
