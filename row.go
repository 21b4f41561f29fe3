package dynastay

import (
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// Row is what was read of one item: the whole item, or what an index contains of it. The zero Row means that no item
// exists.
//
// A caller reads the values of a row one by one, regardless of the form in which the row was received: a map of the
// SDK's types ([RowOf]), or another form that [Attributes] reads, such as a stream record.
type Row struct {
	item Item
	from Attributes
}

// Attributes reads a row, or a map within one, from a form other than the SDK's types.
type Attributes interface {
	// Attribute returns the value with that name, or the zero Value if there is none.
	Attribute(name string) Value
	// Names returns the names of all attributes.
	Names() iter.Seq[string]
}

// RowOf returns an item in the SDK's types as a row; a nil item gives the zero Row.
func RowOf(item Item) Row { return Row{item: item} }

// RowFrom returns a row whose values are read from the given Attributes.
func RowFrom(from Attributes) Row { return Row{from: from} }

// Exists reports whether the item exists.
func (r Row) Exists() bool { return r.item != nil || r.from != nil }

// Value returns the value of the attribute with that name, or the zero Value if it is missing.
func (r Row) Value(name string) Value {
	if r.from != nil {
		return r.from.Attribute(name)
	}
	return valueOf(r.item[name])
}

// Scalar returns the text of a text attribute or the digits of a number, and the attribute's kind. The text is "" for
// every other kind. Scalar combines the most frequent lookups in one call.
func (r Row) Scalar(name string) (text string, kind Kind) {
	if r.from == nil {
		switch v := r.item[name].(type) {
		case *types.AttributeValueMemberS:
			return v.Value, KindText
		case *types.AttributeValueMemberN:
			return v.Value, KindNumber
		case nil:
			return "", KindMissing
		}
	}
	v := r.Value(name)
	return v.Text(), v.kind
}

// Text returns the text of an attribute, or "" if it is missing or not text.
func (r Row) Text(name string) string {
	if text, kind := r.Scalar(name); kind == KindText {
		return text
	}
	return ""
}

// Int returns the value of an attribute that is a whole number, or 0 if it is missing or not a whole number.
func (r Row) Int(name string) int {
	n := 0
	if digits, kind := r.Scalar(name); kind == KindNumber {
		n, _ = stored.Integer(digits)
	}
	return n
}

// Names returns the names of all attributes, in any order.
func (r Row) Names() iter.Seq[string] {
	if r.from != nil {
		return r.from.Names()
	}
	return func(yield func(string) bool) {
		for name := range r.item {
			if !yield(name) {
				return
			}
		}
	}
}

// Item returns the row in the SDK's types, or nil if the item does not exist. The caller must not change it.
func (r Row) Item() Item {
	if r.from == nil {
		return r.item
	}
	item := Item{}
	for name := range r.from.Names() {
		item[name] = r.from.Attribute(name).Stored()
	}
	return item
}

// Kind is the type of a stored value.
type Kind int

// The kinds of values in DynamoDB.
const (
	KindMissing Kind = iota
	KindNull
	KindText
	KindNumber
	KindBool
	KindBinary
	KindList
	KindMap
	KindTexts    // a set of texts
	KindNumbers  // a set of numbers
	KindBinaries // a set of binaries
)

// String returns the kind with its article, such as "a number".
func (k Kind) String() string {
	return [...]string{
		"nothing", "NULL", "text", "a number", "a boolean", "binary", "a list", "a map",
		"a set of texts", "a set of numbers", "a set of binaries",
	}[k]
}

// Value is one stored value. The zero Value is a missing attribute.
type Value struct {
	kind Kind
	text string // the text, the digits of a number, or "true" for a boolean
	more any    // the value in the SDK's types if it was read as such; otherwise []byte, []Value, Row, []string or [][]byte
}

// The following functions make values, for implementations of [Attributes].

// NullValue returns a NULL.
func NullValue() Value { return Value{kind: KindNull} }

// TextValue returns a text.
func TextValue(s string) Value { return Value{kind: KindText, text: s} }

// NumberValue returns a number, given its digits.
func NumberValue(digits string) Value { return Value{kind: KindNumber, text: digits} }

// BoolValue returns a boolean.
func BoolValue(yes bool) Value {
	if yes {
		return Value{kind: KindBool, text: "true"}
	}
	return Value{kind: KindBool}
}

// BinaryValue returns a binary value.
func BinaryValue(b []byte) Value { return Value{kind: KindBinary, more: b} }

// ListValue returns a list.
func ListValue(elements []Value) Value { return Value{kind: KindList, more: elements} }

// MapValue returns a map.
func MapValue(attributes Row) Value { return Value{kind: KindMap, more: attributes} }

// SetValue returns a set of texts, or a set of numbers, given their digits.
func SetValue(kind Kind, elements []string) Value { return Value{kind: kind, more: elements} }

// BinarySetValue returns a set of binary values.
func BinarySetValue(elements [][]byte) Value { return Value{kind: KindBinaries, more: elements} }

// valueOf converts a value in the SDK's types.
func valueOf(v types.AttributeValue) Value {
	switch v := v.(type) {
	case nil:
		return Value{}
	case *types.AttributeValueMemberS:
		return Value{KindText, v.Value, v}
	case *types.AttributeValueMemberN:
		return Value{KindNumber, v.Value, v}
	case *types.AttributeValueMemberBOOL:
		b := BoolValue(v.Value)
		b.more = v
		return b
	case *types.AttributeValueMemberB:
		return Value{KindBinary, "", v}
	case *types.AttributeValueMemberL:
		return Value{KindList, "", v}
	case *types.AttributeValueMemberM:
		return Value{KindMap, "", v}
	case *types.AttributeValueMemberSS:
		return Value{KindTexts, "", v}
	case *types.AttributeValueMemberNS:
		return Value{KindNumbers, "", v}
	case *types.AttributeValueMemberBS:
		return Value{KindBinaries, "", v}
	}
	return Value{KindNull, "", v}
}

// Kind returns the value's type.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is missing or NULL, which are equivalent everywhere in this library.
func (v Value) IsNull() bool { return v.kind <= KindNull }

// Text returns a text, or the digits of a number; "" for every other kind.
func (v Value) Text() string {
	if v.kind == KindText || v.kind == KindNumber {
		return v.text
	}
	return ""
}

// Bool returns a boolean; false for every other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.text != "" }

// Bytes returns a binary value; nil for every other kind.
func (v Value) Bytes() []byte {
	switch more := v.more.(type) {
	case *types.AttributeValueMemberB:
		return more.Value
	case []byte:
		return more
	}
	return nil
}

// List returns a list; nil for every other kind.
func (v Value) List() []Value {
	switch more := v.more.(type) {
	case *types.AttributeValueMemberL:
		list := make([]Value, len(more.Value))
		for i, element := range more.Value {
			list[i] = valueOf(element)
		}
		return list
	case []Value:
		return more
	}
	return nil
}

// Map returns a map; the zero Row for every other kind.
func (v Value) Map() Row {
	switch more := v.more.(type) {
	case *types.AttributeValueMemberM:
		return RowOf(more.Value)
	case Row:
		return more
	}
	return Row{}
}

// Set returns the elements of a set of texts or numbers; nil for every other kind.
func (v Value) Set() []string {
	switch more := v.more.(type) {
	case *types.AttributeValueMemberSS:
		return more.Value
	case *types.AttributeValueMemberNS:
		return more.Value
	case []string:
		return more
	}
	return nil
}

// Stored returns the value in the SDK's types, or nil if it is missing.
func (v Value) Stored() types.AttributeValue {
	if sdk, ok := v.more.(types.AttributeValue); ok {
		return sdk
	}
	switch v.kind {
	case KindMissing:
		return nil
	case KindText:
		return stored.Text(v.text)
	case KindNumber:
		return stored.Number(v.text)
	case KindBool:
		return &types.AttributeValueMemberBOOL{Value: v.text != ""}
	case KindBinary:
		return &types.AttributeValueMemberB{Value: v.more.([]byte)}
	case KindList:
		list := []types.AttributeValue{}
		for _, element := range v.more.([]Value) {
			list = append(list, element.Stored())
		}
		return &types.AttributeValueMemberL{Value: list}
	case KindMap:
		return &types.AttributeValueMemberM{Value: v.more.(Row).Item()}
	case KindTexts:
		return &types.AttributeValueMemberSS{Value: slices.Clone(v.more.([]string))}
	case KindNumbers:
		return &types.AttributeValueMemberNS{Value: slices.Clone(v.more.([]string))}
	case KindBinaries:
		return &types.AttributeValueMemberBS{Value: slices.Clone(v.more.([][]byte))}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
