package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// checkOut ends the stay, and credits the guest's loyalty account in the same transaction.
func (d *desk) checkOut(ctx context.Context, out *report.Findings) error {
	d.clock = longer.CheckOut.Time().Add(15 * time.Hour)
	left := d.bookings.CheckOutOp(d.booking.ID)
	earned := d.users.EarnOp(users.Movement{
		UserID: d.booking.UserID, ReasonID: d.booking.ID, Points: 818, Note: "a point for each dollar",
	})
	if err := d.db.Write(ctx, left, earned); err != nil {
		return err
	}
	b := left.Result()
	out.Row(b.Reference, b.Status, b.CheckedInAt.Format("Jan 2 15:04"), b.CheckedOutAt.Format("Jan 2 15:04"))
	out.Row(b.UserID, fmt.Sprintf("%d points", earned.Result().Balance))
	page, err := d.bookings.Past(b.UserID, longer.CheckOut).Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, past := range page.Items {
		out.Row("past", past.Reference, past.Status, past.Stay, past.Total)
	}
	return nil
}

// review writes a review of the stay, which only the guest of the booking can do, and only once.
func (d *desk) review(ctx context.Context, out *report.Findings) error {
	draft := reviews.Review{
		BookingID: d.booking.ID, UserID: d.booking.UserID, PropertyID: d.booking.PropertyID, StayDate: longer.CheckIn,
		Ratings: reviews.Ratings{Overall: 91, Location: 100, Value: 84},
		Title:   "Right in the middle", Text: "A quiet room, two steps from everything.", TripType: reviews.Couple, GuestName: "Grace H.",
	}
	stranger := draft
	stranger.UserID = "user_mallory"
	_, err := d.reviews.Create(ctx, stranger)
	if !errors.Is(err, reviews.ErrOtherUser) {
		return fmt.Errorf("a stranger must not review the stay, got %v", err)
	}
	out.Row("mallory", "refused: "+reviews.ErrOtherUser.Error())
	if d.written, err = d.reviews.Create(ctx, draft); err != nil {
		return err
	}
	out.Row(d.written.GuestName, d.written.Title, d.written.Ratings.Overall, d.written.Status)
	_, err = d.reviews.Create(ctx, draft)
	if !errors.Is(err, dynastay.ErrAlreadyExists) {
		return fmt.Errorf("a stay must not be reviewed twice, got %v", err)
	}
	out.Row("again", "refused: the booking has a review")
	return nil
}

// moderate approves what has waited longest, as the moderator has read it.
func (d *desk) moderate(ctx context.Context, out *report.Findings) error {
	page, err := d.reviews.Pending().Page(ctx, dynastay.Paging{Limit: 10})
	if err != nil {
		return err
	}
	for _, waiting := range page.Items {
		approved, err := d.reviews.Approve(ctx, waiting.ID, waiting.Version)
		if err != nil {
			return err
		}
		out.Row(approved.Title, approved.Status)
	}
	hotel, err := d.properties.Get(ctx, d.booking.PropertyID)
	if err != nil {
		return err
	}
	out.Row(hotel.Name, hotel.Rating, counted(hotel.ReviewCount, "review"))
	return nil
}

// respond gives the review a response and a vote, and shows it as the page of the hotel does.
func (d *desk) respond(ctx context.Context, out *report.Findings) error {
	if _, err := d.reviews.Respond(ctx, reviews.Response{
		ReviewID: d.written.ID, ResponderID: "user_host", ResponderName: "The front desk", Text: "Come back soon!",
	}); err != nil {
		return err
	}
	if err := d.reviews.Vote(ctx, d.written.ID, "user_ada"); err != nil {
		return err
	}
	err := d.reviews.Vote(ctx, d.written.ID, "user_ada")
	if !errors.Is(err, dynastay.ErrAlreadyExists) {
		return fmt.Errorf("a vote must be counted once, got %v", err)
	}
	page, err := dynastay.Load(d.reviews.ByProperty(d.booking.PropertyID), d.reviews.WithResponses).Page(ctx, dynastay.Paging{Limit: 10})
	if err != nil {
		return err
	}
	for _, shown := range page.Items {
		out.Row(shown.GuestName, shown.Title, shown.Ratings.Overall, counted(shown.HelpfulCount, "vote"))
		out.Row(shown.Response.ResponderName, shown.Response.Text)
	}
	return nil
}

// forget erases the guest. The bookings stay, without the person.
func (d *desk) forget(ctx context.Context, out *report.Findings) error {
	erased, err := d.users.Erase(ctx, d.booking.UserID, d.bookings.Eraser(bookings.RefuseUpcoming), d.properties.Eraser(), d.reviews.Eraser())
	if err != nil {
		return err
	}
	for _, what := range slices.Sorted(maps.Keys(erased.Done)) {
		out.Row(what, erased.Done[what])
	}
	b, err := d.bookings.Get(ctx, d.booking.ID)
	if err != nil {
		return err
	}
	hotel, err := d.properties.Get(ctx, b.PropertyID)
	if err != nil {
		return err
	}
	out.Row(b.Reference, b.Status, b.Total, "anonymised "+b.AnonymisedAt.Format("Jan 2"))
	out.Row(hotel.Name, hotel.Rating, counted(hotel.ReviewCount, "review"))
	return nil
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
