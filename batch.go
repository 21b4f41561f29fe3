package dynastay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/dynastay/dynastay/internal/stored"
)

// What one batch takes. Its other bound, 16 MB, cannot be reached by a write: 25 items of the 400 KB that an item may
// have are 10 MB. A read that would answer with more leaves the rest unprocessed.
const (
	maxBatchReads  = 100
	maxBatchWrites = 25
)

// GetAll reads items of one table by their keys: in the order of the keys, the zero Row where there is none. Keys may
// repeat; the same key gives the same Row. [Consistent] may be asked for. The items are read one by one: together they are no
// snapshot, which is what a transaction reads.
//
// 1 request for every 100 different keys, up to 16 of them in parallel. What DynamoDB leaves unprocessed is asked for again, after waits that grow with
// every request that brings nothing. When [Retry] allows no more of these the error is [ErrThrottled], or the SDK's where no
// answer came.
func (db *DB) GetAll(ctx context.Context, s *Schema, keys []Key, opts ...ReadOption) ([]Row, error) {
	var asked []Key
	found := make(map[Key]Row, len(keys))
	for i, key := range keys {
		if err := s.Key.Check(key); err != nil {
			return nil, elementOf("Keys", i, err)
		}
		key = s.Key.only(key)
		if _, twice := found[key]; !twice {
			found[key] = Row{}
			asked = append(asked, key)
		}
	}
	parts := slices.Collect(slices.Chunk(asked, maxBatchReads))
	var mu sync.Mutex
	err := parallel(len(parts), func(i int) error {
		return db.getBatch(ctx, s, parts[i], slices.Contains(opts, Consistent), func(key Key, row Row) {
			mu.Lock()
			defer mu.Unlock()
			found[key] = row
		})
	})
	if err != nil {
		return nil, err
	}
	items := make([]Row, len(keys))
	for i, key := range keys {
		items[i] = found[s.Key.only(key)]
	}
	return items, nil
}

// elementOf gives the error of a key's check the place of the key in a list.
func elementOf(list string, i int, err error) error {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return Invalid(fmt.Sprintf("%s[%d]%s", list, i, strings.TrimPrefix(invalid.Field, "Key")), "%s", invalid.Reason)
}

// only is the key without a sort value that the table has no place for.
func (n KeyNames) only(k Key) Key {
	if n.Sort == "" {
		k.SK = ""
	}
	return k
}

func (db *DB) getBatch(ctx context.Context, s *Schema, keys []Key, consistent bool, found func(Key, Row)) error {
	table := db.TableName(s)
	asked := types.KeysAndAttributes{Keys: make([]Item, len(keys))}
	for i, key := range keys {
		asked.Keys[i] = s.Key.Of(key)
	}
	if consistent {
		asked.ConsistentRead = ptr(true)
	}
	return db.insist(ctx, "GetAll", len(keys), func(way *passage) (left int, err error) {
		in := &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{table: asked}, ReturnConsumedCapacity: db.capacity(),
		}
		started, named := time.Now(), []target{{table, ""}}
		out, err := db.client.BatchGetItem(ctx, in, way.once)
		if err != nil {
			db.observe(ctx, "BatchGetItem", started, named, nil, middleware.Metadata{}, err)
			return len(asked.Keys), err
		}
		db.observe(ctx, "BatchGetItem", started, named, out.ConsumedCapacity, out.ResultMetadata, nil)
		for _, item := range out.Responses[table] {
			found(s.Key.From(RowOf(item)), RowOf(item))
		}
		asked.Keys = out.UnprocessedKeys[table].Keys
		return len(asked.Keys), nil
	})
}

