package listing

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Repository reads and changes the calendars of listings.
type Repository struct {
	db          *dynastay.DB
	event       *entity.Entity[Event]
	night       *entity.Entity[Night]
	reservation *entity.Entity[imported]
	events      *entity.Table[Event]
	nights      *entity.Table[Night]
	imports     *entity.Table[imported]
}

// New returns a repository. It sends no requests. Create one for the process and share it.
func New(db *dynastay.DB) *Repository {
	event, night, reservation := newEvents(), newNights(), newImports()
	return &Repository{
		db, event, night, reservation,
		entity.NewTable(db, event), entity.NewTable(db, night), entity.NewTable(db, reservation),
	}
}

// Availability is the result of [Repository.Check].
type Availability struct {
	Stay  dynastay.Stay `json:",omitzero"`
	Taken []*Night      `json:",omitzero"` // the nights that are not available, by date
}

// Free reports whether all nights of the stay are available. The zero Availability is not free.
func (a Availability) Free() bool { return a.Stay.Nights() > 0 && len(a.Taken) == 0 }

// Check returns the nights of a stay on which a listing is not available, and which events hold them. The result may
// already be out of date; only [Repository.Book] is certain. A night whose item cannot be read is not available either:
// it has only its ListingID and its Date. Whether the listing exists is not checked. The stay may have at most
// [MaxNights] nights. opts may contain [dynastay.Consistent], for example to check again before a payment.
//
// Pattern L1: localstays-availability, pk = LISTING_AVAILABILITY#{listingId}, sk from DATE#{check-in} to DATE#{last night}, 1 request
func (r *Repository) Check(
	ctx context.Context, listingID string, stay dynastay.Stay, opts ...dynastay.ReadOption,
) (_ Availability, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Check")
	defer func() { end(err) }()
	if err := checkStay(stay); err != nil {
		return Availability{}, err
	}
	rows, err := r.between(ctx, listingID, stay, slices.Contains(opts, dynastay.Consistent))
	if err != nil {
		return Availability{}, err
	}
	a := Availability{Stay: stay}
	for _, row := range rows {
		a.Taken = append(a.Taken, r.taken(listingID, row))
	}
	return a, nil
}

// between reads the nights of a half-open range. A night's sort key ends with its date, so the bounds are the first and
// the last night.
func (r *Repository) between(ctx context.Context, listingID string, stay dynastay.Stay, consistent bool) ([]dynastay.Row, error) {
	first, err := key.Of(listingkeys.Night{ListingID: listingID, Date: stay.CheckIn})
	if err != nil {
		return nil, err
	}
	last, err := key.Of(listingkeys.Night{ListingID: listingID, Date: stay.LastNight()})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, listingkeys.Table, dynastay.Query{
		Partition: first.PK, Range: dynastay.Range{From: first.SK, To: last.SK}, Consistent: consistent,
	})
}

// Get reads an event, or fails with [dynastay.ErrNotFound]. It does not find an event of other software that has
// written only its nights; [Repository.Check] does. opts may contain [dynastay.Consistent]. 1 request, a GetItem.
func (r *Repository) Get(ctx context.Context, listingID, eventID string, opts ...dynastay.ReadOption) (*Event, error) {
	at, err := listingkeys.Event(listingID, eventID)
	if err != nil {
		return nil, err
	}
	return r.events.Get(ctx, at, opts...)
}

// Events lists the events of a listing, also past ones, first the blocks and then the bookings, each in the order of
// their ids. Like [Repository.Get], it lists only events that this package has written. 1 request per page, a Query.
func (r *Repository) Events(listingID string) dynastay.List[*Event] {
	partition, err := key.Partition(listingkeys.BookingEvent{ListingID: listingID})
	if err != nil {
		return dynastay.NoList[*Event](err)
	}
	return r.events.List(dynastay.Query{
		Name: "listing.Events", Partition: partition, Range: dynastay.Range{Prefix: listingkeys.EventPrefix},
	})
}

// ByHost lists the nights on which any listing of a host is not available, by date and then by listing. The index may
// lag behind the table, usually by less than a second.
//
// Pattern L6: HostAvailabilityIndex, gsi1pk = HOST_AVAILABILITY#{hostId}, 1 request
func (r *Repository) ByHost(hostID string) dynastay.List[*Night] {
	return r.byHost("listing.ByHost", hostID, dynastay.Range{Prefix: key.SortKind[listingkeys.NightByHost]()})
}

// ByHostBetween is like [Repository.ByHost], for the nights of a range of dates. The range is half-open: the night of
// range.CheckOut is not included. [dynastay.MonthOf] returns the range of a month.
//
// Pattern L7: HostAvailabilityIndex, gsi1pk = HOST_AVAILABILITY#{hostId}, gsi1sk from DATE#{first} to before DATE#{end}, 1 request
func (r *Repository) ByHostBetween(hostID string, nights dynastay.Stay) dynastay.List[*Night] {
	if err := nights.Validate(); err != nil {
		return dynastay.NoList[*Night](dynastay.Within("Nights", err))
	}
	from, err := key.SortPrefix(listingkeys.NightByHost{HostID: hostID, Date: nights.CheckIn})
	if err != nil {
		return dynastay.NoList[*Night](err)
	}
	before, err := key.SortPrefix(listingkeys.NightByHost{HostID: hostID, Date: nights.CheckOut})
	if err != nil {
		return dynastay.NoList[*Night](err)
	}
	return r.byHost("listing.ByHostBetween", hostID, dynastay.Range{From: from, To: before})
}

func (r *Repository) byHost(name, hostID string, nights dynastay.Range) dynastay.List[*Night] {
	partition, err := key.Partition(listingkeys.NightByHost{HostID: hostID})
	if err != nil {
		return dynastay.NoList[*Night](err)
	}
	return r.nights.List(dynastay.Query{
		Name: name, Index: listingkeys.HostAvailabilityIndex, Partition: partition, Range: nights,
	})
}
