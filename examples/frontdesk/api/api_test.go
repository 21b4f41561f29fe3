package api_test

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"

	"github.com/dynastay/dynastay/examples/frontdesk/client"
	"github.com/dynastay/dynastay/examples/frontdesk/desktest"
	"github.com/dynastay/dynastay/examples/frontdesk/pay"
)

const zero = `^0(\.0+)?$`

// A guest searches, looks at a hotel, books, pays, changes the dates and cancels.
func TestGuest(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, ctx := d.guest(t, "ada"), t.Context()
	home := d.World.Hotel(0).Address
	found := is[*client.SearchOutBodyHeaders](t)(ada.SearchHotels(ctx, client.SearchHotelsParams{
		City: home.City, Country: home.Country, CheckIn: d.day(from), CheckOut: d.day(to),
	}))
	assert.Regexp(t, `^\d+ requests, [0-9.]+ read units?, 0 write units$`, found.XCost.Value)

	hotelID, token := ada.offer(t)
	held := is[*client.BookingHeaders](t)(ada.book(t, token, "click-0001"))
	id, b := held.Response.ID, held.Response
	assert.Equal(t, "/v1/bookings/"+id, held.Location.Value)
	assert.Equal(t, client.BookingStatusPending, b.Status)
	assert.True(t, b.HeldUntil.Set)
	assert.Equal(t, hotelID, b.HotelID)
	again := is[*client.BookingHeaders](t)(ada.book(t, token, "click-0001"))
	assert.Equal(t, id, again.Response.ID, "a click that is sent twice is one booking")

	paid := is[*client.PayOutBodyHeaders](t)(ada.pay(t, id, client.PayInBodyMethodCard, "click-0002"))
	assert.Equal(t, client.BookingStatusPending, ada.booking(t, id).Response.Status, "the provider has not told yet")
	same := is[*client.PayOutBodyHeaders](t)(ada.pay(t, id, client.PayInBodyMethodCard, "click-0002"))
	assert.Equal(t, paid.Response, same.Response, "the same click")
	p := problem(t, http.StatusUnprocessableEntity)(ada.pay(t, id, client.PayInBodyMethodPaypal, "click-0002"))
	assert.Equal(t, "/problems/idempotency-key-reused", p.Type)
	problem(t, http.StatusConflict)(ada.pay(t, id, client.PayInBodyMethodCard, "click-0022"))               // another tab, while the payment is on its way
	problem(t, http.StatusConflict)(ada.PreviewCancellation(ctx, client.PreviewCancellationParams{ID: id})) // what is paid back is not known yet
	d.deliver(t, d.House.Provider)
	now := ada.booking(t, id)
	assert.Equal(t, client.BookingStatusConfirmed, now.Response.Status)
	assert.Equal(t, "paid", now.Response.Payment)
	problem(t, http.StatusConflict)(ada.pay(t, id, client.PayInBodyMethodCard, "click-0003")) // it has been paid

	preview := client.PreviewChangeParams{ID: id, CheckIn: d.day(from), CheckOut: d.day(to - 1)}
	offered := is[*client.ChangingOutBodyHeaders](t)(ada.PreviewChange(ctx, preview)).Response
	change := func(token, key string) (client.ChangeRes, error) {
		return ada.Change(ctx, &client.ChangeInBody{Offer: token}, client.ChangeParams{ID: id, IdempotencyKey: key})
	}
	changed := is[*client.BookingHeaders](t)(change(offered.Offer, "click-0004")).Response
	assert.Equal(t, offered.Total, changed.Total)
	assert.Equal(t, d.day(to-1), changed.Stay.CheckOut)
	d.deliver(t, d.House.Provider)
	assert.Regexp(t, zero, ada.toPay(t, id), "what was paid too much is paid back")
	problem(t, http.StatusPreconditionFailed)(change(offered.Offer, "click-0005")) // the booking has changed since

	shown := is[*client.CancellationHeaders](t)(ada.PreviewCancellation(ctx, client.PreviewCancellationParams{ID: id}))
	refund := shown.Response.Refund
	cancel := func(tag string, refund client.Money) (client.CancelRes, error) {
		return ada.Cancel(ctx, &client.CancelInBody{Refund: client.NewOptMoney(refund)}, client.CancelParams{ID: id, IfMatch: tag})
	}
	problem(t, http.StatusPreconditionFailed)(cancel(now.ETag.Value, refund)) // the booking has changed since
	problem(t, http.StatusConflict)(cancel(shown.ETag.Value, client.Money{Amount: "0.01", Currency: refund.Currency}))
	gone := is[*client.BookingHeaders](t)(cancel(shown.ETag.Value, refund)).Response
	assert.Equal(t, client.BookingStatusCancelled, gone.Status)
	problem(t, http.StatusConflict)(ada.PreviewChange(ctx, preview)) // it is cancelled
	d.deliver(t, d.House.Provider)
	assert.Contains(t, []string{"refunded", "partially_refunded"}, ada.booking(t, id).Response.Payment)
	assert.Regexp(t, zero, ada.toPay(t, id), "nobody owes anything")

	out := is[*client.SignOutNoContent](t)(ada.SignOut(ctx))
	assert.Negative(t, cookieOf(t, out.SetCookie).MaxAge)
}

