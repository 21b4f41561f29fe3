package bookings_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// operations are all that a world does, each as often as its weight says. They leave out what needs package properties,
// and what the tests of package availability compare with their own model: Calendar, Prices, Withdraw and suspensions.
var worldOperations = []struct {
	name   string
	weight int
	draw   func(*rapid.T) worldStep
}{
	{"create", 22, drawCreate},
	{"confirm", 3, drawMove(confirming)},
	{"extend a hold briefly", 1, drawMove(extendingBriefly)},
	{"extend a hold", 3, drawMove(extendingLong)},
	{"check in", 7, drawMove(checkingIn)},
	{"check out", 6, drawMove(checkingOut)},
	{"no-show", 4, drawMove(notShowing)},
	{"undo a check-in", 4, drawMove(undoingArrival)},
	{"undo a check-out", 3, drawMove(undoingDeparture)},
	{"assign rooms", 6, drawMove(assigningRooms)},
	{"release", 6, drawMove(releasing)},
	{"reinstate", 3, drawMove(reinstating)},
	{"cancel", 5, drawMove(cancelling)},
	{"modify", 8, drawRequoting(true)},
	{"quote a modification", 5, drawRequoting(false)},
	{"expire", 3, drawMove(expiring)},
	{"expire holds", 1, drawSweep},
	{"erase", 3, drawErase},
	{"at the end of a hold", 4, drawHoldEnding},
	{"repeat", 6, drawRepeat},
	{"pay", 7, drawCharge},
	{"refund", 5, drawRefund},
	{"notify again", 6, drawAgain},
	{"payments", 2, drawPayments},
	{"confirm with a payment", 3, drawConfirmPaid},
	{"cancel with a refund", 4, drawCancelRefunding},
	{"create a code", 2, drawCoding},
	{"switch a code", 3, drawSwitching},
	{"modify the code", 6, drawRecoding},
	{"meeting", 4, drawMeeting},
	{"quote", 6, drawQuote},
	{"check", 2, drawCheck},
	{"check all", 2, drawCheckAll},
	{"find", 3, drawFind},
	{"list", 4, drawList},
	{"open", 4, drawOpen},
	{"update", 14, drawUpdate},
	{"close", 3, drawClose},
	{"wait", 7, drawWait},
}

// Two properties are opened, changed, closed, quoted, booked, paid, refunded and read, operation by operation, by two
// processes and through the faults of the network. Every result, and after every world every stored item, is what a
// model in memory expects: it knows the bookings, the notifications of payments and the values of the nights and of the
// promo codes, and computes the rooms left and the uses of the codes from the bookings.
func TestModel(t *testing.T) {
	t.Parallel()
	met := model.Compare(t, 300, 2, compareWorlds)
	met.Requires(t, 20_000, expectedOutcomes...)
}

// expectedOutcomes are met in any run of 20,000 operations: 18 times or more when that was last counted. Rarer ones have
// tests of their own, and would fail a run in which chance does not bring them about.
var expectedOutcomes = []string{
	"create: done", "create: invalid", "create: sold_out", "create: stop_sell", "create: property_closed",
	"create: not_on_sale", "create: closed_to_arrival", "create: min_stay", "create: max_stay", "create: price_changed",
	"create: overbooked", "create: held", "confirm: done", "confirm: status", "confirm: the hold has ended",
	"extend a hold: done", "extend a hold: status", "extend a hold: the hold has ended", "extend a hold briefly: done",
	"check in: done", "check in: status", "check in: with rooms", "check in: invalid",
	"check in: the stay has not begun", "check out: done", "check out: status", "no-show: done", "no-show: status",
	"no-show: the guests may still arrive on the day of arrival", "undo a check-in: done", "assign rooms: done",
	"assign rooms: invalid", "release: done", "reinstate: done", "cancel: done", "cancel: status",
	"cancel: the stay is over", "expire: done", "expire: status", "requote: quoted", "requote: sold_out",
	"requote: status", "requote: invalid", "modify: done", "modify: status", "modify: version", "modify: overbooked",
	"expire: the hold has not ended yet", "cancel: not found", "sweep: expired", "repeated", "create: mismatch",
	"cancel: mismatch", "unknown", "faults", "open: opened", "update: written", "update: unchanged", "update: sold",
	"update: limits", "update: not open", "update: past", "update: overbooked", "update: all together",
	"update: none together", "close: closed", "close: reopened", "quote: quoted", "quote: refused", "pay: done",
	"pay: invalid", "pay: mismatch", "pay: not found",
	"pay: a payment or refund with this id is recorded with a different amount, provider or payment", "refund: done", "refund: invalid",
	"refund: mismatch", "refund: not found", "refund: the refund exceeds what is left of the payment",
	"refund: the payment to refund is not recorded as paid",
	"refund: a payment or refund with this id is recorded with a different amount, provider or payment", "notified again", "payments: read",
	"booking: pending", "booking: authorized", "booking: paid", "booking: failed", "booking: partially_refunded",
	"booking: refunded", "confirm: with payment", "confirm: invalid", "cancel: refunds", "create code: done",
	"create code: invalid", "create code: already exists", "activate: done", "deactivate: done", "find code: found",
	"create: with a code", "create: of a channel", "create: the code does not exist", "create: the code is not active", "create: the code is not valid yet",
	"create: the code is not valid any more", "create: the usage limit of the code is reached",
	"create: the price of the rooms is below the minimum of the code", "create: the amounts of the code are not in the currency of the rooms",
	"modify: code added", "modify: code dropped", "modify: code replaced", "modify: discount changed",
	"modify: invalid", "modify: the price of the rooms is below the minimum of the code", "meetings", "erase: nobody",
	"erase: anonymised", "erase: cancelled", "erase: upcoming", "list: by status", "list: by property", "list: by user",
	"list: by cancelled", "list: by check-in",
}

