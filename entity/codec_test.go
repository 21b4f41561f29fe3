package entity

import (
	"errors"
	"fmt"
	"maps"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/draw"
)

type (
	colour string
	part   struct {
		Name  string
		Count int
		Inner []string
	}
	// all has a field for every method of Fields.
	all struct {
		S        string
		T        colour
		I, J     int
		F, G     float64
		B, C     bool
		D        dynastay.Date
		At       time.Time
		Until    time.Time
		R, Q     dynastay.Rating
		M, N     dynastay.Money
		Fee      dynastay.Money
		Custom   []byte
		L, K     []string
		Nested   part
		Parts    []part
		Counts   map[string]int
		Prices   map[string]dynastay.Money
		ByID     map[string]part
		Currency dynastay.Currency
	}
)

func declarePart(f *Fields, p *part) {
	f.String("Name", &p.Name)
	f.IfSet().Int("Count", &p.Count)
	f.Strings("Inner", &p.Inner)
}

var allCodec = Declare(func(f *Fields, a *all) {
	f.Const("EntityType", "All")
	f.String("S", &a.S)
	String(f, "T", &a.T)
	f.Int("I", &a.I)
	f.IfSet().Int("J", &a.J)
	f.Float("F", &a.F)
	f.IfSet().Float("G", &a.G)
	f.Bool("B", &a.B)
	f.IfSet().Bool("C", &a.C)
	f.Date("D", &a.D)
	f.Time("At", &a.At)
	f.Unix("Until", &a.Until)
	f.Rating("R", &a.R)
	f.IfSet().Rating("Q", &a.Q)
	f.Money("M", "Currency", &a.M)
	f.Money("N", "Currency", &a.N)
	String(f, "FeeCurrency", &a.Currency)
	f.Amount("Fee", a.Currency, &a.Fee)
	Custom(f, "Custom", &a.Custom, func(b []byte) (types.AttributeValue, error) {
		if b == nil {
			return nil, nil
		}
		return &sB{Value: b}, nil
	}, func(v dynastay.Value) ([]byte, error) {
		if v.Kind() != dynastay.KindBinary {
			return nil, fmt.Errorf("is %s", v.Kind())
		}
		return v.Bytes(), nil
	})
	f.Strings("L", &a.L)
	f.IfSet().Strings("K", &a.K)
	f.Map("Nested", func(f *Fields) { declarePart(f, &a.Nested) })
	List(f, "Parts", &a.Parts, declarePart)
	Keyed(f, "Counts", &a.Counts, func(f *Fields, name string, n *int) { f.Int(name, n) })
	Keyed(f, "Prices", &a.Prices, func(f *Fields, name string, m *dynastay.Money) { f.Amount(name, a.Currency, m) })
	Keyed(f, "ByID", &a.ByID, func(f *Fields, name string, p *part) {
		f.Map(name, func(f *Fields) { f.Int("Count", &p.Count) })
	})
})

// storedNames are the attributes of allCodec, except the constant one.
var storedNames = []string{
	"S", "T", "I", "J", "F", "G", "B", "C", "D", "At", "Until", "R", "Q", "M", "N", "Currency", "FeeCurrency", "Fee", "Custom", "L", "K",
	"Nested", "Parts", "Counts", "Prices", "ByID",
}

func anyPart() *rapid.Generator[part] {
	return rapid.Custom(func(t *rapid.T) part {
		p := part{Name: rapid.StringN(0, 3, -1).Draw(t, "name"), Count: rapid.IntRange(-3, 3).Draw(t, "count")}
		if rapid.Bool().Draw(t, "has inner") {
			p.Inner = rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 2).Draw(t, "inner")
		}
		return p
	})
}

