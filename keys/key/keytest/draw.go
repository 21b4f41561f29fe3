package keytest

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
)

// draw generates a value for a field, which may be invalid in a key: the value of a sample, or any value of the field's
// type.
func (y Type) draw(t *rapid.T, f reflect.StructField, texts []string) reflect.Value {
	sample := reflect.ValueOf(rapid.SampledFrom(y.samples).Draw(t, f.Name+" of")).FieldByIndex(f.Index)
	var v any
	switch {
	case f.Type == reflect.TypeFor[time.Time]():
		seconds := rapid.Int64Range(-62135596800-10, 253402300799+10).Draw(t, f.Name)
		zone := time.FixedZone("", 60*rapid.IntRange(-720, 840).Draw(t, f.Name+" zone"))
		v = time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, f.Name+" nanoseconds")).In(zone)
	case f.Type == reflect.TypeFor[dynastay.Date]():
		v = dynastay.MustDate("0001-01-01").AddDays(rapid.IntRange(0, 3652058).Draw(t, f.Name))
	case f.Type == reflect.TypeFor[dynastay.Currency]():
		v = rapid.OneOf(rapid.SampledFrom([]string{"USD", "EUR", "JPY", "KWD"}), hostile(texts)).Draw(t, f.Name)
	case f.Type.Kind() == reflect.String:
		v = rapid.OneOf(hostile(texts), near(sample.String())).Draw(t, f.Name)
	case f.Type.ConvertibleTo(reflect.TypeFor[int64]()):
		n := sample.Convert(reflect.TypeFor[int64]()).Int()
		v = rapid.OneOf(
			rapid.Int64Range(-1, 12),
			rapid.Map(rapid.Int64Range(-2, 2), func(by int64) int64 { return n + by }),
			rapid.Int64Range(-1, 1_000_000_000_000_000),
			rapid.Int64(),
		).Draw(t, f.Name)
	default:
		return sample
	}
	return reflect.ValueOf(v).Convert(f.Type)
}

// hostile generates strings from the characters and texts that keys consist of.
func hostile(texts []string) *rapid.Generator[string] {
	fragments := rapid.OneOf(rapid.SampledFrom([]string{
		"a", "b", "a@b", "A@b", "p1", "p10", "0", "1", "2", "3", "5", "A", "F", "K", "@", ".", " ", "#", "%", "%23", "%2",
		"\x00", "\n", "\u0085", "\u00a0", "é", "e\u0301", "\u0301", "\u0331", "\u212a", "日", "\xff", "#SHARD#1", "09.2",
		"2025-01-15", "NORTH",
	}), rapid.SampledFrom(texts))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(fragments, 0, 4).Draw(t, "fragments"), "")
	})
}

// near generates strings that differ from text in up to two letters or digits.
func near(text string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		b := []byte(text)
		for range rapid.IntRange(0, min(2, len(b))).Draw(t, "changes") {
			i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
			b[i] = rapid.SampledFrom([]byte("0123456789abcdefghjkmnpqrstuvwxyz_-")).Draw(t, "other")
		}
		return string(b)
	})
}

// alter returns text with something replaced, removed, inserted, or spelled differently.
func alter(t *rapid.T, text string, texts []string) string {
	from := rapid.IntRange(0, len(text)).Draw(t, "from")
	to := rapid.IntRange(from, min(len(text), from+3)).Draw(t, "to")
	write := rapid.SampledFrom([]func(string) string{
		func(string) string { return hostile(texts).Draw(t, "instead") },
		strings.ToUpper,
		strings.ToLower,
		func(s string) (escaped string) {
			for _, c := range []byte(s) {
				escaped += fmt.Sprintf("%%%02X", c)
			}
			return escaped
		},
	}).Draw(t, "how")
	return text[:from] + write(text[from:to]) + text[to:]
}
