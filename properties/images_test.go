package properties_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties"
)

// picture returns an image with a URL of its own.
func picture(id string, edits ...func(*properties.Image)) properties.Image {
	i := properties.Image{ID: id, URL: "https://cdn.example.com/" + id + ".jpg", AltText: "Lobby", Category: "interior"}
	for _, edit := range edits {
		edit(&i)
	}
	return i
}

func primary(i *properties.Image) { i.Primary = true }

func at(order int) func(*properties.Image) { return func(i *properties.Image) { i.Order = order } }

func pictures(prefix string, n int) (all []properties.Image) {
	for i := range n {
		all = append(all, picture(fmt.Sprint(prefix, i)))
	}
	return all
}

// gallery is the images of a property in short: "b1* a2" is b, which is primary, and a, with their orders.
func gallery(t testing.TB, repo *properties.Repository, id string) string {
	t.Helper()
	images, err := repo.GetImages(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	return inShort(images)
}

func inShort(images []properties.Image) string {
	var all []string
	for _, i := range images {
		one := fmt.Sprint(i.ID, i.Order)
		if i.Primary {
			one += "*"
		}
		all = append(all, one)
	}
	return strings.Join(all, " ")
}

func TestDocumentImageRoundTrips(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/image.json")
	i, err := properties.ImageEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, &properties.Image{
		ID: "img_001", PropertyID: "prop_123", URL: "https://cdn.example.com/prop_123/exterior-1.jpg",
		AltText: "Hotel exterior view at night", Category: "exterior", Order: 1, Primary: true,
		CreatedAt: time.Date(2024, 1, 15, 10, 30, 0, 0, time.UTC),
	}, i)
	again, err := properties.ImageEntity.Item(i)
	require.NoError(t, err)
	assertSameBut(t, item, again, nil)
}

func TestAddImages(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	before := create(t, repo, grand("p1")).Property
	db.Clock.Advance(time.Hour)
	op := repo.AddImagesOp("p1", picture("b"), picture("a"), picture(""))
	db.Clock.Advance(time.Hour)
	require.NoError(t, db.Write(t.Context(), op))
	added := op.Result()
	require.Len(t, added, 3)
	assert.Regexp(t, `^img_[0-9A-Z]{26}$`, added[2].ID)
	assert.Equal(t, "b1* a2 "+added[2].ID+"3", inShort(added), "the first image is primary")
	want := picture("a", at(2))
	want.PropertyID, want.CreatedAt, want.UpdatedAt, want.Version = "p1", db.Clock.Now(), db.Clock.Now(), 1
	assert.Equal(t, want, added[1])
	there, err := repo.GetImages(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, added, there)
	one, err := repo.GetImage(t.Context(), "p1", "a")
	require.NoError(t, err)
	assert.Equal(t, &want, one)
	checkDerived(t, db, "p1")
	after := get(t, repo, "p1")
	assertSameVersion(t, &before, after)
	assert.Equal(t, 3, after.ImageCount)
	assert.Equal(t, "https://cdn.example.com/b.jpg", after.PrimaryImageURL)
	page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.Equal(t, after.PrimaryImageURL, page.Items[0].PrimaryImageURL)
}

