package ical_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	modified := time.Date(2026, 11, 23, 10, 15, 29, 999, time.FixedZone("", 3600))
	var got bytes.Buffer
	require.NoError(t, ical.Write(&got, "House by the sea, Liguria", []ical.Event{
		{UID: "b@example.org", Stay: dynastay.MustStay("2027-01-20", "2027-01-21"), Modified: modified},
		{UID: "c@example.org", Stay: dynastay.MustStay("2027-01-10", "2027-01-13"), Modified: modified.Add(time.Hour)},
		{UID: "a@example.org", Stay: dynastay.MustStay("2027-01-20", "2027-01-22"), Modified: modified},
	}))
	event := func(uid, stamp, in, out string) string {
		return "BEGIN:VEVENT\r\nUID:" + uid + "\r\nDTSTAMP:" + stamp + "\r\nLAST-MODIFIED:" + stamp +
			"\r\nDTSTART;VALUE=DATE:" + in + "\r\nDTEND;VALUE=DATE:" + out +
			"\r\nSUMMARY:Not available\r\nTRANSP:OPAQUE\r\nEND:VEVENT\r\n"
	}
	assert.Equal(t, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//dynastay//availability of a listing//EN\r\n"+
		"CALSCALE:GREGORIAN\r\nX-WR-CALNAME:House by the sea\\, Liguria\r\n"+
		event("c@example.org", "20261123T101529Z", "20270110", "20270113")+
		event("a@example.org", "20261123T091529Z", "20270120", "20270122")+
		event("b@example.org", "20261123T091529Z", "20270120", "20270121")+
		"END:VCALENDAR\r\n", got.String())
}

func TestWriteWithoutEventsAndName(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	require.NoError(t, ical.Write(&got, "", nil))
	assert.Equal(t, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//dynastay//availability of a listing//EN\r\n"+
		"CALSCALE:GREGORIAN\r\nEND:VCALENDAR\r\n", got.String())
	assert.Equal(t, &ical.Calendar{}, read(t, got.String(), nil))
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	valid := ical.Event{UID: "b", Stay: dynastay.MustStay("2027-01-01", "2029-01-02"), Modified: time.Unix(0, 0)}
	require.NoError(t, valid.Validate())
	valid.UID = strings.Repeat("é", 127) + "x"
	require.NoError(t, valid.Validate())
	for name, test := range map[string]struct {
		change func(*ical.Event)
		field  string
	}{
		"no UID":              {func(e *ical.Event) { e.UID = "" }, "UID"},
		"UID of 256 bytes":    {func(e *ical.Event) { e.UID = strings.Repeat("é", 128) }, "UID"},
		"UID of two lines":    {func(e *ical.Event) { e.UID = "a\nb" }, "UID"},
		"UID with CR":         {func(e *ical.Event) { e.UID = "a\rb" }, "UID"},
		"UID with a space":    {func(e *ical.Event) { e.UID = "a " }, "UID"},
		"UID is not UTF-8":    {func(e *ical.Event) { e.UID = "\xff" }, "UID"},
		"same UID":            {func(e *ical.Event) { e.UID = "a" }, "UID"},
		"no stay":             {func(e *ical.Event) { e.Stay = dynastay.Stay{} }, "Stay.CheckIn"},
		"no night":            {func(e *ical.Event) { e.Stay.CheckOut = e.Stay.CheckIn }, "Stay.CheckOut"},
		"no time":             {func(e *ical.Event) { e.Modified = time.Time{} }, "Modified"},
		"time in year 10000":  {func(e *ical.Event) { e.Modified = time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -3600)) }, "Modified"},
		"time before year 1":  {func(e *ical.Event) { e.Modified = time.Date(1, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)) }, "Modified"},
		"UID is only a space": {func(e *ical.Event) { e.UID = " " }, "UID"},
	} {
		e := valid
		test.change(&e)
		var got bytes.Buffer
		err := ical.Write(&got, "", []ical.Event{{UID: "a", Stay: valid.Stay, Modified: valid.Modified}, e})
		blame.Invalid(t, err, "Events[1]."+test.field, name)
		assert.Empty(t, got.Bytes(), name)
	}
	for _, name := range []string{"a\nb", strings.Repeat("a", 256)} {
		blame.Invalid(t, ical.Write(io.Discard, name, nil), "Name")
	}
}

