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
	"github.com/dynastay/dynastay/keys"

	"github.com/dynastay/dynastay/examples/frontdesk/cost"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// PayKey is the key that the provider of a [Desk] signs its notices with.
var PayKey = []byte("p")

// Desk is the service, with a world of a few hotels.
type Desk struct {
	*dyntest.DB
	House *house.House
	World *world.World
	URL   string // where it is served
}

// Open serves the handler of a desk until the test ends.
func Open(t testing.TB, handler func(*Desk) http.Handler) *Desk {
	t.Helper()
	w := world.New(world.Options{Seed: 4, Properties: 6, Users: 10, Nights: 20, Occupancy: 0.3})
	db := dyntest.New(t, dyntest.Tables(append(keys.Tables(), signin.Table)...), dyntest.At(w.Now()),
		dyntest.With(dynastay.Options{Observer: cost.Observer()}))
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	h, err := house.New(db.DB, house.Options{OfferKey: bytes.Repeat([]byte("o"), 32), PayKey: PayKey, HashRounds: bcrypt.MinCost})
	require.NoError(t, err)
	d := &Desk{DB: db, House: h, World: w}
	server := httptest.NewServer(handler(d))
	t.Cleanup(server.Close)
	d.URL = server.URL
	return d
}