// A payment that comes when the hold has ended, and the rooms are gone, is paid back.
func TestPaymentThatComesTooLate(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	id := ada.held(t)
	ada.paid(t, id, client.PayInBodyMethodCard)
	d.Clock.Advance(bookings.DefaultHoldGrace + 16*time.Minute)
	_, err := d.House.Bookings.ExpireHolds(t.Context())
	require.NoError(t, err)
	d.deliver(t, d.House.Provider) // of the payment
	d.deliver(t, d.House.Provider) // of the refund
	b := ada.booking(t, id).Response
	assert.Equal(t, client.BookingStatusExpired, b.Status)
	assert.Equal(t, "refunded", b.Payment)
}

// Who gives up a hold has nothing to pay, and nothing comes back.
func TestHoldGivenUp(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, ctx := d.guest(t, "ada"), t.Context()
	id := ada.held(t)
	total := ada.booking(t, id).Response.Total
	assert.Equal(t, total.Amount, ada.toPay(t, id))
	shown := is[*client.CancellationHeaders](t)(ada.PreviewCancellation(ctx, client.PreviewCancellationParams{ID: id}))
	agreed := &client.CancelInBody{Refund: client.NewOptMoney(shown.Response.Refund), Reason: client.NewOptString("another plan")}
	is[*client.BookingHeaders](t)(ada.Cancel(ctx, agreed, client.CancelParams{ID: id, IfMatch: shown.ETag.Value}))
	assert.Regexp(t, zero, ada.toPay(t, id))
	gone := client.ListBookingsParams{Show: client.NewOptListBookingsShow(client.ListBookingsShowCancelled)}
	assert.Len(t, is[*client.ListOutBodyHeaders](t)(ada.ListBookings(ctx, gone)).Response.Bookings, 1)
}

// A declined card leaves the booking as it is, and another one may pay.
func TestDeclined(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	id := ada.held(t)
	ada.paid(t, id, client.PayInBodyMethodCardDeclined)
	d.deliver(t, d.House.Provider)
	assert.Equal(t, client.BookingStatusPending, ada.booking(t, id).Response.Status)
	ada.paid(t, id, client.PayInBodyMethodCard)
	d.deliver(t, d.House.Provider)
	assert.Equal(t, client.BookingStatusConfirmed, ada.booking(t, id).Response.Status)
}

