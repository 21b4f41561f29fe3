package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// NightDifference is a night that does not say of its rooms what the bookings say.
type NightDifference struct {
	RoomTypeID string
	Date       dynastay.Date `json:",omitzero"`
	// Sold is how many rooms the night says are sold: Total − OutOfOrder − Available. It is negative if more rooms are left than
	// there are, and 0 if the night is not open.
	Sold     int
	Booked   int      // rooms that bookings have
	Bookings []string `json:",omitzero"` // their ids
	// OutOfOrder is how many rooms the night says are out of order.
	OutOfOrder int
	UnitsOut   int  // units of the room type that are out of order; on a night that is not compared, as many as the night says
	NotOpen    bool // the property has no such night
}

// String returns the difference in one line, such as "room_789 2026-07-10: sold 3, booked 2".
func (d NightDifference) String() string {
	said := fmt.Sprintf("%s %s: ", shown.Masked(d.RoomTypeID), d.Date)
	if d.NotOpen {
		said += "not open"
	} else {
		said += fmt.Sprintf("sold %d", d.Sold)
	}
	said += fmt.Sprintf(", booked %d", d.Booked)
	if d.OutOfOrder != d.UnitsOut {
		said += fmt.Sprintf(", out of order %d, and %d by the units", d.OutOfOrder, d.UnitsOut)
	}
	return said
}

// NightsError means that nights of a property and its bookings contradict each other. It matches [dynastay.ErrCorrupt].
type NightsError struct {
	PropertyID string
	Nights     []NightDifference // by room type, then by date
}

// Error names the property, the first three of the nights, and how many more there are.
func (e *NightsError) Error() string {
	return fmt.Sprintf("property %s: not as booked: %s", shown.Masked(e.PropertyID), firstOf(e.Nights))
}

// firstOf names the first three of many.
func firstOf[T fmt.Stringer](all []T) string {
	const most = 3
	var first []string
	for _, one := range all[:min(len(all), most)] {
		first = append(first, one.String())
	}
	if more := len(all) - most; more > 0 {
		first = append(first, fmt.Sprintf("%d more", more))
	}
	return strings.Join(first, "; ")
}

// Is makes it match [dynastay.ErrCorrupt].
func (*NightsError) Is(target error) bool { return target == dynastay.ErrCorrupt }

// VerifyNights compares the rooms that are sold on the nights of a property, as the nights say, with the rooms that its bookings
// have; and, from tomorrow in UTC on, the rooms that are out of order with the units that are. It fails with a [*NightsError] if they
// differ; [Repository.MendNights] writes what follows from the bookings and units. There may be at most 732 dates. Bookings of
// more than 90 nights, which only other software can have stored, are missed if they began more than 90 nights before.
//
// What changes meanwhile is no difference. If something seems to differ, VerifyNights reads the night, waits for
// [dynastay.Options.IndexLag], because the list of bookings lags, and reads the bookings and the night again, until the night has not
// changed in between. If one has changed each of 10 times, VerifyNights fails with [ErrAlwaysChanges], besides what it has found.
// A night that is in no index, because other software has not stored its keys, is compared only if it is booked, or if a unit is out
// of order. Nights that expire, two years later, are not compared.
//
// It fails with [dynastay.ErrCorrupt] for a booking that says that it has other rooms than its lines.
//
// 1 request for each 1 MB of nights, of units and of summaries of bookings, and 1 for each booking that has rooms. If something seems
// to differ, each time as many again for the bookings and units, and 2 for up to 100 such nights.
func (r *Repository) VerifyNights(ctx context.Context, propertyID string, dates dynastay.Stay) (err error) {
	ctx, end := r.db.Begin(ctx, "bookings.VerifyNights")
	defer func() { end(err) }()
	all, err := r.differentNights(ctx, propertyID, dates)
	return joined(nightsError(propertyID, all), err)
}

// joined returns what was found, and what could not be compared because it always changes. Any other error says nothing about what is
// stored, so it must not be taken for a difference.
func joined(found, err error) error {
	switch {
	case err == nil:
		return found
	case found == nil || !errors.Is(err, ErrAlwaysChanges):
		return err
	}
	return errors.Join(found, err)
}

// ErrAlwaysChanges means that something could not be compared, because it had changed each time that it was read again.
var ErrAlwaysChanges = dynastay.Refusal("it changed each of 10 times that it was compared")

