package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/examples/report"
)

// story holds the calendar and what one step leaves for the next.
type story struct {
	calendar *listing.Repository
	today    time.Time
	zone     *time.Location // of the listings
	colours  bool
}

const hostID = "host_marta"

// The listings of the host.
const (
	loft   = "lst_loft"
	garden = "lst_garden_house"
	sea    = "lst_sea_view"
)

// of returns a stay in July.
func of(from, to int) dynastay.Stay {
	return dynastay.MustStay(fmt.Sprintf("2037-07-%02d", from), fmt.Sprintf("2037-07-%02d", to))
}

func (s *story) month(ctx context.Context, out *report.Report) error {
	for _, step := range []struct {
		title string
		do    func(context.Context, *report.Findings) error
	}{
		{"Guests book the loft and the sea view", s.book},
		{"Two guests want the same nights of the loft at the same moment", s.race},
		{"The painter comes to the garden house, and two days later instead", s.block},
		{"Booking.com delivers late, twice, and a cancellation too early", s.deliver},
		{"Booking.com has sold a night that Ada has booked", s.sellTwice},
		{"The Airbnb feed of the garden house is synchronised", s.feed},
		{"The feed again, unchanged", s.feedUnchanged},
		{"The feed again, with new UIDs; a reservation is longer", s.feedAgain},
		{"The feed is served empty by mistake", s.feedEmpty},
		{"The sea view is exported for Airbnb, and read back", s.roundTrip},
		{"Ben cancels", s.cancel},
		{"Marta looks at July", s.draw},
	} {
		if err := out.Step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return out.Total()
}

func (s *story) book(ctx context.Context, found *report.Findings) error {
	for _, b := range []listing.Booking{
		{ListingID: loft, HostID: hostID, BookingID: "bk_ada", Stay: of(3, 8)},
		{ListingID: sea, HostID: hostID, BookingID: "bk_ben", Stay: of(10, 17)},
		{ListingID: sea, HostID: hostID, BookingID: "bk_eva", Stay: of(17, 19)},
		{ListingID: sea, HostID: hostID, BookingID: "bk_ivy", Stay: dynastay.MustStay("2037-06-28", "2037-07-03")},
		{ListingID: loft, HostID: hostID, BookingID: "bk_leo", Stay: dynastay.MustStay("2037-07-29", "2037-08-05")},
	} {
		e, err := s.calendar.Book(ctx, b)
		if err != nil {
			return err
		}
		found.Add("%-18s %s  %s", e.ListingID, e.Stay, e.ID)
	}
	return nil
}

// race fails unless exactly one of two guests gets the nights, and the other one learns which event holds them. The
// guests want the same nights, so that the output is the same whoever wins.
func (s *story) race(ctx context.Context, found *report.Findings) error {
	wanted := of(11, 15)
	events, errs := make([]*listing.Event, 2), make([]error, 2)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			events[i], errs[i] = s.calendar.Book(ctx, listing.Booking{
				ListingID: loft, HostID: hostID, BookingID: fmt.Sprintf("bk_racer_%d", i+1), Stay: wanted,
			})
		})
	}
	all.Wait()
	winner, loser := events[0], errs[1]
	if winner == nil {
		winner, loser = events[1], errs[0]
	}
	var taken *listing.Taken
	if winner == nil || !errors.As(loser, &taken) {
		return fmt.Errorf("exactly one guest must get the nights: %w", errors.Join(errs...))
	}
	found.Add("one guest  %s  booked", winner.Stay)
	if n := len(taken.Nights); n != wanted.Nights() {
		return fmt.Errorf("%d nights are taken, not %d", n, wanted.Nights())
	}
	for _, night := range taken.Nights {
		if night.EventID != winner.ID {
			return fmt.Errorf("%s is held by %s, not by %s", night.Date, night.EventID, winner.ID)
		}
	}
	found.Add("the other  %s  all %d nights are held by the event of the first", wanted, len(taken.Nights))
	return nil
}

func (s *story) block(ctx context.Context, found *report.Findings) error {
	e, err := s.calendar.Block(ctx, listing.Block{
		ListingID: garden, HostID: hostID, BlockID: "painter", Stay: of(5, 10), Note: "new paint in the kitchen",
	})
	if err != nil {
		return err
	}
	if e, err = s.calendar.Modify(ctx, garden, e.ID, of(7, 12)); err != nil {
		return err
	}
	found.Add("%s %s: two nights were taken, two were freed, three stayed as they were", e.ID, e.Stay)
	return nil
}

// deliver fails unless only the newest revision of each reservation counts.
func (s *story) deliver(ctx context.Context, found *report.Findings) error {
	old, moved := of(20, 23), of(21, 26)
	for _, d := range []struct {
		id        string
		revision  int
		stay      dynastay.Stay
		cancelled bool
		want      listing.Outcome
	}{
		{"BC-1001", 2, moved, false, listing.Created},
		{"BC-1001", 1, old, false, listing.Outdated},
		{"BC-1001", 2, moved, false, listing.Repeated},
		{"BC-1002", 2, dynastay.Stay{}, true, listing.Cancelled},
		{"BC-1002", 1, of(27, 30), false, listing.Outdated},
	} {
		got, err := s.calendar.Import(ctx, listing.Reservation{
			ListingID: loft, HostID: hostID, Source: listing.BookingCom, ExternalID: d.id, Revision: d.revision,
			Stay: d.stay, Cancelled: d.cancelled,
		})
		if err != nil {
			return err
		}
		if got.Outcome != d.want {
			return fmt.Errorf("revision %d of %s was %s, not %s", d.revision, d.id, got.Outcome, d.want)
		}
		what := d.stay.String()
		if d.cancelled {
			what = "cancelled"
		}
		found.Add("%s revision %d, %-24s  %s", d.id, d.revision, what, got.Outcome)
	}
	return nil
}

