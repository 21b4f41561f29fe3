package units

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Repository creates, reads and changes units, and reads who has them.
type Repository struct {
	db    *dynastay.DB
	table *entity.Table[Unit]
}

// New returns a repository. It sends no requests. Create one for the process and share it.
func New(db *dynastay.DB) *Repository {
	return &Repository{db: db, table: entity.NewTable(db, unitEntity)}
}

// CreateOp creates a unit, which is clean unless the caller says something else. It fails with [dynastay.ErrAlreadyExists] if the
// property has a unit with the id, even a retired one, with a [*dynastay.InvalidError] that names the field, and with one for
// RoomTypeID if the property has no such room type.
func (r *Repository) CreateOp(u Unit) *dynastay.Operation[*Unit] {
	if u.Housekeeping == "" {
		u.Housekeeping = Clean
	}
	made, err := r.creation(&u)
	at, keyErr := keys.Of(keys.RoomType{PropertyID: u.PropertyID, RoomTypeID: u.RoomTypeID})
	key, unitErr := keys.Of(keys.Unit{PropertyID: u.PropertyID, UnitID: u.ID})
	if err == nil {
		err = errors.Join(keyErr, unitErr)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Unit]{
		Name: "units.Create", Invalid: err, Input: made.Input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Unit, error) {
			tx.Check(keys.PropertiesTable, at, exists.With(nil), func(dynastay.Row) error {
				return dynastay.Invalid("RoomTypeID", "must be a room type of the property")
			})
			created := *made.Value
			return &created, made.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Unit, error) {
			return r.table.Get(ctx, key, dynastay.Consistent)
		},
	})
}

func (r *Repository) creation(u *Unit) (*entity.Creation[Unit], error) {
	made, err := r.table.Creation(u)
	if err == nil && len(u.OutOfOrder) > 0 {
		err = dynastay.Invalid("OutOfOrder", "must not be set: TakeOutOfOrder of package bookings takes the nights as well")
	}
	return made, err
}

var exists = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(expression.AttributeExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition))))

// Create runs [Repository.CreateOp]. 1 request.
func (r *Repository) Create(ctx context.Context, u Unit, opts ...dynastay.WriteOption) (*Unit, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(u), opts...)
}

// mostCreated is how many units one transaction creates: each room type is checked as well, and each unit may have its own.
const mostCreated = 50

// CreateAll creates those of the units that the property does not have yet, and returns them. It leaves the others as they are, so
// after an error it can be called again. All units must be of one property, and have different ids; otherwise nothing is created,
// and the [*dynastay.InvalidError] names the field, such as Units[3].ID. 1 request, and 1 for every 50 units that are created.
func (r *Repository) CreateAll(ctx context.Context, all []Unit) (_ []Unit, err error) {
	ctx, end := r.db.Begin(ctx, "units.CreateAll")
	defer func() { end(err) }()
	if len(all) == 0 {
		return nil, nil
	}
	seen, ops := map[string]bool{}, make([]*dynastay.Operation[*Unit], len(all))
	for i, u := range all {
		at := fmt.Sprintf("Units[%d]", i)
		switch {
		case u.PropertyID != all[0].PropertyID:
			return nil, dynastay.Invalid(at+".PropertyID", "must be that of the first unit")
		case seen[u.ID]:
			return nil, dynastay.Invalid(at+".ID", "appears more than once")
		}
		seen[u.ID] = true
		if _, err := r.creation(&u); err != nil {
			return nil, dynastay.Within(at, err)
		}
		ops[i] = r.CreateOp(u)
	}
	has := map[string]bool{}
	rows, err := r.rows(ctx, keys.PropertiesTable, all[0].PropertyID, keys.SortKind[keys.Unit]())
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		has[row.Text("UnitId")] = true
	}
	var missing []*dynastay.Operation[*Unit]
	for i, u := range all {
		if !has[u.ID] {
			missing = append(missing, ops[i])
		}
	}
	var created []Unit
	for some := range slices.Chunk(missing, mostCreated) {
		write := make([]dynastay.Part, len(some))
		for i, op := range some {
			write[i] = op
		}
		if err := r.db.Write(ctx, write...); err != nil {
			return created, err
		}
		for _, op := range some {
			created = append(created, *op.Result())
		}
	}
	return created, nil
}

// Get reads a unit, or fails with [dynastay.ErrNotFound]. It accepts [dynastay.Consistent]. 1 request.
func (r *Repository) Get(ctx context.Context, propertyID, unitID string, opts ...dynastay.ReadOption) (*Unit, error) {
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, opts...)
}

// List lists the units of a property by their ids, with those that are retired.
//
// Pattern units: Properties, PK = UNITS#{propertyId}, SK begins with UNIT#, 1 request
func (r *Repository) List(propertyID string) dynastay.List[*Unit] {
	return r.list("units.List", propertyID)
}

