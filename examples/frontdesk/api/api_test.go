package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
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
	"github.com/dynastay/dynastay/examples/frontdesk/pay"
)

// A guest searches, looks at a hotel, books, pays, changes the dates and cancels.
func TestGuest(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	checkIn, checkOut := d.stay(5, 7)
	home := d.world.Hotel(0)
	found := ada.get(t, "/v1/hotels", "city", home.Address.City, "country", home.Address.Country, "checkIn", checkIn, "checkOut", checkOut)
	require.Equal(t, http.StatusOK, found.status, found.text)
	assert.Regexp(t, `^\d+ requests, [0-9.]+ read units?, 0 write units$`, found.header.Get("X-Cost"))

	hotelID, token := ada.offer(t, 5, 7)
	held := ada.book(t, token, "click-0001")
	require.Equal(t, http.StatusCreated, held.status, held.text)
	assert.Equal(t, "pending", held.at("status"))
	assert.NotNil(t, held.at("heldUntil"))
	assert.Equal(t, hotelID, held.at("hotelId"))
	id := held.at("id").(string)
	again := ada.book(t, token, "click-0001")
	assert.Equal(t, id, again.at("id"), "a click that is sent twice is one booking")

	path := "/v1/bookings/" + id
	paid := ada.send(t, http.MethodPost, path+"/payments", map[string]string{"method": "card"}, map[string]string{"Idempotency-Key": "click-0002"})
	require.Equal(t, http.StatusAccepted, paid.status, paid.text)
	assert.Equal(t, "pending", ada.get(t, path).at("status"), "the provider has not told yet")
	pay := func(key, method string) answer {
		return ada.send(t, http.MethodPost, path+"/payments", map[string]string{"method": method}, map[string]string{"Idempotency-Key": key})
	}
	assert.Equal(t, paid.body, pay("click-0002", "card").body, "the same click")
	assert.Equal(t, http.StatusUnprocessableEntity, pay("click-0002", "paypal").status)
	assert.Equal(t, http.StatusConflict, pay("click-0022", "card").status, "another tab, while the payment is on its way")
	assert.Equal(t, http.StatusConflict, ada.get(t, path+"/cancellation").status, "what is paid back is not known yet")
	assert.Equal(t, []int{http.StatusNoContent, http.StatusNoContent}, d.deliver(t), "twice")
	now := ada.get(t, path)
	assert.Equal(t, "confirmed", now.at("status"))
	assert.Equal(t, "paid", now.at("payment"))
	assert.Equal(t, http.StatusConflict, pay("click-0003", "card").status, "it has been paid")

	listed := ada.get(t, "/v1/bookings")
	assert.Equal(t, id, listed.at("bookings", 0, "id"))

	to, until := d.stay(5, 6)
	preview := ada.get(t, path+"/changes", "checkIn", to, "checkOut", until)
	require.Equal(t, http.StatusOK, preview.status, preview.text)
	changed := ada.send(t, http.MethodPost, path+"/changes", map[string]any{"offer": preview.at("offer")}, map[string]string{"Idempotency-Key": "click-0004"})
	require.Equal(t, http.StatusOK, changed.status, changed.text)
	assert.Equal(t, preview.at("total"), changed.at("total"))
	assert.Equal(t, until, changed.at("stay", "checkOut"))
	d.deliver(t)
	assert.Regexp(t, `^0(\.0+)?$`, ada.get(t, path+"/receipt").at("balance", "amount"), "what was paid too much is paid back")

	shown := ada.get(t, path+"/cancellation")
	require.Equal(t, http.StatusOK, shown.status, shown.text)
	old := ada.send(t, http.MethodPost, path+"/cancellation", map[string]any{"refund": shown.at("refund")}, map[string]string{"If-Match": now.header.Get("ETag")})
	assert.Equal(t, http.StatusPreconditionFailed, old.status, "the booking has changed since")
	other := map[string]any{"refund": map[string]string{"amount": "0.01", "currency": shown.at("refund", "currency").(string)}}
	refused := ada.send(t, http.MethodPost, path+"/cancellation", other, map[string]string{"If-Match": shown.header.Get("ETag")})
	assert.Equal(t, http.StatusConflict, refused.status, "another refund than the one that was shown")
	gone := ada.send(t, http.MethodPost, path+"/cancellation", map[string]any{"refund": shown.at("refund")}, map[string]string{"If-Match": shown.header.Get("ETag")})
	require.Equal(t, http.StatusOK, gone.status, gone.text)
	assert.Equal(t, "cancelled", gone.at("status"))
	for _, status := range d.deliver(t) {
		assert.Equal(t, http.StatusNoContent, status)
	}
	b, err := d.house.Bookings.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Contains(t, []bookings.PaymentStatus{bookings.PaymentRefunded, bookings.PaymentPartiallyRefunded}, b.PaymentStatus)
	receipt := ada.get(t, path+"/receipt")
	assert.Regexp(t, `^0(\.0+)?$`, receipt.at("balance", "amount"), "nobody owes anything")
}

