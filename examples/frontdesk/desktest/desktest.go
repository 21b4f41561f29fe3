// Package desktest opens the service for tests.
package desktest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/world"

	"github.com/dynastay/dynastay/examples/frontdesk/cost"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/live"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// PayKey is the key that the provider of a [Service] signs its notices with.
var PayKey = []byte("p")

// Service is the service, with a world of a few hotels.
type Service struct {
	*dyntest.DB
	House *house.House
	World *world.World
	URL   string // where it is served
}

// New returns the service with a world. It is not served yet.
func New(t testing.TB, o world.Options, options ...dyntest.Option) *Service {
	t.Helper()
	w := world.New(o)
	options = append(options, dyntest.OnlyTables(append(live.Tables(), signin.Table)...), dyntest.At(w.Now()),
		dyntest.With(dynastay.Options{Observer: cost.Observer()}))
	db := dyntest.New(t, options...)
	require.NoError(t, w.Load(t.Context(), db.Direct, nil))
	h, err := house.New(db.DB, house.Options{OfferKey: bytes.Repeat([]byte("o"), 32), PayKey: PayKey, HashRounds: bcrypt.MinCost})
	require.NoError(t, err)
	return &Service{DB: db, House: h, World: w}
}

// Open serves the handler of a service until the test ends.
func Open(t testing.TB, handler func(*Service) http.Handler) *Service {
	t.Helper()
	s := New(t, world.Options{Seed: 4, Properties: 6, Users: 10, Nights: 20, Occupancy: 0.3, Units: true})
	server := httptest.NewServer(handler(s))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}
