package bookings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// What cannot be is refused before any request, with the field.
func TestImportOfWhatCannotBe(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openInJuly(t, 5)
	stay := dynastay.MustStay("2026-07-12", "2026-07-14")
	created := elsewhere(hotel, "", stay, "").CreatedAt
	paid := bookings.Payment{ID: "id1", Provider: "pms", ProviderTransactionID: "p1", Method: "cash", Amount: usd("10.00"), Status: bookings.PaymentPaid, At: created}
	refund := bookings.Refund{ID: "r1", ProviderTransactionID: "p1", Amount: usd("10.00"), At: created}
	was := func(status bookings.Status, give func(*bookings.Import)) func(*bookings.Import) {
		return func(i *bookings.Import) {
			i.Status = status
			give(i)
		}
	}
	pay := func(give func(*bookings.Payment)) func(*bookings.Import) {
		return func(i *bookings.Import) {
			p := paid
			give(&p)
			i.Payments = []bookings.Payment{paid, p}
		}
	}
	refunded := func(give func(*bookings.Refund)) func(*bookings.Import) {
		return func(i *bookings.Import) {
			r := refund
			give(&r)
			i.Payments, i.Refunds = []bookings.Payment{paid}, []bookings.Refund{r}
		}
	}
	for name, test := range map[string]struct {
		give  func(*bookings.Import)
		field string
	}{
		"no id":                     {func(i *bookings.Import) { i.ID = "" }, "ID"},
		"an impossible id":          {func(i *bookings.Import) { i.ID = "a#b" }, "ID"},
		"no status":                 {func(i *bookings.Import) { i.Status = "" }, "Status"},
		"an unknown status":         {func(i *bookings.Import) { i.Status = "open" }, "Status"},
		"no time of creation":       {func(i *bookings.Import) { i.CreatedAt = time.Time{} }, "CreatedAt"},
		"a year of five digits":     {func(i *bookings.Import) { i.CreatedAt = created.AddDate(9000, 0, 0) }, "CreatedAt"},
		"confirmed before created":  {func(i *bookings.Import) { i.ConfirmedAt = created.Add(-1) }, "ConfirmedAt"},
		"checked in, but confirmed": {func(i *bookings.Import) { i.CheckedInAt = created }, "CheckedInAt"},
		"checked out before in": {was(bookings.Completed, func(i *bookings.Import) {
			i.CheckedInAt, i.CheckedOutAt = created.Add(2), created.Add(1)
		}), "CheckedOutAt"},
		"in the house, and gone":          {was(bookings.CheckedIn, func(i *bookings.Import) { i.CheckedOutAt = created }), "CheckedOutAt"},
		"confirmed, and cancelled":        {func(i *bookings.Import) { i.CancelledAt = created }, "CancelledAt"},
		"cancelled, but not when":         {was(bookings.Cancelled, func(*bookings.Import) {}), "CancelledAt"},
		"a reason, but not cancelled":     {func(i *bookings.Import) { i.CancellationReason = "rain" }, "CancellationReason"},
		"a hold without an end":           {was(bookings.Pending, func(*bookings.Import) {}), "HoldExpiresAt"},
		"an expired hold without an end":  {was(bookings.Expired, func(*bookings.Import) {}), "HoldExpiresAt"},
		"a hold of 31 days":               {was(bookings.Pending, func(i *bookings.Import) { i.HoldExpiresAt = created.Add(bookings.MaxHold + 1) }), "HoldExpiresAt"},
		"a hold that ended before it was": {was(bookings.Expired, func(i *bookings.Import) { i.HoldExpiresAt = created.Add(-1) }), "HoldExpiresAt"},
		"a confirmed booking with a hold": {func(i *bookings.Import) { i.HoldExpiresAt = created }, "HoldExpiresAt"},
		"no rooms":                        {func(i *bookings.Import) { i.Rooms = nil }, "Rooms"},
		"no price":                        {func(i *bookings.Import) { i.Rooms[1].Agreed = nil }, "Rooms[1].Agreed"},
		"a price too few":                 {func(i *bookings.Import) { i.Rooms[0].Agreed = i.Rooms[0].Agreed[1:] }, "Rooms[0].Agreed"},
		"two currencies": {func(i *bookings.Import) {
			i.Rooms[1].Agreed = []dynastay.Money{dynastay.MustMoney("1.00", "EUR"), dynastay.MustMoney("1.00", "EUR")}
		}, "Rooms"},
		"too many guests":          {func(i *bookings.Import) { i.Guests.Adults = 5 }, "Guests.Adults"},
		"no property":              {func(i *bookings.Import) { i.Property.ID = "" }, "Property.ID"},
		"an unknown zone":          {func(i *bookings.Import) { i.Property.TimeZone = "Mars" }, "Property.TimeZone"},
		"a stay of 91 nights":      {func(i *bookings.Import) { i.Stay.CheckOut = i.Stay.CheckIn.AddDays(91) }, "Stay"},
		"an impossible user":       {func(i *bookings.Import) { i.UserID = "a#b" }, "UserID"},
		"no guest":                 {func(i *bookings.Import) { i.Guest = bookings.Guest{} }, "Guest.FirstName"},
		"card data in a request":   {func(i *bookings.Import) { i.SpecialRequests = "4111 1111 1111 1111" }, "SpecialRequests"},
		"card data in a reference": {func(i *bookings.Import) { i.Reference = "4111111111111111" }, "Reference"},
		"card data in a code":      {func(i *bookings.Import) { i.PromoCode = "4111111111111111" }, "PromoCode"},
		"card data in a reason": {was(bookings.Cancelled, func(i *bookings.Import) {
			i.CancelledAt, i.CancellationReason = created, "4111 1111 1111 1111"
		}), "CancellationReason"},
		"a long reference":               {func(i *bookings.Import) { i.Reference = strings.Repeat("r", 257) }, "Reference"},
		"unique, but no reference":       {func(i *bookings.Import) { i.UniqueReference, i.Channel = true, "pms" }, "ExternalReference"},
		"fees of another currency":       {func(i *bookings.Import) { i.TaxesAndFees = dynastay.MustMoney("1.00", "EUR") }, "TaxesAndFees"},
		"a discount of another currency": {func(i *bookings.Import) { i.Discounts = dynastay.MustMoney("1.00", "EUR") }, "Discounts"},
		"a discount above the rooms":     {func(i *bookings.Import) { i.Discounts = usd("621.01") }, "Discounts"},
		"a discount below 0":             {func(i *bookings.Import) { i.Discounts = usd("-0.01") }, "Discounts"},
		"half a cent":                    {func(i *bookings.Import) { i.Discounts = usd("0.005") }, "Discounts"},
		"another total":                  {func(i *bookings.Import) { i.Total = usd("621.01") }, "Total"},
		"overbooked by less than none":   {func(i *bookings.Import) { i.Overbook = -1 }, "Overbook"},
		"a payment of another booking":   {pay(func(p *bookings.Payment) { p.ProviderTransactionID, p.BookingID = "p2", "other" }), "Payments[1].BookingID"},
		"a payment without a provider":   {pay(func(p *bookings.Payment) { p.ProviderTransactionID, p.Provider = "p2", "" }), "Payments[1].Provider"},
		"a payment at no time":           {pay(func(p *bookings.Payment) { p.ProviderTransactionID, p.At = "p2", time.Time{} }), "Payments[1].At"},
		"a payment in another currency": {pay(func(p *bookings.Payment) {
			p.ID, p.ProviderTransactionID, p.Amount = "", "p2", dynastay.MustMoney("1.00", "EUR")
		}), "Payments[1].Amount"},
		"a payment's id twice": {pay(func(p *bookings.Payment) { p.ProviderTransactionID = "p2" }), "Payments[1].ID"},
		"too many payments": {func(i *bookings.Import) {
			for n := range 94 {
				p := paid
				p.ID, p.ProviderTransactionID = "", fmt.Sprint("p", n)
				i.Payments = append(i.Payments, p)
			}
		}, "Payments"},
		"too many nights": {func(i *bookings.Import) {
			i.Stay.CheckOut = i.Stay.CheckIn.AddDays(60)
			for n := range i.Rooms {
				i.Rooms[n].Agreed = slices.Repeat(i.Rooms[n].Agreed[:1], 60)
			}
			i.Rooms[1].RoomTypeID = "other"
		}, "Rooms"},
		"a payment twice":                {pay(func(p *bookings.Payment) { p.ID = "" }), "Payments[1].ProviderTransactionID"},
		"a refund of another booking":    {refunded(func(r *bookings.Refund) { r.BookingID = "other" }), "Refunds[0].BookingID"},
		"a refund without an amount":     {refunded(func(r *bookings.Refund) { r.Amount = dynastay.Money{} }), "Refunds[0].Amount.Currency"},
		"a refund at no time":            {refunded(func(r *bookings.Refund) { r.At = time.Time{} }), "Refunds[0].At"},
		"more refunded than paid":        {refunded(func(r *bookings.Refund) { r.Amount = usd("10.01") }), "Refunds[0]"},
		"a refund of an unknown payment": {refunded(func(r *bookings.Refund) { r.ProviderTransactionID = "p9" }), "Refunds[0]"},
		"a refund in another currency":   {refunded(func(r *bookings.Refund) { r.Amount = dynastay.MustMoney("1.00", "EUR") }), "Refunds[0].Amount"},
		"a refund twice": {func(i *bookings.Import) {
			i.Payments, i.Refunds = []bookings.Payment{paid}, []bookings.Refund{refund, refund}
		}, "Refunds[1].ID"},
		"a refund where nothing is paid for": {func(i *bookings.Import) { i.Refunds = []bookings.Refund{refund} }, "Refunds[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			i := elsewhere(hotel, "pms-1", stay, bookings.Confirmed)
			test.give(&i)
			blame.Invalid(t, repo.ImportOp(i).Check(), test.field)
			stop := db.Faults.Record()
			_, err := repo.Import(t.Context(), i)
			blame.Invalid(t, err, test.field)
			assert.Empty(t, stop())
		})
	}
	i := elsewhere(hotel, "pms-1", stay, bookings.Confirmed)
	require.NoError(t, repo.ImportOp(i).Check())
}

