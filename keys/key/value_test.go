package key_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

// single is a key of any one value.
type single struct{ value key.Value }

func (k *single) Form(f *key.Form) { f.PK("=", k.value) }

// took gives the text of one kind of value.
type took func() (text string, err error)

func take[T any](of func(string, *T) key.Value, v T) took {
	return func() (string, error) { return key.Partition(single{of("Field", &v)}) }
}

func TestWhatValuesTake(t *testing.T) {
	id := func(s string) took { return take(key.ID, s) }
	text := func(s string) took { return take(key.Text, s) }
	folded := func(s string) took { return take(key.Folded, s) }
	word := func(s string) took { return take(key.Word, s) }
	shard := func(n int) took { return take(key.Shard, n) }
	instant := func(at time.Time) took { return take(key.Instant, at) }
	millis := func(at time.Time) took { return take(key.Millis, at) }
	rating := func(r dynastay.Rating) took { return take(key.Rating, r) }
	price := func(p key.Thousandths) took { return take(key.Price, p) }
	cell := func(s string) took { return take(key.Cell, s) }
	digits := func(n int64, width int) took {
		return take(func(name string, p *int64) key.Value { return key.Digits(name, p, width) }, n)
	}
	whole := func(n, least, most int) took {
		return take(func(name string, p *int) key.Value { return key.Whole(name, p, least, most) }, n)
	}
	geohash := func(s string, characters int) took {
		return take(func(name string, p *string) key.Value { return key.Geohash(name, p, characters) }, s)
	}
	custom := func(text string, err error) took {
		encode := func() (string, error) { return text, err }
		return func() (string, error) { return key.Partition(single{key.Custom("Field", encode, nil)}) }
	}
	refused := func(reason string) string { return "invalid Field: " + reason }

	for name, test := range map[string]struct {
		took took
		want string
	}{
		"id of 128 bytes":                {id(strings.Repeat("x", 128)), "=" + strings.Repeat("x", 128)},
		"id of 129 bytes":                {id(strings.Repeat("x", 129)), refused("must be at most 128 bytes")},
		"id with a percent sign":         {id("a%23b"), "=a%23b"},
		"no id":                          {id(""), refused("is required")},
		"id with #":                      {id("a#b"), refused("must not contain '#'")},
		"id with a control character":    {id("a\u0085"), refused("must not contain control characters")},
		"id in invalid UTF-8":            {id("a\xff"), refused("must be valid UTF-8")},
		"text":                           {text(" 100% #1 e\u0301\t"), "=100%25 %231 \u00e9"},
		"text of 256 bytes":              {text(strings.Repeat("x", 256)), "=" + strings.Repeat("x", 256)},
		"text of 257 bytes":              {text(strings.Repeat("x", 257)), refused("must be at most 256 bytes after trimming and percent-escaping")},
		"text of 258 bytes escaped":      {text(strings.Repeat("#", 86)), refused("must be at most 256 bytes after trimming and percent-escaping")},
		"text of white space":            {text(" \u00a0\t"), refused("is required")},
		"text in invalid UTF-8":          {text("a\xff"), refused("must be valid UTF-8")},
		"folded":                         {folded(" Zürich, #1"), "=zurich1"},
		"folded of 256 bytes":            {folded(strings.Repeat("Ú", 256)), "=" + strings.Repeat("u", 256)},
		"folded of 257 bytes":            {folded(strings.Repeat("æ", 128) + "a"), refused("must be at most 256 bytes without accents, spaces and punctuation")},
		"folded from 1024 bytes":         {folded("a" + strings.Repeat(" ", 1023)), "=a"},
		"folded from 1025 bytes":         {folded("a" + strings.Repeat(" ", 1024)), refused("must be at most 1024 bytes")},
		"folded to nothing":              {folded("#"), refused("must contain a letter or a digit")},
		"word":                           {word("checked_in-2"), "=checked_in-2"},
		"no word":                        {word(""), refused("is required")},
		"word of 64 bytes":               {word(strings.Repeat("x", 64)), "=" + strings.Repeat("x", 64)},
		"word of 65 bytes":               {word(strings.Repeat("x", 65)), refused("must be at most 64 bytes")},
		"word in upper case":             {word("Pending"), refused("must contain only lower-case letters, digits, '_' and '-'")},
		"words":                          {word("checked in"), refused("must contain only lower-case letters, digits, '_' and '-'")},
		"word with #":                    {word("pending#"), refused("must contain only lower-case letters, digits, '_' and '-'")},
		"shard 0":                        {shard(0), "="},
		"shard 1":                        {shard(1), "=#SHARD#1"},
		"shard -1":                       {shard(-1), refused("must not be negative")},
		"zero time":                      {instant(time.Time{}), refused("is required")},
		"zero time and a little":         {instant(time.Time{}.Add(time.Second - 1)), refused("is required")},
		"first instant":                  {instant(time.Time{}.Add(time.Second)), "=0001-01-01T00:00:01Z"},
		"last instant":                   {instant(time.Date(9999, 12, 31, 23, 59, 59, 999, time.UTC)), "=9999-12-31T23:59:59Z"},
		"year 10000":                     {instant(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), refused("must be in a year between 1 and 9999")},
		"year 10000 in UTC":              {instant(time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -1))), refused("must be in a year between 1 and 9999")},
		"year 0":                         {instant(time.Date(0, 11, 10, 9, 15, 0, 0, time.UTC)), refused("must be in a year between 1 and 9999")},
		"zero time in milliseconds":      {millis(time.Time{}), refused("is required")},
		"before 1970":                    {millis(time.UnixMilli(-1)), refused("must be within the years 1970 to 2286")},
		"first millisecond":              {millis(time.UnixMilli(0)), "=0000000000000"},
		"part of a millisecond":          {millis(time.UnixMilli(1731230100250).Add(time.Millisecond - 1)), "=1731230100250"},
		"last millisecond":               {millis(time.UnixMilli(9_999_999_999_999)), "=9999999999999"},
		"after 2286":                     {millis(time.UnixMilli(10_000_000_000_000)), refused("must be within the years 1970 to 2286")},
		"instant in Tokyo":               {instant(time.Date(2024, 11, 10, 18, 15, 0, 999_999_999, time.FixedZone("", 9*60*60))), "=2024-11-10T09:15:00Z"},
		"date":                           {take(key.Date, dynastay.MustDate("2025-01-15")), "=2025-01-15"},
		"no date":                        {take(key.Date, dynastay.Date{}), refused("is required")},
		"rating 9.2":                     {rating(92), "=09.2"},
		"rating 10.0":                    {rating(100), "=10.0"},
		"rating 10.1":                    {rating(101), refused("must be between 0.0 and 10.0, got 10.1")},
		"rating -0.1":                    {rating(-1), refused("must be between 0.0 and 10.0, got -0.1")},
		"price":                          {price(150_500), "=000000000150.500"},
		"highest price":                  {price(999_999_999_999_999), "=999999999999.999"},
		"price above":                    {price(1_000_000_000_000_000), refused("must have at most 12 digits before the decimal point")},
		"negative price":                 {price(-1), refused("must not be negative")},
		"digits":                         {digits(95, 10), "=0000000095"},
		"most of 10 digits":              {digits(9_999_999_999, 10), "=9999999999"},
		"11 digits":                      {digits(10_000_000_000, 10), refused("must have at most 10 digits")},
		"most of 19 digits":              {digits(1<<63-1, 19), "=9223372036854775807"},
		"1 digit":                        {digits(9, 1), "=9"},
		"negative digits":                {digits(-1, 10), refused("must not be negative")},
		"least":                          {whole(1, 1, 5), "=1"},
		"below":                          {whole(0, 1, 5), refused("must be between 1 and 5")},
		"most":                           {whole(5, 1, 5), "=5"},
		"above":                          {whole(6, 1, 5), refused("must be between 1 and 5")},
		"in as many digits as the most":  {whole(7, 0, 120), "=007"},
		"the only number":                {whole(7, 7, 7), "=7"},
		"6 characters of geohash":        {geohash("dr5reg", 6), "=dr5reg"},
		"5 characters of geohash":        {geohash("dr5re", 6), refused("must be a geohash of 6 characters")},
		"7 characters of geohash":        {geohash("dr5regw", 6), refused("must be a geohash of 6 characters")},
		"no geohash":                     {geohash("dr5rea", 6), refused("must be a geohash of 6 characters")},
		"geohash in upper case":          {geohash("DR5REG", 6), refused("must be a geohash of 6 characters")},
		"1 character":                    {geohash("d", 1), "=d"},
		"12 characters":                  {geohash("dr5regw3pdr5", 12), "=dr5regw3pdr5"},
		"cell":                           {cell("dr5"), "=dr5"},
		"pole's cell":                    {cell("SOUTH"), "=SOUTH"},
		"other pole's cell":              {cell("NORTH"), "=NORTH"},
		"no cell":                        {cell("EAST"), refused("must be a geohash of 3 characters")},
		"currency":                       {take(key.Currency, dynastay.Currency("USD")), "=USD"},
		"no currency":                    {take(key.Currency, dynastay.Currency("XXX")), refused(`must be an active ISO 4217 currency code in upper case, got "XXX"`)},
		"custom":                         {custom("a b", nil), "=a b"},
		"custom without text":            {custom("", nil), refused("is required")},
		"custom with #":                  {custom("a#", nil), refused("must not contain '#'")},
		"custom with a control":          {custom("a\n", nil), refused("must not contain control characters")},
		"custom in invalid UTF-8":        {custom("a\xff", nil), refused("must be valid UTF-8")},
		"custom that refuses":            {custom("a", errors.New("is not ours")), refused("is not ours")},
		"custom that names another one":  {custom("a", dynastay.Invalid("Other", "is not ours")), refused("is not ours")},
		"custom longer than any text is": {custom(strings.Repeat("x", 257), nil), "=" + strings.Repeat("x", 257)},
	} {
		got, err := test.took()
		if err != nil {
			assert.ErrorIs(t, err, dynastay.ErrInvalid, name)
			assert.Empty(t, got, name)
			got = err.Error()
		}
		assert.Equal(t, test.want, got, name)
	}
}

