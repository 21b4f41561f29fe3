package users_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
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
	dynaslog "github.com/dynastay/dynastay/observe/slog"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// arrivalDay is in the evening of a day, at the hotel, on which guests arrive.
var arrivalDay = time.Date(2026, 7, 10, 20, 0, 0, 0, time.UTC)

// platform is a platform that uses all repositories.
type platform struct {
	*dyntest.DB
	log        *bytes.Buffer
	hotel      fixture.Hotel
	users      *users.Repository
	bookings   *bookings.Repository
	properties *properties.Repository
	reviews    *reviews.Repository
}

func (p *platform) open(db *dynastay.DB) *platform {
	hosts := properties.New(db, nil)
	return &platform{p.DB, p.log, p.hotel, users.New(db, nil), bookings.New(db, nil), hosts, reviews.New(db, hosts, nil)}
}

func (p *platform) erase(ctx context.Context, userID string) (*users.Erasure, error) {
	return p.users.Erase(ctx, userID, p.bookings.Eraser(bookings.CancelUpcoming), p.properties.Eraser(), p.reviews.Eraser())
}

// guest is what must not be found any more.
type guest struct{ id, first, last, email, phone string }

func (g guest) traces() []string { return []string{g.first, g.last, g.email, g.phone} }

// book creates a booking of one night for a person.
func (p *platform) book(t *testing.T, who guest) *bookings.Booking {
	t.Helper()
	stay := dynastay.MustStay("2026-07-10", "2026-07-11")
	req := fixture.Request(p.hotel.Quote(t, p.Direct, stay, 1))
	req.UserID, req.SpecialRequests = who.id, "A cake for "+who.first
	req.Guest = bookings.Guest{FirstName: who.first, LastName: who.last, Email: who.email, Phone: who.phone, Country: "LVA"}
	b, err := p.bookings.Create(t.Context(), req)
	require.NoError(t, err)
	_, err = p.bookings.RecordPayment(t.Context(), bookings.Payment{
		BookingID: b.ID, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: b.Total,
		Status: bookings.PaymentPaid, Card: bookings.Card{Brand: "visa " + who.last, Last4: "4242"},
	})
	require.NoError(t, err)
	return b
}

// stay creates a booking, leads it to its end, and reviews it.
func (p *platform) stay(t *testing.T, who guest) *reviews.Review {
	t.Helper()
	b := p.book(t, who)
	_, err := p.bookings.CheckIn(t.Context(), b.ID, bookings.Assigned{p.hotel.RoomTypeID: {"101"}})
	require.NoError(t, err)
	_, err = p.bookings.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	review, err := p.reviews.Create(t.Context(), reviews.Review{
		BookingID: b.ID, UserID: who.id, PropertyID: p.hotel.ID, Ratings: reviews.Ratings{Overall: 73},
		Title: who.first + "'s stay", Text: "I am " + who.last, GuestName: who.first + " " + who.last[:1] + ".",
	})
	require.NoError(t, err)
	review, err = p.reviews.Approve(t.Context(), review.ID, review.Version)
	require.NoError(t, err)
	return review
}

// live stores everything that a person can leave on the platform. host is the review of another person.
func (p *platform) live(t *testing.T, who guest, host *reviews.Review) {
	t.Helper()
	ctx := t.Context()
	_, err := p.users.Create(ctx, users.User{
		ID: who.id, Email: who.email, FirstName: who.first, LastName: who.last, Phone: who.phone, Role: users.Customer,
		PhotoURL: "https://cdn.example.com/" + who.email,
	})
	require.NoError(t, err)
	_, err = p.users.Earn(ctx, users.Movement{UserID: who.id, ReasonID: "welcome", Points: 100, Note: "for " + who.first})
	require.NoError(t, err)
	_, err = p.users.UpdatePreferences(ctx, who.id, setting("call me", who.first))
	require.NoError(t, err)
	_, err = p.users.CreateWishlist(ctx, users.Wishlist{UserID: who.id, Name: who.last + " family"})
	require.NoError(t, err)

	review := p.stay(t, who)
	_, err = p.reviews.Respond(ctx, reviews.Response{ReviewID: review.ID, ResponderID: "user_host", Text: "Dear " + who.first})
	require.NoError(t, err)
	require.NoError(t, p.reviews.Vote(ctx, review.ID, host.UserID))
	require.NoError(t, p.reviews.Vote(ctx, host.ID, who.id))
	_, err = p.reviews.Respond(ctx, reviews.Response{ReviewID: host.ID, ResponderID: who.id, ResponderName: who.first, Text: "Yours, " + who.last})
	require.NoError(t, err)

	cancelled := p.book(t, who)
	_, err = p.bookings.Cancel(ctx, cancelled.ID, who.phone, []bookings.Refund{{ID: "re_1", Amount: cancelled.Total, Reason: who.email}})
	require.NoError(t, err)
	p.book(t, who)
}

// stored returns all items of all tables as text, in lower case.
func (p *platform) stored(t *testing.T) (all []string) {
	t.Helper()
	for _, plain := range raw.Plains(t, raw.All(t, p.DB, keys.Tables()...)) {
		text, err := json.Marshal(plain)
		require.NoError(t, err)
		all = append(all, strings.ToLower(string(text)))
	}
	return all
}

// assertNoTrace reads everything and finds nothing of a person but the user id of the tombstone. The log has not even that.
func (p *platform) assertNoTrace(t *testing.T, who guest, about string) {
	t.Helper()
	tombstones := 0
	for _, item := range p.stored(t) {
		for _, trace := range who.traces() {
			assert.NotContains(t, item, strings.ToLower(trace), about)
		}
		if strings.Contains(item, strings.ToLower(who.id)) {
			assert.Contains(t, item, `"sk":"erased"`, about)
			tombstones++
		}
	}
	assert.Equal(t, 1, tombstones, about)

	log := strings.ToLower(p.log.String())
	assert.Contains(t, log, "operation=users.erase", about)
	for _, trace := range append(who.traces(), who.id) {
		assert.NotContains(t, log, strings.ToLower(trace), about)
	}
}

