package properties_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// state is what the random test knows of a property.
type state struct {
	attributes []any
	status     properties.Status
	version    int
	amenities  []string
	rooms      map[string]string // prices
	used       map[string]bool   // ids of room types
	images     []properties.Image
	reviews    int
	rating     int // the sum in tenths
}

func (s state) clone() state {
	s.attributes, s.amenities = slices.Clone(s.attributes), slices.Clone(s.amenities)
	s.rooms, s.used, s.images = maps.Clone(s.rooms), maps.Clone(s.used), slices.Clone(s.images)
	return s
}

// shown returns what can be observed of the state.
func (s state) shown() string {
	return fmt.Sprintf("%v %s v%d %v %v [%s] %d/%d", s.attributes, s.status, s.version, s.amenities, s.rooms, inShort(s.images), s.rating, s.reviews)
}

// operation is a call, and what it does to a state: it returns the field for which it is refused, or "".
type operation struct {
	name  string
	run   func(context.Context, *properties.Repository) error
	apply func(*state) string
}

// applied returns the state after an operation, which is unchanged if it is refused.
func (o operation) applied(s state) (state, string) {
	after := s.clone()
	if refused := o.apply(&after); refused != "" {
		return s, refused
	}
	return after, ""
}

const (
	notFound = "not found"
	reopened = "reopened"
)

// refusal returns the field for which an operation was refused, or "".
func refusal(t raw.T, name string, err error) string {
	var invalid *dynastay.InvalidError
	var failure *dynastay.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, dynastay.ErrNotFound):
		return notFound
	case errors.Is(err, availability.ErrReopened):
		return reopened
	case errors.As(err, &invalid):
		return invalid.Field
	case errors.As(err, &failure) && failure.Field != "":
		return failure.Field
	}
	require.NoError(t, err, name)
	return ""
}

func assertRefusal(t raw.T, name, want string, err error) {
	assert.Equal(t, want, refusal(t, name, err), "%s: %v", name, err)
}

type model struct {
	id         string
	attributes []attribute
	rival      string // a slug that belongs to a different property
}

func (m *model) observe(t *rapid.T, db *dyntest.DB, repo *properties.Repository) state {
	p, err := repo.GetWhole(t.Context(), m.id, dynastay.Consistent)
	require.NoError(t, err)
	s := state{status: p.Status, version: p.Version, amenities: p.AmenityIDs, rooms: map[string]string{}, images: p.Images, reviews: p.ReviewCount}
	for _, a := range m.attributes {
		s.attributes = append(s.attributes, a.of(&p.Property))
	}
	for _, r := range p.Rooms {
		s.rooms[r.ID] = r.BasePrice.String()
	}
	if sum := stored(t, db, m.id)["RatingSum"]; sum != nil {
		s.rating = int(plainOf(t, dynastay.Item{"sum": sum})["sum"].(float64)*10 + 0.5)
	}
	return s
}

// interleave runs the inner operation before the first write of the outer one, and returns the state that follows from
// their results. The deletion of a room type of a suspended property may be refused because the inner operation approved
// the property.
func (m *model) interleave(t *rapid.T, db *dyntest.DB, now state, outer, inner operation) state {
	type mark struct{}
	var innerErr error
	met := false
	fault := db.Faults.Inject(dyntest.Before(func(context.Context) {
		met = true
		innerErr = inner.run(t.Context(), properties.New(db.Direct, nil))
	}), dyntest.When{Nth: 1, Optional: true, Match: func(r dyntest.Request) bool { return r.Context.Value(mark{}) != nil && racing.Writes(r) }})
	outerErr := outer.run(context.WithValue(t.Context(), mark{}, true), properties.New(db.DB, nil))
	fault.Stop()
	if !met {
		innerErr = inner.run(t.Context(), properties.New(db.Direct, nil))
	}
	there := m.observe(t, db, properties.New(db.Direct, nil)).shown()
	first, second := refusal(t, inner.name, innerErr), refusal(t, outer.name, outerErr)
	middle, one := inner.applied(now)
	after, other := outer.applied(middle)
	if after.shown() == there && one == first && other == second {
		return after
	}
	middle, other = outer.applied(now)
	after, one = inner.applied(middle)
	if after.shown() == there && one == first && other == second {
		return after
	}
	middle, one = inner.applied(now)
	if second == reopened && one == "" && now.status == properties.Suspended &&
		middle.status == properties.Approved && middle.shown() == there {
		return middle
	}
	t.Fatalf("%s (%q) in between %s (%q): no order of the two results in\n%s, from\n%s", inner.name, first, outer.name, second, there, now.shown())
	return now
}

// draw draws an operation.
func (m *model) draw(t *rapid.T, label string) operation {
	return rapid.SampledFrom([]func(*rapid.T) operation{
		m.update, m.update, m.move, m.move, m.addRoom, m.updateRoom, m.deleteRoom, m.addImage, m.changeImages, m.changeAmenities, m.rate,
	}).Draw(t, label)(t)
}

