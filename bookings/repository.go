package bookings

import (
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository creates, finds and cancels bookings.
type Repository struct {
	db     *dynastay.DB
	opts   Options
	entity *entity.Entity[Booking]
	table  *entity.Table[Booking]
	nights *availability.Repository
}

// Options configure [New]. All processes that use the same tables must have the same options, except for shard counts
// while they are being raised.
type Options struct {
	// StatusShards spreads the bookings of each status over partitions. One partition accepts 1,000 writes per second;
	// every booking, confirmation and check-out counts as a write.
	StatusShards key.Shards
	// CheckInShards spreads the bookings of each check-in date over partitions.
	CheckInShards key.Shards
	// HoldShards spreads all holds over partitions.
	HoldShards key.Shards
}

// New returns a repository. It sends no requests. Create one for the process and share it. A nil opts means the
// defaults. New panics if [key.Shards.Validate] returns an error for a shard count.
func New(db *dynastay.DB, opts *Options) *Repository {
	r := &Repository{db: db, nights: availability.New(db)}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.StatusShards.Must("bookings.New: Options.StatusShards")
	r.opts.CheckInShards.Must("bookings.New: Options.CheckInShards")
	r.opts.HoldShards.Must("bookings.New: Options.HoldShards")
	r.entity = newEntity(r.opts)
	r.table = entity.NewTable(db, r.entity)
	return r
}

// Get reads a booking with its lines, or fails with [dynastay.ErrNotFound]. Without [dynastay.Consistent], it may not
// find a booking that was just created; the result of Create is complete. 1 request, a Query of the booking's items.
func (r *Repository) Get(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (*Booking, error) {
	at, err := keys.Of(keys.Booking{BookingID: bookingID})
	if err != nil {
		return nil, err
	}
	return r.load(ctx, at, opts...)
}

// ByUser lists a user's bookings, latest check-in first. The list is eventually consistent: a booking that was just
// created may be missing.
//
// Pattern B1: GSI1-UserBookingsIndex, GSI1PK = USER#{userId}, 1 request
func (r *Repository) ByUser(userID string) dynastay.Listing[*Summary] {
	partition, err := keys.Partition(keys.BookingByUser{UserID: userID})
	if err != nil {
		return dynastay.NoListing[*Summary](err)
	}
	return dynastay.List(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.ByUser", Index: keys.UserBookingsIndex, Partition: partition, Descending: true,
	}, summaryOf)
}

// ByReference returns the booking with a reference, with its lines, or [dynastay.ErrNotFound]. It finds a booking as
// soon as it is created: if the index does not have it yet, ByReference reads the guard of the reference, with 1 more
// request. With [dynastay.Consistent], it reads the guard instead of the index.
//
// Pattern B2: GSI4-ReferenceIndex, GSI4PK = REFERENCE#{reference}, then the booking, 2 requests
func (r *Repository) ByReference(ctx context.Context, reference string, opts ...dynastay.ReadOption) (*Booking, error) {
	like := &Booking{Summary: Summary{Reference: reference}}
	return entity.FindWith(ctx, r.table, "Reference", like, r.load, func(b *Booking) *Booking { return b }, opts...)
}

// ByStatus lists the bookings of all properties with a status, oldest first. The list is eventually consistent: a
// booking that was just created or changed may be missing, or still be listed under its former status. Each shard takes
// 1 request; the requests are sent in parallel.
//
// Pattern B4: GSI3-StatusIndex, GSI3PK = STATUS#{status}, 1 request
func (r *Repository) ByStatus(status Status) dynastay.Listing[*Summary] {
	shards, err := keys.Partitions(keys.BookingByStatus{Status: string(status)}, r.opts.StatusShards.Read)
	if err != nil {
		return dynastay.NoListing[*Summary](err)
	}
	return dynastay.List(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.ByStatus", Index: keys.BookingStatusIndex, Partition: shards[0], Shards: shards[1:],
	}, summaryOf)
}

func (r *Repository) load(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*Booking, error) {
	rows, err := r.read(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	if !rows.booking.Exists() {
		return nil, &dynastay.Error{
			Op: "bookings.Get", Entity: "Booking", ID: idOf(key), Kind: dynastay.ErrNotFound,
		}
	}
	b, err := r.entity.Value(rows.booking)
	if err != nil {
		return nil, err
	}
	return b, rows.addLines(b)
}

// stored holds the items of a booking's partition.
type stored struct {
	booking dynastay.Row
	lines   []dynastay.Row
}

func (r *Repository) read(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (stored, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.BookingsTable, dynastay.Query{
		Partition: key.PK, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
	var s stored
	for _, row := range rows {
		at := keys.BookingsTable.Key.From(row)
		if at == key {
			s.booking = row
		} else if strings.HasPrefix(at.SK, keys.SortKind[keys.BookingRoom]()) {
			s.lines = append(s.lines, row)
		}
	}
	return s, err
}

func (s stored) addLines(b *Booking) error {
	codec := lineCodec(b.Total.Currency())
	b.Lines = make([]Line, len(s.lines))
	for i, row := range s.lines {
		line, err := entity.Read("BookingRoom", keys.BookingsTable.Key.From(row).String(), codec, row)
		if err != nil {
			return err
		}
		b.Lines[i] = *line
	}
	return nil
}
