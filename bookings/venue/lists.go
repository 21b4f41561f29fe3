package venue

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// UserBooking is a booking in the list of its user. [Repository.Booking] has the rest of it.
type UserBooking struct {
	UserID    string
	BookingID string
	Date      dynastay.Date `json:",omitzero"`
	Slot      Slot          // see Booking.Slot
	Duration  Duration
	Status    Status
}

// userBooking is the kind of the items of UserBooking.
const userBooking = "UserBooking"

// relationCodec only reads; relate writes.
var relationCodec = entity.Declare(func(f *entity.Fields, b *UserBooking) {
	f.Date("date", &b.Date)
	entity.String(f, "timeSlot", &b.Slot)
	entity.String(f, "duration", &b.Duration)
	entity.String(f, attrStatus, &b.Status)
})

// relation reads the item of a booking in its user's partition. It takes the ids from the key.
func relation(row dynastay.Row) (*UserBooking, error) {
	at, err := key.Parse[venuekeys.UserBooking](venuekeys.Table.Key.From(row))
	if err != nil {
		return nil, err
	}
	b, err := entity.Read(userBooking, at.BookingID, relationCodec, row)
	if err == nil {
		b.UserID, b.BookingID = at.UserID, at.BookingID
	}
	return b, err
}

// Booking reads a booking, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent].
//
// Pattern V2: VenueBooking, PK = BOOKING#{bookingId}, SK = METADATA, 1 request
func (r *Repository) Booking(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (_ *Booking, err error) {
	ctx, end := r.db.Begin(ctx, "venue.Booking")
	defer func() { end(err) }()
	at, err := key.Of(venuekeys.Booking{BookingID: bookingID})
	if err != nil {
		return nil, err
	}
	return r.bookings.Get(ctx, at, opts...)
}

// BookingsOf lists the bookings of a user, newest first: generated ids are in the order of the requests.
//
// Pattern V3: VenueBooking, PK = USER#{userId}, SK begins with BOOKING#, 1 request
func (r *Repository) BookingsOf(userID string) dynastay.List[*UserBooking] {
	partition, err := key.Partition(venuekeys.UserBooking{UserID: userID})
	if err != nil {
		return dynastay.NoList[*UserBooking](err)
	}
	return dynastay.ListOf(r.db, venuekeys.Table, dynastay.Query{
		Name: "venue.BookingsOf", Partition: partition, Descending: true,
		Range: dynastay.Range{Prefix: key.SortKind[venuekeys.UserBooking]()},
	}, func(_ context.Context, row dynastay.Row) (*UserBooking, error) { return relation(row) })
}

// Pending lists the bookings that wait for a decision, oldest request first. The index lags behind the table: a booking
// may still be listed although it has just been decided. 1 request for each shard.
//
// Pattern V5: GSI1, GSI1PK = STATUS#PENDING, 1 request
func (r *Repository) Pending() dynastay.List[*Booking] {
	shards, err := key.Partitions(venuekeys.BookingByStatus{}, r.pending.Read)
	if err != nil {
		return dynastay.NoList[*Booking](err)
	}
	return r.bookings.List(dynastay.Query{Name: "venue.Pending", Index: venuekeys.Index, Partition: shards[0], Shards: shards[1:]})
}