// If the answer to a booking was lost, and the offer has expired since, the same click still is that booking.
func TestBookAgainAfterTheOfferHasExpired(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t)
	id := is[*client.BookingHeaders](t)(ada.book(t, token, "click-0001")).Response.ID
	changing := client.PreviewChangeParams{ID: id, CheckIn: d.day(from), CheckOut: d.day(to - 1)}
	change := is[*client.ChangingOutBodyHeaders](t)(ada.PreviewChange(t.Context(), changing)).Response.Offer
	d.Clock.Advance(21 * time.Minute)
	assert.Equal(t, id, is[*client.BookingHeaders](t)(ada.book(t, token, "click-0001")).Response.ID)
	assert.Equal(t, "/problems/offer-expired", problem(t, http.StatusConflict)(ada.book(t, token, "click-0002")).Type)
	problem(t, http.StatusConflict)(ada.Change(t.Context(), &client.ChangeInBody{Offer: change}, client.ChangeParams{ID: id, IdempotencyKey: "click-0003"}))
}

// Who is erased has no session and no login any more.
func TestErasure(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	u, err := d.House.Users.ByEmail(t.Context(), "ada@example.com", dynastay.Consistent)
	require.NoError(t, err)
	_, err = d.House.Users.Erase(t.Context(), u.ID, d.House.Bookings.Eraser(bookings.RefuseUpcoming), d.House.Signins.Eraser())
	require.NoError(t, err)
	problem(t, http.StatusUnauthorized)(ada.ListBookings(t.Context(), client.ListBookingsParams{}))
	problem(t, http.StatusUnauthorized)(ada.signIn(t, "ada", password))
}

type call func() (any, error)

// about are requests about a booking.
func (b *browser) about(t testing.TB, id string) map[string]call {
	ctx, key, tag := t.Context(), "click-0009", `"1"`
	return map[string]call{
		"get":     func() (any, error) { return b.GetBooking(ctx, client.GetBookingParams{ID: id}) },
		"receipt": func() (any, error) { return b.GetReceipt(ctx, client.GetReceiptParams{ID: id}) },
		"refund":  func() (any, error) { return b.PreviewCancellation(ctx, client.PreviewCancellationParams{ID: id}) },
		"cancel": func() (any, error) {
			return b.Cancel(ctx, &client.CancelInBody{}, client.CancelParams{ID: id, IfMatch: tag})
		},
		"pay": func() (any, error) { return b.pay(t, id, client.PayInBodyMethodCard, key) },
		"changes": func() (any, error) {
			return b.PreviewChange(ctx, client.PreviewChangeParams{ID: id, CheckIn: b.day(from), CheckOut: b.day(to)})
		},
	}
}

// own are requests of one who has signed in.
func (b *browser) own(t testing.TB, token string) map[string]call {
	ctx, key := t.Context(), "click-0010"
	return map[string]call{
		"book":     func() (any, error) { return b.book(t, token, key) },
		"bookings": func() (any, error) { return b.ListBookings(ctx, client.ListBookingsParams{}) },
		"sign out": func() (any, error) { return b.SignOut(ctx) },
		"change": func() (any, error) {
			return b.Change(ctx, &client.ChangeInBody{Offer: token}, client.ChangeParams{ID: "bkg_none", IdempotencyKey: key})
		},
	}
}

// Nobody sees or changes the booking of somebody else, and it does not even exist.
func TestBookingsOfOthers(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, eve, nobody := d.guest(t, "ada"), d.guest(t, "eve"), d.browser(t)
	_, token := ada.offer(t)
	id := is[*client.BookingHeaders](t)(ada.book(t, token, "click-0001")).Response.ID
	missing := eve.about(t, "bkg_none")
	for name, call := range eve.about(t, id) {
		t.Log(name)
		assert.Equal(t, problem(t, http.StatusNotFound)(missing[name]()).Type, problem(t, http.StatusNotFound)(call()).Type)
	}
	own := eve.own(t, token)
	problem(t, http.StatusForbidden)(own["book"]()) // the offer is Ada's
	problem(t, http.StatusForbidden)(own["change"]())
	for _, calls := range []map[string]call{nobody.about(t, id), nobody.own(t, token)} {
		for name, call := range calls {
			t.Log(name)
			problem(t, http.StatusUnauthorized)(call())
		}
	}
	assert.Equal(t, client.BookingStatusPending, ada.booking(t, id).Response.Status)
}

