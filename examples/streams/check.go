package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// check compares what the handlers have done with what the repositories return.
func (s *story) check(ctx context.Context, out *report.Findings) error {
	notified, err := s.notified(ctx)
	if want := rooms + 2*cancelled; err == nil && notified != want {
		err = fmt.Errorf("%d notifications, want %d", notified, want)
	}
	out.Row("notifications", notified, fmt.Sprintf("for %d bookings; %d changes were handled twice", rooms, s.handled.crashes.count()))
	err = errors.Join(err, s.checkIndex(ctx, out), s.checkOutbox(ctx, out))
	s.handled.errs.mu.Lock()
	defer s.handled.errs.mu.Unlock()
	for _, other := range s.handled.errs.others {
		out.Row("a process survived: " + other)
	}
	return errors.Join(err, s.handled.errs.lost)
}

// notified returns the number of notifications. It fails unless each booking has one for each event in its life.
func (s *story) notified(ctx context.Context) (total int, err error) {
	var ids []string
	for _, b := range s.sold {
		ids = append(ids, b.ID)
	}
	all, err := s.bookings.GetAll(ctx, ids, dynastay.Consistent)
	if err != nil {
		return 0, err
	}
	for _, b := range all {
		want, err := s.eventsOf(ctx, b)
		if err != nil {
			return total, err
		}
		got, err := s.notificationsOf(ctx, b)
		if err != nil {
			return total, err
		}
		if !slices.Equal(got, want) {
			return total, fmt.Errorf("booking %s has notifications %q, want %q", b.ID, got, want)
		}
		total += len(got)
	}
	return total, nil
}

// eventsOf returns the events in the life of a booking, sorted by name.
func (s *story) eventsOf(ctx context.Context, b *bookings.Booking) (events []string, err error) {
	if !b.CancelledAt.IsZero() {
		events = append(events, "cancelled")
	}
	if !b.ConfirmedAt.IsZero() {
		events = append(events, "confirmed")
	}
	history, err := s.bookings.PaymentHistory(ctx, b.ID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	for _, refund := range history.Refunds {
		if refund.Status == bookings.PaymentRefunded {
			events = append(events, "refunded")
		}
	}
	return events, nil
}

// notificationsOf returns the events that were written for a booking, sorted by name.
func (s *story) notificationsOf(ctx context.Context, b *bookings.Booking) (events []string, err error) {
	partition, err := key.Partition(notificationKey{BookingID: b.ID})
	if err != nil {
		return nil, err
	}
	for n, err := range entity.NewTable(s.db, notifications).List(query(partition)).All(ctx) {
		if err != nil {
			return nil, err
		}
		events = append(events, n.Event)
	}
	slices.Sort(events)
	return events, nil
}

func query(partition string) dynastay.Query {
	return dynastay.Query{Name: "check", Partition: partition, Consistent: true}
}

func (s *story) checkIndex(ctx context.Context, out *report.Findings) error {
	h, err := s.properties.Get(ctx, hotelID, dynastay.Consistent)
	if err != nil {
		return err
	}
	want := map[dynastay.Key]string{}
	at, err := keys.Of(keys.Property{PropertyID: h.ID})
	if err != nil {
		return err
	}
	want[at] = textOfHotel(h)
	for n := range guests {
		u, err := s.users.Get(ctx, guest(n).ID, dynastay.Consistent)
		if errors.Is(err, dynastay.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if at, err = keys.Of(keys.Profile{UserID: u.ID}); err != nil {
			return err
		}
		want[at] = textOfGuest(u)
	}
	for at, text := range want {
		if d, _ := s.handled.index.get(at); d.deleted || d.text != text {
			return fmt.Errorf("the index has %+v of %s, want %q", d, at, text)
		}
	}
	documents, markers, ignored := s.handled.index.size()
	if documents != len(want) || documents != guests || markers != 1 {
		return fmt.Errorf("the index has %d documents and %d markers, want %d and 1", documents, markers, len(want))
	}
	out.Row("index", documents, fmt.Sprintf("documents, as the repositories return them; %d old change ignored", ignored))
	return nil
}

// checkOutbox also checks that the outbox is empty.
func (s *story) checkOutbox(ctx context.Context, out *report.Findings) error {
	once := map[string]int{}
	var all []dynastay.Key
	for _, id := range s.sent {
		at, err := key.Of(messageKey{id})
		if err != nil {
			return err
		}
		once[id], all = 1, append(all, at)
	}
	if want := rooms + 2; len(once) != want {
		return fmt.Errorf("%d messages were sent, want %d", len(once), want)
	}
	if err := s.delivered(ctx, once); err != nil {
		return err
	}
	left, err := s.messages.GetAll(ctx, all, dynastay.Consistent)
	if err != nil {
		return err
	}
	if left = slices.DeleteFunc(left, func(m *message) bool { return m == nil }); len(left) > 0 {
		return fmt.Errorf("%d messages are still in the outbox", len(left))
	}
	dead, err := parked(ctx, s.db)
	if err != nil || len(dead) > 0 {
		return fmt.Errorf("%d dead letters are left: %w", len(dead), err)
	}
	out.Row("messages", len(once), fmt.Sprintf("delivered in %d calls; %d responses were lost", s.handled.received.Load(), s.handled.lost.count()))
	return nil
}

// delivered fails unless the hotel's system has handled each message as often as wanted.
func (s *story) delivered(ctx context.Context, want map[string]int) error {
	for id, times := range want {
		partition, err := key.Partition(receiptKey{MessageID: id})
		if err != nil {
			return err
		}
		got := 0
		for _, err := range entity.NewTable(s.db, receipts).List(query(partition)).All(ctx) {
			if err != nil {
				return err
			}
			got++
		}
		if got != times {
			return fmt.Errorf("message %s was delivered %d times, want %d", id, got, times)
		}
	}
	return nil
}
