package migrate

import (
	"context"
	"errors"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// position is the item of one segment of a walk: how far it has come.
// See docs/decisions/0033-walks.md for what it is worth.
type position struct {
	Walk     string
	Segment  int
	Segments int    // of the walk
	Of       string // what the walk reads, without the names of partitions, which may be those of persons
	After    string // the key of the last item that was done; "" before the first
	EndedAt  time.Time

	Walked, Changed, Refused int // items

	CreatedAt time.Time
	UpdatedAt time.Time
	WriteID   dynastay.WriteID
}

func (p *position) key() (dynastay.Key, error) {
	return keys.Of(keys.WalkSegment{Walk: p.Walk, Segment: p.Segment})
}

func newEntity(s *dynastay.Schema) *entity.Entity[position] {
	return entity.New(entity.Spec[position]{
		Name: "WalkSegment", Operations: "migrate", Schema: s, Created: "CreatedAt", Updated: "UpdatedAt",
		Key: (*position).key,
		Codec: entity.Declare(func(f *entity.Fields, p *position) {
			f.Const(keys.AttrEntityType, "WalkSegment")
			f.String("Walk", &p.Walk)
			f.Int("Segment", &p.Segment)
			f.Int("Segments", &p.Segments)
			f.String("Of", &p.Of)
			f.String("After", &p.After)
			f.Time("EndedAt", &p.EndedAt)
			f.Int("Walked", &p.Walked)
			f.Int("Changed", &p.Changed)
			f.Int("Refused", &p.Refused)
			f.Time("CreatedAt", &p.CreatedAt)
			f.Time("UpdatedAt", &p.UpdatedAt)
			f.WriteID(s.WriteIDName(), &p.WriteID)
		}),
	})
}

// begin returns how far the segments have come. A dry run begins at the beginning.
func (m *Mover) begin(ctx context.Context, name string, of []string, dry bool) ([]*position, error) {
	all := make([]*position, len(of))
	for i := range all {
		all[i] = &position{Walk: name, Segment: i, Segments: len(all), Of: of[i]}
	}
	if dry {
		return all, nil
	}
	rows, err := m.positions(ctx, name)
	if err != nil {
		return nil, err
	}
	known := make([]bool, len(all))
	for _, row := range rows {
		p, err := m.list.Value(row)
		switch {
		case err != nil:
			return nil, err
		case p.Segments != len(all):
			return nil, dynastay.Invalid("Segments", "the walk was begun with %d segments, not %d; forget it first", p.Segments, len(all))
		case p.Of != of[p.Segment]:
			return nil, dynastay.Invalid("Name", "a walk of this name was begun that reads something else; forget it first")
		}
		all[p.Segment], known[p.Segment] = p, true
	}
	for i, p := range all {
		if known[i] {
			continue
		}
		if err := m.wait(ctx); err != nil && !errors.Is(err, ErrBudget) { // so that something can be done at all
			return nil, err
		}
		// If another run has just created it, the first save tells.
		if _, err := m.saved.Create(ctx, p); err != nil && !errors.Is(err, dynastay.ErrAlreadyExists) {
			return nil, err
		}
	}
	return all, nil
}

// save moves a position from where this run has found it. If another run has moved it meanwhile, this one goes on from
// there: both have done the page, which the function allows, and it counts once.
func (m *Mover) save(ctx context.Context, p *position, change func(*position)) error {
	key, err := p.key()
	if err != nil {
		return err
	}
	from := p.After
	saved, err := m.saved.Update(ctx, key, func(p *position) error {
		if p.After == from && p.EndedAt.IsZero() {
			change(p)
		}
		return nil
	})
	if err == nil {
		*p = *saved
	}
	return err
}

// positions reads those of a walk.
func (m *Mover) positions(ctx context.Context, name string) ([]dynastay.Row, error) {
	partition, err := keys.Partition(keys.WalkSegment{Walk: name})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, m.DB, keys.MetadataTable, dynastay.Query{Name: "migrate.Segments", Partition: partition, Consistent: true})
}

// Forget deletes how far a walk has come, so that the next walk of the name starts again. A run that goes on meanwhile
// stops with [dynastay.ErrNotFound]. 2 requests for up to 25 segments.
func (m *Mover) Forget(ctx context.Context, name string) error {
	rows, err := m.positions(ctx, name)
	if err != nil {
		return err
	}
	var all []dynastay.Key
	for _, row := range rows {
		all = append(all, keys.MetadataTable.Key.From(row))
	}
	return m.DB.DeleteAll(ctx, keys.MetadataTable, all)
}
