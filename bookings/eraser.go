package bookings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// Eraser removes a person from the bookings, for the erasure of a user. It anonymises them: what accounting needs
// stays, which is the property, the rooms, the dates, the amounts, the status and the times, the references, including
// that of the channel, the promo code, and all payments and refunds with their ids. The ids at the payment provider stay
// as well, because without them no payment could be found in the provider's statements, or be refunded. What goes:
//
//   - the user id, and with it the row in the list of the user's bookings
//   - the guest and the [Data], also of lines, including what other software stored in the maps GuestInfo and Data
//   - the ages of children
//   - the special requests and the reason of the cancellation
//   - the card of each payment, and the reasons of payments and refunds, also in the summary
//
// Other attributes that the library does not know stay as they are, and so does what the payment provider stores.
// Erase does not reach the table's stream and backups, or the idempotency records of the user's calls, which contain
// ids and hashes and expire after 30 days.
//
// [Booking.AnonymisedAt] says that a booking has been anonymised. It is an attribute of its own because a booking of
// other software without a user may well have a guest. A payment or a refund of an anonymised booking is still
// recorded, but without card and reasons, and the reason of a late cancellation is not stored. The booking cannot be
// confirmed, checked in or modified any more, see [ErrAnonymised].
//
// A booking that is not over is never anonymised: one that is held, confirmed or checked in, up to and including its
// date of check-out at the property. A hold that has ended is over. If other software has stored an unknown status,
// the booking is over after that date. See [CancelUpcoming].
type Eraser struct {
	r        *Repository
	upcoming UpcomingPolicy
}

// UpcomingPolicy says what [Eraser.Erase] does about bookings that are not over.
type UpcomingPolicy int

const (
	// RefuseUpcoming makes Erase fail with an [*UpcomingError].
	RefuseUpcoming UpcomingPolicy = iota
	// CancelUpcoming makes Erase cancel the pending and confirmed ones, as [Repository.Cancel] does without refunds:
	// their rooms and the use of their promo codes are returned, and nothing is refunded. To refund what is due, cancel
	// them before. A booking whose guests have checked in is never cancelled: check them out first, or wait until the
	// date of check-out has passed.
	CancelUpcoming
)

// Eraser returns the eraser of this repository. It sends no requests.
func (r *Repository) Eraser(upcoming UpcomingPolicy) *Eraser { return &Eraser{r, upcoming} }

// UpcomingError means that a user, or a guest without an account, cannot be erased because of bookings that are not over.
type UpcomingError struct {
	UserID     string   // "" for a guest without an account
	BookingIDs []string // sorted; with [CancelUpcoming], those that Erase does not cancel
}

// Error names the user, if there is one, and the bookings.
func (e *UpcomingError) Error() string {
	ids := make([]string, len(e.BookingIDs))
	for i, id := range e.BookingIDs {
		ids[i] = shown.Masked(id)
	}
	who := "the guest"
	if e.UserID != "" {
		who = "user " + shown.Masked(e.UserID)
	}
	return fmt.Sprintf("cannot erase %s: these bookings are not over: %s", who, strings.Join(ids, ", "))
}

// Is makes it match [dynastay.ErrRefused].
func (*UpcomingError) Is(target error) bool { return target == dynastay.ErrRefused }

// Check returns a [*UpcomingError] if the user has bookings that are not over. If a booking of the user cannot be
// decoded, Check returns a [*dynastay.UnreadableError]: whether that booking is over is not known. It writes nothing.
//
// The index by user only shows which bookings to read, so a booking that was just created may be missing. 1 request,
// a Query of the index, and 1 for each further MB; then 1 consistent request for every 100 bookings.
func (e *Eraser) Check(ctx context.Context, userID string) (err error) {
	ctx, end := e.r.db.Begin(ctx, "bookings.Eraser.Check")
	defer func() { end(err) }()
	_, err = e.find(ctx, userID)
	return err
}

// Erase anonymises all bookings of the user that the index shows, each in one transaction: conditional on the booking
// as it was read, and with all its payments and refunds. A booking with more than 97 payments and refunds that contain
// something about the person takes several transactions; its own item is the last one to change, so an interrupted call
// leaves nothing that the next one does not find. If a booking changes in the meantime, Erase decides again.
//
// The result counts what was done, as "bookings anonymised", "bookings cancelled", "refunds due" for the cancelled
// bookings of which something is to be refunded, see [Repository.RefundDue], and "nights missing" for the nights of a
// cancelled booking whose rooms could not be returned, see [Cancellation]. It is empty if nothing was found. The index is eventually consistent: repeat Erase until two calls that are further apart than the index may lag have found
// nothing, see [dynastay.DB.AwaitIndexes]. Keep the user from creating more bookings in the meantime.
//
// Erase fails with the errors of Check before it writes anything. If a booking becomes upcoming during the call, for
// example because another call confirms it, Erase anonymises the others and then returns a [*UpcomingError]. In the
// same way, it returns a [*dynastay.UnreadableError] for bookings of other software that cannot be written. The counts
// are valid in each case. After any other error, repeat the call.
//
// The requests of Check, then 2 for each booking, a consistent Query of the booking and the write, in parallel, see
// [dynastay.Options]; 2 more to cancel it, and 2 more for every 97 further payments and refunds.
func (e *Eraser) Erase(ctx context.Context, userID string) (_ map[string]int, err error) {
	ctx, end := e.r.db.Begin(ctx, "bookings.Eraser.Erase")
	defer func() { end(err) }()
	p := &erasure{Eraser: e, userID: userID, done: map[string]int{}}
	if p.found, err = e.find(ctx, userID); err != nil {
		return p.done, err
	}
	err = e.r.db.Each(ctx, len(p.found), func(ctx context.Context, i int) error {
		return p.failed(p.found[i].id, p.erase(ctx, p.found[i]))
	})
	if err == nil {
		err = p.refused.err(userID)
	}
	return p.done, err
}

