package ical_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability/listing/ical"
)

// FuzzRead checks that Read never panics, leaves out no event that golang-ical finds, and that what it returns can be
// written and reads the same.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.ics")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("\ufeffBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=\"Asia/Tokyo\":20270110T150000\r\nDURATION:P1DT2H\r\nEND:VEVENT\r\nEND:VCALENDAR"))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\n!UID:1\nEND:VEVENT\nEND:VCALENDAR"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ical.Read(bytes.NewReader(text), rome)
		if err != nil {
			require.Nil(t, got)
			return
		}
		again, err := ical.Read(bytes.NewReader(text), rome)
		require.NoError(t, err)
		require.Equal(t, got, again)

		var events []ical.Event
		uids := map[string]bool{}
		for _, e := range got.Entries {
			require.NoError(t, e.Stay.Validate())
			require.False(t, e.Cancelled)
			if e.UID != "" && !uids[e.UID] {
				events = append(events, ical.Event{UID: e.UID, Stay: e.Stay, Modified: time.Unix(1, 0)})
			}
			uids[e.UID] = true
		}
		for _, e := range got.Free {
			require.True(t, e.Cancelled || e.Stay.CheckIn == e.Stay.CheckOut && !e.Stay.CheckIn.IsZero())
			uids[e.UID] = true
		}
		for _, p := range got.Problems {
			uids[p.UID] = true
		}
		for _, uid := range uidsOf(text) {
			// In "!UID:1", golang-ical finds a UID and Read does not.
			require.True(t, uids[uid] || uids[""], "UID %q was left out", uid)
		}

		var written bytes.Buffer
		require.NoError(t, ical.Write(&written, "", events))
		read, err := ical.Read(&written, rome)
		require.NoError(t, err)
		require.Len(t, read.Entries, len(events))
		stays := map[string]ical.Entry{}
		for _, e := range read.Entries {
			stays[e.UID] = e
		}
		for _, e := range events {
			require.Equal(t, e.Stay, stays[e.UID].Stay)
		}
	})
}

// uidsOf returns the UIDs that golang-ical finds, except those that Read would change.
func uidsOf(text []byte) (uids []string) {
	calendar, err := ics.ParseCalendar(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	for _, e := range calendar.Events() {
		var values []string
		for _, p := range e.Properties {
			if strings.EqualFold(p.IANAToken, "UID") {
				values = append(values, p.Value)
			}
		}
		if len(values) != 1 {
			continue
		}
		plain := ical.Event{UID: values[0], Stay: plainStay, Modified: time.Unix(1, 0)}
		if plain.Validate() == nil {
			uids = append(uids, plain.UID)
		}
	}
	return uids
}