func TestImages(t *testing.T) {
	t.Parallel()
	type call = func(ctx context.Context, repo *properties.Repository) error
	add := func(images ...properties.Image) call {
		return func(ctx context.Context, repo *properties.Repository) error {
			added, err := repo.AddImages(ctx, "p1", images)
			if err == nil && len(added) != len(images) {
				err = fmt.Errorf("%d images were added", len(added))
			}
			return err
		}
	}
	choose := func(id string) call {
		return func(ctx context.Context, repo *properties.Repository) error {
			got, err := repo.SetPrimaryImage(ctx, "p1", id)
			if err == nil && (got.ID != id || !got.Primary) {
				err = fmt.Errorf("got %v", got)
			}
			return err
		}
	}
	remove := func(id string) call {
		return func(ctx context.Context, repo *properties.Repository) error { return repo.DeleteImage(ctx, "p1", id) }
	}
	arrange := func(ids ...string) call {
		return func(ctx context.Context, repo *properties.Repository) error {
			all, err := repo.ArrangeImages(ctx, "p1", ids)
			if err != nil {
				return err
			}
			there, err := repo.GetImages(ctx, "p1")
			if err == nil && inShort(all) != inShort(there) {
				err = fmt.Errorf("%s, not %s", inShort(all), inShort(there))
			}
			return err
		}
	}
	for name, steps := range map[string][]struct {
		call call
		want string
	}{
		"order": {
			{add(picture("c"), picture("a", at(5)), picture("b")), "c1* a5 b6"},
			{add(picture("d", at(5)), picture("e")), "c1* a5 d5 b6 e7"},
			{add(picture("f", at(2)), picture("g")), "c1* f2 a5 d5 b6 e7 g8"},
		},
		"equal orders": {
			{add(picture("c", at(3)), picture("b", at(3)), picture("d", at(3))), "b3* c3 d3"},
			{add(picture("a", at(3))), "a3 b3* c3 d3"},
			{remove("b"), "a3* c3 d3"},
		},
		"primary": {
			{add(picture("a"), picture("b", primary)), "a1 b2*"},
			{add(picture("c", primary), picture("d")), "a1 b2 c3* d4"},
			{add(picture("e")), "a1 b2 c3* d4 e5"},
			{choose("a"), "a1* b2 c3 d4 e5"},
			{choose("a"), "a1* b2 c3 d4 e5"},
			{choose("e"), "a1 b2 c3 d4 e5*"},
		},
		"delete": {
			{add(picture("a"), picture("b", primary), picture("c", at(1)), picture("d")), "a1 c1 b2* d3"},
			{remove("d"), "a1 c1 b2*"},
			{remove("b"), "a1* c1"},
			{remove("a"), "c1*"},
			{remove("c"), ""},
			{add(picture("e")), "e1*"},
		},
		"arrange": {
			{add(picture("a"), picture("b"), picture("c", at(7)), picture("d", at(7))), "a1* b2 c7 d7"},
			{arrange("d", "b"), "d1 b2 a3* c4"},
			{arrange("d"), "d1 b2 a3* c4"},
			{arrange("c", "a", "b", "d"), "c1 a2* b3 d4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
			repo := properties.New(db.DB, nil)
			before := create(t, repo, grand("p1")).Property
			for i, step := range steps {
				db.Clock.Advance(time.Minute)
				require.NoError(t, step.call(t.Context(), repo), "step %d", i)
				assert.Equal(t, step.want, gallery(t, repo, "p1"), "step %d", i)
				checkDerived(t, db, "p1")
			}
			after := get(t, repo, "p1")
			assertSameVersion(t, &before, after)
			images, err := repo.GetImages(t.Context(), "p1")
			require.NoError(t, err)
			for _, i := range images {
				assert.Equal(t, 1, i.Version, "neither order nor primary is a version of the image")
				assert.Equal(t, i.CreatedAt, i.UpdatedAt)
			}
		})
	}
}

// Without images, the URL is gone as well.
func TestLastImageIsDeleted(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 1))
	require.NoError(t, err)
	require.NoError(t, repo.DeleteImage(t.Context(), "p1", "a0"))
	p := get(t, repo, "p1")
	assert.Zero(t, p.ImageCount)
	assert.Empty(t, p.PrimaryImageURL)
	checkDerived(t, db, "p1")
	assert.ErrorIs(t, second(repo.GetImage(t.Context(), "p1", "a0")), dynastay.ErrNotFound)
}

// An image without anything to change is not written.
func TestImagesThatStayAreNotWritten(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 4))
	require.NoError(t, err)
	before := partition(t, db, "PROPERTY#p1")
	_, err = repo.SetPrimaryImage(t.Context(), "p1", "a2")
	require.NoError(t, err)
	after := partition(t, db, "PROPERTY#p1")
	for sk := range before {
		changed := sk == "IMAGE#a0" || sk == "IMAGE#a2" || sk == "METADATA"
		assert.Equal(t, !changed, assert.ObjectsAreEqual(before[sk], after[sk]), sk)
	}
	sent := writes(db)
	_, err = repo.SetPrimaryImage(t.Context(), "p1", "a2")
	require.NoError(t, err)
	_, err = repo.ArrangeImages(t.Context(), "p1", []string{"a0", "a1"})
	require.NoError(t, err)
	assert.Equal(t, sent, writes(db))
}

