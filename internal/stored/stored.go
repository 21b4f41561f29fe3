// Package stored works with attribute values in the SDK's types: how DynamoDB compares them, their size, and their path
// within maps.
package stored

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a stored item, or a part of one.
type Item = map[string]types.AttributeValue

// Text returns a text as a stored value.
func Text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// Number returns a number, given its digits, as a stored value.
func Number(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

// TextOf returns the text of a stored value, or "" if it is not text.
func TextOf(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// IsNull reports whether a value is missing or NULL.
func IsNull(v types.AttributeValue) bool {
	_, null := v.(*types.AttributeValueMemberNULL)
	return v == nil || null
}

// Equal compares stored values as DynamoDB does: numbers by value, whatever their text. A missing value and NULL are
// equal.
func Equal(a, b types.AttributeValue) bool {
	if IsNull(a) || IsNull(b) {
		return IsNull(a) && IsNull(b)
	}
	switch a := a.(type) {
	case *types.AttributeValueMemberN:
		b, ok := b.(*types.AttributeValueMemberN)
		if !ok || a.Value == b.Value {
			return ok
		}
		return sameNumber(a.Value, b.Value)
	case *types.AttributeValueMemberM:
		b, ok := b.(*types.AttributeValueMemberM)
		return ok && Holds(b.Value, a.Value) && Holds(a.Value, b.Value)
	case *types.AttributeValueMemberL:
		b, ok := b.(*types.AttributeValueMemberL)
		if !ok || len(a.Value) != len(b.Value) {
			return false
		}
		for i := range a.Value {
			if !Equal(a.Value[i], b.Value[i]) {
				return false
			}
		}
		return true
	case *types.AttributeValueMemberSS:
		b, ok := b.(*types.AttributeValueMemberSS)
		return ok && sameSet(a.Value, b.Value, func(x, y string) bool { return x == y })
	case *types.AttributeValueMemberNS:
		b, ok := b.(*types.AttributeValueMemberNS)
		return ok && sameSet(a.Value, b.Value, sameNumber)
	case *types.AttributeValueMemberBS:
		b, ok := b.(*types.AttributeValueMemberBS)
		return ok && sameSet(a.Value, b.Value, bytes.Equal)
	}
	return reflect.DeepEqual(a, b)
}

func sameNumber(a, b string) bool {
	x, okX := ReadNumeral(a)
	y, okY := ReadNumeral(b)
	return a == b || okX && okY && x == y
}

// sameSet compares two sets. A set has no order and no duplicates.
func sameSet[V any](a, b []V, same func(x, y V) bool) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x V) bool {
		return !slices.ContainsFunc(b, func(y V) bool { return same(x, y) })
	})
}

// Holds reports whether item has every attribute of part, with an Equal value.
func Holds(item, part Item) bool {
	for name, v := range part {
		if !Equal(item[name], v) {
			return false
		}
	}
	return true
}

// EqualItems compares whole items; nil means "no item".
func EqualItems(a, b Item) bool { return (a == nil) == (b == nil) && Holds(a, b) && Holds(b, a) }
