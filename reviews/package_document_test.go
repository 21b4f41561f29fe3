package reviews_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// documentReview is the review of the document.
func documentReview() *reviews.Review {
	created := time.Date(2025, 1, 20, 10, 0, 0, 0, time.UTC)
	return &reviews.Review{
		ID: "rev_999", BookingID: "bkg_12345", UserID: "user_456", PropertyID: "prop_123",
		Ratings: reviews.Ratings{Overall: 90, Cleanliness: 95, Comfort: 90, Location: 100, Facilities: 85, Staff: 95, Value: 85},
		Title:   "Wonderful stay!", Text: "Had an amazing experience...", Pros: "Great location, friendly staff",
		Cons: "Breakfast could be improved", TripType: reviews.Couple, StayDate: dynastay.MustDate("2025-01-15"), Verified: true,
		HelpfulCount: 12, Status: reviews.Approved, GuestName: "John D.", GuestCountry: "USA", CreatedAt: created, UpdatedAt: created,
	}
}

func documentResponse() *reviews.Response {
	return &reviews.Response{
		ReviewID: "rev_999", ResponderID: "user_789", ResponderName: "Hotel Manager", Text: "Thank you for your feedback...",
		CreatedAt: time.Date(2025, 1, 21, 14, 0, 0, 0, time.UTC),
	}
}

// The document's items come back attribute by attribute. Sort keys end with the id, an approved review is not in the
// index of the pending ones, and a response can be found by the user who wrote it.
func TestDocumentItemsComeBack(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/review.json")
	entity := reviews.EntityOf(reviews.Options{})
	v, err := entity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, documentReview(), v)
	again, err := entity.Item(v)
	require.NoError(t, err)
	want := raw.Plain(t, item)
	want["GSI1SK"], want["GSI2SK"] = "CREATED#2025-01-20T10:00:00Z#REVIEW#rev_999", "CREATED#2025-01-20T10:00:00Z#REVIEW#rev_999"
	delete(want, "GSI3PK")
	delete(want, "GSI3SK")
	assert.Equal(t, want, raw.Plain(t, again))

	item = raw.Document(t, "testdata/response.json")
	response, err := reviews.ResponseEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, documentResponse(), response)
	again, err = reviews.ResponseEntity.Item(response)
	require.NoError(t, err)
	want = raw.Plain(t, item)
	want["GSI2PK"], want["GSI2SK"] = "USER#user_789", "RESPONSE#rev_999"
	assert.Equal(t, want, raw.Plain(t, again))
}

func TestNullsReadAsMissing(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/review.json")
	for name := range item {
		item[name] = &types.AttributeValueMemberNULL{Value: true}
	}
	v, err := reviews.EntityOf(reviews.Options{}).Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, &reviews.Review{}, v)
	response, err := reviews.ResponseEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, &reviews.Response{}, response)
}

// document stores the items of the document: those of a review, of its response, and of its property.
func document(t *testing.T) *house {
	t.Helper()
	db := dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1}))
	raw.Put(t, db, keys.ReviewsTable, raw.Document(t, "testdata/review.json"))
	raw.Put(t, db, keys.ReviewsTable, raw.Document(t, "testdata/response.json"))
	raw.Put(t, db, keys.PropertiesTable, raw.Document(t, "../properties/testdata/property.json"))
	return &house{DB: db, id: "prop_123"}
}

func TestDocumentReviewIsFound(t *testing.T) {
	t.Parallel()
	h := document(t)
	repo := open(h.DB.DB)
	whole := documentReview()
	whole.Response = documentResponse()
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		got, err := repo.Get(t.Context(), "rev_999", opts...)
		require.NoError(t, err)
		assert.Equal(t, whole, got)
	}
	got, err := repo.ByBooking(t.Context(), "bkg_12345")
	require.NoError(t, err)
	assert.Equal(t, whole, got)
	_, err = repo.ByBooking(t.Context(), "bkg_12345", dynastay.Consistent) // there is no guard yet
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, []*reviews.Review{whole}, lists.All(t, dynastay.Load(repo.ByProperty("prop_123"), repo.WithResponses)))
	assert.Equal(t, []*reviews.Review{documentReview()}, lists.All(t, repo.ByUser("user_456")))
	assert.Empty(t, lists.All(t, repo.Pending()))
}

