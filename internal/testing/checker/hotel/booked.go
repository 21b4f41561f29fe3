package hotel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// found is a booking as it is stored.
type found struct {
	plain
	lines      []plain
	guard      bool
	registered bool             // there is a guard of the reference that a channel has
	payments   map[string]plain // by the provider's id
	refunds    map[string]plain
	summary    plain
	charges    plain
}

func newFound(p plain) *found {
	return &found{plain: p, payments: map[string]plain{}, refunds: map[string]plain{}}
}

func (f *found) mark() string { return f.text("SpecialRequests") }

// text is an attribute, "" if it is absent.
func (f *found) text(name string) string {
	return checker.TextOf(f.plain, name)
}

// at is an attribute that is a time, zero if it is absent.
func (f *found) at(name string) time.Time {
	return checker.TimeOf(f.plain[name])
}

func (f *found) status() bookings.Status { return bookings.Status(f.text("Status")) }

// live reports whether the booking has its rooms.
func (f *found) live() bool {
	return f.status() != bookings.Cancelled && f.status() != bookings.Expired
}

func (f *found) nights() (all []string) {
	checkIn, _ := dynastay.ParseDate(f.text("CheckInDate"))
	checkOut, _ := dynastay.ParseDate(f.text("CheckOutDate"))
	for date := range (dynastay.Stay{CheckIn: checkIn, CheckOut: checkOut}).Dates() {
		for _, line := range f.lines {
			all = append(all, fmt.Sprintf("%s/%s", line["RoomTypeId"], date))
		}
	}
	slices.Sort(all)
	return all
}

// readBookings puts the items of the table together, none of which is left over.
func (s *sales) readBookings() map[string]*found {
	all := map[string]*found{}
	var guards, parts []plain
	for _, p := range s.Scan(keys.BookingsTable) {
		switch sk := p["SK"].(string); {
		case sk == "METADATA":
			all[strings.TrimPrefix(p["PK"].(string), "BOOKING#")] = newFound(p)
		case sk == "GUARD":
			guards = append(guards, p)
		default:
			parts = append(parts, p)
		}
	}
	for _, part := range parts {
		if f := all[strings.TrimPrefix(part["PK"].(string), "BOOKING#")]; f == nil || !f.add(part) {
			s.Differ("an item of no booking", part["PK"].(string), "%v", part)
		}
	}
	for _, guard := range guards {
		f := all[guard["BookingId"].(string)]
		switch {
		case f != nil && guard["PK"] == "REFERENCE#"+f.text("BookingReference"):
			f.guard = true
		case f != nil && guard["PK"] == "CHANNEL#"+f.text("Channel")+"#REFERENCE#"+f.text("ExternalReference"):
			f.registered = true
		default:
			s.Differ("a reference without a booking", guard["PK"].(string), "%v", guard)
		}
	}
	for id, f := range all {
		if !f.guard || len(f.lines) != int(f.plain["NumberOfRooms"].(float64)) {
			s.Differ("a booking whose lines or guard are wrong", id, "%v", f.plain)
		}
		if !f.listed(id) || !f.arriving(id) || !f.holding(id) || !f.inHouse(id) {
			s.Differ("a booking whose index keys are wrong", id, "%v", f.plain)
		}
	}
	return all
}

// listed reports whether the booking is in the list of its status, and in no other one.
func (f *found) listed(id string) bool {
	partition := "STATUS#" + f.text("Status")
	return f.indexed("GSI3", partition, "CREATED#"+inSeconds(f.at("CreatedAt"))+"#BOOKING#"+id, id)
}

// arriving reports whether the booking is in the list of its day exactly if it has its rooms.
func (f *found) arriving(id string) bool {
	if !f.live() {
		return f.indexed("GSI5", "", "", id)
	}
	return f.indexed("GSI5", "CHECKIN#"+f.text("CheckInDate"), "PROPERTY#"+f.text("PropertyId")+"#BOOKING#"+id, id)
}

// holding reports whether the booking is in the list of the holds exactly if it is one, and in that of what is due only while it
// takes place.
func (f *found) holding(id string) bool {
	if due := f.at("DueAt"); !due.IsZero() && (f.status() == bookings.Confirmed || f.status() == bookings.CheckedIn) {
		return f.indexed("GSI6", "DUE", "DUE#"+inSeconds(due)+"#BOOKING#"+id, id)
	}
	if f.status() != bookings.Pending {
		return f.indexed("GSI6", "", "", id)
	}
	return f.indexed("GSI6", "HOLDS", "EXPIRES#"+inSeconds(f.at("HoldExpiresAt"))+"#BOOKING#"+id, id)
}

// inHouse reports whether the booking is in the list of who is there exactly while its guests are.
func (f *found) inHouse(id string) bool {
	if f.status() != bookings.CheckedIn {
		return f.text("GSI7PK") == "" && f.text("GSI7SK") == ""
	}
	return f.text("GSI7PK") == "HOUSE#"+f.text("PropertyId") && f.text("GSI7SK") == "OUT#"+f.text("CheckOutDate")+"#BOOKING#"+id
}

func inSeconds(at time.Time) string { return at.UTC().Truncate(time.Second).Format(time.RFC3339) }

// indexed reports whether the booking has the keys of an index, in a shard that some process writes to, or has none.
func (f *found) indexed(index, partition, sort, id string) bool {
	pk, sk := f.text(index+"PK"), f.text(index+"SK")
	if partition == "" {
		return pk == "" && sk == ""
	}
	for count := range checker.Shards {
		shard := ""
		if n := key.ShardOf(id, count+1); n > 0 {
			shard = fmt.Sprint("#SHARD#", n)
		}
		if pk == partition+shard {
			return sk == sort
		}
	}
	return false
}

// checkNights adds up the rooms: what was put on sale is left or sold, and never sold twice.
func (s *sales) checkNights(all map[string]*found) {
	sold := map[string]float64{}
	for _, f := range all {
		if !f.live() {
			continue
		}
		for _, night := range f.nights() {
			sold[night]++
		}
	}
	for _, p := range s.Scan(keys.AvailabilityTable) {
		night := fmt.Sprintf("%s/%s", p["RoomTypeId"], p["Date"])
		left, total := p["AvailableRooms"].(float64), p["TotalRooms"].(float64)
		if left < 0 || left+sold[night] != total {
			s.Differ("rooms do not add up", night, "%v left and %v sold of %v", left, sold[night], total)
		}
	}
}