// All returns the units of a property by their ids, with those that are retired. It reads consistently, for those who compare them
// with something else. It fails with [dynastay.ErrCorrupt] for one that cannot be read. 1 request for each 1 MB of units.
func (r *Repository) All(ctx context.Context, propertyID string) (all []*Unit, err error) {
	ctx, end := r.db.Begin(ctx, "units.All")
	defer func() { end(err) }()
	rows, err := r.rows(ctx, keys.PropertiesTable, propertyID, keys.SortKind[keys.Unit]())
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		u, err := unitEntity.Value(row)
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

// ToBeCleaned lists the units of a property that are dirty, without those that are retired, by their ids.
//
// Pattern units to be cleaned: Properties, PK = UNITS#{propertyId}, SK begins with UNIT#, 1 request
func (r *Repository) ToBeCleaned(propertyID string) dynastay.List[*Unit] {
	return r.list("units.ToBeCleaned", propertyID).Filter(func(u *Unit) bool { return u.Housekeeping == Dirty && !u.Retired })
}

func (r *Repository) list(name, propertyID string) dynastay.List[*Unit] {
	partition, err := keys.Partition(keys.Unit{PropertyID: propertyID})
	if err != nil {
		return dynastay.NoList[*Unit](err)
	}
	return r.table.List(dynastay.Query{Name: name, Partition: partition, Range: dynastay.Range{Prefix: keys.SortKind[keys.Unit]()}})
}

// rows reads the items of a property's units whose sort keys have a prefix, consistently.
func (r *Repository) rows(ctx context.Context, s *dynastay.Schema, propertyID, prefix string) ([]dynastay.Row, error) {
	partition, err := keys.Partition(keys.Unit{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, s, dynastay.Query{Partition: partition, Range: dynastay.Range{Prefix: prefix}, Consistent: true})
}

// UpdateOp changes a unit as [entity.Table.UpdateOp] does. fn may change the room type only of a unit that is retired and stays so:
// nobody has it then, and nobody gets it, and not before two days after the last night on which it is out of order. Otherwise, UpdateOp fails with a [*dynastay.InvalidError] for the field "RoomTypeID".
// A unit that has been retired is used again once fn sets Retired to false; to retire one, call bookings.Repository.RetireUnit,
// because fn must not set it.
func (r *Repository) UpdateOp(propertyID, unitID string, fn func(*Unit) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*Unit] {
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Unit]{Name: "units.Update", Invalid: err})
	}
	return r.table.UpdateOp(key, func(u *Unit) error {
		before := *u
		if err := fn(u); err != nil {
			return err
		}
		switch {
		case u.RoomTypeID != before.RoomTypeID && !(before.Retired && u.Retired && !before.retiring):
			return dynastay.Invalid("RoomTypeID", "must be %s, unless the unit is retired and stays so", before.RoomTypeID)
		case u.RoomTypeID != before.RoomTypeID && before.mayBePutBack(r.db.Now()):
			return dynastay.Invalid("RoomTypeID", "must be %s until the day after the unit is no longer out of order", before.RoomTypeID)
		case u.Retired && !before.Retired:
			return dynastay.Invalid("Retired", "must not be set: RetireUnit of package bookings looks whether somebody has the unit")
		}
		u.retiring = u.retiring && u.Retired
		return nil
	}, opts...)
}

// Update runs [Repository.UpdateOp]. 2 requests: the read, and the update.
func (r *Repository) Update(
	ctx context.Context, propertyID, unitID string, fn func(*Unit) error, opts ...dynastay.UpdateOption,
) (*Unit, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(propertyID, unitID, fn, opts...))
}

// Retire retires a unit in two steps, for authors of operations on bookings: bookings.Repository.RetireUnit is built on it. It marks the
// unit, so that nobody gets it any more, and calls look, which returns the nights on which somebody has it. If there are none, the
// unit is retired. Otherwise, the mark is taken back, and Retire returns a [*TakenError]. If somebody else changes the unit
// meanwhile, Retire begins again. It fails with [dynastay.ErrNotFound] if the property has no such unit.
//
// 4 requests, besides those of look.
func (r *Repository) Retire(
	ctx context.Context, propertyID, unitID string, look func(context.Context) ([]TakenNight, error),
) (_ *Unit, err error) {
	ctx, end := r.db.Begin(ctx, "units.Retire")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return nil, err
	}
	for range 10 {
		marked, err := r.table.Update(ctx, key, func(u *Unit) error {
			u.retiring = u.retiring || !u.Retired
			u.Retired = true
			return nil
		})
		if err != nil || !marked.retiring {
			return marked, err
		}
		has, err := look(ctx)
		if err != nil {
			return nil, err
		}
		done, err := r.table.Update(ctx, key, func(u *Unit) error {
			u.retiring, u.Retired = false, len(has) == 0
			return nil
		}, dynastay.IfVersion(marked.Version))
		switch {
		case errors.Is(err, dynastay.ErrVersion):
			continue
		case err == nil && len(has) > 0:
			err = &TakenError{has}
		}
		return done, err
	}
	return nil, &dynastay.Error{Op: "units.Retire", Entity: "Unit", ID: unitID, Kind: dynastay.ErrContention}
}
