package availability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// UpdateRequest changes open nights of one property.
type UpdateRequest struct {
	PropertyID string
	// Changes are applied in order: a later change overrides the values that earlier ones set for the same night. Each
	// night is written once. All changes together may name at most 1,000,000 dates (dates × room types).
	Changes []Change
	// OpenOnly leaves the dates whose nights are not open, and those in the past, out of the report, instead of reporting
	// [ErrNotOpen] and [ErrPast]: it changes what is open of a month, whether or not the month has begun.
	OpenOnly bool
	// Only restricts the request to some of its dates, usually to those of [Report.Retry]; other dates are ignored. If
	// it is nil, it does not restrict the request; if it is empty but not nil, nothing is written.
	Only []DateReport
	// Progress is called after each night, whether it was written or not, with the number of nights that are done and
	// the number of all nights, including those that are not open, but not those in the past. The calls come one at a
	// time, from several goroutines. Optional.
	Progress func(done, of int)
}

// Change sets values of the nights of some room types. A nil field leaves the stored value unchanged. Functions such as
// aws.Int and aws.Bool of the AWS SDK return pointers to values.
type Change struct {
	RoomTypeIDs []string
	Dates       dynastay.Stay // half-open, at most 732 dates
	Weekdays    Weekdays      // which of these dates to change; the zero value means all of them

	// Price is for one room and one night, in whole minor units of the room type's currency. The zero Money leaves the
	// stored price unchanged; 0.00 USD is a price.
	Price dynastay.Money
	// Rooms is the number of rooms that are on sale in total, 0 to MaxRooms. The number of rooms left changes by the
	// difference from the previous total.
	Rooms         *int
	AboveCapacity bool // for Rooms: allows more rooms than the room type has
	Overbook      int  // for Rooms: how many rooms may already be sold beyond the new total, 0 to MaxRooms
	// OverbookLimit is the number of rooms by which every sale may overbook the night, 0 to MaxRooms; 0 removes it. A lower
	// limit takes back nothing that is sold. It is a decision of the property's staff.
	OverbookLimit *int `json:",omitempty"`

	MinStay         *int  // minimum nights for arrivals on the date; 0 removes the minimum
	MaxStay         *int  // maximum nights for arrivals on the date; 0 removes the maximum
	ClosedToArrival *bool // no stay may begin on the date
	// ClosedToDeparture means that no stay may end on the date. It is stored with the night before, which must be open.
	ClosedToDeparture *bool

	// Rates sets what the nights have for rate plans, by the ids of the plans. All of them together have at most
	// MaxRatesSize bytes as stored.
	Rates map[string]RateChange `json:",omitempty"`

	StopSell *bool // takes the night off sale, or puts it back on sale
	// StopSellReason replaces the stored reason, even if it is empty. It requires StopSell to be true, and has at most 60
	// bytes.
	StopSellReason string
}

// maxDates limits the work of one update.
const maxDates = 1_000_000

// Validate checks the request without accessing the database. Its errors name the field.
func (u UpdateRequest) Validate() error {
	if _, err := keys.Of(keys.Property{PropertyID: u.PropertyID}); err != nil {
		return err
	}
	if len(u.Changes) == 0 {
		return dynastay.Invalid("Changes", "must not be empty")
	}
	dates := 0
	for i, c := range u.Changes {
		at := fmt.Sprintf("Changes[%d]", i)
		if err := c.Validate(); err != nil {
			return dynastay.Within(at, err)
		}
		if dates += len(c.RoomTypeIDs) * c.Dates.Nights(); dates > maxDates {
			return dynastay.Invalid("Changes", "must name at most 1,000,000 dates in total (dates × room types)")
		}
	}
	return nil
}

// Validate checks the change without accessing the database. Its errors name the field.
func (c Change) Validate() error {
	switch {
	case len(c.RoomTypeIDs) == 0:
		return dynastay.Invalid("RoomTypeIDs", "must not be empty")
	case len(c.RoomTypeIDs) > maxEntries:
		return dynastay.Invalid("RoomTypeIDs", "must have at most %d entries", maxEntries)
	}
	for i, id := range c.RoomTypeIDs {
		if err := checkRoomTypeID(fmt.Sprintf("RoomTypeIDs[%d]", i), id); err != nil {
			return err
		}
	}
	if err := checkRange("Dates", c.Dates, c.Weekdays); err != nil {
		return err
	}
	if c.Price.IsSet() {
		if err := checkPrice(c.Price); err != nil {
			return err
		}
	}
	switch {
	case !c.changesNight() && c.ClosedToDeparture == nil && len(c.Rates) == 0:
		return dynastay.Invalid("", "must set at least one value")
	case c.Rooms != nil && (*c.Rooms < 0 || *c.Rooms > MaxRooms):
		return dynastay.Invalid("Rooms", "must be between 0 and 10,000")
	case c.Rooms == nil && c.AboveCapacity:
		return dynastay.Invalid("AboveCapacity", "requires Rooms")
	case c.Rooms == nil && c.Overbook != 0:
		return dynastay.Invalid("Overbook", "requires Rooms")
	}
	if err := checkOverbookLimit(c.OverbookLimit); err != nil {
		return err
	}
	if err := checkStays(c.MinStay, c.MaxStay); err != nil {
		return err
	}
	if err := checkOverbook(c.Overbook); err != nil {
		return err
	}
	if err := c.validateRates(); err != nil {
		return err
	}
	return checkReason(c.StopSell != nil && *c.StopSell, c.StopSellReason)
}

