package dynastay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/internal/stored"
)

// recordLife is how long a key keeps its meaning. A client that repeats a call after a month means a new one.
const recordLife = 30 * 24 * time.Hour

// Idempotency is an idempotency key, see [IdempotencyKey]: a [WriteOption], and what [DB.MadeBy] asks for.
type Idempotency struct {
	key, scope string
	scoped     bool
}

// IdempotencyKey makes a whole write happen once, however often it is called with the same key within 30 days: the
// first call that commits leaves a record in the same transaction, one more action of the 100 that it holds, and every
// later one gets the first one's results. They are read again, so they show the present state. A call that finds nothing
// to write leaves its record too; a call that is refused leaves none.
//
// The key is the caller's own, such as the id of the request that it serves: 1 to 256 bytes once percent-escaped.
// The same key with another input fails with [ErrIdempotencyMismatch].
//
// A key that comes from outside belongs to somebody: [Idempotency.Of] says to whom. Without that, all callers of the table
// share one space of keys, and whoever knows or guesses another's key gets that call's results.
func IdempotencyKey(key string) Idempotency { return Idempotency{key: key} }

// Of is the key within a scope, such as the user or the tenant who sent it: 1 to 256 bytes once percent-escaped. The same
// key in another scope is another key.
func (k Idempotency) Of(scope string) Idempotency {
	k.scope, k.scoped = scope, true
	return k
}

func (k Idempotency) option() {}

func (k Idempotency) join(w *write) {
	if w.keyed {
		w.invalid = Invalid("IdempotencyKey", "is set twice")
	}
	w.keyed = true
	var err error
	if w.record, err = k.record(); err != nil {
		w.invalid = err
	}
}

// record is the key of the record: IDEMPOTENCY#{scope}#{key}, or without a scope IDEMPOTENCY#{key}.
func (k Idempotency) record() (Key, error) {
	pk := "IDEMPOTENCY#"
	if k.scoped {
		scope, err := keytext.Escape(k.scope)
		if err != nil {
			return Key{}, Invalid("IdempotencyKey.Scope", "%s", err)
		}
		pk += scope + "#"
	}
	escaped, err := keytext.Escape(k.key)
	if err != nil {
		return Key{}, Invalid("IdempotencyKey", "%s", err)
	}
	return Key{PK: pk + escaped, SK: "METADATA"}, nil
}

// Input is the canonical form of what a caller agreed to. It is hashed, never stored.
type Input struct{ hash.Hash }

// inputForm names the canonical form within the stored hash. Another form takes another name.
const inputForm = "v2:"

// Field adds one field. Names and values are told apart by their lengths, so no two inputs look alike.
func (in *Input) Field(name, value string) {
	for _, s := range []string{name, value} {
		in.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
}

// Key adds a key.
func (in *Input) Key(key Key) {
	in.Field("PK", key.PK)
	in.Field("SK", key.SK)
}

// Item adds a stored form, its attributes in the order of their names.
func (in *Input) Item(item Item) {
	for _, name := range slices.Sorted(maps.Keys(item)) {
		in.Field("name", name)
		in.value(item[name])
	}
}

func (in *Input) value(v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		in.Field("map", strconv.Itoa(len(v.Value)))
		in.Item(v.Value)
	case *types.AttributeValueMemberL:
		in.Field("list", strconv.Itoa(len(v.Value)))
		for _, element := range v.Value {
			in.value(element)
		}
	default:
		text, _ := json.Marshal(v)                   // scalars and sets of them cannot fail
		in.Field(fmt.Sprintf("%T", v), string(text)) // text and a number of the same digits are not the same
	}
}

func hashOf(ops []operation) string {
	in := &Input{sha256.New()}
	for _, op := range ops {
		in.Field("operation", op.name())
		op.input(in)
	}
	return inputForm + hex.EncodeToString(in.Sum(nil))
}

// absentOrExpired lets a key be used again after its life, though DynamoDB may keep an expired item for days.
func absentOrExpired(s *Schema) *Prepared {
	return Prepare(expression.NewBuilder().WithCondition(
		expression.AttributeNotExists(NameOf("Hash")).Or(NameOf(s.TTL).LessThanEqual(Param("now")))))
}

// putRecord adds the action that claims the key for this write.
func (w *write) putRecord(tx *Tx) {
	s, now := w.db.opts.Idempotency, w.db.Now()
	list := make([]types.AttributeValue, len(tx.made))
	for i, ids := range tx.made {
		m := Item{}
		for name, id := range ids {
			m[name] = Text(id)
		}
		list[i] = &types.AttributeValueMemberM{Value: m}
	}
	item := s.Key.Of(w.record)
	item["EntityType"] = Text("Idempotency")
	item["Hash"] = Text(w.hash)
	item["Made"] = &types.AttributeValueMemberL{Value: list}
	item["CreatedAt"] = Instant(now)
	item[s.TTL] = stored.Number(strconv.FormatInt(now.Add(recordLife).Unix(), 10))
	tx.Put(s, item).If(w.db.claim.With(Item{"now": stored.Number(strconv.FormatInt(now.Unix(), 10))}), nil)
}

// live tells whether a stored record counts: an expired one may still be readable.
func (db *DB) live(record Row) bool {
	if !record.Exists() {
		return false
	}
	expires := record.Value(db.opts.Idempotency.TTL)
	at, err := strconv.ParseInt(expires.Text(), 10, 64)
	return expires.Kind() != KindNumber || err != nil || at > db.Now().Unix()
}

// replay takes the results of the call that left the record.
func (w *write) replay(ctx context.Context, record Row) error {
	// The hash of another form cannot be compared; refusing the key for it would break retries across an upgrade.
	if hash := record.Text("Hash"); hash != w.hash && strings.HasPrefix(hash, inputForm) {
		return &Error{Op: w.name(), Entity: "IdempotencyKey", ID: w.record.PK, Kind: ErrIdempotencyMismatch}
	}
	made := madeOf(record)
	if len(made) != len(w.ops) {
		return &Error{Op: w.name(), Entity: "IdempotencyKey", ID: w.record.PK, Kind: ErrCorrupt}
	}
	return w.restore(ctx, made)
}

// MadeBy answers what an earlier write under an idempotency key made: the ids that each of its operations noted, in
// their order; a table's puts note PK and SK. A nil answer means that no such write committed, or more than 30 days ago.
// It reads consistently. 1 request.
func (db *DB) MadeBy(ctx context.Context, key Idempotency) ([]map[string]string, error) {
	at, err := key.record()
	if err != nil {
		return nil, err
	}
	record, err := db.Get(ctx, db.opts.Idempotency, at, Consistent)
	if err != nil || !db.live(record) {
		return nil, err
	}
	return madeOf(record), nil
}

func madeOf(record Row) []map[string]string {
	var made []map[string]string
	for _, v := range record.Value("Made").List() {
		ids, byName := v.Map(), map[string]string{}
		for name := range ids.Names() {
			byName[name] = ids.Text(name)
		}
		made = append(made, byName)
	}
	return made
}
