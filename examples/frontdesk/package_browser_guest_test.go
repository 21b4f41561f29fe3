package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// hotel returns a hotel with rooms one by one, nights for sale, and terms for cancellations.
func (w *town) hotel(t *testing.T) string {
	t.Helper()
	for h := range w.World.Hotels() {
		if len(h.Units) > 0 && len(h.Nights) > 0 && h.CancellationPolicy != "" {
			return h.ID
		}
	}
	require.Fail(t, "the world has no hotel with a desk")
	return ""
}

// stay is the query of a stay that begins so many days from now.
func (w *town) stay(from, nights int) string {
	first := dynastay.DateOf(w.DB.Now(), nil).AddDays(from)
	return "?adults=2&rooms=1&checkIn=" + first.String() + "&checkOut=" + first.AddDays(nights).String()
}

// hold holds the first offer of a hotel.
func (b *tab) hold(w *town, hotelID string, from, nights int) {
	b.t.Helper()
	b.open("/hotels/" + hotelID + w.stay(from, nights))
	b.fill("First name", "Ada")
	b.fill("Last name", "Byron")
	b.fill("Email", "ada@example.com")
	b.press("Hold for 15 minutes")
}

// TestBrowserGuest is the whole way of a guest, from the search to the cancellation.
func TestBrowserGuest(t *testing.T) {
	t.Parallel()
	b, w := chromium(t), openTown(t)
	ada := w.tab(t, b)
	ada.open("/sign-in")
	ada.examine("sign in")
	ada.signUp("Ada")
	ada.open("/")
	ada.examine("search")
	hotel := w.hotel(t)
	for h := range w.World.Hotels() {
		if h.ID == hotel {
			ada.fill("Where", h.Address.City+", "+h.Address.Country)
		}
	}
	ada.press("Search")
	ada.sees("for 2 nights")
	ada.examine("found")
	ada.open("/hotels/" + hotel + w.stay(7, 2))
	ada.sees("What the price is made of")
	ada.examine("hotel")
	ada.hold(w, hotel, 7, 2)
	ada.sees("left") // the time of the hold runs
	ada.examine("hold")

	ada.fill("Pay", "card_declined")
	ada.press("Pay")
	ada.open("/bookings")
	ada.sees("pending")
	ada.press(w.nameOf(hotel))
	ada.fill("Pay", "card")
	ada.press("Pay")
	ada.sees("Statusconfirmed") // the page of the payment becomes that of the booking by itself
	ada.examine("booking")

	ada.press("Change the dates")
	next := dynastay.DateOf(w.DB.Now(), nil).AddDays(8)
	ada.fill("Arrival", next.String())
	ada.fill("Departure", next.AddDays(2).String())
	ada.press("Show the price")
	ada.sees("The booking would cost")
	ada.examine("change")
	ada.press("Change the dates")
	ada.sees(next.String())
	ada.press("Cancel")
	ada.sees("is paid back")
	ada.examine("cancel")
	ada.press("Cancel the booking")
	ada.sees("cancelled")
	ada.sees("What the click before cost at DynamoDB")
	ada.open("/bookings?show=cancelled")
	ada.sees(w.nameOf(hotel))
	ada.examine("bookings")
}

func (w *town) nameOf(hotelID string) string {
	for h := range w.World.Hotels() {
		if h.ID == hotelID {
			return h.Name
		}
	}
	return ""
}

