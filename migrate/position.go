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
	Of       string // what the walk reads
	Run      string // the id of the run that walks the segment
	After    string // the position after the last page that was done; "" before the first
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
			f.String("Run", &p.Run)
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

// begin makes the segments those of this run, and returns how far they have come.
func (m *Mover) begin(ctx context.Context, w *Walk, src source, run string) ([]*position, error) {
	partition, err := keys.Partition(keys.WalkSegment{Walk: w.Name})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, m.DB, keys.MetadataTable, dynastay.Query{Name: "migrate.Segments", Partition: partition, Consistent: true})
	if err != nil {
		return nil, err
	}
	n := src.segments()
	all := make([]*position, n)
	for _, row := range rows {
		p, err := m.list.Value(row)
		switch {
		case err != nil:
			return nil, err
		case p.Segments != n:
			return nil, dynastay.Invalid("Segments", "the walk was begun with %d segments, not %d; forget it first", p.Segments, n)
		case p.Of != src.text(p.Segment):
			return nil, dynastay.Invalid("Name", "a walk of this name was begun that reads %s, not %s", p.Of, src.text(p.Segment))
		}
		all[p.Segment] = p
	}
	for i, p := range all {
		switch {
		case w.DryRun && p == nil:
			all[i] = &position{Walk: w.Name, Segment: i}
		case w.DryRun:
		case p == nil:
			all[i], err = m.saved.Create(ctx, &position{Walk: w.Name, Segment: i, Segments: n, Of: src.text(i), Run: run})
		case p.EndedAt.IsZero():
			err = m.save(ctx, p, func(p *position) { p.Run = run })
		}
		if errors.Is(err, dynastay.ErrAlreadyExists) { // a run that began at the same time was first
			err = ErrTakenOver
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// save changes a position, on condition that it is still that of this run.
func (m *Mover) save(ctx context.Context, p *position, change func(*position)) error {
	key, err := p.key()
	if err != nil {
		return err
	}
	run := p.Run
	saved, err := m.saved.Update(ctx, key, func(p *position) error {
		if p.Run != run {
			return ErrTakenOver
		}
		change(p)
		return nil
	})
	if err == nil {
		*p = *saved
	}
	return err
}

// Forget deletes how far a walk has come, so that the next walk of the name starts again. A run that goes on meanwhile
// stops with [dynastay.ErrNotFound]. 2 requests for up to 25 segments.
func (m *Mover) Forget(ctx context.Context, name string) error {
	partition, err := keys.Partition(keys.WalkSegment{Walk: name})
	if err != nil {
		return err
	}
	rows, err := dynastay.QueryAll(ctx, m.DB, keys.MetadataTable, dynastay.Query{Name: "migrate.Segments", Partition: partition, Consistent: true})
	if err != nil {
		return err
	}
	var all []dynastay.Key
	for _, row := range rows {
		all = append(all, keys.MetadataTable.Key.From(row))
	}
	return m.DB.DeleteAll(ctx, keys.MetadataTable, all)
}