func TestLimitsOfWrite(t *testing.T) {
	t.Parallel()
	events := func(n, length int) (all []ical.Event) {
		for i := range n {
			uid := strconv.Itoa(i)
			all = append(all, ical.Event{
				UID:      strings.Repeat("x", length-len(uid)) + uid,
				Stay:     dynastay.MustStay("2027-01-10", "2027-01-11"),
				Modified: time.Unix(0, 0),
			})
		}
		return all
	}
	var got bytes.Buffer
	require.NoError(t, ical.Write(&got, "", events(ical.MaxEntries, 10)))
	assert.Len(t, read(t, got.String(), nil).Entries, ical.MaxEntries)
	assert.ErrorContains(t, ical.Write(io.Discard, "", events(ical.MaxEntries+1, 10)), "invalid Events: must be at most 10000, got 10001")

	// The longest calendar that can be written can be read.
	size := func(n int) int {
		var text bytes.Buffer
		require.NoError(t, ical.Write(&text, "", events(n, 250)))
		return text.Len()
	}
	most := (ical.MaxBytes - size(0)) / (size(2) - size(1))
	require.Less(t, most, ical.MaxEntries)
	got.Reset()
	require.NoError(t, ical.Write(&got, "", events(most, 250)))
	assert.Len(t, read(t, got.String(), nil).Entries, most)
	assert.ErrorContains(t, ical.Write(io.Discard, "", events(most+1, 250)), "invalid Events: must be at most 4194304 bytes")
}

func TestErrorsOfTheWriter(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	r, w := io.Pipe()
	require.NoError(t, r.CloseWithError(broken))
	assert.ErrorIs(t, ical.Write(w, "", nil), broken)
}

func TestWrittenEventsAreReadAgain(t *testing.T) {
	t.Parallel()
	folded := regexp.MustCompile(`\r\n[ \t]`)
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfNDistinct(drawEvent(), 0, 12, func(e ical.Event) string { return e.UID }).Draw(t, "events")
		name := drawText().Draw(t, "name")
		var first, second bytes.Buffer
		require.NoError(t, ical.Write(&first, name, events))
		slices.Reverse(events)
		require.NoError(t, ical.Write(&second, name, events))
		require.Equal(t, first.String(), second.String())

		text := first.String()
		require.True(t, utf8.ValidString(text))
		for line := range strings.SplitAfterSeq(text, "\r\n") {
			require.LessOrEqual(t, len(strings.TrimSuffix(line, "\r\n")), 75)
			require.True(t, utf8.ValidString(line))
			require.NotContains(t, strings.TrimSuffix(line, "\r\n"), "\n")
		}
		if name != "" {
			escaped := strings.NewReplacer(`\`, `\\`, ",", `\,`, ";", `\;`).Replace(name)
			require.Contains(t, folded.ReplaceAllString(text, ""), "X-WR-CALNAME:"+escaped+"\r\n")
		}

		zone := rapid.SampledFrom([]*time.Location{nil, rome, zone("Pacific/Kiritimati"), zone("Pacific/Pago_Pago")}).Draw(t, "zone")
		got, err := ical.Read(strings.NewReader(text), zone)
		require.NoError(t, err)
		require.Empty(t, got.Free)
		require.Empty(t, got.Problems)
		require.Len(t, got.Entries, len(events))
		for _, e := range events {
			require.Contains(t, got.Entries, ical.Entry{
				UID: e.UID, Stay: e.Stay, Summary: "Not available", Modified: e.Modified.UTC().Truncate(time.Second),
			})
		}
	})
}

func drawText() *rapid.Generator[string] {
	return rapid.StringMatching(`([a-z@#,;:\\"é家 ]{0,100}[a-z,;:\\"é家])?`).Filter(func(s string) bool {
		return len(s) <= ical.MaxText && strings.TrimSpace(s) == s
	})
}

func drawEvent() *rapid.Generator[ical.Event] {
	return rapid.Custom(func(t *rapid.T) ical.Event {
		in := dynastay.MustDate("0001-01-01").AddDays(rapid.IntRange(0, 3652058-800).Draw(t, "check-in"))
		return ical.Event{
			UID:      drawText().Filter(func(s string) bool { return s != "" }).Draw(t, "UID"),
			Stay:     dynastay.Stay{CheckIn: in, CheckOut: in.AddDays(rapid.IntRange(1, 800).Draw(t, "nights"))},
			Modified: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "modified"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")),
		}
	})
}