func TestUpdateImage(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	before := create(t, repo, grand("p1")).Property
	added, err := repo.AddImages(t.Context(), "p1", pictures("a", 2))
	require.NoError(t, err)
	for n := range added { // a0 is primary
		want := added[n]
		db.Clock.Advance(time.Minute)
		got, err := repo.UpdateImage(t.Context(), "p1", want.ID, func(i *properties.Image) error {
			i.URL, i.AltText, i.Category = "https://cdn.example.com/new"+i.ID, "", "view"
			return nil
		}, dynastay.IfVersion(1))
		require.NoError(t, err)
		want.URL, want.AltText, want.Category = "https://cdn.example.com/new"+want.ID, "", "view"
		want.Version, want.UpdatedAt = 2, db.Clock.Now()
		assert.Equal(t, &want, got)
		there, err := repo.GetImage(t.Context(), "p1", want.ID)
		require.NoError(t, err)
		assert.Equal(t, &want, there)
		checkDerived(t, db, "p1")
	}
	assert.Equal(t, "https://cdn.example.com/newa0", get(t, repo, "p1").PrimaryImageURL)
	assertSameVersion(t, &before, get(t, repo, "p1"))

	sent := writes(db)
	same := func(*properties.Image) error { return nil }
	got, err := repo.UpdateImage(t.Context(), "p1", "a0", same)
	require.NoError(t, err)
	assert.Equal(t, 2, got.Version)
	_, err = repo.UpdateImage(t.Context(), "p1", "a0", same, dynastay.IfVersion(1))
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	for field, spoil := range map[string]func(*properties.Image){
		"Order": func(i *properties.Image) { i.Order++ }, "Primary": func(i *properties.Image) { i.Primary = false },
		"Version": func(i *properties.Image) { i.Version++ }, "ID": func(i *properties.Image) { i.ID = "other" },
		"CreatedAt": func(i *properties.Image) { i.CreatedAt = time.Now() }, "": func(i *properties.Image) { i.PropertyID = "p2" },
		"URL": func(i *properties.Image) { i.URL = " " }, "AltText": func(i *properties.Image) { i.AltText = strings.Repeat("a", entity.MaxNote+1) },
	} {
		_, err := repo.UpdateImage(t.Context(), "p1", "a0", func(i *properties.Image) error { spoil(i); return nil })
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	assert.Equal(t, sent, writes(db))
}

func TestImagesRefuse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 2))
	require.NoError(t, err)
	stop := db.Faults.Record()
	long := func(n int) string { return strings.Repeat("u", n) }
	for field, images := range map[string][]properties.Image{
		"Images":             nil,
		"Images[0].ID":       {picture("a#b")},
		"Images[1].ID":       {picture("b"), picture("b")},
		"Images[2].Primary":  {picture("b", primary), picture("c"), picture("d", primary)},
		"Images[1].URL":      {picture("b"), picture("c", func(i *properties.Image) { i.URL = "" })},
		"Images[0].Order":    {picture("b", at(-1))},
		"Images[0].AltText":  {picture("b", func(i *properties.Image) { i.AltText = long(entity.MaxNote + 1) })},
		"Images[0].Category": {picture("b", func(i *properties.Image) { i.Category = long(entity.MaxName + 1) })},
	} {
		blame.Of(t, second(repo.AddImages(t.Context(), "p1", images)), dynastay.ErrInvalid, field)
	}
	tooLong := picture("b", func(i *properties.Image) { i.URL = long(entity.MaxURL + 1) })
	blame.Of(t, second(repo.AddImages(t.Context(), "p1", []properties.Image{tooLong})), dynastay.ErrInvalid, "Images[0].URL")
	err = second(repo.AddImages(t.Context(), "p1", pictures("b", 99)))
	assert.EqualError(t, err, "properties.AddImages: invalid Images: must have at most 98 entries")
	blame.Of(t, second(repo.AddImages(t.Context(), "a#b", pictures("b", 1))), dynastay.ErrInvalid, "PropertyID")
	same := func(*properties.Image) error { return nil }
	for field, err := range map[string]error{
		"ImageID":      second(repo.UpdateImage(t.Context(), "p1", "a#b", same)),
		"ImageID ":     second(repo.SetPrimaryImage(t.Context(), "p1", "")),
		"ImageID  ":    repo.DeleteImage(t.Context(), "p1", "a#b"),
		"ImageID   ":   second(repo.GetImage(t.Context(), "p1", "a#b")),
		"ImageIDs":     second(repo.ArrangeImages(t.Context(), "p1", nil)),
		"ImageIDs[1]":  second(repo.ArrangeImages(t.Context(), "p1", []string{"a0", "a0"})),
		"ImageIDs[0]":  second(repo.ArrangeImages(t.Context(), "p1", []string{"a#b"})),
		"PropertyID":   second(repo.GetImages(t.Context(), "a#b")),
		"PropertyID ":  second(repo.GetImage(t.Context(), "a#b", "a0")),
		"PropertyID  ": (&properties.Image{ID: "a0", URL: "/a0.jpg"}).Validate(),
		"OrMissing":    second(repo.UpdateImage(t.Context(), "p1", "a0", same, dynastay.OrMissing())),
	} {
		blame.Of(t, err, dynastay.ErrInvalid, strings.TrimSpace(field))
	}
	assert.Empty(t, stop(), "no request at all")

	before := everything(t, db, "PROPERTY#p1", "PROPERTY#p2")
	err = second(repo.AddImages(t.Context(), "p1", []properties.Image{picture("b"), picture("a1")}))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "ImageID")
	for _, err := range []error{
		second(repo.UpdateImage(t.Context(), "p2", "a0", same)), second(repo.SetPrimaryImage(t.Context(), "p2", "a0")),
		second(repo.ArrangeImages(t.Context(), "p1", []string{"a0", "b"})), repo.DeleteImage(t.Context(), "p1", "b"),
	} {
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		assert.ErrorContains(t, err, "PropertyImage ")
	}
	for _, err := range []error{
		second(repo.AddImages(t.Context(), "none", pictures("a", 1))), repo.DeleteImage(t.Context(), "none", "a0"),
	} {
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		assert.ErrorContains(t, err, "Property none")
	}
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "PROPERTY#p2"))
}

