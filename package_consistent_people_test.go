package dynastay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// people is a platform with a user and reviews of the stays of that user.
type people struct {
	*dyntest.DB
	hotel   fixture.Hotel
	users   *users.Repository
	reviews *reviews.Repository
	draft   reviews.Review
	list    []*reviews.Review
	stays   int
}

// stayed stores a completed booking of the user, as far as a review needs it, and returns a review of it.
func (p *people) stayed(t *testing.T) reviews.Review {
	t.Helper()
	p.stays++
	id := "bkg_" + string(rune('a'+p.stays))
	raw.Put(t, p.DB, keys.BookingsTable, dynastay.Item{
		"PK": dynastay.Text("BOOKING#" + id), "SK": dynastay.Text("METADATA"), "Status": dynastay.Text("completed"),
		"UserId": dynastay.Text("user_1"), "PropertyId": dynastay.Text(p.hotel.ID),
	})
	return reviews.Review{BookingID: id, UserID: "user_1", PropertyID: p.hotel.ID, Ratings: reviews.Ratings{Overall: 92}}
}

// newPeople creates reviews, of which the first half is approved.
func newPeople(t *testing.T, n int) *people {
	t.Helper()
	ctx := t.Context()
	p := &people{DB: dyntest.New(t, dyntest.At(fixture.Now))}
	p.hotel = fixture.New(t, p.Direct, 1)
	short := p.Open(&dynastay.Options{Clock: p.Clock.Now, IndexLag: time.Millisecond})
	p.users, p.reviews = users.New(short, nil), reviews.New(short, properties.New(short, nil), nil)
	_, err := p.users.Create(ctx, users.User{
		ID: "user_1", Email: "john@example.com", Phone: "+37120000000", FirstName: "John", LastName: "Doe", Role: users.Customer,
	})
	require.NoError(t, err)
	for _, reason := range []string{"a", "b"} {
		_, err = p.users.Earn(ctx, users.Movement{UserID: "user_1", ReasonID: reason, Points: 100})
		require.NoError(t, err)
	}
	_, err = p.users.CreateWishlist(ctx, users.Wishlist{ID: "wl_1", UserID: "user_1", Name: "Summer", Public: true, PropertyIDs: []string{"prop_1"}})
	require.NoError(t, err)
	_, err = p.users.UpdatePreferences(ctx, "user_1", prefer("a", "b"))
	require.NoError(t, err)
	for i := range n {
		review, err := p.reviews.Create(ctx, p.stayed(t))
		require.NoError(t, err)
		if i < n/2 {
			review, err = p.reviews.Approve(ctx, review.ID, review.Version)
			require.NoError(t, err)
		}
		p.list = append(p.list, review)
	}
	p.draft = p.stayed(t)
	return p
}

func prefer(name, value string) func(*users.Preferences) error {
	return func(p *users.Preferences) error {
		p.Values[name] = value
		return nil
	}
}

