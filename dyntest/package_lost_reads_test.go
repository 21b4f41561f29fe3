package dyntest_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

func grace(t *testing.T, db *dynastay.DB) *users.User {
	t.Helper()
	u, err := users.New(db, nil).Create(t.Context(), users.User{Email: "grace@example.com", FirstName: "Grace", LastName: "H", Role: users.Customer})
	require.NoError(t, err)
	return u
}

// The SDK retries reads twice; then the caller gets the error.
func TestReadSurvives(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		what dyntest.Fault
		want error
	}{
		"throttled":      {dyntest.Throttle(), dynastay.ErrThrottled},
		"internal error": {dyntest.InternalError(), nil},
		"lost request":   {dyntest.LoseRequest(), io.ErrUnexpectedEOF},
		"lost answer":    {dyntest.LoseAnswer(), io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t)
			u := grace(t, db.Direct)
			h := db.Faults.Inject(test.what, dyntest.When{Operation: "GetItem", Nth: 1})
			got, err := users.New(db.DB, nil).Get(t.Context(), u.ID)
			require.NoError(t, err)
			assert.Equal(t, u, got)
			assert.Equal(t, 1, h.Hits())

			h = db.Faults.Inject(test.what, dyntest.When{Operation: "Query", Nth: 1, EveryAttempt: true})
			_, err = users.New(db.DB, nil).ByEmail(t.Context(), u.Email)
			require.Error(t, err)
			assert.NotErrorIs(t, err, dynastay.ErrNotFound)
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
			}
			assert.Equal(t, 3, h.Hits())
		})
	}
}

// A lookup by a unique value reads the guard if the index is stale.
func TestStaleSlug(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	old := h.Slug
	stale := h.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Index: keys.SlugIndex})
	repo := properties.New(h.DB.DB, nil)
	_, err := repo.Update(t.Context(), h.ID, func(p *properties.Property) error { p.Slug = "moved"; return nil })
	require.NoError(t, err)
	found, err := repo.BySlug(t.Context(), "moved")
	require.NoError(t, err, "the index has no row for it yet")
	assert.Equal(t, h.ID, found.ID)
	_, err = repo.BySlug(t.Context(), old)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "the index still has a row for it")
	assert.Equal(t, 2, stale.Hits())

	second, err := repo.Create(t.Context(), properties.Property{
		Name: "Second", Slug: old, Type: properties.Hotel, OwnerID: "user_host", Status: properties.Pending,
		TimeZone: "America/New_York", Address: h.Address,
	}, nil)
	require.NoError(t, err)
	found, err = repo.BySlug(t.Context(), old)
	require.NoError(t, err, "the index shows the previous owner")
	assert.Equal(t, second.ID, found.ID)
	assert.Equal(t, 3, stale.Hits())
}

func TestStaleReference(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	stale := h.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: "Bookings", Index: keys.ReferenceIndex})
	repo := bookings.New(h.DB.DB, nil)
	made, err := repo.Create(t.Context(), h.ask(t, "ada"))
	require.NoError(t, err)
	found, err := repo.ByReference(t.Context(), made.Reference)
	require.NoError(t, err)
	assert.Equal(t, made, found)
	assert.Equal(t, 1, stale.Hits())
}

// As documented, a user who has just signed up is not found by e-mail address at once.
func TestStaleEmail(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	stale := db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Operation: "Query", Table: "Users"})
	repo := users.New(db.DB, nil)
	u := grace(t, db.DB)
	_, err := repo.ByEmail(t.Context(), u.Email)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	got, err := repo.Get(t.Context(), u.ID)
	require.NoError(t, err)
	assert.Equal(t, u, got)
	assert.Equal(t, 1, stale.Hits())
	stale.Stop()
	got, err = repo.ByEmail(t.Context(), u.Email)
	require.NoError(t, err)
	assert.Equal(t, u, got)
}

