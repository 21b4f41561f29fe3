package contract

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var values = []Case{
	{
		Name:  "NULL and a missing attribute are different",
		Needs: "values that were cleared, which the library stores as NULL",
		Means: "a cleared value comes back, or counts as missing",
		Units: 6, run: nulls,
	},
	{
		Name:  "text and binary may be empty outside of keys",
		Needs: "fields that may be empty",
		Means: "saving an empty field fails, or changes it",
		Units: 4, run: emptyValues,
	},
	{
		Name:  "any character is stored as it is",
		Needs: "names and texts in every language",
		Means: "a text comes back changed",
		Units: 4, run: characters,
	},
	{
		Name:  "sets have no order and no duplicates",
		Needs: "a service's own sets, which the library compares and copies",
		Means: "a set has a member twice, or a change of order counts as a change",
		Units: 8, run: sets,
	},
	{
		Name:  "an empty set is refused",
		Needs: "a service's own sets",
		Means: "code passes its tests, and fails on AWS",
		Units: 2, run: emptySets,
	},
	{
		Name:  "38 digits of a number are exact",
		Needs: "amounts of money",
		Means: "amounts are rounded",
		Units: 10, run: exactNumbers,
	},
	{
		Name:  "a number of 39 digits is refused",
		Needs: "amounts that are never rounded without an error",
		Means: "amounts are rounded on one of the engines",
		Units: 2, run: longNumbers,
	},
	{
		Name:  "sums of numbers are exact",
		Needs: "adding to amounts",
		Means: "a total differs by a cent",
		Units: 6, run: exactSums,
	},
	{
		Name:  "true and false, lists and maps, also empty ones",
		Needs: "documents in items",
		Means: "a document comes back changed",
		Units: 4, run: documents,
	},
	{
		Name:  "numbers of the same value are equal",
		Needs: "conditions on amounts, such as 10 and 10.00",
		Means: "a write is refused although nothing has changed",
		Units: 6, run: equalNumbers,
	},
}

func nulls(s *scene) {
	s.put("a", "v", nil)
	s.is("a", "v", nil)
	s.updated("a", "SET w = if_not_exists(v, :x), v = :null REMOVE absent", ":x", 1, ":null", nil)
	s.is("a", "v", nil, "w", nil)
	s.updated("a", "REMOVE v, w")
	s.is("a")
}

func emptyValues(s *scene) {
	s.put("a", "v", "", "b", []byte{})
	s.is("a", "v", "", "b", []byte{})
}

func characters(s *scene) {
	all := "\x00\x01 \t\n\"\\<>& é e\u0301 日本 \u2028 \uFFFD 😀 👩‍👩‍👧"
	s.put("a", "v", all, "m", map[string]any{all: all}, "b", []byte{0, 255, 128})
	s.is("a", "v", all, "m", map[string]any{all: all}, "b", []byte{0, 255, 128})
}

func sets(s *scene) {
	s.put("a", "z", texts("b", "a", "c"), "n", numbers("10", "2", "-1"), "b", &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1}}})
	s.is("a", "z", texts("a", "b", "c"), "n", numbers("-1", "2", "10"), "b", &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}})
	s.done("a condition that has a set in another order",
		s.tryPut(s.item("a"), "z = :z", ":z", texts("c", "a", "b")))
	s.refused("a set with a member twice", s.try(s.item("a", "z", texts("a", "a"))), validation)
}

func emptySets(s *scene) {
	s.refused("an empty set", s.try(s.item("a", "z", texts())), validation)
}

func exactNumbers(s *scene) {
	whole := strings.Repeat("1234567890", 3) + "12345678"
	for sk, digits := range map[string]string{
		"whole": whole, "negative": "-" + whole, "cents": whole[:36] + "." + whole[36:], "small": "0.00000" + whole,
		"binary": "0.1",
	} {
		s.put(sk, "v", number(digits))
		s.is(sk, "v", number(digits))
	}
}

func longNumbers(s *scene) {
	s.refused("a number of 39 digits", s.try(s.item("a", "v", number(strings.Repeat("9", 39)))), validation)
}

func exactSums(s *scene) {
	s.put("a", "v", number("0.1"))
	s.updated("a", "ADD v :x", ":x", number("0.2"))
	s.is("a", "v", number("0.3"))
	s.put("b", "v", number("9999999999999999.99"))
	s.updated("b", "ADD v :x", ":x", number("0.02"))
	s.is("b", "v", number("10000000000000000.01"))
}

func documents(s *scene) {
	attributes := []any{
		"t", true, "f", false, "l", []any{}, "m", map[string]any{},
		"d", map[string]any{"l": []any{nil, false, []any{map[string]any{"x": ""}}}},
	}
	s.put("a", attributes...)
	s.is("a", attributes...)
}

func equalNumbers(s *scene) {
	s.put("a", "v", number("10.00"))
	s.is("a", "v", 10)
	s.done("a condition that has a number in another form", s.tryPut(s.item("a"), "v = :v", ":v", number("1E1")))
}
