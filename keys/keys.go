package keys

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Of is [key.Of]: the key as it is stored. It fails with an [*dynastay.InvalidError] that names the struct's field.
func Of[K any, P key.Layout[K]](k K) (dynastay.Key, error) { return key.Of[K, P](k) }

// Parse is [key.Parse]: it accepts what [Of] writes; all else is [dynastay.ErrCorrupt].
func Parse[K any, P key.Layout[K]](stored dynastay.Key) (K, error) { return key.Parse[K, P](stored) }

// Partition is [key.Partition]: the partition key alone, for a Query.
func Partition[K any, P key.Layout[K]](k K) (string, error) { return key.Partition[K, P](k) }

// Partitions is [key.Partitions]: the partition keys of a key's shards, for a Query that merges them.
func Partitions[K any, P key.Layout[K]](k K, count int) ([]string, error) {
	return key.Partitions[K, P](k, count)
}

// SortPrefix is [key.SortPrefix]: the sort key up to its first value and the separator after it, such as
// RATING#08.0#PROPERTY#, a prefix and a bound of ranges.
func SortPrefix[K any, P key.Layout[K]](k K) (string, error) { return key.SortPrefix[K, P](k) }

// SortKind is [key.SortKind]: what the sort keys of all K begin with, such as ROOM#.
func SortKind[K any, P key.Layout[K]]() string { return key.SortKind[K, P]() }
