package listing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Feed is one download of the calendar that a channel publishes for a listing.
type Feed struct {
	ListingID string
	HostID    string
	Name      string // of the feed among those of the listing, such as airbnb; it must always be the same
	Source    Source // of the reservations in the feed: BookingCom, Airbnb or Other
	// TimeZone is that of the listing, an IANA name. It determines the night of an entry with a time, and which night
	// is the next one.
	TimeZone string
	// Fetched is the time before the download. An older download is refused after a newer one.
	Fetched time.Time
	// Calendar is the text, in the form of RFC 5545.
	Calendar io.Reader
	// MayFree is the number of nights that a person allows Sync to free, whatever share of the feed they are, and
	// although some entries could not be read. A negative number allows none. Default: 0, which stands for the usual
	// number: 14, or half of what the feed had before, but never all of it.
	MayFree int
}

// Synced is the result of [Repository.Sync].
type Synced struct {
	Added   []*Event `json:",omitzero"` // these lists have no order
	Changed []*Event `json:",omitzero"` // as they are now
	Removed []*Event `json:",omitzero"` // as they were
	// Conflicts are the reservations of the feed that other events prevent. Two guests have booked the same night, or
	// the channel publishes a night of this calendar as its own reservation. The nights of the reservation that are
	// free are blocked, so that nobody else books them. The reservation is added by the first Sync after its nights are
	// free.
	Conflicts []Conflict `json:",omitzero"`
	// Problems are the entries that could not be read. As long as there are any, no night is freed unless Feed.MayFree is set.
	Problems []ical.Problem `json:",omitzero"`
}

// Conflict is a reservation of a feed whose nights other events hold.
type Conflict struct {
	UID           string
	ReservationID string // "" if the feed does not contain it
	Taken         *Taken `json:",omitzero"`
}

// ShrunkError means that a feed lacks so many nights which it had before that this may be a mistake of the channel. No
// night was freed; everything else in the feed was synchronised. Let a person decide, and set [Feed].MayFree to
// the number of nights.
type ShrunkError struct {
	Nights int      // that would be free, from today on
	Events []*Event // that hold them
}

// Error returns the number of nights and events.
func (e *ShrunkError) Error() string {
	return fmt.Sprintf("the feed lacks %d nights of %d events that it had before", e.Nights, len(e.Events))
}

// Is makes it match [dynastay.ErrRefused].
func (*ShrunkError) Is(target error) bool { return target == dynastay.ErrRefused }

// ErrOutdated is the error for a feed that was fetched before the one that was synchronised last.
var ErrOutdated = dynastay.Refusal("a later download of the feed was synchronised before")

// usualNights is the number of nights that any feed may free: a long holiday that was cancelled.
const usualNights = 14

const opSync = "listing.Sync"

// Sync brings the calendar of a listing up to date with a feed. It changes only events that the same feed has made, and
// only from today on: what has begun is shortened, not deleted. Package ical documents how a feed is read.
//
// If nothing in the feed covers tonight, the day of the channel may be ahead of that of the listing: tonight then
// remains held by an event that goes on, or that ends tomorrow.
//
//   - A reservation in the feed becomes an event of its channel. It keeps its event if the feed gives it other dates or
//     another UID: it is recognised by its reservation id, by its UID, by its dates, or by nights that it has in common
//     with what it was before. What has begun is only continued: an entry that begins later becomes another event. An
//     event has at most [MaxNights] nights from today on. A reservation that [Repository.Import] has imported is left to
//     Import.
//   - Closed nights become blocks, [HostClosed], one for each month. Only nights that no other event holds are blocked,
//     because channels also publish the nights that they have read in the calendar of this listing.
//   - A night that is in the feed before and after is never free in between.
//
// If the feed is not a complete calendar, nothing changes, and the error is that of [ical.Read]. If it lacks too many
// nights, none is freed, and the error is a [*ShrunkError], together with the result. Sync fails with [ErrOutdated] for
// an older download. What [Repository.Export] has written changes nothing.
//
// Sync consists of several transactions. If it fails in between, call it again with a new download. 3 requests if
// nothing has changed, 1 more for each reservation that Import has imported, and 1 or 2 for each event or month that changes. A
// change that does not fit in one transaction, such as that of more than 45 nights of a reservation, takes 3 for each step; the
// result does not show the steps.
func (r *Repository) Sync(ctx context.Context, f Feed) (_ *Synced, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Sync")
	defer func() { end(err) }()
	s := &syncing{Repository: r, feed: f, of: map[string]*history{}}
	if err := s.validate(); err != nil {
		return nil, err
	}
	calendar, err := ical.Read(f.Calendar, s.zone)
	if err != nil {
		return nil, &dynastay.Error{Op: opSync, Entity: "Feed", ID: f.Name, Err: err}
	}
	s.calendar, s.today = calendar, dynastay.DateOf(r.db.Now(), s.zone)
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	s.result.Problems = calendar.Problems
	for tries := 0; tries < maxSyncs; {
		more := false
		if more, err = s.sync(ctx); err == nil && !more || err != nil && !errors.Is(err, errStale) {
			break
		}
		if err != nil {
			tries++
		}
	}
	s.report()
	return &s.result, err
}

