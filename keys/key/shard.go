package key

import (
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
)

// ShardOf returns the shard of an entity, 0 to count−1. It is computed from the id with FNV-1a, so that it is the same
// in every process. A count of 0 means 1.
//
// Partitions that many entities share, such as that of a status or a day, can be spread over shards if the throughput
// of one partition is not sufficient. Shard 0 is the key without a suffix, so an existing table without shards does not
// have to be changed. Writers and readers each have a count, initially 1. To increase it, raise the readers' count in every
// process first and the writers' count afterwards, so that readers always read every shard that is written. Rows that are not
// changed stay in their shard, so the readers' count must not be reduced until a walk of package migrate has moved them.
func ShardOf(id string, count int) int {
	if count <= 1 {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(uint64(h.Sum32()) % uint64(count))
}

// Shard is the number of a shard, see [ShardOf]. It must follow all other parts of PK. Its text is empty for shard 0 and
// #SHARD#{n} for the others. The number must not be negative.
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
