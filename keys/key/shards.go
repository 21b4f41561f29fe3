package key

import (
	"github.com/dynastay/dynastay"
)

// Shards are the settings of a list whose partition is sharded, see [ShardOf]. With the zero Shards, the partition is
// not sharded.
//
// Both counts may only be increased, and never at the same time: increase Read in every process first, and Write
// afterwards. A process that reads fewer shards than another process writes misses rows.
//
// After Write was increased, the row of an entity moves to its new shard with the entity's next update. A list that is
// read at that moment may lack the row, as with any change of an index key.
type Shards struct {
	Write int // number of shards that new and changed rows are written to; default 1
	Read  int // number of shards that lists are read from, at least Write; default 1
}

// maxShards is more than any list should need: every page reads all shards.
const maxShards = 256

// Validate returns an error if a count is negative or above 256, or Write is above Read. Its errors name the field.
func (s Shards) Validate() error {
	switch {
	case s.Write < 0 || s.Write > maxShards:
		return dynastay.Invalid("Write", "must be between 0 and %d", maxShards)
	case s.Read < 0 || s.Read > maxShards:
		return dynastay.Invalid("Read", "must be between 0 and %d", maxShards)
	case max(s.Write, 1) > max(s.Read, 1):
		return dynastay.Invalid("Write", "must not exceed Read: rows in the shards from %d on would never be read", max(s.Read, 1))
	}
	return nil
}

// Must panics if [Shards.Validate] refuses the settings; name says whose settings they are. It is for constructors of
// repositories, whose settings are part of the program.
func (s Shards) Must(name string) {
	if err := s.Validate(); err != nil {
		panic(name + ": " + err.Error())
	}
}

// Of returns the shard that an entity's row is written to.
func (s Shards) Of(id string) int { return ShardOf(id, s.Write) }

// Partitions returns the partition keys of a key's shards 0 to count−1, for a Query that merges them. It ignores the
// key's own shard and the fields of its sort key. A count of 0 means 1. It fails with a [*dynastay.InvalidError] that
// names the key's field, and panics if the count is above 1 and the key has no [Shard].
func Partitions[K any, P Layout[K]](k K, count int) ([]string, error) {
	f := formOf[K, P](&k)
	shard, ok := f.pk[len(f.pk)-1].(Value)
	n, isShard := shard.kind.(*shardValue)
	if count > 1 && (!ok || !isShard) {
		f.reject("a count of %d requires a Shard in PK", count)
	}
	all := make([]string, max(count, 1))
	for i := range all {
		if isShard {
			*n = shardValue(i)
		}
		var err error
		if all[i], err = f.pk.build(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
