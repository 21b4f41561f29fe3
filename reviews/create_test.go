package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.guest(t)
	v.Ratings = reviews.Ratings{Overall: 10, Cleanliness: 100, Value: 55}
	v.Pros, v.Cons, v.TripType, v.StayDate, v.GuestName, v.GuestCountry = "Food", "Noise", reviews.Solo, dynastay.MustDate("2026-06-01"), "Ann", "LV"
	want := v
	// What the library sets, whatever is in it.
	v.Status, v.HelpfulCount, v.RejectionReason, v.Version, v.CreatedAt = reviews.Approved, 7, "x", 9, noon.Add(time.Hour)
	v.Response = &reviews.Response{Text: "x"}
	made, err := repo.Create(t.Context(), v)
	require.NoError(t, err)
	assert.Regexp(t, `^rev_[0-9A-Z]{26}$`, made.ID)
	want.ID, want.Status, want.Verified, want.CreatedAt, want.UpdatedAt, want.Version = made.ID, reviews.Pending, true, noon, noon, 1
	assert.Equal(t, &want, made)
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		got, err = repo.ByBooking(t.Context(), made.BookingID, opts...)
		require.NoError(t, err)
		assert.Equal(t, made, got)
	}
	h.assertRated(t)

	_, err = repo.Create(t.Context(), v)
	blame.Of(t, err, dynastay.ErrAlreadyExists, "BookingID")
	other := h.guest(t)
	other.ID = made.ID
	_, err = repo.Create(t.Context(), other)
	blame.Of(t, err, dynastay.ErrAlreadyExists, "")
	assert.Empty(t, partition(t, h.DB, keys.ReviewsTable, "BOOKING#"+other.BookingID))
}

// A stay can be reviewed as soon as its guests have checked out, or on the day of their departure (UTC).
func TestBookingsThatCanBeReviewed(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables)
	house := newHouse(t, db)
	midnight := time.Date(2026, 6, 4, 0, 0, 0, 0, time.UTC)
	status := func(status string) func(dynastay.Item) {
		return func(b dynastay.Item) { b["Status"] = dynastay.Text(status) }
	}
	for _, test := range []struct {
		name    string
		at      time.Time
		booking func(dynastay.Item)
		review  func(*reviews.Review)
		want    error
	}{
		{"completed", midnight.AddDate(0, 0, -9), status("completed"), nil, nil},
		{"checked in, at midnight", midnight, status("checked_in"), nil, nil},
		{"checked in, before midnight", midnight.Add(-1), status("checked_in"), nil, reviews.ErrNotOver},
		{"checked in, before midnight in UTC", midnight.Add(-1).In(time.FixedZone("", 3600)), status("checked_in"), nil, reviews.ErrNotOver},
		{"checked in, after midnight in UTC", midnight.In(time.FixedZone("", -3600)), status("checked_in"), nil, nil},
		{"checked in, no date", midnight, func(b dynastay.Item) {
			b["Status"], b["CheckOutDate"] = dynastay.Text("checked_in"), &types.AttributeValueMemberNULL{Value: true}
		}, nil, reviews.ErrNotOver},
		{"confirmed", noon, status("confirmed"), nil, reviews.ErrNotOver},
		{"pending", noon, status("pending"), nil, reviews.ErrNotOver},
		{"cancelled", noon, status("cancelled"), nil, reviews.ErrNotStayed},
		{"no-show", noon, status("no_show"), nil, reviews.ErrNotStayed},
		{"expired", noon, status("expired"), nil, reviews.ErrNotStayed},
		{"no status", noon, func(b dynastay.Item) { delete(b, "Status") }, nil, reviews.ErrNotStayed},
		{"no booking", noon, func(b dynastay.Item) { b["PK"] = dynastay.Text("BOOKING#other") }, nil, reviews.ErrNoBooking},
		{"other user", noon, func(b dynastay.Item) { b["UserId"] = dynastay.Text("user_other") }, nil, reviews.ErrOtherUser},
		{"anonymised", noon, func(b dynastay.Item) { delete(b, "UserId") }, nil, reviews.ErrOtherUser},
		{"anonymised with NULL", noon, func(b dynastay.Item) { b["UserId"] = &types.AttributeValueMemberNULL{Value: true} }, nil, reviews.ErrOtherUser},
		{"other property", noon, func(b dynastay.Item) { b["PropertyId"] = dynastay.Text("prop_other") }, nil, reviews.ErrOtherProperty},
		{"the stay", noon, nil, func(v *reviews.Review) { v.StayDate = dynastay.MustDate("2026-06-01") }, nil},
		{"other stay", noon, nil, func(v *reviews.Review) { v.StayDate = dynastay.MustDate("2026-06-02") }, reviews.ErrOtherStay},
		{"other user of what is not over", noon, func(b dynastay.Item) {
			b["UserId"], b["Status"] = dynastay.Text("user_other"), dynastay.Text("confirmed")
		}, nil, reviews.ErrOtherUser},
	} {
		if test.booking == nil {
			test.booking = status("completed")
		}
		v := house.guest(t, test.booking)
		if test.review != nil {
			test.review(&v)
		}
		repo := open(db.Open(&dynastay.Options{Clock: func() time.Time { return test.at }}))
		made, err := repo.Create(t.Context(), v)
		if test.want == nil {
			require.NoError(t, err, test.name)
			assert.True(t, made.Verified, test.name)
			continue
		}
		refused := blame.As[*reviews.BookingError](t, err, test.name)
		assert.Equal(t, &reviews.BookingError{BookingID: v.BookingID, Err: test.want}, refused, test.name)
		assert.ErrorIs(t, err, test.want, test.name)
		assert.Equal(t, "cannot review booking "+v.BookingID+": "+test.want.Error(), err.Error())
		assert.Empty(t, partition(t, db, keys.ReviewsTable, "BOOKING#"+v.BookingID), test.name)
	}
}

