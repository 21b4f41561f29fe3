package availability

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// MaxChecks is the maximum number of requests of one call of CheckAll.
const MaxChecks = 1_000

// CheckAll is [Repository.Check] for many room types of any properties, such as those on a page of search results. The
// result has one element for each request, in the same order. There may be at most [MaxChecks] requests, and the stay may have
// at most 732 nights.
//
// There are three ways to read the nights: one Query of the property on the index; one Query for each room type; or,
// for one night, BatchGetItem of up to 100 room types of any properties. For each property, CheckAll chooses the one
// that consumes the fewest read units and, if several do, the one with the fewest requests. The requests are sent in
// parallel, see [dynastay.Options]. With [dynastay.Consistent], the index cannot be used. Nights that were read from
// the index have no StopSellReason, UpdatedAt and ExpiresAt.
//
// A night that cannot be read counts as not on sale, and is listed in a [*dynastay.UnreadableError] that is returned
// together with the result.
//
// Pattern A3: GSI1-PropertyDateIndex, GSI1PK = PROPERTY#{propertyId}, GSI1SK from DATE#{check-in} to DATE#{check-out}, 1 request
func (r *Repository) CheckAll(
	ctx context.Context, reqs []CheckRequest, stay dynastay.Stay, opts ...dynastay.ReadOption,
) (_ []Availability, err error) {
	ctx, end := r.db.Begin(ctx, "availability.CheckAll")
	defer func() { end(err) }()
	if err := validateChecks(reqs, stay); err != nil {
		return nil, err
	}
	f := &finder{repo: r, stay: stay, opts: opts, nights: map[CheckRequest][]Night{}}
	tasks := f.tasks(reqs)
	err = r.db.Each(ctx, len(tasks), func(ctx context.Context, i int) error { return tasks[i](ctx) })
	if err != nil {
		return nil, err
	}
	all := make([]Availability, len(reqs))
	for i, req := range reqs {
		all[i] = req.answer(stay, f.nights[req.room()])
	}
	if len(f.unreadable) > 0 {
		return all, &dynastay.UnreadableError{Items: f.unreadable}
	}
	return all, nil
}

func validateChecks(reqs []CheckRequest, stay dynastay.Stay) error {
	if len(reqs) > MaxChecks {
		return dynastay.Invalid("Requests", "must have at most 1,000 entries")
	}
	for i, req := range reqs {
		if err := req.Validate(); err != nil {
			return dynastay.Within(fmt.Sprintf("Requests[%d]", i), err)
		}
	}
	return checkDates("Stay", stay)
}

// room identifies the room type of a request.
func (c CheckRequest) room() CheckRequest {
	return CheckRequest{PropertyID: c.PropertyID, RoomTypeID: c.RoomTypeID}
}

// wanted lists the room types of one property that the requests ask for.
type wanted struct {
	propertyID string
	rooms      []string
	roomTypes  int // of the property
	ratePlans  int // with prices of their own
}

// group returns the room types that are asked for, by property.
func group(reqs []CheckRequest) (all []*wanted) {
	byProperty := map[string]*wanted{}
	for _, req := range reqs {
		w := byProperty[req.PropertyID]
		if w == nil {
			w = &wanted{propertyID: req.PropertyID}
			byProperty[req.PropertyID] = w
			all = append(all, w)
		}
		if !slices.Contains(w.rooms, req.RoomTypeID) {
			w.rooms = append(w.rooms, req.RoomTypeID)
		}
		w.roomTypes, w.ratePlans = max(w.roomTypes, req.RoomTypes, len(w.rooms)), max(w.ratePlans, req.RatePlans)
	}
	return all
}

// The sizes of a night in bytes, with generated ids, and of the price of a rate plan in it. A read consumes a unit for every
// 4 KB or part of it: a Query for all of its rows together, BatchGetItem for each item.
const (
	sizeInTable = 430
	sizeInIndex = 250
	sizeOfPrice = 16
	unit        = 4096
)

