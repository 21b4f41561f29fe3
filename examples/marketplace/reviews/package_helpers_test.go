package reviews_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

const (
	buyer  = "user_buyer"
	worker = "user_worker"
	seller = "user_seller"
)

// base is the first moment of the clocks in tests. Engines delete items whose time to live has passed, so it is far
// ahead.
var base = time.Date(2037, 1, 20, 10, 0, 0, 0, time.UTC)

// site is a table with a buyer, a worker and a seller.
type site struct {
	*dyntest.DB
	t      testing.TB
	people *people.Repository
	jobs   *projects.Repository
	shop   *shop.Repository
	repo   *reviews.Repository
}

func newSite(t testing.TB, opts ...dyntest.Option) *site {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{
		dyntest.OnlyTables(keys.Table), dyntest.At(base), dyntest.With(dynastay.Options{Idempotency: keys.Table}),
	}, opts...)...)
	s := &site{DB: db, t: t, repo: repositories(db.DB), people: people.New(db.Direct, nil)}
	s.jobs, s.shop = projects.New(db.Direct, s.people, nil), shop.New(db.Direct, s.people, nil)
	for id, role := range map[string]people.Role{buyer: people.Buyer, worker: people.Worker, seller: people.Seller} {
		p := people.Profile{ID: id, Role: role, Name: "Mr " + id, Location: people.Location{City: "Estcourt"}}
		if role == people.Seller {
			p.Name, p.Shop.BusinessName = "", "Bricks"
		}
		_, err := s.people.SignUp(t.Context(), p)
		require.NoError(t, err)
	}
	return s
}

func repositories(db *dynastay.DB) *reviews.Repository {
	users := people.New(db, nil)
	return reviews.New(db, users, projects.New(db, users, nil), shop.New(db, users, nil))
}

// open returns the repository of another process. It retries for as long as a test needs.
func (s *site) open() *reviews.Repository {
	return repositories(s.Open(&dynastay.Options{Idempotency: keys.Table, Retry: dynastay.Retry{Attempts: 300}}))
}

func zar(amount string) dynastay.Money { return dynastay.MustMoney(amount, "ZAR") }

// begun posts a project that the worker gets.
func (s *site) begun() string {
	s.t.Helper()
	ctx := s.t.Context()
	p, err := s.jobs.Post(ctx, projects.Project{
		BuyerID: buyer, Title: "Foundation", Category: "Construction", Budget: projects.Budget{Min: zar("1"), Max: zar("2")},
	})
	require.NoError(s.t, err)
	_, err = s.jobs.Bid(ctx, projects.Bid{ProjectID: p.ID, WorkerID: worker, Quote: zar("2")})
	require.NoError(s.t, err)
	_, err = s.jobs.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: worker, Quote: zar("2")})
	require.NoError(s.t, err)
	return p.ID
}

// completed returns the id of a project that the worker has completed.
func (s *site) completed() string {
	s.t.Helper()
	id := s.begun()
	_, err := s.jobs.Complete(s.t.Context(), id)
	require.NoError(s.t, err)
	return id
}

// ordered returns the id of an order of the buyer.
func (s *site) ordered() string {
	s.t.Helper()
	ctx := s.t.Context()
	p, err := s.shop.Create(ctx, shop.Product{SellerID: seller, Title: "Bricks", Category: "Bricks", Price: zar("5.50"), Unit: "brick", Stock: 9})
	require.NoError(s.t, err)
	o, err := s.shop.Place(ctx, shop.Order{
		BuyerID: buyer, SellerID: seller,
		Items:  []shop.Item{{ProductID: p.ID, Title: p.Title, Quantity: 2, UnitPrice: p.Price, Subtotal: zar("11")}},
		Totals: shop.Totals{Subtotal: zar("11"), Delivery: zar("0"), Tax: zar("0"), Total: zar("11")},
	})
	require.NoError(s.t, err)
	return o.ID
}

func (s *site) delivered() string {
	s.t.Helper()
	ctx, id := s.t.Context(), s.ordered()
	for _, move := range []func() error{
		func() error { return first(s.shop.Confirm(ctx, id)) },
		func() error { return first(s.shop.Ship(ctx, id)) },
		func() error { return first(s.shop.Deliver(ctx, id)) },
	} {
		require.NoError(s.t, move())
	}
	return id
}

func first[T any](_ T, err error) error { return err }

func about(projectID string, stars int) reviews.Review {
	return reviews.Review{
		ProjectID: projectID, ReviewerID: buyer, RevieweeID: worker, Rating: stars, Comment: "On time and within the budget",
		Aspects: reviews.Aspects{Quality: 5, Communication: 4, Timeliness: 5, Professionalism: 3},
	}
}

func (s *site) profile(id string) *people.Profile {
	s.t.Helper()
	p, err := s.people.Profile(s.t.Context(), id, dynastay.Consistent)
	require.NoError(s.t, err)
	return p
}

// score returns the score, the number and the sum of a user's ratings, for comparisons.
func (s *site) score(id string) string {
	p := s.profile(id)
	return fmt.Sprint(p.TrustScore, " of ", p.Ratings, ", ", p.Stars, " stars")
}

func (s *site) received(id string) []*reviews.Review {
	s.t.Helper()
	var found []*reviews.Review
	for v, err := range s.repo.Of(id).All(s.t.Context()) {
		require.NoError(s.t, err)
		found = append(found, v)
	}
	return found
}
