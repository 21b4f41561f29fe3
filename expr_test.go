package dynastay_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestCompiledIsWhatTheSDKBuilds(t *testing.T) {
	builder := func(value func(name string) expression.ValueBuilder) expression.Builder {
		return expression.NewBuilder().
			WithKeyCondition(expression.KeyEqual(expression.Key("PK"), value("pk")).
				And(expression.KeyBetween(expression.Key("SK"), value("from"), value("to")))).
			WithFilter(dynastay.NameOf("Card.Name").Equal(value("name"))).
			WithCondition(dynastay.NameOf("Rooms").GreaterThanEqual(value("rooms")).And(expression.Name("Open").Equal(expression.Value(true)))).
			WithUpdate(expression.
				Set(dynastay.NameOf("Rooms"), dynastay.NameOf("Rooms").Minus(value("rooms"))).
				Set(expression.Name("Kind"), expression.Value("constant")).
				Remove(expression.Name("Hold")))
	}
	values := dynastay.Item{
		"pk": dynastay.Text("ROOM#1"), "from": dynastay.Text("A"), "to": dynastay.Text("B"), "name": dynastay.Text(""),
		"rooms": dynastay.Number(2),
	}
	compiled := dynastay.MustCompile(builder(dynastay.Param))
	direct, err := builder(func(name string) expression.ValueBuilder { return expression.Value(values[name]) }).Build()
	require.NoError(t, err)
	for range 2 { // With does not change the compiled expression
		got := compiled.With(values)
		for _, part := range []struct{ want, got *string }{
			{direct.KeyCondition(), got.Key}, {direct.Filter(), got.Filter}, {direct.Condition(), got.Condition}, {direct.Update(), got.Update},
		} {
			assert.Equal(t, spelled(t, part.want, direct.Values()), spelled(t, part.got, got.Values))
		}
		assert.Equal(t, direct.Names(), got.Names)
		assert.Len(t, direct.Values(), 8)
		assert.Len(t, got.Values, 7, "the number of rooms is needed in two places, and sent once")
	}

	other := compiled.With(dynastay.Item{"pk": dynastay.Text("ROOM#2")})
	assert.Len(t, other.Values, 7)
	missing := 0
	for _, v := range other.Values {
		if v == nil {
			missing++
		}
	}
	assert.Equal(t, 4, missing, "from, to, name and rooms")
}

// spelled returns an expression with its values in place of the placeholders.
func spelled(t *testing.T, text *string, values dynastay.Item) string {
	t.Helper()
	require.NotNil(t, text)
	return regexp.MustCompile(`:\d+`).ReplaceAllStringFunc(*text, func(name string) string {
		require.Contains(t, values, name)
		return fmt.Sprintf("%T%+v", values[name], values[name])
	})
}

// Placeholders of two digits are not mistaken for one of the first ten.
func TestCompiledMergesEqualValues(t *testing.T) {
	condition := expression.Name("N0").Equal(expression.Value(0))
	for i := 1; i < 25; i++ {
		condition = condition.And(expression.Name("N" + strconv.Itoa(i)).Equal(expression.Value(i % 12)))
	}
	builder := expression.NewBuilder().WithCondition(condition)
	direct, err := builder.Build()
	require.NoError(t, err)
	got := dynastay.MustCompile(builder).With(nil)
	assert.Equal(t, spelled(t, direct.Condition(), direct.Values()), spelled(t, got.Condition, got.Values))
	assert.Len(t, got.Values, 12)
}

func TestCompiledWithoutParameters(t *testing.T) {
	got := dynastay.MustCompile(expression.NewBuilder().WithCondition(expression.AttributeNotExists(expression.Name("PK")))).With(nil)
	assert.Equal(t, "attribute_not_exists (#0)", *got.Condition)
	assert.Equal(t, map[string]string{"#0": "PK"}, got.Names)
	assert.Nil(t, got.Values)
	assert.Nil(t, got.Update)
	assert.Panics(t, func() { dynastay.MustCompile(expression.NewBuilder()) })
}

func condition(t *testing.T, c expression.ConditionBuilder) (string, map[string]string, dynastay.Item) {
	t.Helper()
	built := dynastay.MustCompile(expression.NewBuilder().WithCondition(c)).With(nil)
	return *built.Condition, built.Names, built.Values
}

