package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// updating is a call of Update.
type updating struct {
	house int
	rooms []int
	dates dates
	availability.Change
	together bool // UpdateOp: all nights or none
}

func drawUpdate(t *rapid.T) worldStep {
	s := updating{house: drawHouse(t), dates: drawWorldDates(t, 1, 2, 3, 8), rooms: model.OneOf(t, "room types", []int{0}, []int{1}, []int{2}, []int{0, 1}, []int{0, 1, 2})}
	s.dates.from -= model.UpTo(t, 1, "earlier")
	s.together = onceIn(t, 4, "together")
	switch model.UpTo(t, 6, "sets") {
	case 0:
		s.Price = drawPrice(t)
	case 1, 2:
		rooms := model.UpTo(t, worldCapacity+2, "rooms")
		s.Change.Rooms, s.AboveCapacity, s.Overbook = &rooms, true, model.OneOf(t, "overbook", 0, 0, 1, 3)
	case 3:
		limit := model.OneOf(t, "min", 0, 0, 1, 2, 3, 3)
		s.MinStay = &limit
	case 4:
		limit := model.OneOf(t, "max", 0, 0, 1, 1, 2, 3)
		s.MaxStay = &limit
	case 5:
		s.StopSell = rare(t)
	case 6:
		s.ClosedToArrival, s.ClosedToDeparture = rare(t), rare(t)
	}
	return s
}

// rare is true once in three times: most nights should be on sale.
func rare(t *rapid.T) *bool {
	yes := onceIn(t, 3, "flag")
	return &yes
}

func (s updating) String() string {
	return fmt.Sprintf("update room types %v of property %d, %+v, together %t: price %s rooms %s overbook %d min %s max %s arrival %s departure %s stop %s",
		s.rooms, s.house, s.dates, s.together, s.Price, shownValue(s.Change.Rooms), s.Overbook, shownValue(s.MinStay), shownValue(s.MaxStay),
		shownValue(s.ClosedToArrival), shownValue(s.ClosedToDeparture), shownValue(s.StopSell))
}

