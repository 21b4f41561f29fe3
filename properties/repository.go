package properties

import (
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository creates, updates and finds properties.
type Repository struct {
	db     *dynastay.DB
	opts   Options
	nights *availability.Repository

	entity      *entity.Entity[Property]
	table       *entity.Table[Property]
	roomEntity  *entity.Entity[RoomType]
	rooms       *entity.Table[RoomType]
	imageEntity *entity.Entity[Image]
	images      *entity.Table[Image]

	ratePlanEntity *entity.Entity[availability.RatePlan]
	ratePlans      *entity.Table[availability.RatePlan]
	chargesEntity  *entity.Entity[charges.List]
	charges        *entity.Table[charges.List]
}

// Options configure [New]. All processes that use the same tables must have the same options, except for shard counts
// while they are being raised.
type Options struct {
	// TypeShards spreads the approved properties of each type over partitions.
	TypeShards key.Shards
	// FeaturedShards spreads the featured properties over partitions.
	FeaturedShards key.Shards
	// PendingShards spreads the properties that are waiting for approval over partitions.
	PendingShards key.Shards
}

// New returns a repository. It sends no requests. Create one for the process and share it. A nil opts means the
// defaults. New panics if [key.Shards.Validate] returns an error for a shard count.
func New(db *dynastay.DB, opts *Options) *Repository {
	r := &Repository{db: db, nights: availability.New(db), roomEntity: roomEntity(), imageEntity: imageEntity()}
	r.rooms, r.images = entity.NewTable(db, r.roomEntity), entity.NewTable(db, r.imageEntity)
	r.ratePlanEntity = availability.RatePlanEntity()
	r.ratePlans = entity.NewTable(db, r.ratePlanEntity)
	r.chargesEntity = charges.Entity()
	r.charges = entity.NewTable(db, r.chargesEntity)
	if opts != nil {
		r.opts = *opts
	}
	r.opts.TypeShards.Must("properties.New: Options.TypeShards")
	r.opts.FeaturedShards.Must("properties.New: Options.FeaturedShards")
	r.opts.PendingShards.Must("properties.New: Options.PendingShards")
	r.entity = newEntity(r.opts)
	r.table = entity.NewTable(db, r.entity)
	return r
}

// WithRooms is a property with its room types, ordered by id.
type WithRooms struct {
	Property
	Rooms []RoomType `json:",omitzero"`
}

// Card returns the property's card. It has rate plans and charges only if the property was returned by a method of this
// package: its JSON does not have them.
func (w *WithRooms) Card() *Card { return CardOf(&w.Property, w.Rooms) }

// Get reads a property of any status, or fails with [dynastay.ErrNotFound]; for guests, see [Repository.Public]. It
// accepts [dynastay.Consistent].
//
// Pattern P7: Properties, PK = PROPERTY#{id}, SK = METADATA, 1 request
func (r *Repository) Get(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (*Property, error) {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, opts...)
}

// GetAll returns the properties with the given ids, of any status, in the same order; a property that does not exist is nil. A
// property that cannot be decoded is nil as well: GetAll then returns the other properties together with a
// [*dynastay.UnreadableError]. It accepts [dynastay.Consistent]. 1 request for every 100 different ids.
func (r *Repository) GetAll(
	ctx context.Context, propertyIDs []string, opts ...dynastay.ReadOption,
) ([]*Property, error) {
	all, err := keysOf(propertyIDs)
	if err != nil {
		return nil, err
	}
	return r.table.GetAll(ctx, all, opts...)
}

func keysOf(propertyIDs []string) ([]dynastay.Key, error) {
	all := make([]dynastay.Key, len(propertyIDs))
	for i, id := range propertyIDs {
		key, err := keys.Of(keys.Property{PropertyID: id})
		if err != nil {
			return nil, renamed("PropertyIDs["+itoa(i)+"]", err)
		}
		all[i] = key
	}
	return all, nil
}

// GetWithRooms reads a property and its room types, or fails with [dynastay.ErrNotFound]. It accepts
// [dynastay.Consistent]. 1 request, a Query that reads neither images nor amenities.
func (r *Repository) GetWithRooms(
	ctx context.Context, propertyID string, opts ...dynastay.ReadOption,
) (_ *WithRooms, err error) {
	ctx, end := r.db.Begin(ctx, "properties.GetWithRooms")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	found, err := r.load(ctx, key, opts...)
	if err == nil && found == nil {
		err = r.notFound("properties.GetWithRooms", propertyID)
	}
	return found, err
}

// Whole is a property with its room types and images. Its amenities are [Property.AmenityIDs].
type Whole struct {
	WithRooms
	Images []Image `json:",omitzero"` // in their order
}

// GetWhole reads a property with its room types and images, or fails with [dynastay.ErrNotFound]. It accepts
// [dynastay.Consistent]. 1 request for each MB; an ordinary property has much less than 1 MB.
func (r *Repository) GetWhole(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (_ *Whole, err error) {
	ctx, end := r.db.Begin(ctx, "properties.GetWhole")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: key.PK, Range: dynastay.Range{From: keys.SortKind[keys.Image]()}, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(row dynastay.Row) bool { return keys.PropertiesTable.Key.From(row) == key })
	if at < 0 {
		return nil, r.notFound("properties.GetWhole", propertyID)
	}
	p, err := r.entity.Value(rows[at])
	if err != nil {
		return nil, err
	}
	whole := &Whole{WithRooms: WithRooms{Property: *p}}
	if whole.Images, err = r.imagesOf(rows[:at]); err != nil {
		return nil, err
	}
	whole.Rooms, err = r.roomTypesOf(rows[at+1:])
	return whole, err
}

// BySlug returns the property with a slug, of any status, with its room types, or [dynastay.ErrNotFound]; for guests,
// see [Repository.Public]. It finds a property as soon
// as it has the slug: if the index does not have it yet, BySlug reads the guard of the slug, with 1 more request. With
// [dynastay.Consistent], it reads only the guard, and so does not find a property of other software before
// [Repository.Adopt].
//
// Pattern P8: GSI6-SlugIndex, GSI6PK = SLUG#{slug}, then the property with its rooms, 2 requests
func (r *Repository) BySlug(ctx context.Context, slug string, opts ...dynastay.ReadOption) (_ *WithRooms, err error) {
	ctx, end := r.db.Begin(ctx, "properties.BySlug")
	defer func() { end(err) }()
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

// load reads the property and its room types. It returns nil if there is no property.
func (r *Repository) load(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*WithRooms, error) {
	rows, err := r.rows(ctx, key, opts...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	p, err := r.entity.Value(rows[0])
	if err != nil {
		return nil, err
	}
	found := &WithRooms{Property: *p}
	found.Rooms, err = r.roomTypesOf(rows)
	return found, err
}

// rows reads the property's item and its room types, which follow it in sort order. It returns nothing if there is no
// property.
func (r *Repository) rows(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) ([]dynastay.Row, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: key.PK, Range: dynastay.Range{From: key.SK}, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
	if err != nil || len(rows) == 0 || keys.PropertiesTable.Key.From(rows[0]) != key {
		return nil, err
	}
	return rows, nil
}

func (r *Repository) roomTypesOf(rows []dynastay.Row) (rooms []RoomType, err error) {
	for _, row := range rows {
		if !strings.HasPrefix(keys.PropertiesTable.Key.From(row).SK, keys.SortKind[keys.RoomType]()) {
			continue
		}
		room, err := r.roomEntity.Value(row)
		if err != nil {
			return nil, err
		}
		rooms = append(rooms, *room)
	}
	return rooms, nil
}

func (r *Repository) notFound(op, propertyID string) error {
	return &dynastay.Error{Op: op, Entity: "Property", ID: propertyID, Kind: dynastay.ErrNotFound}
}
