package reviews_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// reviewTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var reviewTables = dyntest.OnlyTables(keys.ReviewsTable, keys.PropertiesTable, keys.BookingsTable, keys.MetadataTable)

// noon is when most of the tests take place, a day after the stays have ended.
var noon = time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)

func open(db *dynastay.DB) *reviews.Repository { return reviews.New(db, properties.New(db, nil), nil) }

// house is a property with guests whose stays are over.
type house struct {
	*dyntest.DB
	id     string
	guests int
}

func newHouse(t *testing.T, db *dyntest.DB) *house {
	t.Helper()
	h := &house{DB: db, id: db.Direct.NewID("prop_")}
	_, err := properties.New(db.Direct, nil).Create(t.Context(), properties.Property{
		ID: h.id, Name: "Inn", Slug: h.id, Type: properties.Hotel, OwnerID: "user_host",
		Address: properties.Address{City: "Rome", Country: "Italy"},
	}, nil)
	require.NoError(t, err)
	return h
}

// guest stores a completed booking, as far as a review needs it, and returns a review of it.
func (h *house) guest(t *testing.T, edits ...func(dynastay.Item)) reviews.Review {
	t.Helper()
	h.guests++
	id := fmt.Sprintf("%s_%d", h.id, h.guests)
	booking := dynastay.Item{
		"PK": dynastay.Text("BOOKING#bkg_" + id), "SK": dynastay.Text("METADATA"), "Status": dynastay.Text("completed"),
		"UserId": dynastay.Text("user_" + id), "PropertyId": dynastay.Text(h.id),
		"CheckInDate": dynastay.Text("2026-06-01"), "CheckOutDate": dynastay.Text("2026-06-04"),
	}
	for _, edit := range edits {
		edit(booking)
	}
	raw.Put(t, h.DB, keys.BookingsTable, booking)
	return reviews.Review{
		BookingID: "bkg_" + id, UserID: "user_" + id, PropertyID: h.id, Ratings: reviews.Ratings{Overall: 90},
		Title: "Wonderful stay!", Text: "Had an amazing experience.",
	}
}

// review creates a review of a stay, pending.
func (h *house) review(t *testing.T, overall dynastay.Rating) *reviews.Review {
	t.Helper()
	v := h.guest(t)
	v.Ratings.Overall = overall
	made, err := open(h.Direct).Create(t.Context(), v)
	require.NoError(t, err)
	return made
}

func (h *house) approved(t *testing.T, overall dynastay.Rating) *reviews.Review {
	t.Helper()
	made := h.review(t, overall)
	made, err := open(h.Direct).Approve(t.Context(), made.ID, made.Version)
	require.NoError(t, err)
	return made
}

func (h *house) property(t *testing.T) *properties.Property {
	t.Helper()
	p, err := properties.New(h.Direct, nil).Get(t.Context(), h.id, dynastay.Consistent)
	require.NoError(t, err)
	return p
}

// assertRated asserts the ratings that the property has counted.
func (h *house) assertRated(t *testing.T, ratings ...dynastay.Rating) {
	t.Helper()
	want := properties.RatingTotals{Reviews: len(ratings)}
	for _, r := range ratings {
		want.Tenths += int(r)
	}
	p := h.property(t)
	assert.Equal(t, want, p.Totals())
	assert.Equal(t, want.Average(), p.Rating)
}

// partition reads all items of a partition past the library.
func partition(t *testing.T, db *dyntest.DB, s *dynastay.Schema, pk string) []map[string]any {
	t.Helper()
	return raw.Plains(t, raw.Partition(t, db, s, pk))
}

// assertConsistentReads asserts that what a write depends on is read consistently, which local engines do not need.
// Only an index cannot be.
func assertConsistentReads(t require.TestingT, requests []dyntest.Request) {
	for _, r := range requests {
		if slices.Contains([]string{"GetItem", "BatchGetItem", "Query"}, r.Operation) && !strings.Contains(string(r.Body), `"IndexName"`) {
			require.Contains(t, string(r.Body), `"ConsistentRead":true`)
		}
	}
}

func assertStatus(t *testing.T, err error, status reviews.Status) {
	t.Helper()
	refused := blame.As[*reviews.StatusError](t, err)
	assert.Equal(t, status, refused.Status)
}

func ids(list []*reviews.Review) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}