// A page of another site cannot make a browser change anything, although the browser would send its cookie.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	cookie := cookieOf(t, is[*client.SessionOutBodyHeaders](t)(ada.signIn(t, "ada", password)).SetCookie)
	assert.True(t, cookie.HttpOnly)
	assert.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	_, token := ada.offer(t)
	ada.header = http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}
	calls := ada.about(t, "bkg_none")
	maps.Copy(calls, ada.own(t, token))
	for _, reads := range []string{"get", "receipt", "refund", "changes", "bookings"} {
		delete(calls, reads)
	}
	calls["sign up"] = func() (any, error) { return ada.SignUp(t.Context(), &client.AccountInBody{}) }
	calls["sign in"] = func() (any, error) { return ada.signIn(t, "ada", password) }
	calls["notice"] = func() (any, error) { return ada.notify(t, pay.Delivery{}) }
	for name, call := range calls {
		t.Log(name)
		assert.Equal(t, "/problems/other-site", problem(t, http.StatusForbidden)(call()).Type)
	}
}

// Of two guests who want the last room at the same time, one gets it, and the other is told why not.
func TestLastRoom(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, eve := d.guest(t, "ada"), d.guest(t, "eve")
	hotelID, first := ada.offer(t)
	second := eve.hotel(t, hotelID).Offers[0]
	room, today := second.Lines[0].RoomTypeID, d.World.Options().Today
	checked, err := d.House.Nights.Check(t.Context(), hotelID, room, 1, dynastay.Stay{CheckIn: today.AddDays(from), CheckOut: today.AddDays(to)})
	require.NoError(t, err)
	for _, n := range checked.Nights { // one room is left
		_, err = d.House.Nights.Update(t.Context(), availability.UpdateRequest{PropertyID: hotelID, Changes: []availability.Change{{
			RoomTypeIDs: []string{room}, Dates: dynastay.Stay{CheckIn: n.Date, CheckOut: n.Date.AddDays(1)}, Rooms: aws.Int(n.Total - n.Available + 1),
		}}})
		require.NoError(t, err)
	}
	answers, errs := make([]client.BookRes, 2), make([]error, 2)
	var both sync.WaitGroup
	both.Go(func() { answers[0], errs[0] = ada.book(t, first, "click-0001") })
	both.Go(func() { answers[1], errs[1] = eve.book(t, second.Offer, "click-0001") })
	both.Wait()
	won, lost := 0, 1
	if _, is := answers[won].(*client.BookingHeaders); !is {
		won, lost = lost, won
	}
	is[*client.BookingHeaders](t)(answers[won], errs[won])
	p := problem(t, http.StatusConflict)(answers[lost], errs[lost])
	require.NotEmpty(t, p.Nights)
	assert.Equal(t, "sold_out", p.Nights[0].Reason)
}

// If the answer to a payment is lost, the provider tells again, and the booking has one payment.
func TestLostAnswerDuringPayment(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	id := ada.held(t)
	ada.paid(t, id, client.PayInBodyMethodCard)
	d.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	d.deliver(t, d.House.Provider)
	history, err := d.House.Bookings.PaymentHistory(t.Context(), id)
	require.NoError(t, err)
	assert.Len(t, history.Payments, 1)
	assert.Equal(t, client.BookingStatusConfirmed, ada.booking(t, id).Response.Status)
}

// What nobody can help is a problem too: the client may try again.
func TestBusy(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Faults.Inject(dyntest.Throttle(), dyntest.When{})
	_, err := d.browser(t).GetHotel(t.Context(), client.GetHotelParams{ID: d.World.Hotel(0).ID})
	var busy *client.ProblemStatusCodeWithHeaders
	require.ErrorAs(t, err, &busy)
	assert.Equal(t, http.StatusServiceUnavailable, busy.StatusCode)
	assert.Equal(t, "/problems/busy", busy.Response.Type)
}