// anyAll draws values in the form that they have after reading.
func anyAll() *rapid.Generator[all] {
	maybe := func(t *rapid.T, name string) bool { return rapid.Bool().Draw(t, name+"?") }
	instant := func(t *rapid.T, name string, unit time.Duration) time.Time {
		if !maybe(t, name) {
			return time.Time{}
		}
		first, last := time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
		return time.Unix(rapid.Int64Range(first, last).Draw(t, name), rapid.Int64Range(0, 999999999).Draw(t, name+" ns")).UTC().Truncate(unit)
	}
	money := func(t *rapid.T, name string, c dynastay.Currency) dynastay.Money {
		if !maybe(t, name) {
			return dynastay.Money{}
		}
		return dynastay.MustMoney(rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,5})?`).Draw(t, name), c)
	}
	texts := func(t *rapid.T, name string, least int) []string {
		if !maybe(t, name) {
			return nil
		}
		return rapid.SliceOfN(rapid.StringN(0, 3, -1), least, 3).Draw(t, name)
	}
	date := rapid.Custom(func(t *rapid.T) dynastay.Date {
		if !maybe(t, "dated") {
			return dynastay.Date{}
		}
		return dynastay.MustDate("0001-01-01").AddDays(rapid.IntRange(0, 3_652_058).Draw(t, "days"))
	})
	key := rapid.SampledFrom([]string{"a", "b.c", "2025-01-15", "room_1"})
	return rapid.Custom(func(t *rapid.T) all {
		currency := rapid.SampledFrom([]dynastay.Currency{"USD", "JPY"}).Draw(t, "currency")
		a := all{
			S: rapid.String().Draw(t, "S"), T: colour(rapid.StringN(0, 2, -1).Draw(t, "T")),
			I: rapid.Int().Draw(t, "I"), J: rapid.IntRange(-1, 1).Draw(t, "J"),
			F: rapid.Float64().Filter(storable).Draw(t, "F"), G: rapid.Float64Range(-1, 1).Filter(storable).Draw(t, "G"),
			B: rapid.Bool().Draw(t, "B"), C: rapid.Bool().Draw(t, "C"),
			D:  date.Draw(t, "D"),
			At: instant(t, "At", time.Millisecond), Until: instant(t, "Until", time.Second),
			R: dynastay.Rating(rapid.IntRange(0, 100).Draw(t, "R")), Q: dynastay.Rating(rapid.IntRange(0, 2).Draw(t, "Q")),
			M: money(t, "M", currency), N: money(t, "N", currency), Fee: money(t, "Fee", "KWD"),
			L: texts(t, "L", 0), K: texts(t, "K", 1), Nested: anyPart().Draw(t, "Nested"), Currency: "KWD",
		}
		if maybe(t, "Custom") {
			a.Custom = rapid.SliceOf(rapid.Byte()).Draw(t, "Custom")
		}
		if maybe(t, "Parts") {
			a.Parts = rapid.SliceOfN(anyPart(), 0, 3).Draw(t, "Parts")
		}
		if maybe(t, "Counts") {
			a.Counts = rapid.MapOfN(key, rapid.IntRange(-5, 5), 1, 3).Draw(t, "Counts")
		}
		if maybe(t, "Prices") {
			a.Prices = rapid.MapOfN(key, rapid.Map(rapid.IntRange(-500, 500), func(n int) dynastay.Money { return dynastay.MustMoney(strconv.Itoa(n), "KWD") }), 1, 3).Draw(t, "Prices")
		}
		if maybe(t, "ByID") {
			a.ByID = rapid.MapOfN(key, rapid.Map(rapid.Int(), func(n int) part { return part{Count: n} }), 1, 3).Draw(t, "ByID")
		}
		return a
	})
}

// storable reports whether DynamoDB can store a number.
func storable(n float64) bool { return n == 0 || math.Abs(n) >= 1e-130 && math.Abs(n) < 1e126 }

func TestDeclareRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyAll().Draw(t, "in")
		item, err := allCodec.Encode(&in)
		require.NoError(t, err)
		out := anyAll().Draw(t, "what it held before")
		require.NoError(t, allCodec.Decode(dynastay.RowOf(item), &out))
		assert.Equal(t, in, out)
		again, err := allCodec.Encode(&out)
		require.NoError(t, err)
		assert.Equal(t, item, again)
		assert.Equal(t, str("All"), item["EntityType"])
	})
}

func TestDeclareReadsMissingAndNullAsZero(t *testing.T) {
	full := rapid.Custom(func(t *rapid.T) all { return anyAll().Draw(t, "held") })
	rapid.Check(t, func(t *rapid.T) {
		out := full.Draw(t, "out")
		item := dynastay.Item{}
		for _, name := range storedNames {
			if rapid.Bool().Draw(t, name) {
				item[name] = &sNULL{Value: true}
			}
		}
		require.NoError(t, allCodec.Decode(dynastay.RowOf(item), &out))
		assert.Equal(t, all{}, out)
	})
}

func TestDeclareWritesZeroAsDocumented(t *testing.T) {
	item, err := allCodec.Encode(&all{})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{
		"EntityType": str("All"), "I": num("0"), "F": num("0"), "B": &sBOOL{}, "R": num("0"),
	}, item, "numbers and booleans are written unless IfSet, all else is absent")

	item, err = allCodec.Encode(&all{
		L: []string{}, K: []string{}, Parts: []part{}, Counts: map[string]int{}, Until: time.Unix(0, 0), M: dynastay.MustMoney("0", "USD"),
		Nested: part{Inner: []string{}}, F: math.Copysign(0, -1), R: 100, Q: 92, At: time.Date(2024, 11, 18, 15, 20, 0, 999, time.FixedZone("", 3600)),
	})
	require.NoError(t, err)
	assert.Equal(t, &sL{Value: []types.AttributeValue{}}, item["L"], "an empty list is not nil")
	assert.NotContains(t, item, "K", "but IfSet takes it for unset")
	assert.Equal(t, &sL{Value: []types.AttributeValue{}}, item["Parts"])
	assert.NotContains(t, item, "Counts")
	assert.Equal(t, num("0"), item["Until"])
	assert.Equal(t, num("0"), item["M"], "a price of 0 USD is a price")
	assert.Equal(t, str("USD"), item["Currency"])
	assert.Equal(t, &sM{Value: dynastay.Item{"Inner": &sL{Value: []types.AttributeValue{}}}}, item["Nested"])
	assert.Equal(t, num("10"), item["R"])
	assert.Equal(t, num("9.2"), item["Q"])
	assert.Equal(t, str("2024-11-18T14:20:00Z"), item["At"], "UTC, cut to milliseconds")
}

func TestDeclareWritesTheDocumentedForms(t *testing.T) {
	item, err := allCodec.Encode(&all{
		D: dynastay.MustDate("2025-01-15"), At: time.Date(2024, 11, 18, 14, 20, 0, 50e6, time.UTC), Until: time.Date(2025, 1, 1, 0, 0, 0, 5, time.UTC),
		M: dynastay.MustMoney("250.00", "USD"), N: dynastay.MustMoney("0.10", "USD"), F: 40.7589, G: 1e-7, Counts: map[string]int{"2025-01-15": 3},
		Parts: []part{{Name: "a", Count: 1}},
	})
	require.NoError(t, err)
	for name, want := range (dynastay.Item{
		"D": str("2025-01-15"), "At": str("2024-11-18T14:20:00.050Z"), "Until": num("1735689600"), "M": num("250"), "N": num("0.1"),
		"Currency": str("USD"), "F": num("40.7589"), "G": num("0.0000001"), "Counts": &sM{Value: dynastay.Item{"2025-01-15": num("3")}},
		"Parts": &sL{Value: []types.AttributeValue{&sM{Value: dynastay.Item{"Name": str("a"), "Count": num("1")}}}},
	}) {
		assert.Equal(t, want, item[name], name)
	}
}

func TestDeclareReadsWhatOthersStore(t *testing.T) {
	var a all
	require.NoError(t, allCodec.Decode(dynastay.RowOf(dynastay.Item{
		"At": str("2024-11-18T16:20:00.123456+02:00"), "R": num("9.25"), "Q": num("8.349999"), "M": num("2.5E+2"), "Currency": str("USD"),
		"EntityType": num("1"), "Unknown": str("x"), "D": str(""), "S": str(""),
	}), &a))
	assert.Equal(t, "2024-11-18T14:20:00.123456Z", a.At.Format(time.RFC3339Nano))
	assert.Equal(t, dynastay.Rating(93), a.R, "an average with more digits is rounded half up")
	assert.Equal(t, dynastay.Rating(83), a.Q)
	assert.True(t, a.M == dynastay.MustMoney("250", "USD"))
	assert.True(t, a.D.IsZero())

	// An amount whose currency is missing is read, and comes back the same.
	require.NoError(t, allCodec.Decode(dynastay.RowOf(dynastay.Item{"M": num("2.50")}), &a))
	assert.False(t, a.M.IsSet())
	item, err := allCodec.Encode(&a)
	require.NoError(t, err)
	assert.Equal(t, num("2.5"), item["M"])
	assert.NotContains(t, item, "Currency")
}

func TestDeclareRefusesWrongTypesWithThePath(t *testing.T) {
	wrong := func(v types.AttributeValue) types.AttributeValue {
		if _, ok := v.(*sBOOL); ok {
			return num("1")
		}
		return &sBOOL{Value: true}
	}
	right, err := allCodec.Encode(&all{
		S: "s", T: "t", I: 1, J: 1, F: 1, G: 1, B: true, C: true, D: dynastay.MustDate("2025-01-15"), At: time.Unix(1, 0), Until: time.Unix(1, 0), R: 1, Q: 1,
		M: dynastay.MustMoney("1", "USD"), N: dynastay.MustMoney("1", "USD"), Fee: dynastay.MustMoney("1", "KWD"), Currency: "KWD", Custom: []byte("c"),
		L: []string{"l"}, K: []string{"k"}, Nested: part{Name: "n"}, Parts: []part{{Name: "p"}}, Counts: map[string]int{"2025-01-15": 1},
		Prices: map[string]dynastay.Money{"2025-01-16": dynastay.MustMoney("1", "KWD")}, ByID: map[string]part{"room_1": {Count: 1}},
	})
	require.NoError(t, err)
	require.Len(t, right, len(storedNames)+1)
	for _, name := range storedNames {
		item := cloneItem(right)
		item[name] = wrong(item[name])
		corrupt(t, allCodec.Decode(dynastay.RowOf(item), new(all)), name)
	}
	list := func(v ...types.AttributeValue) types.AttributeValue { return &sL{Value: v} }
	m := func(name string, v types.AttributeValue) types.AttributeValue {
		return &sM{Value: dynastay.Item{name: v}}
	}
	for _, c := range []struct {
		name string
		v    types.AttributeValue
		path string
		says string
	}{
		{"L", list(str("a"), num("1")), "L[1]", "got a number"},
		{"L", list(&sNULL{}), "L[0]", "NULL"},
		{"L", &sSS{Value: []string{"a"}}, "L", "a set of texts"},
		{"Parts", list(m("Name", str("a")), m("Name", num("1"))), "Parts[1].Name", "got a number"},
		{"Parts", list(m("Inner", list(str("a"), num("1")))), "Parts[0].Inner[1]", "got a number"},
		{"Parts", list(str("a")), "Parts[0]", "got text"},
		{"Nested", m("Inner", str("a")), "Nested.Inner", "got text"},
		{"Counts", m("2025-01-15", str("a")), "Counts.2025-01-15", "got text"},
		{"ByID", m("room_1", m("Count", str("1"))), "ByID.room_1.Count", "got text"},
		{"Prices", m("2025-01-15", num("x")), "Prices.2025-01-15", "a decimal number"},
		{"I", num("1.5"), "I", "1.5"}, {"I", num("99999999999999999999"), "I", "range"},
		{"F", num("x"), "F", "x"}, {"F", num("NaN"), "F", ""}, {"F", num("Inf"), "F", ""}, {"F", num("1e999"), "F", "range"},
		{"D", str("2025-02-30"), "D", "2025-02-30"}, {"At", str("yesterday"), "At", "yesterday"}, {"Until", num("1.5"), "Until", "1.5"},
		{"R", num("10.1"), "R", "10.1"}, {"R", num("-1"), "R", "-1"}, {"R", num("NaN"), "R", "NaN"},
		{"M", num("1234567890123456789"), "M", "at most 18"}, {"M", num("1e-30"), "M", "at most"},
		{"Currency", num("1"), "Currency", "got a number"},
	} {
		item := cloneItem(right)
		item[c.name] = c.v
		err := allCodec.Decode(dynastay.RowOf(item), new(all))
		corrupt(t, err, c.path)
		assert.ErrorContains(t, err, c.says, c.path)
		assert.NotContains(t, err.Error(), "<nil>", c.path)
	}
}

// corrupt asserts that an error says what is unreadable, and does not match ErrInvalid.
func corrupt(t require.TestingT, err error, path string) {
	e := blame.Named(t, err, path)
	assert.Equal(t, dynastay.ErrCorrupt, e.Kind)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid, path)
}

func TestDeclareNeverPanics(t *testing.T) { rapid.Check(t, decodeAnything) }

func FuzzDecode(f *testing.F) {
	draws := mathrand.New(mathrand.NewPCG(1, 2))
	for _, n := range []int{0, 64, 256, 1024, 4096, 8192} { // what rapid draws an item from
		seed := make([]byte, n)
		for i := range seed {
			seed[i] = byte(draws.UintN(256))
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(decodeAnything))
}

func decodeAnything(t *rapid.T) {
	item := rapid.MapOfN(rapid.SampledFrom(storedNames), draw.Value(3), 0, 4).Draw(t, "item")
	if rapid.Bool().Draw(t, "a deeper one") {
		item["Nested"] = &sM{Value: rapid.MapOfN(rapid.SampledFrom([]string{"Name", "Count", "Inner"}), draw.Value(1), 0, 3).Draw(t, "nested")}
	}
	before := cloneItem(item)
	var a all
	err := allCodec.Decode(dynastay.RowOf(item), &a)
	assert.Equal(t, before, item, "reading leaves the item alone")
	if err != nil {
		e := blame.As[*dynastay.Error](t, err)
		corrupt(t, err, e.Field)
		assert.True(t, slices.ContainsFunc(storedNames, func(name string) bool {
			return e.Field == name || strings.HasPrefix(e.Field, name+".") || strings.HasPrefix(e.Field, name+"[")
		}), e.Field)
		return
	}
	again, err := allCodec.Encode(&a)
	if err != nil { // what is readable can be written, except amounts that other software stored in two currencies
		t.Fatalf("%v cannot be written: %v", item, err)
	}
	var b all
	require.NoError(t, allCodec.Decode(dynastay.RowOf(again), &b))
	assert.Equal(t, normal(a), normal(b))
}

// normal is a in the form that it has after writing: times cut, maps and lists without their empty parts.
func normal(a all) all {
	a.At = a.At.Truncate(time.Millisecond)
	if len(a.K) == 0 {
		a.K = nil
	}
	for _, m := range []*dynastay.Money{&a.M, &a.N, &a.Fee} {
		*m, _ = dynastay.MoneyOfDigits(m.Digits(), "")
	}
	a.Currency = ""
	a.Prices, a.ByID = nil, nil
	return a
}

func TestDeclareRefusesMixedCurrencies(t *testing.T) {
	usd, eur := dynastay.MustMoney("1", "USD"), dynastay.MustMoney("1", "EUR")
	for _, a := range []all{{M: usd, N: eur}, {Fee: eur, Currency: "USD"}, {Fee: eur}} {
		_, err := allCodec.Encode(&a)
		invalid := blame.As[*dynastay.InvalidError](t, err)
		assert.Contains(t, []string{"N", "Fee"}, invalid.Field)
		assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
	}
	_, err := allCodec.Encode(&all{Currency: "USD", Prices: map[string]dynastay.Money{"2025-01-15": eur}})
	assert.ErrorContains(t, err, "invalid Prices.2025-01-15: must be in USD, got EUR")
}

func TestDeclareRefusesWhatCannotBeReadAgain(t *testing.T) {
	for field, a := range map[string]all{
		"F": {F: math.NaN()}, "G": {G: math.Inf(-1)}, "R": {R: 101}, "Q": {Q: -1},
		"At": {At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		_, err := allCodec.Encode(&a)
		blame.Invalid(t, err, field)
	}
}

func TestFirstFailureSticks(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	codec := Declare(func(f *Fields, _ *struct{}) {
		f.Fail("None", nil)
		f.Map("Outer", func(f *Fields) { f.Fail("A", first) })
		f.Fail("B", second)
		List(f, "C", &[]int{1}, func(f *Fields, _ *int) { f.Fail("D", second) })
	})
	_, err := codec.Encode(new(struct{}))
	assert.Same(t, first, err, "an error of the caller's own passes as it is")
	err = codec.Decode(dynastay.RowOf(dynastay.Item{}), new(struct{}))
	corrupt(t, err, "Outer.A")
	assert.ErrorIs(t, err, first)

	codec = Declare(func(f *Fields, _ *struct{}) {
		f.Map("Outer", func(f *Fields) { f.Fail("A", dynastay.Invalid("[1]", "is odd")) })
	})
	_, err = codec.Encode(new(struct{}))
	assert.ErrorContains(t, err, "invalid Outer.A")
}

// Encode reads only: one entity may be written by several goroutines at once. The race detector watches.
func TestEncodeLeavesTheEntityAlone(t *testing.T) {
	a := all{
		Counts: map[string]int{"a": 1, "b": 2}, ByID: map[string]part{"r": {Count: 1}}, Parts: []part{{Name: "p"}}, L: []string{"l"},
		Prices: map[string]dynastay.Money{"a": dynastay.MustMoney("1", "KWD")}, Currency: "KWD",
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				item, err := allCodec.Encode(&a)
				if err != nil || len(item["Counts"].(*sM).Value) != 2 {
					t.Error(item, err)
				}
			}
		})
	}
	group.Wait()
	keys := slices.Sorted(maps.Keys(a.Counts))
	assert.Equal(t, []string{"a", "b"}, keys)
}

func TestTagged(t *testing.T) {
	type tag struct {
		Name   string `dynamodbav:"name"`
		Count  int
		Day    dynastay.Date
		Due    dynastay.Date `dynamodbav:",omitempty"`
		Price  dynastay.Money
		Fee    dynastay.Money
		Ignore string `dynamodbav:"-"`
	}
	codec := Tagged[tag]()
	in := tag{Name: "a", Count: 2, Day: dynastay.MustDate("2025-01-15"), Price: dynastay.MustMoney("0.10", "USD"), Ignore: "x"}
	item, err := codec.Encode(&in)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{
		"name": str("a"), "Count": num("2"), "Day": str("2025-01-15"), "Due": &sNULL{Value: true},
		"Price": str("0.10 USD"), "Fee": &sNULL{Value: true},
	}, item)
	out := tag{Fee: dynastay.MustMoney("1", "EUR"), Due: dynastay.MustDate("2025-01-15")}
	require.NoError(t, codec.Decode(dynastay.RowOf(item), &out))
	in.Ignore = ""
	assert.Equal(t, in, out)

	assert.Error(t, codec.Decode(dynastay.RowOf(dynastay.Item{"Count": str("a")}), new(tag)))
	assert.Error(t, codec.Decode(dynastay.RowOf(dynastay.Item{"Day": str("2025-02-30")}), new(tag)))
	assert.Error(t, codec.Decode(dynastay.RowOf(dynastay.Item{"Day": num("1")}), new(tag)))
	assert.Error(t, codec.Decode(dynastay.RowOf(dynastay.Item{"Price": num("1")}), new(tag)))
	assert.Error(t, codec.Decode(dynastay.RowOf(dynastay.Item{"Price": str("1")}), new(tag)))
}
