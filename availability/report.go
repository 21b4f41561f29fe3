package availability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
)

// Result is what an update did with a date.
type Result string

// The results.
const (
	Written    Result = "written"     // the values were written by this call
	Unchanged  Result = "unchanged"   // the night had the values when it was read, so nothing was written
	NotWritten Result = "not_written" // Err says why
	Unknown    Result = "unknown"     // the response was lost, and the values may have been written, or may still be written
)

// Why a date was not written. [DateReport.Err] may also be a [*SoldError], a [*LimitsError], [ErrRatesFull],
// [ErrMixedCurrencies], or one of the errors of [dynastay.DB.Write].
var (
	// ErrNotOpen means that the night was never opened, or belongs to a different property. For departures, this is the
	// night before.
	ErrNotOpen = dynastay.Refusal("night is not open")
	// ErrPast means that the date is before today at the property.
	ErrPast = dynastay.Refusal("date is in the past")
)

// SoldError means that a new total is lower than the number of rooms that are already sold or out of order, by more than
// Overbook allows.
type SoldError struct {
	Sold       int // rooms sold on the night
	OutOfOrder int // rooms that cannot be used
	Rooms      int // the total that the update asked for
}

// Error returns the numbers, and the Overbook that the total requires.
func (e *SoldError) Error() string {
	out := ""
	if e.OutOfOrder > 0 {
		out = fmt.Sprintf(" and %d out of order", e.OutOfOrder)
	}
	return fmt.Sprintf("%d rooms are sold%s, so a total of %d requires Overbook to be at least %d",
		e.Sold, out, e.Rooms, e.Sold+e.OutOfOrder-e.Rooms)
}

// Is makes it match [dynastay.ErrRefused].
func (*SoldError) Is(target error) bool { return target == dynastay.ErrRefused }

// LimitsError means that no stay could meet the limits that a night would have: the one that the update sets, and the
// one that is stored.
type LimitsError struct {
	RatePlanID       string // if the limits are those of stays under the plan; "" otherwise
	MinStay, MaxStay int
}

// Error returns both limits.
func (e *LimitsError) Error() string {
	return fmt.Sprintf("%sthe minimum stay of %d would be above the maximum stay of %d", ofPlan(e.RatePlanID), e.MinStay, e.MaxStay)
}

// ofPlan begins an error that may be about a rate plan.
func ofPlan(id string) string {
	if id == "" {
		return ""
	}
	return "rate plan " + id + ": "
}

// Is makes it match [dynastay.ErrRefused].
func (*LimitsError) Is(target error) bool { return target == dynastay.ErrRefused }

// Report is the result of [Repository.Update]: an entry for every date of the request, ordered by room type and date. A
// date for which the request sets both ClosedToDeparture and other values has two entries, the one about departures
// first.
type Report struct {
	Dates []DateReport `json:",omitzero"`
}

// DateReport is the outcome for one date of a room type.
type DateReport struct {
	RoomTypeID string
	Date       dynastay.Date `json:",omitzero"`
	// Departure is true for an entry about ClosedToDeparture, and false for an entry about all other values. Departures
	// are stored with the night before, and a night is written as a whole, so an entry about departures has the result
	// of that night.
	Departure bool
	Result    Result
	// Overbooked is the number of rooms that are sold beyond the total, if the request sets Rooms. It is exact if the
	// update changed the total; otherwise, it is the number when the night was read.
	Overbooked int
	Err        error `json:"-"` // for NotWritten and Unknown
}

// String returns the entry in one line, such as "room_789 2026-07-10 not_written: night is not open".
func (d DateReport) String() string {
	text := d.RoomTypeID + " " + d.Date.String()
	if d.Departure {
		text += " departure"
	}
	text += " " + string(d.Result)
	if d.Err != nil { // without the names of the operation and of the night, which the text already contains
		reason := strings.TrimPrefix(d.Err.Error(), opUpdate+": ")
		text += ": " + strings.TrimPrefix(reason, "Night "+d.RoomTypeID+" "+d.Date.String()+": ")
	}
	return text
}

func (d *DateReport) fail(err error) {
	d.Result, d.Err = NotWritten, err
	if errors.Is(err, dynastay.ErrOutcomeUnknown) {
		d.Result = Unknown
	}
}