func (s *story) sellTwice(ctx context.Context, found *report.Findings) error {
	_, err := s.calendar.Import(ctx, listing.Reservation{
		ListingID: loft, HostID: hostID, Source: listing.BookingCom, ExternalID: "BC-1003", Revision: 1, Stay: of(7, 9),
	})
	var taken *listing.Taken
	if !errors.As(err, &taken) {
		return fmt.Errorf("the night was sold twice: %w", err)
	}
	found.Add("%v", taken)
	found.Add("Marta must decide; when the nights are free, the channel delivers again")
	return nil
}

// calendarOf returns an Airbnb feed.
func calendarOf(entries ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Airbnb Inc//Hosting Calendar 1.0//EN\r\n" +
		strings.Join(entries, "") + "END:VCALENDAR\r\n"
}

// entryOf returns an entry of an Airbnb feed; code is that of the reservation, "" for closed nights.
func entryOf(uid string, from, to int, code string) string {
	text := "SUMMARY:Airbnb (Not available)\r\n"
	if code != "" {
		text = "SUMMARY:Reserved\r\nDESCRIPTION:Reservation URL: https://www.airbnb.com/hosting/reservation\r\n s/details/" + code + "\r\n"
	}
	return fmt.Sprintf("BEGIN:VEVENT\r\nUID:%s@airbnb.com\r\nDTSTART;VALUE=DATE:203707%02d\r\nDTEND;VALUE=DATE:203707%02d\r\n%sEND:VEVENT\r\n",
		uid, from, to, text)
}

// sync synchronises a feed that is downloaded now.
func (s *story) sync(ctx context.Context, listingID, text string, found *report.Findings) (*listing.Synced, error) {
	s.today = s.today.Add(15 * time.Minute)
	synced, err := s.calendar.Sync(ctx, listing.Feed{
		ListingID: listingID, HostID: hostID, Name: "airbnb", Source: listing.Airbnb, TimeZone: s.zone.String(),
		Fetched: s.today, Calendar: strings.NewReader(text),
	})
	if synced != nil {
		for _, e := range synced.Added {
			found.Add("added    %s  %s", e.Stay, e.Kind)
		}
		for _, e := range synced.Changed {
			found.Add("changed  %s  %s", e.Stay, e.Kind)
		}
		for _, e := range synced.Removed {
			found.Add("removed  %s  %s", e.Stay, e.Kind)
		}
	}
	return synced, err
}

// firstFeed has a reservation and closed nights.
var firstFeed = calendarOf(entryOf("a", 14, 18, "HMADA12345"), entryOf("b", 18, 20, ""), entryOf("c", 25, 31, ""))

func (s *story) feed(ctx context.Context, found *report.Findings) error {
	_, err := s.sync(ctx, garden, firstFeed, found)
	return err
}

// feedUnchanged fails if the same feed changes anything.
func (s *story) feedUnchanged(ctx context.Context, found *report.Findings) error {
	synced, err := s.sync(ctx, garden, firstFeed, found)
	if err != nil {
		return err
	}
	if n := len(synced.Added) + len(synced.Changed) + len(synced.Removed) + len(synced.Conflicts); n > 0 {
		return fmt.Errorf("an unchanged feed made %d changes", n)
	}
	found.Add("nothing has changed")
	return nil
}

func (s *story) feedAgain(ctx context.Context, found *report.Findings) error {
	_, err := s.sync(ctx, garden, calendarOf(entryOf("x", 14, 19, "HMADA12345"), entryOf("y", 19, 20, ""), entryOf("z", 25, 31, "")), found)
	return err
}

// feedEmpty fails if an empty feed frees anything.
func (s *story) feedEmpty(ctx context.Context, found *report.Findings) error {
	_, err := s.sync(ctx, garden, calendarOf(), found)
	var shrunk *listing.ShrunkError
	if !errors.As(err, &shrunk) {
		return fmt.Errorf("the empty feed was believed: %w", err)
	}
	found.Add("%v:", shrunk)
	for _, e := range shrunk.Events {
		found.Add("  %s  %s", e.Stay, e.Kind)
	}
	found.Add("none is free until Marta agrees")
	return nil
}

// roundTrip fails if what was exported changes anything when it is read back.
func (s *story) roundTrip(ctx context.Context, found *report.Findings) error {
	text, err := s.calendar.Export(ctx, sea, dynastay.DateOf(s.today, s.zone), listing.Channel{Feed: "airbnb", Source: listing.Airbnb})
	if err != nil {
		return err
	}
	found.Add("%d entries in %d bytes, without names and booking ids", strings.Count(string(text), "BEGIN:VEVENT"), len(text))
	synced, err := s.sync(ctx, sea, string(text), found)
	if err != nil {
		return err
	}
	if n := len(synced.Added) + len(synced.Changed) + len(synced.Removed) + len(synced.Conflicts); n > 0 {
		return fmt.Errorf("reading the export back made %d changes", n)
	}
	found.Add("read back: nothing has changed")
	return nil
}

func (s *story) cancel(ctx context.Context, found *report.Findings) error {
	if err := s.calendar.Delete(ctx, sea, "BOOKING#bk_ben"); err != nil {
		return err
	}
	a, err := s.calendar.Check(ctx, sea, of(10, 17), dynastay.Consistent)
	if err != nil {
		return err
	}
	found.Add("the sea view is free from %s: %t", a.Stay, a.Free())
	return nil
}