// The rating of the document's property has no exact sum: it starts from 1,547 × 9.2.
func TestDocumentReviewIsModerated(t *testing.T) {
	t.Parallel()
	h := document(t)
	repo := open(h.DB.DB)
	got, err := repo.Reject(t.Context(), "rev_999", 0, "no longer true")
	require.NoError(t, err)
	want := documentReview()
	want.Status, want.RejectionReason, want.Version, want.UpdatedAt = reviews.Rejected, "no longer true", 1, noon
	assert.Equal(t, want, got)
	h.assertTotals(t, 1546, 142234)
	assert.Equal(t, []map[string]any{{
		"PK": "BOOKING#bkg_12345", "SK": "REVIEW", "EntityType": "Guard", "ReviewId": "rev_999",
	}}, partition(t, h.DB, keys.ReviewsTable, "BOOKING#bkg_12345"))
	stored := partition(t, h.DB, keys.ReviewsTable, "REVIEW#rev_999")[0]
	for _, name := range []string{"GSI1PK", "GSI1SK", "GSI3PK", "GSI3SK"} {
		assert.NotContains(t, stored, name)
	}
	assert.Equal(t, "CREATED#2025-01-20T10:00:00Z#REVIEW#rev_999", stored["GSI2SK"])

	got, err = repo.Approve(t.Context(), "rev_999", 1)
	require.NoError(t, err)
	assert.Equal(t, []any{reviews.Approved, "", 2}, []any{got.Status, got.RejectionReason, got.Version})
	h.assertTotals(t, 1547, 142324)
	assert.Len(t, lists.All(t, repo.ByProperty("prop_123")), 1)

	got, err = repo.Update(t.Context(), "rev_999", func(v *reviews.Review) error {
		v.Ratings.Overall = 20
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []any{reviews.Pending, 3}, []any{got.Status, got.Version})
	h.assertTotals(t, 1546, 142234)
	assert.Equal(t, []string{"rev_999"}, ids(lists.All(t, repo.Pending())))
}

// The first write of the document's review may be any.
func TestDocumentReviewIsChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call  func(*testing.T, *reviews.Repository) error
		count int // of votes
		left  bool
		rated int // the number of reviews of the property
	}{
		"vote": {func(t *testing.T, r *reviews.Repository) error { return r.Vote(t.Context(), "rev_999", "user_1") }, 13, true, 1547},
		"update": {func(t *testing.T, r *reviews.Repository) error {
			return second(r.Update(t.Context(), "rev_999", func(v *reviews.Review) error { v.Title = ""; return nil }))
		}, 12, true, 1546},
		"update response": {func(t *testing.T, r *reviews.Repository) error {
			return second(r.UpdateResponse(t.Context(), "rev_999", func(v *reviews.Response) error { v.Text = "Thanks"; return nil }))
		}, 12, true, 1547},
		"delete response": {func(t *testing.T, r *reviews.Repository) error { return r.DeleteResponse(t.Context(), "rev_999") }, 12, true, 1547},
		"delete":          {func(t *testing.T, r *reviews.Repository) error { return r.Delete(t.Context(), "rev_999") }, 0, false, 1546},
		"erase": {func(t *testing.T, r *reviews.Repository) error {
			done, err := r.Eraser().Erase(t.Context(), "user_456")
			assert.Equal(t, map[string]int{"reviews deleted": 1}, done)
			return err
		}, 0, false, 1546},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := document(t)
			require.NoError(t, test.call(t, open(h.DB.DB)))
			assert.Equal(t, test.rated, h.property(t).ReviewCount)
			stored := partition(t, h.DB, keys.ReviewsTable, "REVIEW#rev_999")
			if !test.left {
				assert.Empty(t, stored)
				assert.Empty(t, partition(t, h.DB, keys.ReviewsTable, "BOOKING#bkg_12345"))
				return
			}
			assert.EqualValues(t, test.count, stored[0]["HelpfulCount"])
			if name == "update response" {
				assert.Equal(t, []any{"USER#user_789", "RESPONSE#rev_999", "Thanks", 1.0},
					[]any{stored[1]["GSI2PK"], stored[1]["GSI2SK"], stored[1]["ResponseText"], stored[1]["Version"]})
			}
		})
	}
}

// The rounded average of 10.0, 10.0 and 9.9 is 10.0, whose sum has no room for what the other two leave. The ratings
// are then counted.
func TestRoundedAverageIsRepaired(t *testing.T) {
	t.Parallel()
	for name, withdraw := range map[string]func(*reviews.Repository, *reviews.Review) error{
		"reject": func(r *reviews.Repository, v *reviews.Review) error {
			return second(r.Reject(t.Context(), v.ID, v.Version, ""))
		},
		"update": func(r *reviews.Repository, v *reviews.Review) error {
			return second(r.Update(t.Context(), v.ID, func(v *reviews.Review) error { v.Title = "x"; return nil }))
		},
		"delete": func(r *reviews.Repository, v *reviews.Review) error { return r.Delete(t.Context(), v.ID) },
	} {
		for sum, update := range map[string]string{
			"no sum": "REMOVE RatingSum", "wrong": "SET RatingSum = :thirty", "foreign": "SET RatingSum = :thirty REMOVE WriteId",
		} {
			t.Run(name+"/"+sum, func(t *testing.T) {
				t.Parallel()
				h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1})))
				list := []*reviews.Review{h.approved(t, 100), h.approved(t, 100), h.approved(t, 99)}
				h.assertRated(t, 100, 100, 99)
				values := dynastay.Item{":thirty": dynastay.Number(30)}
				if sum == "no sum" {
					values = nil
				}
				raw.Update(t, h.DB, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"}, update, values)
				require.NoError(t, withdraw(open(h.DB.DB), list[2]))
				h.assertRated(t, 100, 100)
			})
		}
	}
}

// assertTotals asserts the number and the sum of the ratings that the property has counted.
func (h *house) assertTotals(t *testing.T, n, tenths int) {
	t.Helper()
	assert.Equal(t, properties.RatingTotals{Reviews: n, Tenths: tenths}, h.property(t).Totals())
}
