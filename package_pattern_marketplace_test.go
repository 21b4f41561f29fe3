package dynastay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	tradepeople "github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// jobs, goods and opinions are repositories of the marketplace.
func jobs(db *dynastay.DB) *projects.Repository {
	return projects.New(db, tradepeople.New(db, nil), nil)
}

func goods(db *dynastay.DB) *shop.Repository { return shop.New(db, tradepeople.New(db, nil), nil) }

func opinions(db *dynastay.DB) *reviews.Repository {
	return reviews.New(db, tradepeople.New(db, nil), jobs(db), goods(db))
}

// trade are the patterns of the marketplace.
var trade = []pattern{
	{"M1", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*tradepeople.Repository).Profile(tradepeople.New(db, nil), ctx, "user_mike")
	}},
	{"M2", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tradepeople.Repository).InCity(tradepeople.New(db, nil), tradepeople.Worker, "Estcourt").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M3", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*projects.Repository).ByStatus(jobs(db), projects.Completed).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M4", 2, 1.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*projects.Repository).Bids(jobs(db), "proj_1").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M5", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*shop.Repository).Products(goods(db), "user_sarah").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M6", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*shop.Repository).InCategory(goods(db), "Bricks", "ZAR").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M7", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*reviews.Repository).Of(opinions(db), "user_mike").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M8", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*messages.Repository).Messages(messages.New(db), "user_mike", "user_bea").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M9", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*projects.Repository).BidsByStatus(jobs(db), projects.Accepted).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"M10", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*shop.Repository).OrdersByStatus(goods(db), shop.Pending).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
}

// deal writes what the patterns of the marketplace find.
func deal(t *testing.T, db *dynastay.DB) {
	t.Helper()
	ctx := t.Context()
	price := dynastay.MustMoney("5.50", "ZAR")
	for id, role := range map[string]tradepeople.Role{"user_bea": tradepeople.Buyer, "user_mike": tradepeople.Worker, "user_sarah": tradepeople.Seller} {
		p := tradepeople.Profile{ID: id, Role: role, Name: id, Location: tradepeople.Location{City: "Estcourt"}}
		if role == tradepeople.Seller {
			p.Name, p.Shop.BusinessName = "", "Supplies"
		}
		_, err := tradepeople.New(db, nil).SignUp(ctx, p)
		require.NoError(t, err)
	}
	for _, do := range []func() error{
		func() (err error) {
			_, err = jobs(db).Post(ctx, projects.Project{
				ID: "proj_1", BuyerID: "user_bea", Title: "Wall", Category: "Construction", Budget: projects.Budget{Min: price, Max: price},
			})
			return err
		},
		func() (err error) {
			_, err = jobs(db).Bid(ctx, projects.Bid{ProjectID: "proj_1", WorkerID: "user_mike", Quote: price})
			return err
		},
		func() (err error) {
			_, err = jobs(db).Accept(ctx, projects.Acceptance{ProjectID: "proj_1", WorkerID: "user_mike", Quote: price})
			return err
		},
		func() (err error) { _, err = jobs(db).Complete(ctx, "proj_1"); return err },
		func() (err error) {
			_, err = opinions(db).Create(ctx, reviews.Review{ProjectID: "proj_1", ReviewerID: "user_bea", RevieweeID: "user_mike", Rating: 5})
			return err
		},
		func() (err error) {
			_, err = messages.New(db).Send(ctx, messages.Message{SenderID: "user_bea", RecipientID: "user_mike", Content: "Thanks"})
			return err
		},
		func() (err error) {
			_, err = goods(db).Create(ctx, shop.Product{
				ID: "prod_1", SellerID: "user_sarah", Title: "Bricks", Category: "Bricks", Price: price, Unit: "brick", Stock: 10,
			})
			return err
		},
		func() (err error) {
			_, err = goods(db).Place(ctx, shop.Order{
				BuyerID: "user_bea", SellerID: "user_sarah",
				Items:  []shop.Item{{ProductID: "prod_1", Title: "Bricks", Quantity: 1, UnitPrice: price, Subtotal: price}},
				Totals: shop.Totals{Subtotal: price, Total: price},
			})
			return err
		},
	} {
		require.NoError(t, do())
	}
}
