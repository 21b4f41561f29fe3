package properties_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/properties"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, int(7*time.Millisecond), time.UTC)
	db := dyntest.New(t, propertyTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now }}))
	repo := properties.New(db.DB, nil)
	p := grand("p1", func(p *properties.Property) {
		// The library sets all of these, whatever values the caller passes.
		p.Rating, p.ReviewCount, p.ImageCount, p.Version, p.CreatedAt, p.UpdatedAt = 92, 3, 4, 5, now.Add(-1), now.Add(-1)
		p.RatePlanCount, p.HasCharges = 6, true
		p.Prices.Min = dynastay.MustMoney("1", "EUR")
		p.Status = ""
	})
	rooms := []properties.RoomType{king("room_b", "250.00"), king("room_a", "150.50"), king("room_c", "500")}
	made, err := repo.Create(t.Context(), p, rooms)
	require.NoError(t, err)

	want := p
	want.Rating, want.ReviewCount, want.ImageCount, want.Version, want.CreatedAt, want.UpdatedAt = 0, 0, 0, 1, now, now
	want.RatePlanCount, want.HasCharges = 0, false
	want.Prices = properties.PriceRange{Min: dynastay.MustMoney("150.5", "USD"), Max: dynastay.MustMoney("500", "USD")}
	want.Status = properties.Pending
	assert.Equal(t, want, visible(made.Property))
	assert.Equal(t, []string{"room_a", "room_b", "room_c"}, []string{made.Rooms[0].ID, made.Rooms[1].ID, made.Rooms[2].ID})
	assert.Equal(t, "p1", made.Rooms[0].PropertyID)
	assert.Equal(t, []string{"room_b", "room_a", "room_c"}, []string{rooms[0].ID, rooms[1].ID, rooms[2].ID}, "the caller's list is not changed")

	there, err := repo.GetWithRooms(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, made, there)
	checkDerived(t, db, "p1")
	for _, room := range rooms {
		guard := plainOf(t, partition(t, db, "ROOM#"+room.ID)["GUARD"])
		assert.Equal(t, "p1", guard["PropertyId"])
	}
}

// The times are those of the write, and the same for the property and all its room types.
func TestCreationTimes(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)))
	repo := properties.New(db.DB, nil)
	op := repo.CreateOp(grand("p1"), []properties.RoomType{king("room_a", "250.00"), king("room_b", "150.50")})
	db.Clock.Advance(time.Minute)
	require.NoError(t, db.Write(t.Context(), op))
	made := op.Result()
	assert.Equal(t, db.Clock.Now(), made.CreatedAt)
	for _, room := range made.Rooms {
		assert.Equal(t, made.CreatedAt, room.CreatedAt)
		assert.Equal(t, made.CreatedAt, room.UpdatedAt)
	}
	there, err := repo.GetWithRooms(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, made, there)
}

func TestCreateGeneratesIDs(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := grand("")
	made, err := repo.Create(t.Context(), p, []properties.RoomType{king("", "1"), king("", "2")})
	require.NoError(t, err)
	assert.Regexp(t, `^prop_[0-9A-Z]{26}$`, made.ID)
	for i, room := range made.Rooms {
		assert.Regexp(t, `^room_[0-9A-Z]{26}$`, room.ID)
		assert.Equal(t, dynastay.MustMoney(fmt.Sprint(i+1), "USD"), room.BasePrice, "generated ids are in the order of the call")
	}
	checkDerived(t, db, made.ID)
}

func TestCreateWithRequiredFieldsOnly(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	made, err := repo.Create(t.Context(), properties.Property{
		ID: "p1", Name: "Bare", Slug: "bare", Type: properties.Apartment, OwnerID: "user_1",
		Address: properties.Address{City: "Boston", Country: "USA"},
	}, nil)
	require.NoError(t, err)
	there, err := repo.GetWithRooms(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, made, there)
	bySlug, err := repo.BySlug(t.Context(), "bare")
	require.NoError(t, err)
	assert.Equal(t, made, bySlug)

	_, err = repo.Approve(t.Context(), "p1")
	blame.Of(t, err, dynastay.ErrInvalid, "Status")
}

