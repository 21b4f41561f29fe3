package properties

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// verify compares an item other than the guard of a slug. It returns the write id that the property has with the difference.
func (r *Repository) verify(ctx context.Context, at dynastay.Key) (mark string, err error) {
	if key.Is[keys.Property](at) {
		return r.verifyProperty(ctx, at)
	}
	if owner := ownerOf(at); owner != (dynastay.Key{}) {
		return "", r.verifyPart(ctx, owner, at)
	}
	return "", nil
}

// mostVerified limits how often a property is read again that keeps changing.
const mostVerified = 10

// verifyProperty reports only what it sees twice while the property has the same write id: each change of what a property says
// also writes the property, but its items are read one after another. What sorts before the property is then right in the second
// look, and what is read after it in the first one.
func (r *Repository) verifyProperty(ctx context.Context, at dynastay.Key) (mark string, err error) {
	var before *look
	for range mostVerified {
		now, err := r.look(ctx, at, false)
		if err != nil || now == nil || now.different == nil {
			return "", err
		}
		if before != nil && before.mark == now.mark && reflect.DeepEqual(before.different, now.different) {
			return now.mark, now.different
		}
		before = now
	}
	return "", nil // it is written all the time, and so by the library
}

// look is everything that is stored of a property, with what differs.
type look struct {
	*foreign
	mark      string // the write id
	unguarded []string
	different *entity.DifferentError // nil if nothing differs
}

// look reads a property with its items, its plans and charges, and its guards. It returns nil if the property is gone.
func (r *Repository) look(ctx context.Context, at dynastay.Key, allRates bool) (*look, error) {
	rows, err := r.items(ctx, at)
	if err != nil || !slices.ContainsFunc(rows, func(row dynastay.Row) bool { return keys.PropertiesTable.Key.From(row) == at }) {
		return nil, err
	}
	l := &look{}
	if l.foreign, err = r.foreignOf(at, rows); err != nil || l.After.Status == Deleting {
		return l, err
	}
	readRates := r.rates
	if allRates {
		readRates = func(ctx context.Context, p *Property) ([]dynastay.Row, error) { return r.ratesOf(ctx, p.ID) }
	}
	rates, err := readRates(ctx, l.After)
	if err != nil {
		return nil, err
	}
	l.mark = string(l.Row.Value(keys.PropertiesTable.WriteIDName()).Bytes())
	l.different = &entity.DifferentError{Entity: "Property", ID: r.entity.IDOf(at), Foreign: isForeign(l.Row)}
	if err := l.corrupt(r.compare(l, rows, rates)); err != nil {
		return nil, err
	}
	if err := r.compareGuards(ctx, l); err != nil {
		return nil, l.corrupt(err)
	}
	if d := l.different; !d.Foreign && len(d.Attributes)+len(d.Unguarded)+len(d.Items) == 0 {
		l.different = nil
	}
	return l, nil
}

// compare compares the attributes of the property, and the items of its amenities.
func (r *Repository) compare(l *look, rows, rates []dynastay.Row) error {
	plans := len(rates)
	if slices.ContainsFunc(rates, isCharges) {
		plans--
	}
	if err := r.rated(l.foreign, slices.Clone(rates)); err != nil {
		return err
	}
	images, err := r.imagesOf(rows)
	if err != nil {
		return err
	}
	err = l.Keep(func(p *Property) error {
		p.rooms, p.advertised, p.charges, p.adopting = l.cards, l.plans, l.charges, true
		p.RatePlanCount, p.HasCharges = plans, plans < len(rates)
		p.follow(images)
		return nil
	})
	if err == nil {
		err = l.Whole()
	}
	if err != nil {
		return err
	}
	l.different.Attributes = l.Attributes()
	return l.compareAmenities(rows)
}

