package availability_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// updating is a call of Update.
type updating struct {
	availability.UpdateRequest
	on     []days  // of the changes
	rooms  [][]int // of the changes
	report int     // an earlier one for Only; -1 for none
	retry  bool    // its Retry, and not every second entry
}

func drawUpdate(t *rapid.T) step {
	s := updating{report: -1}
	for range uniform(t, 1, 4, "changes") {
		on, c := drawDays(t), drawChange(t)
		c.Weekdays = on.weekdays()
		rooms := rapid.SliceOfNDistinct(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 2}), 1, 3, rapid.ID[int]).Draw(t, "room types")
		if chance(t, 50, "unknown room type") {
			rooms[0] = 3
		}
		s.on, s.rooms, s.Changes = append(s.on, on), append(s.rooms, rooms), append(s.Changes, c)
	}
	s.OpenOnly = rapid.Bool().Draw(t, "open only")
	if chance(t, 4, "only") {
		s.report, s.retry = uniform(t, 0, 3, "report"), rapid.Bool().Draw(t, "retry")
	}
	return s
}

func drawChange(t *rapid.T) availability.Change {
	c := availability.Change{Dates: drawDates(t, 1, 2, 3, 5, 8, 22)}
	if chance(t, 3, "sets the price") {
		c.Price = drawPrice(t)
	}
	if chance(t, 2, "sets the rooms") {
		c.Rooms = ptr(uniform(t, 0, modelCapacity+2, "rooms"))
		c.AboveCapacity = *c.Rooms > modelCapacity && !chance(t, 8, "not above capacity")
		c.Overbook = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "overbook")
	}
	if chance(t, 3, "sets the limit") {
		c.OverbookLimit = ptr(drawLimit(t))
	}
	if chance(t, 3, "sets the minimum stay") {
		c.MinStay = ptr(rapid.SampledFrom([]int{1, 2, 2, 3, 0}).Draw(t, "min"))
	}
	if chance(t, 3, "sets the maximum stay") {
		c.MaxStay = ptr(rapid.SampledFrom([]int{3, 3, 2, 0, 4, 1}).Draw(t, "max"))
	}
	for _, flag := range []**bool{&c.ClosedToArrival, &c.ClosedToDeparture, &c.StopSell} {
		if chance(t, 4, "sets a flag") {
			*flag = ptr(chance(t, 3, "flag"))
		}
	}
	if c.StopSell != nil && *c.StopSell {
		c.StopSellReason = drawReason(t)
	}
	for _, id := range modelPlans {
		if chance(t, 4, "plan") {
			if c.Rates == nil {
				c.Rates = map[string]availability.RateChange{}
			}
			c.Rates[id] = drawRateChange(t, id)
		}
	}
	if len(valuesOf(c)) == 0 {
		c.ClosedToDeparture = ptr(true)
	}
	return c
}

func (s updating) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "update, open only %t, report %d, retry %t", s.OpenOnly, s.report, s.retry)
	for i, c := range s.Changes {
		fmt.Fprintf(&b, "\n\t\troom types %v on %s (%s):", s.rooms[i], c.Dates, c.Weekdays)
		for name, v := range valuesOf(c) {
			fmt.Fprintf(&b, " %s %v", name, v)
		}
		fmt.Fprintf(&b, " above capacity %t", c.AboveCapacity)
	}
	return b.String()
}

// line is an entry of a report.
type line struct {
	at
	departure bool
}

// lines returns what the changes set together.
func (s updating) lines(u availability.UpdateRequest) map[line]values {
	all := map[line]values{}
	for i, c := range u.Changes {
		for _, room := range c.RoomTypeIDs {
			for _, date := range s.on[i].of(c.Dates) {
				leftOut := func(of line) bool {
					return u.Only != nil && !slices.ContainsFunc(u.Only, func(d availability.DateReport) bool { return reported(d) == of })
				}
				if of := (line{at{room, date}, false}); !leftOut(of) {
					valuesOf(c).clear(all[of], all[line{at{room, date.AddDays(1)}, true}])
				}
				for name, v := range valuesOf(c) {
					of := line{at{room, date}, strings.HasSuffix(name, "departure")}
					if leftOut(of) {
						continue
					}
					if all[of] == nil {
						all[of] = values{}
					}
					all[of][name] = v
				}
			}
		}
	}
	return all
}