// A payment that comes when the hold has ended, and the rooms are gone, is paid back.
func TestPaymentThatComesTooLate(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t, 5, 7)
	id := ada.book(t, token, "click-0001").at("id").(string)
	paid := ada.send(t, http.MethodPost, "/v1/bookings/"+id+"/payments", map[string]string{"method": "card"}, map[string]string{"Idempotency-Key": "click-0002"})
	require.Equal(t, http.StatusAccepted, paid.status)
	d.Clock.Advance(bookings.DefaultHoldGrace + 16*time.Minute)
	_, err := d.house.Bookings.ExpireHolds(t.Context())
	require.NoError(t, err)
	d.deliver(t) // of the payment
	d.deliver(t) // of the refund
	b, err := d.house.Bookings.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, bookings.Expired, b.Status)
	assert.Equal(t, bookings.PaymentRefunded, b.PaymentStatus)
}

// A declined card leaves the booking as it is, and another one may pay.
func TestDeclined(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t, 5, 7)
	path := "/v1/bookings/" + ada.book(t, token, "click-0001").at("id").(string)
	for i, method := range []string{"card_declined", "card"} {
		a := ada.send(t, http.MethodPost, path+"/payments", map[string]string{"method": method}, map[string]string{"Idempotency-Key": "pay-click-" + strconv.Itoa(i)})
		require.Equal(t, http.StatusAccepted, a.status)
		d.deliver(t)
		assert.Equal(t, []string{"pending", "confirmed"}[i], ada.get(t, path).at("status"))
	}
}

// If the answer to a booking was lost, and the offer has expired since, the same click still is that booking.
func TestBookAgainAfterTheOfferHasExpired(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t, 5, 7)
	id := ada.book(t, token, "click-0001").at("id")
	d.Clock.Advance(21 * time.Minute)
	assert.Equal(t, id, ada.book(t, token, "click-0001").at("id"))
	expired := ada.book(t, token, "click-0002")
	assert.Equal(t, http.StatusConflict, expired.status, expired.text)
	assert.Equal(t, "/problems/offer-expired", expired.at("type"))
}

// Who is erased has no session and no login any more.
func TestErasure(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	u, err := d.house.Users.ByEmail(t.Context(), "ada@example.com", dynastay.Consistent)
	require.NoError(t, err)
	_, err = d.house.Users.Erase(t.Context(), u.ID, d.house.Bookings.Eraser(bookings.RefuseUpcoming), d.house.Signins.Eraser())
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, ada.get(t, "/v1/bookings").status)
	a := ada.send(t, http.MethodPost, "/v1/session", map[string]string{"email": "ada@example.com", "password": "correct horse"}, nil)
	assert.Equal(t, http.StatusUnauthorized, a.status)
}