// batchSize is the number of items that one BatchGetItem reads.
const batchSize = 100

// way is a way to read the nights of a property.
type way int

const (
	byIndex way = iota
	byRoom
	byBatch
)

// cheapest returns the way with the fewest read units. Among equal ones it prefers BatchGetItem, which reads other
// properties in the same request, and then the index.
func (w *wanted) cheapest(nights int, consistent bool) way {
	prices := min(w.ratePlans*sizeOfPrice, MaxRatesSize)
	units := func(rows, size int) int { return (rows*(size+prices) + unit - 1) / unit }
	best, least := byBatch, len(w.rooms)*nights // equal to the others only for one night
	if n := units(w.roomTypes*nights, sizeInIndex); n < least && !consistent {
		best, least = byIndex, n
	}
	if n := len(w.rooms) * units(nights, sizeInTable); n < least {
		best = byRoom
	}
	return best
}

// finder reads the nights of many room types.
type finder struct {
	repo *Repository
	stay dynastay.Stay
	opts []dynastay.ReadOption

	mu         sync.Mutex
	nights     map[CheckRequest][]Night // by room, in order
	unreadable []error
}

// tasks returns the reads to send.
func (f *finder) tasks(reqs []CheckRequest) []func(context.Context) error {
	var tasks []func(context.Context) error
	var batch []CheckRequest
	for _, w := range group(reqs) {
		way := w.cheapest(f.stay.Nights(), slices.Contains(f.opts, dynastay.Consistent))
		if way == byIndex {
			tasks = append(tasks, func(ctx context.Context) error { return f.readIndex(ctx, w) })
			continue
		}
		for _, id := range w.rooms {
			room := CheckRequest{PropertyID: w.propertyID, RoomTypeID: id}
			if way == byBatch {
				batch = append(batch, room)
				continue
			}
			tasks = append(tasks, func(ctx context.Context) error { return f.readRoom(ctx, room) })
		}
	}
	for part := range slices.Chunk(batch, batchSize) {
		tasks = append(tasks, func(ctx context.Context) error { return f.readBatch(ctx, part) })
	}
	return tasks
}

func (f *finder) readIndex(ctx context.Context, w *wanted) error {
	rows, err := f.repo.readProperty(ctx, w.propertyID, f.stay)
	if err != nil {
		return err
	}
	for _, row := range rows {
		key, err := keys.Parse[keys.Night](keys.AvailabilityTable.Key.From(row))
		if err != nil || !slices.Contains(w.rooms, key.RoomTypeID) {
			continue // of a room type that was not asked for
		}
		night, err := nightInIndex(row, w.propertyID)
		f.found(CheckRequest{PropertyID: w.propertyID, RoomTypeID: key.RoomTypeID}, night, err)
	}
	return nil
}

func (f *finder) readRoom(ctx context.Context, room CheckRequest) error {
	rows, err := f.repo.read(ctx, room.RoomTypeID, f.stay, f.opts...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		night, err := f.repo.entity.Value(row)
		f.found(room, night, err)
	}
	return nil
}

// readBatch reads the first night, which is the only one: for several, a Query of each room type consumes less.
func (f *finder) readBatch(ctx context.Context, rooms []CheckRequest) error {
	asked := make([]dynastay.Key, len(rooms))
	for i, room := range rooms {
		asked[i] = nightRef(room.RoomTypeID, f.stay.CheckIn).Key
	}
	rows, err := f.repo.db.GetAll(ctx, keys.AvailabilityTable, asked, f.opts...)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if row.Exists() {
			night, err := f.repo.entity.Value(row)
			f.found(rooms[i], night, err)
		}
	}
	return nil
}

// found adds a night, or the error for one that cannot be read.
func (f *finder) found(room CheckRequest, night *Night, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		f.unreadable = append(f.unreadable, err)
	case !night.expired(f.repo.db.Now()):
		f.nights[room] = append(f.nights[room], *night)
	}
}