func shownValue[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// changed returns a night with the values of the change that concern it, or why it cannot have them.
func (s updating) changed(w *world, at nightAt, n worldNight, departure bool) (worldNight, error) {
	if departure {
		n.toEnd = *s.ClosedToDeparture
		return n, nil
	}
	if s.Price.IsSet() {
		n.cents = centsOf(s.Price)
	}
	for field, value := range map[*int]*int{&n.min: s.MinStay, &n.max: s.MaxStay} {
		if value != nil {
			*field = *value
		}
	}
	if s.ClosedToArrival != nil {
		n.toArrival = *s.ClosedToArrival
	}
	if s.StopSell != nil {
		n.stop = *s.StopSell
	}
	if (s.MinStay != nil || s.MaxStay != nil) && n.max > 0 && n.min > n.max {
		return n, &availability.LimitsError{MinStay: n.min, MaxStay: n.max}
	}
	if s.Change.Rooms != nil {
		rooms, sold := *s.Change.Rooms, w.sold(at)
		if rooms < n.total && sold-rooms > s.Overbook {
			return n, &availability.SoldError{Sold: sold, Rooms: rooms}
		}
		if rooms != n.total {
			n.lowered = sold > rooms
		}
		n.total = rooms
	}
	return n, nil
}

// outcomes returns the report, and the nights as the update leaves them. A night is written as a whole.
func (s updating) outcomes(w *world, ids []string, stay dynastay.Stay) ([]availability.DateReport, map[nightAt]worldNight) {
	today := w.houses[s.house].today(w.db.Now())
	after, result, errs := map[nightAt]worldNight{}, map[nightAt]availability.Result{}, map[nightAt]error{}
	each := func(do func(d availability.DateReport, at nightAt)) {
		for _, id := range ids {
			for date := range stay.Dates() {
				if s.ClosedToDeparture != nil {
					do(availability.DateReport{RoomTypeID: id, Date: date, Departure: true}, nightAt{id, date.AddDays(-1)})
				}
				if s.ClosedToArrival != nil || s.ClosedToDeparture == nil {
					do(availability.DateReport{RoomTypeID: id, Date: date}, nightAt{id, date})
				}
			}
		}
	}
	each(func(d availability.DateReport, at nightAt) {
		if d.Date.Before(today) {
			return
		}
		n, open := w.nights[at]
		if changed, there := after[at]; there {
			n = changed
		}
		result[at] = availability.NotWritten
		if !open {
			errs[at] = availability.ErrNotOpen
		} else if n, errs[at] = s.changed(w, at, n, d.Departure); errs[at] == nil {
			result[at], after[at] = availability.Unchanged, n
			if n != w.nights[at] {
				result[at] = availability.Written
			}
		}
	})
	var report []availability.DateReport
	each(func(d availability.DateReport, at nightAt) {
		if d.Result, d.Err = result[at], errs[at]; d.Date.Before(today) {
			d.Result, d.Err = availability.NotWritten, availability.ErrPast
		}
		if n, there := after[at]; there && s.Change.Rooms != nil && d.Err == nil {
			d.Overbooked = max(0, w.sold(at)-n.total)
		}
		report = append(report, d)
	})
	for at, n := range after {
		if result[at] == availability.Written {
			n.updated = w.db.Now()
			after[at] = n
		}
	}
	return report, after
}

func (s updating) run(w *world, on program) {
	stay := s.dates.stay(w, s.house)
	c := s.Change
	c.Dates = stay
	for _, i := range s.rooms {
		if id := w.room(s.house, i).RoomTypeID; !slices.Contains(c.RoomTypeIDs, id) {
			c.RoomTypeIDs = append(c.RoomTypeIDs, id)
		}
	}
	want, after := s.outcomes(w, c.RoomTypeIDs, stay)
	u := availability.UpdateRequest{PropertyID: w.houses[s.house].ID, Changes: []availability.Change{c}}
	if s.together {
		w.updateTogether(u, want, after, on)
		return
	}
	report, _ := on.nights.Update(context.Background(), u)
	repeated := len(report.Retry()) > 0
	if repeated {
		require.True(w.t, w.fault.Fatal() || w.fault.Loses(), "%v", report.Retry())
		w.recover()
		report, _ = on.nights.Update(context.Background(), u)
	}
	w.sameDates(want, report.Dates, repeated)
	maps.Copy(w.nights, after)
}

// updateTogether makes all changes in one transaction, or none.
func (w *world) updateTogether(u availability.UpdateRequest, want []availability.DateReport, after map[nightAt]worldNight, on program) {
	do := func() (availability.Report, error) {
		return dynastay.Do(context.Background(), on.db, on.nights.UpdateOp(u))
	}
	report, err := do()
	repeated := errors.Is(err, dynastay.ErrOutcomeUnknown) || w.gaveUp(err)
	if repeated {
		w.recover()
		report, err = do()
	}
	no := slices.DeleteFunc(slices.Clone(want), func(d availability.DateReport) bool { return d.Err == nil })
	if len(no) > 0 {
		failed := blame.As[*availability.UpdateError](w.t, err)
		require.Equal(w.t, len(want), failed.Of)
		w.sameDates(no, failed.Dates, false)
		w.met.Add("update: none together", 1)
		return
	}
	require.NoError(w.t, err)
	w.sameDates(want, report.Dates, repeated)
	maps.Copy(w.nights, after)
	w.met.Add("update: all together", 1)
}

// sameDates compares reports. If the update was repeated, the first call may have written the nights.
func (w *world) sameDates(want, all []availability.DateReport, repeated bool) {
	require.Len(w.t, all, len(want))
	for i, d := range want {
		got := all[i]
		if repeated && got.Result == availability.Unchanged && d.Result == availability.Written {
			got.Result = availability.Written
		}
		w.sameDate(d, got)
	}
}

// sameDate compares an entry of a report.
func (w *world) sameDate(want, got availability.DateReport) {
	name := string(want.Result)
	switch no := want.Err.(type) {
	case nil:
		require.NoError(w.t, got.Err)
		if want.Overbooked > 0 {
			name = "overbooked"
		}
	case *availability.SoldError:
		sold := blame.As[*availability.SoldError](w.t, got.Err)
		require.Equal(w.t, no, sold)
		name = "sold"
	case *availability.LimitsError:
		limits := blame.As[*availability.LimitsError](w.t, got.Err)
		require.Equal(w.t, no, limits)
		name = "limits"
	default:
		require.ErrorIs(w.t, got.Err, no)
		name = map[error]string{availability.ErrNotOpen: "not open", availability.ErrPast: "past"}[no]
	}
	want.Err, got.Err = nil, nil
	require.Equal(w.t, want, got)
	w.met.Add("update: "+name, 1)
}