func (m *model) update(t *rapid.T) operation {
	changes := map[int]any{}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(m.attributes)-1), 1, 3, rapid.ID[int]).Draw(t, "attributes") {
		changes[i] = rapid.SampledFrom(m.attributes[i].values).Draw(t, m.attributes[i].name)
	}
	return operation{fmt.Sprint("update ", changes), func(ctx context.Context, repo *properties.Repository) error {
		return second(repo.Update(ctx, m.id, edit(func(p *properties.Property) {
			for i, v := range changes {
				m.attributes[i].set(p, v)
			}
		})))
	}, func(s *state) string {
		before := slices.Clone(s.attributes)
		for i, v := range changes {
			s.attributes[i] = v
		}
		if slices.Contains(s.attributes, any(m.rival)) {
			return "Slug"
		}
		if !slices.Equal(before, s.attributes) {
			s.version++
		}
		return ""
	}}
}

func (m *model) move(t *rapid.T) operation {
	type move struct {
		name string
		from []properties.Status
		to   properties.Status
		call func(*properties.Repository, context.Context, string, ...dynastay.UpdateOption) (*properties.Property, error)
	}
	mv := rapid.SampledFrom([]move{
		{"approve", []properties.Status{properties.Pending, properties.Rejected, properties.Suspended}, properties.Approved, (*properties.Repository).Approve},
		{"reject", []properties.Status{properties.Pending}, properties.Rejected, (*properties.Repository).Reject},
		{"resubmit", []properties.Status{properties.Rejected}, properties.Pending, (*properties.Repository).Resubmit},
		{"suspend", []properties.Status{properties.Approved}, properties.Suspended, (*properties.Repository).Suspend},
	}).Draw(t, "move")
	return operation{mv.name, func(ctx context.Context, repo *properties.Repository) error { return second(mv.call(repo, ctx, m.id)) },
		func(s *state) string {
			if s.status != mv.to && !slices.Contains(mv.from, s.status) || mv.to == properties.Approved && len(s.rooms) == 0 {
				return "Status"
			}
			s.status = mv.to
			return ""
		}}
}

func (m *model) room(t *rapid.T) string {
	return rapid.SampledFrom([]string{"1-", "2-", "3-", "4-"}).Draw(t, "room") + m.id
}

func price(t *rapid.T) string {
	return rapid.SampledFrom([]string{"90", "250", "999.5"}).Draw(t, "price")
}

func (m *model) addRoom(t *rapid.T) operation {
	id, price := m.room(t), price(t)
	return operation{"add " + id + " for " + price, func(ctx context.Context, repo *properties.Repository) error {
		return second(repo.AddRoomTypes(ctx, m.id, []properties.RoomType{king(id, price)}))
	}, func(s *state) string {
		if s.used[id] {
			return "RoomTypeID"
		}
		s.used[id], s.rooms[id] = true, dynastay.MustMoney(price, "USD").String()
		return ""
	}}
}

func (m *model) updateRoom(t *rapid.T) operation {
	id, price := m.room(t), price(t)
	return operation{"update " + id + " to " + price, func(ctx context.Context, repo *properties.Repository) error {
		return second(repo.UpdateRoomType(ctx, m.id, id, func(r *properties.RoomType) error {
			r.BasePrice = dynastay.MustMoney(price, "USD")
			return nil
		}))
	}, func(s *state) string {
		if _, ok := s.rooms[id]; !ok {
			return notFound
		}
		s.rooms[id] = dynastay.MustMoney(price, "USD").String()
		return ""
	}}
}

func (m *model) deleteRoom(t *rapid.T) operation {
	id := m.room(t)
	return operation{"delete " + id, func(ctx context.Context, repo *properties.Repository) error {
		return repo.DeleteRoomType(ctx, m.id, id)
	}, func(s *state) string {
		if _, ok := s.rooms[id]; !ok {
			return notFound
		}
		if delete(s.rooms, id); len(s.rooms) == 0 && s.status == properties.Approved {
			return "RoomTypeID"
		}
		return ""
	}}
}

func (m *model) addImage(t *rapid.T) operation {
	id, first := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "image"), rapid.Bool().Draw(t, "primary")
	image := picture(id, func(i *properties.Image) { i.Primary = first })
	return operation{fmt.Sprint("add image ", id, first), func(ctx context.Context, repo *properties.Repository) error {
		return second(repo.AddImages(ctx, m.id, []properties.Image{image}))
	}, func(s *state) string {
		last := 0
		for i := range s.images {
			if s.images[i].ID == id {
				return "ImageID"
			}
			last = max(last, s.images[i].Order)
			s.images[i].Primary = s.images[i].Primary && !first
		}
		s.images = append(s.images, properties.Image{ID: id, Order: last + 1, Primary: first || len(s.images) == 0})
		return ""
	}}
}

