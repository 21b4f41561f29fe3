package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// all reads a list.
func all[T any](t *testing.T, l dynastay.Listing[T]) (items []T) {
	t.Helper()
	for item, err := range l.All(t.Context()) {
		require.NoError(t, err)
		items = append(items, item)
	}
	return items
}

func TestUsers(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ctx := t.Context()
	u, err := h.repo.CreateUser(ctx, venue.User{Email: " Ann@Example.com", Name: "Ann", Role: venue.Admin, RequestedCount: 7, ApprovedCount: 7})
	require.NoError(t, err)
	assert.Equal(t, &venue.User{
		ID: u.ID, Email: "ann@example.com", Name: "Ann", Role: venue.Customer, CreatedAt: now, UpdatedAt: now, Version: 1,
	}, u, "nobody makes themselves an administrator")
	_, err = h.repo.CreateUser(ctx, venue.User{Email: "ANN@example.com", Name: "Another"})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)

	u, err = h.repo.UpdateUser(ctx, u.ID, func(u *venue.User) error { u.Email = "Ann@Example.org"; return nil }, dynastay.IfVersion(1))
	require.NoError(t, err)
	assert.Equal(t, "ann@example.org", u.Email)
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := h.repo.UserByEmail(ctx, "ann@EXAMPLE.org", opts...)
		require.NoError(t, err)
		assert.Equal(t, u, found)
		_, err = h.repo.UserByEmail(ctx, "ann@example.com", opts...)
		require.ErrorIs(t, err, dynastay.ErrNotFound, "the old address is free")
	}
	other, err := h.repo.CreateUser(ctx, venue.User{Email: "ann@example.com", Name: "Another"})
	require.NoError(t, err)
	const unseen = "b\u200ben@example.com"
	_, err = h.repo.CreateUser(ctx, venue.User{Email: unseen, Name: "Ben"})
	require.ErrorContains(t, err, "invisible")
	_, err = h.repo.UpdateUser(ctx, other.ID, func(u *venue.User) error { u.Email = unseen; return nil })
	require.ErrorContains(t, err, "invisible")

	_, err = h.repo.SetRole(ctx, ann, u.ID, venue.Admin)
	require.ErrorIs(t, err, venue.ErrNotAllowed)
	u, err = h.repo.SetRole(ctx, admin, u.ID, venue.Admin)
	require.NoError(t, err)
	assert.Equal(t, venue.Admin, u.Role)
	assert.Equal(t, 3, u.Version)
	_, err = h.repo.UpdateUser(ctx, other.ID, func(u *venue.User) error { u.Role = venue.Admin; return nil })
	require.Error(t, err)
	stored, err := h.repo.User(ctx, other.ID)
	require.NoError(t, err)
	assert.Equal(t, venue.Customer, stored.Role)
	again, err := h.repo.SetRole(ctx, admin, u.ID, venue.Admin)
	require.NoError(t, err)
	assert.Equal(t, u, again, "the role does not change")
	log := all(t, h.repo.Audit(dynastay.DateOf(now, nil)))
	require.Len(t, log, 1)
	assert.Equal(t, venue.AuditEntry{
		ID: log[0].ID, At: now, By: admin.UserID, Role: venue.Admin, Action: venue.RoleSet, UserID: u.ID, Note: "admin",
	}, *log[0])
}

// A user who was read and is stored under another id is a new user.
func TestCopyOfAUser(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	h.approved(t, ann, day, venue.Morning)
	u, err := h.repo.User(t.Context(), ann.UserID)
	require.NoError(t, err)
	u.ID, u.Email = "user_copy", "copy@example.com"
	_, err = h.repo.CreateUser(t.Context(), *u)
	require.NoError(t, err)
	for _, count := range []string{"requestedCount", "approvedCount", "countsMoved"} {
		assert.Nil(t, h.stored(t, "USER#user_copy", "METADATA")[count], count)
	}
}