// MendNights changes nights that [Repository.VerifyNights] finds different, so that they agree with the bookings and units. It returns
// the nights that it has changed. More rooms may be booked than there are: then fewer than 0 are left, as after an overbooking. A
// night that is not open stays a difference until it is opened, and so does one that the host writes at the same moment again and
// again. 2 requests more for each night that differs; then VerifyNights once more, at most 10 times.
//
// It believes the bookings, and gives back rooms that none of them has. So first mend the index keys of the bookings, see
// [Repository.MendRow]; and do not use it if there are stays of more than 90 nights, or if other software takes rooms before it stores
// their booking, or gives back the nights of guests who leave early or do not come.
func (r *Repository) MendNights(ctx context.Context, propertyID string, dates dynastay.Stay) (mended []NightDifference, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.MendNights")
	defer func() { end(err) }()
	for n := 0; ; n++ {
		all, err := r.differentNights(ctx, propertyID, dates)
		if err != nil && !errors.Is(err, ErrAlwaysChanges) {
			return mended, err
		}
		again := false
		for _, d := range all {
			if d.NotOpen || n == mostVerified {
				continue
			}
			_, err := dynastay.Do(ctx, r.db, r.nights.RecountOp(d.counted, d.Booked-d.Sold, d.UnitsOut-d.OutOfOrder))
			switch {
			case err == nil:
				mended, again = append(mended, d.NightDifference), true
			case !errors.Is(err, dynastay.ErrVersion) && !errors.Is(err, dynastay.ErrNotFound):
				return mended, err
			default:
				again = true
			}
		}
		if !again {
			return mended, joined(nightsError(propertyID, all), err)
		}
	}
}

// mostVerified limits how often bookings are read again that keep changing.
const mostVerified = 10

type differentNight struct {
	NightDifference
	counted availability.NightCount
}

func nightsError(propertyID string, all []differentNight) error {
	if len(all) == 0 {
		return nil
	}
	e := &NightsError{PropertyID: propertyID}
	for _, d := range all {
		e.Nights = append(e.Nights, d.NightDifference)
	}
	return e
}

// bookedNight is how many rooms of a night bookings have, by their ids.
type bookedNight map[string]int

func (n bookedNight) rooms() (sum int) {
	for _, rooms := range n {
		sum += rooms
	}
	return sum
}

// differentNights compares first what the indexes say, which costs least. Of what differs, it reads the nights, then the bookings, then
// the nights again. Whatever changes the rooms that bookings have of a night also changes the night, so one that is the same before
// and after was sold to the bookings in between.
func (r *Repository) differentNights(ctx context.Context, propertyID string, dates dynastay.Stay) (found []differentNight, err error) {
	if err := dates.Validate(); err != nil {
		return nil, dynastay.Within("Dates", err)
	}
	if dates = r.nights.Kept(dates); dates == (dynastay.Stay{}) {
		return nil, nil
	}
	listed := map[string]bool{}
	doubtful, err := r.doubtfulNights(ctx, propertyID, dates, listed)
	for n := 0; n < mostVerified && len(doubtful) > 0 && err == nil; n++ {
		var more []differentNight
		more, doubtful, err = r.compareNights(ctx, propertyID, dates, doubtful, listed)
		found = append(found, more...)
	}
	if err == nil && len(doubtful) > 0 {
		err = &dynastay.Error{Op: "bookings.VerifyNights", Entity: "Night", ID: doubtful[0].Key.String(), Kind: ErrAlwaysChanges}
	}
	slices.SortFunc(found, func(a, b differentNight) int {
		return cmp.Or(cmp.Compare(a.RoomTypeID, b.RoomTypeID), a.Date.Compare(b.Date))
	})
	return found, err
}

