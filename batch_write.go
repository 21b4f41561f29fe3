package dynastay

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// DeleteAll deletes items of one table by their keys, without conditions. A key may appear more than once, and an item
// need not exist. It is for items that nothing writes any more, such as those of a user who was erased, and costs half
// of what a transaction does. Do not use it for entities of the repositories: the guards of their unique values would
// remain.
//
// DeleteAll sends 1 request for every 25 different keys, one after another. It is not atomic, and it is safe to repeat;
// like [DB.PutAll], it repeats unprocessed keys and lost batches itself. A repetition would also delete an item that
// another caller has created meanwhile.
func (db *DB) DeleteAll(ctx context.Context, s *Schema, keys []Key) (err error) {
	for i, key := range keys {
		if err := s.Key.Check(key); err != nil {
			return elementOf("Keys", i, err)
		}
	}
	ctx, end := db.beginUnnamed(ctx, "DeleteAll", s)
	defer func() { end(err) }()
	b := writeBatch{db: db, op: "DeleteAll", keys: map[Ref]bool{}}
	for _, key := range keys {
		key = s.Key.only(key)
		if b.keys[RefOf(s, key)] {
			continue
		}
		if len(b.keys) == maxBatchWrites {
			if err := b.send(ctx); err != nil {
				return err
			}
		}
		b.add(s, key, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: s.Key.Of(key)}})
	}
	return b.send(ctx)
}

// writeBatch is a batch of writes that is being filled.
type writeBatch struct {
	db     *DB
	op     string
	keys   map[Ref]bool
	writes map[string][]types.WriteRequest
}

func (b *writeBatch) put(s *Schema, key Key, item Item) {
	// A copy, because the sequence may reuse its map for the next item before this one is sent.
	put := &types.PutRequest{Item: maps.Clone(item)}
	if own := s.WriteIDName(); !stored.IsNull(item[own]) {
		put.Item[own] = newStamp().over(nil) // copying an item is a new write
	}
	b.add(s, key, types.WriteRequest{PutRequest: put})
}

func (b *writeBatch) add(s *Schema, key Key, write types.WriteRequest) {
	table := b.db.TableName(s)
	if b.writes == nil {
		b.writes = map[string][]types.WriteRequest{}
	}
	b.keys[RefOf(s, key)] = true
	b.writes[table] = append(b.writes[table], write)
}

// tables returns what the next request names, for the observer.
func (b *writeBatch) tables() (all []target) {
	if b.db.opts.Observer == nil {
		return nil
	}
	for _, table := range slices.Sorted(maps.Keys(b.writes)) {
		all = append(all, target{table, ""})
	}
	return all
}

// send writes the whole batch and empties it.
func (b *writeBatch) send(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	err := b.db.insist(ctx, b.op, len(b.keys), Verdict.kind, func(way *passage, attempt int) (left int, err error) {
		in := &dynamodb.BatchWriteItemInput{RequestItems: b.writes, ReturnConsumedCapacity: b.db.capacity()}
		began := time.Now()
		out, err := b.db.client.BatchWriteItem(ctx, in, way.once)
		if err != nil {
			b.db.observe(ctx, began, way.call("BatchWriteItem", attempt, err), b.tables(), nil)
			return 0, err
		}
		call := way.call("BatchWriteItem", attempt, nil)
		leave(&call, out.UnprocessedItems)
		b.db.observe(ctx, began, call, b.tables(), out.ConsumedCapacity)
		b.writes = out.UnprocessedItems
		for _, writes := range b.writes {
			left += len(writes)
		}
		return left, nil
	})
	clear(b.keys)
	b.writes = nil
	return err
}