// Other software tells the items apart by their entityType.
func TestKindsOfItems(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	b, err := h.repo.Approve(ctx, admin, venue.Approval{
		BookingID: h.asked(t, ann, day, venue.Morning).ID, Version: 1, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour),
	})
	require.NoError(t, err)
	_, err = h.repo.RecordPayment(ctx, venue.Payment{BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid})
	require.NoError(t, err)
	_, err = h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"})
	require.NoError(t, err)
	kinds := map[any]int{}
	for _, item := range h.all(t) {
		kinds[item["entityType"]]++
	}
	assert.Equal(t, map[any]int{
		"User": 1, "Guard": 1, "Booking": 1, "UserBooking": 1, "Event": 1, "LockCode": 1, "Payment": 1, "Notification": 1, "AuditEntry": 3,
	}, kinds)
}

func TestListsOfBookings(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	var asked []*venue.Booking
	for i := range 5 {
		asked = append(asked, h.asked(t, ann, day.AddDays(i), venue.Morning))
		h.asked(t, ben, day.AddDays(i), venue.Morning)
		h.Clock.Advance(time.Minute)
	}
	_, err := h.repo.Approve(t.Context(), admin, approval(asked[1]))
	require.NoError(t, err)
	var of []string
	for _, b := range all(t, h.repo.BookingsOf(ann.UserID)) {
		of = append(of, b.BookingID)
	}
	assert.Equal(t, []string{asked[4].ID, asked[3].ID, asked[2].ID, asked[1].ID, asked[0].ID}, of)
	var before time.Time
	pending := all(t, h.repo.Pending())
	assert.Len(t, pending, 9)
	for _, b := range pending {
		assert.False(t, b.RequestedAt.Before(before))
		assert.Equal(t, venue.Pending, b.Status)
		before = b.RequestedAt
	}
	assert.NotContains(t, pending, asked[1])
}

func TestEvents(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	e, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	assert.Equal(t, venue.Event{
		ID: e.ID, Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz", CreatedBy: admin.UserID, CreatedAt: now,
		UpdatedAt: now, Version: 1, WriteID: e.WriteID,
	}, *e)
	b := h.approved(t, ann, day, venue.Morning)
	events, err := h.repo.EventsOn(ctx, day)
	require.NoError(t, err)
	require.Len(t, events, 2)
	assert.Equal(t, []venue.Slot{venue.Morning, venue.Afternoon}, []venue.Slot{events[0].Slot, events[1].Slot})

	_, err = h.repo.UpdateEvent(ctx, admin, e.Ref(), func(e *venue.Event) error { e.Title, e.Type = "Folk", "party"; return nil })
	require.NoError(t, err)
	_, err = h.repo.UpdateEvent(ctx, admin, e.Ref(), func(e *venue.Event) error { e.Title = "Pop"; return nil }, dynastay.IfVersion(1))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = h.repo.UpdateEvent(ctx, admin, events[0].Ref(), func(e *venue.Event) error { e.Type = "party"; return nil })
	invalid(t, err, "Type")
	_, err = h.repo.UpdateEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Afternoon, ID: "evt_another"}, func(*venue.Event) error { return nil })
	require.ErrorIs(t, err, dynastay.ErrNotFound, "the slot holds another event")
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Afternoon, ID: "evt_another"}), dynastay.ErrNotFound)
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, events[0].Ref()), venue.ErrOfBooking)
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, e.Ref(), dynastay.IfVersion(1)), dynastay.ErrVersion)
	require.NoError(t, h.repo.DeleteEvent(ctx, admin, e.Ref(), dynastay.IfVersion(2)))
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, e.Ref()), dynastay.ErrNotFound)

	tango, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(31), Slot: venue.Morning, Type: "concert", Title: "Tango"})
	require.NoError(t, err)
	event, booking, err := h.repo.EventWithBooking(ctx, tango.Date, venue.Morning)
	require.NoError(t, err)
	assert.Equal(t, tango, event)
	assert.Nil(t, booking, "the venue's own event")
	days, err := h.repo.Availability(ctx, dynastay.MonthOf(day))
	require.NoError(t, err)
	assert.Len(t, days, 31)
	for _, d := range days {
		busy := d.Date == day
		assert.Equal(t, !busy, d.Free(venue.Morning), d.Date)
		assert.True(t, d.Free(venue.Afternoon), d.Date)
		assert.Equal(t, !busy, d.Free(venue.FullDay), d.Date)
		assert.False(t, d.Free("EVENING"))
	}
	assert.False(t, venue.Day{}.Free(venue.Morning))
	event, booking, err = h.repo.EventWithBooking(ctx, day, venue.Morning)
	require.NoError(t, err)
	assert.Equal(t, b.EventID, event.ID)
	assert.Equal(t, b, booking)
	days, err = h.repo.Availability(ctx, dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(venue.MaxDays)})
	require.NoError(t, err)
	assert.Len(t, days, 366)
	var actions []venue.Action
	for _, entry := range all(t, h.repo.Audit(dynastay.DateOf(now, nil))) {
		actions = append(actions, entry.Action)
	}
	assert.ElementsMatch(t, []venue.Action{
		venue.EventCreated, venue.BookingRequested, venue.BookingApproved, venue.EventUpdated, venue.EventDeleted, venue.EventCreated,
	}, actions)
}

