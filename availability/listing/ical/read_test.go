package ical_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestIncompleteCalendars(t *testing.T) {
	t.Parallel()
	const missing, outside = "BEGIN:VCALENDAR is missing", "there is a line outside BEGIN:VCALENDAR and END:VCALENDAR"
	const misplaced, unmatched = "BEGIN:VCALENDAR is not where a calendar begins", "an END does not match its BEGIN"
	for name, test := range map[string]struct{ text, want string }{
		"empty":              {"", missing},
		"BOM":                {"\ufeff", missing},
		"blank":              {"\r\n\r\n", missing},
		"HTML":               {"<!DOCTYPE html>\n<html><body>Too many requests</body></html>", outside},
		"JSON":               {`{"error":"not found"}`, outside},
		"UTF-16":             {"\xff\xfeB\x00E\x00G\x00I\x00N\x00", outside},
		"begin only":         {"BEGIN:VCALENDAR", "END:VCALENDAR is missing"},
		"cut in the end":     {"BEGIN:VCALENDAR\nEND:VCAL", "END:VCALENDAR is missing"},
		"cut before colon":   {"BEGIN:VCALENDAR\nEND", "END:VCALENDAR is missing"},
		"event only":         {"BEGIN:VEVENT\nEND:VEVENT\n", misplaced},
		"begins malformed":   {"BEGIN\nEND:VCALENDAR\n", outside},
		"ends twice":         {"BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR\n", unmatched},
		"text before":        {"VERSION:2.0\nBEGIN:VCALENDAR\nEND:VCALENDAR\n", outside},
		"text after":         {"BEGIN:VCALENDAR\nEND:VCALENDAR\n<!-- 2 ms -->\n", outside},
		"junk before a name": {"<BEGIN:VCALENDAR\nEND:VCALENDAR\n", outside},
		"calendar in it":     {"BEGIN:VCALENDAR\nBEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR\n", misplaced},
		"second one is cut":  {"BEGIN:VCALENDAR\nEND:VCALENDAR\nBEGIN:VCALENDAR\n", "END:VCALENDAR is missing"},
		"old line breaks":    {"BEGIN:VCALENDAR\rEND:VCALENDAR\r", outside},
	} {
		got, err := ical.Read(strings.NewReader(test.text), rome)
		var incomplete *ical.IncompleteError
		if assert.ErrorAs(t, err, &incomplete, name) {
			assert.Equal(t, test.want, incomplete.Reason, name)
			assert.EqualError(t, err, "not a complete calendar: "+test.want, name)
		}
		assert.Nil(t, got, name)
	}
}

func TestCompleteCalendars(t *testing.T) {
	t.Parallel()
	stay := dynastay.MustStay("2027-01-10", "2027-01-11")
	one := &ical.Calendar{Entries: []ical.Entry{{UID: "a", Stay: stay}}}
	const begin, end = "BEGIN:VCALENDAR\n", "END:VCALENDAR\n"
	const a, b = "BEGIN:VEVENT\nUID:a\nDTSTART:20270110\nEND:VEVENT\n", "BEGIN:VEVENT\nUID:b\nDTSTART:20270110\nEND:VEVENT\n"
	for name, test := range map[string]struct {
		text string
		want *ical.Calendar
	}{
		"no events":            {begin + end, &ical.Calendar{}},
		"blank lines":          {"\n\n" + begin + "\r\n" + a + "\n\n" + end + "\n", one},
		"spaces at the end":    {"BEGIN:VCALENDAR \nBEGIN:VEVENT \nUID:a\nDTSTART:20270110\nEND:VEVENT\t\nEND:VCALENDAR\t\n", one},
		"doubled CR":           {strings.ReplaceAll(begin+a+end, "\n", "\r\r\n"), one},
		"two calendars":        {begin + a + end + begin + b + end, &ical.Calendar{Entries: []ical.Entry{{UID: "a", Stay: stay}, {UID: "b", Stay: stay}}}},
		"junk in the calendar": {begin + "junk\n;:\n" + a + end, one},
		"other components":     {begin + "BEGIN:X-OTHER\nUID:x\nBEGIN:VTODO\nEND:VTODO\nEND:X-OTHER\n" + a + end, one},
		"properties of a part": {begin + "BEGIN:VEVENT\nUID:a\nBEGIN:VALARM\nRRULE:x\nDTSTART\nEND:VALARM\nDTSTART:20270110\nEND:VEVENT\n" + end, one},
		"the same twice":       {begin + a + b + a + end, &ical.Calendar{Entries: []ical.Entry{{UID: "a", Stay: stay}, {UID: "b", Stay: stay}}}},
	} {
		got, err := ical.Read(strings.NewReader(test.text), rome)
		require.NoError(t, err, name)
		assert.Equal(t, test.want, got, name)
	}
}