// maxSyncs is the number of times that a feed is compared with the calendar if others change the calendar at the same
// time.
const maxSyncs = 5

// errStale is the error if the calendar has changed after it was compared with the feed.
var errStale = fmt.Errorf("the calendar has changed: %w", dynastay.ErrContention)

// errStuck is the error if no booking can be changed before another one.
var errStuck = errors.New("its reservations exchange more nights than can be changed in steps")

// syncing is one call of Sync.
type syncing struct {
	*Repository
	feed     Feed
	at       dynastay.Key // of the feed
	zone     *time.Location
	calendar *ical.Calendar
	today    dynastay.Date
	reach    dynastay.Date // tomorrow if nothing in the feed covers tonight, otherwise today
	written  []*history
	of       map[string]*history // by the id of the event
	result   Synced
}

func (s *syncing) validate() error {
	f := s.feed
	if !slices.Contains(channels, f.Source) {
		return dynastay.Invalid("Source", "must be one of %s", join(channels))
	}
	if _, err := key.Partition(listingkeys.NightByHost{HostID: f.HostID}); err != nil {
		return err
	}
	var err error
	if s.at, err = key.Of(listingkeys.Feed{ListingID: f.ListingID, Name: f.Name}); err != nil {
		return err
	}
	if f.Fetched.IsZero() {
		return dynastay.Invalid("Fetched", "is required")
	}
	if f.Calendar == nil {
		return dynastay.Invalid("Calendar", "is required")
	}
	// "Local" is the zone of the machine that this process runs on, and "" is UTC.
	if s.zone, err = time.LoadLocation(f.TimeZone); err != nil || f.TimeZone == "" || f.TimeZone == "Local" || f.TimeZone != path.Clean(f.TimeZone) {
		return dynastay.Invalid("TimeZone", "must be a valid IANA time zone")
	}
	return nil
}

// sync compares the feed with the calendar, and writes the differences. more reports that they are only a step.
func (s *syncing) sync(ctx context.Context) (more bool, err error) {
	now, err := s.readAll(ctx)
	if err != nil {
		return false, err
	}
	in, err := s.entries(ctx, now)
	if err != nil {
		return false, err
	}
	p := s.planOf(now, in)
	s.result.Conflicts = p.conflicts
	for _, group := range p.parts {
		if err := s.write(ctx, now, group); err != nil {
			return false, err
		}
	}
	if p.more && len(p.parts) == 0 {
		return false, &dynastay.Error{Op: opSync, Entity: "Feed", ID: s.feed.Name, Err: errStuck}
	}
	if p.shrunk != nil && !p.more {
		return false, &dynastay.Error{Op: opSync, Entity: "Feed", ID: s.feed.Name, Err: p.shrunk}
	}
	return p.more, nil
}

// history is what all steps have made of an event; nil means none.
type history struct{ before, after *Event }

// note keeps what a step has made of an event.
func (s *syncing) note(t *target, after *Event) {
	w := s.of[t.event.ID]
	if w == nil {
		w = &history{}
		if t.row.Exists() {
			w.before = t.event
		}
		s.of[t.event.ID], s.written = w, append(s.written, w)
	}
	w.after = after
}

// report sets the lists of the result.
func (s *syncing) report() {
	for _, w := range s.written {
		switch {
		case w.before == nil && w.after == nil: // a block for one step
		case w.before == nil:
			s.result.Added = append(s.result.Added, w.after)
		case w.after == nil:
			s.result.Removed = append(s.result.Removed, w.before)
		default:
			s.result.Changed = append(s.result.Changed, w.after)
		}
	}
}