// What the provider has not signed is not believed, and what it signs about other services is refused.
func TestNotices(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	id := ada.held(t)
	forger, provider := pay.New([]byte("forged"), d.Now), pay.New(desktest.PayKey, d.Now)
	forger.Charge(pay.Charge{BookingID: id, Method: "card", Key: "1"})
	forged := forger.Take()[0]
	problem(t, http.StatusForbidden)(ada.notify(t, forged))
	problem(t, http.StatusUnprocessableEntity)(ada.notify(t, pay.Delivery{Body: forged.Body}))
	provider.Charge(pay.Charge{BookingID: "bkg_none", Method: "card", Key: "1", Amount: dynastay.MustMoney("1.00", "EUR")})
	problem(t, http.StatusNotFound)(ada.notify(t, provider.Take()[0]))
	provider.Refund("tx_none", id, "refund_1", dynastay.MustMoney("1.00", "EUR"))
	problem(t, http.StatusConflict)(ada.notify(t, provider.Take()[0]))
	assert.Equal(t, client.BookingStatusPending, ada.booking(t, id).Response.Status)
}

// Whoever signs out is out, also if the cookie was copied; a wrong password says nothing about the account.
func TestSessions(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, copied := d.guest(t, "ada"), d.browser(t)
	copied.token = ada.token
	is[*client.ListOutBodyHeaders](t)(copied.ListBookings(t.Context(), client.ListBookingsParams{}))
	is[*client.SignOutNoContent](t)(ada.SignOut(t.Context()))
	problem(t, http.StatusUnauthorized)(copied.ListBookings(t.Context(), client.ListBookingsParams{}))
	wrong := problem(t, http.StatusUnauthorized)(ada.signIn(t, "ada", "wrong horse"))
	assert.Equal(t, wrong, problem(t, http.StatusUnauthorized)(ada.signIn(t, "nobody", "wrong horse")))
	taken := client.AccountInBody{Email: "ADA@example.com", Password: password, FirstName: "A", LastName: "B"}
	p := problem(t, http.StatusConflict)(ada.SignUp(t.Context(), &taken))
	assert.Equal(t, []client.FieldError{{Location: "Email", Message: "is taken"}}, p.Errors)
}

// A hotel without dates has a tag: whoever has it is told that nothing has changed. Lists are read page by page, by their links.
func TestTagsAndLinks(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, ctx := d.guest(t, "ada"), t.Context()
	hotel := d.World.Hotel(0)
	for h := range d.World.Hotels() {
		if h.ReviewCount > hotel.ReviewCount {
			hotel = h
		}
	}
	problem(t, http.StatusNotFound)(ada.GetHotel(ctx, client.GetHotelParams{ID: "prop_none"}))
	tag := is[*client.HotelHeaders](t)(ada.GetHotel(ctx, client.GetHotelParams{ID: hotel.ID})).ETag
	same := is[*client.GetHotelNotModified](t)(ada.GetHotel(ctx, client.GetHotelParams{ID: hotel.ID, IfNoneMatch: tag}))
	assert.Equal(t, tag, same.ETag)

	one, seen := client.NewOptInt64(1), map[string]bool{}
	reviews := client.ListReviewsParams{ID: hotel.ID, Limit: one}
	for first := true; first || reviews.After.Set; first = false {
		page := is[*client.ReviewsOutBodyHeaders](t)(ada.ListReviews(ctx, reviews))
		for _, r := range page.Response.Reviews {
			seen[r.Text] = true
		}
		reviews.After = after(t, page.Link)
	}
	assert.Len(t, seen, hotel.ReviewCount)

	for _, key := range []string{"click-0001", "click-0002"} {
		_, token := ada.offer(t)
		is[*client.BookingHeaders](t)(ada.book(t, token, key))
	}
	first := is[*client.ListOutBodyHeaders](t)(ada.ListBookings(ctx, client.ListBookingsParams{Limit: one}))
	second := is[*client.ListOutBodyHeaders](t)(ada.ListBookings(ctx, client.ListBookingsParams{Limit: one, After: after(t, first.Link)}))
	require.Len(t, second.Response.Bookings, 1)
	assert.NotEqual(t, first.Response.Bookings, second.Response.Bookings)
}

