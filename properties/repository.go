package properties

import (
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository makes, changes and finds properties.
type Repository struct {
	db     *dynastay.DB
	opts   Options
	entity *entity.Entity[Property]
	table  *entity.Table[Property]
	rooms  *entity.Entity[RoomType]
}

// Options configure [New]. Every process that works on the tables has the same ones, apart from counts of shards while
// they are being raised.
type Options struct {
	// TypeShards spread the approved properties of each type, FeaturedShards the featured ones, and PendingShards those
	// that wait for approval.
	TypeShards     key.Shards
	FeaturedShards key.Shards
	PendingShards  key.Shards
}

// New makes a repository. It sends nothing; make one for the process and share it. A nil opts means the defaults. It
// panics where [key.Shards.Validate] refuses a count.
func New(db *dynastay.DB, opts *Options) *Repository {
	r := &Repository{db: db, rooms: newRoomEntity()}
	if opts != nil {
		r.opts = *opts
	}
	for field, shards := range map[string]key.Shards{
		"TypeShards": r.opts.TypeShards, "FeaturedShards": r.opts.FeaturedShards, "PendingShards": r.opts.PendingShards,
	} {
		if err := shards.Validate(); err != nil {
			panic("properties.New: " + dynastay.Within("Options."+field, err).Error())
		}
	}
	r.entity = newEntity(r.opts)
	r.table = entity.NewTable(db, r.entity)
	return r
}

// WithRooms is a property with its room types, in the order of their ids.
type WithRooms struct {
	Property
	Rooms []RoomType
}

// Card is the property's card.
func (w *WithRooms) Card() *Card { return CardOf(&w.Property, w.Rooms) }

// CityQuery asks for the properties of a city.
type CityQuery struct {
	City, Country string
	MinRating     dynastay.Rating // 0 for all, the unrated among them
}

// ByCity lists the approved properties of a city, the best rated first. A change of a moment ago may not be in it yet.
//
// A row that other software wrote has no card; its property is then read, 1 request more each.
//
// Pattern P1: GSI1-LocationIndex, GSI1PK = CITY#{city}#{country}, GSI1SK from RATING#{minimum}, 1 request
func (r *Repository) ByCity(q CityQuery) dynastay.Listing[*Card] {
	at := keys.PropertyByCity{City: q.City, Country: q.Country, Rating: q.MinRating}
	partition, err := keys.Partition(at)
	if err != nil {
		return dynastay.NoListing[*Card](err)
	}
	if err := q.MinRating.Validate(); err != nil {
		return dynastay.NoListing[*Card](dynastay.Within("MinRating", err))
	}
	var best dynastay.Range
	if q.MinRating > 0 {
		if best.From, err = keys.SortPrefix(at); err != nil {
			return dynastay.NoListing[*Card](err)
		}
	}
	return dynastay.List(r.db, keys.PropertiesTable, dynastay.Query{
		Name: "properties.ByCity", Index: keys.LocationIndex, Partition: partition, Range: best, Descending: true,
	}, r.cardOf).Filter(func(c *Card) bool {
		// The sort key of a row without a card may be in another form, out of its place.
		return c != nil && c.Rating >= q.MinRating
	})
}

// cardOf is the card of an index row, made of the property where the row has none; nil where that is gone by now, or is
// not approved: other software may give any property its index keys.
func (r *Repository) cardOf(ctx context.Context, row dynastay.Row) (*Card, error) {
	card, err := cardOf(row)
	if card != nil || err != nil {
		return card, err
	}
	found, err := r.load(ctx, keys.PropertiesTable.Key.From(row))
	if err != nil || found == nil || found.Status != Approved {
		return nil, err
	}
	return found.Card(), nil
}

// Get reads a property, or fails with [dynastay.ErrNotFound]. [dynastay.Consistent] may be asked for.
//
// Pattern P7: Properties, PK = PROPERTY#{id}, SK = METADATA, 1 request
func (r *Repository) Get(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (*Property, error) {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, opts...)
}

// GetAll reads properties, in the order of the ids, nil where there is none. One that cannot be read is nil as well, and
// hides none of the others: the error is then an [*dynastay.UnreadableError], beside the result. [dynastay.Consistent] may
// be asked for. 1 request for every 100 different ids.
func (r *Repository) GetAll(ctx context.Context, propertyIDs []string, opts ...dynastay.ReadOption) ([]*Property, error) {
	all := make([]dynastay.Key, len(propertyIDs))
	for i, id := range propertyIDs {
		key, err := keys.Of(keys.Property{PropertyID: id})
		if err != nil {
			return nil, renamed("PropertyIDs["+itoa(i)+"]", err)
		}
		all[i] = key
	}
	return r.table.GetAll(ctx, all, opts...)
}

// GetWithRooms reads a property and its room types, or fails with [dynastay.ErrNotFound]. [dynastay.Consistent] may be
// asked for. 1 request, a Query that leaves images and amenities out.
func (r *Repository) GetWithRooms(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (*WithRooms, error) {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	found, err := r.load(ctx, key, opts...)
	if err == nil && found == nil {
		err = &dynastay.Error{Op: "properties.GetWithRooms", Entity: "Property", ID: propertyID, Kind: dynastay.ErrNotFound}
	}
	return found, err
}

// BySlug is the property with the slug, with its room types, or [dynastay.ErrNotFound]. It finds a property from the
// moment that it has the slug: where the index does not show it yet, the slug's guard does, with 1 request more. With
// [dynastay.Consistent] the guard is asked at once.
//
// Pattern P8: GSI6-SlugIndex, GSI6PK = SLUG#{slug}, then the property with its rooms, 2 requests
func (r *Repository) BySlug(ctx context.Context, slug string, opts ...dynastay.ReadOption) (*WithRooms, error) {
	load := func(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*WithRooms, error) {
		found, err := r.load(ctx, key, opts...)
		if err == nil && found == nil {
			err = dynastay.ErrNotFound
		}
		return found, err
	}
	like := &Property{Slug: slug}
	return entity.FindWith(ctx, r.table, "Slug", like, load, func(w *WithRooms) *Property { return &w.Property }, opts...)
}

// load reads the property and the room types, which stand behind it in the sort order; nil where there is none.
func (r *Repository) load(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*WithRooms, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: key.PK, Range: dynastay.Range{From: key.SK}, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if keys.PropertiesTable.Key.From(rows[0]) != key {
		return nil, nil
	}
	p, err := r.entity.Value(rows[0])
	if err != nil {
		return nil, err
	}
	found := &WithRooms{Property: *p}
	for _, row := range rows[1:] {
		if !strings.HasPrefix(keys.PropertiesTable.Key.From(row).SK, keys.SortKind[keys.RoomType]()) {
			continue
		}
		room, err := r.rooms.Value(row)
		if err != nil {
			return nil, err
		}
		found.Rooms = append(found.Rooms, *room)
	}
	return found, nil
}
