package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/examples/report"
)

// supplied is how many bricks Sarah has.
const supplied = 6000

func (s *story) offer(ctx context.Context, found *report.Findings) (err error) {
	for _, p := range []shop.Product{
		{Title: "Stone bricks", Price: zar("12.00"), Stock: 500},
		{Title: "Red clay bricks", Price: zar("5.50"), Stock: supplied, MinOrder: 100},
	} {
		p.SellerID, p.Category, p.Unit = sarah, "Bricks", "per brick"
		if s.bricks, err = s.shop.Create(ctx, p); err != nil {
			return err
		}
	}
	page, err := s.shop.InCategory("Bricks", "ZAR").Page(ctx, dynastay.Paging{})
	for _, o := range page.Items {
		found.Add("%s %s, %s", o.Price, o.Unit, o.Title)
	}
	return err
}

// bricksFor returns an order of bricks, as the shop's page adds it up.
func (s *story) bricksFor(buyer string, n int) (shop.Order, error) {
	subtotal, err := s.bricks.Price.Times(n)
	if err != nil {
		return shop.Order{}, err
	}
	delivery := zar("500")
	total, err := subtotal.Add(delivery)
	return shop.Order{
		BuyerID: buyer, SellerID: sarah,
		Items: []shop.Item{{
			ProductID: s.bricks.ID, Title: s.bricks.Title, Quantity: n, UnitPrice: s.bricks.Price, Subtotal: subtotal,
		}},
		Totals:   shop.Totals{Subtotal: subtotal, Delivery: delivery, Total: total},
		Delivery: shop.Destination{Address: "Plot 45, Estcourt", Date: dynastay.MustDate("2037-02-10"), Instructions: "Call on arrival"},
	}, err
}

func (s *story) buy(ctx context.Context, found *report.Findings) error {
	wanted, err := s.bricksFor(ana, 5000)
	if err != nil {
		return err
	}
	if s.order, err = s.shop.Place(ctx, wanted); err != nil {
		return err
	}
	found.Add("Ana: %d bricks for %s", s.order.Items[0].Quantity, s.order.Totals.Total)
	if wanted, err = s.bricksFor(ben, 2000); err != nil {
		return err
	}
	_, err = s.shop.Place(ctx, wanted)
	var refused *shop.Refused
	if !errors.As(err, &refused) {
		return fmt.Errorf("more bricks were sold than there are: %w", err)
	}
	found.Add("Ben: %v", refused)
	return nil
}

func (s *story) cancel(ctx context.Context, found *report.Findings) error {
	wanted, err := s.bricksFor(ben, 1000)
	if err != nil {
		return err
	}
	order, err := s.shop.Place(ctx, wanted)
	if err != nil {
		return err
	}
	for range 2 { // the second time, the same answer
		c := shop.Cancellation{OrderID: order.ID, By: ben, Reason: "It will be a wooden house."}
		if order, err = s.shop.Cancel(ctx, c, dynastay.IdempotencyKey("Ben cancels")); err != nil {
			return err
		}
		p, err := s.shop.Product(ctx, sarah, s.bricks.ID)
		if err != nil {
			return err
		}
		found.Add("%s, %d bricks in stock", order.Status, p.Stock)
	}
	return nil
}

func (s *story) deliver(ctx context.Context, found *report.Findings) error {
	for _, move := range []func() (*shop.Order, error){
		func() (*shop.Order, error) { return s.shop.Confirm(ctx, s.order.ID) },
		func() (*shop.Order, error) { return s.shop.SetPayment(ctx, s.order.ID, shop.Paid) },
		func() (*shop.Order, error) { return s.shop.Ship(ctx, s.order.ID) },
		func() (*shop.Order, error) { return s.shop.Deliver(ctx, s.order.ID) },
	} {
		o, err := move()
		if err != nil {
			return err
		}
		found.Add("%s, payment %s", o.Status, o.PaymentStatus)
	}
	return nil
}

