package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository creates, finds and changes bookings and promo codes.
type Repository struct {
	db     *dynastay.DB
	opts   Options
	entity *entity.Entity[Booking]
	table  *entity.Table[Booking]
	promos *entity.Table[PromoCode]
	nights *availability.Repository
	units  *units.Repository
	ledger ledger
}

// Options configure [New]. All processes that use the same tables must have the same options, except for shard counts
// while they are being raised.
type Options struct {
	// StatusShards spreads the bookings of each status over partitions. One partition accepts 1,000 writes per second;
	// every booking, confirmation and check-out counts as a write.
	StatusShards key.Shards
	// CheckInShards spreads the bookings of each check-in date over partitions.
	CheckInShards key.Shards
	// HoldShards spreads all holds over partitions, and all bookings of which something is due.
	HoldShards key.Shards
	// HoldGrace is how long after its end a hold is expired. It must exceed the difference between the clocks of all
	// processes, and the time that a confirmation may take. Default: [DefaultHoldGrace], 1 minute.
	HoldGrace time.Duration
	// NoShowAfter is how long after the beginning of the date of check-in, on the clock of the property, a no-show can be
	// recorded: 30 hours means from 6 in the morning of the next day. Default: 24 hours, the end of that date.
	NoShowAfter time.Duration
	// QuotesFor is how long after [availability.Quote.At] a quote under a rate plan, with a party, at agreed prices or with
	// charges can be booked: nothing asserts the terms of a plan or the list of charges, so an old quote would sell at terms
	// that are over. Default: [DefaultQuotesFor], 24 hours; at most [availability.MaxQuoteAge]. Seal offers with the same, see
	// package offer.
	QuotesFor time.Duration
	// OnlyUnits refuses rooms that are given as texts, in [Repository.CheckIn] and [Repository.AssignRooms], for a platform whose
	// properties all have units: with a text, a unit could be given to two bookings. Default: false.
	OnlyUnits bool
	// Terms interprets the platform's own cancellation policies when a booking is cancelled with a refund.
	// Default: nil, which knows none.
	Terms TermsOf
}

// DefaultQuotesFor is the default of [Options].QuotesFor.
const DefaultQuotesFor = 24 * time.Hour

// New returns a repository. It sends no requests. Create one for the process and share it. A nil opts means the
// defaults. New panics if [key.Shards.Validate] returns an error for a shard count, or if HoldGrace or
// NoShowAfter is negative, or QuotesFor is out of range.
func New(db *dynastay.DB, opts *Options) *Repository {
	r := &Repository{db: db, nights: availability.New(db), units: units.New(db), ledger: newLedger(db)}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.StatusShards.Must("bookings.New: Options.StatusShards")
	r.opts.CheckInShards.Must("bookings.New: Options.CheckInShards")
	r.opts.HoldShards.Must("bookings.New: Options.HoldShards")
	if r.opts.HoldGrace < 0 {
		panic("bookings.New: Options.HoldGrace must not be negative")
	}
	if r.opts.NoShowAfter < 0 {
		panic("bookings.New: Options.NoShowAfter must not be negative")
	}
	if r.opts.QuotesFor < 0 || r.opts.QuotesFor > availability.MaxQuoteAge {
		panic("bookings.New: Options.QuotesFor must be between 0 and availability.MaxQuoteAge")
	}
	r.opts.QuotesFor = cmp.Or(r.opts.QuotesFor, DefaultQuotesFor)
	r.opts.HoldGrace = cmp.Or(r.opts.HoldGrace, DefaultHoldGrace)
	r.opts.NoShowAfter = cmp.Or(r.opts.NoShowAfter, 24*time.Hour)
	r.entity = newEntity(r.opts)
	r.table = entity.NewTable(db, r.entity)
	r.promos = entity.NewTable(db, promoEntity)
	return r
}

