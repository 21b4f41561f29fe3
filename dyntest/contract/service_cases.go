package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
)

var serviceCases = []serviceCase{
	{
		"the race for the last room", []string{"Hold"},
		"exactly one guest gets the last room, and the others are told that it is taken",
		"what the service checks before it writes. Only a condition of the write itself counts, such as those of bookings.Create",
		(*house).lastRoom,
	},
	{
		"the lost answer", []string{"Hold"},
		"a guest who gets no answer and repeats the request has one booking, with the status of one that was not disturbed",
		"the idempotency key, which must be the same in each attempt, and whether everything that belongs to a booking is in one write",
		(*house).lostAnswer,
	},
	{
		"the repeated webhook", []string{"Hold", "Confirm"},
		"a payment counts once, however often and whenever it is reported, and the provider gets no error",
		"how a payment is identified. bookings.ApplyPayment takes any number of reports, whatever has become of the booking",
		(*house).repeatedWebhook,
	},
	{
		"the keyed repetition", []string{"Hold"},
		"a request id belongs to one guest and one stay, and its repetition returns the same booking, even while the first call is running",
		"the scope of the key, dynastay.IdempotencyKey(id).Of(user), and whether the service asks bookings.MadeBy before it says that a room is taken",
		(*house).keyedRepetition,
	},
	{
		"the cancellation", []string{"Hold", "Cancel"},
		"a cancellation returns the room once",
		"whether the room is returned by the write that cancels the booking, as bookings.Cancel does",
		(*house).cancellation,
	},
	{
		"the stranger", []string{"Hold"},
		"nobody sees or cancels somebody else's booking",
		"dynastay.IfUser, which makes the user a condition of the write, and Booking.UserID for reads",
		(*house).stranger,
	},
	{
		"the budget", nil,
		"a call costs at most its limit, does not scan a table, and sends no more requests when there are many bookings",
		"the requests above: something is read for each booking, or read again although it is known",
		(*house).budget,
	},
}

func (h *house) lastRoom() error {
	ask := h.scene()
	if err := h.offered(ask, true); err != nil {
		return err
	}
	var slow, fast string
	err, fastErr := h.overtaken(func(ctx context.Context) (err error) {
		slow, err = h.functions[0].Hold(ctx, "slow", ask)
		return err
	}, func(ctx context.Context) (err error) {
		fast, err = h.functions[1].Hold(ctx, "fast", h.by(ask, 1))
		return err
	})
	switch {
	case fastErr != nil:
		return fmt.Errorf("a guest does not get the only room, although it is free, while another guest's request is in progress: %w", fastErr)
	case err == nil:
		return fmt.Errorf("two guests have the last room: booking %s was made after the service had read, and before it wrote, for %s", fast, slow)
	case !h.final(err):
		return fmt.Errorf("a guest who comes too late is not told that the room is taken, but: %w", err)
	}
	if err := h.sold(ask, fast); err != nil {
		return err
	}
	if err := h.offered(ask, false); err != nil {
		return err
	}
	return h.crowd(h.scene())
}

