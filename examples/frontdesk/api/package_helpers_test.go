package api_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/frontdesk/api"
	"github.com/dynastay/dynastay/examples/frontdesk/client"
	"github.com/dynastay/dynastay/examples/frontdesk/desktest"
	"github.com/dynastay/dynastay/examples/frontdesk/pay"
)

// desk is the service, with its API.
type desk struct{ *desktest.Service }

func open(t testing.TB) *desk {
	t.Helper()
	return &desk{desktest.Open(t, func(d *desktest.Service) http.Handler { return api.New(d.House, false) })}
}

// browser is a client that is generated from the description, with the session of who has signed in.
type browser struct {
	*client.Client
	*desk
	token  string
	header http.Header // of each request, beside what the client sends
}

func (d *desk) browser(t testing.TB) *browser {
	t.Helper()
	b := &browser{desk: d, header: http.Header{}}
	var err error
	b.Client, err = client.NewClient(d.URL, b, client.WithClient(b))
	require.NoError(t, err)
	return b
}

// Session is the session that the client sends.
func (b *browser) Session(context.Context, client.OperationName) (client.Session, error) {
	return client.Session{APIKey: b.token}, nil
}

// Do sends a request, and notes what the contract says that there is.
func (b *browser) Do(r *http.Request) (*http.Response, error) {
	for name, values := range b.header {
		r.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(r)
	if err == nil {
		contract.reached(r, resp.StatusCode)
	}
	return resp, err
}

// is returns an answer, which must be the one of the type.
func is[T any](t testing.TB) func(answer any, err error) T {
	return func(answer any, err error) T {
		t.Helper()
		require.NoError(t, err)
		a, is := answer.(T)
		require.True(t, is, "%T: %+v", answer, answer)
		return a
	}
}

// problem returns the problem of an answer, which must have the status.
func problem(t testing.TB, status int) func(answer any, err error) client.Problem {
	return func(answer any, err error) client.Problem {
		t.Helper()
		require.NoError(t, err)
		title := http.StatusText(status)
		require.Equal(t, "*client."+strings.ReplaceAll(title, " ", "")+"Headers", fmt.Sprintf("%T", answer), "%+v", answer)
		p := answer.(interface{ GetResponse() client.Problem }).GetResponse()
		assert.EqualValues(t, status, p.Status)
		assert.Equal(t, title, p.Title)
		assert.Regexp(t, `^/problems/[a-z-]+$`, p.Type)
		return p
	}
}

const password = "correct horse"

// guest is a browser in which somebody has signed up and in.
func (d *desk) guest(t testing.TB, name string) *browser {
	t.Helper()
	b := d.browser(t)
	who := &client.AccountInBody{Email: name + "@example.com", Password: password, FirstName: name, LastName: "Byron"}
	is[*client.AccountOutBodyHeaders](t)(b.SignUp(t.Context(), who))
	b.token = cookieOf(t, is[*client.SessionOutBodyHeaders](t)(b.signIn(t, name, password)).SetCookie).Value
	return b
}

func (b *browser) signIn(t testing.TB, name, password string) (client.SignInRes, error) {
	return b.SignIn(t.Context(), &client.SignInInBody{Email: name + "@example.com", Password: password})
}

func cookieOf(t testing.TB, header client.OptString) *http.Cookie {
	t.Helper()
	c, err := http.ParseSetCookie(header.Value)
	require.NoError(t, err)
	return c
}

// after returns where the page begins to which a link leads, if there is one.
func after(t testing.TB, link client.OptString) client.OptString {
	t.Helper()
	if !link.Set {
		return link
	}
	to, is := strings.CutSuffix(link.Value, `>; rel="next"`)
	require.True(t, is, link.Value)
	u, err := url.Parse(strings.TrimPrefix(to, "<"))
	require.NoError(t, err)
	return client.NewOptString(u.Query().Get("after"))
}

// deliver passes what a provider has to tell to the service. A provider tells everything twice.
func (d *desk) deliver(t testing.TB, from *pay.Provider) {
	t.Helper()
	for _, n := range from.Take() {
		is[*client.NotifyNoContent](t)(d.browser(t).notify(t, n))
	}
}

func (b *browser) notify(t testing.TB, n pay.Delivery) (client.NotifyRes, error) {
	return b.Notify(t.Context(), client.NotifyReq{Data: bytes.NewReader(n.Body)}, client.NotifyParams{XSignature: n.Signature})
}

// day is one of the next days. The world has rooms for twenty of them.
func (d *desk) day(n int) time.Time { return d.World.Options().Today.AddDays(n).Time() }

// from and to are the dates for which guests book.
const from, to = 5, 7

// hotel is a hotel at these dates.
func (b *browser) hotel(t testing.TB, id string) client.Hotel {
	t.Helper()
	dates := client.GetHotelParams{ID: id, CheckIn: client.NewOptDate(b.day(from)), CheckOut: client.NewOptDate(b.day(to))}
	return is[*client.HotelHeaders](t)(b.GetHotel(t.Context(), dates)).Response
}

// offer returns a hotel with rooms.
func (b *browser) offer(t testing.TB) (hotelID, token string) {
	t.Helper()
	for h := range b.World.Hotels() {
		if shown := b.hotel(t, h.ID); len(shown.Offers) > 0 {
			return h.ID, shown.Offers[0].Offer
		}
	}
	require.Fail(t, "no hotel has a room")
	return "", ""
}

func (b *browser) book(t testing.TB, token, key string) (client.BookRes, error) {
	who := client.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"}
	return b.Book(t.Context(), &client.HoldInBody{Offer: token, Guest: who}, client.BookParams{IdempotencyKey: key})
}

// held returns the id of a booking that waits for its payment.
func (b *browser) held(t testing.TB) string {
	t.Helper()
	_, token := b.offer(t)
	return is[*client.BookingHeaders](t)(b.book(t, token, "click-0001")).Response.ID
}

func (b *browser) booking(t testing.TB, id string) *client.BookingHeaders {
	t.Helper()
	return is[*client.BookingHeaders](t)(b.GetBooking(t.Context(), client.GetBookingParams{ID: id}))
}

func (b *browser) pay(t testing.TB, id string, method client.PayInBodyMethod, key string) (client.PayRes, error) {
	return b.Pay(t.Context(), &client.PayInBody{Method: method}, client.PayParams{ID: id, IdempotencyKey: key})
}

// paid has the provider asked for a payment.
func (b *browser) paid(t testing.TB, id string, method client.PayInBodyMethod) {
	t.Helper()
	is[*client.PayOutBodyHeaders](t)(b.pay(t, id, method, "pay-"+string(method)))
}

// toPay is what is still to be paid.
func (b *browser) toPay(t testing.TB, id string) string {
	t.Helper()
	return is[*client.ReceiptOutBodyHeaders](t)(b.GetReceipt(t.Context(), client.GetReceiptParams{ID: id})).Response.Balance.Amount
}
