package listing

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Booking is a booking of the platform itself, for [Repository.Book].
type Booking struct {
	ListingID string
	HostID    string
	BookingID string        // the platform's own id
	Stay      dynastay.Stay // at most MaxNights nights
	Note      string        // at most entity.MaxNote bytes
}

// Block takes nights off the market, for [Repository.Block].
type Block struct {
	ListingID string
	HostID    string
	// BlockID identifies the block. If the caller chooses it, for example the id of the request, a repeated call fails
	// with ErrAlreadyExists; otherwise it fails because the nights are taken. Default: a new UUID.
	BlockID string
	Stay    dynastay.Stay // at most MaxNights nights
	Note    string        // such as the reason; at most entity.MaxNote bytes
}

const (
	opBook  = "listing.Book"
	opBlock = "listing.Block"
)

// BookOp takes the nights of a booking that was made on the platform itself. If other events hold some of them, it
// fails with
// [*Taken], which names those events, and takes none. If the listing already has an event of the booking, it fails with
// [dynastay.ErrAlreadyExists].
//
// It needs one action for each night, one for the event, and one for an idempotency key. A transaction has at most 100
// actions; [Repository.Book] also books longer stays.
func (r *Repository) BookOp(b Booking) *dynastay.Operation[*Event] {
	p, err := r.booking(b)
	return r.placeOp(p, err, 0)
}

// Book runs [Repository.BookOp]. 1 request, and 1 more after a refusal. A stay of more than 97 nights takes several
// transactions, see the package documentation.
//
// Pattern L2: localstays-availability, pk = LISTING_AVAILABILITY#{listingId}, EVENT#BOOKING#{bookingId} and a DATE#{date} for each night, 1 request
func (r *Repository) Book(ctx context.Context, b Booking, opts ...dynastay.WriteOption) (_ *Event, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Book")
	defer func() { end(err) }()
	p, err := r.booking(b)
	return r.place(ctx, p, err, opts)
}

// BlockOp takes nights off the market, without a guest. It fails like [Repository.BookOp].
func (r *Repository) BlockOp(b Block) *dynastay.Operation[*Event] {
	p, err := r.block(b)
	return r.placeOp(p, err, 0)
}

// Block runs [Repository.BlockOp]. 1 request, and 1 more after a refusal. More than 97 nights take several
// transactions, see the package documentation.
//
// Pattern L3: localstays-availability, pk = LISTING_AVAILABILITY#{listingId}, EVENT#BLOCK#{blockId} and a DATE#{date} for each night, 1 request
func (r *Repository) Block(ctx context.Context, b Block, opts ...dynastay.WriteOption) (_ *Event, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Block")
	defer func() { end(err) }()
	p, err := r.block(b)
	return r.place(ctx, p, err, opts)
}

func (r *Repository) booking(b Booking) (intent, error) {
	id, err := listingkeys.BookingEventID(b.BookingID)
	if err != nil {
		return intent{op: opBook}, err
	}
	return placing(opBook, false, &Event{
		ListingID: b.ListingID, HostID: b.HostID, ID: id, Kind: KindBooking, Source: Localstays, BookingID: b.BookingID,
		Stay: b.Stay, Note: b.Note,
	})
}

func (r *Repository) block(b Block) (intent, error) {
	drawn := b.BlockID == ""
	if drawn {
		b.BlockID = r.newBlockID()
	}
	id, err := listingkeys.BlockEventID(b.BlockID)
	if err != nil {
		return intent{op: opBlock}, err
	}
	return placing(opBlock, drawn, &Event{
		ListingID: b.ListingID, HostID: b.HostID, ID: id, Kind: KindBlock, Source: HostClosed, Stay: b.Stay, Note: b.Note,
	})
}

// newBlockID returns a random UUID, version 4: the form of blocks' ids in the listing-availability document.
func (r *Repository) newBlockID() string {
	var random [16]byte
	r.db.Random(random[:])
	random[6], random[8] = random[6]&0x0f|0x40, random[8]&0x3f|0x80
	return uuid.UUID(random).String()
}