// everything returns all items of the partitions, to compare them before and after.
func everything(t testing.TB, db *dyntest.DB, pks ...string) map[string]map[string]dynastay.Item {
	all := map[string]map[string]dynastay.Item{}
	for _, pk := range pks {
		all[pk] = partition(t, db, pk)
	}
	return all
}

// If a unique value belongs to a different property, the error names the field, and nothing of the new property is
// written.
func TestCreateWithTakenValues(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := grand("p1")
	_, err := repo.Create(t.Context(), p, []properties.RoomType{king("room_deluxe", "250")})
	require.NoError(t, err)
	for field, second := range map[string]struct{ id, slug, roomTypeID string }{
		"":           {"p1", "new", "room_new"},
		"Slug":       {"p2", " " + p.Slug, "room_new"},
		"RoomTypeID": {"p2", "new", "room_deluxe"},
	} {
		t.Run(field, func(t *testing.T) {
			pks := []string{"PROPERTY#p1", "PROPERTY#p2", "SLUG#" + p.Slug, "SLUG#new", "ROOM#room_deluxe", "ROOM#room_new"}
			before := everything(t, db, pks...)
			_, err := repo.Create(t.Context(), grand(second.id, func(p *properties.Property) { p.Slug = second.slug }),
				[]properties.RoomType{king(second.roomTypeID, "1")})
			blame.Of(t, err, dynastay.ErrAlreadyExists, field)
			assert.Equal(t, before, everything(t, db, pks...))
		})
	}
}

// contest has n properties claim one value at once, checks that all but one get an error with the field, and returns
// the winner.
func contest(t *testing.T, n int, field string, want func(i int) error) (winner int) {
	t.Helper()
	var mu sync.Mutex
	winner = -1
	racing.Together(n, func(i int) {
		err := want(i)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			assert.Equal(t, -1, winner, "a second winner")
			winner = i
			return
		}
		assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
		var failure *dynastay.Error
		if assert.True(t, errors.As(err, &failure)) {
			assert.Equal(t, field, failure.Field)
		}
	})
	require.NotEqual(t, -1, winner, "nobody won")
	return winner
}