func TestLockCodes(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	from, until := now.Add(time.Hour), now.Add(5*time.Hour)
	b, err := h.repo.Approve(ctx, admin, venue.Approval{
		BookingID: h.asked(t, ann, day, venue.Morning).ID, Version: 1, Code: "1234", ValidFrom: from, ValidUntil: until,
	})
	require.NoError(t, err)
	code, err := h.repo.LockCode(ctx, b.EventID)
	require.NoError(t, err)
	assert.Equal(t, venue.LockCode{
		EventID: b.EventID, Date: day, Slot: venue.Morning, Code: "1234", ValidFrom: from, ValidUntil: until, CreatedAt: now,
		WriteID: code.WriteID,
	}, *code)
	next := venue.LockCode{ // not as it is stored
		EventID: b.EventID, Date: day, Slot: venue.Morning, Code: "5678",
		ValidFrom: from.Add(1).In(time.FixedZone("", 3600)), ValidUntil: until.Add(1).In(time.FixedZone("", 3600)),
	}
	_, err = h.repo.SetLockCode(ctx, ann, next)
	require.ErrorIs(t, err, venue.ErrNotAllowed)
	set, err := h.repo.SetLockCode(ctx, admin, next)
	require.NoError(t, err)
	code, err = h.repo.LockCode(ctx, b.EventID)
	require.NoError(t, err)
	assert.Equal(t, code, set)
	assert.NotEmpty(t, set.WriteID)
	concert, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	codes, err := h.repo.LockCodesOn(ctx, day)
	require.NoError(t, err)
	require.Len(t, codes, 1)
	assert.Equal(t, "5678", codes[0].Code)
	other := next
	other.EventID = concert.ID
	_, err = h.repo.SetLockCode(ctx, admin, other)
	require.ErrorIs(t, err, dynastay.ErrNotFound, "the concert is in another slot")
	other.Slot = venue.Afternoon
	_, err = h.repo.SetLockCode(ctx, admin, other)
	require.NoError(t, err)
	h.consistency(t)

	_, err = h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	require.NoError(t, h.repo.DeleteEvent(ctx, admin, concert.Ref()))
	for _, id := range []string{b.EventID, concert.ID} {
		_, err = h.repo.LockCode(ctx, id)
		require.ErrorIs(t, err, dynastay.ErrNotFound, "nobody opens the doors for an event that does not take place")
	}
	_, err = h.repo.SetLockCode(ctx, admin, next)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	codes, err = h.repo.LockCodesOn(ctx, day)
	require.NoError(t, err)
	assert.Empty(t, codes)
	var recorded []venue.AuditEntry
	for _, entry := range all(t, h.repo.Audit(dynastay.DateOf(now, nil))) {
		if entry.Action == venue.LockCodeSet {
			entry.ID = ""
			recorded = append(recorded, *entry)
		}
	}
	one := venue.AuditEntry{At: now, By: admin.UserID, Role: venue.Admin, Action: venue.LockCodeSet, EventID: b.EventID}
	approval, two := one, one
	approval.BookingID, approval.UserID = b.ID, ann.UserID
	two.EventID = concert.ID
	assert.ElementsMatch(t, []venue.AuditEntry{approval, one, two}, recorded, "without the code itself")
}

