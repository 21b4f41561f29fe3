package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

func thanks(id string) reviews.Response {
	return reviews.Response{ReviewID: id, ResponderID: "user_host", ResponderName: "Manager", Text: "Thank you"}
}

func TestResponse(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.approved(t, 90)
	given := thanks(v.ID)
	given.Version, given.CreatedAt, given.UpdatedAt = 7, noon.Add(1), noon.Add(2)
	want := thanks(v.ID)
	want.CreatedAt, want.UpdatedAt, want.Version = noon, noon, 1
	made, err := repo.Respond(t.Context(), given)
	require.NoError(t, err)
	assert.Equal(t, &want, made)
	got, err := repo.Get(t.Context(), v.ID)
	require.NoError(t, err)
	assert.Equal(t, &want, got.Response)
	got, err = repo.ByBooking(t.Context(), v.BookingID)
	require.NoError(t, err)
	assert.Equal(t, &want, got.Response)
	blame.Of(t, second(repo.Respond(t.Context(), given)), dynastay.ErrAlreadyExists, "")

	h.Clock.Advance(time.Minute)
	changed, err := repo.UpdateResponse(t.Context(), v.ID, func(r *reviews.Response) error {
		r.Text, r.ResponderID = "Thanks", "user_other"
		return nil
	}, dynastay.IfVersion(1))
	require.NoError(t, err)
	want.Text, want.ResponderID, want.UpdatedAt, want.Version = "Thanks", "user_other", noon.Add(time.Minute), 2
	assert.Equal(t, &want, changed)
	stored := partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+v.ID)[1]
	assert.Equal(t, []any{"USER#user_other", "RESPONSE#" + v.ID}, []any{stored["GSI2PK"], stored["GSI2SK"]})
	update := func(fn func(*reviews.Response), opts ...dynastay.UpdateOption) error {
		return second(repo.UpdateResponse(t.Context(), v.ID, func(r *reviews.Response) error { fn(r); return nil }, opts...))
	}
	assert.ErrorIs(t, update(func(r *reviews.Response) { r.Text = "x" }, dynastay.IfVersion(1)), dynastay.ErrVersion)
	blame.Of(t, update(func(r *reviews.Response) { r.Text = " " }), dynastay.ErrInvalid, "Text")
	blame.Of(t, update(func(r *reviews.Response) { r.ResponderID = "" }), dynastay.ErrInvalid, "ResponderID")
	blame.Of(t, update(func(r *reviews.Response) { r.Version = 5 }), dynastay.ErrInvalid, "Version")
	assert.ErrorIs(t, update(func(r *reviews.Response) { r.ReviewID = "rev_other" }), dynastay.ErrInvalid)

	// The response stays while the review is changed, and can be changed whatever the status of the review.
	got, err = repo.Update(t.Context(), v.ID, func(r *reviews.Review) error { r.Title = ""; return nil })
	require.NoError(t, err)
	assert.Nil(t, got.Response)
	require.NoError(t, update(func(r *reviews.Response) { r.Text = "Thanks again" }))
	assert.ErrorIs(t, repo.DeleteResponse(t.Context(), v.ID, dynastay.IfVersion(2)), dynastay.ErrVersion)
	require.NoError(t, repo.DeleteResponse(t.Context(), v.ID, dynastay.IfVersion(3)))
	assert.ErrorIs(t, repo.DeleteResponse(t.Context(), v.ID), dynastay.ErrNotFound)
	assert.ErrorIs(t, update(func(*reviews.Response) {}), dynastay.ErrNotFound)
	assertStatus(t, second(repo.Respond(t.Context(), thanks(v.ID))), reviews.Pending)
	got, err = repo.Get(t.Context(), v.ID)
	require.NoError(t, err)
	assert.Nil(t, got.Response)
	_, err = repo.Reject(t.Context(), v.ID, got.Version, "")
	require.NoError(t, err)
	assertStatus(t, second(repo.Respond(t.Context(), thanks(v.ID))), reviews.Rejected)
	err = second(repo.Respond(t.Context(), thanks("rev_none")))
	blame.Of(t, err, dynastay.ErrNotFound, "")
	assert.Empty(t, partition(t, h.DB, keys.ReviewsTable, "REVIEW#rev_none"))
}

