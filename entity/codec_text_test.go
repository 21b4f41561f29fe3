package entity

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// DynamoDB stores text that is not valid UTF-8 differently.
func TestTextIsUTF8(t *testing.T) {
	const bad = "a\xff"
	custom := func(v types.AttributeValue) Codec[struct{}] {
		return Declare(func(f *Fields, _ *struct{}) {
			f.Map("Outer", func(f *Fields) {
				Custom(f, "C", new(int), func(int) (types.AttributeValue, error) { return v, nil }, func(dynastay.Value) (int, error) { return 0, nil })
			})
		})
	}
	type tag struct {
		Names []string
		Inner map[string]map[string]string
	}
	encode := func(_ dynastay.Item, err error) error { return err }
	for _, test := range []struct {
		field string
		err   error
	}{
		{"S", encode(allCodec.Encode(&all{S: bad}))},
		{"T", encode(allCodec.Encode(&all{T: bad}))},
		{"L[1]", encode(allCodec.Encode(&all{L: []string{"a", bad}}))},
		{"Nested.Inner[0]", encode(allCodec.Encode(&all{Nested: part{Inner: []string{bad}}}))},
		{"Counts", encode(allCodec.Encode(&all{Counts: map[string]int{bad: 1}}))},
		{"Prices", encode(allCodec.Encode(&all{Prices: map[string]dynastay.Money{bad: dynastay.MustMoney("1", "KWD")}, Currency: "KWD"}))},
		{"Outer.C", encode(custom(str(bad)).Encode(new(struct{})))},
		{"Outer.C[1]", encode(custom(&sL{Value: []types.AttributeValue{str("a"), str(bad)}}).Encode(new(struct{})))},
		{"Outer.C[0]", encode(custom(&types.AttributeValueMemberSS{Value: []string{bad}}).Encode(new(struct{})))},
		{"Outer.C.M[0]", encode(custom(&sM{Value: dynastay.Item{"M": &sL{Value: []types.AttributeValue{str(bad)}}}}).Encode(new(struct{})))},
		{"Outer.C", encode(custom(&sM{Value: dynastay.Item{bad: num("1")}}).Encode(new(struct{})))},
		{"Names[1]", encode(Tagged[tag]().Encode(&tag{Names: []string{"a", bad}}))},
		{"Inner.a.b", encode(Tagged[tag]().Encode(&tag{Inner: map[string]map[string]string{"a": {"b": bad}}}))},
		{"Inner.a", encode(Tagged[tag]().Encode(&tag{Inner: map[string]map[string]string{"a": {bad: "b"}}}))},
		{"Key.PK", dynastay.KeyNames{Partition: "pk", Sort: "sk"}.Check(dynastay.Key{PK: bad, SK: "a"})},
		{"Key.SK", dynastay.KeyNames{Partition: "pk", Sort: "sk"}.Check(dynastay.Key{PK: "a", SK: bad})},
	} {
		blame.Invalid(t, test.err, test.field)
		assert.NotContains(t, test.err.Error(), bad)
	}
}

// Text that is stored in place of a time may be a person's address.
func TestUnreadableTimesAreNotEchoed(t *testing.T) {
	for _, text := range []string{"john@example.com", strings.Repeat("j", 100_000)} {
		err := allCodec.Decode(dynastay.RowOf(dynastay.Item{"At": str(text)}), new(all))
		corrupt(t, err, "At")
		assert.NotContains(t, err.Error(), "john")
		assert.Less(t, len(err.Error()), 150)
	}
}

// A time whose year is outside the range in UTC could not be written again either.
func TestInstantsAreOfYearsWithFourDigits(t *testing.T) {
	for text, says := range map[string]string{
		"9999-12-31T23:59:59-01:00": "got 10000", "0001-01-01T00:00:00+01:00": "got 0",
	} {
		err := allCodec.Decode(dynastay.RowOf(dynastay.Item{"At": str(text)}), new(all))
		corrupt(t, err, "At")
		assert.ErrorContains(t, err, says)
	}
	assert.NoError(t, allCodec.Decode(dynastay.RowOf(dynastay.Item{"At": str("9999-12-31T23:59:59Z")}), new(all)))
	assert.NoError(t, allCodec.Decode(dynastay.RowOf(dynastay.Item{"At": str("0001-01-01T00:00:01Z")}), new(all)))
}