// PutAll writes whole items, of any tables, past every condition and over whatever is there. It is for loading and
// importing, and for tables of a service's own that have no rules. It is not for entities of the repositories that others
// may be writing: no guard keeps their slugs and references apart, no version and no condition is asked for, and rooms
// that were sold in the meantime come back. Their Create and Update are for that.
//
// The items go out in batches of 25, one batch after another, so that of two items under one key the later one stays.
// PutAll is not atomic: after an error, which may also come from an item that is refused in the middle of the sequence,
// those before it may be there. Repeating it is harmless, and PutAll does so itself: what DynamoDB leaves unprocessed, and
// batches that were throttled or whose answer was lost, are sent again, after waits that grow with every request that
// writes nothing. When [Retry] allows no more of these the error is [ErrThrottled], or the SDK's where no answer came.
func (db *DB) PutAll(ctx context.Context, items iter.Seq2[*Schema, Item]) error {
	b := putBatch{db: db, keys: map[Ref]bool{}}
	i := 0
	for s, item := range items {
		if s == nil {
			return Invalid(fmt.Sprintf("Items[%d].Schema", i), "is nil")
		}
		key := s.Key.From(RowOf(item))
		if err := s.Key.Check(key); err != nil {
			return Within(fmt.Sprintf("Items[%d]", i), err)
		}
		if n := stored.Size(item); n > maxItemBytes {
			return Invalid(fmt.Sprintf("Items[%d]", i), "must be at most %d bytes, got %d", maxItemBytes, n)
		}
		// DynamoDB refuses a batch that names a key twice.
		if at := RefOf(s, key); len(b.keys) == maxBatchWrites || b.keys[at] {
			if err := b.send(ctx); err != nil {
				return err
			}
		}
		b.add(s, key, item)
		i++
	}
	return b.send(ctx)
}

// putBatch is a batch of puts that fills up.
type putBatch struct {
	db     *DB
	keys   map[Ref]bool
	tables []target
	puts   map[string][]types.WriteRequest
}

func (b *putBatch) add(s *Schema, key Key, item Item) {
	table := b.db.TableName(s)
	if b.puts == nil {
		b.puts = map[string][]types.WriteRequest{}
	}
	if b.puts[table] == nil {
		b.tables = append(b.tables, target{table, ""})
	}
	b.keys[RefOf(s, key)] = true
	// A copy, because the sequence may go on to use its map for the next item before this one is sent.
	put := &types.PutRequest{Item: maps.Clone(item)}
	if own := s.WriteIDName(); !stored.IsNull(item[own]) {
		put.Item[own] = newStamp().over(nil) // a copy of an item is another write than the item's
	}
	b.puts[table] = append(b.puts[table], types.WriteRequest{PutRequest: put})
}

// send writes the batch to its end and empties it.
func (b *putBatch) send(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	err := b.db.insist(ctx, "PutAll", len(b.keys), func(way *passage) (left int, err error) {
		in := &dynamodb.BatchWriteItemInput{RequestItems: b.puts, ReturnConsumedCapacity: b.db.capacity()}
		started := time.Now()
		out, err := b.db.client.BatchWriteItem(ctx, in, way.once)
		if err != nil {
			b.db.observe(ctx, "BatchWriteItem", started, b.tables, nil, middleware.Metadata{}, err)
			return 0, err
		}
		b.db.observe(ctx, "BatchWriteItem", started, b.tables, out.ConsumedCapacity, out.ResultMetadata, nil)
		b.puts = out.UnprocessedItems
		for _, puts := range b.puts {
			left += len(puts)
		}
		return left, nil
	})
	clear(b.keys)
	b.tables, b.puts = nil, nil
	return err
}

// insist sends a batch of n elements until none is left. Progress is what counts: however throttled a table is, a batch
// goes on for as long as every few requests get something through. The SDK's retries are off, so that there is one
// budget; both kinds of batch can be repeated at will, whatever became of the request.
func (db *DB) insist(ctx context.Context, op string, n int, send func(way *passage) (left int, err error)) error {
	for idle := 0; ; {
		var way passage
		left, err := send(&way)
		got := outcome{verdict: throttled} // DynamoDB has no other reason to leave something unprocessed for long
		switch {
		case err != nil:
			if got = way.judge(err); got.verdict == rejected {
				return &Error{Op: op, Entity: "batch", Kind: ErrRejected, Err: err}
			}
			idle++
		case left == 0:
			return nil
		case left < n:
			n, idle = left, 0
		default:
			idle++
		}
		if db.opts.Retry.wait(ctx, idle) {
			continue
		}
		if err == nil {
			err = fmt.Errorf("%d entries of the batch remain unprocessed", left)
		}
		if ctx.Err() != nil {
			return &Error{Op: op, Entity: "batch", Err: errors.Join(err, ctx.Err())}
		}
		return &Error{Op: op, Entity: "batch", Kind: got.verdict.kind(), Err: err}
	}
}
