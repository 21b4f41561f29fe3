package racing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// Attributes races changes to any two fields of an entity.
type Attributes[T any] struct {
	Entity *entity.Entity[T]
	// Make stores a new entity in a random state.
	Make func(t *testing.T, db *dynastay.DB, draw *rand.Rand) *T
	// Values returns the values that fields of this entity can be changed to, by path, such as Address.City; an empty
	// list for a field that cannot be changed in this state. A field that is not in the map gets values of its type.
	// Values of different fields must be valid in any combination.
	Values func(*T) map[string][]any
	// Kept are the fields that no update can change. Any two other fields may form a pair.
	Kept []string
	// Update changes an entity. Default: [entity.Table.Update].
	Update func(ctx context.Context, db *dynastay.DB, v *T, fn func(*T) error) error
	// Check compares everything derived from an entity with what is stored. It must not use the library for that.
	Check func(t *testing.T, db *dyntest.DB, v *T)
}

// elsewhere is an attribute that other software writes.
const elsewhere = "Elsewhere"

// Run draws pairs of changes, and makes them interleave in every way, and run at the same time.
func (a Attributes[T]) Run(t *testing.T) {
	Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		for _, way := range Ways {
			p := a.pair(t, db, draw)
			first, second := way.Meet(t, db, p.call(0), p.call(1))
			if !p.stamped && way.Unknown && errors.Is(first, dynastay.ErrOutcomeUnknown) {
				p.unknown, first = true, nil
			}
			p.check(way.Name, first, second)
		}
		p := a.pair(t, db, draw)
		db.Faults.Conflicts(0)
		errs := AtOnce(t, db, p.call(0), p.call(1))
		p.check("at once", errs...)
	}, dyntest.OnlyTables(a.Entity.Schema))
}

// pair is an entity and two changes to it.
type pair[T any] struct {
	Attributes[T]
	t       *testing.T
	db      *dyntest.DB
	made    *T
	key     dynastay.Key
	row     dynastay.Row
	stamped bool // the entity has a write id
	unknown bool // it is unknown whether the first change was made

	all     []field // the fields that an update can change
	changes [2]field
}

func (a Attributes[T]) pair(t *testing.T, db *dyntest.DB, draw *rand.Rand) *pair[T] {
	p := &pair[T]{Attributes: a, t: t, db: db, made: a.Make(t, db.Direct, draw), stamped: draw.IntN(2) == 0}
	var err error
	p.key, err = a.Entity.Key(p.made)
	require.NoError(t, err)
	p.age()
	p.row, err = db.Direct.Get(t.Context(), a.Entity.Schema, p.key, dynastay.Consistent)
	require.NoError(t, err)
	p.made, err = a.Entity.Value(p.row)
	require.NoError(t, err)
	p.find()
	open := slices.DeleteFunc(slices.Clone(p.all), func(f field) bool { return len(f.values) == 0 })
	for i, n := range draw.Perm(len(open))[:2] {
		p.changes[i] = open[n]
		p.changes[i].values = []any{One(draw, open[n].values...)}
	}
	return p
}

// age adds an attribute that the library does not know to the item. If the item must not have a write id, it becomes an
// item of other software, which does not write index keys either.
func (p *pair[T]) age() {
	s := p.Entity.Schema
	update := "SET " + elsewhere + " = :true"
	if !p.stamped {
		names := []string{s.WriteIDName()}
		for name := range p.Entity.Indexes {
			index, _ := s.Index(name)
			names = append(names, index.Key.Partition, index.Key.Sort)
		}
		update += " REMOVE " + strings.Join(names, ", ")
	}
	raw.Update(p.t, p.db, s, p.key, update, dynastay.Item{":true": dynastay.Text("true")})
}

// find finds the fields that an update can change, and their possible values.
func (p *pair[T]) find() {
	values := map[string][]any{}
	if p.Values != nil {
		values = p.Values(p.made)
	}
	var kept []string
	for _, f := range fieldsOf(reflect.TypeFor[T](), values) {
		if p.changeable(&f) {
			p.all = append(p.all, f)
		} else {
			kept = append(kept, f.path)
		}
	}
	require.ElementsMatch(p.t, p.Kept, kept, "fields that no update can change")
}

// changeable removes from a field the values that an update cannot set, and reports whether the field can be changed.
func (p *pair[T]) changeable(f *field) bool {
	table := entity.NewTable(p.db.Direct, p.Entity)
	var possible []any
	var refused error
	for _, value := range f.values {
		c, err := table.ChangeOf(p.key, p.row, func(v *T) error {
			f.set(v, value)
			return nil
		})
		switch {
		case kept(err):
			return false
		case err != nil:
			refused = err
		case c.Changed():
			possible = append(possible, value)
		}
	}
	require.True(p.t, len(possible) > 0 || refused == nil, "no value of %s is accepted: %v", f.path, refused)
	f.values = possible
	return f.given || len(possible) > 0
}

func (p *pair[T]) call(i int) Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		fn := func(v *T) error {
			p.changes[i].set(v, p.changes[i].values[0])
			return nil
		}
		if p.Update != nil {
			return p.Update(ctx, db, p.made, fn)
		}
		_, err := entity.NewTable(db, p.Entity).Update(ctx, p.key, fn)
		return err
	}
}

// check compares what is stored with the expected result of the two changes.
func (p *pair[T]) check(way string, errs ...error) {
	t := p.t
	t.Helper()
	about := fmt.Sprintf("%s: %s = %v and %s = %v, write id: %v", way,
		p.changes[0].path, p.changes[0].values[0], p.changes[1].path, p.changes[1].values[0], p.stamped)
	for _, err := range errs {
		require.NoError(t, err, about)
	}
	row, err := p.db.Direct.Get(t.Context(), p.Entity.Schema, p.key, dynastay.Consistent)
	require.NoError(t, err)
	now, err := p.Entity.Value(row)
	require.NoError(t, err)

	want, changes := *p.made, 0
	for i, f := range p.changes {
		value := f.values[0]
		if p.unknown && i == 0 && reflect.DeepEqual(f.of(now).Interface(), f.of(p.made).Interface()) {
			continue
		}
		f.set(&want, value)
		changes++
	}
	for _, f := range p.all {
		assert.Equal(t, f.of(&want).Interface(), f.of(now).Interface(), "%s is lost: %s", f.path, about)
	}
	if p.Entity.Version != "" {
		version, err := strconv.Atoi(p.row.Value(p.Entity.Version).Text())
		require.NoError(t, err)
		assert.Equal(t, strconv.Itoa(version+changes), row.Value(p.Entity.Version).Text(), "every write counts once: %s", about)
	}
	assert.Equal(t, "true", row.Text(elsewhere), about)
	p.Check(t, p.db, now)
	if t.Failed() {
		t.Fatal(about)
	}
}
