package keys

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Of is [key.Of]: it returns the key as it is stored. It fails with a [*dynastay.InvalidError] that names the struct's
// field.
func Of[K any, P key.Layout[K]](k K) (dynastay.Key, error) { return key.Of[K, P](k) }

// Parse is [key.Parse]: it accepts only what [Of] writes, and fails with [dynastay.ErrCorrupt] for any other text.
func Parse[K any, P key.Layout[K]](stored dynastay.Key) (K, error) { return key.Parse[K, P](stored) }

// Is is [key.Is]: it reports whether a stored key is one of K.
func Is[K any, P key.Layout[K]](stored dynastay.Key) bool { return key.Is[K, P](stored) }

// Partition is [key.Partition]: it returns the partition key alone, for a Query.
func Partition[K any, P key.Layout[K]](k K) (string, error) { return key.Partition[K, P](k) }

// Partitions is [key.Partitions]: it returns the partition keys of a key's shards, for a Query that merges them.
func Partitions[K any, P key.Layout[K]](k K, count int) ([]string, error) {
	return key.Partitions[K, P](k, count)
}

// SortPrefix is [key.SortPrefix]: it returns the sort key up to its first value and the separator after it, such as
// RATING#08.0#PROPERTY#, for use as a prefix or as a bound of a range.
func SortPrefix[K any, P key.Layout[K]](k K) (string, error) { return key.SortPrefix[K, P](k) }

// SortKind is [key.SortKind]: it returns the prefix of the sort keys of all K, such as ROOM#.
func SortKind[K any, P key.Layout[K]]() string { return key.SortKind[K, P]() }
