package listing_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// home is a database with the repository.
type home struct {
	*dyntest.DB
	repo *listing.Repository
}

func newHome(t *testing.T, opts ...dyntest.Option) *home {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{dyntest.Tables(listingkeys.Table)}, opts...)...)
	return &home{db, listing.New(db.DB)}
}

const (
	lst  = "lst_123abc"
	host = "host_456def"
)

func nights(checkIn, checkOut string) dynastay.Stay { return dynastay.MustStay(checkIn, checkOut) }

func booking(id string, stay dynastay.Stay) listing.Booking {
	return listing.Booking{ListingID: lst, HostID: host, BookingID: id, Stay: stay}
}

func block(id string, stay dynastay.Stay) listing.Block {
	return listing.Block{ListingID: lst, HostID: host, BlockID: id, Stay: stay, Note: "paint"}
}

func reservation(externalID string, revision int, stay dynastay.Stay) listing.Reservation {
	return listing.Reservation{
		ListingID: lst, HostID: host, Source: listing.BookingCom, ExternalID: externalID, Revision: revision, Stay: stay,
	}
}

func cancelled(d listing.Reservation) listing.Reservation {
	d.Cancelled, d.Stay = true, dynastay.Stay{}
	return d
}

// year is long enough for everything that the tests store.
var year = nights("2025-01-01", "2026-12-01")

// held returns which event holds which night, and checks that each event holds exactly the nights of its item.
func (h *home) held(t *testing.T) map[string]string {
	t.Helper()
	a, err := h.repo.Check(t.Context(), lst, year, dynastay.Consistent)
	require.NoError(t, err)
	held, of := map[string]string{}, map[string][]dynastay.Date{}
	for _, n := range a.Taken {
		held[n.Date.String()] = n.EventID
		of[n.EventID] = append(of[n.EventID], n.Date)
	}
	for e, err := range h.repo.Events(lst).All(t.Context()) {
		require.NoError(t, err)
		var want []dynastay.Date
		for date := range e.Stay.Dates() {
			want = append(want, date)
		}
		assert.Equal(t, want, of[e.ID], e.ID)
		assert.False(t, e.Moving, e.ID)
		delete(of, e.ID)
	}
	assert.Empty(t, of, "nights of no event")
	return held
}

// runs is held in a short form, such as "2025-01-10 to 2025-01-12 BOOKING#bk_1".
func (h *home) runs(t *testing.T) (runs []string) {
	t.Helper()
	h.held(t)
	a, err := h.repo.Check(t.Context(), lst, year, dynastay.Consistent)
	require.NoError(t, err)
	for i := 0; i < len(a.Taken); {
		first := a.Taken[i]
		last := first
		for i++; i < len(a.Taken) && a.Taken[i].EventID == first.EventID && a.Taken[i].Date == last.Date.AddDays(1); i++ {
			last = a.Taken[i]
		}
		runs = append(runs, fmt.Sprintf("%s to %s %s", first.Date, last.Date, first.EventID))
	}
	return runs
}

// context is the test's, for helpers of property tests, whose own context ends with each check.
func (h *home) context() context.Context { return context.Background() }

// other is the same calendar in another process: no faults, no shared gates.
func (h *home) other() *listing.Repository { return listing.New(h.Direct) }

// crash refuses the nth transaction from now on, as if the process had ended before it.
func (h *home) crash(nth int) {
	h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: nth})
}

// before runs f before the nth request.
func (h *home) before(operation string, nth int, f func(context.Context)) {
	h.Faults.Inject(dyntest.Before(f), dyntest.When{Operation: operation, Nth: nth})
}

// wrong returns what is inconsistent: nights that no event accounts for, and events without their nights.
func (h *home) wrong(t *testing.T) []string {
	t.Helper()
	of := map[string]map[dynastay.Date]bool{}
	for _, from := range []dynastay.Date{year.CheckIn, year.CheckIn.AddDays(listing.MaxNights)} {
		a, err := h.other().Check(t.Context(), lst, dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(listing.MaxNights)}, dynastay.Consistent)
		require.NoError(t, err)
		for _, n := range a.Taken {
			if of[n.EventID] == nil {
				of[n.EventID] = map[dynastay.Date]bool{}
			}
			of[n.EventID][n.Date] = true
		}
	}
	var wrong []string
	for e, err := range h.other().Events(lst).All(t.Context()) {
		require.NoError(t, err)
		missing := 0
		for date := range e.Stay.Dates() {
			if !of[e.ID][date] {
				missing++
			}
			delete(of[e.ID], date)
		}
		if e.Moving {
			wrong = append(wrong, fmt.Sprintf("%s is still moving from %q to %q", e.ID, e.Stay, e.Target))
		}
		if missing > 0 {
			wrong = append(wrong, fmt.Sprintf("%s (%s) does not hold %d of its nights", e.ID, e.Stay, missing))
		}
	}
	for id, dates := range of {
		if len(dates) > 0 {
			wrong = append(wrong, fmt.Sprintf("%d nights are taken by %s, which does not have them", len(dates), id))
		}
	}
	return wrong
}

// foreign writes nights as the document says, without an item for the event.
func (h *home) foreign(t *testing.T, n listing.Night, stay dynastay.Stay, change ...func(date string, item map[string]types.AttributeValue)) {
	t.Helper()
	text := func(s string) types.AttributeValue {
		if s == "" {
			return &types.AttributeValueMemberNULL{Value: true}
		}
		return &types.AttributeValueMemberS{Value: s}
	}
	for date := range stay.Dates() {
		item := map[string]types.AttributeValue{
			"pk": text("LISTING_AVAILABILITY#" + lst), "sk": text("DATE#" + date.String()),
			"listingId": text(lst), "hostId": text(host), "date": text(date.String()), "kind": text(string(n.Kind)),
			"eventSource": text(string(n.Source)), "eventId": text(n.EventID), "bookingId": text(n.BookingID),
			"externalReservationId": text(n.ExternalID), "createdAt": text("2025-01-15T10:30:00.123Z"),
			"gsi1pk": text("HOST_AVAILABILITY#" + host), "gsi1sk": text("DATE#" + date.String() + "#LISTING#" + lst),
		}
		for _, f := range change {
			f(date.String(), item)
		}
		h.put(t, item)
	}
}

func (h *home) put(t *testing.T, item dynastay.Item) {
	t.Helper()
	raw.Put(t, h.DB, listingkeys.Table, item)
}

func (h *home) remove(t *testing.T, sk string) {
	t.Helper()
	raw.Delete(t, h.DB, listingkeys.Table, dynastay.Key{PK: "LISTING_AVAILABILITY#" + lst, SK: sk})
}

var bk1 = listing.Night{Kind: listing.KindBooking, Source: listing.Localstays, EventID: "BOOKING#bk_1", BookingID: "bk_1"}
var bc1 = listing.Night{
	Kind: listing.KindBooking, Source: listing.BookingCom, EventID: "BOOKING#bk_9", BookingID: "bk_9", ExternalID: "BC1",
}

func days(checkIn string, n int) dynastay.Stay {
	from := dynastay.MustDate(checkIn)
	return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(n)}
}
