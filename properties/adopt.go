package properties

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// ErrForeign means that other software wrote the property, so it may lack its card, guards and amenity items. Methods
// that write a property adopt it first. An operation that is part of a larger write cannot: call [Repository.Adopt],
// then repeat the write.
var ErrForeign = dynastay.Refusal("the property was written by other software and has not been adopted yet")

// Adopt completes a property that other software wrote in the form of the hotel-booking document: it repairs the index
// keys and the geohashes, builds the card, adds a missing price range, the guards of the slug and of the room types,
// and the items of the amenities, and deletes the items of amenities that the property no longer has. It changes
// nothing else, and nothing at all if the property has been adopted already. Every method that writes a property
// adopts it first, so Adopt is needed only for operations in larger writes, and for properties that must be found by
// amenity or among the pending approvals before their first write. Software that goes on writing a property or its
// room types must remove the write id of the property, in the same transaction or afterwards; the property is then adopted
// again.
//
// A slug or room type id that already belongs to a different property is left to that property. The sales of such a
// room type cannot be closed or reopened, so Approve, Suspend and Delete then fail with [dynastay.ErrAlreadyExists]
// and Field "RoomTypeID". Adopt does not take a property off sale that other software suspended: call
// [Repository.Suspend].
//
// Adopt returns [dynastay.ErrNotFound] if the property does not exist, and [dynastay.ErrCorrupt] with Field
// "AmenityList" if there are more than 90 amenities and room types, or with the name of a field that no key can be
// built from. If Adopt fails or the program ends, call it again. 1 request for a property that was adopted before,
// otherwise 4; 2 more with rate plans or charges, for every 99 items that are deleted, for room types that
// belong to a different property, and for such a slug.
func (r *Repository) Adopt(ctx context.Context, propertyID string) error {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return err
	}
	_, err = r.adopt(ctx, key)
	return err
}

// AdoptRow adopts the property of an item, if the item is that of a property and has not been adopted yet; see
// [Repository.Adopt]. It reports whether it has written something. It is the Each of a [migrate.Walk] of the table Properties.
//
// [migrate.Walk]: https://pkg.go.dev/github.com/dynastay/dynastay/migrate#Walk
func (r *Repository) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	at := keys.PropertiesTable.Key.From(row)
	if !key.Is[keys.Property](at) || !isForeign(row) {
		return false, nil
	}
	adopted, err = r.adopt(ctx, at)
	if errors.Is(err, dynastay.ErrNotFound) { // it was deleted meanwhile
		err = nil
	}
	return adopted, err
}

// adopt reports whether it has written something.
func (r *Repository) adopt(ctx context.Context, key dynastay.Key) (wrote bool, err error) {
	var now adoption
	for err == nil && !now.done {
		now, err = dynastay.Do(ctx, r.db, r.adoptOp(key, now))
		wrote = wrote || err == nil && now.wrote
	}
	return wrote, err
}

// adoption is how far the adoption of a property has come.
type adoption struct {
	guarded []string // the room types that have their guards
	mark    string   // the write id of the property since then
	wrote   bool
	done    bool
}

// mostAdoptions limits how often one call adopts a property that other software keeps changing.
const mostAdoptions = 10

// adopted runs a write, and again if its property must be adopted first. All of it is the operation op.
func adopted[R any](
	ctx context.Context, r *Repository, propertyID, op string, write func(context.Context) (R, error),
) (made R, err error) {
	ctx, end := r.db.Begin(ctx, op)
	defer func() { end(err) }()
	made, err = write(ctx)
	for n := 0; n < mostAdoptions && errors.Is(err, ErrForeign); n++ {
		if err := r.Adopt(ctx, propertyID); err != nil {
			return made, err
		}
		made, err = write(ctx)
	}
	return made, err
}

// isForeign reports whether a property must be adopted: it has no write id, because other software created or changed
// it, or it has no card.
func isForeign(row dynastay.Row) bool {
	return row.Value(keys.PropertiesTable.WriteIDName()).Kind() != dynastay.KindBinary ||
		row.Value(keys.AttrCard).Kind() != dynastay.KindMap
}

// adoptedAlready returns [ErrForeign] for a property that must be adopted first.
func (r *Repository) adoptedAlready(op string, row dynastay.Row) error {
	if !row.Exists() || !isForeign(row) {
		return nil
	}
	return &dynastay.Error{Op: op, Entity: "Property", ID: r.entity.IDOf(keys.PropertiesTable.Key.From(row)), Err: ErrForeign}
}

