package users_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

func summer(edits ...func(*users.Wishlist)) users.Wishlist {
	w := users.Wishlist{
		ID: "wl_123", UserID: "user_456", Name: "Summer Vacation Ideas",
		PropertyIDs: []string{"prop_123", "prop_456", "prop_789"},
	}
	for _, edit := range edits {
		edit(&w)
	}
	return w
}

func TestDocumentWishlist(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/wishlist.json")
	w, err := users.WishlistEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := users.WishlistEntity.Item(w)
	require.NoError(t, err)
	assert.Equal(t, item, again)

	db, repo := clocked(t)
	raw.Put(t, db, keys.MetadataTable, item)
	want := summer()
	want.CreatedAt = time.Date(2024, 10, 1, 10, 0, 0, 0, time.UTC)
	want.UpdatedAt = time.Date(2024, 11, 15, 12, 0, 0, 0, time.UTC)
	got, err := repo.Wishlist(t.Context(), "user_456", "wl_123")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	got, err = repo.AddToWishlist(t.Context(), "user_456", "wl_123", "prop_1")
	require.NoError(t, err)
	want.PropertyIDs, want.UpdatedAt, want.Version = append(want.PropertyIDs, "prop_1"), start, 1
	assert.Equal(t, &want, got)
}

func TestWishlist(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	given := summer()
	made, err := repo.CreateWishlist(t.Context(), given)
	require.NoError(t, err)
	want := summer(func(w *users.Wishlist) { w.CreatedAt, w.UpdatedAt, w.Version = start, start, 1 })
	assert.Equal(t, &want, made)
	made.PropertyIDs[0] = "changed"
	assert.Equal(t, "prop_123", given.PropertyIDs[0])
	read := func() *users.Wishlist {
		t.Helper()
		got, err := repo.Wishlist(t.Context(), "user_456", "wl_123", dynastay.Consistent)
		require.NoError(t, err)
		return got
	}
	assert.Equal(t, &want, read())
	_, err = repo.CreateWishlist(t.Context(), summer())
	blame.Of(t, err, dynastay.ErrAlreadyExists, "")

	db.Clock.Advance(time.Hour)
	want.UpdatedAt = start.Add(time.Hour)
	for _, step := range []struct {
		call func() (*users.Wishlist, error)
		want func(*users.Wishlist)
	}{
		{func() (*users.Wishlist, error) {
			return repo.AddToWishlist(t.Context(), "user_456", "wl_123", "prop_1")
		},
			func(w *users.Wishlist) { w.PropertyIDs = append(w.PropertyIDs, "prop_1") }},
		{func() (*users.Wishlist, error) {
			return repo.RemoveFromWishlist(t.Context(), "user_456", "wl_123", "prop_456")
		},
			func(w *users.Wishlist) { w.PropertyIDs = slices.Delete(w.PropertyIDs, 1, 2) }},
		{func() (*users.Wishlist, error) {
			return repo.UpdateWishlist(t.Context(), "user_456", "wl_123", func(w *users.Wishlist) error {
				w.Name, w.Public = "Winter", true
				return nil
			}, dynastay.IfVersion(3))
		}, func(w *users.Wishlist) { w.Name, w.Public = "Winter", true }},
	} {
		got, err := step.call()
		require.NoError(t, err)
		step.want(&want)
		want.Version++
		assert.Equal(t, &want, got)
		assert.Equal(t, &want, read())
	}

	// What changes nothing is not written.
	for _, call := range []func() (*users.Wishlist, error){
		func() (*users.Wishlist, error) {
			return repo.AddToWishlist(t.Context(), "user_456", "wl_123", "prop_1")
		},
		func() (*users.Wishlist, error) {
			return repo.RemoveFromWishlist(t.Context(), "user_456", "wl_123", "prop_2")
		},
		func() (*users.Wishlist, error) {
			return repo.UpdateWishlist(t.Context(), "user_456", "wl_123", func(*users.Wishlist) error { return nil })
		},
	} {
		stop := db.Faults.Record()
		got, err := call()
		require.NoError(t, err)
		assert.Equal(t, &want, got)
		assert.Len(t, stop(), 1)
	}

	err = repo.DeleteWishlist(t.Context(), "user_456", "wl_123", dynastay.IfVersion(3))
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	require.NoError(t, repo.DeleteWishlist(t.Context(), "user_456", "wl_123", dynastay.IfVersion(4)))
	_, err = repo.Wishlist(t.Context(), "user_456", "wl_123")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorIs(t, repo.DeleteWishlist(t.Context(), "user_456", "wl_123"), dynastay.ErrNotFound)
	assert.NoError(t, repo.DeleteWishlist(t.Context(), "user_456", "wl_123", dynastay.OrMissing()))
	for _, call := range []func() (*users.Wishlist, error){
		func() (*users.Wishlist, error) {
			return repo.AddToWishlist(t.Context(), "user_456", "wl_123", "prop_1")
		},
		func() (*users.Wishlist, error) {
			return repo.RemoveFromWishlist(t.Context(), "user_456", "wl_123", "prop_2")
		},
		func() (*users.Wishlist, error) {
			return repo.UpdateWishlist(t.Context(), "user_456", "wl_123", func(*users.Wishlist) error { return nil })
		},
	} {
		_, err := call()
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
	}
	assert.Empty(t, partitionOf(t, db, keys.MetadataTable, "USER#user_456"))
}