// TestBrowserLostAnswer loses the answer to a payment: whoever presses the button again has paid once.
func TestBrowserLostAnswer(t *testing.T) {
	t.Parallel()
	b, w := chromium(t), openTown(t)
	ada := w.tab(t, b)
	ada.signUp("Ada")
	ada.hold(w, w.hotel(t), 7, 1)
	path, err := chromedp.Run(ada.ctx, chromedp.Evaluate[string]("location.pathname"))
	require.NoError(t, err)
	key, err := chromedp.Run(ada.ctx, chromedp.Evaluate[string]("document.querySelector('[name=key]').value"))
	require.NoError(t, err)
	lost := http.MethodPost + " " + path + "/pay"
	w.lose.Store(&lost)
	// The browser shows an error of its own.
	_, err = chromedp.RunResponse(ada.ctx, chromedp.Click(`//main//button[normalize-space()="Pay"]`))
	require.ErrorContains(t, err, "ERR_EMPTY_RESPONSE")
	w.lose.Store(nil)
	ada.open(path)
	ada.sees("Statusconfirmed")
	again := fmt.Sprintf(`fetch("%s/pay", {method: "POST", body: new URLSearchParams({key: %q, method: "card"})}).then(r => r.text())`, path, key)
	text, err := chromedp.Run(ada.ctx, chromedp.Evaluate[string](again, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	assert.Contains(t, text, "The payment is on its way")
	id := path[len("/bookings/"):]
	history, err := w.House.Bookings.PaymentHistory(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	require.Len(t, history.Payments, 1)
	booked, err := w.House.Bookings.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, booked.Status)
	assert.Equal(t, booked.Total, history.Payments[0].Amount)
}

// TestBrowserOthers asks for the booking of somebody else, by its address and over the API.
func TestBrowserOthers(t *testing.T) {
	t.Parallel()
	b, w := chromium(t), openTown(t)
	ada, eve := w.tab(t, b), w.tab(t, b)
	ada.signUp("Ada")
	ada.hold(w, w.hotel(t), 7, 1)
	path, err := chromedp.Run(ada.ctx, chromedp.Evaluate[string]("location.pathname"))
	require.NoError(t, err)
	eve.signUp("Eve")
	for _, page := range []string{path, path + "/cancel", path + "/change", "/desk" + path, "/desk", "/moderation"} {
		resp, err := chromedp.Run(eve.ctx, chromedp.NavigateResponse(eve.base+page))
		require.NoError(t, err)
		assert.Equal(t, int64(http.StatusNotFound), resp.Status, page)
	}
	for _, call := range []string{"fetch('/v1" + path + "')", "fetch('/v1" + path + "', {method: 'POST'})", "fetch('/live?since=0&booking=" + path[len("/bookings/"):] + "')"} {
		status, err := chromedp.Run(eve.ctx, chromedp.Evaluate[int](call+".then(r => r.status)", chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		assert.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, status, call)
	}
	status, err := chromedp.Run(ada.ctx, chromedp.Evaluate[int]("fetch('/v1"+path+"').then(r => r.status)", chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
}

// TestBrowserLastRoom has two browsers after the last room: one gets it, the other one is told.
func TestBrowserLastRoom(t *testing.T) {
	t.Parallel()
	b, w := chromium(t), openTown(t)
	hotel := w.hotel(t)
	room := w.leaveOne(t, hotel, 9)
	people := []*tab{w.tab(t, b), w.tab(t, b)}
	for i, person := range people {
		person.signUp([]string{"Ada", "Eve"}[i])
		person.open("/hotels/" + hotel + w.stay(9, 1))
		person.fill("First name", "Ada")
		person.fill("Last name", "Byron")
		person.fill("Email", "ada@example.com")
	}
	var both sync.WaitGroup
	for _, person := range people {
		both.Go(func() { person.press("Hold for 15 minutes") })
	}
	both.Wait()
	got, told := 0, 0
	for _, person := range people {
		switch text := person.text(); {
		case strings.Contains(text, "The rooms are held until"):
			got++
		case strings.Contains(text, "That is not possible") && strings.Contains(text, "is sold out"):
			told++
		default:
			assert.Fail(t, "a page that nobody expects", text)
		}
	}
	assert.Equal(t, 1, got)
	assert.Equal(t, 1, told)
	c, err := w.House.Nights.Calendar(t.Context(), hotel, w.night(9))
	require.NoError(t, err)
	assert.Zero(t, c.Days[0].Night(room).Available)
}

// night is the night that begins so many days from now.
func (w *town) night(from int) dynastay.Stay {
	first := dynastay.DateOf(w.DB.Now(), nil).AddDays(from)
	return dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)}
}

// leaveOne leaves one room for sale on a night of a hotel, and returns its room type.
func (w *town) leaveOne(t *testing.T, hotelID string, from int) (last string) {
	t.Helper()
	c, err := w.House.Nights.Calendar(t.Context(), hotelID, w.night(from))
	require.NoError(t, err)
	u, closed := availability.UpdateRequest{PropertyID: hotelID}, true
	for _, n := range c.Days[0].Nights {
		change := availability.Change{RoomTypeIDs: []string{n.RoomTypeID}, Dates: w.night(from), StopSell: &closed}
		if last == "" {
			last = n.RoomTypeID
			rooms := n.Total - n.Available + 1
			change.Rooms, change.StopSell = &rooms, nil
		}
		u.Changes = append(u.Changes, change)
	}
	_, err = w.House.Nights.Update(t.Context(), u)
	require.NoError(t, err)
	return last
}
