package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
)

// Functions are what a booking service does for its guests. A test writes them in a few lines each, around the service's
// own code: its methods, or its HTTP handler. A function that is nil is one that the service does not have.
type Functions struct {
	// Search returns the ids of the properties that the service offers for an ask, on its first page.
	Search func(ctx context.Context, ask Ask) (propertyIDs []string, err error)
	// Hold takes the room, for a guest who is to pay or for good, and returns the id of the booking. The guest's client
	// sends a request id, and sends it again if it gets no answer.
	Hold func(ctx context.Context, requestID string, ask Ask) (bookingID string, err error)
	// Confirm is what the service does when its payment provider says that a booking was paid. A provider says it again
	// until it gets an answer without an error.
	Confirm func(ctx context.Context, paid bookings.Payment) error
	// Cancel is what the service does when a user asks for it. A booking of somebody else is refused.
	Cancel func(ctx context.Context, userID, bookingID string) error
	// Lookup shows a user the status of a booking. A booking of somebody else is refused.
	Lookup func(ctx context.Context, userID, bookingID string) (bookings.Status, error)
}

// Ask is what a guest asks for: one room for a stay, in a property that has one room left for it.
type Ask struct {
	City, Country          string // of the property
	PropertyID, RoomTypeID string
	Stay                   dynastay.Stay
	Guests                 availability.Guests
	UserID                 string // of a stored user
	Guest                  bookings.Guest
}

// ServiceTarget is the service that is asked.
type ServiceTarget struct {
	// Open starts the service on a database. Each result is a process of the service: a case has two, on the same tables.
	Open func(db *dynastay.DB) Functions
	// Tables are the service's own. The library's exist in any case.
	Tables []*dynastay.Schema
	// Refused reports whether an error of Hold means that the guest cannot have the room. After any other error, the
	// guest's client sends the request again. Default: errors.Is with [dynastay.ErrRefused].
	Refused func(error) bool
	// Most is what a call may cost.
	Most Budget
}

// Budget has a limit for a call of each function. The zero Cost is no limit. Retries are not limited: nothing fails while
// costs are measured.
type Budget struct{ Search, Hold, Confirm, Cancel, Lookup dyntest.Cost }

// Service runs the cases of a booking service, each as a subtest if t is a [testing.T]:
//
//   - the race for the last room: one of many guests has it, whoever else was told that it is left
//   - the lost answer: a guest who gets no answer and asks again has one booking, wherever the service broke off
//   - the repeated webhook: a payment counts once, however often and whenever the provider reports it
//   - the keyed repetition: a request id belongs to one guest and one wish, also while the first call is still running
//   - the cancellation: it returns the room once
//   - the stranger: nobody sees or cancels somebody else's booking
//   - the budget: a call costs at most what the service says, reads no whole table, and costs the same in a full house
//
// Each is played on package dyntest's faults, in a hotel of its own, and compared with what is stored. A failure says
// what a guest or a hotel would have seen, and where to look. A case that needs a function that is missing is not run,
// which is logged.
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
				t.Log(fmt.Sprintf("contract: %s: not run, because the service has no %s", c.name, missing))
				return
			}
			if err := c.run(h); err != nil {
				t.Errorf("%s: %v\npromised: %s\nlook at: %s", c.name, err, c.promise, c.advice)
			}
		}
		if has {
			parent.Run(c.name, func(t *testing.T) { play(t) })
		} else {
			play(t)
		}
	}
}

// serviceCase is something that the guests and the hotels of a service rely on.
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

func (target ServiceTarget) refused(err error) bool {
	if target.Refused != nil {
		return target.Refused(err)
	}
	return errors.Is(err, dynastay.ErrRefused)
}

// patience is how long a guest's client, or a payment provider, sends a request again. It is far more than it takes.
const patience = 30 * time.Second

// attempts is how often the library sends a write of a process whose network is about to break.
const attempts = 2