func TestWishlistsOfAUser(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	var all, public []string
	for i := range 4 {
		made, err := repo.CreateWishlist(t.Context(), users.Wishlist{UserID: "user_1", Name: fmt.Sprint(i), Public: i%2 == 1})
		require.NoError(t, err)
		assert.Regexp(t, `^wl_[0-9A-Z]{26}$`, made.ID)
		all = append(all, made.ID)
		if i%2 == 1 {
			public = append(public, made.ID)
		}
	}
	_, err := repo.CreateWishlist(t.Context(), users.Wishlist{UserID: "user_10", Name: "another user's"})
	require.NoError(t, err)
	note := keys.MetadataTable.Key.Of(dynastay.Key{PK: "USER#user_1", SK: "WISHLISTS"})
	raw.Put(t, db, keys.MetadataTable, note)
	ids := func(list dynastay.List[*users.Wishlist]) (ids []string) {
		t.Helper()
		for w, err := range list.All(t.Context()) {
			require.NoError(t, err)
			ids = append(ids, w.ID)
		}
		return ids
	}
	assert.Equal(t, all, ids(repo.Wishlists("user_1")))
	assert.Equal(t, public, ids(repo.PublicWishlists("user_1")))
	assert.Empty(t, ids(repo.Wishlists("user_2")))

	page, err := repo.PublicWishlists("user_1").Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.Equal(t, public[0], page.Items[0].ID)
	_, err = repo.Wishlists("user_1").Page(t.Context(), dynastay.Paging{After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor, "the cursors of the two lists differ")

	_, err = repo.PublicWishlist(t.Context(), "user_1", all[0])
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, missing := repo.PublicWishlist(t.Context(), "user_1", "wl_0")
	require.ErrorIs(t, missing, dynastay.ErrNotFound)
	assert.Equal(t, strings.ReplaceAll(missing.Error(), "wl_0", all[0]), err.Error(), "it does not show that there is one")
	found, err := repo.PublicWishlist(t.Context(), "user_1", all[1])
	require.NoError(t, err)
	assert.Equal(t, "1", found.Name)
}

func TestWishlistRefuses(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	many := make([]string, users.MaxWishlist+1)
	for i := range many {
		many[i] = fmt.Sprint("prop_", i)
	}
	stop := db.Faults.Record()
	for _, bad := range []struct {
		field string
		spoil func(*users.Wishlist)
	}{
		{"ID", func(w *users.Wishlist) { w.ID = "a#b" }},
		{"UserID", func(w *users.Wishlist) { w.UserID = "" }},
		{"UserID", func(w *users.Wishlist) { w.UserID = "a#b" }},
		{"Name", func(w *users.Wishlist) { w.Name = " " }},
		{"Name", func(w *users.Wishlist) { w.Name = strings.Repeat("a", 257) }},
		{"PropertyIDs[1]", func(w *users.Wishlist) { w.PropertyIDs[1] = "" }},
		{"PropertyIDs[1]", func(w *users.Wishlist) { w.PropertyIDs[1] = "a#b" }},
		{"PropertyIDs[2]", func(w *users.Wishlist) { w.PropertyIDs[2] = "prop_123" }},
		{"PropertyIDs", func(w *users.Wishlist) { w.PropertyIDs = many }},
	} {
		_, err := repo.CreateWishlist(t.Context(), summer(bad.spoil))
		blame.Of(t, err, dynastay.ErrInvalid, bad.field)
	}
	call := func(userID, id, property string) (errs []error) {
		_, err := repo.AddToWishlist(t.Context(), userID, id, property)
		errs = append(errs, err)
		if property != "a#b" { // other software may have stored it, and then it can be removed
			_, err = repo.RemoveFromWishlist(t.Context(), userID, id, property)
			errs = append(errs, err)
		}
		return errs
	}
	for field, errs := range map[string][]error{
		"UserID": call("", "wl_1", "prop_1"), "WishlistID": call("user_1", "", "prop_1"), "PropertyID": call("user_1", "wl_1", "a#b"),
	} {
		for _, err := range errs {
			blame.Of(t, err, dynastay.ErrInvalid, field)
		}
	}
	_, err := repo.UpdateWishlist(t.Context(), "", "wl_1", nil)
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.UpdateWishlist(t.Context(), "user_1", "wl_1", nil, dynastay.OrMissing())
	blame.Of(t, err, dynastay.ErrInvalid, "OrMissing")
	blame.Of(t, repo.DeleteWishlist(t.Context(), "user_1", ""), dynastay.ErrInvalid, "WishlistID")
	_, err = repo.Wishlist(t.Context(), "user_1", "")
	blame.Of(t, err, dynastay.ErrInvalid, "WishlistID")
	_, err = repo.Wishlists("").Page(t.Context(), dynastay.Paging{})
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	assert.Empty(t, stop(), "no request at all")

	_, err = repo.CreateWishlist(t.Context(), summer(func(w *users.Wishlist) { w.PropertyIDs = many[1:] }))
	require.NoError(t, err)
	_, err = repo.AddToWishlist(t.Context(), "user_456", "wl_123", many[0])
	blame.Of(t, err, dynastay.ErrInvalid, "PropertyIDs")
	got, err := repo.AddToWishlist(t.Context(), "user_456", "wl_123", many[1])
	require.NoError(t, err, "it is in the list")
	assert.Len(t, got.PropertyIDs, users.MaxWishlist)
	for field, edit := range map[string]func(*users.Wishlist){
		"Name":        func(w *users.Wishlist) { w.Name = "" },
		"PropertyIDs": func(w *users.Wishlist) { w.PropertyIDs = nil },
		"ID":          func(w *users.Wishlist) { w.ID = "wl_2" },
		"Version":     func(w *users.Wishlist) { w.Version++ },
	} {
		_, err := repo.UpdateWishlist(t.Context(), "user_456", "wl_123", func(w *users.Wishlist) error {
			edit(w)
			return nil
		})
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
}

// Lists of other software may have a property twice, or more properties than this package adds.
func TestForeignWishlists(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	long := make([]string, users.MaxWishlist+2)
	for i := range long {
		long[i] = "a"
	}
	for i, test := range []struct{ stored, added, removed []string }{
		{[]string{"a", "b", "a"}, []string{"a", "b", "a", "c"}, []string{"b"}},
		{nil, []string{"c"}, nil},
		{long, nil, []string{}},
	} {
		w := summer(func(w *users.Wishlist) { w.ID, w.PropertyIDs = fmt.Sprint("wl_", i), test.stored })
		item, err := users.WishlistEntity.Item(&w)
		require.NoError(t, err)
		delete(item, "CreatedAt")
		raw.Put(t, db, keys.MetadataTable, item)
		got, err := repo.UpdateWishlist(t.Context(), w.UserID, w.ID, func(w *users.Wishlist) error {
			w.Name = "Winter"
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, test.stored, got.PropertyIDs)
		got, err = repo.AddToWishlist(t.Context(), w.UserID, w.ID, "c")
		if test.added == nil {
			blame.Of(t, err, dynastay.ErrInvalid, "PropertyIDs")
		} else {
			require.NoError(t, err)
			assert.Equal(t, test.added, got.PropertyIDs)
			_, err = repo.RemoveFromWishlist(t.Context(), w.UserID, w.ID, "c")
			require.NoError(t, err)
		}
		got, err = repo.RemoveFromWishlist(t.Context(), w.UserID, w.ID, "a")
		require.NoError(t, err)
		assert.ElementsMatch(t, test.removed, got.PropertyIDs)
	}
	item := raw.Document(t, "testdata/wishlist.json")
	delete(item, "WishlistId")
	raw.Put(t, db, keys.MetadataTable, item)
	_, err := repo.AddToWishlist(t.Context(), "user_456", "wl_123", "c")
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}

func TestWishlistOnce(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	key := dynastay.IdempotencyKey("k")
	noID := func(w *users.Wishlist) { w.ID = "" }
	made, err := repo.CreateWishlist(t.Context(), summer(noID), key)
	require.NoError(t, err)
	again, err := repo.CreateWishlist(t.Context(), summer(noID), key)
	require.NoError(t, err)
	assert.Equal(t, made, again)
	for _, change := range []func(*users.Wishlist){
		func(w *users.Wishlist) { w.ID = "wl_2" }, func(w *users.Wishlist) { w.UserID = "user_2" },
		func(w *users.Wishlist) { w.Name = "Winter" }, func(w *users.Wishlist) { w.Public = true },
		func(w *users.Wishlist) { w.PropertyIDs = w.PropertyIDs[1:] },
	} {
		_, err := repo.CreateWishlist(t.Context(), summer(noID, change), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	for range 2 {
		got, err := repo.AddToWishlist(t.Context(), made.UserID, made.ID, "prop_1", dynastay.IdempotencyKey("add"))
		require.NoError(t, err)
		assert.Len(t, got.PropertyIDs, 4)
	}
	_, err = repo.AddToWishlist(t.Context(), made.UserID, made.ID, "prop_2", dynastay.IdempotencyKey("add"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	require.NoError(t, repo.DeleteWishlist(t.Context(), made.UserID, made.ID))
	again, err = repo.CreateWishlist(t.Context(), summer(noID), key)
	require.NoError(t, err)
	assert.Equal(t, made.ID, again.ID, "it was created, and deleted since")
	assert.Equal(t, made.Name, again.Name)
}

// What a later operation of the same write does with the result is not what is written.
func TestWishlistIsWrittenAsGiven(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	created, runs := repo.CreateWishlistOp(summer()), 0
	meddle := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Meddle",
		Prepare: func(context.Context, *dynastay.Tx) (struct{}, error) {
			runs++
			if runs == 1 {
				created.Result().PropertyIDs[0] = "changed"
				return struct{}{}, dynastay.ErrOvertaken
			}
			return struct{}{}, nil
		},
	})
	require.NoError(t, db.Write(t.Context(), created, meddle))
	got, err := repo.Wishlist(t.Context(), "user_456", "wl_123", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, summer().PropertyIDs, got.PropertyIDs)
}

// Properties that are added and removed at the same time: every change is kept, and no property is there twice.
func TestNoPropertyIsLost(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	add := func(id, property string) racing.Call {
		return func(ctx context.Context, db *dynastay.DB) error {
			_, err := users.New(db, nil).AddToWishlist(ctx, "user_456", id, property)
			return err
		}
	}
	remove := func(id, property string) racing.Call {
		return func(ctx context.Context, db *dynastay.DB) error {
			_, err := users.New(db, nil).RemoveFromWishlist(ctx, "user_456", id, property)
			return err
		}
	}
	create := func(id string) {
		_, err := repo.CreateWishlist(t.Context(), summer(func(w *users.Wishlist) { w.ID, w.PropertyIDs = id, []string{"a", "b"} }))
		require.NoError(t, err)
	}
	check := func(id, about string, want ...string) {
		t.Helper()
		got, err := repo.Wishlist(t.Context(), "user_456", id, dynastay.Consistent)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, got.PropertyIDs, about)
	}
	for i, way := range racing.Ways {
		for j, test := range []struct {
			first, second func(id, property string) racing.Call
			one, other    string
			want          []string
		}{
			{add, add, "c", "d", []string{"a", "b", "c", "d"}},
			{add, add, "c", "c", []string{"a", "b", "c"}},
			{add, remove, "c", "a", []string{"b", "c"}},
			{remove, add, "a", "c", []string{"b", "c"}},
			{remove, remove, "a", "b", nil},
		} {
			id := fmt.Sprint("wl_", i, "_", j)
			create(id)
			first, second := way.Meet(t, db, test.first(id, test.one), test.second(id, test.other))
			require.NoError(t, first, way.Name)
			require.NoError(t, second, way.Name)
			check(id, way.Name, test.want...)
		}
	}
	create("wl_at_once")
	db.Faults.Conflicts(time.Millisecond)
	want := []string{"a"}
	calls := []racing.Call{remove("wl_at_once", "b")}
	for i := range 12 {
		calls = append(calls, add("wl_at_once", fmt.Sprint(i/2)))
		if i%2 == 0 {
			want = append(want, fmt.Sprint(i/2))
		}
	}
	for _, err := range racing.AtOnce(t, db, calls...) {
		require.NoError(t, err)
	}
	check("wl_at_once", "at once", want...)
}

// Callers in one process queue for a wishlist: none of them is overtaken.
func TestAdditionsQueue(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	_, err := repo.CreateWishlist(t.Context(), summer())
	require.NoError(t, err)
	stop := db.Faults.Record()
	calls := make([]func() error, 16)
	for i := range calls {
		calls[i] = func() error {
			_, err := repo.AddToWishlist(t.Context(), "user_456", "wl_123", fmt.Sprint("prop_", i))
			return err
		}
	}
	together(t, calls...)
	assert.Len(t, stop(), 2*len(calls))
}

// together runs calls at the same time, and requires that all succeed.
func together(t *testing.T, calls ...func() error) {
	t.Helper()
	errs := make(chan error, len(calls))
	begin := make(chan struct{})
	for _, call := range calls {
		go func() {
			<-begin
			errs <- call()
		}()
	}
	close(begin)
	for range calls {
		assert.NoError(t, <-errs)
	}
	require.False(t, t.Failed())
}
