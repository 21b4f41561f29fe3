package contract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
)

// Functions are what a booking service does for its guests. A test writes them around the service's own code, which may
// be methods or an HTTP handler. Calls come from several goroutines. A function that is nil is one that the service does
// not have. Errors are of two kinds, which [ServiceTarget.Final] tells apart.
type Functions struct {
	// Search returns the ids of the properties that the service offers for an ask, on its first page. It must not answer from
	// a cache: the cases compare it with what is stored.
	Search func(ctx context.Context, ask Ask) (propertyIDs []string, err error)
	// Hold takes the room, until the guest has paid or without any payment, and returns the id of the booking. The
	// client of the guest chooses the request id. If it gets no answer, it sends the same request with the same id.
	Hold func(ctx context.Context, requestID string, ask Ask) (bookingID string, err error)
	// Confirm is what the service does when its payment provider reports that a booking was paid. The payment is the
	// total of the booking, and it is the same in each report of it. A provider repeats its report until there is no
	// error.
	Confirm func(ctx context.Context, paid bookings.Payment) error
	// Cancel is what the service does when a user cancels a booking. If it belongs to somebody else, the error is final.
	Cancel func(ctx context.Context, userID, bookingID string) error
	// Lookup shows a user the status of a booking. If it belongs to somebody else, the error is final.
	Lookup func(ctx context.Context, userID, bookingID string) (bookings.Status, error)
}

// Ask is what a guest asks for: one room for two nights, in a hotel that has one room.
type Ask struct {
	City, Country          string // of the hotel
	PropertyID, RoomTypeID string
	Stay                   dynastay.Stay
	Guests                 availability.Guests
	UserID                 string // of a user who is stored
	Guest                  bookings.Guest
}

// ServiceTarget is the service under test.
type ServiceTarget struct {
	// Open returns a process of the service on a database. Each case opens two, and more of them that break off: from then
	// on, no request of such a process to DynamoDB gets an answer. Its calls have a context, which ends then too.
	Open func(t testing.TB, db *dynastay.DB) Functions
	// Tables are the service's own tables. Those of the library are always there.
	Tables []*dynastay.Schema
	// Final reports whether an error is an answer, such as "sold out", "not found" or "this request id was used for
	// something else". With any other error, the client of the guest repeats the request. Default: errors.Is with
	// [dynastay.ErrRefused], [dynastay.ErrNotFound] and [dynastay.ErrIdempotencyMismatch].
	Final func(error) bool
	// Most is what a call may cost.
	Most Budget
}

// Budget has a limit for a call of each function. The zero Cost sets no limit; in any other, zero allows nothing. Retries
// have no limit of their own. The log shows what each call has cost.
type Budget struct{ Search, Hold, Confirm, Cancel, Lookup dyntest.Cost }

// Service tests a booking service, with one subtest for each case if t is a [testing.T]:
//
//   - "the race for the last room" needs Hold. Of many guests, exactly one gets the room, even if others were told that
//     it is free.
//   - "the lost answer" needs Hold. A guest who gets no answer and repeats the request has one booking, with the status of
//     a booking that was not disturbed, after whichever write the service broke off.
//   - "the repeated webhook" needs Hold and Confirm. A payment counts once, however often it is reported. If the booking
//     is cancelled or its hold has ended in the meantime, it is recorded, and the room stays free.
//   - "the keyed repetition" needs Hold. A request id belongs to one guest and one stay. Its repetition returns the same
//     booking, even while the first call is running.
//   - "the cancellation" needs Hold and Cancel. It returns the room once.
//   - "the stranger" needs Hold, and Lookup or Cancel. Nobody sees or cancels somebody else's booking.
//   - "the budget" needs no function. A call costs at most its limit, does not scan a table, and sends no more requests
//     when there are many bookings.
//
// Each case has a database of package dyntest and a hotel of its own. It makes requests fail with dyntest's faults, and
// then compares the answers with what is stored. A failure says what a guest, a hotel or a payment provider would have
// seen, what the service should do, and where to look. A case is not run if the service lacks a function that it needs;
// the log says so.
func Service(t testing.TB, target ServiceTarget) {
	t.Helper()
	parent, has := t.(interface {
		Run(name string, f func(t *testing.T)) bool
	})
	for _, c := range serviceCases {
		play := func(t testing.TB) {
			t.Helper()
			h := openHouse(t, target)
			if missing := h.functions[0].missing(c.needs); missing != "" {
				t.Logf("contract: %s: not run, because the service has no %s", c.name, missing)
				return
			}
			if err := c.run(h); err != nil {
				t.Errorf("%s: %v\npromise: %s\nlook at: %s", c.name, err, c.promise, c.advice)
			}
		}
		if has {
			parent.Run(c.name, func(t *testing.T) { play(t) })
		} else {
			play(t)
		}
	}
}

// serviceCase is something that guests and hotels rely on.
type serviceCase struct {
	name    string
	needs   []string // the functions without which it is not run
	promise string
	advice  string
	run     func(*house) error
}

// missing returns the names of the functions that are needed and nil, or "".
func (f Functions) missing(needs []string) string {
	has := map[string]bool{
		"Search": f.Search != nil, "Hold": f.Hold != nil, "Confirm": f.Confirm != nil, "Cancel": f.Cancel != nil, "Lookup": f.Lookup != nil,
	}
	var missing []string
	for _, name := range needs {
		if !has[name] {
			missing = append(missing, name)
		}
	}
	return strings.Join(missing, " and ")
}

func (target ServiceTarget) final(err error) bool {
	if target.Final != nil {
		return target.Final(err)
	}
	return errors.Is(err, dynastay.ErrRefused) || errors.Is(err, dynastay.ErrNotFound) || errors.Is(err, dynastay.ErrIdempotencyMismatch)
}

// How often and how long the client of a guest, or a payment provider, repeats a request. It is far more than it takes.
const (
	repetitions = 20
	patience    = 30 * time.Second
)

// attempts is how often the library sends a write of a process whose network is about to break.
const attempts = 2
