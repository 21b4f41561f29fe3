package dynastay

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a stored item, or a part of one, in the SDK's own types.
type Item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }

// equal compares stored values as DynamoDB does: numbers by value, whatever their text.
// A missing value and NULL are alike.
func equal(a, b types.AttributeValue) bool {
	if isNull(a) || isNull(b) {
		return isNull(a) && isNull(b)
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
		return ok && holds(b.Value, a.Value) && holds(a.Value, b.Value)
	case *types.AttributeValueMemberL:
		b, ok := b.(*types.AttributeValueMemberL)
		if !ok || len(a.Value) != len(b.Value) {
			return false
		}
		for i := range a.Value {
			if !equal(a.Value[i], b.Value[i]) {
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
	x, okX := readNumeral(a)
	y, okY := readNumeral(b)
	return a == b || okX && okY && x == y
}

// sameSet compares two sets. A set has no order, and its elements differ.
func sameSet[V any](a, b []V, same func(x, y V) bool) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x V) bool {
		return !slices.ContainsFunc(b, func(y V) bool { return same(x, y) })
	})
}

// holds reports whether item has every attribute of part, with an equal value.
func holds(item, part Item) bool {
	for name, v := range part {
		if !equal(item[name], v) {
			return false
		}
	}
	return true
}

// SizeOf is an item's size in bytes as DynamoDB counts it for limits and units, to within a byte or two a number.
func SizeOf(item Item) int {
	n := 0
	for name, v := range item {
		n += len(name) + sizeOfValue(v)
	}
	return n
}

func sizeOfValue(v types.AttributeValue) int {
	const perElement, perCollection = 1, 3
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)/2 + 2
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberM:
		return perCollection + perElement*len(v.Value) + SizeOf(v.Value)
	case *types.AttributeValueMemberL:
		n := perCollection
		for _, element := range v.Value {
			n += perElement + sizeOfValue(element)
		}
		return n
	case *types.AttributeValueMemberSS:
		n := 0
		for _, s := range v.Value {
			n += len(s)
		}
		return n
	case *types.AttributeValueMemberNS:
		n := 0
		for _, s := range v.Value {
			n += len(s)/2 + 2
		}
		return n
	case *types.AttributeValueMemberBS:
		n := 0
		for _, b := range v.Value {
			n += len(b)
		}
		return n
	}
	return 1
}

func equalItems(a, b Item) bool { return (a == nil) == (b == nil) && holds(a, b) && holds(b, a) }