// foreign is a property that other software wrote, as it was read.
type foreign struct {
	*entity.Change[Property]
	rooms     []dynastay.Row
	cards     []CardRoom
	plans     []availability.RatePlan // that the card has
	charges   *charges.List           // that the card has
	amenities []dynastay.Key          // items of amenities that the property no longer has
}

// adoptOp runs the next step of an adoption. Until the last one, which writes the card, the property is not adopted, so
// an interruption in between is repaired.
//
// The step before the last one writes a mark as the write id, and the last one reads everything after that and depends on
// the mark. Without it, software that adds a room type and removes the write id, as it must, would remove nothing, and the
// last step would not notice.
func (r *Repository) adoptOp(key dynastay.Key, before adoption) *dynastay.Operation[adoption] {
	return dynastay.NewOp(dynastay.OpSpec[adoption]{
		Name: "properties.Adopt",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (adoption, error) {
			f, err := r.readForeign(ctx, key)
			if err != nil || !isForeign(f.Row) {
				return adoption{done: true}, err
			}
			if len(f.amenities) > 0 {
				f.dropAmenities(tx, r)
				return adoption{guarded: before.guarded, wrote: true}, nil
			}
			if err := f.corrupt(r.completed(f)); err != nil {
				return before, err // before the guards, so that a property that cannot be adopted stays as it is
			}
			// Other software may have added a room type since the last step.
			rooms := (&Card{Rooms: f.cards}).roomTypeIDs()
			if before.mark == "" || f.Row.Text(keys.PropertiesTable.WriteIDName()) != before.mark || !containsAll(before.guarded, rooms) {
				mark := r.db.NewID("adopting_")
				return adoption{guarded: rooms, mark: mark, wrote: true}, f.corrupt(r.adoptGuards(tx, f, mark))
			}
			return adoption{wrote: true, done: true}, f.corrupt(r.adoptProperty(tx, f))
		},
	})
}

// corrupt returns the error for values that other software stored: they are not the caller's input, so the error must
// not match [dynastay.ErrInvalid].
func (f *foreign) corrupt(err error) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return &dynastay.Error{
		Op: "properties.Adopt", Entity: "Property", ID: f.After.ID, Field: invalid.Field, Kind: dynastay.ErrCorrupt,
		Err: errors.New(invalid.Reason),
	}
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

func (r *Repository) readForeign(ctx context.Context, key dynastay.Key) (*foreign, error) {
	rows, err := r.items(ctx, key)
	if err != nil {
		return nil, err
	}
	f, err := r.foreignOf(key, rows)
	if err != nil {
		return nil, err
	}
	rates, err := r.rates(ctx, f.After)
	if err == nil {
		err = r.rated(f, rates)
	}
	if err != nil {
		return nil, err
	}
	return f, f.tooMany()
}

// items reads the partition of a property.
func (r *Repository) items(ctx context.Context, key dynastay.Key) ([]dynastay.Row, error) {
	return dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{Partition: key.PK, Consistent: true})
}

// foreignOf takes a property from the items of its partition.
func (r *Repository) foreignOf(key dynastay.Key, rows []dynastay.Row) (*foreign, error) {
	f := &foreign{}
	var metadata dynastay.Row
	for _, row := range rows {
		switch at := keys.PropertiesTable.Key.From(row); {
		case at == key:
			metadata = row
		case strings.HasPrefix(at.SK, keys.SortKind[keys.RoomType]()):
			f.rooms = append(f.rooms, row)
		}
	}
	var err error
	if f.Change, err = r.table.ChangeOf(key, metadata, func(*Property) error { return nil }); err != nil {
		return nil, err
	}
	f.amenities = leftOf(rows, f.After.AmenityIDs)
	rooms, err := r.roomTypesOf(f.rooms)
	for _, room := range rooms {
		f.cards = append(f.cards, cardRoomOf(room))
	}
	return f, err
}

// rated takes what the card has of the plans and the charges.
func (r *Repository) rated(f *foreign, rates []dynastay.Row) (err error) {
	if at := slices.IndexFunc(rates, isCharges); at >= 0 {
		f.charges, rates = r.adoptedCharges(rates[at]), slices.Delete(rates, at, at+1)
	}
	f.plans, err = fitting(r.decodePlans(rates).before)
	return err
}