func (s *story) complete(ctx context.Context, found *report.Findings) (err error) {
	if s.project, err = s.projects.Complete(ctx, s.project.ID); err != nil {
		return err
	}
	p, err := s.people.Profile(ctx, mike)
	if err == nil {
		found.Add("%s; Mike has completed %d of %d jobs", s.project.Status, p.Jobs, p.Ended)
	}
	return err
}

func (s *story) review(ctx context.Context, found *report.Findings) error {
	for _, v := range []reviews.Review{
		{ProjectID: s.project.ID, ReviewerID: ana, RevieweeID: mike, Rating: 5, Comment: "On time and within the budget"},
		{ProjectID: s.project.ID, ReviewerID: mike, RevieweeID: ana, Rating: 4, Comment: "Pays at once"},
		{OrderID: s.order.ID, ReviewerID: ana, RevieweeID: sarah, Rating: 4},
	} {
		if _, err := s.reviews.Create(ctx, v); err != nil {
			return err
		}
		p, err := s.people.Profile(ctx, v.RevieweeID)
		if err != nil {
			return err
		}
		found.Add("%s has a trust score of %s", p.DisplayName(), p.TrustScore)
	}
	_, err := s.reviews.Create(ctx, reviews.Review{ProjectID: s.project.ID, ReviewerID: thandi, RevieweeID: mike, Rating: 1})
	var refused *reviews.PartyError
	if !errors.As(err, &refused) {
		return fmt.Errorf("a competitor has reviewed Mike: %w", err)
	}
	found.Add("Thandi's review of Mike is refused")
	return nil
}

func (s *story) look(ctx context.Context, found *report.Findings) error {
	for p, err := range s.projects.ProjectsOf(ana).All(ctx) {
		if err != nil {
			return err
		}
		found.Add("Ana's project: %s, %s", p.Title, p.Status)
	}
	for o, err := range s.shop.OrdersOf(ana).All(ctx) {
		if err != nil {
			return err
		}
		found.Add("Ana's order: %d %s, %s", o.Items[0].Quantity, o.Items[0].Title, o.Status)
	}
	for b, err := range s.projects.BidsOf(mike).All(ctx) {
		if err != nil {
			return err
		}
		found.Add("Mike's bid: %s, %s", b.Quote, b.Status)
	}
	for v, err := range s.reviews.Of(mike).All(ctx) {
		if err != nil {
			return err
		}
		found.Add("Mike's review: %d stars, %s: %s", v.Rating, v.ReviewerName, v.Comment)
	}
	return nil
}

func (s *story) check(ctx context.Context, found *report.Findings) error {
	p, err := s.shop.Product(ctx, sarah, s.bricks.ID, dynastay.Consistent)
	if err != nil {
		return err
	}
	if ordered := s.order.Items[0].Quantity; p.Stock+ordered != supplied {
		return fmt.Errorf("%d in stock and %d ordered of %d", p.Stock, ordered, supplied)
	}
	found.Add("%d bricks in stock, %d ordered, %d supplied", p.Stock, s.order.Items[0].Quantity, supplied)
	for id, want := range map[string]people.Profile{
		ana: {Projects: 1, Ratings: 1, Stars: 4}, ben: {}, mike: {Jobs: 1, Ended: 1, Ratings: 1, Stars: 5}, thandi: {},
		sarah: {Orders: 1, Ratings: 1, Stars: 4},
	} {
		p, err := s.people.Profile(ctx, id, dynastay.Consistent)
		if err != nil {
			return err
		}
		got := people.Profile{Projects: p.Projects, Jobs: p.Jobs, Ended: p.Ended, Orders: p.Orders, Ratings: p.Ratings, Stars: p.Stars}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("the counters of %s are %v, not %v", id, got, want)
		}
	}
	found.Add("all counters are those of what has happened")
	return nil
}
