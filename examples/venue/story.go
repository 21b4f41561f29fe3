package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/examples/report"
)

// story holds the hall and what one step leaves for the next.
type story struct {
	db          *dynastay.DB
	hall, other *venue.Repository // of two processes
	now         time.Time
	colours     bool
	bookings    map[string]*venue.Booking // by what they are
}

var (
	admin = venue.Actor{UserID: "user_carla", Role: venue.Admin}
	ada   = venue.Actor{UserID: "user_ada", Role: venue.Customer}
	ben   = venue.Actor{UserID: "user_ben", Role: venue.Customer}
	eva   = venue.Actor{UserID: "user_eva", Role: venue.Customer}
	users = []venue.Actor{ada, ben, eva}
)

func july(day int) dynastay.Date { return dynastay.MustDate(fmt.Sprintf("2037-07-%02d", day)) }

func (s *story) month(ctx context.Context, out *report.Report) error {
	for _, step := range []struct {
		title string
		do    func(context.Context, *report.Findings) error
	}{
		{"Ada, Ben and Eva sign up", s.signUp},
		{"They request slots in July", s.request},
		{"Carla looks at what waits for a decision", s.inbox},
		{"She approves Ada's wedding, with a lock code and a message", s.approve},
		{"The approval is sent again, because its answer was lost", s.again},
		{"Two administrators approve Ben's morning and Eva's full day of 18 July", s.race},
		{"Ben makes his yoga course larger while Carla approves it", s.changed},
		{"Carla closes the hall for the floor to be polished", s.close},
		{"The provider reports Ada's payment twice", s.pay},
		{"Ben cancels his chess morning; the slot is free for the school", s.cancel},
		{"Who did what today", s.audit},
		{"Carla looks at July", s.draw},
		{"The statistics are compared with a recount", s.recount},
	} {
		s.now = s.now.Add(10 * time.Minute)
		if err := out.Step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return out.Total()
}

func (s *story) signUp(ctx context.Context, found *report.Findings) error {
	for _, u := range []venue.User{
		{ID: ada.UserID, Email: "Ada@Example.com", Name: "Ada", Phone: "+39 123 456 7890"},
		{ID: ben.UserID, Email: "ben@example.com", Name: "Ben"},
		{ID: eva.UserID, Email: "eva@example.com", Name: "Eva"},
	} {
		if _, err := s.hall.CreateUser(ctx, u); err != nil {
			return err
		}
	}
	_, err := s.hall.CreateUser(ctx, venue.User{Email: "ADA@example.com", Name: "Another Ada"})
	if !errors.Is(err, dynastay.ErrAlreadyExists) {
		return fmt.Errorf("one address has two users: %w", err)
	}
	found.Add("a second user with Ada's address: %v", err)
	return nil
}

func (s *story) request(ctx context.Context, found *report.Findings) error {
	for _, r := range []struct {
		by    venue.Actor
		day   int
		slot  venue.Slot
		what  string
		guest int
	}{
		{ada, 11, venue.FullDay, "Wedding", 120},
		{ben, 18, venue.Morning, "Chess", 16},
		{eva, 18, venue.FullDay, "Birthday party", 50},
		{ben, 21, venue.Morning, "Yoga", 20},
		{eva, 21, venue.Afternoon, "Choir", 40},
		{ada, 25, venue.Afternoon, "Book club", 12},
	} {
		b, err := s.hall.Request(ctx, r.by, venue.Request{
			UserID: r.by.UserID, Date: july(r.day), Slot: r.slot, Description: r.what, Attendees: r.guest,
		})
		if err != nil {
			return err
		}
		s.bookings[r.what] = b
		s.now = s.now.Add(time.Minute)
		found.Add("%-15s %s %-9s  %3d people  %s", r.what, b.Date, b.Slot, b.Attendees, b.Status)
	}
	return nil
}

func (s *story) inbox(ctx context.Context, found *report.Findings) error {
	n := 0
	for b, err := range s.hall.Pending().All(ctx) {
		if err != nil {
			return err
		}
		if n++; n == 1 {
			found.Add("first of all %s's %s, requested at %s", b.UserID, b.Description, b.RequestedAt.Format("15:04"))
		}
	}
	if n != len(s.bookings) {
		return fmt.Errorf("%d bookings wait, not %d", n, len(s.bookings))
	}
	found.Add("%d requests wait", n)
	return nil
}

func (s *story) wedding() (venue.Approval, venue.Notification, dynastay.Idempotency) {
	b := s.bookings["Wedding"]
	from := time.Date(2037, 7, 11, 6, 0, 0, 0, time.UTC)
	return venue.Approval{BookingID: b.ID, Version: 1, Title: "Ada and Tom", Code: "4711", ValidFrom: from, ValidUntil: from.Add(18 * time.Hour)},
		venue.Notification{UserID: b.UserID, BookingID: b.ID, Title: "Your wedding is approved"},
		dynastay.IdempotencyKey("approve-wedding").Of(admin.UserID)
}

// approve writes an approval, its lock code and a message in one transaction.
func (s *story) approve(ctx context.Context, found *report.Findings) error {
	approval, message, key := s.wedding()
	approved := s.hall.ApproveOp(admin, approval)
	if err := s.db.Write(ctx, key, approved, s.hall.NotifyOp(message)); err != nil {
		return err
	}
	b := approved.Result()
	s.bookings["Wedding"] = b
	codes, err := s.hall.LockCodesOn(ctx, b.Date, dynastay.Consistent)
	if err != nil {
		return err
	}
	for _, code := range codes {
		found.Add("%s %s  code %s from %s until %s", code.Date, code.Slot, code.Code,
			code.ValidFrom.Format("15:04"), code.ValidUntil.Format("15:04 MST"))
	}
	return nil
}

// again fails if the same approval writes anything a second time.
func (s *story) again(ctx context.Context, found *report.Findings) error {
	approval, message, key := s.wedding()
	approved := s.hall.ApproveOp(admin, approval)
	if err := s.db.Write(ctx, key, approved, s.hall.NotifyOp(message)); err != nil {
		return err
	}
	if v := approved.Result().Version; v != s.bookings["Wedding"].Version {
		return fmt.Errorf("the repeated approval wrote version %d", v)
	}
	found.Add("the same result, nothing was written")
	return nil
}

// race fails unless exactly one of two administrators in two processes gets the slot, and the request of the other one
// stays pending.
func (s *story) race(ctx context.Context, found *report.Findings) error {
	asked := []*venue.Booking{s.bookings["Chess"], s.bookings["Birthday party"]}
	errs := make([]error, 2)
	var all sync.WaitGroup
	for i, process := range []*venue.Repository{s.hall, s.other} {
		all.Go(func() {
			_, errs[i] = process.Approve(ctx, admin, venue.Approval{BookingID: asked[i].ID, Version: asked[i].Version})
		})
	}
	all.Wait()
	winner, loser := 0, 1
	if errs[0] != nil {
		winner, loser = 1, 0
	}
	var taken *venue.SlotTaken
	if errs[winner] != nil || !errors.As(errs[loser], &taken) {
		return fmt.Errorf("exactly one administrator must get the slot: %w", errors.Join(errs...))
	}
	if len(taken.Events) != 1 || taken.Events[0].BookingID != asked[winner].ID {
		return fmt.Errorf("the slot is not that of the winner: %w", taken)
	}
	found.Add("one of them is approved")
	for i, b := range asked {
		now, err := s.hall.Booking(ctx, b.ID, dynastay.Consistent)
		if err != nil {
			return err
		}
		if want := map[bool]venue.Status{true: venue.Approved, false: venue.Pending}[i == winner]; now.Status != want {
			return fmt.Errorf("%s is %s", b.Description, now.Status)
		}
		s.bookings[b.Description] = now
	}
	found.Add("the other one is told which event holds the slot, and its request is still pending")
	if winner == 0 {
		return nil
	}
	// From here on, the story is that of the chess morning.
	if _, err := s.hall.Cancel(ctx, eva, venue.Cancellation{BookingID: asked[1].ID, Version: 2}); err != nil {
		return err
	}
	b, err := s.hall.Approve(ctx, admin, venue.Approval{BookingID: asked[0].ID, Version: 1})
	s.bookings["Chess"] = b
	return err
}

// changed fails if an administrator approves what she has not seen.
func (s *story) changed(ctx context.Context, found *report.Findings) error {
	seen := s.bookings["Yoga"]
	b, err := s.hall.Update(ctx, ben, seen.ID, func(b *venue.Booking) error {
		b.Slot, b.Attendees = venue.FullDay, 200
		return nil
	})
	if err != nil {
		return err
	}
	_, err = s.hall.Approve(ctx, admin, venue.Approval{BookingID: seen.ID, Version: seen.Version})
	if !errors.Is(err, dynastay.ErrVersion) {
		return fmt.Errorf("a request was approved that nobody has read: %w", err)
	}
	found.Add("the approval of version %d: %v", seen.Version, dynastay.ErrVersion)
	_, err = s.hall.Reject(ctx, admin, venue.Rejection{BookingID: b.ID, Version: b.Version, Reason: "not for 200 people"})
	found.Add("version %d is for %d people, and is rejected", b.Version, b.Attendees)
	return err
}

func (s *story) close(ctx context.Context, found *report.Findings) error {
	var parts []dynastay.Part
	for day := 27; day <= 29; day++ {
		parts = append(parts, s.hall.CreateEventOp(admin, venue.Event{
			Date: july(day), Slot: venue.FullDay, Type: "maintenance", Title: "The floor is polished",
		}))
	}
	found.Add("three days in one transaction")
	return s.db.Write(ctx, parts...)
}

func (s *story) pay(ctx context.Context, found *report.Findings) error {
	for range 2 {
		got, err := s.hall.RecordPayment(ctx, venue.Payment{
			BookingID: s.bookings["Wedding"].ID, ID: "ch_1", Amount: dynastay.MustMoney("450.00", "EUR"),
			Status: venue.PaymentPaid, Method: "card",
		})
		if err != nil {
			return err
		}
		found.Add("%s %s  new: %t", got.Payment.Amount, got.Payment.Status, got.Changed)
	}
	return nil
}

func (s *story) cancel(ctx context.Context, found *report.Findings) error {
	b := s.bookings["Chess"]
	if _, err := s.hall.Cancel(ctx, ben, venue.Cancellation{BookingID: b.ID, Version: b.Version, Reason: "no boards"}); err != nil {
		return err
	}
	e, err := s.hall.CreateEvent(ctx, admin, venue.Event{Date: b.Date, Slot: venue.Morning, Type: "school", Title: "Graduation"})
	if err != nil {
		return err
	}
	found.Add("%s %s  %s", e.Date, e.Slot, e.Title)
	return nil
}

func (s *story) audit(ctx context.Context, found *report.Findings) error {
	times := map[venue.Action]int{}
	var order []venue.Action
	for e, err := range s.hall.Audit(dynastay.DateOf(s.now, nil)).All(ctx) {
		if err != nil {
			return err
		}
		if times[e.Action]++; times[e.Action] == 1 {
			order = append(order, e.Action)
		}
	}
	for _, action := range order {
		found.Add("%-18s %d", action, times[action])
	}
	return nil
}

// recount fails if a user's statistics are wrong.
func (s *story) recount(ctx context.Context, found *report.Findings) error {
	for _, who := range users {
		before, err := s.hall.User(ctx, who.UserID, dynastay.Consistent)
		if err != nil {
			return err
		}
		after, err := s.hall.Recount(ctx, who.UserID)
		if err != nil {
			return err
		}
		if before.RequestedCount != after.RequestedCount || before.ApprovedCount != after.ApprovedCount {
			return fmt.Errorf("%s has %d and %d, but a recount %d and %d", before.Name,
				before.RequestedCount, before.ApprovedCount, after.RequestedCount, after.ApprovedCount)
		}
		found.Add("%s  %d requested, %d approved", after.Name, after.RequestedCount, after.ApprovedCount)
	}
	return nil
}