// Get reads a booking with its lines, or fails with [dynastay.ErrNotFound]. Without [dynastay.Consistent], it may not
// find a booking that was just created; the result of Create is complete. A Query is not isolated from transactions:
// while a booking is being modified, its lines may be from before or after. 1 request, a Query of the booking's items.
func (r *Repository) Get(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (_ *Booking, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.Get")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Booking{BookingID: bookingID})
	if err != nil {
		return nil, err
	}
	return r.load(ctx, at, opts...)
}

// GetAll returns the bookings with the given ids, with their lines, in the same order; a booking that does not exist is
// nil. A booking that cannot be decoded is nil as well: GetAll then returns the other bookings together with a
// [*dynastay.UnreadableError]. It accepts [dynastay.Consistent]. 1 request for each different id, a Query of the
// booking's items, in parallel, see [dynastay.Options].
func (r *Repository) GetAll(ctx context.Context, bookingIDs []string, opts ...dynastay.ReadOption) (_ []*Booking, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.GetAll")
	defer func() { end(err) }()
	at := map[string]int{} // in found
	var keysOf []dynastay.Key
	for i, id := range bookingIDs {
		key, err := keys.Of(keys.Booking{BookingID: id})
		if err != nil {
			return nil, dynastay.Within(fmt.Sprintf("BookingIDs[%d]", i), err)
		}
		if _, twice := at[id]; !twice {
			at[id] = len(keysOf)
			keysOf = append(keysOf, key)
		}
	}
	found, unreadable := make([]*Booking, len(keysOf)), make([]error, len(keysOf))
	err = r.db.Each(ctx, len(keysOf), func(ctx context.Context, i int) error {
		b, err := r.load(ctx, keysOf[i], opts...)
		switch {
		case err == nil:
			found[i] = b
		case errors.Is(err, dynastay.ErrCorrupt):
			unreadable[i] = err
		case !errors.Is(err, dynastay.ErrNotFound):
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := make([]*Booking, len(bookingIDs))
	for i, id := range bookingIDs {
		all[i] = found[at[id]]
	}
	if items := slices.DeleteFunc(unreadable, func(err error) bool { return err == nil }); len(items) > 0 {
		return all, &dynastay.UnreadableError{Items: items}
	}
	return all, nil
}

// ByReference returns the booking with a reference, with its lines, or [dynastay.ErrNotFound]. It finds a booking as
// soon as it is created: if the index does not have it yet, ByReference reads the guard of the reference, with 1 more
// request. With [dynastay.Consistent], it reads the guard instead of the index. If there is no such booking, it takes 2
// requests, with Consistent 1.
//
// The reference may also be as a guest types it: in lower case, with spaces or other hyphens or none, with O for 0, or
// I or L for 1. ByReference then looks for two references, for the second one only if no booking has the first: what
// the text means, and the text as it is, because other software may have stored it so. The text as it is comes first if
// it differs only by O, I or L.
//
// Pattern B2: GSI4-ReferenceIndex, GSI4PK = REFERENCE#{reference}, then the booking, 2 requests
func (r *Repository) ByReference(ctx context.Context, reference string, opts ...dynastay.ReadOption) (b *Booking, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.ByReference")
	defer func() { end(err) }()
	for _, spelling := range spellings(reference) {
		like := &Booking{Summary: Summary{Reference: spelling}}
		b, err = entity.FindWith(ctx, r.table, "Reference", like, r.load, func(b *Booking) *Booking { return b }, opts...)
		if !errors.Is(err, dynastay.ErrNotFound) {
			break
		}
	}
	return b, err
}

// ByExternalReference returns the booking that has a reference of a channel, with its lines, or [dynastay.ErrNotFound]. It
// finds a booking as soon as it is created, if that was with Request.UniqueReference: others may share a reference. 2
// requests, both consistent: the guard of the reference, then the booking.
func (r *Repository) ByExternalReference(ctx context.Context, source Source) (_ *Booking, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.ByExternalReference")
	defer func() { end(err) }()
	like := &Booking{Summary: Summary{Source: source}, unique: true}
	return entity.FindWith(ctx, r.table, "ExternalReference", like, r.load, func(b *Booking) *Booking { return b })
}

func (r *Repository) load(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*Booking, error) {
	rows, err := r.read(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	return r.bookingOf(key, rows)
}

// bookingOf returns a booking that was read, with its lines.
func (r *Repository) bookingOf(key dynastay.Key, rows stored) (*Booking, error) {
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
