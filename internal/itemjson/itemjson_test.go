package itemjson_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/internal/itemjson"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/draw"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// Every type of DynamoDB is read, also within maps and lists, and numbers keep all of their digits.
func TestLine(t *testing.T) {
	t.Parallel()
	const digits = "1234567890123456789012345678.9012345678"
	got, err := itemjson.Line([]byte(`{"Item":{
		"Text":{"S":"\u00e4 \"b\"\n"}, "Empty":{"S":""}, "Number":{"N":"` + digits + `"}, "Small":{"N":"-1E-130"},
		"Binary":{"B":"AAH/"}, "NoBytes":{"B":""}, "Yes":{"BOOL":true}, "No":{"BOOL":false}, "Null":{"NULL":true},
		"Texts":{"SS":["a","b"]}, "Numbers":{"NS":["1","` + digits + `"]}, "Binaries":{"BS":["AA==","AQ=="]},
		"Map":{"M":{"List":{"L":[{"M":{}},{"L":[]},{"S":"x"},{"NULL":true}]}}}
	}}` + "\n"))
	require.NoError(t, err)
	assert.Equal(t, stored.Item{
		"Text": stored.Text("ä \"b\"\n"), "Empty": stored.Text(""), "Number": stored.Number(digits), "Small": stored.Number("-1E-130"),
		"Binary": &types.AttributeValueMemberB{Value: []byte{0, 1, 255}}, "NoBytes": &types.AttributeValueMemberB{Value: []byte{}},
		"Yes": &types.AttributeValueMemberBOOL{Value: true}, "No": &types.AttributeValueMemberBOOL{Value: false},
		"Null":  &types.AttributeValueMemberNULL{Value: true},
		"Texts": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "Numbers": &types.AttributeValueMemberNS{Value: []string{"1", digits}},
		"Binaries": &types.AttributeValueMemberBS{Value: [][]byte{{0}, {1}}},
		"Map": &types.AttributeValueMemberM{Value: stored.Item{"List": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			&types.AttributeValueMemberM{Value: stored.Item{}}, &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
			stored.Text("x"), &types.AttributeValueMemberNULL{Value: true},
		}}}},
	}, got)
}

// Any item is the same again after it was written and read.
func TestLineOfAnyItem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := raw.ExportLine(t, draw.Item(3).Draw(t, "item"))
		read, err := itemjson.Line([]byte(line))
		require.NoError(t, err)
		require.Equal(t, line, raw.ExportLine(t, read))
	})
}

// nested returns a line with lists in lists.
func nested(levels int) string {
	return `{"Item":{"A":` + strings.Repeat(`{"L":[`, levels-1) + `{"L":[]}` + strings.Repeat(`]}`, levels-1) + `}}`
}

// DynamoDB allows 32 levels. More are read, but not any number.
func TestNestedLines(t *testing.T) {
	t.Parallel()
	for levels, ok := range map[int]bool{32: true, 64: true, 65: false, 100_000: false} {
		_, err := itemjson.Line([]byte(nested(levels)))
		assert.Equal(t, ok, err == nil, "%d: %v", levels, err)
	}
	_, err := itemjson.Line([]byte(`{"Item":{"A":` + strings.Repeat(`{"M":{"B":`, 65) + `{"S":""}` + strings.Repeat(`}}`, 65) + `}}`))
	assert.ErrorContains(t, err, "is nested too deeply")
}

// What DynamoDB does not write is refused. The error says where, but not what.
func TestLineIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "unexpected EOF",
		`[]`:                                     "must be an object",
		`"a"`:                                    "must be an object",
		`{}`:                                     "must have an Item",
		`{"Keys":{}}`:                            "must have an Item, and nothing else",
		`{"Item":{},"Keys":{}}`:                  "must have an Item, and nothing else",
		`{"Item":{},"Item":{}}`:                  `"Item" is there twice`,
		`{"Item":{}} {}`:                         "must have nothing after the item",
		`{"Item":{}} x`:                          "must have nothing after the item",
		`{"Item":{}`:                             "unexpected EOF",
		`{"Item":null}`:                          "must be an object",
		`{"Item":{"A":{"S":"x"},"A":{"S":"x"}}}`: `"A" is there twice`,
		`{"Item":{"A":"x"}}`:                     `"A": must be an object`,
		`{"Item":{"A":{}}}`:                      `"A": has no type`,
		`{"Item":{"A":{"s":"x"}}}`:               `"A": s: is no type of DynamoDB`,
		`{"Item":{"A":{"S":"x","N":"1"}}}`:       `"A": has two types`,
		`{"Item":{"A":{"S":"x","S":"y"}}}`:       `"A": "S" is there twice`,
		`{"Item":{"A":{"S":1}}}`:                 `"A": S: must be a string`,
		`{"Item":{"A":{"S":null}}}`:              `"A": S: must be a string`,
		`{"Item":{"A":{"N":1}}}`:                 `"A": N: must be a string`,
		`{"Item":{"A":{"N":"1,5"}}}`:             `"A": N: must be a number`,
		`{"Item":{"A":{"N":""}}}`:                `"A": N: must be a number`,
		`{"Item":{"A":{"B":"*"}}}`:               `"A": B: must be in base64`,
		`{"Item":{"A":{"B":"AB=="}}}`:            `"A": B: must be in base64`,
		`{"Item":{"A":{"B":true}}}`:              `"A": B: must be a string`,
		`{"Item":{"A":{"BOOL":"true"}}}`:         `"A": BOOL: must be true or false`,
		`{"Item":{"A":{"NULL":false}}}`:          `"A": NULL: must be true`,
		`{"Item":{"A":{"NULL":null}}}`:           `"A": NULL: must be true`,
		`{"Item":{"A":{"SS":[]}}}`:               `"A": SS: must not be empty`,
		`{"Item":{"A":{"SS":"x"}}}`:              `"A": SS: must be a list`,
		`{"Item":{"A":{"SS":{}}}}`:               `"A": SS: must be a list`,
		`{"Item":{"A":{"NS":["x"]}}}`:            `"A": NS: must be a number`,
		`{"Item":{"A":{"NS":[]}}}`:               `"A": NS: must not be empty`,
		`{"Item":{"A":{"BS":["*"]}}}`:            `"A": BS: must be in base64`,
		`{"Item":{"A":{"BS":[]}}}`:               `"A": BS: must not be empty`,
		`{"Item":{"A":{"M":[]}}}`:                `"A": M: must be an object`,
		`{"Item":{"A":{"M":{"B":{"L":{}}}}}}`:    `"A": M: "B": L: must be a list`,
		`{"Item":{"A":{"L":[{"S":"x"},"x"]}}}`:   `"A": L: must be an object`,
		`{"Item":{"A":{"L":[{"S":"x"},]}}}`:      `"A": L: `,
		`{"Item":{"A":{"L":[{"S":"x"}`:           `"A": L: unexpected EOF`,
		`{"Item":{"A":{"S":"x"},}}`:              `invalid character`,
		"{\"Item\":{\"A\":{\"S\":\"\xff\"}}}":    "must be UTF-8",
	} {
		item, err := itemjson.Line([]byte(text))
		if assert.Error(t, err, text) {
			assert.ErrorContains(t, err, want, text)
		}
		assert.Nil(t, item, text)
	}
}
