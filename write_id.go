package dynastay

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// WriteID identifies the last write of an item; no other write of any item has the same id. A codec of package entity
// reads it into an entity, and [IfWritten] lets a later write happen only while the item still has that id. It is text
// of 16 characters that is safe in a form or a URL.
//
// A call that is a replay of an earlier one with the same [IdempotencyKey] does not return a WriteID.
//
// Every put and every update of an entity stores a new WriteID, whose random part comes from crypto/rand; an update is
// conditional on the WriteID that it read. Deltas, which do not depend on the existing value, do not change it.
type WriteID string

// A stored id consists of the part of the write itself and then the part of the previous write, or zeros if that is
// unknown. The second part distinguishes a write that was carried out and then overwritten once from a write that never
// was.
const (
	stampBytes   = 6
	writeIDBytes = 2 * stampBytes
)

// stamp is one preparation's part of the write ids that it stores.
type stamp [stampBytes]byte

// newStamp never uses Options.Rand: with the same seed, two processes would generate the same ids.
func newStamp() (s stamp) {
	_, _ = rand.Read(s[:]) // never fails: crypto/rand ends the program instead
	return s
}

// over returns the write id of a preparation that replaces an item with the write id before; before is nil if there is
// none.
func (s stamp) over(before types.AttributeValue) types.AttributeValue {
	raw := make([]byte, writeIDBytes)
	copy(raw, s[:])
	last := stampsOf(before).own
	copy(raw[stampBytes:], last[:])
	return &types.AttributeValueMemberB{Value: raw}
}

// stamps are the two parts of a stored write id.
type stamps struct{ own, before stamp }

// stampsOf reads a stored write id. Anything else has zero stamps, which are never generated.
func stampsOf(v types.AttributeValue) (s stamps) {
	if b, ok := v.(*types.AttributeValueMemberB); ok && len(b.Value) == writeIDBytes {
		s.own, s.before = stamp(b.Value[:stampBytes]), stamp(b.Value[stampBytes:])
	}
	return s
}

// Write identifies the write that stored the id: it is the same in the ids of all items of one transaction, and in the
// [Call] that an [Observer] is told of. It is "" if id is not a write id.
func (id WriteID) Write() string {
	if id.Validate() != nil {
		return ""
	}
	return string(id[:base64.RawURLEncoding.EncodedLen(stampBytes)])
}

// text is [WriteID.Write].
func (s stamp) text() string { return base64.RawURLEncoding.EncodeToString(s[:]) }

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler of the SDK, for structs with dynamodbav tags.
func (id WriteID) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	if id == "" {
		return &types.AttributeValueMemberNULL{Value: true}, nil
	}
	return id.stored()
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler of the SDK, for structs with dynamodbav tags.
func (id *WriteID) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	switch v := v.(type) {
	case *types.AttributeValueMemberNULL:
		*id = ""
	case *types.AttributeValueMemberB:
		*id = WriteID(base64.RawURLEncoding.EncodeToString(v.Value))
	default:
		return fmt.Errorf("must be %s, got %s", KindBinary, valueOf(v).Kind())
	}
	return nil
}

// Validate returns an error unless id is a write id.
func (id WriteID) Validate() error {
	_, err := id.stored()
	return err
}

func (id WriteID) stored() (types.AttributeValue, error) {
	raw, _ := base64.RawURLEncoding.DecodeString(string(id)) // the valid part; line breaks are ignored
	if len(id) != base64.RawURLEncoding.EncodedLen(writeIDBytes) || len(raw) != writeIDBytes {
		return nil, Invalid("WriteID", "must be a valid write id")
	}
	return &types.AttributeValueMemberB{Value: raw}, nil
}

// trace is what the write id of an item reveals about a write whose response was lost.
type trace int

const (
	noTrace   trace = iota // unknown
	carried                // it was carried out
	untouched              // not carried out so far: the item is the one that was read
	overtaken              // it never will be carried out: another write has replaced the item that was read
)

// trace looks for the write in its item. Only ids count: another caller may have written the same values.
func (a *Action) trace(now Item) trace {
	there, read := stampsOf(now[a.schema.WriteIDName()]), stampsOf(a.read[a.schema.WriteIDName()])
	switch {
	case a.drawn && now != nil:
		return carried // no one else knows the key
	case a.stamp != stamp{} && (there.own == a.stamp || there.before == a.stamp):
		return carried
	case a.kind == deleteAction && now == nil && a.expr.Condition == nil:
		return carried
	case a.read == nil:
		return noTrace
	case read.own == stamp{}:
		// The item that was read was written by other software, without an id.
		if stored.EqualItems(now, a.read) {
			return untouched
		}
	case there == read:
		return untouched
	case there.before == read.own:
		return overtaken
	}
	return noTrace
}