func TestNameOf(t *testing.T) {
	for path, want := range map[string][]string{
		"Name": {"Name"}, "Card.Name": {"Card", "Name"}, "Card.Rooms.room_1": {"Card", "Rooms", "room_1"},
		dynastay.PathOf("Card", "Rooms", "deluxe.sea"): {"Card", "Rooms", "deluxe.sea"},
		dynastay.PathOf("a.b"):                         {"a.b"},
		dynastay.PathOf("Spec", "Weight [kg]"):         {"Spec", "Weight [kg]"},
		dynastay.PathOf("Spec", "a[0]"):                {"Spec", "a[0]"},
		"]a.b][.[0]":                                   {"]a", "b][", "[0]"},
		"é.日本.😀":                                       {"é", "日本", "😀"}, // in an expression itself, they crash dynoxide 1.2.1
	} {
		text, names, _ := condition(t, expression.AttributeExists(dynastay.NameOf(path)))
		assert.Equal(t, []string{"attribute_exists (#0)", "attribute_exists (#0.#1)", "attribute_exists (#0.#1.#2)"}[len(want)-1], text)
		got := make([]string, len(names))
		for placeholder, name := range names {
			got[placeholder[1]-'0'] = name
		}
		assert.Equal(t, want, got)
	}
	assert.Equal(t, "Card.Name", dynastay.PathOf("Card", "Name"))
}

func TestAbsent(t *testing.T) {
	text, names, values := condition(t, dynastay.Absent("Card.Name"))
	assert.Equal(t, "(attribute_not_exists (#0.#1)) OR (attribute_type (#0.#1, :0))", text)
	assert.Equal(t, map[string]string{"#0": "Card", "#1": "Name"}, names)
	assert.Equal(t, dynastay.Item{":0": dynastay.Text("NULL")}, values)
}

func TestAsRead(t *testing.T) {
	null := &types.AttributeValueMemberNULL{Value: true}
	item := dynastay.Item{
		"Name": dynastay.Text("Grand"), "Gone": null, "Text": dynastay.Text("no map"),
		"Card": &types.AttributeValueMemberM{Value: dynastay.Item{
			"Stars": dynastay.Number(5), "Gone": null, "a.b": dynastay.Text("dotted"),
			"Rooms": &types.AttributeValueMemberM{Value: dynastay.Item{"r1": dynastay.Text("King")}},
		}},
	}
	for path, want := range map[string]types.AttributeValue{
		"Name": dynastay.Text("Grand"), "Card.Stars": dynastay.Number(5), "Card.Rooms.r1": dynastay.Text("King"),
		dynastay.PathOf("Card", "a.b"): dynastay.Text("dotted"),
	} {
		text, _, values := condition(t, dynastay.AsRead(path, dynastay.RowOf(item)))
		assert.Contains(t, []string{"#0 = :0", "#0.#1 = :0", "#0.#1.#2 = :0"}, text)
		assert.Equal(t, dynastay.Item{":0": want}, values, path)
	}
	_, _, values := condition(t, dynastay.AsRead("Card", dynastay.RowOf(item)))
	assert.Equal(t, dynastay.Item{":0": item["Card"]}, values)
	for _, path := range []string{"Gone", "Missing", "Card.Gone", "Card.Missing", "Card.Rooms.r2", "Text.Name", "Missing.Name", "Gone.Name", "Card.Stars.x"} {
		text, names, values := condition(t, dynastay.AsRead(path, dynastay.RowOf(item)))
		absent, absentNames, absentValues := condition(t, dynastay.Absent(path))
		assert.Equal(t, absent, text, path)
		assert.Equal(t, absentNames, names)
		assert.Equal(t, absentValues, values)
	}
}

func TestStoredValues(t *testing.T) {
	assert.Equal(t, &types.AttributeValueMemberS{Value: "a"}, dynastay.Text("a"))
	assert.Equal(t, &types.AttributeValueMemberN{Value: "-12"}, dynastay.Number(-12))
}

// A name that is filled in is data: it may contain anything, and two parameters may have the same name.
func TestCompiledFillsInNames(t *testing.T) {
	path := func(name string) expression.NameBuilder {
		return expression.Name("Rates").AppendName(dynastay.ParamName(name)).AppendName(expression.Name("P"))
	}
	compiled := dynastay.MustCompile(expression.NewBuilder().WithCondition(
		path("one").Equal(dynastay.Param("price")).And(path("two").GreaterThan(dynastay.Param("price")))))
	first := compiled.With(dynastay.Item{"one": dynastay.Text("1"), "two": dynastay.Text("2")})
	for _, names := range [][]string{{"flex", "non-ref"}, {"a.b", "a[0]"}, {"same", "same"}} {
		got := compiled.With(dynastay.Item{
			"one": dynastay.Text(names[0]), "two": dynastay.Text(names[1]), "price": dynastay.Number(1),
		})
		assert.Equal(t, "(#0.#1.#2 = :0) AND (#0.#3.#2 > :0)", *got.Condition)
		assert.Equal(t, map[string]string{"#0": "Rates", "#1": names[0], "#2": "P", "#3": names[1]}, got.Names)
	}
	assert.Equal(t, map[string]string{"#0": "Rates", "#1": "1", "#2": "P", "#3": "2"}, first.Names, "they share nothing")
}