// What decides a write of a user or a review is read consistently, and so is its result if the call is repeated.
func TestPeopleAreReadConsistently(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := newPeople(t, 8)
	respond := reviews.Response{ReviewID: p.list[0].ID, ResponderID: "user_host", Text: "Thank you"}
	for _, call := range []struct {
		name         string
		first, again int // reads
		op           func() dynastay.Part
	}{
		{"users.Update", 1, 2, func() dynastay.Part {
			return p.users.UpdateOp("user_1", func(u *users.User) error { u.Country = "LVA"; return nil }, dynastay.AgreedOn("LVA"))
		}},
		{"users.ReplaceEmail", 1, 2, func() dynastay.Part { return p.users.ReplaceEmailOp("user_1", "john@example.com", "doe@example.com") }},
		{"users.VerifyPhone", 1, 2, func() dynastay.Part { return p.users.VerifyPhoneOp("user_1", "+37120000000") }},
		{"users.UpdatePreferences", 1, 2, func() dynastay.Part {
			return p.users.UpdatePreferencesOp("user_1", prefer("c", "d"), dynastay.AgreedOn("d"))
		}},
		{"users.Earn", 1, 2, func() dynastay.Part {
			return p.users.EarnOp(users.Movement{UserID: "user_1", ReasonID: "c", Points: 1})
		}},
		{"users.Redeem", 1, 2, func() dynastay.Part {
			return p.users.RedeemOp(users.Movement{UserID: "user_1", ReasonID: "d", Points: 1})
		}},
		{"users.Reverse", 1, 2, func() dynastay.Part { return p.users.ReverseOp("user_1", "b") }},
		{"wishlists.Create", 0, 1, func() dynastay.Part {
			return p.users.CreateWishlistOp(users.Wishlist{UserID: "user_1", Name: "Winter"})
		}},
		{"wishlists.Update", 1, 2, func() dynastay.Part {
			return p.users.UpdateWishlistOp("user_1", "wl_1", func(w *users.Wishlist) error { w.Name = "Autumn"; return nil }, dynastay.AgreedOn(""))
		}},
		{"wishlists.Add", 1, 2, func() dynastay.Part { return p.users.AddToWishlistOp("user_1", "wl_1", "prop_2") }},
		{"wishlists.Remove", 1, 2, func() dynastay.Part { return p.users.RemoveFromWishlistOp("user_1", "wl_1", "prop_1") }},
		{"reviews.Create", 0, 1, func() dynastay.Part { return p.reviews.CreateOp(p.draft) }},
		{"reviews.Approve", 2, 2, func() dynastay.Part { return p.reviews.ApproveOp(p.list[4].ID, p.list[4].Version) }},
		{"reviews.Reject, pending", 1, 2, func() dynastay.Part { return p.reviews.RejectOp(p.list[5].ID, p.list[5].Version, "") }},
		{"reviews.Reject, approved", 2, 2, func() dynastay.Part { return p.reviews.RejectOp(p.list[1].ID, p.list[1].Version, "") }},
		{"reviews.Update, approved", 2, 2, func() dynastay.Part {
			return p.reviews.UpdateOp(p.list[2].ID, func(r *reviews.Review) error { r.Title = "Nice"; return nil }, dynastay.AgreedOn("Nice"))
		}},
		{"reviews.Respond", 0, 1, func() dynastay.Part { return p.reviews.RespondOp(respond) }},
		{"reviews.UpdateResponse", 1, 2, func() dynastay.Part {
			return p.reviews.UpdateResponseOp(respond.ReviewID, func(r *reviews.Response) error { r.Text = "Thanks"; return nil }, dynastay.AgreedOn(""))
		}},
	} {
		key := dynastay.IdempotencyKey(call.name)
		stop := p.Faults.Record()
		require.NoError(t, p.Write(ctx, call.op(), key), call.name)
		assert.Equal(t, slices.Repeat([]bool{true}, call.first), append([]bool{}, tableReads(t, stop())...), call.name)
		stop = p.Faults.Record()
		require.NoError(t, p.Write(ctx, call.op(), key), "%s again", call.name)
		sent := tableReads(t, stop())
		assert.NotContains(t, sent, false, "%s again", call.name)
		assert.GreaterOrEqual(t, len(sent), call.again, "%s again", call.name)
	}
	for _, step := range []struct {
		name string
		call func() error
	}{
		{"reviews.Delete", func() error { return p.reviews.Delete(ctx, p.list[3].ID) }},
		{"reviews.RepairRating", func() error { return second(p.reviews.RepairRating(ctx, p.hotel.ID)) }},
		{"users.Erase", func() error {
			return second(p.users.Erase(ctx, "user_1", bookings.New(p.Direct, nil).Eraser(bookings.RefuseUpcoming), p.reviews.Eraser()))
		}},
	} {
		stop := p.Faults.Record()
		require.NoError(t, step.call(), step.name)
		reads := tableReads(t, stop())
		assert.Contains(t, reads, true, step.name)
		assert.NotContains(t, reads, false, step.name)
	}
}

// Whatever reads a user or a review from a table can be asked to read it consistently.
func TestConsistentIsHonouredForPeople(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := newPeople(t, 2)
	for name, read := range map[string]func(opts ...dynastay.ReadOption) error{
		"users.Preferences":  func(o ...dynastay.ReadOption) error { return second(p.users.Preferences(ctx, "user_1", o...)) },
		"users.Loyalty":      func(o ...dynastay.ReadOption) error { return second(p.users.Loyalty(ctx, "user_1", o...)) },
		"users.LoyaltyEntry": func(o ...dynastay.ReadOption) error { return second(p.users.LoyaltyEntry(ctx, "user_1", "a", o...)) },
		"users.ErasedAt":     func(o ...dynastay.ReadOption) error { return second(p.users.ErasedAt(ctx, "user_1", o...)) },
		"users.Wishlist":     func(o ...dynastay.ReadOption) error { return second(p.users.Wishlist(ctx, "user_1", "wl_1", o...)) },
		"users.PublicWishlist": func(o ...dynastay.ReadOption) error {
			return second(p.users.PublicWishlist(ctx, "user_1", "wl_1", o...))
		},
		"reviews.Get": func(o ...dynastay.ReadOption) error { return second(p.reviews.Get(ctx, p.list[0].ID, o...)) },
		"reviews.ByBooking": func(o ...dynastay.ReadOption) error {
			return second(p.reviews.ByBooking(ctx, p.list[0].BookingID, o...))
		},
		"reviews.Voted": func(o ...dynastay.ReadOption) error {
			return second(p.reviews.Voted(ctx, "user_2", []string{p.list[0].ID}, o...))
		},
	} {
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			stop := p.Faults.Record()
			require.NoError(t, read(opts...), name)
			sent := stop()
			require.NotEmpty(t, sent)
			for _, consistent := range tableReads(t, sent) {
				assert.Equal(t, opts != nil, consistent, name)
			}
			if opts != nil {
				assert.Len(t, tableReads(t, sent), len(sent), "%s: an index cannot be read consistently", name)
			}
		}
	}
}