// logging returns an observer that writes a line for each operation of the platform.
func (p *platform) logging() dynastay.Observer {
	return dynaslog.New(slog.New(slog.NewTextHandler(p.log, nil)), &dynaslog.Options{Slow: 1, Answers: true})
}

func newPlatform(t *testing.T) (*platform, *reviews.Review) {
	t.Helper()
	p := &platform{DB: dyntest.New(t, dyntest.At(fixture.Now)), log: new(bytes.Buffer)}
	p.hotel = fixture.New(t, p.Direct, 1000)
	p.Clock.Set(arrivalDay)
	p = p.open(p.Open(&dynastay.Options{Clock: p.Clock.Now, IndexLag: time.Millisecond, Observer: p.logging()}))
	return p, p.stay(t, guest{"user_other", "Otto", "Other", "otto@example.com", "+37120000000"})
}

// Nothing of a person remains in any table. What belongs to others, and what accounting needs, does.
func TestEraseLeavesNoTrace(t *testing.T) {
	t.Parallel()
	p, other := newPlatform(t)
	free := p.hotel.Left(t, p.Direct, dynastay.MustStay("2026-07-10", "2026-07-11"))[0]
	who := guest{"user_1", "Ximena", "Quartz", "ximena@quartz.example", "+3712-555-1234"}
	p.live(t, who, other)
	all := p.bookings.ByUser(who.id)
	page, err := all.Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 3)
	rated, err := p.properties.Get(t.Context(), p.hotel.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, properties.RatingTotals{Reviews: 2, Tenths: 146}, rated.Totals())

	got, err := p.erase(t.Context(), who.id)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{
		"profiles deleted": 1, "loyalty accounts deleted": 1, "loyalty entries deleted": 1, "preferences deleted": 1,
		"wishlists deleted": 1, "bookings cancelled": 1, "bookings anonymised": 3, "reviews deleted": 1, "votes deleted": 1,
		"responses deleted": 1,
	}, got.Done)
	p.assertNoTrace(t, who, "erased")

	rated, err = p.properties.Get(t.Context(), p.hotel.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, properties.RatingTotals{Reviews: 1, Tenths: 73}, rated.Totals())
	review, err := p.reviews.Get(t.Context(), other.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Zero(t, review.HelpfulCount)
	assert.Nil(t, review.Response)
	for _, before := range page.Items {
		b, err := p.bookings.Get(t.Context(), before.ID, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, before.Total, b.Total)
		assert.Equal(t, before.Stay, b.Stay)
		paid, err := p.bookings.Payment(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, before.Total, paid.Paid)
	}
	assert.Equal(t, free-1, p.hotel.Left(t, p.Direct, dynastay.MustStay("2026-07-10", "2026-07-11"))[0], "the one night that was stayed")
}

var breaks = flag.Int("breaks", 4, "how many of the requests of an erasure to break off, for each fault; -1 for all")

// An erasure is broken off at a request that is carried out or not, and repeated: with the flag -breaks=-1, at every
// request. That leaves no trace, and nobody else loses anything.
func TestEraseLeavesNoTraceWhenItIsRepeated(t *testing.T) {
	t.Parallel()
	p, other := newPlatform(t)
	fragile := p.open(p.Open(&dynastay.Options{
		Clock: p.Clock.Now, IndexLag: time.Millisecond, Settle: time.Millisecond, Retry: dynastay.Retry{Attempts: 1}, Parallel: 1,
		Observer: p.logging(),
	}))
	type interrupted struct{}
	ctx := context.WithValue(t.Context(), interrupted{}, true)
	ofErasure := func(r dyntest.Request) bool { return r.Context.Value(interrupted{}) != nil }
	newcomer := func() guest {
		who := guest{p.Direct.NewID("user_"), "Ximena", "Quartz", "ximena@quartz.example", "+3712-555-1234"}
		p.live(t, who, other)
		return who
	}
	_, err := fragile.erase(ctx, "user_nobody") // its first call checks the form of the addresses in keys
	require.NoError(t, err)
	who := newcomer()
	stop := p.Faults.Record()
	_, err = fragile.erase(ctx, who.id)
	require.NoError(t, err)
	requests := len(stop())
	require.Greater(t, requests, 40)

	for name, fault := range map[string]dyntest.Fault{"lost response": dyntest.LoseAnswer(), "lost request": dyntest.LoseRequest()} {
		failed, at := 0, rand.Perm(requests)
		if *breaks >= 0 {
			at = at[:*breaks]
		}
		for _, n := range at {
			about := fmt.Sprintf("%s of request %d of %d", name, n+1, requests)
			who := newcomer()
			broken := p.Faults.Inject(fault, dyntest.When{Nth: n + 1, EveryAttempt: true, Match: ofErasure, Optional: true})
			if _, err := fragile.erase(ctx, who.id); err != nil { // a write may find out that it was carried out
				failed++
			}
			broken.Stop()
			_, err := p.erase(t.Context(), who.id)
			require.NoError(t, err, about)
			p.assertNoTrace(t, who, about)
			rated, err := p.properties.Get(t.Context(), p.hotel.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, properties.RatingTotals{Reviews: 1, Tenths: 73}, rated.Totals(), about)
			review, err := p.reviews.Get(t.Context(), other.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Zero(t, review.HelpfulCount, about)
			require.False(t, t.Failed(), about)
		}
		if len(at) == requests {
			assert.Greater(t, failed, requests/3, name)
		}
	}
}