// everything has one value of each kind that is in order, behind a value of each other kind.
type everything struct {
	ID, Text, Folded, Email, Word, Geohash, Cell, Colour string
	Currency                                             dynastay.Currency
	Shard                                                int
	Date                                                 dynastay.Date
	Instant, Millis                                      time.Time
	Rating                                               dynastay.Rating
	Price                                                key.Thousandths
	Digits                                               int64
	Whole                                                int
}

func (k *everything) Form(f *key.Form) {
	f.PK(
		"ID#", key.ID("ID", &k.ID),
		"#", key.Text("Text", &k.Text),
		"#", key.Folded("Folded", &k.Folded),
		"#", key.Email("Email", &k.Email),
		"#", key.Word("Word", &k.Word),
		"#", key.Geohash("Geohash", &k.Geohash, 6),
		"#", key.Cell("Cell", &k.Cell),
		"#", key.Custom("Colour", k.encode, k.decode),
		"#", key.Currency("Currency", &k.Currency),
		key.Shard("Shard", &k.Shard),
	)
	f.SK(
		key.Date("Date", &k.Date),
		"#", key.Instant("Instant", &k.Instant),
		"#", key.Millis("Millis", &k.Millis),
		"#", key.Rating("Rating", &k.Rating),
		"#", key.Price("Price", &k.Price),
		"#", key.Digits("Digits", &k.Digits, 5),
		"#", key.Whole("Whole", &k.Whole, 2, 12),
	)
}

