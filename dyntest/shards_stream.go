package dyntest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
)

// stream is one stream of the engine, in simulated shards.
type stream struct {
	arn       string
	partition string // the name of the partition key
	seed      uint64
	min, max  int // records of a shard

	mu        sync.Mutex  // also while the engine is read
	random    *rand.Rand  // drawn from in the order of the records only
	source    string      // the engine's shard, "" before it was read
	last      string      // the engine's number of the last record that was read, "" for none
	numbers   []*big.Int  // of all records
	trimmedTo *big.Int    // the number of the last record that was removed
	made      int         // shards so far
	replaced  atomic.Bool // the table has a later stream
	ended     bool
	shards    []*shard // without those that were removed, in the order of their ids
}

type shard struct {
	id, parent string
	low, high  uint64   // the hashes that it is for, both inclusive
	first      *big.Int // StartingSequenceNumber
	last       *big.Int // EndingSequenceNumber; nil while it is open
	limit      int      // of records; the next one closes it
	records    []record // all of them
	trimmed    int      // how many of these were removed
}

type record struct {
	number *big.Int
	body   json.RawMessage
}

func newStream(arn string, schema *dynastay.Schema, seed uint64, least, most int) *stream {
	s := &stream{
		arn: arn, partition: schema.Key.Partition, seed: seed, min: least, max: most,
		random: rand.New(rand.NewPCG(seed, hash(schema.Name))), trimmedTo: new(big.Int),
	}
	s.open("", 0, math.MaxUint64, big.NewInt(1))
	return s
}

func hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

func (s *stream) open(parent string, low, high uint64, first *big.Int) {
	s.made++
	s.shards = append(s.shards, &shard{
		id:     fmt.Sprintf("shardId-%020d-%08x", s.made, s.random.Uint32()),
		parent: parent, low: low, high: high, first: first,
		limit: s.min + s.random.IntN(s.max-s.min+1),
	})
}

// mostOpen is the number of open shards from which on shards only roll over, so that long streams remain readable.
const mostOpen = 8

// add puts a record of the engine into its shard.
func (s *stream) add(body json.RawMessage) error {
	var theirs struct {
		Change struct {
			Keys           map[string]json.RawMessage
			SequenceNumber string
		} `json:"dynamodb"`
	}
	if err := json.Unmarshal(body, &theirs); err != nil {
		return err
	}
	number, ok := new(big.Int).SetString(theirs.Change.SequenceNumber, 10)
	if !ok {
		return fmt.Errorf("sequence number %q is not a number", theirs.Change.SequenceNumber)
	}
	body, err := edit(body, func(r map[string]json.RawMessage) (err error) {
		r["dynamodb"], err = edit(r["dynamodb"], func(change map[string]json.RawMessage) (err error) {
			change["SequenceNumber"], err = json.Marshal(sequence(number))
			return err
		})
		return err
	})
	if err != nil {
		return err
	}
	item := hash(string(theirs.Change.Keys[s.partition]))
	to := s.openFor(item)
	if len(to.records) == to.limit {
		s.reshard(to, number)
		to = s.openFor(item)
	}
	to.records = append(to.records, record{number, body})
	s.numbers, s.last = append(s.numbers, number), theirs.Change.SequenceNumber
	return nil
}

// sequence returns a sequence number with the 21 digits that it has in DynamoDB at least.
func sequence(number *big.Int) string { return fmt.Sprintf("%021d", number) }

func (s *stream) openFor(item uint64) *shard {
	i := slices.IndexFunc(s.shards, func(one *shard) bool { return one.last == nil && one.low <= item && item <= one.high })
	return s.shards[i]
}

// reshard closes a shard before the record with a number, and opens its children.
func (s *stream) reshard(full *shard, number *big.Int) {
	var others []*shard
	for _, one := range s.shards {
		if one.last == nil && one != full {
			others = append(others, one)
		}
	}
	if len(others) < mostOpen-1 && s.random.IntN(2) == 0 {
		middle := full.low + (full.high-full.low)/2
		s.open(full.id, full.low, middle, number)
		s.open(full.id, middle+1, full.high, number)
	} else {
		s.open(full.id, full.low, full.high, number)
	}
	full.last = before(number)
	// DynamoDB also closes shards because of their age.
	if len(others) > 0 && s.random.IntN(3) == 0 {
		old := others[s.random.IntN(len(others))]
		s.open(old.id, old.low, old.high, number)
		old.last = before(number)
	}
}

func before(number *big.Int) *big.Int { return new(big.Int).Sub(number, big.NewInt(1)) }

// end closes all shards, because the stream was disabled or the table was deleted.
func (s *stream) end() {
	s.ended = true
	for _, one := range s.shards {
		if one.last == nil {
			one.last = s.newest(one)
		}
	}
}

// newest returns the highest number that is valid for an open shard.
func (s *stream) newest(open *shard) *big.Int {
	if len(s.numbers) == 0 || s.numbers[len(s.numbers)-1].Cmp(open.first) < 0 {
		return open.first
	}
	return s.numbers[len(s.numbers)-1]
}

// trim removes all but the newest records.
func (s *stream) trim(keep int) {
	if keep >= len(s.numbers) {
		return
	}
	s.trimmedTo = s.numbers[len(s.numbers)-keep-1]
	s.shards = slices.DeleteFunc(s.shards, func(one *shard) bool {
		return one.last != nil && one.last.Cmp(s.trimmedTo) <= 0
	})
	for _, one := range s.shards {
		for one.trimmed < len(one.records) && one.records[one.trimmed].number.Cmp(s.trimmedTo) <= 0 {
			one.trimmed++
		}
	}
}

// shard returns the one with an id, or nil.
func (s *stream) shard(id string) *shard {
	i := slices.IndexFunc(s.shards, func(one *shard) bool { return one.id == id })
	if i < 0 {
		return nil
	}
	return s.shards[i]
}

// chance decides something about a position of a shard, always the same. It does not depend on what was decided before.
func (s *stream) chance(of *shard, position int, what string) bool {
	draws := rand.New(rand.NewPCG(s.seed, hash(fmt.Sprint(what, of.id, position))))
	return draws.IntN(3) == 0
}