// changesNight reports whether the change sets a value of the night itself, and not only of the departures on its date.
func (c Change) changesNight() bool {
	for _, rate := range c.Rates {
		if rate.changesNight() {
			return true
		}
	}
	return c.Price.IsSet() || c.Rooms != nil || c.OverbookLimit != nil || c.MinStay != nil || c.MaxStay != nil ||
		c.ClosedToArrival != nil || c.StopSell != nil
}

// Update changes the prices, totals, limits of overbooking, restrictions and stop-sells of open nights, and reports on
// every date. All values of a night are written together or not at all; different nights are independent of each other.
// A night that already has the values is not written. Sales go on during an update: the update undoes no sale, no sale
// prevents the update, and each booking has the price that is stored when it is made. If several callers change the
// same night at the same time, the last one wins, with all of its values.
//
// If any date was not written, or its outcome is unknown, Update returns an [*UpdateError] together with the report.
// The same request can be repeated: it then writes only what is missing. To repeat it without overriding what others
// have changed in the meantime, set Only to [Report.Retry]. After any other error, the request was refused, nothing was
// written, and the report is empty.
//
// A request that does not match the room types or the rate plans is a [*dynastay.InvalidError], and nothing is written. Its
// field is, for example:
//
//   - "Changes[0].Price.Currency" if the currency differs from that of the base price
//   - "Changes[0].Rooms" if there are more rooms than the room type has and AboveCapacity is not set
//   - "Changes[0].Rates[flex]" if the plan is not sold for a room type
//   - "Changes[0].Rates[flex].Price" if the plan derives its price
//
// Update returns [dynastay.ErrNotFound] if the property has no such room type or rate plan. The rates of a plan that does not
// exist can still be cleared. Nights are opened with [Repository.Open] only, and Update does not change whether the property
// is closed.
//
// These checks take 1 request for up to 99 room types and rate plans together. Each room type takes 1 consistent Query, and
// each night that changes 1 UpdateItem, in parallel, see [dynastay.Options]. A night that another caller changed in the
// meantime takes 2 requests more. A night with too many rooms sold, or too much for its rate plans, takes 1 more, because
// that may have changed since the Query.
func (r *Repository) Update(ctx context.Context, u UpdateRequest) (_ Report, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Update")
	defer func() { end(err) }()
	if err := u.Validate(); err != nil {
		return Report{}, err
	}
	plan, err := r.plan(ctx, u)
	if err != nil {
		return Report{}, err
	}
	r.readPlan(ctx, plan)
	r.apply(ctx, plan, u.Progress)
	report := u.finish(plan)
	return report, report.failure()
}

// finish returns the report of a plan.
func (u UpdateRequest) finish(p *plan) Report {
	if u.OpenOnly {
		p.report.Dates = slices.DeleteFunc(p.report.Dates, func(d DateReport) bool {
			return errors.Is(d.Err, ErrNotOpen) || errors.Is(d.Err, ErrPast)
		})
	}
	return p.report
}

// apply writes the nights of a plan.
func (r *Repository) apply(ctx context.Context, p *plan, progress func(done, of int)) {
	var (
		mu   sync.Mutex // for progress
		done int
	)
	nights := p.inOrder()
	_ = r.db.Each(ctx, len(nights), func(ctx context.Context, i int) error {
		night := nights[i]
		if night.err != nil {
			p.record(night, written{}, night.err)
		} else {
			got, err := r.writeNight(ctx, p.propertyID, night)
			p.record(night, got, err)
		}
		if progress != nil {
			mu.Lock()
			defer mu.Unlock() // even if progress ends its goroutine, as a failed assertion does
			done++
			progress(done, len(nights))
		}
		return nil // a night that fails does not stop the others
	})
}