// compareWorlds compares worlds with the model.
func compareWorlds(t *testing.T, met *model.Tally) func(*rapid.T) int {
	db := dyntest.New(t, bookingTables, dyntest.At(worldStart), dyntest.With(impatient))
	other := db.Open(&impatient)
	programs := []program{newProgram(db.DB), newProgram(other)}
	return func(t *rapid.T) int {
		w := newWorld(t, db, programs, met)
		calls := rapid.SliceOfN(rapid.Custom(drawWorldCall), 30, 120).Draw(t, "calls")
		for _, c := range calls {
			w.call(c)
		}
		w.verify()
		met.Add("worlds", 1)
		return len(calls)
	}
}

// impatient makes retries fast, and as many as one fault needs.
var impatient = dynastay.Options{Retry: dynastay.Retry{Attempts: 6, Base: time.Millisecond, Cap: 2 * time.Millisecond}}

// program is one of the processes that share the tables.
type program struct {
	db     *dynastay.DB
	repo   *bookings.Repository
	nights *availability.Repository
}

func newProgram(db *dynastay.DB) program {
	return program{db, bookings.New(db, nil), availability.New(db)}
}

// worldStep is what an operation does. It compares the result with the model, and changes the model.
type worldStep interface {
	fmt.Stringer
	run(w *world, on program)
}

// worldCall is one operation, by one of the programs, and the fault that its requests meet.
type worldCall struct {
	worldStep
	program int
	fault   model.Trouble
}

// GoString is what rapid prints.
func (c worldCall) GoString() string {
	return fmt.Sprintf("\n\tprogram %d: %s%s", c.program, c.worldStep, c.fault)
}

func drawWorldCall(t *rapid.T) worldCall {
	var all []int
	for i, o := range worldOperations {
		all = append(all, slices.Repeat([]int{i}, o.weight)...)
	}
	o := worldOperations[model.OneOf(t, "operation", all...)]
	return worldCall{o.draw(t), model.OneOf(t, "program", 0, 1), drawTrouble(t)}
}

// onceIn is true once in n times.
func onceIn(t *rapid.T, n int, name string) bool { return model.UpTo(t, n-1, name) == n-1 }

func drawTrouble(t *rapid.T) model.Trouble {
	return model.DrawTrouble(t, 4, "unprocessed", []int{1, 1, 2, 2, 3, 4}, []int{1, 1, 1, 2, 2, model.Always})
}

// call carries out an operation.
func (w *world) call(c worldCall) {
	w.t.Logf("%v:%#v", w.db.Now(), c)
	w.db.Clock.Advance(700 * time.Millisecond)
	w.fault = c.fault
	end := sync.OnceFunc(c.fault.Begin(w.db, w.met))
	w.recover = func() {
		end()
		w.fault = model.Trouble{}
	}
	defer func() { w.recover() }()
	c.run(w, w.programs[c.program])
	w.recover()
	if w.calls++; w.calls%25 == 0 {
		w.verify()
	}
}

// gaveUp reports whether a call failed because of the fault. What the caller did wrong, and the state of the bookings
// and the nights, is never its consequence.
func (w *world) gaveUp(err error) bool {
	if err == nil || !w.fault.Fatal() {
		return false
	}
	for _, refusal := range []any{
		new(*availability.Refused), new(*bookings.StatusError), new(*bookings.PaymentError), new(*bookings.PromoError), new(*bookings.PolicyError),
		new(*bookings.UpcomingError),
	} {
		if errors.As(err, refusal) {
			return false
		}
	}
	for _, kind := range []error{
		dynastay.ErrInvalid, dynastay.ErrNotFound, dynastay.ErrAlreadyExists, dynastay.ErrCorrupt, dynastay.ErrRejected,
		dynastay.ErrVersion, dynastay.ErrIdempotencyMismatch, availability.ErrClosed, availability.ErrReopened,
	} {
		if errors.Is(err, kind) {
			return false
		}
	}
	return true
}
