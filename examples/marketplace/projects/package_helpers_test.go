package projects_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

const buyer = "user_buyer"

// base is the first moment of the clocks in tests. Engines delete items whose time to live has passed, so it is far
// ahead.
var base = time.Date(2037, 1, 20, 10, 0, 0, 0, time.UTC)

// site is a table with one buyer.
type site struct {
	*dyntest.DB
	t      testing.TB
	people *people.Repository
	repo   *projects.Repository
}

func newSite(t testing.TB, opts ...dyntest.Option) *site {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{
		dyntest.OnlyTables(keys.Table), dyntest.At(base), dyntest.With(dynastay.Options{Idempotency: keys.Table}),
	}, opts...)...)
	s := &site{DB: db, t: t, people: people.New(db.Direct, nil)}
	s.repo = projects.New(db.DB, people.New(db.DB, nil), nil)
	s.signUp(buyer, people.Buyer)
	return s
}

// open returns the repository of another process. It retries for as long as a test needs.
func (s *site) open() *projects.Repository {
	db := s.Open(&dynastay.Options{Idempotency: keys.Table, Retry: dynastay.Retry{Attempts: 300}})
	return projects.New(db, people.New(db, nil), nil)
}

func (s *site) direct() *projects.Repository { return projects.New(s.Direct, s.people, nil) }

func (s *site) context() context.Context { return s.t.Context() }

var estcourt = people.Location{City: "Estcourt", Latitude: -29.01, Longitude: 29.87}

func (s *site) signUp(id string, role people.Role) {
	s.t.Helper()
	p := people.Profile{ID: id, Role: role, Name: "Mr " + id, Location: estcourt}
	if role == people.Seller {
		p.Name, p.Shop.BusinessName = "", "Shop of "+id
	}
	_, err := s.people.SignUp(s.context(), p)
	require.NoError(s.t, err)
}

// workers signs up n workers and returns their ids.
func (s *site) workers(n int) []string {
	s.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("user_%02d", i)
		s.signUp(ids[i], people.Worker)
	}
	return ids
}

func zar(amount string) dynastay.Money { return dynastay.MustMoney(amount, "ZAR") }

var foundation = projects.Project{
	BuyerID: buyer, Title: "Build a foundation", Description: "For a house with three bedrooms", Category: "Construction",
	Skills:   []string{"bricklaying", "foundation"},
	Place:    projects.Place{Address: "Plot 45, Estcourt", Latitude: -29.012, Longitude: 29.87},
	Budget:   projects.Budget{Min: zar("50000"), Max: zar("80000")},
	Timeline: projects.Timeline{Start: dynastay.MustDate("2037-02-01"), End: dynastay.MustDate("2037-03-15"), Flexible: true},
}

func (s *site) post() *projects.Project {
	s.t.Helper()
	p, err := s.direct().Post(s.context(), foundation)
	require.NoError(s.t, err)
	return p
}

func offer(projectID, workerID, quote string) projects.Bid {
	return projects.Bid{
		ProjectID: projectID, WorkerID: workerID, Quote: zar(quote), Start: dynastay.MustDate("2037-02-05"), Duration: 35,
		Unit: projects.Days, Proposal: "I have built ten of them.",
	}
}

func (s *site) bid(projectID, workerID, quote string) *projects.Bid {
	s.t.Helper()
	b, err := s.direct().Bid(s.context(), offer(projectID, workerID, quote))
	require.NoError(s.t, err)
	return b
}

// stored returns the project and its bids as they are stored, by worker.
func (s *site) stored(projectID string) (*projects.Project, map[string]*projects.Bid) {
	s.t.Helper()
	p, err := s.direct().Project(s.context(), projectID, dynastay.Consistent)
	require.NoError(s.t, err)
	bids := map[string]*projects.Bid{}
	for b, err := range s.direct().Bids(projectID).All(s.context()) {
		require.NoError(s.t, err)
		b, err = s.direct().BidOf(s.context(), projectID, b.WorkerID, dynastay.Consistent)
		require.NoError(s.t, err)
		bids[b.WorkerID] = b
	}
	return p, bids
}

func (s *site) profile(id string) *people.Profile {
	s.t.Helper()
	p, err := s.people.Profile(s.context(), id, dynastay.Consistent)
	require.NoError(s.t, err)
	return p
}

// all reads a list to its end.
func all[T any](t testing.TB, l dynastay.List[T]) []T {
	t.Helper()
	var items []T
	for v, err := range l.All(t.Context()) {
		require.NoError(t, err)
		items = append(items, v)
	}
	return items
}