func reported(d availability.DateReport) line { return line{at{d.RoomTypeID, d.Date}, d.Departure} }

// invalid returns why the whole request is refused, or nil.
func (s updating) invalid(m *ledger, u availability.UpdateRequest, lines map[line]values) error {
	for i, c := range u.Changes {
		if len(s.on[i].of(c.Dates)) == 0 {
			return invalid("Changes[%d].Weekdays", i)
		}
		if c.MinStay != nil && c.MaxStay != nil && *c.MaxStay != 0 && *c.MinStay > *c.MaxStay {
			return invalid("Changes[%d].MaxStay", i)
		}
		for _, id := range slices.Sorted(slices.Values(modelPlans[:])) {
			if r := c.Rates[id]; r.MinStay != nil && r.MaxStay != nil && *r.MaxStay != 0 && *r.MinStay > *r.MaxStay {
				return invalid("Changes[%d].Rates[%s].MaxStay", i, id)
			}
		}
	}
	asked, changed := map[string]bool{}, map[string]bool{} // room types, and plans that are not only cleared
	for of, set := range lines {
		asked[of.room] = true
		for name := range set {
			if plan, value, of := strings.Cut(name, " "); of && value != "clear" {
				changed[plan] = true
			}
		}
		for _, plan := range append([]string{""}, modelPlans[:]...) {
			min, hasMin := set[strings.TrimSpace(plan+" min")].(int)
			max, hasMax := set[strings.TrimSpace(plan+" max")].(int)
			if hasMin && hasMax && max != 0 && min > max {
				return invalid("Changes")
			}
		}
	}
	if asked["room_unknown"] {
		return dynastay.ErrNotFound
	}
	for i, c := range u.Changes {
		if !slices.ContainsFunc(c.RoomTypeIDs, func(id string) bool { return asked[id] }) {
			continue
		}
		if c.Price.IsSet() && c.Price.Currency() != "USD" {
			return invalid("Changes[%d].Price.Currency", i)
		}
		if c.Rooms != nil && *c.Rooms > modelCapacity && !c.AboveCapacity {
			return invalid("Changes[%d].Rooms", i)
		}
		for _, id := range slices.Sorted(slices.Values(modelPlans[:])) {
			switch price := c.Rates[id].Price; {
			case !price.IsSet() || !changed[id]:
			case id == derivedPlan:
				return invalid("Changes[%d].Rates[%s].Price", i, id)
			case price.Currency() != "USD":
				return invalid("Changes[%d].Rates[%s].Price.Currency", i, id)
			}
		}
	}
	return nil
}

// changed returns a night with other values, or why it cannot have them.
func (n openNight) changed(set values) (openNight, error) {
	for i, id := range modelPlans {
		if err := n.rates[i].change(id, set); err != nil {
			return n, err
		}
	}
	for name, v := range set {
		if strings.Contains(name, " ") {
			continue
		}
		switch v := v.(type) {
		case dynastay.Money:
			n.cents = centsOf(v)
		case stopped:
			n.stop, n.reason = v.stop, v.reason
		case int:
			*map[string]*int{"min": &n.min, "max": &n.max, "limit": &n.limit}[name] = v
		case bool:
			*map[string]*bool{"arrival": &n.toArrival, "departure": &n.toEnd}[name] = v
		}
	}
	_, min := set["min"]
	_, max := set["max"]
	if (min || max) && n.max != 0 && n.min > n.max {
		return n, &availability.LimitsError{MinStay: n.min, MaxStay: n.max}
	}
	if v, there := set["rooms"].(total); there {
		if v.rooms < n.total && n.sold+n.out-v.rooms > v.overbook {
			return n, &availability.SoldError{Sold: n.sold, OutOfOrder: n.out, Rooms: v.rooms}
		}
		n.total = v.rooms
	}
	return n, nil
}

// outcome is what an update makes of one night.
type outcome struct {
	result     availability.Result
	err        error
	after      openNight
	overbooked int
}