func TestEventsThatSayWhenTheListingIsBusyInAnotherForm(t *testing.T) {
	t.Parallel()
	got := read(t, "BEGIN:VCALENDAR\nBEGIN:VAVAILABILITY\nUID:a\nBEGIN:BUSY\nEND:BUSY\nEND:VAVAILABILITY\n"+
		"BEGIN:VFREEBUSY\nEND:VFREEBUSY\nEND:VCALENDAR\n", rome)
	assert.Equal(t, &ical.Calendar{Problems: []ical.Problem{
		{Number: 1, UID: "a", Kind: ical.Unreadable, Detail: "VAVAILABILITY is not supported"},
		{Number: 2, Kind: ical.Unreadable, Detail: "VFREEBUSY is not supported"},
	}}, got)
}

func TestStaysWithTheSameUID(t *testing.T) {
	t.Parallel()
	const begin, end = "BEGIN:VEVENT\nUID:a\n", "END:VEVENT\n"
	got := read(t, "BEGIN:VCALENDAR\n"+
		begin+"DTSTART:20270110\nSUMMARY:first\n"+end+
		begin+"DTSTART:20270110\nDTEND:20270112\n"+end+
		begin+"DTSTART:20270110\nSUMMARY:Reserved\n"+end+
		begin+"DTSTART:20270110\nSUMMARY:Reserved - Jane\n"+end+
		begin+"DTSTART:20270110\nSUMMARY:last\n"+end+"END:VCALENDAR", rome)
	assert.Equal(t, &ical.Calendar{Entries: []ical.Entry{
		{UID: "a", Stay: dynastay.MustStay("2027-01-10", "2027-01-11"), Summary: "Reserved", Booked: true},
		{UID: "a", Stay: dynastay.MustStay("2027-01-10", "2027-01-12")},
	}}, got)
}