func placing(op string, drawn bool, e *Event) (intent, error) {
	if err := e.validate(); err != nil {
		return intent{op: op}, err
	}
	p := intent{op: op, stay: e.Stay, event: e, drawn: drawn}
	p.at, _ = listingkeys.Event(e.ListingID, e.ID) // validated
	exists := p.fail(dynastay.ErrAlreadyExists)
	p.check = func(was *Event) error {
		if was.Moving && was.Stay == (dynastay.Stay{}) && was.Target == e.Stay && was.HostID == e.HostID && was.Note == e.Note {
			return nil // an earlier call did not complete it
		}
		return exists
	}
	p.input = func(in *dynastay.Input) {
		in.Field("listing", e.ListingID)
		in.Field("host", e.HostID)
		if !drawn {
			in.Field("event", e.ID)
		}
		in.Field("stay", e.Stay.String())
		in.Field("note", e.Note)
	}
	return p, nil
}

// placeOp creates an event without reading anything. It fails with a partsError if it has more nights than most; 0
// means no limit.
func (r *Repository) placeOp(p intent, invalid error, most int) *dynastay.Operation[*Event] {
	if invalid != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Event]{Name: p.op, Invalid: invalid})
	}
	p.mine = p.fail(dynastay.ErrAlreadyExists)
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: p.op, Input: p.input, Contest: r.contest(p), Restore: r.restore(p.event),
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Event, error) {
			tx.Made("PK", p.at.PK)
			tx.Made("SK", p.at.SK)
			return r.create(tx, p, most)
		},
	})
}

// restore reads back an event that an earlier call created.
func (r *Repository) restore(given *Event) func(context.Context, map[string]string) (*Event, error) {
	return func(ctx context.Context, made map[string]string) (*Event, error) {
		at := dynastay.Key{PK: made["PK"], SK: made["SK"]}
		found, err := r.again(ctx, at)
		if errors.Is(err, dynastay.ErrNotFound) { // it has since been deleted
			again := *given
			again.ID = listingkeys.EventIDOf(at)
			return &again, nil
		}
		return found, err
	}
}

// again reads an event for the result of a repeated call, without its write id: that may be of another caller's write.
func (r *Repository) again(ctx context.Context, at dynastay.Key) (*Event, error) {
	e, err := r.events.Get(ctx, at, dynastay.Consistent)
	if err == nil {
		e.WriteID = ""
	}
	return e, err
}

func (r *Repository) place(ctx context.Context, p intent, invalid error, opts []dynastay.WriteOption) (*Event, error) {
	if invalid == nil && p.drawn && p.stay.Nights() > mostNights {
		invalid = dynastay.Invalid("BlockID", "is required for more than %d nights, so that the call can be repeated", mostNights)
	}
	first := func() (*Event, error) { return dynastay.Do(ctx, r.db, r.placeOp(p, invalid, mostNights), opts...) }
	e, err := whole(ctx, r, func(last bool) (*Event, error) {
		if last {
			return dynastay.Do(ctx, r.db, r.completeOp(p), opts...)
		}
		return first()
	})
	if err == nil || invalid != nil || p.stay.Nights() <= mostNights {
		return e, err
	}
	// The parts are written without the idempotency key, so they do not show that another call with it, at the same
	// time, was the one that has taken the nights. The first transaction does; otherwise it is too long again.
	var long *partsError
	var left *IncompleteError
	switch done, again := first(); {
	case again == nil:
		return done, nil
	case !errors.As(again, &long) && !errors.As(err, &left) && !errors.Is(err, dynastay.ErrOutcomeUnknown):
		return nil, again // which says that it cannot be known
	}
	return e, err
}

// completeOp is the last of several transactions that create an event.
func (r *Repository) completeOp(p intent) *dynastay.Operation[*Event] {
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: p.op, Input: p.input, Contest: r.contest(p),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Event, error) {
			h, err := r.read(ctx, p.at)
			if err != nil {
				return nil, err
			}
			tx.Made("PK", p.at.PK)
			tx.Made("SK", p.at.SK)
			return r.apply(tx, h, p, mostNights)
		},
		Restore: r.restore(p.event),
	})
}