// found is a booking of a user.
type found struct {
	id       string
	upcoming bool // and can be cancelled
}

// refusals are the bookings that cannot be anonymised.
type refusals struct {
	upcoming   []string
	unreadable []error
}

func (r refusals) err(userID string) error {
	switch {
	case len(r.upcoming) > 0:
		slices.Sort(r.upcoming)
		return &UpcomingError{UserID: userID, BookingIDs: r.upcoming}
	case len(r.unreadable) > 0:
		return &dynastay.UnreadableError{Items: r.unreadable}
	}
	return nil
}

// find reads the bookings of a user. It returns an error if one of them must not be anonymised.
func (e *Eraser) find(ctx context.Context, userID string) (all []found, err error) {
	at, err := e.keysOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	rows, err := e.r.db.GetAll(ctx, keys.BookingsTable, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	var no refusals
	now := e.r.db.Now()
	for i, row := range rows {
		if !isOf(userID, row) {
			continue
		}
		id := idOf(at[i])
		b, err := e.r.entity.Value(row)
		switch {
		case err != nil:
			no.unreadable = append(no.unreadable, err)
		case b.over(now):
			all = append(all, found{id: id})
		case e.upcoming == CancelUpcoming && slices.Contains(cancellable, b.Status):
			all = append(all, found{id: id, upcoming: true})
		default:
			no.upcoming = append(no.upcoming, id)
		}
	}
	return all, no.err(userID)
}

// keysOf returns the keys of the bookings that the index lists for a user.
func (e *Eraser) keysOf(ctx context.Context, userID string) ([]dynastay.Key, error) {
	partition, err := keys.Partition(keys.BookingByUser{UserID: userID})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, e.r.db, keys.BookingsTable, dynastay.Query{
		Index: keys.UserBookingsIndex, Partition: partition,
	})
	at := make([]dynastay.Key, len(rows))
	for i, row := range rows {
		at[i] = keys.BookingsTable.Key.From(row)
	}
	return at, err
}

// isOf reports whether a booking is one of a user. Other software may have stored it without the user's id, but in the
// list of the user's bookings.
func isOf(userID string, booking dynastay.Row) bool {
	if id := booking.Text("UserId"); id != "" {
		return id == userID
	}
	partition, err := keys.Partition(keys.BookingByUser{UserID: userID})
	return err == nil && booking.Text("GSI1PK") == partition
}

// over reports whether nobody is expected any more, or is still there.
func (b *Booking) over(now time.Time) bool {
	switch b.Status {
	case Completed, Cancelled, NoShow, Expired:
		return true
	}
	return b.lapsed(now) || notOver(b, now) != nil
}

// erasure is one call of Erase.
type erasure struct {
	*Eraser
	userID string
	found  []found

	mu      sync.Mutex
	done    map[string]int
	refused refusals
}

// erase cancels a booking if it is upcoming, and anonymises it.
func (p *erasure) erase(ctx context.Context, f found) error {
	if f.upcoming {
		cancelled, err := p.r.Cancel(ctx, f.id, "", nil)
		var state *StatusError
		switch {
		case err == nil:
			p.count("bookings cancelled", 1)
			p.count("nights missing", len(cancelled.Missing))
			if cancelled.Due.Sign() > 0 {
				p.count("refunds due", 1)
			}
		case errors.As(err, &state), errors.Is(err, dynastay.ErrNotFound): // it has changed, and is read again
		default:
			return err
		}
	}
	done, err := p.r.anonymise(ctx, f.id, func(booking dynastay.Row) (bool, error) { return isOf(p.userID, booking), nil })
	if done {
		p.count("bookings anonymised", 1)
	}
	return err
}

func (p *erasure) count(what string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > 0 {
		p.done[what] += n
	}
}

// failed keeps the errors that are about one booking, and returns any other.
func (p *erasure) failed(bookingID string, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var upcoming *UpcomingError
	switch {
	case errors.As(err, &upcoming):
		p.refused.upcoming = append(p.refused.upcoming, upcoming.BookingIDs...)
	case errors.Is(err, dynastay.ErrCorrupt):
		p.refused.unreadable = append(p.refused.unreadable, err)
	case errors.Is(err, dynastay.ErrInvalid): // only the text: it is not about the caller's arguments
		p.refused.unreadable = append(p.refused.unreadable, &dynastay.Error{
			Op: "bookings.Erase", Entity: "Booking", ID: bookingID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
		})
	default:
		return err
	}
	return nil
}
