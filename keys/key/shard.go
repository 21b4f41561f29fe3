package key

import (
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
)

// ShardOf is the shard of an entity, 0 to count−1: FNV-1a of its id, so that every process finds the same one. A count
// of 0 counts as 1.
//
// Partitions that many entities share, such as all of one status or one day, are spread over shards where one
// partition's throughput is not enough. Shard 0 is the key without a suffix: a table that was never spread needs no
// change. Writers and readers have a count each, at first 1, and neither may shrink. To grow, raise the readers' count
// in every process first and the writers' afterwards; then a reader always asks for every shard that anyone writes.
// Rows that nothing changes stay in the shard they are in.
func ShardOf(id string, count int) int {
	if count <= 1 {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(uint64(h.Sum32()) % uint64(count))
}

// Shard is the number of a shard, see [ShardOf]. It stands behind all other parts of PK and is nothing for shard 0,
// #SHARD#{n} for the others. A negative number is refused.
func Shard(name string, p *int) Value { return Value{field: name, kind: (*shardValue)(p)} }

type shardValue int

const shardPrefix = "#SHARD#"

func (v *shardValue) encode() (string, error) {
	switch {
	case *v < 0:
		return "", errors.New("must not be negative")
	case *v == 0:
		return "", nil
	}
	return shardPrefix + strconv.Itoa(int(*v)), nil
}

func (v *shardValue) decode(text string) error {
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, shardPrefix))
	if err != nil {
		return errors.New("must be a whole number")
	}
	*v = shardValue(n)
	return nil
}