var colours = map[string]string{"red": "1", "green": "2"}

func (k *everything) encode() (string, error) {
	if text, ok := colours[k.Colour]; ok {
		return text, nil
	}
	return "", errors.New("is not a colour")
}

func (k *everything) decode(text string) error {
	for colour, t := range colours {
		if t == text {
			k.Colour = colour
			return nil
		}
	}
	return errors.New("is not a colour's number")
}

var sample = everything{
	"id_1", "100% #1", "grandhotel1", "john@example.com", "on", "dr5reg", "dr5", "red", "USD", 3,
	dynastay.MustDate("2025-01-15"), time.Date(2024, 11, 10, 9, 15, 0, 0, time.UTC), time.UnixMilli(1731230100250).UTC(), 92, 150_000, 95, 7,
}

func TestEveryKindKeepsTheGuarantees(t *testing.T) {
	stored, err := key.Of(sample)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Key{
		PK: "ID#id_1#100%25 %231#grandhotel1#john@example.com#on#dr5reg#dr5#1#USD#SHARD#3",
		SK: "2025-01-15#2024-11-10T09:15:00Z#1731230100250#09.2#000000000150.000#00095#07",
	}, stored)

	green := sample
	green.Colour = "green"
	keytest.Check(t, keytest.Samples(sample, green), keytest.Samples(Visit{"guest_1", sample.Date, "visit_1"}))
}

func FuzzParse(f *testing.F) {
	keytest.Fuzz(f, []keytest.Type{keytest.Samples(sample), keytest.Samples(Visit{"guest_1", sample.Date, "visit_1"})})
}

// ordered sorts by its value alone.
type ordered struct{ value key.Value }

func (k *ordered) Form(f *key.Form) {
	f.PK("=")
	f.SK("=", k.value, "#")
}

// Text sorts as the values do.
func TestValuesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ascend := func(name string, values *rapid.Generator[int64], of func(n int64) key.Value) {
			a, b := values.Draw(t, name+" a"), values.Draw(t, name+" b")
			if a != b {
				keytest.InOrder(t, ordered{of(min(a, b))}, ordered{of(max(a, b))})
			}
		}
		ascend("rating", rapid.Int64Range(0, 100), func(n int64) key.Value {
			r := dynastay.Rating(n)
			return key.Rating("", &r)
		})
		ascend("price", rapid.Int64Range(0, 999_999_999_999_999), func(n int64) key.Value {
			p := key.Thousandths(n)
			return key.Price("", &p)
		})
		ascend("digits", rapid.Int64Range(0, 9_999_999), func(n int64) key.Value { return key.Digits("", &n, 7) })
		ascend("whole", rapid.Int64Range(0, 1000), func(n int64) key.Value {
			i := int(n)
			return key.Whole("", &i, 0, 1000)
		})
		ascend("date", rapid.Int64Range(0, 3652058), func(n int64) key.Value {
			d := dynastay.MustDate("0001-01-01").AddDays(int(n))
			return key.Date("", &d)
		})
		ascend("instant", rapid.Int64Range(-62135596800+1, 253402300799), func(n int64) key.Value {
			at := time.Unix(n, 0)
			return key.Instant("", &at)
		})
		ascend("millis", rapid.Int64Range(0, 9_999_999_999_999), func(n int64) key.Value {
			at := time.UnixMilli(n)
			return key.Millis("", &at)
		})
	})
}