// lasting reports whether the same update of the date would fail again.
func (d DateReport) lasting() bool {
	for _, kind := range []error{dynastay.ErrRefused, dynastay.ErrCorrupt, dynastay.ErrRejected} {
		if errors.Is(d.Err, kind) {
			return true
		}
	}
	return false
}

// Count returns the number of entries with that result.
func (r Report) Count(result Result) (n int) {
	for _, d := range r.Dates {
		if d.Result == result {
			n++
		}
	}
	return n
}

// Retry returns the entries for which the same request can succeed later: their outcome is unknown, or the database was
// busy or could not be reached, or the context ended. Use it as [UpdateRequest.Only]. It is never nil.
func (r Report) Retry() []DateReport {
	all := []DateReport{}
	for _, d := range r.Dates {
		if d.Err != nil && !d.lasting() {
			all = append(all, d)
		}
	}
	return all
}

// Merge returns the report with the entries of a later report in place of its own. Use it after a retry with
// [UpdateRequest.Only], whose report contains only the dates that were retried.
func (r Report) Merge(later Report) Report {
	byEntry := map[entry]DateReport{}
	for _, d := range later.Dates {
		byEntry[d.entry()] = d
	}
	merged := Report{slices.Clone(r.Dates)}
	for i, d := range merged.Dates {
		if newer, there := byEntry[d.entry()]; there {
			merged.Dates[i] = newer
		}
	}
	return merged
}

// Overbooked returns the entries of the dates on which more rooms are sold than the total.
func (r Report) Overbooked() (all []DateReport) {
	for _, d := range r.Dates {
		if d.Overbooked > 0 {
			all = append(all, d)
		}
	}
	return all
}

// failure returns the [*UpdateError] of a report, or nil if every date has the values of the request.
func (r Report) failure() error {
	failed := &UpdateError{Of: len(r.Dates)}
	for _, d := range r.Dates {
		if d.Err != nil {
			failed.Dates = append(failed.Dates, d)
		}
	}
	if failed.Dates == nil {
		return nil
	}
	return failed
}

// UpdateError lists the dates of an update that were not written or whose outcome is unknown. It matches the errors of
// all its dates, so for example errors.Is(err, dynastay.ErrThrottled) means that at least one date was throttled.
type UpdateError struct {
	Dates []DateReport
	Of    int // number of entries of the report
}

// mostShown is the number of dates in the text of an UpdateError.
const mostShown = 3

// Error returns the number of dates, and the first three.
func (e *UpdateError) Error() string {
	shown := make([]string, 0, mostShown)
	for _, d := range e.Dates[:min(len(e.Dates), mostShown)] {
		shown = append(shown, d.String())
	}
	if len(e.Dates) > mostShown {
		shown = append(shown, "…")
	}
	return fmt.Sprintf("%s: %d of %d dates failed: %s", opUpdate, len(e.Dates), e.Of, strings.Join(shown, "; "))
}

// Unwrap returns the errors of the dates.
func (e *UpdateError) Unwrap() []error {
	all := make([]error, len(e.Dates))
	for i, d := range e.Dates {
		all[i] = d.Err
	}
	return all
}

// entry identifies an entry of a report.
type entry struct {
	roomTypeID string
	date       dynastay.Date
	departure  bool
}

func (d DateReport) entry() entry { return entry{d.RoomTypeID, d.Date, d.Departure} }

func (e entry) report() DateReport {
	return DateReport{RoomTypeID: e.roomTypeID, Date: e.date, Departure: e.departure}
}

// night returns the night with which the entry's values are stored. Departures are stored with the night before: it is
// the last night of the stay, and so part of a sale's transaction anyway.
func (e entry) night() dynastay.Date {
	if e.departure {
		return e.date.AddDays(-1)
	}
	return e.date
}

// compare orders entries by room type and date, departures first.
func (e entry) compare(other entry) int {
	if order := strings.Compare(e.roomTypeID, other.roomTypeID); order != 0 {
		return order
	}
	if order := e.date.Compare(other.date); order != 0 || e.departure == other.departure {
		return order
	}
	if e.departure {
		return -1
	}
	return 1
}