// crowd has all guests ask at once, while transactions conflict as they do on AWS.
func (h *house) crowd(ask Ask) error {
	h.db.Faults.Conflicts(0)
	var mu sync.Mutex
	var ids []string
	var wrong error
	var guests sync.WaitGroup
	for i := range h.users {
		guests.Go(func() {
			var id string
			err := h.insists(func(ctx context.Context) (err error) {
				id, err = h.functions[i%2].Hold(ctx, fmt.Sprint("crowd-", i), h.by(ask, i))
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ids = append(ids, id)
			} else if !h.final(err) {
				wrong = fmt.Errorf("a guest never gets an answer: %w", err)
			}
		})
	}
	guests.Wait()
	switch {
	case wrong != nil:
		return wrong
	case len(ids) != 1:
		return fmt.Errorf("%d of %d guests were told that they have the last room (bookings %s)", len(ids), len(h.users), strings.Join(ids, ", "))
	}
	return h.sold(ask, ids...)
}

func (h *house) lostAnswer() error {
	ask, id, err := h.held()
	if err != nil {
		return err
	}
	undisturbed, err := bookings.New(h.db.Direct, nil).Get(h.t.Context(), id, dynastay.Consistent)
	if err != nil {
		return err
	}
	return h.brokenOff(func() error {
		ask = h.scene()
		return nil
	}, func(ctx context.Context, f Functions) error {
		_, err := f.Hold(ctx, fmt.Sprint("lost-", h.scenes), ask)
		return err
	}, func() error {
		err := h.insists(func(ctx context.Context) (err error) {
			id, err = h.functions[1].Hold(ctx, fmt.Sprint("lost-", h.scenes), ask)
			return err
		})
		if err != nil {
			return fmt.Errorf("the guest gets: %w", err)
		}
		return cmpOr(h.sold(ask, id), func() error { return h.status(ask, id, undisturbed.Status) })
	})
}

// payment is what a provider reports of a booking.
func (h *house) payment(id string) (bookings.Payment, error) {
	b, err := bookings.New(h.db.Direct, nil).Get(h.t.Context(), id, dynastay.Consistent)
	if err != nil {
		return bookings.Payment{}, err
	}
	return bookings.Payment{
		BookingID: id, Provider: "stripe", ProviderTransactionID: "ch_" + id, Method: "credit_card", Amount: b.Total,
		Status: bookings.PaymentPaid,
	}, nil
}

// paidOnce says what is wrong unless one payment of a booking is recorded.
func (h *house) paidOnce(p bookings.Payment) error {
	history, err := bookings.New(h.db.Direct, nil).PaymentHistory(h.t.Context(), p.BookingID, dynastay.Consistent)
	if err != nil {
		return err
	}
	var paid []bookings.Payment // a service may have recorded, before, that it expects a payment
	for _, recorded := range history.Payments {
		if recorded.Status == bookings.PaymentPaid {
			paid = append(paid, recorded)
		}
	}
	switch {
	case len(paid) != 1:
		return fmt.Errorf("the guest paid once, and %d payments are recorded", len(paid))
	case paid[0].Amount != p.Amount:
		return fmt.Errorf("the guest paid %s, and %s is recorded", p.Amount, paid[0].Amount)
	}
	return nil
}

func (h *house) repeatedWebhook() error {
	for _, at := range []string{"again", "twice at the same time", "to a process that breaks off"} {
		if err := h.webhook(at); err != nil {
			return fmt.Errorf("the provider reports a payment %s: %w", at, err)
		}
	}
	if h.functions[0].Cancel != nil {
		err := h.lateWebhook(func(ask Ask, id string) error { return h.functions[1].Cancel(h.t.Context(), ask.UserID, id) })
		if err != nil {
			return fmt.Errorf("the guest cancels while the payment is recorded: %w", err)
		}
	}
	err := h.lateWebhook(func(_ Ask, id string) error {
		h.db.Clock.Advance(longestHold)
		_, err := bookings.New(h.db.Direct, nil).Expire(h.t.Context(), id)
		if errors.Is(err, dynastay.ErrRefused) {
			return errHoldIsLong
		}
		return err
	})
	if err != nil && !errors.Is(err, errHoldIsLong) {
		return fmt.Errorf("the hold ends while the payment is recorded: %w", err)
	}
	return nil
}

// longestHold is longer than the holds that end in a test. A hold that is longer, or none, does not end.
const longestHold = 3 * 24 * time.Hour

var errHoldIsLong = errors.New("the hold has not ended")

// lateWebhook reports a payment, and has the booking end between what the service reads and what it writes.
func (h *house) lateWebhook(ends func(ask Ask, id string) error) error {
	ask, id, err := h.held()
	if err != nil {
		return err
	}
	paid, err := h.payment(id)
	if err != nil {
		return err
	}
	err, endErr := h.overtaken(
		func(ctx context.Context) error { return h.functions[0].Confirm(ctx, paid) },
		func(context.Context) error { return ends(ask, id) },
	)
	switch {
	case endErr != nil:
		return endErr
	case err != nil:
		return fmt.Errorf("the provider gets an error, and repeats its report for days: %w", err)
	}
	return cmpOr(h.paidOnce(paid), func() error { return h.sold(ask) })
}

func (h *house) webhook(at string) error {
	ask, id, err := h.held()
	if err != nil {
		return err
	}
	paid, err := h.payment(id)
	if err != nil {
		return err
	}
	report := func(process int) func(context.Context) error {
		return func(ctx context.Context) error { return h.functions[process].Confirm(ctx, paid) }
	}
	recorded := func() error {
		return cmpOr(h.paidOnce(paid),
			func() error { return h.sold(ask, id) }, func() error { return h.status(ask, id, bookings.Confirmed) })
	}
	switch at {
	case "again":
		err = errors.Join(h.insists(report(0)), h.insists(report(1)))
	case "twice at the same time":
		err = errors.Join(h.overtaken(report(0), report(1)))
	default:
		return h.brokenOff(func() (err error) {
			if ask, id, err = h.held(); err == nil {
				paid, err = h.payment(id)
			}
			return err
		}, func(ctx context.Context, f Functions) error { return f.Confirm(ctx, paid) }, func() error {
			return cmpOr(h.insists(report(1)), recorded)
		})
	}
	return cmpOr(err, recorded)
}

func (h *house) keyedRepetition() error {
	ask := h.scene()
	// Twice at the same time: the second call is carried out between what the first one reads and what it writes.
	var first, second string
	err, secondErr := h.overtaken(func(ctx context.Context) (err error) {
		first, err = h.functions[0].Hold(ctx, "key", ask)
		return err
	}, func(ctx context.Context) (err error) {
		second, err = h.functions[1].Hold(ctx, "key", ask)
		return err
	})
	switch {
	case err != nil || secondErr != nil:
		return fmt.Errorf("a request is sent twice at the same time, and one of the two fails: %w", errors.Join(err, secondErr))
	case first != second:
		return fmt.Errorf("a request is sent twice at the same time, and makes two bookings: %s and %s", first, second)
	}
	switch again, err := h.functions[1].Hold(h.t.Context(), "key", ask); {
	case err != nil:
		return fmt.Errorf("a request is sent again, and fails: %w", err)
	case again != first:
		return fmt.Errorf("a request is sent again, and makes another booking: %s after %s", again, first)
	}
	if err := h.sold(ask, first); err != nil {
		return err
	}
	other := h.scene()
	switch id, err := h.functions[0].Hold(h.t.Context(), "key", other); {
	case err == nil && id == first:
		return errors.New("a guest uses a request id again for another stay, and is told that it is booked; it is not")
	case err == nil:
		return fmt.Errorf("a guest uses a request id again for another stay, and has two bookings: %s and %s", first, id)
	case !h.final(err):
		return fmt.Errorf("a guest uses a request id again for another stay, and is not told so, but: %w", err)
	}
	if id, err := h.functions[0].Hold(h.t.Context(), "key", h.by(ask, 1)); err == nil && id == first {
		return fmt.Errorf("another guest sends the same request id, and gets the first guest's booking %s", id)
	}
	return cmpOr(h.sold(other), func() error { return h.sold(ask, first) })
}

func (h *house) cancellation() error {
	ask, id, err := h.held()
	if err != nil {
		return err
	}
	cancel := func(process int) func(context.Context) error {
		return func(ctx context.Context) error { return h.functions[process].Cancel(ctx, ask.UserID, id) }
	}
	// Twice at the same time, and once more. The later ones may be refused.
	err, otherErr := h.overtaken(cancel(0), cancel(1))
	if otherErr != nil {
		return fmt.Errorf("a guest cancels a booking, and it fails: %w", otherErr)
	}
	again := h.insists(cancel(0))
	for _, err := range []error{err, again} {
		if err != nil && !h.final(err) {
			return fmt.Errorf("a guest cancels twice, and the second time gets an error that is not final: %w", err)
		}
	}
	err = cmpOr(h.sold(ask), func() error { return h.status(ask, id, bookings.Cancelled) }, func() error { return h.offered(ask, true) })
	if err != nil {
		return fmt.Errorf("a guest cancels twice: %w", err)
	}
	return h.brokenOff(func() (err error) {
		ask, id, err = h.held()
		return err
	}, func(ctx context.Context, f Functions) error { return f.Cancel(ctx, ask.UserID, id) }, func() error {
		err := h.insists(cancel(1))
		if err != nil && !h.final(err) {
			return fmt.Errorf("the guest never gets an answer: %w", err)
		}
		return cmpOr(h.sold(ask), func() error { return h.status(ask, id, bookings.Cancelled) })
	})
}

func (h *house) stranger() error {
	ask, id, err := h.held()
	if err != nil {
		return err
	}
	f, other := h.functions[0], h.users[1]
	if f.Lookup == nil && f.Cancel == nil {
		h.t.Logf("contract: the stranger: not run, because the service has no Lookup and no Cancel")
	}
	if f.Lookup != nil {
		switch status, err := f.Lookup(h.t.Context(), other, id); {
		case err == nil:
			return fmt.Errorf("a user sees that somebody else's booking is %s", status)
		case !h.final(err):
			return fmt.Errorf("a user looks at somebody else's booking, and gets an error that is not final: %w", err)
		}
	}
	if f.Cancel != nil {
		switch err := f.Cancel(h.t.Context(), other, id); {
		case err == nil:
			return errors.New("a user cancels somebody else's booking, and is told that it is cancelled")
		case !h.final(err):
			return fmt.Errorf("a user cancels somebody else's booking, and gets an error that is not final: %w", err)
		}
	}
	return h.sold(ask, id)
}

// cmpOr returns the first error. The checks after one that fails do not run.
func cmpOr(err error, checks ...func() error) error {
	for _, check := range checks {
		if err != nil {
			return err
		}
		err = check()
	}
	return err
}

// fullHouse is the number of further bookings in a house that is full.
const fullHouse = 20

func (h *house) budget() error {
	empty, err := h.spend()
	if err != nil {
		return err
	}
	for range fullHouse {
		if h.functions[0].Hold == nil {
			break
		}
		if _, _, err := h.held(); err != nil {
			return err
		}
	}
	full, err := h.spend()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(full)) {
		spent, before := full[name], empty[name]
		h.t.Logf("contract: the budget: %s takes %d requests, %.1f read units and %.1f write units",
			name, spent.Requests, spent.ReadUnits, spent.WriteUnits)
		if spent.Requests > before.Requests {
			return fmt.Errorf("%s takes %d requests when the hotel has %d more bookings; before, it took %d:\n%s", name, spent.Requests, fullHouse, before.Requests, spent)
		}
	}
	return nil
}

