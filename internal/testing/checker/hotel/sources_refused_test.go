package hotel

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// A booking is of whom it was made for, and has what was noted last.
func TestWrongSources(t *testing.T) {
	lines := func(texts ...string) (all []plain) {
		for _, text := range texts {
			all = append(all, plain{"Data": plain{"of": text}})
		}
		return all
	}
	added := &modification{Deed: &checker.Deed{Mark: "m2"}, to: bookings.Modification{Quote: &availability.Quote{}}}
	noting := &modification{Deed: &checker.Deed{Mark: "m3"}, to: bookings.Modification{
		Quote: &availability.Quote{}, Data: noted("m3"), LineData: []bookings.Data{noted("m3")},
	}}
	for name, c := range map[string]struct {
		change func(*stayLife)
		ok     bool
	}{
		"the agency's":                     {func(*stayLife) {}, true},
		"a user's":                         {func(l *stayLife) { l.plain["UserId"] = "user_1" }, false},
		"listed for a user":                {func(l *stayLife) { l.plain["GSI1PK"] = "USER#user_1" }, false},
		"another channel's":                {func(l *stayLife) { l.plain["Channel"] = "front desk" }, false},
		"another reference":                {func(l *stayLife) { l.plain["ExternalReference"] = "r2" }, false},
		"a reference that is free":         {func(l *stayLife) { l.registered = false }, false},
		"other data":                       {func(l *stayLife) { l.plain["Data"] = plain{"of": "m2"} }, false},
		"no data":                          {func(l *stayLife) { delete(l.plain, "Data") }, false},
		"other data of a line":             {func(l *stayLife) { l.lines = lines("m1", "m2") }, false},
		"no data of a line":                {func(l *stayLife) { l.lines = lines("m1", "") }, false},
		"no data of a line that was added": {func(l *stayLife) { l.lines, l.modified = lines("m1", ""), []*modification{added} }, true},
		"data of a line that was added":    {func(l *stayLife) { l.lines, l.modified = lines("m1", "m2"), []*modification{added} }, false},
		"noted": {func(l *stayLife) {
			l.modified, l.plain["Data"], l.lines = []*modification{noting}, plain{"of": "m3"}, lines("m3")
		}, true},
		"noted, but not in the booking": {func(l *stayLife) { l.modified, l.lines = []*modification{noting}, lines("m3") }, false},
		"noted, but not in the line":    {func(l *stayLife) { l.modified, l.plain["Data"] = []*modification{noting}, plain{"of": "m3"} }, false},
	} {
		f := newFound(plain{"Channel": agency, "ExternalReference": "r1", "Data": plain{"of": "m1"}})
		f.registered, f.lines = true, lines("m1", "m1")
		l := &stayLife{found: f, id: "b", ask: &ask{source: source{channel: agency, reference: "r1", data: "m1", line: "m1"}}}
		c.change(l)
		assert.Equal(t, c.ok, l.otherSource() == "", name)
	}

	of := &stayLife{id: "b", found: newFound(plain{
		"UserId": "user_1", "CheckInDate": firstNight, "GSI1PK": "USER#user_1", "GSI1SK": "CHECKIN#" + firstNight + "#BOOKING#b",
	}), ask: &ask{source: source{user: "user_1"}}}
	assert.Empty(t, of.otherSource())
	of.plain["GSI1SK"] = "CHECKIN#" + lastNight + "#BOOKING#b"
	assert.NotEmpty(t, of.otherSource(), "listed for another day")
}

// A reference is refused only if another booking had it, at the latest when the call ended.
func TestWrongRefusalsOfReferences(t *testing.T) {
	first := &ask{from: 5}
	has := &stayLife{ask: first}
	of := func(to checker.Moment) *ask {
		return &ask{source: source{taken: []checker.Told{{Span: checker.Between(1, to), Err: dynastay.ErrAlreadyExists}}}}
	}
	assert.True(t, of(6).refusedFor(has))
	assert.False(t, of(4).refusedFor(has), "too early")
	assert.False(t, of(6).refusedFor(nil), "nobody has it")
	assert.True(t, first.refusedFor(has), "nothing was refused")
	first.source.taken = of(6).source.taken
	assert.False(t, first.refusedFor(has), "it has the reference itself")
}