func (m *model) changeImages(t *rapid.T) operation {
	id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "image")
	kind := rapid.SampledFrom([]string{"primary", "arrange", "delete"}).Draw(t, "change")
	return operation{kind + " " + id, func(ctx context.Context, repo *properties.Repository) error {
		switch kind {
		case "primary":
			return second(repo.SetPrimaryImage(ctx, m.id, id))
		case "arrange":
			return second(repo.ArrangeImages(ctx, m.id, []string{id}))
		}
		return repo.DeleteImage(ctx, m.id, id)
	}, func(s *state) string {
		at := slices.IndexFunc(s.images, func(i properties.Image) bool { return i.ID == id })
		if at < 0 {
			return notFound
		}
		switch kind {
		case "primary":
			for i := range s.images {
				s.images[i].Primary = i == at
			}
		case "arrange":
			chosen := s.images[at]
			s.images = slices.Insert(slices.Delete(s.images, at, at+1), 0, chosen)
			for i := range s.images {
				s.images[i].Order = i + 1
			}
		case "delete":
			was := s.images[at].Primary
			if s.images = slices.Delete(s.images, at, at+1); was && len(s.images) > 0 {
				s.images[0].Primary = true
			}
		}
		slices.SortFunc(s.images, func(a, b properties.Image) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID)) })
		return ""
	}}
}

func (m *model) changeAmenities(t *rapid.T) operation {
	given := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"wifi", "pool", "gym", "spa"}), 1, 2, rapid.ID[string]).Draw(t, "amenities")
	kind := rapid.SampledFrom([]string{"add", "remove", "set"}).Draw(t, "change")
	return operation{fmt.Sprint(kind, given), func(ctx context.Context, repo *properties.Repository) error {
		switch kind {
		case "add":
			return second(repo.AddAmenities(ctx, m.id, given))
		case "remove":
			return second(repo.RemoveAmenities(ctx, m.id, given))
		}
		return second(repo.SetAmenities(ctx, m.id, given))
	}, func(s *state) string {
		if kind == "set" {
			s.amenities = slices.Clone(given)
		}
		for _, id := range given {
			at := slices.Index(s.amenities, id)
			switch {
			case kind == "add" && at < 0:
				s.amenities = append(s.amenities, id)
			case kind == "remove" && at >= 0:
				s.amenities = slices.Delete(s.amenities, at, at+1)
			}
		}
		return ""
	}}
}

func (m *model) rate(t *rapid.T) operation {
	ratings := rapid.SampledFrom([][2]dynastay.Rating{{0, 92}, {0, 75}, {92, 75}, {75, 100}, {92, 0}, {75, 0}}).Draw(t, "rating")
	return operation{fmt.Sprint("rate ", ratings), func(ctx context.Context, repo *properties.Repository) error {
		return second(repo.Rate(ctx, m.id, ratings[0], ratings[1]))
	}, func(s *state) string {
		s.rating += int(ratings[1]) - int(ratings[0])
		if ratings[0] == 0 {
			s.reviews++
		}
		if ratings[1] == 0 {
			s.reviews--
		}
		if s.rating < 0 || s.rating > 100*s.reviews {
			return "RatingSum"
		}
		return ""
	}}
}

// Random operations, some with another one between their first read and their first write. After each one, the property
// is as if the operations had happened one after the other, in one order or the other, and everything derived is right.
func TestNothingDerivedIsEverStale(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rapid.Check(t, func(t *rapid.T) {
		id := db.NewID("prop_")
		slugs := []string{"a-" + id, "A " + id, "b#" + id, "rival-" + id}
		rival := grand("rival-of-"+id, func(p *properties.Property) { p.Slug = slugs[3] })
		_, err := repo.Create(t.Context(), rival, []properties.RoomType{king("rival-room-"+id, "99")})
		require.NoError(t, err)
		p := grand(id, func(p *properties.Property) {
			p.Slug = slugs[0]
			p.Status = rapid.SampledFrom([]properties.Status{properties.Pending, properties.Approved}).Draw(t, "status")
			p.AmenityIDs = []string{"wifi", "pool", "gym"}[:rapid.IntRange(0, 3).Draw(t, "amenities")]
		})
		_, err = repo.Create(t.Context(), p, []properties.RoomType{king("1-"+id, "250"), king("2-"+id, "150.5")})
		require.NoError(t, err)
		checkDerived(t, db, id, slugs...)

		m := &model{id: id, attributes: attributesOf(slugs), rival: slugs[3]}
		now := m.observe(t, db, repo)
		now.used = map[string]bool{"1-" + id: true, "2-" + id: true}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			outer := m.draw(t, "operation")
			if !rapid.Bool().Draw(t, "interrupted") {
				want, refused := outer.applied(now)
				assertRefusal(t, outer.name, refused, outer.run(t.Context(), repo))
				now = want
			} else {
				now = m.interleave(t, db, now, outer, m.draw(t, "in between"))
			}
			require.Equal(t, now.shown(), m.observe(t, db, repo).shown(), outer.name)
			checkDerived(t, db, id, slugs...)
		}
		checkDerived(t, db, rival.ID)
		for _, pk := range []string{"PROPERTY#" + id, "PROPERTY#" + rival.ID} {
			for _, item := range raw.Partition(t, db, keys.PropertiesTable, pk) {
				require.NoError(t, second(repo.VerifyRow(t.Context(), dynastay.RowOf(item))))
			}
		}
	})
}