func TestRaceForASlug(t *testing.T) {
	t.Parallel()
	const n = 8
	open := func(t *testing.T) (*dyntest.DB, *properties.Repository) {
		db := dyntest.New(t, propertyTables)
		db.Faults.Conflicts(time.Millisecond)
		return db, properties.New(db.Open(&dynastay.Options{Retry: patient}), nil)
	}
	id := func(i int) string { return fmt.Sprintf("p%d", i) }
	check := func(t *testing.T, db *dyntest.DB, repo *properties.Repository, winner int) {
		got, err := repo.BySlug(t.Context(), "wanted")
		require.NoError(t, err)
		assert.Equal(t, id(winner), got.ID)
		checkDerived(t, db, got.ID)
	}
	t.Run("creations", func(t *testing.T) {
		t.Parallel()
		db, repo := open(t)
		winner := contest(t, n, "Slug", func(i int) error {
			_, err := repo.Create(t.Context(), grand(id(i), func(p *properties.Property) { p.Slug = "wanted" }),
				[]properties.RoomType{king("room_of_"+id(i), "100")})
			return err
		})
		check(t, db, repo, winner)
		for i := range n {
			if i != winner {
				assert.Empty(t, partition(t, db, "PROPERTY#"+id(i)))
				assert.Empty(t, partition(t, db, "ROOM#room_of_"+id(i)))
			}
		}
	})
	t.Run("updates", func(t *testing.T) {
		t.Parallel()
		db, repo := open(t)
		for i := range n {
			create(t, repo, grand(id(i)))
		}
		winner := contest(t, n, "Slug", func(i int) error {
			_, err := repo.Update(t.Context(), id(i), edit(func(p *properties.Property) { p.Slug = "wanted" }))
			return err
		})
		check(t, db, repo, winner)
		for i := range n {
			checkDerived(t, db, id(i), "wanted")
			got, err := repo.BySlug(t.Context(), grand(id(i)).Slug)
			if i == winner {
				assert.ErrorIs(t, err, dynastay.ErrNotFound, "the old slug is free")
			} else {
				require.NoError(t, err)
				assert.Equal(t, id(i), got.ID)
			}
		}
		create(t, repo, grand("heir", func(p *properties.Property) { p.Slug = grand(id(winner)).Slug }))
	})
	t.Run("a creation and updates", func(t *testing.T) {
		t.Parallel()
		db, repo := open(t)
		for i := 1; i < n; i++ {
			create(t, repo, grand(id(i)))
		}
		winner := contest(t, n, "Slug", func(i int) error {
			if i == 0 {
				_, err := repo.Create(t.Context(), grand(id(0), func(p *properties.Property) { p.Slug = "wanted" }), []properties.RoomType{king("room_0", "100")})
				return err
			}
			_, err := repo.Update(t.Context(), id(i), edit(func(p *properties.Property) { p.Slug = "wanted" }))
			return err
		})
		check(t, db, repo, winner)
	})
	t.Run("updates of one property", func(t *testing.T) {
		t.Parallel()
		db, repo := open(t)
		create(t, repo, grand("p1"))
		racing.Together(n, func(i int) {
			_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Slug = fmt.Sprintf("slug-%d", i) }))
			assert.NoError(t, err)
		})
		slugs := []string{grand("p1").Slug}
		for i := range n {
			slugs = append(slugs, fmt.Sprintf("slug-%d", i))
		}
		checkDerived(t, db, "p1", slugs...)
		for _, slug := range slugs {
			guards := partition(t, db, "SLUG#"+slug)
			if got, err := repo.BySlug(t.Context(), slug); err == nil {
				assert.Equal(t, slug, got.Slug)
				assert.Len(t, guards, 1)
			} else {
				assert.ErrorIs(t, err, dynastay.ErrNotFound)
				assert.Empty(t, guards, "guard of %s", slug)
			}
		}
	})
}

// Other software stored two properties with one slug. The property that the guard does not name must not delete it.
func TestForeignGuardIsLeftAlone(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := create(t, repo, grand("p1"))
	guard := dynastay.Item{
		"PK": dynastay.Text("SLUG#" + p.Slug), "SK": dynastay.Text("GUARD"), "PropertyId": dynastay.Text("p2"),
	}
	put(t, db, guard)
	rename := func(slug string) {
		_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Slug = slug }))
		require.NoError(t, err)
	}
	rename("new")
	assert.Equal(t, guard, partition(t, db, "SLUG#"+p.Slug)["GUARD"])
	checkDerived(t, db, "p1", p.Slug)

	// A property that never had a guard changes its slug all the same.
	remove(t, db, dynastay.Key{PK: "SLUG#new", SK: "GUARD"})
	rename("newer")
	checkDerived(t, db, "p1", p.Slug, "new")
}

func TestRaceForARoomTypeID(t *testing.T) {
	t.Parallel()
	const n = 8
	db := dyntest.New(t, propertyTables)
	db.Faults.Conflicts(time.Millisecond)
	repo := properties.New(db.Open(&dynastay.Options{Retry: patient}), nil)
	winner := contest(t, n, "RoomTypeID", func(i int) error {
		_, err := repo.Create(t.Context(), grand(fmt.Sprintf("p%d", i)), []properties.RoomType{king("room_deluxe", "100")})
		return err
	})
	for i := range n {
		id := fmt.Sprintf("p%d", i)
		if i == winner {
			checkDerived(t, db, id)
			assert.Equal(t, id, plainOf(t, partition(t, db, "ROOM#room_deluxe")["GUARD"])["PropertyId"])
			continue
		}
		assert.Empty(t, partition(t, db, "PROPERTY#"+id), "nothing is half-written")
		assert.Empty(t, partition(t, db, "SLUG#"+grand(id).Slug))
	}
}

