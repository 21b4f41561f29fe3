package dynastay

import (
	"iter"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// Row is what was read of one item: all of it, or what an index holds. The zero Row means that there is none.
//
// Whoever reads a row asks for one value after the other, and does not see the form in which it arrived: as a map of the
// SDK's types ([RowOf]), or in another form that [Attributes] reads, such as a record of a stream.
type Row struct {
	item Item
	from Attributes
}

// Attributes reads a row, or a map within one, from a form of its own.
type Attributes interface {
	// Attribute is the value of that name, the zero Value where there is none.
	Attribute(name string) Value
	// Names are the names of all attributes.
	Names() iter.Seq[string]
}

// RowOf is an item in the SDK's types as a row; nil is none.
func RowOf(item Item) Row { return Row{item: item} }

// RowFrom is a row that is read from another form.
func RowFrom(from Attributes) Row { return Row{from: from} }

// Exists reports whether there is an item.
func (r Row) Exists() bool { return r.item != nil || r.from != nil }

// Value is the attribute of that name.
func (r Row) Value(name string) Value {
	if r.from != nil {
		return r.from.Attribute(name)
	}
	return valueOf(r.item[name])
}

// Scalar is the text of a text or the digits of a number, and the attribute's kind: what is asked for most, in one step.
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

// Text is the text of an attribute, "" where it is missing or is no text.
func (r Row) Text(name string) string {
	if text, kind := r.Scalar(name); kind == KindText {
		return text
	}
	return ""
}

// Int is an attribute that is a whole number, 0 where it is missing or is none.
func (r Row) Int(name string) int {
	n := 0
	if digits, kind := r.Scalar(name); kind == KindNumber {
		n, _ = strconv.Atoi(digits)
	}
	return n
}

// Names are the names of all attributes, in any order.
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

// Item is the row in the SDK's types, nil where there is no item. It is not to be changed.
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

// The kinds of DynamoDB.
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

// String is the kind with its article: "a number".
func (k Kind) String() string {
	return [...]string{
		"nothing", "NULL", "text", "a number", "a boolean", "binary", "a list", "a map",
		"a set of texts", "a set of numbers", "a set of binaries",
	}[k]
}

// Value is one stored value. The zero Value is a missing attribute.
type Value struct {
	kind Kind
	text string // of a text, the digits of a number, "true" of a boolean
	more any    // the value in the SDK's types where it came so; else []byte, []Value, Row, []string or [][]byte
}

// The values, for those who implement [Attributes].

// NullValue is NULL.
func NullValue() Value { return Value{kind: KindNull} }

// TextValue is a text.
func TextValue(s string) Value { return Value{kind: KindText, text: s} }

// NumberValue is a number by its digits.
func NumberValue(digits string) Value { return Value{kind: KindNumber, text: digits} }

// BoolValue is a boolean.
func BoolValue(yes bool) Value {
	if yes {
		return Value{kind: KindBool, text: "true"}
	}
	return Value{kind: KindBool}
}

// BinaryValue is binary.
func BinaryValue(b []byte) Value { return Value{kind: KindBinary, more: b} }

// ListValue is a list.
func ListValue(elements []Value) Value { return Value{kind: KindList, more: elements} }

// MapValue is a map.
func MapValue(attributes Row) Value { return Value{kind: KindMap, more: attributes} }

// SetValue is a set of texts, or of numbers by their digits.
func SetValue(kind Kind, elements []string) Value { return Value{kind: kind, more: elements} }

// BinarySetValue is a set of binaries.
func BinarySetValue(elements [][]byte) Value { return Value{kind: KindBinaries, more: elements} }

// valueOf reads a value in the SDK's types.
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

// Kind is the value's type.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is missing or NULL, which mean the same everywhere in this library.
func (v Value) IsNull() bool { return v.kind <= KindNull }

// Text is a text, or the digits of a number; "" for every other kind.
func (v Value) Text() string {
	if v.kind == KindText || v.kind == KindNumber {
		return v.text
	}
	return ""
}

// Bool is a boolean; false for every other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.text != "" }

// Bytes is binary; nil for every other kind.
func (v Value) Bytes() []byte {
	switch more := v.more.(type) {
	case *types.AttributeValueMemberB:
		return more.Value
	case []byte:
		return more
	}
	return nil
}

// List is a list; nil for every other kind.
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

// Map is a map; the zero Row for every other kind.
func (v Value) Map() Row {
	switch more := v.more.(type) {
	case *types.AttributeValueMemberM:
		return RowOf(more.Value)
	case Row:
		return more
	}
	return Row{}
}

// Set are the elements of a set of texts or numbers; nil for every other kind.
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

// Stored is the value in the SDK's types, nil where it is missing.
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
