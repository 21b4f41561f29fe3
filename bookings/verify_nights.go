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
// What changes meanwhile is no difference. If something seems to differ, VerifyNights waits for [dynastay.Options.IndexLag], because
// the list of bookings lags, and reads the bookings again, until none of those of a night has changed since before the night was
// read. A night that is in no index, because other software has not stored its keys, is compared only if it is booked.
//
// 1 request for each 1 MB of nights and of summaries of bookings, and 1 for each booking that has rooms. If something seems to
// differ, at least as many again, and 1 for up to 100 such nights.
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
// again and again. 2 requests more for each night that differs; then VerifyNights once more.
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

// bookedNight is which bookings have rooms of a night, and how many.
type bookedNight map[string]bookedRooms

type bookedRooms struct {
	rooms   int
	version int
	at      time.Time // of its last change
}

func (n bookedNight) rooms() (sum int) {
	for _, b := range n {
		sum += b.rooms
	}
	return sum
}

// differentNights compares first what the index says, which costs least. Of what differs, it reads the bookings, then
// the nights, then the bookings again. A booking that has not changed in between was as it is when the night was read, and a booking and its
// nights change together. So what then differs does.
func (r *Repository) differentNights(ctx context.Context, propertyID string, dates dynastay.Stay) (found []differentNight, err error) {
	sold, err := r.nights.SoldOn(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	had, err := r.bookedNights(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	var doubtful []dynastay.Ref
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
	for n := 0; n < mostVerified && len(doubtful) > 0; n++ {
		counts, err := r.nights.Count(ctx, propertyID, doubtful)
		if err != nil {
			return nil, err
		}
		// A booking that the list does not show yet would seem to have no rooms, and a mend would sell them a second time.
		if err := r.db.AwaitIndexes(ctx); err != nil {
			return nil, err
		}
		now, err := r.bookedNights(ctx, propertyID, dates)
		if err != nil {
			return nil, err
		}
		doubtful = nil
		for _, c := range counts {
			switch rooms := now[c.Ref].rooms(); {
			case !maps.Equal(had[c.Ref], now[c.Ref]):
				doubtful = append(doubtful, c.Ref)
			case c.Sold != rooms || !c.Exists && rooms > 0:
				d, err := differenceOf(c, now[c.Ref])
				if err != nil {
					return nil, err
				}
				found = append(found, d)
			}
		}
		had = now
	}
	slices.SortFunc(found, func(a, b differentNight) int {
		return cmp.Or(cmp.Compare(a.RoomTypeID, b.RoomTypeID), cmp.Compare(a.Date.String(), b.Date.String()))
	})
	return found, nil // what is still doubtful is written all the time, and so by the library
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
				had[ref][b.ID] = bookedRooms{line.Quantity, b.Version, b.UpdatedAt}
			}
		}
	}
	return had, nil
}

// hasNight reports whether the rooms of a night of the stay are the booking's. Guests who leave early, or do not come, keep the
// nights that nobody has released.
func (b *Booking) hasNight(date dynastay.Date) bool {
	return b.Status != Cancelled && b.Status != Expired && !b.Released.Contains(date)
}
