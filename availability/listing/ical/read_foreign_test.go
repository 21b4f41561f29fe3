package ical_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestReadFeedsOfChannels(t *testing.T) {
	t.Parallel()
	stay := dynastay.MustStay
	for name, want := range map[string]ical.Calendar{
		"airbnb": {Entries: []ical.Entry{
			{
				UID: "0f1e2d3c4b5a-00112233445566778899aabbccddeeff@airbnb.com", Stay: stay("2027-06-10", "2027-06-14"),
				Summary: "Reserved", Booked: true, ReservationID: "HMTEST1234",
			},
			{
				UID: "7fae8a9b1c2d-ffeeddccbbaa99887766554433221100@airbnb.com", Stay: stay("2027-07-01", "2027-07-02"),
				Summary: "Airbnb (Not available)",
			},
		}},
		"airbnb-names": {Entries: []ical.Entry{{
			UID: "-abcdefghijkl--mnopqrstuv@airbnb.com", Stay: stay("2019-08-01", "2019-08-05"),
			Summary: "Ada Example (HMTEST5678)", Booked: true, ReservationID: "HMTEST5678",
		}}},
		"booking": {Entries: []ical.Entry{
			{
				UID: "5d41402abc4b2a76b9719d911017c592@booking.com", Stay: stay("2027-09-10", "2027-09-12"),
				Summary: "CLOSED - Not available",
			},
			{
				UID: "7d793037a0760186574b0282f2f435e7@booking.com", Stay: stay("2027-09-12", "2027-09-19"),
				Summary: "CLOSED - Ada Example",
			},
		}},
		"vrbo": {Entries: []ical.Entry{
			{
				UID: "11111111-2222-3333-4444-555555555555", Stay: stay("2027-03-20", "2027-03-27"),
				Summary: "Reserved - Jane", Booked: true,
			},
			{UID: "22222222-2222-3333-4444-555555555555", Stay: stay("2027-04-01", "2027-04-04"), Summary: "Blocked"},
			{UID: "33333333-2222-3333-4444-555555555555", Stay: stay("2027-05-01", "2027-05-02"), Summary: "Tentative - Joe"},
		}},
		"google": {
			Entries: []ical.Entry{
				{
					UID: "0aaaaaaaaaaaaaaaaaaaaaaaaa@google.com", Stay: stay("2027-01-10", "2027-01-17"),
					Summary:  "We are there ourselves; sorry, no guests Call before you come",
					Sequence: 3, Modified: time.Date(2026, 10, 2, 9, 8, 7, 0, time.UTC),
				},
				{UID: "1aaaaaaaaaaaaaaaaaaaaaaaaa@google.com", Stay: stay("2027-02-01", "2027-02-04"), Summary: "Cousins"},
				{
					UID: "3aaaaaaaaaaaaaaaaaaaaaaaaa@google.com", Stay: stay("2027-04-09", "2027-04-11"),
					Summary: "Choir, one week later",
				},
			},
			Free: []ical.Entry{{
				UID:     "2aaaaaaaaaaaaaaaaaaaaaaaaa@google.com",
				Stay:    dynastay.Stay{CheckIn: dynastay.MustDate("2027-02-10"), CheckOut: dynastay.MustDate("2027-02-10")},
				Summary: "Chimney sweep",
			}},
			Problems: []ical.Problem{
				{Number: 4, UID: "3aaaaaaaaaaaaaaaaaaaaaaaaa@google.com", Kind: ical.Recurring, Detail: "the event is a series"},
				{Number: 6, UID: "3aaaaaaaaaaaaaaaaaaaaaaaaa@google.com", Kind: ical.Recurring, Detail: "one occurrence of a series is cancelled"},
			},
		},
		"outlook": {
			Entries: []ical.Entry{
				{
					UID: "040000008200E00074C5B7101A82E00800000000A0A0A0A0A0A0A0A0" +
						"00000000000000001000000000000000000000000000000B",
					Stay: stay("2027-07-10", "2027-07-12"), Summary: "Closed",
				},
				{UID: "customized", Stay: stay("2027-07-14", "2027-07-18"), Summary: "Closed"}, // whose zone the file lacks
				{UID: "kerio", Stay: stay("2027-07-20", "2027-07-21"), Summary: "Closed"},
			},
		},
		"manager": {
			Entries: []ical.Entry{
				{UID: "stay-1", Stay: stay("2027-03-01", "2027-03-05"), Summary: "Zoë Beispiel"},
				{UID: "spilled", Stay: stay("2027-03-10", "2027-03-12"), Summary: "Reserved", Booked: true},
				{UID: "forever", Stay: stay("2027-04-01", "2099-12-31"), Summary: "Unavailable"},
				{Stay: stay("2027-03-20", "2027-03-21"), Summary: "Blocked"},
			},
			Free: []ical.Entry{
				{
					UID:     "arrival-1",
					Stay:    dynastay.Stay{CheckIn: dynastay.MustDate("2027-03-01"), CheckOut: dynastay.MustDate("2027-03-01")},
					Summary: "Check-in Zoë Beispiel",
				},
				{UID: "gone", Cancelled: true},
			},
			Problems: []ical.Problem{
				{Number: 4, UID: "broken", Kind: ical.Unreadable, Detail: "DTEND is malformed"},
				{Number: 8, UID: "busy", Kind: ical.Unreadable, Detail: "VFREEBUSY is not supported"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name+".ics"))
			require.NoError(t, err)
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
			for form, text := range map[string]string{
				"LF":     string(text),
				"CRLF":   strings.ReplaceAll(string(text), "\n", "\r\n"),
				"BOM":    "\ufeff" + string(text),
				"no end": strings.TrimRight(string(text), "\n"),
			} {
				got, err := ical.Read(strings.NewReader(text), rome)
				require.NoError(t, err, form)
				assert.Equal(t, &want, got, form)
			}
		})
	}
}

func TestHalfOfAFeedIsAnError(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.ics")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for length := range len(strings.TrimSpace(string(text))) {
			_, err := ical.Read(bytes.NewReader(text[:length]), rome)
			blame.As[*ical.IncompleteError](t, err, "%s: %d bytes", file, length)
		}
	}
}

var plainStay = dynastay.MustStay("2027-01-10", "2027-01-11")

var rome = zone("Europe/Rome")

func zone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return loc
}
