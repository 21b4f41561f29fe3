package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/keys"

	"github.com/dynastay/dynastay/examples/frontdesk/api"
	"github.com/dynastay/dynastay/examples/frontdesk/cost"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// desk is the service, with a world of a few hotels.
type desk struct {
	*dyntest.DB
	house *house.House
	http  *httptest.Server
	world *world.World
}

func open(t testing.TB) *desk {
	t.Helper()
	w := world.New(world.Options{Seed: 4, Properties: 6, Users: 10, Nights: 20, Occupancy: 0.3})
	db := dyntest.New(t, dyntest.Tables(append(keys.Tables(), signin.Table)...), dyntest.At(w.Now()),
		dyntest.With(dynastay.Options{Observer: cost.Observer()}))
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	h, err := house.New(db.DB, house.Options{OfferKey: bytes.Repeat([]byte("o"), 32), PayKey: []byte("p"), HashRounds: bcrypt.MinCost})
	require.NoError(t, err)
	d := &desk{DB: db, house: h, http: httptest.NewServer(api.New(h, false)), world: w}
	t.Cleanup(d.http.Close)
	return d
}

// browser is a client with cookies.
type browser struct {
	*desk
	client *http.Client
}

func (d *desk) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{d, &http.Client{Jar: jar}}
}

// guest is a browser in which somebody has signed in.
func (d *desk) guest(t testing.TB, name string) *browser {
	t.Helper()
	b := d.browser(t)
	who := map[string]string{"email": name + "@example.com", "password": "correct horse", "firstName": name, "lastName": "Byron"}
	require.Equal(t, http.StatusCreated, b.send(t, http.MethodPost, "/v1/accounts", who, nil).status)
	in := map[string]string{"email": name + "@example.com", "password": "correct horse"}
	require.Equal(t, http.StatusCreated, b.send(t, http.MethodPost, "/v1/session", in, nil).status)
	return b
}

type answer struct {
	status int
	header http.Header
	body   map[string]any
	text   string
}

func (a answer) at(path ...any) any {
	var v any = a.body
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// send sends a request with a body as JSON, unless that is nil.
func (b *browser) send(t testing.TB, method, path string, body any, header map[string]string) answer {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, b.http.URL+path, content)
	require.NoError(t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := b.client.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(text)}
	if len(text) > 0 && strings.Contains(resp.Header.Get("Content-Type"), "json") {
		require.NoError(t, json.Unmarshal(text, &a.body), "%s", text)
	}
	return a
}

func (b *browser) get(t testing.TB, path string, query ...string) answer {
	t.Helper()
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		q.Add(query[i], query[i+1])
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return b.send(t, http.MethodGet, path, nil, nil)
}

// deliver passes what the provider has to tell to the service, each notice twice, as the provider does.
func (d *desk) deliver(t testing.TB) (statuses []int) {
	t.Helper()
	for _, n := range d.house.Provider.Take() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.http.URL+"/v1/notices", bytes.NewReader(n.Body))
		require.NoError(t, err)
		req.Header.Set("X-Signature", n.Signature)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		statuses = append(statuses, resp.StatusCode)
	}
	return statuses
}

// stay are dates for which the world has rooms.
func (d *desk) stay(from, to int) (checkIn, checkOut string) {
	today := d.world.Options().Today
	return today.AddDays(from).String(), today.AddDays(to).String()
}

// open returns a hotel with an offer for the stay, and that offer.
func (b *browser) offer(t testing.TB, from, to int) (hotelID, token string) {
	t.Helper()
	checkIn, checkOut := b.stay(from, to)
	for h := range b.world.Hotels() {
		a := b.get(t, "/v1/hotels/"+h.ID, "checkIn", checkIn, "checkOut", checkOut)
		if token, _ := a.at("offers", 0, "offer").(string); token != "" {
			return h.ID, token
		}
	}
	require.Fail(t, "no hotel has a room")
	return "", ""
}

var ada = map[string]string{"firstName": "Ada", "lastName": "Byron", "email": "ada@example.com"}

// book holds an offer.
func (b *browser) book(t testing.TB, token, key string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/v1/bookings", map[string]any{"offer": token, "guest": ada}, map[string]string{"Idempotency-Key": key})
}