// doubtfulNights returns the nights that seem to differ.
func (r *Repository) doubtfulNights(
	ctx context.Context, propertyID string, dates dynastay.Stay, listed map[string]bool,
) (doubtful []dynastay.Ref, err error) {
	sold, err := r.nights.SoldOn(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	had, err := r.bookedNights(ctx, propertyID, dates, listed)
	if err != nil {
		return nil, err
	}
	out, err := r.outOfOrderOn(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	for ref := range had {
		if !sold[ref].Exists {
			doubtful = append(doubtful, ref)
		}
	}
	for ref := range out.units {
		if !sold[ref].Exists && len(had[ref]) == 0 {
			doubtful = append(doubtful, ref)
		}
	}
	for ref, night := range sold {
		if night.Sold != had[ref].rooms() || night.OutOfOrder != out.of(night) {
			doubtful = append(doubtful, ref)
		}
	}
	return doubtful, nil
}

// compareNights returns those that differ, and those that were changed meanwhile.
func (r *Repository) compareNights(
	ctx context.Context, propertyID string, dates dynastay.Stay, nights []dynastay.Ref, listed map[string]bool,
) (found []differentNight, doubtful []dynastay.Ref, err error) {
	before, err := r.nights.Count(ctx, propertyID, nights)
	if err != nil {
		return nil, nil, err
	}
	// A booking that the list does not show yet would seem to have no rooms, and a mend would sell them a second time.
	if err := r.db.AwaitIndexes(ctx); err != nil {
		return nil, nil, err
	}
	had, err := r.bookedNights(ctx, propertyID, dates, listed)
	if err != nil {
		return nil, nil, err
	}
	out, err := r.outOfOrderOn(ctx, propertyID, dates)
	if err != nil {
		return nil, nil, err
	}
	after, err := r.nights.Count(ctx, propertyID, nights)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range after {
		switch rooms, units := had[c.Ref].rooms(), out.of(c); {
		case c != before[i]:
			doubtful = append(doubtful, c.Ref)
		case c.Sold != rooms || c.OutOfOrder != units || !c.Exists && rooms+units > 0:
			night, err := keys.Parse[keys.Night](c.Ref.Key)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, differentNight{NightDifference{
				RoomTypeID: night.RoomTypeID, Date: night.Date, Sold: c.Sold, Booked: rooms, NotOpen: !c.Exists,
				Bookings: slices.Sorted(maps.Keys(had[c.Ref])), OutOfOrder: c.OutOfOrder, UnitsOut: units,
			}, c})
		}
	}
	return found, doubtful, nil
}

// unitsOut is how many units are out of order on nights of room types from a date on.
type unitsOut struct {
	units map[dynastay.Ref]int
	from  dynastay.Date
}

// of returns how many units of a night are out of order; as many as it says itself, if the units do not say it any more.
func (o unitsOut) of(c availability.NightCount) int {
	if night, err := keys.Parse[keys.Night](c.Ref.Key); err == nil && night.Date.Before(o.from) {
		return c.OutOfOrder
	}
	return o.units[c.Ref]
}

// firstRemembered is the first night of which units say whether they are out of order: a unit forgets a time that has ended before
// today at the property, which is at most tomorrow in UTC.
func (r *Repository) firstRemembered() dynastay.Date {
	return dynastay.DateOf(r.db.Now(), time.UTC).AddDays(1)
}

// outOfOrderOn counts the units that are out of order.
func (r *Repository) outOfOrderOn(ctx context.Context, propertyID string, dates dynastay.Stay) (unitsOut, error) {
	out := unitsOut{map[dynastay.Ref]int{}, r.firstRemembered()}
	all, err := r.units.All(ctx, propertyID)
	if err != nil {
		return out, err
	}
	for _, u := range all {
		for _, o := range u.OutOfOrder {
			for date := range within(o.Nights, dates).Dates() {
				ref, err := availability.NightRef(u.RoomTypeID, date)
				if err != nil {
					return out, err
				}
				if !date.Before(out.from) {
					out.units[ref]++
				}
			}
		}
	}
	return out, nil
}

// bookedNights returns which bookings have rooms on the dates.
func (r *Repository) bookedNights(
	ctx context.Context, propertyID string, dates dynastay.Stay, listed map[string]bool,
) (map[dynastay.Ref]bookedNight, error) {
	all, err := r.bookingsOn(ctx, propertyID, dates, listed)
	if err != nil {
		return nil, err
	}
	had := map[dynastay.Ref]bookedNight{}
	for _, b := range all {
		if names := b.wrongRooms(); len(names) > 0 { // rooms that it has no lines of would seem to be nobody's
			return nil, &dynastay.Error{
				Op: "bookings.VerifyNights", Entity: "Booking", ID: b.ID, Field: names[0], Kind: dynastay.ErrCorrupt, Err: errNotTheLines,
			}
		}
		for _, line := range b.taken() {
			for date := range b.Stay.Dates() {
				if !dates.Contains(date) || !b.hasNight(date) {
					continue
				}
				ref, err := availability.NightRef(line.RoomTypeID, date)
				if err != nil {
					return nil, err
				}
				if had[ref] == nil {
					had[ref] = bookedNight{}
				}
				had[ref][b.ID] += line.Quantity
			}
		}
	}
	return had, nil
}

// bookingsOn returns the bookings of a property with nights on the dates, except those that the list says have no rooms. It adds them
// to those that were listed before, and reads these too: a booking that gets another date of check-in moves in the index, and a list
// that is read at the same moment may miss it.
func (r *Repository) bookingsOn(ctx context.Context, propertyID string, dates dynastay.Stay, listed map[string]bool) ([]*Booking, error) {
	list := r.ByProperty(PropertyQuery{PropertyID: propertyID, From: dates.CheckIn.AddDays(-availability.MaxNights), To: dates.CheckOut})
	for s, err := range list.All(ctx) {
		if err != nil {
			return nil, err
		}
		if s.Status != Cancelled && s.Status != Expired && s.Stay.Overlaps(dates) {
			listed[s.ID] = true
		}
	}
	all, err := r.GetAll(ctx, slices.Sorted(maps.Keys(listed)), dynastay.Consistent)
	return slices.DeleteFunc(all, func(b *Booking) bool { return b == nil || b.PropertyID != propertyID }), err
}

var errNotTheLines = errors.New("must be that of its lines")

// hasNight reports whether the rooms of a night of the stay are the booking's. Guests who leave early, or do not come, keep the
// nights that nobody has released.
func (b *Booking) hasNight(date dynastay.Date) bool {
	return b.Status != Cancelled && b.Status != Expired && !b.Released.Contains(date)
}