// A stranger is told about the booking, not whether it has a review.
func TestStrangersLearnNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := *h.review(t, 90)
	v.ID, v.UserID = "", "user_other"
	_, err := open(h.DB.DB).Create(t.Context(), v)
	assert.ErrorIs(t, err, reviews.ErrOtherUser)
	assert.NotErrorIs(t, err, dynastay.ErrAlreadyExists)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	repo := open(db.DB)
	stop := db.Faults.Record()
	ctx, long := t.Context(), func(n int) string { return strings.Repeat("x", n+1) }
	good := reviews.Review{BookingID: "bkg_1", UserID: "user_1", PropertyID: "prop_1", Ratings: reviews.Ratings{Overall: 90}}
	for _, bad := range []struct {
		field string
		spoil func(*reviews.Review)
	}{
		{"ID", func(v *reviews.Review) { v.ID = "a#b" }}, {"BookingID", func(v *reviews.Review) { v.BookingID = "" }},
		{"BookingID", func(v *reviews.Review) { v.BookingID = "a#b" }}, {"UserID", func(v *reviews.Review) { v.UserID = "" }},
		{"PropertyID", func(v *reviews.Review) { v.PropertyID = "" }}, {"PropertyID", func(v *reviews.Review) { v.PropertyID = "a#b" }},
		{"Ratings.Overall", func(v *reviews.Review) { v.Ratings.Overall = 0 }}, {"Ratings.Overall", func(v *reviews.Review) { v.Ratings.Overall = 9 }},
		{"Ratings.Overall", func(v *reviews.Review) { v.Ratings.Overall = 101 }}, {"Ratings.Cleanliness", func(v *reviews.Review) { v.Ratings.Cleanliness = 9 }},
		{"Ratings.Comfort", func(v *reviews.Review) { v.Ratings.Comfort = 101 }}, {"Ratings.Location", func(v *reviews.Review) { v.Ratings.Location = -1 }},
		{"Ratings.Facilities", func(v *reviews.Review) { v.Ratings.Facilities = 1 }}, {"Ratings.Staff", func(v *reviews.Review) { v.Ratings.Staff = 101 }},
		{"Ratings.Value", func(v *reviews.Review) { v.Ratings.Value = 9 }},
		{"Title", func(v *reviews.Review) { v.Title = long(256) }}, {"Text", func(v *reviews.Review) { v.Text = long(4096) }},
		{"Pros", func(v *reviews.Review) { v.Pros = long(4096) }}, {"Cons", func(v *reviews.Review) { v.Cons = long(4096) }},
		{"TripType", func(v *reviews.Review) { v.TripType = reviews.TripType(long(256)) }}, {"Text", func(v *reviews.Review) { v.Text = "\xff" }},
		{"GuestName", func(v *reviews.Review) { v.GuestName = long(256) }}, {"GuestCountry", func(v *reviews.Review) { v.GuestCountry = long(256) }},
	} {
		v := good
		bad.spoil(&v)
		blame.Of(t, second(repo.Create(ctx, v)), dynastay.ErrInvalid, bad.field)
	}
	response := reviews.Response{ReviewID: "rev_1", ResponderID: "user_1", Text: "Thanks"}
	for _, bad := range []struct {
		field string
		spoil func(*reviews.Response)
	}{
		{"ReviewID", func(v *reviews.Response) { v.ReviewID = "" }}, {"ResponderID", func(v *reviews.Response) { v.ResponderID = "" }},
		{"Text", func(v *reviews.Response) { v.Text = " \n" }}, {"Text", func(v *reviews.Response) { v.Text = long(4096) }},
		{"ResponderName", func(v *reviews.Response) { v.ResponderName = long(256) }},
	} {
		v := response
		bad.spoil(&v)
		blame.Of(t, second(repo.Respond(ctx, v)), dynastay.ErrInvalid, bad.field)
	}
	for name, call := range map[string]func(id string) error{
		"Get":     func(id string) error { return second(repo.Get(ctx, id)) },
		"Approve": func(id string) error { return second(repo.Approve(ctx, id, 1)) },
		"Reject":  func(id string) error { return second(repo.Reject(ctx, id, 1, "")) },
		"Update":  func(id string) error { return second(repo.Update(ctx, id, func(*reviews.Review) error { return nil })) },
		"UpdateResponse": func(id string) error {
			return second(repo.UpdateResponse(ctx, id, func(*reviews.Response) error { return nil }))
		},
		"DeleteResponse": func(id string) error { return repo.DeleteResponse(ctx, id) },
		"Delete":         func(id string) error { return repo.Delete(ctx, id) },
		"Vote":           func(id string) error { return repo.Vote(ctx, id, "user_1") },
		"Unvote":         func(id string) error { return repo.Unvote(ctx, id, "user_1") },
		"Voted":          func(id string) error { return second(repo.Voted(ctx, "user_1", []string{"rev_1", id})) },
	} {
		for _, id := range []string{"", "a#b", long(128)} {
			err := call(id)
			require.Error(t, err, name)
			blame.Of(t, err, dynastay.ErrInvalid, "ReviewID")
		}
	}
	page := func(l dynastay.List[*reviews.Review]) error { return second(l.Page(ctx, dynastay.Paging{})) }
	update := func(*reviews.Review) error { return nil }
	for _, bad := range []struct {
		field string
		err   error
	}{
		{"Reason", second(repo.Reject(ctx, "rev_1", 1, long(entity.MaxNote)))}, {"UserID", repo.Vote(ctx, "rev_1", "")}, {"UserID", repo.Unvote(ctx, "rev_1", "a#b")},
		{"UserID", second(repo.Voted(ctx, "", []string{"rev_1"}))}, {"PropertyID", page(repo.ByProperty(""))}, {"UserID", page(repo.ByUser("a#b"))},
		{"PropertyID", second(repo.RepairRating(ctx, ""))}, {"UserID", second(repo.Eraser().Erase(ctx, ""))},
		{"BookingID", second(repo.ByBooking(ctx, "a#b"))}, {"BookingID", second(repo.ByBooking(ctx, ""))},
		{"OrMissing", second(repo.Update(ctx, "rev_1", update, dynastay.OrMissing()))},
	} {
		blame.Of(t, bad.err, dynastay.ErrInvalid, bad.field)
	}
	assert.NoError(t, repo.Eraser().Check(ctx, "user_1"))
	assert.Empty(t, stop(), "no request at all")
}