func (m *ledger) outcome(night at, set values) outcome {
	n, open := m.nights[night]
	if !open {
		return outcome{result: availability.NotWritten, err: availability.ErrNotOpen}
	}
	after, err := n.changed(set)
	if err != nil {
		return outcome{result: availability.NotWritten, err: err}
	}
	o := outcome{result: availability.Unchanged, after: n}
	if after != n {
		after.updated = m.db.Now()
		o.result, o.after = availability.Written, after
	}
	if _, sets := set["rooms"]; sets {
		o.overbooked = max(0, -after.left())
	}
	return o
}

// storedAt returns the night that stores the values of a line.
func (l line) storedAt() at {
	if l.departure {
		return at{l.room, l.date.AddDays(-1)}
	}
	return l.at
}

func (s updating) run(m *ledger, on process) {
	u, steps := s.UpdateRequest, recorder{}
	u.PropertyID, u.Changes, u.Progress = m.propertyID, slices.Clone(u.Changes), steps.progress
	for i := range u.Changes {
		for _, room := range s.rooms[i] {
			u.Changes[i].RoomTypeIDs = append(u.Changes[i].RoomTypeIDs, m.room(room))
		}
	}
	if s.report >= 0 && len(m.reports) > 0 {
		of := m.reports[s.report%len(m.reports)]
		u.Only = of.Retry()
		for i := 0; !s.retry && i < len(of.Dates); i += 2 {
			u.Only = append(u.Only, of.Dates[i])
		}
	}
	lines := s.lines(u)
	no := s.invalid(m, u, lines)

	report, err := on.repo.Update(context.Background(), u)
	if m.unread(report) {
		require.Len(m.t, report.Dates, len(lines))
		require.Len(m.t, report.Retry(), len(lines))
		require.Empty(m.t, steps.done)
		return
	}
	if no != nil {
		if !m.failed(err) {
			m.fails(no, err)
			m.met.Add("update: invalid", 1)
		}
		require.Empty(m.t, report.Dates)
		require.Empty(m.t, steps.done)
		return
	}
	var failed *availability.UpdateError
	if err != nil {
		require.ErrorAs(m.t, err, &failed)
	}
	m.compare(u, lines, report, failed)

	nights := map[at]bool{}
	for of := range lines {
		if !of.date.Before(m.today()) {
			nights[of.storedAt()] = true
		}
	}
	require.Len(m.t, steps.done, len(nights))
	for i, done := range steps.done {
		require.Equal(m.t, []int{i + 1, len(nights)}, []int{done, steps.of})
	}
	m.reports = append(m.reports, report)
}

// unread reports whether an update could not read the room types, so that it wrote nothing: every entry has that error.
func (m *ledger) unread(report availability.Report) bool {
	for _, d := range report.Dates {
		if d.Result != availability.NotWritten || d.Err != report.Dates[0].Err || !m.failed(d.Err) {
			return false
		}
	}
	return len(report.Dates) > 0 && strings.HasPrefix(report.Dates[0].Err.Error(), "GetAll")
}