// spend calls each function once, and returns what it cost.
func (h *house) spend() (costs map[string]*dyntest.Spent, err error) {
	costs = map[string]*dyntest.Spent{}
	f, ctx, ask := h.functions[0], h.t.Context(), h.scene()
	id, paid := "", bookings.Payment{}
	for _, call := range []struct {
		name string
		has  bool
		most dyntest.Cost
		do   func() error
	}{
		{"Search", f.Search != nil, h.Most.Search, func() error {
			_, err := f.Search(ctx, ask)
			return err
		}},
		{"Hold", f.Hold != nil, h.Most.Hold, func() (err error) {
			id, err = f.Hold(ctx, fmt.Sprint("budget-", h.scenes), ask)
			return err
		}},
		{"Lookup", f.Lookup != nil && f.Hold != nil, h.Most.Lookup, func() error {
			_, err := f.Lookup(ctx, ask.UserID, id)
			return err
		}},
		{"Confirm", f.Confirm != nil && f.Hold != nil, h.Most.Confirm, func() error { return f.Confirm(ctx, paid) }},
		{"Cancel", f.Cancel != nil && f.Hold != nil, h.Most.Cancel, func() error { return f.Cancel(ctx, ask.UserID, id) }},
	} {
		if !call.has {
			continue
		}
		if call.name == "Confirm" {
			if paid, err = h.payment(id); err != nil {
				return nil, err
			}
		}
		spent := h.db.Measure(func() { err = call.do() })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", call.name, err)
		}
		if err := within(call.most, spent); err != nil {
			return nil, fmt.Errorf("%s %w:\n%s", call.name, err, spent)
		}
		costs[call.name] = spent
	}
	return costs, nil
}

// within says how what was spent exceeds a limit.
func within(most dyntest.Cost, spent *dyntest.Spent) error {
	switch scan := func(c dyntest.Call) bool { return c.Operation == "Scan" }; {
	case slices.ContainsFunc(spent.Calls, scan):
		return errors.New("scans a table")
	case most == dyntest.Cost{}:
		return nil
	case spent.Requests > most.Requests:
		return fmt.Errorf("takes %d requests, and may take %d", spent.Requests, most.Requests)
	case spent.ReadUnits > most.ReadUnits:
		return fmt.Errorf("takes %.1f read units, and may take %.1f", spent.ReadUnits, most.ReadUnits)
	case spent.WriteUnits > most.WriteUnits:
		return fmt.Errorf("takes %.1f write units, and may take %.1f", spent.WriteUnits, most.WriteUnits)
	}
	return nil
}