// What depends on the clock is refused too: a time in the future, and a status that the stay cannot have today.
func TestImportAtTheWrongTime(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openInJuly(t, 5)
	now := db.Clock.Now()
	for name, test := range map[string]struct {
		from, to string
		status   bookings.Status
		give     func(*bookings.Import)
		field    string
	}{
		"confirmed, and begun yesterday": {"2026-07-10", "2026-07-13", bookings.Confirmed, nil, "Status"},
		"held, and begun yesterday": {"2026-07-10", "2026-07-13", bookings.Pending, func(i *bookings.Import) {
			i.CreatedAt, i.HoldExpiresAt = now, now.Add(time.Hour)
		}, "Status"},
		"in the house tomorrow": {"2026-07-12", "2026-07-13", bookings.CheckedIn, nil, "Status"},
		"gone tomorrow":         {"2026-07-12", "2026-07-13", bookings.Completed, nil, "Status"},
		"missed tomorrow":       {"2026-07-12", "2026-07-13", bookings.NoShow, nil, "Status"},
		"created in a second":   {"2026-07-12", "2026-07-13", bookings.Confirmed, func(i *bookings.Import) { i.CreatedAt = now.Add(time.Second) }, "CreatedAt"},
		"confirmed in a second": {"2026-07-12", "2026-07-13", bookings.Confirmed, func(i *bookings.Import) { i.ConfirmedAt = now.Add(time.Second) }, "ConfirmedAt"},
		"cancelled in a second": {"2026-07-12", "2026-07-13", bookings.Cancelled, func(i *bookings.Import) { i.CancelledAt = now.Add(time.Second) }, "CancelledAt"},
		"a payment in a second": {"2026-07-12", "2026-07-13", bookings.Confirmed, func(i *bookings.Import) {
			i.Payments = []bookings.Payment{{Provider: "pms", ProviderTransactionID: "1", Method: "cash", Amount: usd("1.00"), Status: bookings.PaymentPaid, At: now.Add(time.Second)}}
		}, "Payments[0].At"},
		"a refund in a second": {"2026-07-12", "2026-07-13", bookings.Confirmed, func(i *bookings.Import) {
			i.Payments = []bookings.Payment{{Provider: "pms", ProviderTransactionID: "1", Method: "cash", Amount: usd("1.00"), Status: bookings.PaymentPaid, At: now}}
			i.Refunds = []bookings.Refund{{ID: "r1", Amount: usd("1.00"), At: now.Add(time.Second)}}
		}, "Refunds[0].At"},
		"a hold that ends now": {"2026-07-12", "2026-07-13", bookings.Pending, func(i *bookings.Import) {
			i.CreatedAt, i.HoldExpiresAt = now.Add(-time.Hour), now
		}, "HoldExpiresAt"},
		"an expired hold that has not ended": {"2026-07-12", "2026-07-13", bookings.Expired, func(i *bookings.Import) {
			i.CreatedAt, i.HoldExpiresAt = now.Add(-time.Hour), now.Add(time.Second)
		}, "HoldExpiresAt"},
	} {
		t.Run(name, func(t *testing.T) {
			i := elsewhere(hotel, "pms-1", dynastay.MustStay(test.from, test.to), test.status)
			if test.give != nil {
				test.give(&i)
			}
			require.NoError(t, repo.ImportOp(i).Check())
			_, err := repo.Import(t.Context(), i)
			blame.Invalid(t, err, test.field)
		})
	}
	assert.Equal(t, []int{5, 5, 5}, hotel.Left(t, db.DB, dynastay.MustStay("2026-07-10", "2026-07-13")))
}

// The agreed prices make the quote; there is nothing to read.
func TestImportNeedsAgreedPrices(t *testing.T) {
	t.Parallel()
	_, err := availability.AgreedQuote(availability.QuoteRequest{}, time.Time{})
	blame.Invalid(t, err, "Rooms")
}
