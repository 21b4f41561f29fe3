package dynastay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// The limits of one batch. A write cannot reach the other limit, 16 MB: 25 items of 400 KB, the maximum size of an
// item, are 10 MB. A read that would return more leaves the rest unprocessed.
const (
	maxBatchReads  = 100
	maxBatchWrites = 25
)

// GetAll reads items of one table by their keys. The result is in the order of the keys, with the zero Row for an item
// that does not exist. A key may appear more than once; its Row is then repeated. opts may contain [Consistent]. Each
// item is read separately, so the result is not a snapshot, unlike that of a transactional read.
//
// GetAll sends 1 request for every 100 different keys, in parallel, see [Options]. It requests unprocessed keys again,
// after waits that grow with every request that makes no progress. When [Retry] allows no more such requests, the error is
// [ErrThrottled], or [ErrUnavailable] if there was no response.
func (db *DB) GetAll(ctx context.Context, s *Schema, keys []Key, opts ...ReadOption) (_ []Row, err error) {
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
	ctx, end := db.beginUnnamed(ctx, "GetAll", s)
	defer func() { end(err) }()
	var mu sync.Mutex
	err = db.Each(ctx, len(parts), func(ctx context.Context, i int) error {
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

// elementOf adds the position of a key in a list to the error of the key's check.
func elementOf(list string, i int, err error) error {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return Invalid(fmt.Sprintf("%s[%d]%s", list, i, strings.TrimPrefix(invalid.Field, "Key")), "%s", invalid.Reason)
}

// only returns the key without its sort value if the table has no sort key.
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
	return db.insist(ctx, "GetAll", len(keys), readKind, func(way *passage, attempt int) (left int, err error) {
		in := &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{table: asked}, ReturnConsumedCapacity: db.capacity(),
		}
		began, named := time.Now(), []target{{table, ""}}
		out, err := db.client.BatchGetItem(ctx, in, way.once)
		if err != nil {
			db.observe(ctx, began, way.call("BatchGetItem", attempt, err), named, nil)
			return len(asked.Keys), err
		}
		call := way.call("BatchGetItem", attempt, nil)
		if len(out.Responses) == 0 { // otherwise, the keys that are left may be those of items that no longer fit
			leave(&call, out.UnprocessedKeys)
		}
		db.observe(ctx, began, call, named, out.ConsumedCapacity)
		for _, item := range out.Responses[table] {
			found(s.Key.From(RowOf(item)), RowOf(item))
		}
		asked.Keys = out.UnprocessedKeys[table].Keys
		return len(asked.Keys), nil
	})
}

// PutAll writes whole items to any tables, without conditions, and replaces existing items. It is for loading and
// importing, and for a service's own tables that have no invariants. Do not use it for entities of the repositories
// that others may be writing; use Create and Update of the repository instead. PutAll does not check guards (the items
// that make values unique), versions or conditions: slugs and references can collide, and rooms that have been sold in
// the meantime become available again.
//
// The items are sent in batches of 25, one batch after another, so that the later of two items with the same key wins.
// PutAll is not atomic: after an error, which may also be caused by an invalid item in the middle of the sequence,
// earlier items may have been written. It is safe to repeat, and PutAll itself does so: unprocessed items, and batches
// that were throttled or whose response was lost, are sent again, after waits that grow with every request that writes
// nothing. When [Retry] allows no more such requests, the error is [ErrThrottled], or the SDK's error if there was no
// response.
func (db *DB) PutAll(ctx context.Context, items iter.Seq2[*Schema, Item]) (err error) {
	ctx, end := db.Begin(ctx, "PutAll")
	defer func() { end(err) }()
	b := writeBatch{db: db, op: "PutAll", keys: map[Ref]bool{}}
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
		// DynamoDB rejects a batch that contains a key twice.
		if at := RefOf(s, key); len(b.keys) == maxBatchWrites || b.keys[at] {
			if err := b.send(ctx); err != nil {
				return err
			}
		}
		b.put(s, key, item)
		i++
	}
	return b.send(ctx)
}

// insist sends a batch of n entries until none is left. What counts is progress: however heavily a table is throttled,
// a batch continues as long as every few requests get something through. The SDK's retries are turned off, so that
// there is only one budget. Both kinds of batch can safely be repeated, whatever the outcome of a request.
func (db *DB) insist(
	ctx context.Context, op string, n int, kind func(Verdict) error, send func(way *passage, attempt int) (left int, err error),
) error {
	var why error // the kind of the last response, or none
	idle := 0
	for attempt := 1; ; attempt++ {
		var way passage
		left, err := send(&way, attempt)
		got := outcome{verdict: Throttled} // DynamoDB has no other reason to keep leaving entries unprocessed
		switch {
		case err != nil:
			if got = way.outcomeOf(err); got.verdict == Rejected {
				return &Error{Op: op, Entity: "batch", Kind: ErrRejected, Err: errors.Join(err, ctx.Err())}
			}
			idle++
		case left == 0:
			return nil
		case left < n:
			n, idle = left, 0
		default:
			idle++
		}
		if !isEnd(ctx, err) {
			why = kind(got.verdict)
		}
		if db.opts.Retry.wait(ctx, idle) {
			continue
		}
		if err == nil {
			err = fmt.Errorf("%d keys or items of the batch are still unprocessed", left)
		}
		return &Error{Op: op, Entity: "batch", Kind: why, Err: errors.Join(err, ctx.Err())}
	}
}
