package contract

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// fields returns an item of names and values.
func fields(pairs ...any) dynastay.Item {
	item := dynastay.Item{}
	for i := 0; i < len(pairs); i += 2 {
		item[pairs[i].(string)] = value(pairs[i+1])
	}
	return item
}

// split returns the placeholders for names, such as "#a", "name", and those for values, such as ":a", 1.
func split(pairs []any) (names map[string]string, values dynastay.Item) {
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		switch {
		case name[0] == '#' && names == nil:
			names = map[string]string{name: pairs[i+1].(string)}
		case name[0] == '#':
			names[name] = pairs[i+1].(string)
		case values == nil:
			values = fields(name, pairs[i+1])
		default:
			values[name] = value(pairs[i+1])
		}
	}
	return names, values
}

// value returns a Go value as a stored value.
func value(v any) types.AttributeValue {
	switch v := v.(type) {
	case types.AttributeValue:
		return v
	case string:
		return dynastay.Text(v)
	case int:
		return dynastay.Number(v)
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []byte:
		return &types.AttributeValueMemberB{Value: v}
	case map[string]any:
		m := dynastay.Item{}
		for name, of := range v {
			m[name] = value(of)
		}
		return &types.AttributeValueMemberM{Value: m}
	case []any:
		l := []types.AttributeValue{}
		for _, of := range v {
			l = append(l, value(of))
		}
		return &types.AttributeValueMemberL{Value: l}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

func number(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

func texts(set ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: set} }

func numbers(set ...string) types.AttributeValue { return &types.AttributeValueMemberNS{Value: set} }

// text returns a value for comparing and printing. Values that DynamoDB regards as equal have the same text.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case *types.AttributeValueMemberS:
		return strconv.Quote(v.Value)
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return "0x" + hex.EncodeToString(v.Value)
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(v.Value)
	case *types.AttributeValueMemberNULL:
		return "null"
	case *types.AttributeValueMemberL:
		return "[" + list(v.Value) + "]"
	case *types.AttributeValueMemberM:
		return text(dynastay.Item(v.Value))
	case *types.AttributeValueMemberSS:
		return "set of " + strings.Join(slices.Sorted(slices.Values(v.Value)), ", ")
	case *types.AttributeValueMemberNS:
		return "set of " + strings.Join(slices.Sorted(slices.Values(v.Value)), ", ")
	case *types.AttributeValueMemberBS:
		var members []string
		for _, b := range v.Value {
			members = append(members, "0x"+hex.EncodeToString(b))
		}
		return "set of " + strings.Join(slices.Sorted(slices.Values(members)), ", ")
	case dynastay.Item:
		if v == nil {
			return "nothing"
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+": "+text(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []dynastay.Item:
		return "[" + list(v) + "]"
	case []types.AttributeValue:
		return "[" + list(v) + "]"
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	}
	return fmt.Sprint(v)
}

func list[T any](of []T) string {
	var parts []string
	for _, v := range of {
		parts = append(parts, text(v))
	}
	return strings.Join(parts, ", ")
}

// short cuts a text that is too long for a report.
func short(s string) string {
	const longest = 240
	if len(s) <= longest {
		return s
	}
	cut := longest
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// words returns the placeholders and names of an expression.
func words(expression string) []string {
	return strings.FieldsFunc(expression, func(r rune) bool { return strings.ContainsRune(" (),=<>", r) })
}