func TestTextsOfAnEvent(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for name, test := range map[string]struct {
		line string
		want ical.Entry
	}{
		"escaped":               {`SUMMARY:a\, b\; c\\d\ne\Nf`, ical.Entry{Summary: `a, b; c\d e f`}},
		"folded within a rune":  {"SUMMARY:Caf\xc3\n \xa9 am See", ical.Entry{Summary: "Café am See"}},
		"folded with a tab":     {"SUMMARY:a\n\tb", ical.Entry{Summary: "ab"}},
		"folded at a space":     {"SUMMARY:a\n  b", ical.Entry{Summary: "a b"}},
		"folded in the name":    {"SUM\n MARY:a", ical.Entry{Summary: "a"}},
		"control characters":    {"SUMMARY:\x00a\x1bb\x7f", ical.Entry{Summary: "a b"}},
		"Latin 1":               {"SUMMARY:Caf\xe9 bar", ical.Entry{Summary: "Caf\uFFFD bar"}},
		"parameters":            {`SUMMARY;ALTREP="cid:a;b,c":a`, ical.Entry{Summary: "a"}},
		"two summaries":         {"SUMMARY:a\nSUMMARY:b", ical.Entry{Summary: "a"}},
		"255 bytes":             {"SUMMARY:" + strings.Repeat("a", 255), ical.Entry{Summary: strings.Repeat("a", 255)}},
		"256 bytes":             {"SUMMARY:" + strings.Repeat("a", 256), ical.Entry{Summary: strings.Repeat("a", 255)}},
		"256 bytes, runes":      {"SUMMARY:" + strings.Repeat("é", 128), ical.Entry{Summary: strings.Repeat("é", 127)}},
		"257 bytes, space":      {"SUMMARY:" + strings.Repeat("a", 254) + " bc", ical.Entry{Summary: strings.Repeat("a", 254)}},
		"5000 bytes":            {"SUMMARY:" + strings.Repeat("a", 5000), ical.Entry{Summary: strings.Repeat("a", 255)}},
		"UID":                   {`UID: a\,b `, ical.Entry{UID: "a,b"}},
		"UID of 255 bytes":      {"UID:" + strings.Repeat("a", 255), ical.Entry{UID: strings.Repeat("a", 255)}},
		"UID of 256 bytes":      {"UID:" + strings.Repeat("a", 256), ical.Entry{}},
		"sequence":              {"SEQUENCE:7", ical.Entry{Sequence: 7}},
		"negative sequence":     {"SEQUENCE:-7", ical.Entry{}},
		"no sequence":           {"SEQUENCE:99999999999999999999", ical.Entry{}},
		"modified":              {"LAST-MODIFIED:20260506T070809Z", ical.Entry{Modified: at}},
		"modified, not UTC":     {"LAST-MODIFIED:20260506T070809", ical.Entry{}},
		"modified, not a time":  {"LAST-MODIFIED:yesterday", ical.Entry{}},
		"modified, with a zone": {"LAST-MODIFIED;TZID=Europe/Rome:20260506T090809", ical.Entry{}},
	} {
		test.want.Stay = dynastay.MustStay("2027-01-10", "2027-01-11")
		got := read(t, event("DTSTART:20270110", test.line), rome)
		assert.Equal(t, &ical.Calendar{Entries: []ical.Entry{test.want}}, got, name)
	}
}