// Short pages do not lose items.
func TestShortPagesLoseNothing(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	ctx := t.Context()
	var rooms []properties.RoomType
	for n := range 3 {
		rooms = append(rooms, properties.RoomType{
			Name: fmt.Sprint("Room ", n), Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 1,
		})
	}
	made, err := properties.New(h.Direct, nil).Create(ctx, properties.Property{
		Name: "Three", Slug: "three", Type: properties.Hotel, OwnerID: "user_host", Status: properties.Approved,
		TimeZone: "America/New_York", Address: h.Address,
	}, rooms)
	require.NoError(t, err)
	want := map[string]bool{}
	for range 5 {
		b, err := bookings.New(h.Direct, nil).Create(ctx, h.ask(t, "ada"))
		require.NoError(t, err)
		want[b.ID] = true
	}

	short := h.Faults.Inject(dyntest.ShortPages(1), dyntest.When{})
	found, err := properties.New(h.DB.DB, nil).GetWithRooms(ctx, made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, found)
	before := short.Hits()
	assert.Positive(t, before)

	prices, err := availability.New(h.DB.DB).Prices(ctx, h.RoomTypeID, fixture.Stay)
	require.NoError(t, err)
	assert.Len(t, prices.Nights, 3)
	checked, err := availability.New(h.DB.DB).Check(ctx, h.ID, h.RoomTypeID, 5, fixture.Stay)
	require.NoError(t, err)
	assert.True(t, checked.OK())
	assert.Len(t, checked.Nights, 3)
	assert.Greater(t, short.Hits(), before)

	before = short.Hits()
	got := map[string]bool{}
	repo := bookings.New(h.DB.DB, nil)
	for b, err := range repo.ByUser("ada").All(ctx) {
		require.NoError(t, err)
		assert.False(t, got[b.ID], "twice")
		got[b.ID] = true
		whole, err := repo.Get(ctx, b.ID)
		require.NoError(t, err)
		assert.Len(t, whole.Lines, 1)
	}
	assert.Equal(t, want, got)
	assert.GreaterOrEqual(t, short.Hits(), before+5)
}

// Unprocessed items of a batch are sent again until none are left.
func TestBatchesAreFinished(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), dyntest.New(t)
	quick := db.Open(&dynastay.Options{Retry: dynastay.Retry{Base: time.Millisecond, Cap: time.Millisecond}})
	s := keys.MetadataTable
	var at []dynastay.Key
	for n := range 60 {
		at = append(at, dynastay.Key{PK: fmt.Sprint("N#", n), SK: "METADATA"})
	}
	writes := db.Faults.Inject(dyntest.Unprocessed(20), dyntest.When{Operation: "BatchWriteItem"})
	require.NoError(t, quick.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, key := range at {
			if !yield(s, s.Key.Of(key)) {
				return
			}
		}
	}))
	assert.Greater(t, writes.Hits(), 3)

	reads := db.Faults.Inject(dyntest.Unprocessed(40), dyntest.When{Operation: "BatchGetItem"})
	for name, source := range map[string]*dynastay.DB{"past the faults": db.Direct, "through them": quick} {
		items, err := source.GetAll(ctx, s, at, dynastay.Consistent)
		require.NoError(t, err)
		for n, item := range items {
			assert.Equal(t, at[n], s.Key.From(item), name)
		}
	}
	assert.Positive(t, reads.Hits())
}

func TestPropertiesAreAllRead(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	second := fixture.New(t, h.Direct, 1)
	left := h.Faults.Inject(dyntest.Unprocessed(99), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	h.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "BatchGetItem", Nth: 2})
	found, err := properties.New(h.DB.DB, nil).GetAll(t.Context(), []string{h.ID, "missing", second.ID})
	require.NoError(t, err)
	require.Len(t, found, 3)
	assert.Equal(t, []*properties.Property{&h.Property, nil, &second.Property}, found)
	assert.Equal(t, 1, left.Hits())

	h.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "BatchGetItem"})
	_, err = properties.New(h.brief(), nil).GetAll(t.Context(), []string{h.ID, second.ID})
	assert.ErrorIs(t, err, dynastay.ErrThrottled)
}

// A read ends with its caller's time.
func TestReadPastTheDeadline(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	u := grace(t, db.Direct)
	slow := db.Faults.Inject(dyntest.Delay(time.Hour), dyntest.When{Operation: "GetItem", Nth: 1})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := users.New(db.DB, nil).Get(ctx, u.ID)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, slow.Hits())
}