// The most images, put in order in one transaction together with an idempotency record.
func TestMostImages(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 97), dynastay.IdempotencyKey("1"))
	require.NoError(t, err)
	err = second(repo.AddImages(t.Context(), "p1", pictures("b", 2)))
	assert.EqualError(t, err, "invalid Images: must have at most 98 entries, counting all images of the property")
	_, err = repo.AddImages(t.Context(), "p1", pictures("b", 1))
	require.NoError(t, err)
	all, err := repo.ArrangeImages(t.Context(), "p1", []string{"b0"}, dynastay.IdempotencyKey("2"))
	require.NoError(t, err)
	assert.Len(t, all, 98)
	_, err = repo.SetPrimaryImage(t.Context(), "p1", "b0", dynastay.IdempotencyKey("3"))
	require.NoError(t, err)
	checkDerived(t, db, "p1")
}

func TestImagesWithIdempotencyKeys(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	key := func(k string) dynastay.WriteOption { return dynastay.IdempotencyKey(k) }
	mismatch := func(err error) { t.Helper(); assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch) }

	images := []properties.Image{picture(""), picture("named", primary), picture("", at(9))}
	first, err := repo.AddImages(t.Context(), "p1", images, key("add"))
	require.NoError(t, err)
	again, err := repo.AddImages(t.Context(), "p1", images, key("add"))
	require.NoError(t, err)
	assert.Equal(t, first, again)
	images[0].Version, images[0].CreatedAt, images[0].UpdatedAt, images[0].PropertyID = 7, time.Now(), time.Now(), "p9" // not the caller's
	again, err = repo.AddImages(t.Context(), "p1", images, key("add"))
	require.NoError(t, err)
	assert.Equal(t, first, again)
	mismatch(second(repo.AddImages(t.Context(), "p2", images, key("add"))))
	mismatch(second(repo.AddImages(t.Context(), "p1", images[:2], key("add"))))
	mismatch(second(repo.AddImages(t.Context(), "p1", append(images[:2:2], picture("", at(8))), key("add"))))

	a, b := first[0].ID, first[1].ID
	for range 2 {
		got, err := repo.SetPrimaryImage(t.Context(), "p1", a, key("primary"))
		require.NoError(t, err)
		assert.True(t, got.Primary)
		all, err := repo.ArrangeImages(t.Context(), "p1", []string{b, a}, key("arrange"))
		require.NoError(t, err)
		assert.Equal(t, []string{b, a}, []string{all[0].ID, all[1].ID})
		_, err = repo.UpdateImage(t.Context(), "p1", a, func(i *properties.Image) error { i.AltText += "!"; return nil }, dynastay.AgreedOn("!"))
		require.NoError(t, err)
	}
	update := func(id string) error {
		return db.Write(t.Context(), repo.UpdateImageOp("p1", id, func(i *properties.Image) error { i.AltText += "?"; return nil }, dynastay.AgreedOn("?")), key("update"))
	}
	require.NoError(t, update(a))
	require.NoError(t, update(a))
	mismatch(update(b))
	got, err := repo.GetImage(t.Context(), "p1", a)
	require.NoError(t, err)
	assert.Equal(t, "Lobby!!?", got.AltText)
	mismatch(second(repo.SetPrimaryImage(t.Context(), "p1", b, key("primary"))))
	mismatch(second(repo.SetPrimaryImage(t.Context(), "p2", a, key("primary"))))
	mismatch(second(repo.ArrangeImages(t.Context(), "p1", []string{a, b}, key("arrange"))))
	for range 2 {
		require.NoError(t, repo.DeleteImage(t.Context(), "p1", a, key("delete")))
	}
	mismatch(repo.DeleteImage(t.Context(), "p1", b, key("delete")))
	checkDerived(t, db, "p1")
}