func TestGuests(t *testing.T) {
	t.Parallel()
	const page = `https://www.airbnb.com/hosting/reservations/details/`
	for name, test := range map[string]struct {
		summary, description, id string
		booked                   bool
	}{
		"reserved":               {summary: "Reserved", booked: true},
		"in capitals":            {summary: "RESERVED", booked: true},
		"with a name":            {summary: "Reserved - Jane", booked: true},
		"with a colon":           {summary: "Reserved: Jane", booked: true},
		"with a dash":            {summary: "Reserved – Jane", booked: true},
		"with an empty name":     {summary: "Reserved - ", booked: false},
		"reserved for":           {summary: "Reserved for ourselves"},
		"reserved-ish":           {summary: "Reservedish"},
		"not first":              {summary: "Not Reserved"},
		"with a long dash":       {summary: "Reserved — Jane", booked: true},
		"German":                 {summary: "Reserviert", booked: true},
		"German, with a name":    {summary: "RESERVIERT - Jane", booked: true},
		"German, occupied":       {summary: "Belegt"},
		"Dutch":                  {summary: "Gereserveerd", booked: true},
		"French":                 {summary: "Réservé - Jane", booked: true},
		"French, in capitals":    {summary: "RÉSERVÉ", booked: true},
		"French, feminine":       {summary: "Réservée", booked: true},
		"French, decomposed":     {summary: "Re\u0301serve\u0301 : Jane", booked: true},
		"French, unavailable":    {summary: "Non disponible"},
		"Spanish":                {summary: "Reservado", booked: true},
		"Portuguese, feminine":   {summary: "Reservada – Jane", booked: true},
		"Spanish, reservation":   {summary: "Reserva de la casa"},
		"Italian":                {summary: "Riservato", booked: true},
		"Italian, booked":        {summary: "Prenotata: Jane", booked: true},
		"Polish":                 {summary: "Zarezerwowane", booked: true},
		"Swedish":                {summary: "Reserverad", booked: true},
		"Danish":                 {summary: "Reserveret", booked: true},
		"Norwegian":              {summary: "Reservert", booked: true},
		"Czech":                  {summary: "Rezervováno", booked: true},
		"Croatian":               {summary: "Rezervirano", booked: true},
		"blocked":                {summary: "Blocked"},
		"closed":                 {summary: "CLOSED - Not available"},
		"nothing":                {},
		"a name":                 {summary: "Jane Doe"},
		"a name with a code":     {summary: "Jane Doe (HMABCDEF12)", id: "HMABCDEF12", booked: true},
		"a longer code":          {summary: "Jane Doe (HMABCDEF123)"},
		"another code":           {summary: "Jane Doe (XXABCDEF12)"},
		"a code not at the end":  {summary: "(HMABCDEF12) Jane"},
		"page":                   {"Reserved", "Reservation URL: " + page + `HMABCDEF12\nPhone Number (Last 4 Digits): 0000`, "HMABCDEF12", true},
		"page of a longer id":    {"", page + "HMABCDEF12abc", "", false},
		"page only":              {"", page + "HMABCDEF12?x=1", "HMABCDEF12", true},
		"page of a country":      {"Réservé", "https://www.airbnb.co.uk/hosting/reservations/details/HMABCDEF12", "HMABCDEF12", true},
		"page of a stay":         {"", "https://www.airbnb.com/hosting/stay/HMABCDEF12", "HMABCDEF12", true},
		"older page":             {"", "https://www.airbnb.com/reservation/itinerary?code=HMABCDEF12", "HMABCDEF12", true},
		"page with another end":  {"Reserved", page + "hmabcdef12", "", true},
		"page of other software": {"Blocked", "https://example.org/hosting/reservations/details/HMABCDEF12", "", false},
		"long description":       {"", page + "HMABCDEF12 " + strings.Repeat("x", 5000), "HMABCDEF12", true},
	} {
		got := read(t, event("DTSTART:20270110", "SUMMARY:"+test.summary, "DESCRIPTION:"+test.description), rome)
		require.Len(t, got.Entries, 1, name)
		assert.Equal(t, test.booked, got.Entries[0].Booked, name)
		assert.Equal(t, test.id, got.Entries[0].ReservationID, name)
	}
}

func TestLimitsOfRead(t *testing.T) {
	t.Parallel()
	const begin, end, one = "BEGIN:VCALENDAR\n", "END:VCALENDAR\n", "BEGIN:VEVENT\nEND:VEVENT\n"
	full := begin + end + strings.Repeat("\n", ical.MaxBytes-len(begin+end))
	assert.Equal(t, &ical.Calendar{}, read(t, full, rome))
	_, err := ical.Read(strings.NewReader(full+"\n"), rome)
	large := blame.As[*ical.TooLargeError](t, err)
	assert.Equal(t, &ical.TooLargeError{Bytes: 4 << 20}, large)
	assert.EqualError(t, err, "calendar has more than 4194304 bytes")

	got := read(t, begin+strings.Repeat(one, ical.MaxEntries)+end, rome)
	assert.Len(t, got.Problems, 10_000)
	assert.Equal(t, 10_000, got.Problems[9_999].Number)
	_, err = ical.Read(strings.NewReader(begin+strings.Repeat(one, 5_000)+end+begin+strings.Repeat(one, 5_001)+end), rome)
	require.ErrorAs(t, err, &large)
	assert.Equal(t, &ical.TooLargeError{Entries: 10_000}, large)
	assert.EqualError(t, err, "calendar has more than 10000 entries")
}

func TestErrorsOfTheReader(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	_, err := ical.Read(io.MultiReader(strings.NewReader("BEGIN:VCALENDAR\nEND:VCALENDAR\n"), iotest.ErrReader(broken)), rome)
	assert.ErrorIs(t, err, broken)
	_, err = ical.Read(iotest.OneByteReader(strings.NewReader("BEGIN:VCALENDAR\nEND:VCALENDAR\n")), rome)
	assert.NoError(t, err)
}
