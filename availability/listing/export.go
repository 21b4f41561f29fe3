package listing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Channel is for whom a calendar is exported. What the channel itself has told is not told to it again.
type Channel struct {
	Feed   string // the name of the channel's feed, if it has one
	Source Source // of the channel's reservations; "" if none are imported
}

// Export returns the calendar of a listing as iCalendar text, from a date on: the nights of all events that do not come
// from the given channel, or of all events for the zero Channel. It contains no names, notes, or ids of bookings. The
// same events give the same text, so that it can be served with an ETag.
//
// The text is complete, or there is none. If Export fails, serve an error, not an empty calendar: with that, the
// channel would open all nights. 2 requests, both consistent Queries, and more if they read more than 1 MB.
func (r *Repository) Export(ctx context.Context, listingID string, from dynastay.Date, to Channel) (_ []byte, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Export")
	defer func() { end(err) }()
	first, err := key.Of(listingkeys.Night{ListingID: listingID, Date: from})
	if err != nil {
		return nil, dynastay.Within("From", err)
	}
	nights, err := dynastay.QueryAll(ctx, r.db, listingkeys.Table, dynastay.Query{
		Partition: first.PK, Range: dynastay.Range{From: first.SK, To: lastNight}, Consistent: true,
	})
	if err != nil {
		return nil, err
	}
	// The events after the nights: what a feed has added in between is not published to its own channel.
	events, err := dynastay.QueryAll(ctx, r.db, listingkeys.Table, dynastay.Query{
		Partition: first.PK, Range: dynastay.Range{Prefix: listingkeys.EventPrefix}, Consistent: true,
	})
	if err != nil {
		return nil, err
	}
	feeds := map[string]string{}
	for _, row := range events {
		feeds[listingkeys.EventIDOf(listingkeys.Table.Key.From(row))] = row.Text(attrFeed)
	}
	var published []ical.Event
	runs := map[string]int{} // of each event; more than one only if other software has written its nights
	for _, row := range nights {
		night := r.taken(listingID, row)
		if feed := feeds[night.EventID]; feed != "" && feed == to.Feed || night.Source == to.Source && to.Source != "" {
			continue
		}
		last := len(published) - 1
		if n := runs[night.EventID]; n > 0 {
			if e := &published[last]; e.UID == r.uid(listingID, night.EventID, n) && e.Stay.CheckOut == night.Date {
				e.Stay.CheckOut = night.Date.AddDays(1)
				continue
			}
		}
		runs[night.EventID]++
		published = append(published, ical.Event{
			UID:      r.uid(listingID, night.EventID, runs[night.EventID]),
			Stay:     dynastay.Stay{CheckIn: night.Date, CheckOut: night.Date.AddDays(1)},
			Modified: written(night),
		})
	}
	var text bytes.Buffer
	err = ical.Write(&text, "", published)
	return text.Bytes(), err
}

// written returns the time at which a night was written. Other software may have left it out.
func written(n *Night) time.Time {
	if n.CreatedAt.IsZero() {
		return n.Date.Time()
	}
	return n.CreatedAt
}

// uid returns the UID with which a run of nights of an event is published. It does not show the id of the event, which
// contains that of a booking.
func (r *Repository) uid(listingID, eventID string, run int) string {
	id := digest(listingID, eventID)
	if run > 1 {
		id = fmt.Sprintf("%s-%d", id, run)
	}
	return id + r.domain(listingID)
}

// domain is how the UIDs end with which a listing of this table is published.
func (r *Repository) domain(listingID string) string {
	return "@" + digest(r.db.TableName(listingkeys.Table), listingID) + ".dynastay"
}

// published reports whether the listing's own calendar contains an entry, or has contained it. Some channels publish
// the entries of the calendars that they read.
func (s *syncing) published(uid string) bool {
	return strings.HasSuffix(uid, s.domain(s.feed.ListingID))
}

// digest returns 80 bits of a hash, which is enough to tell the events of a listing apart.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}
