package availability

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// SoldNight is a night on which rooms are sold.
type SoldNight struct {
	RoomTypeID string
	Date       dynastay.Date `json:",omitzero"`
	Rooms      int           // rooms sold
}

// String returns the night in one line, such as "room_789 2026-07-10: 2 rooms".
func (n SoldNight) String() string {
	return fmt.Sprintf("%s %s: %s", shown.Masked(n.RoomTypeID), n.Date, count(n.Rooms, "room"))
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// SoldAheadError means that rooms are sold for tonight or later. The bookings must be cancelled, or the nights must
// have passed, before the call can succeed.
type SoldAheadError struct {
	Nights []SoldNight // in the order of the room types, then by date
}

// Error returns the number of nights and the first three of them.
func (e *SoldAheadError) Error() string {
	var first []string
	for _, n := range e.Nights[:min(len(e.Nights), mostShown)] {
		first = append(first, n.String())
	}
	if len(e.Nights) > mostShown {
		first = append(first, "…")
	}
	return fmt.Sprintf("rooms are sold on %s: %s", count(len(e.Nights), "upcoming night"), strings.Join(first, "; "))
}

// Is makes it match [dynastay.ErrRefused].
func (*SoldAheadError) Is(target error) bool { return target == dynastay.ErrRefused }

// SoldAhead returns a [*SoldAheadError] with every night on which rooms of the room types are sold, from today at the
// property on, or nil if there are none. It reads consistently. Of house, only ID and TimeZone are used. If a night
// cannot be read, SoldAhead returns [dynastay.ErrCorrupt]. 1 request for each room type.
func (r *Repository) SoldAhead(ctx context.Context, house House, roomTypeIDs []string) (err error) {
	ctx, end := r.db.Begin(ctx, "availability.SoldAhead")
	defer func() { end(err) }()
	today, err := r.todayAt(house)
	if err != nil {
		return err
	}
	return r.soldFrom(ctx, house.ID, today, roomTypeIDs...)
}

func (r *Repository) soldFrom(ctx context.Context, propertyID string, from dynastay.Date, roomTypeIDs ...string) error {
	sold := make([][]SoldNight, len(roomTypeIDs))
	err := r.db.Each(ctx, len(roomTypeIDs), func(ctx context.Context, i int) (err error) {
		sold[i], err = r.soldNights(ctx, propertyID, from, roomTypeIDs[i])
		return err
	})
	if err != nil {
		return err
	}
	if all := slices.Concat(sold...); len(all) > 0 {
		return &SoldAheadError{all}
	}
	return nil
}

func (r *Repository) soldNights(
	ctx context.Context, propertyID string, from dynastay.Date, roomTypeID string,
) ([]SoldNight, error) {
	rows, err := r.nightsFrom(ctx, roomTypeID, from)
	if err != nil {
		return nil, err
	}
	var sold []SoldNight
	for _, row := range rows {
		if row.Text("PropertyId") != propertyID {
			continue
		}
		night, err := r.entity.Value(row)
		if err != nil {
			return nil, err
		}
		if rooms := night.Sold(); rooms > 0 && !night.expired(r.db.Now()) {
			sold = append(sold, SoldNight{roomTypeID, night.Date, rooms})
		}
	}
	return sold, nil
}

// nightsFrom reads all nights of a room type from a date on, consistently.
func (r *Repository) nightsFrom(ctx context.Context, roomTypeID string, from dynastay.Date) ([]dynastay.Row, error) {
	first, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: from})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, keys.AvailabilityTable, dynastay.Query{
		Partition: first.PK, Range: dynastay.Range{From: first.SK}, Consistent: true,
	})
}
