package dynastay

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// WriteID names the last write of an item, and no other write of any item. a codec of package entity reads it into an entity, and
// [IfWritten] lets a later write happen only while the item is still that write's. It is text of 16 characters that is
// safe in a form or a URL.
//
// A call that is repeated under an [IdempotencyKey] hands out none.
//
// Every put and every update of an entity leaves a fresh one, drawn from crypto/rand; an update is conditional on the
// one that it read. Deltas, which do not look at what was there, leave it alone.
type WriteID string

// An id as it is stored: the part of the write itself, then that of the write before, zeros where none is known. The
// second part tells a write that was carried out and then overwritten once from one that never was.
const (
	stampBytes   = 6
	writeIDBytes = 2 * stampBytes
)

// stamp is one preparation's part of the write ids that it leaves.
type stamp [stampBytes]byte

// newStamp never draws from Options.Rand: with the same seed two processes would draw the same ids.
func newStamp() (s stamp) {
	_, _ = rand.Read(s[:]) // never fails: crypto/rand ends the program instead
	return s
}

// over is the write id of a preparation that replaces an item with the id before, nil where there is none.
func (s stamp) over(before types.AttributeValue) types.AttributeValue {
	raw := make([]byte, writeIDBytes)
	copy(raw, s[:])
	last := stampsOf(before).own
	copy(raw[stampBytes:], last[:])
	return &types.AttributeValueMemberB{Value: raw}
}

// stamps are the two parts of a stored write id.
type stamps struct{ own, before stamp }

// stampsOf reads a stored write id; what is none has the zero stamps, which nothing draws.
func stampsOf(v types.AttributeValue) (s stamps) {
	if b, ok := v.(*types.AttributeValueMemberB); ok && len(b.Value) == writeIDBytes {
		s.own, s.before = stamp(b.Value[:stampBytes]), stamp(b.Value[stampBytes:])
	}
	return s
}

// MarshalDynamoDBAttributeValue is for the SDK's attributevalue package, for structs with its tags.
func (id WriteID) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	if id == "" {
		return &types.AttributeValueMemberNULL{Value: true}, nil
	}
	return id.stored()
}

// UnmarshalDynamoDBAttributeValue is for the SDK's attributevalue package, for structs with its tags.
func (id *WriteID) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	switch v := v.(type) {
	case *types.AttributeValueMemberNULL:
		*id = ""
	case *types.AttributeValueMemberB:
		*id = WriteID(base64.RawURLEncoding.EncodeToString(v.Value))
	default:
		return fmt.Errorf("must be binary, got %T", v)
	}
	return nil
}

// Validate refuses what is no write id.
func (id WriteID) Validate() error {
	_, err := id.stored()
	return err
}

func (id WriteID) stored() (types.AttributeValue, error) {
	raw, _ := base64.RawURLEncoding.DecodeString(string(id)) // as far as it is base64; ends of lines are passed over
	if len(id) != base64.RawURLEncoding.EncodedLen(writeIDBytes) || len(raw) != writeIDBytes {
		return nil, Invalid("WriteID", "must be a valid write id")
	}
	return &types.AttributeValueMemberB{Value: raw}, nil
}

// trace is what an item tells, by its write id, of a write whose answer was lost.
type trace int

const (
	noTrace   trace = iota // nobody can tell
	carried                // it was carried out
	untouched              // it was not carried out so far: the item is the one that was read
	overtaken              // it never will be: another write has replaced the item that was read
)

// trace looks for the write in the item that it is about. Only ids count: another caller may have written the same values.
func (a *Action) trace(now Item) trace {
	there, read := stampsOf(now[a.schema.WriteIDName()]), stampsOf(a.read[a.schema.WriteIDName()])
	switch {
	case a.drawn && now != nil:
		return carried // nobody else knows the key
	case a.stamp != stamp{} && (there.own == a.stamp || there.before == a.stamp):
		return carried
	case a.kind == deleteAction && now == nil && a.expr.Condition == nil:
		return carried
	case a.read == nil:
		return noTrace
	case read.own == stamp{}:
		// Other software wrote what was read, without an id.
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
