package contract

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

var orders = []Case{
	{
		Name:  "text is in the order of its UTF-8 bytes",
		Needs: "lists by date, name or ULID, and pages of merged lists",
		Means: "a list is in another order than on AWS, and pages of merged lists lose entries",
		Units: 12, run: orderOfText,
	},
	{
		Name:  "numbers are in numerical order, also below zero",
		Needs: "a service's own tables whose sort key is a number",
		Means: "a list by number is in another order than on AWS",
		Units: 19, run: orderOfNumbers,
	},
	{
		Name:  "binary is in the order of unsigned bytes",
		Needs: "a service's own tables whose sort key is binary",
		Means: "a list is in another order than on AWS",
		Units: 15, run: orderOfBinary,
	},
	{
		Name:  "begins_with compares every byte, and the case of letters",
		Needs: "reading the parts of one entity, whose sort keys have a common prefix",
		Means: "a list has entries of another entity",
		Units: 10, run: prefixes,
	},
	{
		Name:  "BETWEEN includes both ends, and < and > exclude them",
		Needs: "ranges of nights and of prices",
		Means: "the first or the last night is missing",
		Units: 12, run: ranges,
	},
	{
		Name:  "keys that differ in the form of a letter are different keys",
		Needs: "keys of e-mail addresses and names, which the library normalises itself",
		Means: "one item replaces another one",
		Units: 8, run: formsOfLetters,
	},
}

// sorted puts an item for each value of a sort key, in another order, and returns the values in their wanted order.
func sorted(s *scene, attributes func(v types.AttributeValue) []any, of ...any) (want []types.AttributeValue) {
	for _, v := range of {
		want = append(want, value(v))
	}
	for i := range want {
		v := want[(i*2+1)%len(want)] // every one, if their number is odd
		s.putItem(fields(attributes(v)...))
	}
	return want
}

func orderOfText(s *scene) {
	// In UTF-16, the order of the last two is the other way round.
	want := sorted(s, func(v types.AttributeValue) []any { return []any{"pk", s.pk, "sk", v} },
		"#", "10", "2", "A", "Z", "a", "z", "é", "日", "\uFFFD", "😀")
	s.same("the sort keys", want, column(s.query(dynamodb.QueryInput{}).Items, "sk"))
}

func orderOfNumbers(s *scene) {
	want := sorted(s, func(v types.AttributeValue) []any { return []any{"pk", s.pk, "sk", text(v), "npk", s.pk, "nsk", v} },
		-100, -20, number("-1.5"), 0, number("0.001"), 3, 20, number("20.5"), 100)
	s.soon(func(s *scene) { s.same("the sort keys", want, column(s.rows(numberIndex, "npk"), "nsk")) })
}

func orderOfBinary(s *scene) {
	want := sorted(s, func(v types.AttributeValue) []any { return []any{"pk", s.pk, "sk", text(v), "bpk", s.pk, "bsk", v} },
		[]byte{0}, []byte{0, 0}, []byte{1}, []byte{1, 255}, []byte{127}, []byte{128}, []byte{255})
	s.soon(func(s *scene) { s.same("the sort keys", want, column(s.rows(binaryIndex, "bpk"), "bsk")) })
}

// between returns the sort keys of a range.
func (s *scene) between(condition string, placeholders ...any) []types.AttributeValue {
	_, values := split(placeholders)
	return column(s.query(dynamodb.QueryInput{
		KeyConditionExpression: aws.String("pk = :pk AND " + condition), ExpressionAttributeValues: values,
	}).Items, "sk")
}

func textsOf(of ...string) (values []types.AttributeValue) {
	for _, v := range of {
		values = append(values, dynastay.Text(v))
	}
	return values
}

func prefixes(s *scene) {
	for _, sk := range []string{"ROOM", "ROOM#1", "ROOM#2", "ROOMS#1", "room#3", "RÖOM#1"} {
		s.put(sk)
	}
	s.same("the sort keys", textsOf("ROOM#1", "ROOM#2"), s.between("begins_with(sk, :p)", ":p", "ROOM#"))
}

func ranges(s *scene) {
	for _, sk := range []string{"1", "2", "3", "4", "5"} {
		s.put(sk)
	}
	s.same("BETWEEN", textsOf("2", "3", "4"), s.between("sk BETWEEN :a AND :b", ":a", "2", ":b", "4"))
	s.same("<", textsOf("1", "2"), s.between("sk < :a", ":a", "3"))
	s.same("<=", textsOf("1", "2", "3"), s.between("sk <= :a", ":a", "3"))
	s.same(">", textsOf("4", "5"), s.between("sk > :a", ":a", "3"))
	s.same(">=", textsOf("3", "4", "5"), s.between("sk >= :a", ":a", "3"))
}

func formsOfLetters(s *scene) {
	forms := []string{"a", "A", "\u00e9", "e\u0301"} // é as one character, and as two
	for i, sk := range forms {
		s.put(sk, "v", i)
	}
	for i, sk := range forms {
		s.is(sk, "v", i)
	}
}