// An update of a review cannot change what the booking determines, nor what the library and moderators decide.
func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.approved(t, 90)
	for field, change := range map[string]func(*reviews.Review){
		"BookingID": func(v *reviews.Review) { v.BookingID = "bkg_other" }, "UserID": func(v *reviews.Review) { v.UserID = "user_other" },
		"PropertyID": func(v *reviews.Review) { v.PropertyID = "prop_other" }, "StayDate": func(v *reviews.Review) { v.StayDate = dynastay.MustDate("2026-06-01") },
		"Response": func(v *reviews.Review) { v.Response = &reviews.Response{} }, "Status": func(v *reviews.Review) { v.Status = reviews.Pending },
		"RejectionReason": func(v *reviews.Review) { v.RejectionReason = "x" }, "Verified": func(v *reviews.Review) { v.Verified = false },
		"HelpfulCount": func(v *reviews.Review) { v.HelpfulCount++ }, "CreatedAt": func(v *reviews.Review) { v.CreatedAt = noon.Add(time.Hour) },
		"UpdatedAt": func(v *reviews.Review) { v.UpdatedAt = noon.Add(time.Hour) }, "Version": func(v *reviews.Review) { v.Version++ },
		"ID": func(v *reviews.Review) { v.ID = "rev_other" }, "Ratings.Overall": func(v *reviews.Review) { v.Ratings.Overall = 0 },
	} {
		err := second(repo.Update(t.Context(), v.ID, func(v *reviews.Review) error { change(v); return nil }))
		require.Error(t, err, field)
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	assert.Equal(t, assert.AnError, second(repo.Update(t.Context(), v.ID, func(*reviews.Review) error { return assert.AnError })))
	got, err := repo.Update(t.Context(), v.ID, func(*reviews.Review) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, v, got)
	h.assertRated(t, 90)
	assert.ErrorIs(t, second(repo.Update(t.Context(), "rev_none", func(*reviews.Review) error { return nil })), dynastay.ErrNotFound)
}

// A page of reviews has their responses with one request more. One that cannot be read does not hide the others.
func TestWithResponses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	var list []*reviews.Review
	for i := range 3 {
		h.Clock.Advance(time.Second)
		list = append(list, h.approved(t, 90))
		if i < 2 {
			list[i].Response, _ = repo.Respond(t.Context(), thanks(list[i].ID))
		}
	}
	loaded := dynastay.Load(repo.ByProperty(h.id), repo.WithResponses)
	requests := h.Faults.Record()
	page, err := loaded.Page(t.Context(), dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	assert.Len(t, requests(), 2)
	assert.Equal(t, []*reviews.Review{list[2], list[1]}, page.Items)
	page, err = loaded.Page(t.Context(), dynastay.Paging{Limit: 2, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, []*reviews.Review{list[0]}, page.Items)

	require.NoError(t, repo.DeleteResponse(t.Context(), list[0].ID))
	filled, err := repo.WithResponses(t.Context(), list) // they have responses that were read before
	require.NoError(t, err)
	assert.Nil(t, filled[0].Response)
	assert.NotNil(t, filled[1].Response)

	key := dynastay.Key{PK: "REVIEW#" + list[1].ID, SK: "RESPONSE"}
	raw.Update(t, h.DB, keys.ReviewsTable, key, "SET ResponseText = :n", dynastay.Item{":n": dynastay.Number(7)})
	filled, err = repo.WithResponses(t.Context(), list)
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	assert.Len(t, unreadable.Items, 1)
	assert.Len(t, filled, 3)
	assert.Nil(t, filled[1].Response)
	assert.ErrorIs(t, second(repo.Get(t.Context(), list[1].ID)), dynastay.ErrCorrupt)
	require.NoError(t, repo.Delete(t.Context(), list[1].ID), "what cannot be read can be deleted")

	many := make([]*reviews.Review, 101)
	for i := range many {
		many[i] = &reviews.Review{ID: fmt.Sprint("rev_", i)}
	}
	requests = h.Faults.Record()
	filled, err = repo.WithResponses(t.Context(), many)
	require.NoError(t, err)
	assert.Len(t, requests(), 2)
	assert.Equal(t, many, filled)
	filled, err = repo.WithResponses(t.Context(), []*reviews.Review{})
	require.NoError(t, err)
	assert.Empty(t, filled)
}

// A response and the deletion of its review, at every point where they can meet: nothing is left behind.
func TestResponseMeetsDelete(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	for _, way := range racing.Ways {
		for _, first := range []string{"respond", "update", "delete"} {
			v := h.approved(t, 90)
			if first == "update" {
				require.NoError(t, second(open(h.Direct).Respond(t.Context(), thanks(v.ID))))
			}
			respond := func(ctx context.Context, db *dynastay.DB) error {
				if first == "update" {
					return second(open(db).UpdateResponse(ctx, v.ID, func(r *reviews.Response) error { r.Text += "!"; return nil }))
				}
				return second(open(db).Respond(ctx, thanks(v.ID)))
			}
			remove := func(ctx context.Context, db *dynastay.DB) error { return open(db).Delete(ctx, v.ID) }
			one, other := respond, remove
			if first == "delete" {
				one, other = remove, respond
			}
			oneErr, otherErr := way.Meet(t, h.DB, one, other)
			responded, removed := oneErr, otherErr
			if first == "delete" {
				responded, removed = otherErr, oneErr
			}
			require.NoError(t, removed, "%s, %s first", way.Name, first)
			// If a write is lost, and the response is deleted, nothing shows whether it was ever written.
			unknown := strings.HasSuffix(way.Name, "lost") && errors.Is(responded, dynastay.ErrOutcomeUnknown)
			if responded != nil && !unknown {
				require.NotEmpty(t, whyRefused(responded), "%s, %s first: %v", way.Name, first, responded)
			}
			require.Empty(t, partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+v.ID), "%s, %s first", way.Name, first)
			require.Empty(t, partition(t, h.DB, keys.ReviewsTable, "BOOKING#"+v.BookingID))
		}
	}
	h.assertRated(t)
}
