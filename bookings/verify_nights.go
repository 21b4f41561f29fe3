package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	NotOpen  bool     // the property has no such night
}

// String returns the difference in one line, such as "room_789 2026-07-10: 3 rooms are sold, and bookings have 2".
func (d NightDifference) String() string {
	said := fmt.Sprintf("%d rooms are sold", d.Sold)
	if d.NotOpen {
		said = "the night is not open"
	}
	return fmt.Sprintf("%s %s: %s, and bookings have %d", shown.Masked(d.RoomTypeID), d.Date, said, d.Booked)
}

// NightsError means that nights of a property and its bookings contradict each other. It matches [dynastay.ErrCorrupt].
type NightsError struct {
	PropertyID string
	Nights     []NightDifference // by room type, then by date
}

// Error names the property, the number of nights, and the first three of them.
func (e *NightsError) Error() string {
	var first []string
	for _, n := range e.Nights[:min(len(e.Nights), 3)] {
		first = append(first, n.String())
	}
	if len(e.Nights) > len(first) {
		first = append(first, "…")
	}
	return fmt.Sprintf("property %s: %d nights are not as booked: %s", shown.Masked(e.PropertyID), len(e.Nights), strings.Join(first, "; "))
}

// Is makes it match [dynastay.ErrCorrupt].
func (*NightsError) Is(target error) bool { return target == dynastay.ErrCorrupt }

// VerifyNights compares the rooms that are sold on the nights of a property, as the nights say, with the rooms that its bookings
// have. It fails with a [*NightsError] if they differ; [Repository.MendNights] writes what follows from the bookings. There may be at
// most 732 dates. Bookings of more than 90 nights, which only other software can have stored, are missed if they began more
// than 90 nights before.
//
// What changes meanwhile is no difference. If something seems to differ, VerifyNights reads the night, waits for
// [dynastay.Options.IndexLag], because the list of bookings lags, and reads the bookings and the night again, until the night has not
// changed in between. One that always changes is left out after 10 times. A night that is in no index, because other software has not
// stored its keys, is compared only if it is booked. Nights that expire, two years later, are not compared.
//
// It fails with [dynastay.ErrCorrupt] for a booking that says that it has other rooms than its lines.
//
// 1 request for each 1 MB of nights and of summaries of bookings, and 1 for each booking that has rooms. If something seems to
// differ, each time as many again for the bookings, and 2 for up to 100 such nights.
func (r *Repository) VerifyNights(ctx context.Context, propertyID string, dates dynastay.Stay) (err error) {
	ctx, end := r.db.Begin(ctx, "bookings.VerifyNights")
	defer func() { end(err) }()
	all, err := r.differentNights(ctx, propertyID, dates)
	if err != nil {
		return err
	}
	return nightsError(propertyID, all)
}