// Nobody sees or changes the booking of somebody else, and it does not even exist.
func TestBookingsOfOthers(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, eve := d.guest(t, "ada"), d.guest(t, "eve")
	_, token := ada.offer(t, 5, 7)
	held := ada.book(t, token, "click-0001")
	path := "/v1/bookings/" + held.at("id").(string)
	key := map[string]string{"Idempotency-Key": "click-0009", "If-Match": held.header.Get("ETag")}
	checkIn, checkOut := d.stay(5, 6)
	missing := eve.get(t, "/v1/bookings/bkg_none")
	for name, a := range map[string]answer{
		"get":     eve.get(t, path),
		"receipt": eve.get(t, path+"/receipt"),
		"refund":  eve.get(t, path+"/cancellation"),
		"cancel":  eve.send(t, http.MethodPost, path+"/cancellation", map[string]any{}, key),
		"pay":     eve.send(t, http.MethodPost, path+"/payments", map[string]string{"method": "card"}, key),
		"changes": eve.get(t, path+"/changes", "checkIn", checkIn, "checkOut", checkOut),
	} {
		assert.Equal(t, http.StatusNotFound, a.status, "%s: %s", name, a.text)
		assert.Equal(t, missing.at("type"), a.at("type"), name)
	}
	assert.Equal(t, http.StatusForbidden, eve.book(t, token, "click-0010").status, "the offer is Ada's")
	assert.Equal(t, "pending", ada.get(t, path).at("status"))
	nobody := d.browser(t)
	assert.Equal(t, http.StatusUnauthorized, nobody.get(t, path).status)
	assert.Equal(t, http.StatusUnauthorized, nobody.get(t, "/v1/bookings").status)
}

// Of two guests who want the last room at the same time, one gets it, and the other is told why not.
func TestLastRoom(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, eve := d.guest(t, "ada"), d.guest(t, "eve")
	hotelID, first := ada.offer(t, 5, 7)
	checkIn, checkOut := d.stay(5, 7)
	shown := eve.get(t, "/v1/hotels/"+hotelID, "checkIn", checkIn, "checkOut", checkOut)
	room := shown.at("offers", 0, "lines", 0, "roomTypeId").(string)
	checked, err := d.house.Nights.Check(t.Context(), hotelID, room, 1, dynastay.MustStay(checkIn, checkOut))
	require.NoError(t, err)
	for _, n := range checked.Nights { // one room is left
		_, err = d.house.Nights.Update(t.Context(), availability.UpdateRequest{PropertyID: hotelID, Changes: []availability.Change{{
			RoomTypeIDs: []string{room}, Dates: dynastay.Stay{CheckIn: n.Date, CheckOut: n.Date.AddDays(1)}, Rooms: aws.Int(n.Total - n.Available + 1),
		}}})
		require.NoError(t, err)
	}
	answers := make([]answer, 2)
	var both sync.WaitGroup
	for i, b := range []*browser{ada, eve} {
		token := []string{first, shown.at("offers", 0, "offer").(string)}[i]
		both.Go(func() { answers[i] = b.book(t, token, "click-0001") })
	}
	both.Wait()
	won, lost := answers[0], answers[1]
	if won.status != http.StatusCreated {
		won, lost = lost, won
	}
	assert.Equal(t, http.StatusCreated, won.status, won.text)
	assert.Equal(t, http.StatusConflict, lost.status, lost.text)
	assert.Equal(t, "sold_out", lost.at("nights", 0, "reason"))
}

// If the answer to a payment is lost, the provider tells again, and the booking has one payment.
func TestLostAnswerDuringPayment(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t, 5, 7)
	id := ada.book(t, token, "click-0001").at("id").(string)
	paid := ada.send(t, http.MethodPost, "/v1/bookings/"+id+"/payments", map[string]string{"method": "card"}, map[string]string{"Idempotency-Key": "click-0002"})
	require.Equal(t, http.StatusAccepted, paid.status)
	d.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	for _, status := range d.deliver(t) {
		assert.Equal(t, http.StatusNoContent, status)
	}
	history, err := d.house.Bookings.PaymentHistory(t.Context(), id)
	require.NoError(t, err)
	assert.Len(t, history.Payments, 1)
	assert.Equal(t, "confirmed", ada.get(t, "/v1/bookings/"+id).at("status"))
}

