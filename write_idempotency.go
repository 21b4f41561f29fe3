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

	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/internal/stored"
)

// recordLife is how long a key is remembered. A client that repeats a call after a month means a new call.
const recordLife = 30 * 24 * time.Hour

// Idempotency is an idempotency key, see [IdempotencyKey]. It is a [WriteOption] and the argument of [DB.MadeBy].
type Idempotency struct {
	key, scope string
	scoped     bool
}

// IdempotencyKey makes a whole write happen only once, however often it is repeated with the same key within 30 days. The
// first call that commits stores a record in the same transaction, which counts as one of its 100 actions. Every later
// call gets the results of the first one. The results are read again, so they show the current state. A call that finds
// nothing to write also stores a record; a call that is refused does not.
//
// The caller chooses the key, for example the id of the request that it is handling. A key has 1 to 256 bytes after
// percent-escaping. White space around it and its Unicode form do not count. The same key with different input fails with [ErrIdempotencyMismatch].
//
// If a key comes from a client, use [Idempotency.Of] to say which client it belongs to. Otherwise all callers share one
// key space, and a client that knows or guesses another client's key gets the results of that client's call.
func IdempotencyKey(key string) Idempotency { return Idempotency{key: key} }

// Of returns the key within a scope, such as the user's id or the tenant's. A scope has 1 to 256 bytes after
// percent-escaping. The same key in another scope is a different key. Scopes are compared byte by byte, as ids are: a
// space or another Unicode form of a letter makes another scope.
func (k Idempotency) Of(scope string) Idempotency {
	k.scope, k.scoped = scope, true
	return k
}

// Apply makes the key an [UpdateOption].
func (k Idempotency) Apply(s *condition.Set) { s.Whole = true }

func (k Idempotency) join(w *write) {
	if w.keyed {
		w.invalid = Invalid("IdempotencyKey", "is set more than once")
	}
	w.keyed = true
	var err error
	if w.record, err = k.record(); err != nil {
		w.invalid = err
	}
}

// record returns the key of the record: IDEMPOTENCY#{scope}#{key}, or IDEMPOTENCY#{key} without a scope.
func (k Idempotency) record() (Key, error) {
	pk := "IDEMPOTENCY#"
	if k.scoped {
		scope, err := keytext.EscapeExactly(k.scope)
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

// Input is the canonical form of the arguments that calls with the same [IdempotencyKey] are compared by. It is hashed,
// never stored.
type Input struct{ hash.Hash }

// inputForm identifies the canonical form in the stored hash. A different form needs a different name.
const inputForm = "v2:"

// Field adds one field. Names and values are prefixed with their lengths, so that different inputs never have the same
// form.
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

// Item adds an item, with its attributes in the order of their names.
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
		text, _ := json.Marshal(v)                   // cannot fail for scalars and sets of them
		in.Field(fmt.Sprintf("%T", v), string(text)) // text and a number with the same digits differ
	}
}

func hashOf(ops []operation, o owner) string {
	in := &Input{sha256.New()}
	if o.user != "" {
		in.Field("user", o.user)
	}
	if o.property != "" {
		in.Field("property", o.property)
	}
	for _, op := range ops {
		in.Field("operation", op.name())
		op.input(in)
	}
	return inputForm + hex.EncodeToString(in.Sum(nil))
}

// absentOrExpired lets a key be used again after its record has expired, although DynamoDB may keep an expired item for
// days.
func absentOrExpired(s *Schema) *Compiled {
	return MustCompile(expression.NewBuilder().WithCondition(
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

// live reports whether a stored record is valid: an expired one may still be readable.
func (db *DB) live(record Row) bool {
	if !record.Exists() {
		return false
	}
	expires := record.Value(db.opts.Idempotency.TTL)
	at, err := stored.Integer(expires.Text())
	return expires.Kind() != KindNumber || err != nil || int64(at) > db.Now().Unix()
}

// replay restores the results of the call that stored the record.
func (w *write) replay(ctx context.Context, record Row) error {
	w.running.settled(SettledByRecord)
	// A hash of a different form cannot be compared. Refusing the key because of it would break retries across an
	// upgrade.
	if hash := record.Text("Hash"); hash != w.hash && strings.HasPrefix(hash, inputForm) {
		return &Error{Op: w.name(), Entity: "IdempotencyKey", ID: w.record.PK, Kind: ErrIdempotencyMismatch}
	}
	made := madeOf(record)
	if len(made) != len(w.ops) {
		return &Error{Op: w.name(), Entity: "IdempotencyKey", ID: w.record.PK, Kind: ErrCorrupt}
	}
	return w.restore(ctx, made)
}

// MadeBy returns what an earlier write with an idempotency key created: for each of its operations, in order, the ids
// that it recorded with [Tx.Made], by name. A create or a put of an entity.Table records the entity's id, and PK and SK
// if the id does not determine the key. A nil result means that no such write was committed within the last 30 days.
// MadeBy reads consistently. 1 request.
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