// MendNights changes the rooms left of nights that [Repository.VerifyNights] finds different, so that they agree with the bookings.
// It returns the nights that it has changed. More rooms may be booked than there are: then fewer than 0 are left, as after an
// overbooking. A night that is not open stays a difference until it is opened, and so does one that the host writes at the same moment
// again and again. 2 requests more for each night that differs; then VerifyNights once more, at most 10 times.
//
// It believes the bookings, and gives back rooms that none of them has. So first mend the index keys of the bookings, see
// [Repository.MendRow]; and do not use it if there are stays of more than 90 nights, or while other software takes rooms before it
// stores their booking.
func (r *Repository) MendNights(ctx context.Context, propertyID string, dates dynastay.Stay) (mended []NightDifference, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.MendNights")
	defer func() { end(err) }()
	for n := 0; ; n++ {
		all, err := r.differentNights(ctx, propertyID, dates)
		if err != nil {
			return mended, err
		}
		again := false
		for _, d := range all {
			if d.NotOpen || n == mostVerified {
				continue
			}
			_, err := dynastay.Do(ctx, r.db, r.nights.RecountOp(d.counted, d.Booked-d.Sold))
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
			return mended, nightsError(propertyID, all)
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
	doubtful, err := r.doubtfulNights(ctx, propertyID, dates)
	for n := 0; n < mostVerified && len(doubtful) > 0 && err == nil; n++ {
		var more []differentNight
		more, doubtful, err = r.compareNights(ctx, propertyID, dates, doubtful)
		found = append(found, more...)
	}
	slices.SortFunc(found, func(a, b differentNight) int {
		return cmp.Or(cmp.Compare(a.RoomTypeID, b.RoomTypeID), a.Date.Compare(b.Date))
	})
	return found, err // what is still doubtful is changed all the time, and so by the library
}

// doubtfulNights returns the nights that seem to differ.
func (r *Repository) doubtfulNights(ctx context.Context, propertyID string, dates dynastay.Stay) (doubtful []dynastay.Ref, err error) {
	sold, err := r.nights.SoldOn(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	had, err := r.bookedNights(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	for ref := range had {
		if _, open := sold[ref]; !open {
			doubtful = append(doubtful, ref)
		}
	}
	for ref, rooms := range sold {
		if rooms != had[ref].rooms() {
			doubtful = append(doubtful, ref)
		}
	}
	return doubtful, nil
}

// compareNights returns those that differ, and those that were changed meanwhile.
func (r *Repository) compareNights(
	ctx context.Context, propertyID string, dates dynastay.Stay, nights []dynastay.Ref,
) (found []differentNight, doubtful []dynastay.Ref, err error) {
	before, err := r.nights.Count(ctx, propertyID, nights)
	if err != nil {
		return nil, nil, err
	}
	// A booking that the list does not show yet would seem to have no rooms, and a mend would sell them a second time.
	if err := r.db.AwaitIndexes(ctx); err != nil {
		return nil, nil, err
	}
	had, err := r.bookedNights(ctx, propertyID, dates)
	if err != nil {
		return nil, nil, err
	}
	after, err := r.nights.Count(ctx, propertyID, nights)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range after {
		switch rooms := had[c.Ref].rooms(); {
		case c != before[i]:
			doubtful = append(doubtful, c.Ref)
		case c.Sold != rooms || !c.Exists && rooms > 0:
			d, err := differenceOf(c, had[c.Ref])
			if err != nil {
				return nil, nil, err
			}
			found = append(found, d)
		}
	}
	return found, doubtful, nil
}

func differenceOf(c availability.NightCount, had bookedNight) (differentNight, error) {
	night, err := keys.Parse[keys.Night](c.Ref.Key)
	return differentNight{NightDifference{
		RoomTypeID: night.RoomTypeID, Date: night.Date, Sold: c.Sold, Booked: had.rooms(), NotOpen: !c.Exists,
		Bookings: slices.Sorted(maps.Keys(had)),
	}, c}, err
}

// bookedNights returns which bookings have rooms on the dates.
func (r *Repository) bookedNights(ctx context.Context, propertyID string, dates dynastay.Stay) (map[dynastay.Ref]bookedNight, error) {
	var ids []string
	list := r.ByProperty(PropertyQuery{PropertyID: propertyID, From: dates.CheckIn.AddDays(-availability.MaxNights), To: dates.CheckOut})
	for s, err := range list.All(ctx) {
		if err != nil {
			return nil, err
		}
		if s.Status != Cancelled && s.Status != Expired && s.Stay.Overlaps(dates) {
			ids = append(ids, s.ID)
		}
	}
	all, err := r.GetAll(ctx, ids, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	had := map[dynastay.Ref]bookedNight{}
	for _, b := range all {
		if b == nil || b.PropertyID != propertyID {
			continue
		}
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

var errNotTheLines = errors.New("must be that of its lines")

// hasNight reports whether the rooms of a night of the stay are the booking's. Guests who leave early, or do not come, keep the
// nights that nobody has released.
func (b *Booking) hasNight(date dynastay.Date) bool {
	return b.Status != Cancelled && b.Status != Expired && !b.Released.Contains(date)
}