// What the provider has not signed is not believed.
func TestForgedNotices(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t, 5, 7)
	id := ada.book(t, token, "click-0001").at("id").(string)
	body, err := json.Marshal(pay.Notice{TransactionID: "tx_9", BookingID: id, Method: "card"})
	require.NoError(t, err)
	a := ada.send(t, http.MethodPost, "/v1/notices", json.RawMessage(body), map[string]string{"X-Signature": strings.Repeat("0", 64)})
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Equal(t, "pending", ada.get(t, "/v1/bookings/"+id).at("status"))
}

// A page of another site cannot make a browser change anything, although the browser would send its cookie.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada := d.guest(t, "ada")
	_, token := ada.offer(t, 5, 7)
	a := ada.send(t, http.MethodPost, "/v1/bookings", map[string]any{"offer": token, "guest": ada},
		map[string]string{"Idempotency-Key": "click-0001", "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})
	assert.Equal(t, http.StatusForbidden, a.status)
	u, err := url.Parse(d.http.URL)
	require.NoError(t, err)
	require.Len(t, ada.client.Jar.Cookies(u), 1)
	sessions := ada.send(t, http.MethodPost, "/v1/session", map[string]string{"email": "ada@example.com", "password": "correct horse"}, nil)
	cookie := sessions.header.Get("Set-Cookie")
	assert.Contains(t, cookie, "HttpOnly")
	assert.Contains(t, cookie, "SameSite=Lax")
}

// Whoever signs out is out, also if the cookie was copied; a wrong password says nothing about the account.
func TestSessions(t *testing.T) {
	t.Parallel()
	d := open(t)
	ada, copied := d.guest(t, "ada"), d.browser(t)
	u, err := url.Parse(d.http.URL)
	require.NoError(t, err)
	copied.client.Jar.SetCookies(u, ada.client.Jar.Cookies(u))
	assert.Equal(t, http.StatusOK, copied.get(t, "/v1/bookings").status)
	assert.Equal(t, http.StatusNoContent, ada.send(t, http.MethodDelete, "/v1/session", nil, nil).status)
	assert.Equal(t, http.StatusUnauthorized, copied.get(t, "/v1/bookings").status)
	wrong := ada.send(t, http.MethodPost, "/v1/session", map[string]string{"email": "ada@example.com", "password": "wrong horse"}, nil)
	unknown := ada.send(t, http.MethodPost, "/v1/session", map[string]string{"email": "nobody@example.com", "password": "wrong horse"}, nil)
	assert.Equal(t, http.StatusUnauthorized, wrong.status)
	assert.Equal(t, wrong.body, unknown.body)
	taken := ada.send(t, http.MethodPost, "/v1/accounts", map[string]string{"email": "ADA@example.com", "password": "correct horse", "firstName": "A", "lastName": "B"}, nil)
	assert.Equal(t, http.StatusConflict, taken.status)
	assert.Equal(t, "Email", taken.at("errors", 0, "location"))
}

// A hotel without dates has a tag: whoever has it is told that nothing has changed. Lists are read page by page, by their links.
func TestTagsAndLinks(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	hotel := d.world.Hotel(0)
	for h := range d.world.Hotels() {
		if h.ReviewCount > hotel.ReviewCount {
			hotel = h
		}
	}
	path := "/v1/hotels/" + hotel.ID
	first := b.get(t, path)
	require.Equal(t, http.StatusOK, first.status, first.text)
	assert.Equal(t, http.StatusNotModified, b.send(t, http.MethodGet, path, nil, map[string]string{"If-None-Match": first.header.Get("ETag")}).status)
	seen, n := map[string]bool{}, 0
	for next := path + "/reviews?limit=1"; next != ""; n++ {
		a := b.get(t, next)
		require.Equal(t, http.StatusOK, a.status, a.text)
		for _, r := range a.at("reviews").([]any) {
			seen[r.(map[string]any)["text"].(string)] = true
		}
		next, _, _ = strings.Cut(strings.TrimPrefix(a.header.Get("Link"), "<"), ">")
	}
	assert.Greater(t, n, 2)
	assert.Len(t, seen, hotel.ReviewCount)
	assert.Equal(t, http.StatusBadRequest, b.get(t, path+"/reviews", "after", "nonsense").status)
}