// Texts and ratings at their limits are stored.
func TestLimits(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.guest(t)
	v.Title, v.TripType, v.GuestName, v.GuestCountry = strings.Repeat("é", 128), "é", strings.Repeat("n", 256), strings.Repeat("c", 256)
	v.Text, v.Pros, v.Cons = strings.Repeat("x", 4096), strings.Repeat("y", 4096), strings.Repeat("z", 4096)
	v.Ratings = reviews.Ratings{Overall: 100, Cleanliness: 10, Comfort: 100, Location: 10, Facilities: 100, Staff: 10, Value: 100}
	made, err := repo.Create(t.Context(), v)
	require.NoError(t, err)
	rejected, err := repo.Reject(t.Context(), made.ID, 1, strings.Repeat("r", entity.MaxNote))
	require.NoError(t, err)
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, rejected, got)
	_, err = repo.Approve(t.Context(), made.ID, 2)
	require.NoError(t, err)
	response := reviews.Response{ReviewID: made.ID, ResponderID: "u", ResponderName: strings.Repeat("n", 256), Text: strings.Repeat("t", 4096)}
	made2, err := repo.Respond(t.Context(), response)
	require.NoError(t, err)
	got, err = repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made2, got.Response)
}

// 16 calls in two processes review one booking: one of them does, and nothing of the others is stored.
func TestRaceForABooking(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.guest(t)
	h.Faults.Conflicts(time.Millisecond)
	patient := dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 200}}
	repos := []*reviews.Repository{open(h.Open(&patient)), open(h.Open(&patient))}
	var mu sync.Mutex
	var made []*reviews.Review
	racing.Together(16, func(i int) {
		mine := v
		mine.ID = fmt.Sprintf("rev_%d", i)
		review, err := repos[i%2].Create(context.Background(), mine)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			made = append(made, review)
			return
		}
		var failure *dynastay.Error
		if assert.ErrorIs(t, err, dynastay.ErrAlreadyExists) && errors.As(err, &failure) {
			assert.Equal(t, "BookingID", failure.Field)
		}
	})
	require.Len(t, made, 1)
	assert.Len(t, scan(t, h.DB, keys.ReviewsTable), 2)
	assertConsistent(t, h.DB)
}
