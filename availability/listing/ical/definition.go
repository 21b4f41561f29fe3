package ical

import (
	"cmp"
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The limits of the time zones that a calendar defines.
const (
	maxObservances = 500  // of a calendar; a zone has two, or one for each change since 1900
	firstYear      = 1970 // whose changes of the clocks are known
	lastYear       = 2100
)

// definition is a VTIMEZONE: a time zone that a calendar defines itself.
type definition struct {
	name        string
	observances []observance
	broken      bool
}

// observance says from when on the clocks have an offset: the values of a STANDARD or DAYLIGHT by name.
type observance map[string][]string

// change is a point in time from which on the clocks have an offset, in seconds.
type change struct{ at, offset int64 }

// add adds a line of the definition itself, or of its last observance.
func (d *definition) add(own bool, name string, p *property) {
	switch {
	case own && name == "TZID":
		d.name = zoneName(p.value)
	case !own:
		o := d.observances[len(d.observances)-1]
		o[name] = append(o[name], strings.ToUpper(strings.TrimSpace(p.value)))
	}
}

// location returns nil if the definition cannot be read.
func (d *definition) location() *time.Location {
	var changes []change
	var before change // the offset before the first change
	for _, o := range d.observances {
		own, from, ok := o.changes()
		if !ok {
			return nil
		}
		if len(changes) == 0 || own[0].at < before.at {
			before = change{own[0].at, from}
		}
		changes = append(changes, own...)
	}
	if d.broken || len(changes) == 0 {
		return nil
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	loc, err := time.LoadLocationFromTZData(d.name, tzif(before.offset, changes))
	if err != nil {
		return nil
	}
	return loc
}

// changes returns the changes of an observance, first that of DTSTART, and the offset before.
func (o observance) changes() (changes []change, from int64, ok bool) {
	if len(o["DTSTART"]) != 1 || len(o["RRULE"]) > 1 {
		return nil, 0, false
	}
	from, fromOK := offset(o["TZOFFSETFROM"])
	to, toOK := offset(o["TZOFFSETTO"])
	locals, timesOK := localTimes(slices.Concat(o["DTSTART"], o["RDATE"]))
	if !fromOK || !toOK || !timesOK {
		return nil, 0, false
	}
	for _, text := range o["RRULE"] {
		r, ruleOK := ruleOf(text, locals[0], from)
		times, once := r.times(locals[0])
		if !ruleOK || !once {
			return nil, 0, false
		}
		locals = append(locals, times...)
	}
	for _, local := range locals {
		changes = append(changes, change{local.Unix() - from, to})
	}
	return changes, from, true
}

var offsetForm = regexp.MustCompile(`^([+-])([01]\d|2[0-3])([0-5]\d)([0-5]\d)?$`)

// offset parses the only one of values such as +0100, in seconds.
func offset(values []string) (int64, bool) {
	if len(values) != 1 {
		return 0, false
	}
	parts := offsetForm.FindStringSubmatch(values[0])
	if parts == nil {
		return 0, false
	}
	seconds := int64(0)
	for _, part := range parts[2:] {
		n, _ := strconv.ParseInt("0"+part, 10, 64)
		seconds = 60*seconds + n
	}
	if parts[1] == "-" {
		seconds = -seconds
	}
	return seconds, true
}

// localTimes parses lists of times, as if they were in UTC.
func localTimes(lists []string) (times []time.Time, ok bool) {
	for _, list := range lists {
		for text := range strings.SplitSeq(list, ",") {
			t, err := time.Parse(timeLayout, text)
			if err != nil {
				return nil, false
			}
			times = append(times, t)
		}
	}
	return times, true
}

// tzif returns the changes in the form of RFC 8536, version 2, which package time reads.
func tzif(before int64, changes []change) []byte {
	offsets := []int64{before} // only before the first change
	var times, kinds []byte
	for _, c := range changes {
		i := slices.Index(offsets[1:], c.offset) + 1
		if i == 0 {
			i, offsets = len(offsets), append(offsets, c.offset)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(c.at))
		kinds = append(kinds, byte(i)) // of more than 256, package time would read others
		if len(offsets) > 256 {
			return nil
		}
	}
	header := func(changes, offsets, names int) []byte {
		head := append([]byte("TZif2"), make([]byte, 15+3*4)...)
		for _, n := range []int{changes, offsets, names} {
			head = binary.BigEndian.AppendUint32(head, uint32(n))
		}
		return head
	}
	data := append(header(0, 0, 0), header(len(changes), len(offsets), 1)...) // nothing in the form of version 1
	data = append(append(data, times...), kinds...)
	for _, offset := range offsets {
		data = append(binary.BigEndian.AppendUint32(data, uint32(offset)), 0, 0)
	}
	return append(data, 0) // one empty name
}