// What is wrong with a request is said with the fields, whether the description or a repository knows it.
func TestInvalid(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, ctx := d.guest(t, "ada"), t.Context()
	hotelID, token := ada.offer(t)
	b := is[*client.BookingHeaders](t)(ada.book(t, token, "click-0001"))
	id, home := b.Response.ID, d.World.Hotel(0).Address
	nonsense, none := client.NewOptString("nonsense"), client.NewOptInt64(0)
	arrival, departure, never := d.day(to), d.day(from), time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)
	bad := func(answer any, err error) { // whatever the description says is met
		t.Helper()
		assert.Contains(t, []string{"/problems/invalid", "/problems/cursor"}, problem(t, http.StatusBadRequest)(answer, err).Type)
	}
	unprocessable := func(answer any, err error) { // that is not met
		t.Helper()
		p := problem(t, http.StatusUnprocessableEntity)(answer, err)
		assert.Equal(t, "/problems/invalid", p.Type)
		require.NotEmpty(t, p.Errors)
		assert.Regexp(t, `^(body|query|header)\.`, p.Errors[0].Location)
	}

	find := client.SearchHotelsParams{City: home.City, Country: home.Country, CheckIn: arrival, CheckOut: departure}
	bad(ada.SearchHotels(ctx, find))
	find.Adults = none
	unprocessable(ada.SearchHotels(ctx, find))
	bad(ada.GetHotel(ctx, client.GetHotelParams{ID: hotelID, CheckIn: client.NewOptDate(arrival), CheckOut: client.NewOptDate(departure)}))
	unprocessable(ada.GetHotel(ctx, client.GetHotelParams{ID: hotelID, Adults: none}))
	bad(ada.ListReviews(ctx, client.ListReviewsParams{ID: hotelID, After: nonsense}))
	unprocessable(ada.ListReviews(ctx, client.ListReviewsParams{ID: hotelID, Limit: none}))

	who := client.AccountInBody{Email: "eve@example.com", FirstName: "Eve", LastName: "Byron", Password: strings.Repeat("é", 40)} // 80 bytes
	bad(ada.SignUp(ctx, &who))
	who.Password = "short"
	unprocessable(ada.SignUp(ctx, &who))
	unprocessable(ada.signIn(t, "ada", strings.Repeat("x", 73)))

	bad(ada.book(t, "nonsense", "click-0002"))
	unprocessable(ada.book(t, token, "short"))
	bad(ada.ListBookings(ctx, client.ListBookingsParams{After: nonsense}))
	unprocessable(ada.ListBookings(ctx, client.ListBookingsParams{Limit: none}))
	for name, call := range ada.about(t, "no#id") {
		t.Log(name)
		bad(call())
	}
	unprocessable(ada.pay(t, id, "seashells", "click-0002"))
	bad(ada.Cancel(ctx, &client.CancelInBody{}, client.CancelParams{ID: id, IfMatch: "nonsense"}))
	much := client.NewOptMoney(client.Money{Amount: "much", Currency: "EUR"})
	unprocessable(ada.Cancel(ctx, &client.CancelInBody{Refund: much}, client.CancelParams{ID: id, IfMatch: b.ETag.Value}))
	bad(ada.PreviewChange(ctx, client.PreviewChangeParams{ID: id, CheckIn: arrival, CheckOut: departure}))
	unprocessable(ada.PreviewChange(ctx, client.PreviewChangeParams{ID: id, CheckIn: arrival, CheckOut: never}))
	bad(ada.Change(ctx, &client.ChangeInBody{Offer: token}, client.ChangeParams{ID: id, IdempotencyKey: "click-0003"}))
	unprocessable(ada.Change(ctx, &client.ChangeInBody{Offer: token}, client.ChangeParams{ID: id, IdempotencyKey: "short"}))
}