// tooMany returns an error for a property that one transaction cannot write.
func (f *foreign) tooMany() error {
	n := len(f.After.AmenityIDs) + len(f.rooms)
	if n <= maxParts {
		return nil
	}
	return &dynastay.Error{
		Op: "properties.Adopt", Entity: "Property", ID: f.After.ID, Field: "AmenityList", Kind: dynastay.ErrCorrupt,
		Err: fmt.Errorf("a property may have at most %d amenities and room types, got %d", maxParts, n),
	}
}

var (
	freeOrOwn = expression.AttributeNotExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition)).
			Or(dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")))
	// Not a put: the guard may be closed.
	claimRoomType = dynastay.MustCompile(expression.NewBuilder().WithCondition(freeOrOwn).WithUpdate(
		expression.Set(dynastay.NameOf(keys.AttrEntityType), expression.Value("Guard")).
			Set(dynastay.NameOf("PropertyId"), dynastay.Param("property"))))
)

// leftOf returns the items of amenities that are not in the list: other software removed the amenities from it. An item
// that the library did not write, and that is in no index, is left alone.
func leftOf(rows []dynastay.Row, amenityIDs []string) (left []dynastay.Key) {
	for _, row := range rows {
		at := keys.PropertiesTable.Key.From(row)
		id, ok := strings.CutPrefix(at.SK, keys.SortKind[keys.Amenity]())
		if ok && isOurs(row) && !slices.Contains(amenityIDs, id) {
			left = append(left, at)
		}
	}
	return left
}

// isOurs reports whether the item of an amenity is one that the library looks after.
func isOurs(row dynastay.Row) bool {
	return row.Text(keys.AttrEntityType) == amenityEntity || !row.Value(amenityIndex.Partition).IsNull()
}

// dropAmenities deletes the items of amenities that the property no longer has, as many as fit into one transaction.
func (f *foreign) dropAmenities(tx *dynastay.Tx, r *Repository) {
	check(tx, f.Row, r.entity.Known())
	for _, key := range f.amenities[:min(len(f.amenities), maxDeleted)] {
		tx.Delete(keys.PropertiesTable, key)
	}
}

// adoptGuards adds the guards of the room types, and marks the property.
func (r *Repository) adoptGuards(tx *dynastay.Tx, f *foreign, mark string) error {
	if err := f.claim(tx, (&Card{Rooms: f.cards}).roomTypeIDs()); err != nil {
		return err
	}
	expr := dynastay.MustCompile(expression.NewBuilder().
		WithCondition(dynastay.Unchanged(keys.PropertiesTable, f.Row, r.entity.Known()...)).
		WithUpdate(expression.Set(dynastay.NameOf(keys.PropertiesTable.WriteIDName()), expression.Value(mark)))).With(nil)
	tx.Update(keys.PropertiesTable, keys.PropertiesTable.Key.From(f.Row), expr).
		Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return nil
}

// claim adds the guards of room types that have none.
func (f *foreign) claim(tx *dynastay.Tx, roomTypeIDs []string) error {
	claim := claimRoomType.With(dynastay.Item{"property": dynastay.Text(f.After.ID)})
	for _, id := range roomTypeIDs {
		guard, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: id})
		if err != nil {
			return err
		}
		tx.Update(keys.PropertiesTable, guard, claim).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
	}
	return nil
}

// completed sets what the property lacks.
func (r *Repository) completed(f *foreign) error {
	err := f.Keep(func(p *Property) error {
		p.rooms, p.advertised, p.charges, p.adopting = f.cards, f.plans, f.charges, true
		if p.Prices.Min.IsSet() { // nothing else is changed, not even a range that differs from the room types
			return nil
		}
		return p.setPrices("")
	})
	if err != nil {
		return err
	}
	for _, id := range f.After.AmenityIDs {
		if _, err := keys.Of(keys.Amenity{PropertyID: f.After.ID, AmenityID: id}); err != nil {
			return err
		}
	}
	return f.Whole()
}

// adoptProperty writes everything else.
func (r *Repository) adoptProperty(tx *dynastay.Tx, f *foreign) error {
	// The card depends on the room types, which other software may be changing.
	for _, row := range f.rooms {
		check(tx, row, r.roomEntity.Known())
	}
	return f.AddTo(tx)
}

// check adds the condition that an item which was read consistently has not changed since.
func check(tx *dynastay.Tx, row dynastay.Row, known []string) {
	expr := dynastay.MustCompile(expression.NewBuilder().WithCondition(dynastay.Unchanged(keys.PropertiesTable, row, known...))).With(nil)
	tx.Check(keys.PropertiesTable, keys.PropertiesTable.Key.From(row), expr, func(dynastay.Row) error { return dynastay.ErrOvertaken })
}
