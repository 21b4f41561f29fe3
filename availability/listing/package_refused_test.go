package listing_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// Bad input is refused before any request, and the error names the field.
func TestInvalidInput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	three := nights("2025-01-10", "2025-01-13")
	long := dynastay.Stay{CheckIn: three.CheckIn, CheckOut: three.CheckIn.AddDays(listing.MaxNights + 1)}
	backwards := dynastay.Stay{CheckIn: three.CheckOut, CheckOut: three.CheckIn}
	book := func(change func(*listing.Booking)) func(context.Context) error {
		b := booking("bk_1", three)
		change(&b)
		return func(ctx context.Context) error { _, err := h.repo.Book(ctx, b); return err }
	}
	shut := func(change func(*listing.Block)) func(context.Context) error {
		b := block("b", three)
		change(&b)
		return func(ctx context.Context) error { _, err := h.repo.Block(ctx, b); return err }
	}
	deliver := func(change func(*listing.Reservation)) func(context.Context) error {
		d := reservation("BC1", 1, three)
		change(&d)
		return func(ctx context.Context) error { _, err := h.repo.Import(ctx, d); return err }
	}
	modify := func(event string, stay dynastay.Stay, opts ...dynastay.UpdateOption) func(context.Context) error {
		return func(ctx context.Context) error { _, err := h.repo.Modify(ctx, lst, event, stay, opts...); return err }
	}
	for _, test := range []struct {
		field string
		call  func(context.Context) error
	}{
		{"ListingID", book(func(b *listing.Booking) { b.ListingID = "" })},
		{"ListingID", book(func(b *listing.Booking) { b.ListingID = "a#b" })},
		{"HostID", book(func(b *listing.Booking) { b.HostID = "" })},
		{"BookingID", book(func(b *listing.Booking) { b.BookingID = "" })},
		{"BookingID", book(func(b *listing.Booking) { b.BookingID = "a#b" })},
		{"Stay.CheckIn", book(func(b *listing.Booking) { b.Stay = dynastay.Stay{} })},
		{"Stay.CheckOut", book(func(b *listing.Booking) { b.Stay = backwards })},
		{"Stay", book(func(b *listing.Booking) { b.Stay = long })},
		{"Note", book(func(b *listing.Booking) { b.Note = strings.Repeat("x", entity.MaxNote+1) })},
		{"Note", book(func(b *listing.Booking) { b.Note = "\xff" })},
		{"BlockID", shut(func(b *listing.Block) { b.BlockID = "a#b" })},
		{"HostID", shut(func(b *listing.Block) { b.HostID = "\n" })},
		{"Stay", shut(func(b *listing.Block) { b.Stay = long })},
		{"BlockID", shut(func(b *listing.Block) {
			b.BlockID, b.Stay = "", dynastay.Stay{CheckIn: three.CheckIn, CheckOut: three.CheckIn.AddDays(98)}
		})},
		{"Source", deliver(func(d *listing.Reservation) { d.Source = listing.Localstays })},
		{"Source", deliver(func(d *listing.Reservation) { d.Source = "" })},
		{"Revision", deliver(func(d *listing.Reservation) { d.Revision = 0 })},
		{"ExternalID", deliver(func(d *listing.Reservation) { d.ExternalID = " " })},
		{"ListingID", deliver(func(d *listing.Reservation) { d.ListingID = "" })},
		{"HostID", deliver(func(d *listing.Reservation) { d.HostID = "" })},
		{"BookingID", deliver(func(d *listing.Reservation) { d.BookingID = "a#b" })},
		{"Stay.CheckIn", deliver(func(d *listing.Reservation) { d.Stay = dynastay.Stay{} })},
		{"Stay", deliver(func(d *listing.Reservation) { d.Stay = long })},
		{"HostID", deliver(func(d *listing.Reservation) { d.Cancelled, d.HostID = true, "" })},
		{"EventID", modify("bk_1", three)},
		{"Stay.CheckOut", modify("BOOKING#bk_1", backwards)},
		{"Stay", modify("BOOKING#bk_1", long)},
		{"OrMissing", modify("BOOKING#bk_1", three, dynastay.OrMissing())},
		{"WriteID", modify("BOOKING#bk_1", three, dynastay.IfWritten("x"))},
		{"EventID", func(ctx context.Context) error { return h.repo.Delete(ctx, lst, "") }},
		{"ListingID", func(ctx context.Context) error { return h.repo.Delete(ctx, "", "BOOKING#bk_1") }},
		{"WriteID", func(ctx context.Context) error {
			return h.repo.Delete(ctx, lst, "BOOKING#bk_1", dynastay.IfWritten("x"))
		}},
		{"EventID", func(ctx context.Context) error { _, err := h.repo.Get(ctx, lst, "DATE#2025-01-01"); return err }},
		{"Stay", func(ctx context.Context) error { _, err := h.repo.Check(ctx, lst, long); return err }},
		{"ListingID", func(ctx context.Context) error { _, err := h.repo.Check(ctx, "a#b", three); return err }},
		{"ListingID", func(ctx context.Context) error {
			_, err := h.repo.Events("").Page(ctx, dynastay.Paging{Limit: 1})
			return err
		}},
		{"HostID", func(ctx context.Context) error {
			_, err := h.repo.ByHost("").Page(ctx, dynastay.Paging{Limit: 1})
			return err
		}},
		{"HostID", func(ctx context.Context) error {
			_, err := h.repo.ByHostBetween("", three).Page(ctx, dynastay.Paging{Limit: 1})
			return err
		}},
		{"Nights.CheckOut", func(ctx context.Context) error {
			_, err := h.repo.ByHostBetween(host, backwards).Page(ctx, dynastay.Paging{Limit: 1})
			return err
		}},
		{"From.Date", func(ctx context.Context) error {
			_, err := h.repo.Export(ctx, lst, dynastay.Date{}, exportAll)
			return err
		}},
	} {
		stop := h.Faults.Record()
		err := test.call(t.Context())
		assert.Empty(t, stop(), test.field)
		blame.Invalid(t, err, test.field)
	}
	// The largest events.
	most := dynastay.Stay{CheckIn: three.CheckIn, CheckOut: three.CheckIn.AddDays(listing.MaxNights)}
	_, err := h.repo.Block(t.Context(), listing.Block{ListingID: "lst_long", HostID: host, BlockID: "b", Stay: most})
	require.NoError(t, err)
	_, err = h.repo.Block(t.Context(), listing.Block{
		ListingID: "lst_97", HostID: host, Stay: dynastay.Stay{CheckIn: three.CheckIn, CheckOut: three.CheckIn.AddDays(97)},
	}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = h.repo.Check(t.Context(), "lst_97", most)
	require.NoError(t, err)
	assert.False(t, listing.Availability{}.Free())
}