// Two changes of a gallery at the same time leave exactly one primary image, which the property shows.
func TestTwoChangesOfImages(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *properties.Repository) error{
		"add": func(ctx context.Context, r *properties.Repository) error {
			return second(r.AddImages(ctx, "p1", []properties.Image{picture("new", primary)}))
		},
		"primary": func(ctx context.Context, r *properties.Repository) error {
			return second(r.SetPrimaryImage(ctx, "p1", "a1"))
		},
		"delete": func(ctx context.Context, r *properties.Repository) error { return r.DeleteImage(ctx, "p1", "a0") },
		"update": func(ctx context.Context, r *properties.Repository) error {
			return second(r.UpdateImage(ctx, "p1", "a1", func(i *properties.Image) error { i.URL += "?"; return nil }))
		},
		"arrange": func(ctx context.Context, r *properties.Repository) error {
			return second(r.ArrangeImages(ctx, "p1", []string{"a2", "a1"}))
		},
	}
	for first, one := range calls {
		for then, other := range calls {
			t.Run(first+" "+then, func(t *testing.T) {
				t.Parallel()
				db := dyntest.New(t, propertyTables)
				repo := properties.New(db.Direct, nil)
				create(t, repo, grand("p1"))
				_, err := repo.AddImages(t.Context(), "p1", pictures("a", 3))
				require.NoError(t, err)
				call := func(f func(context.Context, *properties.Repository) error) racing.Call {
					return func(ctx context.Context, db *dynastay.DB) error { return f(ctx, properties.New(db, nil)) }
				}
				oneErr, otherErr := racing.Between.Meet(t, db, call(one), call(other))
				require.NoError(t, otherErr)
				switch {
				case first == then && first == "add":
					blame.Of(t, oneErr, dynastay.ErrAlreadyExists, "ImageID")
				case first == then && first == "delete":
					assert.ErrorIs(t, oneErr, dynastay.ErrNotFound)
				default:
					assert.NoError(t, oneErr)
				}
				checkDerived(t, db, "p1")
			})
		}
	}
}

// A property that is being deleted refuses all changes of its images.
func TestImagesOfADeletedProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", pending))
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 2))
	require.NoError(t, err)
	set(t, db, keyOf("p1"), "SET #Status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
	for _, err := range []error{
		second(repo.AddImages(t.Context(), "p1", pictures("b", 1))), second(repo.SetPrimaryImage(t.Context(), "p1", "a1")),
		second(repo.ArrangeImages(t.Context(), "p1", []string{"a1"})), repo.DeleteImage(t.Context(), "p1", "a1"),
		second(repo.UpdateImage(t.Context(), "p1", "a1", func(*properties.Image) error { return nil })),
	} {
		assertNotAllowed(t, err, properties.Deleting)
	}
}