func TestSpellingsOfASlug(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", func(p *properties.Property) { p.Slug = "hôtel#1" }))
	_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Slug = " ho\u0302tel#1" }))
	require.NoError(t, err)
	for _, slug := range []string{"hôtel#1", "ho\u0302tel#1 "} {
		got, err := repo.BySlug(t.Context(), slug)
		require.NoError(t, err)
		assert.Equal(t, " ho\u0302tel#1", got.Slug)
	}
	assert.Len(t, partition(t, db, "SLUG#hôtel%231"), 1)
}

func TestCreateWithIdempotencyKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rooms := []properties.RoomType{king("", "250.00"), king("room_a", "150")}
	key := dynastay.IdempotencyKey("request-1")
	made, err := repo.Create(t.Context(), grand(""), rooms, key)
	require.NoError(t, err)
	again, err := repo.Create(t.Context(), grand(""), rooms, key)
	require.NoError(t, err)
	assert.Equal(t, made, again)

	for name, call := range map[string]func() error{
		"property": func() error {
			_, err := repo.Create(t.Context(), grand("", func(p *properties.Property) { p.Name += "!" }), rooms, key)
			return err
		},
		"id": func() error {
			_, err := repo.Create(t.Context(), grand("p2"), rooms, key)
			return err
		},
		"room": func() error {
			_, err := repo.Create(t.Context(), grand(""), []properties.RoomType{king("", "250.01"), king("room_a", "150")}, key)
			return err
		},
		"one room": func() error {
			_, err := repo.Create(t.Context(), grand(""), rooms[:1], key)
			return err
		},
	} {
		assert.ErrorIs(t, call(), dynastay.ErrIdempotencyMismatch, name)
	}

	// Fields that Create sets are not part of the input.
	again, err = repo.Create(t.Context(), grand("", func(p *properties.Property) {
		p.CreatedAt, p.Version, p.Prices.Min, p.Rating = time.Now(), 7, dynastay.MustMoney("1", "EUR"), 50
	}), rooms, key)
	require.NoError(t, err)
	assert.Equal(t, made, again)

	other, err := repo.Create(t.Context(), grand("", func(p *properties.Property) { p.Slug = "other" }), []properties.RoomType{king("", "1")}, dynastay.IdempotencyKey("request-2"))
	require.NoError(t, err)
	assert.NotEqual(t, made.ID, other.ID)
}

func TestLostResponseToACreation(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]dynastay.WriteOption{"without a key": nil, "with a key": {dynastay.IdempotencyKey("request-1")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			made, err := repo.Create(t.Context(), grand("p1"), []properties.RoomType{king("room_a", "150")}, opts...)
			require.NoError(t, err)
			assert.Equal(t, 2, db.Faults.Count("TransactWriteItems"))
			there, err := repo.GetWithRooms(t.Context(), "p1")
			require.NoError(t, err)
			assert.Equal(t, made, there)
			checkDerived(t, db, "p1")
		})
	}
}

func TestInOneTransaction(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	rename := edit(func(p *properties.Property) { p.Name = "Chain Hotel" })
	taken := edit(func(p *properties.Property) { p.Slug = grand("p2").Slug })
	err := db.Write(t.Context(), repo.UpdateOp("p2", rename), repo.UpdateOp("p1", taken))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Slug")
	p2, err := repo.Get(t.Context(), "p2")
	require.NoError(t, err)
	assert.Equal(t, 1, p2.Version, "all or nothing")

	one, two := repo.UpdateOp("p1", rename), repo.UpdateOp("p2", rename)
	require.NoError(t, db.Write(t.Context(), one, two))
	assert.Equal(t, "Chain Hotel", one.Result().Name)
	assert.Equal(t, 2, two.Result().Version)
}