// A payment moves forward only, in whatever order the provider reports it.
func TestPayments(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	report := func(status venue.PaymentStatus) venue.Recorded {
		t.Helper()
		got, err := h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("250.00", "EUR"), Status: status, Method: "card",
		})
		require.NoError(t, err)
		return got
	}
	for _, step := range []struct {
		report, want venue.PaymentStatus
		changed      bool
	}{
		{venue.PaymentFailed, venue.PaymentFailed, true},
		{venue.PaymentPending, venue.PaymentFailed, false},
		{venue.PaymentPaid, venue.PaymentPaid, true},
		{venue.PaymentPaid, venue.PaymentPaid, false},
		{venue.PaymentFailed, venue.PaymentPaid, false},
		{venue.PaymentRefunded, venue.PaymentRefunded, true},
		{venue.PaymentPaid, venue.PaymentRefunded, false},
	} {
		got := report(step.report)
		assert.Equal(t, step.want, got.Payment.Status, step)
		assert.Equal(t, step.changed, got.Changed, step)
	}
	cash, err := h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("250.00", "EUR"), Status: venue.PaymentRefunded, Method: "cash",
	})
	require.NoError(t, err)
	assert.False(t, cash.Changed, "the method of a status that was reported before")
	_, err = h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("25.00", "EUR"), Status: venue.PaymentPaid,
	})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists, "another amount")
	_, err = h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: "bkg_none", ID: "ch_1", Amount: dynastay.MustMoney("25.00", "EUR"), Status: venue.PaymentPaid,
	})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	payments := all(t, h.repo.PaymentsOf(b.ID))
	require.Len(t, payments, 1)
	assert.Equal(t, venue.Payment{
		BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("250.00", "EUR"), Status: venue.PaymentRefunded, Method: "card",
		CreatedAt: now, UpdatedAt: now, WriteID: payments[0].WriteID,
	}, *payments[0])
}

// A message is written if, and only if, what it is about is written.
func TestNotifications(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	tell := func(b *venue.Booking) *dynastay.Operation[*venue.Notification] {
		return h.repo.NotifyOp(venue.Notification{UserID: ann.UserID, BookingID: b.ID, Title: "Approved"})
	}
	require.NoError(t, h.Write(ctx, h.repo.ApproveOp(admin, approval(b)), tell(b)))
	h.Clock.Advance(time.Second)
	loser := h.asked(t, ann, day, venue.FullDay)
	var taken *venue.SlotTaken
	require.ErrorAs(t, h.Write(ctx, h.repo.ApproveOp(admin, approval(loser)), tell(loser)), &taken)
	_, err := h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News", ReadAt: now})
	require.NoError(t, err)
	messages := all(t, h.repo.NotificationsOf(ann.UserID))
	require.Len(t, messages, 2)
	assert.Equal(t, []string{"News", "Approved"}, []string{messages[0].Title, messages[1].Title})
	assert.True(t, messages[0].ReadAt.IsZero(), "only MarkRead sets it")

	h.Clock.Advance(time.Hour)
	read, err := h.repo.MarkRead(ctx, *messages[0])
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Hour+time.Second), read.ReadAt)
	h.Clock.Advance(time.Hour)
	again, err := h.repo.MarkRead(ctx, *messages[0])
	require.NoError(t, err)
	assert.Equal(t, read.ReadAt, again.ReadAt)
	_, err = h.repo.MarkRead(ctx, venue.Notification{UserID: ben.UserID, CreatedAt: messages[0].CreatedAt, ID: messages[0].ID})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	h.consistency(t)
}