// follow sets what a property says about its room types, its images and its reviews. A host can set none of it, except the
// primary image of a property without images. The price range and the number of images may have been set by other software; the
// next write of a room type or an image replaces them, so they differ. Without room types, a range is left: an approved property
// cannot be without one, so the library leaves none, and nothing says what it should be. The same holds for room types with
// several currencies.
func (p *Property) follow(images []Image) {
	if before := p.Prices; len(p.rooms) > 0 && p.setPrices("") != nil {
		p.Prices = before
	}
	if p.ImageCount = len(images); len(images) > 0 {
		primary := max(0, slices.IndexFunc(images, func(i Image) bool { return i.Primary })) // as a gallery chooses it
		p.PrimaryImageURL = images[primary].URL
	}
	if totals := p.Totals(); p.ratingSum.known && totals.possible() {
		p.Rating = totals.Average()
	}
}

func (l *look) compareAmenities(rows []dynastay.Row) error {
	there := map[dynastay.Key]dynastay.Row{}
	for _, row := range rows {
		there[keys.PropertiesTable.Key.From(row)] = row
	}
	for i, id := range l.After.AmenityIDs {
		a := amenity{l.After.ID, id, placeOf(l.After)}
		at, err := a.key()
		if err != nil {
			return err
		}
		switch same, err := a.isStored(there[at]); {
		case err != nil:
			return err
		case !same && !slices.Contains(l.After.AmenityIDs[:i], id): // other software may store an amenity twice
			l.different.Items = append(l.different.Items, at.String())
		}
	}
	for _, at := range l.amenities {
		l.different.Items = append(l.different.Items, at.String())
	}
	slices.Sort(l.different.Items)
	return nil
}

// compareGuards reads the guards of the slug and the room types.
func (r *Repository) compareGuards(ctx context.Context, l *look) error {
	slug, err := keys.Of(keys.SlugGuard{Slug: l.After.Slug})
	if err != nil {
		return err
	}
	all := []dynastay.Key{slug}
	for _, room := range l.cards {
		guard, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: room.ID})
		if err != nil {
			return err
		}
		all = append(all, guard)
	}
	rows, err := r.db.GetAll(ctx, keys.PropertiesTable, all, dynastay.Consistent)
	if err != nil {
		return err
	}
	for i, guard := range rows {
		switch {
		case guard.Text("PropertyId") == l.After.ID:
		case i == 0:
			l.different.Unguarded = append(l.different.Unguarded, "Slug")
		default:
			id := l.cards[i-1].ID
			l.unguarded = append(l.unguarded, id)
			l.different.Unguarded = append(l.different.Unguarded, "RoomTypeID "+id)
		}
	}
	return nil
}

// verifyPart compares an item with its property. Both are read twice, because they may be created or deleted between two reads.
func (r *Repository) verifyPart(ctx context.Context, owner, at dynastay.Key) error {
	var d *entity.DifferentError
	for range 2 {
		rows, err := r.db.GetAll(ctx, keys.PropertiesTable, []dynastay.Key{owner, at}, dynastay.Consistent)
		if err != nil {
			return err
		}
		if d = r.differentPart(rows[0], rows[1], owner, at); d == nil {
			return nil
		}
	}
	return d
}

// differentPart also compares whether a property without plans and charges has any, which nobody looks for.
func (r *Repository) differentPart(property, part dynastay.Row, owner, at dynastay.Key) *entity.DifferentError {
	d := &entity.DifferentError{Entity: "Property", ID: r.entity.IDOf(owner)}
	rated := property.Int("RatePlanCount") > 0 || property.Value("HasCharges").Bool() || Status(property.Text(keys.AttrStatus)) == Deleting
	switch theirs := strings.HasPrefix(at.SK, keys.SortKind[keys.Amenity]()) && !isOurs(part); {
	case !part.Exists() || theirs:
		return nil
	case !property.Exists():
		d.Gone, d.Items = true, []string{at.String()}
	case isRate(at) && !rated && isCharges(part):
		d.Attributes = []string{"HasCharges"}
	case isRate(at) && !rated:
		d.Attributes = []string{"RatePlanCount"}
	default:
		return nil
	}
	return d
}
