package web_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/dynastay/dynastay"

	"github.com/dynastay/dynastay/examples/frontdesk/desktest"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/live"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
	"github.com/dynastay/dynastay/examples/frontdesk/web"
)

// reader is a guest who reads pages, follows links and fills in forms. It runs no scripts.
type reader struct {
	t      *testing.T
	client *http.Client
	base   string
	status int
	url    *url.URL
	text   string
	doc    *html.Node
}

// site is the service, with its pages.
type site struct{ *desktest.Service }

func open(t *testing.T) *site {
	t.Helper()
	return &site{desktest.Open(t, func(d *desktest.Service) http.Handler {
		var places []house.Place
		for hotel := range d.World.Hotels() {
			places = append(places, house.Place{City: hotel.Address.City, Country: hotel.Address.Country})
		}
		return web.New(d.House, places, live.NewHub(), func(token string, seconds int) *http.Cookie { return signin.NewCookie(token, seconds, false) })
	})}
}

func (s *site) reader(t *testing.T) *reader {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &reader{t: t, client: &http.Client{Jar: jar}, base: s.URL}
}

func (r *reader) read(resp *http.Response, err error) {
	r.t.Helper()
	require.NoError(r.t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.NoError(r.t, resp.Body.Close())
	r.status, r.url, r.text = resp.StatusCode, resp.Request.URL, string(text)
	r.doc, err = html.Parse(bytes.NewReader(text))
	require.NoError(r.t, err)
}

func (r *reader) get(path string) *reader {
	r.t.Helper()
	r.read(r.client.Get(r.base + path))
	return r
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// value returns what the first field with a name has.
func (r *reader) value(name string) string {
	r.t.Helper()
	for n := range r.doc.Descendants() {
		if n.Data == "input" && attribute(n, "name") == name {
			return attribute(n, "value")
		}
	}
	require.Fail(r.t, "no field", "%s in %s", name, r.text)
	return ""
}

// follow follows the first link with a text.
func (r *reader) follow(text string) *reader {
	r.t.Helper()
	for n := range r.doc.Descendants() {
		if n.Data == "a" && strings.Contains(textOf(n), text) {
			to, err := r.url.Parse(attribute(n, "href"))
			require.NoError(r.t, err)
			r.read(r.client.Get(to.String()))
			return r
		}
	}
	require.Fail(r.t, "no link", "%s in %s", text, r.text)
	return nil
}

// submit sends the first form that has a button with a text, with some fields filled in.
func (r *reader) submit(button string, fill map[string]string) *reader {
	r.t.Helper()
	for form := range r.doc.Descendants() {
		if form.Data != "form" {
			continue
		}
		values, found, choice := url.Values{}, false, ""
		for n := range form.Descendants() {
			switch n.Data {
			case "select":
				choice = attribute(n, "name")
			case "option":
				value := textOf(n)
				if has(n, "value") {
					value = attribute(n, "value")
				}
				if has(n, "selected") || !values.Has(choice) {
					values.Set(choice, value)
				}
			case "input":
				if attribute(n, "type") != "checkbox" {
					values.Set(attribute(n, "name"), attribute(n, "value"))
				}
			case "button":
				found = found || strings.Contains(textOf(n), button)
			}
		}
		if !found {
			continue
		}
		for name, value := range fill {
			values.Set(name, value)
		}
		to, err := r.url.Parse(attribute(form, "action"))
		require.NoError(r.t, err)
		if attribute(form, "method") == "post" {
			r.read(r.client.PostForm(to.String(), values))
			return r
		}
		to.RawQuery = values.Encode()
		r.read(r.client.Get(to.String()))
		return r
	}
	require.Fail(r.t, "no form", "%s in %s", button, r.text)
	return nil
}

func (r *reader) sees(texts ...string) {
	r.t.Helper()
	page := textOf(r.doc)
	for _, text := range texts {
		assert.Contains(r.t, page, text)
	}
}

func (r *reader) signUp(name string) {
	r.t.Helper()
	r.get("/sign-in").submit("Create the account", map[string]string{
		"firstName": name, "lastName": "Byron", "email": name + "@example.com", "password": "correct horse",
	})
	r.sees("My bookings")
}

// hotelWithRooms opens the page of a hotel that has an offer.
func (r *reader) hotelWithRooms(s *site) {
	r.t.Helper()
	for i := range 6 {
		r.get("/hotels/" + []string{"prop_000000", "prop_000001", "prop_000002", "prop_000003", "prop_000004", "prop_000005"}[i])
		if r.status == http.StatusOK && strings.Contains(r.text, "Hold for 15 minutes") {
			return
		}
	}
	require.Fail(r.t, "no hotel has a room")
}

var ada = map[string]string{"firstName": "Ada", "lastName": "Byron", "email": "ada@example.com"}

// The guest's whole way, in pages, without a script: search, a hotel, a booking, the payment, other dates, and the cancellation.
func TestGuest(t *testing.T) {
	t.Parallel()
	s := open(t)
	r := s.reader(t)
	r.get("/").sees("Find a room", "What this page cost at DynamoDB: 0 requests")
	r.submit("Search", map[string]string{"place": textOfOption(r)})
	assert.Equal(t, http.StatusOK, r.status, r.text)
	r.signUp("ada")
	r.hotelWithRooms(s)
	r.sees("What the price is made of", "What guests say")
	r.submit("Hold for 15 minutes", ada)
	require.Equal(t, http.StatusOK, r.status, r.text)
	r.sees("pending", "The rooms are held until")
	booking := r.url.Path
	key := r.value("key")
	assert.Equal(t, key, r.get(booking).value("key"), "a payment counts once, also if the page is loaded again")

	r.submit("Pay", map[string]string{"method": "card"}).sees("The payment is on its way")
	deliver(t, s)
	r.follow("See the booking").sees("confirmed")
	assert.NotContains(t, r.text, "<button>Pay</button>")

	checkIn := dynastay.DateOf(s.Now(), nil).AddDays(7)
	r.follow("Change the dates")
	r.submit("Show the price", map[string]string{"checkIn": checkIn.String(), "checkOut": checkIn.AddDays(1).String()}).sees("The booking would cost")
	r.submit("Change the dates", nil)
	require.Equal(t, booking, r.url.Path, r.text)
	r.sees(checkIn.AddDays(1).String())
	deliver(t, s)

	r.follow("Cancel").sees("is paid back")
	r.submit("Cancel the booking", map[string]string{"reason": "another plan"})
	require.Equal(t, booking, r.url.Path, r.text)
	r.sees("cancelled")
	r.follow("My bookings").follow("cancelled")
	r.sees("My bookings", "cancelled")
	r.submit("Sign out", nil).sees("Sign in")
}

func textOfOption(r *reader) string {
	for n := range r.doc.Descendants() {
		if n.Data == "option" {
			return textOf(n)
		}
	}
	return ""
}

func deliver(t *testing.T, s *site) {
	t.Helper()
	for _, d := range s.House.Provider.Take() {
		require.NoError(t, s.House.Notice(t.Context(), d))
	}
}

// Another guest's booking does not exist, and whoever has not signed in comes back to the page after signing in.
func TestBookingsOfOthers(t *testing.T) {
	t.Parallel()
	s := open(t)
	r := s.reader(t)
	r.signUp("ada")
	r.hotelWithRooms(s)
	r.submit("Hold for 15 minutes", ada)
	path := r.url.Path
	require.True(t, strings.HasPrefix(path, "/bookings/"), r.text)
	eve := s.reader(t)
	eve.signUp("eve")
	for _, page := range []string{"", "/cancel", "/change"} {
		assert.Equal(t, http.StatusNotFound, eve.get(path+page).status, page)
	}
	for _, page := range []string{"/pay", "/cancel"} {
		eve.read(eve.client.PostForm(eve.base+path+page, url.Values{"version": {"1"}, "refund": {"0.00 EUR"}, "key": {"a key of Eve's"}, "method": {"card"}}))
		assert.Equal(t, http.StatusNotFound, eve.status, page)
	}
	nobody := s.reader(t)
	nobody.get(path).sees("Sign in")
	nobody.submit("Sign in", map[string]string{"email": "ada@example.com", "password": "correct horse"})
	assert.Equal(t, path, nobody.url.Path, "back to the page")
}

// What a guest enters wrongly is said in the page, and what was entered is kept.
func TestProblems(t *testing.T) {
	t.Parallel()
	s := open(t)
	r := s.reader(t)
	r.get("/?place=Nowhere&checkIn=2030-01-05&checkOut=2030-01-02")
	assert.Equal(t, http.StatusBadRequest, r.status)
	r.sees("must be")
	assert.Contains(t, r.text, "2030-01-05")
	assert.Equal(t, http.StatusNotFound, r.get("/hotels/none").status)
	r.get("/sign-in").submit("Sign in", map[string]string{"email": "nobody@example.com", "password": "wrong horse"})
	assert.Equal(t, http.StatusUnauthorized, r.status)
	r.sees("The email address or the password is wrong")
	r.get("/sign-in?back=https://evil.example")
	assert.NotContains(t, r.text, "evil.example")
	r.get("/sign-in?back=//evil.example")
	assert.NotContains(t, r.text, "evil.example")
}
