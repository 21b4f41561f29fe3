// Package condition holds what a caller asks of an update or a delete, between the package that names it and the one that
// carries it out.
package condition

// Set is what one update or delete is asked for.
type Set struct {
	Version *int     // the version that the item must have
	Written *string  // the write id that it must have
	Agreed  []string // what the update is about; nil for nothing stated
	Missing bool     // a delete is done where there is nothing
}
