package tracker_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

const user = "user_1"

// base is the first moment of the clocks in tests. Engines delete items whose time to live has passed, so it is far ahead.
var base = time.Date(2037, 11, 10, 9, 0, 0, 0, time.UTC)

// home is a table with one user.
type home struct {
	*dyntest.DB
	t    testing.TB
	repo *tracker.Repository
	ops  int
}

func newHome(t testing.TB, opts ...dyntest.Option) *home {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{
		dyntest.OnlyTables(keys.Table), dyntest.At(base), dyntest.With(dynastay.Options{Idempotency: keys.Table}),
	}, opts...)...)
	h := &home{DB: db, t: t, repo: tracker.New(db.DB, nil)}
	_, err := h.repo.SignUp(h.context(), tracker.Profile{
		ID: user, AuthProvider: "apple", AuthProviderID: "000123.abc", Email: "ana@example.com", DisplayName: "Ana",
	})
	require.NoError(t, err)
	return h
}

func (h *home) context() context.Context { return h.t.Context() }

// italy is a visit of Italy.
var italy = tracker.VisitID{RegionType: regions.Country, RegionCode: "IT", MarkedAt: base.Add(-time.Hour)}

func of[V any](v V) *V { return &v }

// op returns an operation with an id of its own, of a device whose clock is right.
func (h *home) op(kind tracker.OperationType, id tracker.VisitID, version int, place tracker.VisitEdit) tracker.Operation {
	h.ops++
	return tracker.Operation{
		ID: fmt.Sprint("op", h.ops), Type: kind, Visit: id, ClientVersion: version, ClientTime: h.Clock.Now(), Place: place,
	}
}

func (h *home) push(device string, rule tracker.Rule, ops ...tracker.Operation) []tracker.Result {
	h.t.Helper()
	results, err := h.repo.Push(h.context(), tracker.Push{UserID: user, DeviceID: device, Operations: ops, Rule: rule})
	require.NoError(h.t, err)
	return results
}

func (h *home) one(device string, rule tracker.Rule, op tracker.Operation) tracker.Result {
	h.t.Helper()
	return h.push(device, rule, op)[0]
}