// compare compares a report with the model, entry by entry.
func (m *ledger) compare(u availability.UpdateRequest, lines map[line]values, report availability.Report, failed *availability.UpdateError) {
	sets := map[at]values{}
	for of, set := range lines {
		if of.date.Before(m.today()) {
			continue
		}
		if sets[of.storedAt()] == nil {
			sets[of.storedAt()] = values{}
		}
		maps.Copy(sets[of.storedAt()], set)
	}
	outcomes := map[at]outcome{}
	for night, set := range sets {
		outcomes[night] = m.outcome(night, set)
	}
	order := slices.SortedFunc(maps.Keys(lines), func(a, b line) int {
		departuresFirst := 0
		if a.departure != b.departure {
			departuresFirst = 1
			if a.departure {
				departuresFirst = -1
			}
		}
		return cmp.Or(cmp.Compare(a.room, b.room), cmp.Compare(a.date.String(), b.date.String()), departuresFirst)
	})
	next := 0
	told := map[at]availability.Result{}
	retry, errs := []availability.DateReport{}, []availability.DateReport(nil)
	for _, of := range order {
		want := outcomes[of.storedAt()]
		if of.date.Before(m.today()) {
			want = outcome{result: availability.NotWritten, err: availability.ErrPast}
		}
		leftOut := u.OpenOnly && (want.err == availability.ErrNotOpen || want.err == availability.ErrPast)
		if leftOut && (next == len(report.Dates) || reported(report.Dates[next]) != of) {
			continue
		}
		require.Less(m.t, next, len(report.Dates), "%v is missing", of)
		got := report.Dates[next]
		next++
		require.Equal(m.t, of, reported(got))
		if got.Err != nil {
			errs = append(errs, got)
		}
		if m.failed(got.Err) && want.err != availability.ErrPast {
			retry = append(retry, got)
			require.Zero(m.t, got.Overbooked)
			require.Contains(m.t, []availability.Result{"", got.Result}, told[of.storedAt()], "one night, one result")
			if got.Result == availability.Unknown {
				require.ErrorIs(m.t, got.Err, dynastay.ErrOutcomeUnknown)
				require.Equal(m.t, availability.Written, want.result, "nothing was to be written")
				m.met.Add("update: unknown", 1)
			} else {
				require.Equal(m.t, availability.NotWritten, got.Result)
				require.NotErrorIs(m.t, got.Err, dynastay.ErrOutcomeUnknown)
			}
			told[of.storedAt()] = got.Result
			continue
		}
		require.False(m.t, leftOut, "%v is reported", of)
		m.entry(want, got)
		if want.err == nil {
			told[of.storedAt()] = got.Result
		}
	}
	require.Equal(m.t, next, len(report.Dates), "entries of other dates")
	require.Equal(m.t, retry, report.Retry())
	if len(errs) > 0 {
		require.NotNil(m.t, failed)
		require.Equal(m.t, availability.UpdateError{Dates: errs, Of: len(report.Dates)}, *failed)
	} else {
		require.Nil(m.t, failed)
	}
	m.adopt(outcomes, told)
}

// entry compares one entry that no fault concerns.
func (m *ledger) entry(want outcome, got availability.DateReport) {
	require.Equal(m.t, want.result, got.Result, "%v", got)
	overbooked := want.overbooked
	if got.Departure {
		overbooked = 0
	}
	require.Equal(m.t, overbooked, got.Overbooked, "%v", got)
	m.met.Add("update: "+strings.ReplaceAll(string(got.Result), "_", " "), 1)
	if overbooked > 0 {
		m.met.Add("update: overbooked", 1)
	}
	var wantSold, sold *availability.SoldError
	var wantLimits, limits *availability.LimitsError
	switch {
	case want.err == nil:
		require.NoError(m.t, got.Err)
	case errors.As(want.err, &wantSold):
		require.ErrorAs(m.t, got.Err, &sold)
		require.Equal(m.t, *wantSold, *sold)
		m.met.Add("update: too many sold", 1)
	case errors.As(want.err, &wantLimits):
		require.ErrorAs(m.t, got.Err, &limits)
		require.Equal(m.t, *wantLimits, *limits)
		m.met.Add("update: limits", 1)
	default:
		require.ErrorIs(m.t, got.Err, want.err)
		m.met.Add("update: "+strings.TrimPrefix(strings.TrimPrefix(want.err.Error(), "night "), "date "), 1)
	}
}

// adopt changes the nights that were written, and finds out about those whose outcome is unknown.
func (m *ledger) adopt(outcomes map[at]outcome, told map[at]availability.Result) {
	stored := map[at]dynastay.Item(nil)
	for night, result := range told {
		switch result {
		case availability.Written:
			if outcomes[night].after.rates != m.nights[night].rates {
				m.met.Add("update: rates written", 1)
			}
			m.nights[night] = outcomes[night].after
		case availability.Unknown:
			if stored == nil {
				stored = m.stored()
			}
			old, done := m.item(night, m.nights[night]), m.item(night, outcomes[night].after)
			require.Contains(m.t, []dynastay.Item{old, done}, stored[night])
			if assert.ObjectsAreEqual(done, stored[night]) {
				m.nights[night] = outcomes[night].after
			}
		}
	}
}
