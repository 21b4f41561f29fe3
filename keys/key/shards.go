package key

import (
	"github.com/dynastay/dynastay"
)

// Shards are the settings of a list whose partition is spread, see [ShardOf]. The zero Shards leave it whole.
//
// Both counts may only grow, and never at once: raise Read in every process first, and Write afterwards. A process that
// reads fewer shards than another writes would miss rows.
type Shards struct {
	Write int // the shards that new and changed rows go to; default 1
	Read  int // the shards that lists are read from, at least Write; default 1
}

// maxShards is more than any list wants: every page reads all of them.
const maxShards = 256

// Validate refuses a count that is negative or over 256, and a Write above Read. Its errors name the field.
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

// Of is the shard of an entity's row.
func (s Shards) Of(id string) int { return ShardOf(id, s.Write) }

// Partitions are the partition keys of a key's shards 0 to count−1, for a Query that merges them; the key's own shard
// and the fields of its sort key are not looked at. A count of 0 counts as 1. It fails with an [*dynastay.InvalidError]
// that names the key's field, and panics where the key has no [Shard] and the count is above 1.
func Partitions[K any, P Layout[K]](k K, count int) ([]string, error) {
	f := formOf[K, P](&k)
	shard, ok := f.pk[len(f.pk)-1].(Value)
	n, isShard := shard.kind.(*shardValue)
	if count > 1 && (!ok || !isShard) {
		f.reject("%d partitions require a Shard in PK", count)
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
