package bookings_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// everything reads all items of all tables without the library, by their keys.
func everything(t testing.TB, db *dyntest.DB) map[string]dynastay.Item {
	t.Helper()
	all := map[string]dynastay.Item{}
	for _, s := range []*dynastay.Schema{keys.BookingsTable, keys.AvailabilityTable, keys.MetadataTable} {
		for _, item := range raw.All(t, db, s) {
			all[s.Key.From(dynastay.RowOf(item)).String()] = item
		}
	}
	return all
}

// nemo is a text that is about a person wherever it is stored.
const nemo = "Nemo"

// assertNobody fails for items that contain nemo.
func assertNobody(t testing.TB, db *dyntest.DB) {
	t.Helper()
	for key, item := range everything(t, db) {
		assert.NotContains(t, key+shownItem(item), nemo, "item %s", key)
	}
}

// shownItem returns an item as text.
func shownItem(item dynastay.Item) string {
	return fmt.Sprint(plainValue(&types.AttributeValueMemberM{Value: item}))
}

// plainValue returns the contents of a value, so that fmt prints all of it.
func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberM:
		m := map[string]any{}
		for name, inner := range v.Value {
			m[name] = plainValue(inner)
		}
		return m
	case *types.AttributeValueMemberL:
		var l []any
		for _, inner := range v.Value {
			l = append(l, plainValue(inner))
		}
		return l
	}
	return fmt.Sprint(v)
}

// planted is an item of a booking, with everything that it can contain.
type planted struct {
	item  dynastay.Item
	known []string // the attributes that the library declares
	// goes are the attributes about a person, changes what the library writes. All others must stay.
	goes, changes []string
	plain         bool // it has no write id
}

var plantedAt = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// plant returns the items of a booking in which every attribute is set, those about a person to nemo.
func plant(t *testing.T, id string) map[string]planted {
	t.Helper()
	b := &bookings.Booking{
		Summary: bookings.Summary{
			ID: id, Reference: "BKG-" + id, UserID: "user_" + nemo, PropertyID: "prop_1", PropertyName: "The Inn",
			Source: bookings.Source{Channel: "expedia", ExternalReference: "e1"},
			Guest:  bookings.Guest{FirstName: nemo, LastName: nemo, Email: nemo + "@example.com", Phone: nemo, Country: nemo},
			Stay:   payStay, Guests: availability.Guests{Adults: 2, Children: 1}, Rooms: 1, Status: bookings.Cancelled,
			PaymentStatus: bookings.PaymentFailed, Total: dollarsOf("210"), HoldExpiresAt: plantedAt, CreatedAt: plantedAt,
		},
		Data:      bookings.Data{"name": nemo},
		Breakdown: bookings.Breakdown{Rooms: dollarsOf("200"), TaxesAndFees: dollarsOf("20"), Discounts: dollarsOf("10")},
		PromoCode: "SUMMER", SpecialRequests: nemo, CancellationPolicy: availability.NonRefundable,
		TimeZone: "Europe/Paris", CheckInTime: "15:00", UpdatedAt: plantedAt, ConfirmedAt: plantedAt, CheckedInAt: plantedAt,
		CheckedOutAt: plantedAt, CancelledAt: plantedAt, CancellationReason: nemo, Released: payStay, PolicyCheckIn: payStay.CheckIn, Version: 7, LastLine: 2,
		DueAt: plantedAt,
	}
	p := bookings.Payment{
		ID: "pay_1", BookingID: id, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card",
		Amount: dollarsOf("210"), Status: bookings.PaymentFailed, Card: bookings.Card{Brand: nemo, Last4: nemo}, FailureReason: nemo,
		At: plantedAt, CreatedAt: plantedAt,
	}
	r := bookings.Refund{
		ID: "re_1", BookingID: id, ProviderTransactionID: "ch_1", Amount: dollarsOf("5"), Status: bookings.PaymentFailed,
		Reason: nemo, FailureReason: nemo, At: plantedAt, CreatedAt: plantedAt,
	}
	s := bookings.PaymentSummary{
		Payment: p, Paid: dollarsOf("1"), Authorized: dollarsOf("2"), Refunded: dollarsOf("3"), RefundedAt: plantedAt,
	}
	s.FailureReason = ""
	all := map[string]planted{}
	add := func(item dynastay.Item, err error, p planted) {
		require.NoError(t, err)
		item["Elsewhere"] = dynastay.Text("of other software")
		p.item = item
		all[keys.BookingsTable.Key.From(dynastay.RowOf(item)).String()] = p
	}
	item, err := bookings.BookingEntity.Item(b)
	add(item, err, planted{
		known: bookings.BookingEntity.Known(), goes: []string{"UserId", "GuestInfo", "Data", "SpecialRequests", "CancellationReason", "GSI1PK", "GSI1SK"},
		changes: []string{"Version", "UpdatedAt", "AnonymisedAt"},
	})
	item["GuestInfo"].(*types.AttributeValueMemberM).Value["Passport"] = dynastay.Text(nemo)
	item["Data"].(*types.AttributeValueMemberM).Value["Passports"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text(nemo)}}
	item["UniqueReference"] = &types.AttributeValueMemberBOOL{Value: true}
	item, err = bookings.AttemptEntity.Item(&p)
	add(item, err, planted{known: bookings.AttemptEntity.Known(), goes: []string{"CardBrand", "CardLast4", "FailureReason"}})
	item, err = bookings.RefundEntity.Item(&r)
	add(item, err, planted{known: bookings.RefundEntity.Known(), goes: []string{"Reason", "FailureReason"}})
	item, err = bookings.PaymentEntity.Item(&s)
	add(item, err, planted{known: bookings.PaymentEntity.Known(), goes: []string{"CardBrand", "CardLast4", "Reason", "FailureReason"}})
	item["Reason"], item["FailureReason"] = dynastay.Text(nemo), dynastay.Text(nemo) // other software has no other item
	line := raw.Document(t, "testdata/line.json")
	line["PK"], line["BookingId"] = dynastay.Text("BOOKING#"+id), dynastay.Text(id)
	add(line, nil, planted{})
	further := raw.Document(t, "testdata/line.json")
	further["PK"], further["SK"] = dynastay.Text("BOOKING#"+id), dynastay.Text("ROOM#room_789#LINE#02")
	further["Adults"], further["Children"] = dynastay.Number(1), dynastay.Number(1)
	further["ChildAges"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text(nemo)}}
	further["Data"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text(nemo)}}
	add(further, nil, planted{goes: []string{"ChildAges", "Data"}, plain: true})
	return all
}

// Every attribute of a booking, of its payments and of its refunds either goes or stays exactly as it was.
func TestWhatGoesAndWhatStays(t *testing.T) {
	t.Parallel()
	for name, stamped := range map[string]bool{"of the library": true, "of other software": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInn(t)
			before := plant(t, "bkg_1")
			for key, p := range before {
				if stamped {
					p.item["WriteId"] = &types.AttributeValueMemberB{Value: []byte("12345678")}
				}
				raw.Put(t, i.DB, bookingsTable, p.item)
				for _, name := range p.known {
					if !indexKey.MatchString(name) && name != "AnonymisedAt" {
						assert.Contains(t, p.item, name, "%s: plant it, and decide whether it goes", key)
					}
				}
			}
			planted := everything(t, i.DB)
			done, err := i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_"+nemo)
			require.NoError(t, err)
			assert.Equal(t, map[string]int{"bookings anonymised": 1}, done)
			assertNobody(t, i.DB)
			after := everything(t, i.DB)
			for key, p := range before {
				for name, v := range planted[key] {
					switch {
					case slices.Contains(p.goes, name):
						assert.NotContains(t, after[key], name, key)
					case name == "WriteId":
						assert.Equal(t, p.goes == nil || p.plain, assert.ObjectsAreEqual(v, after[key][name]), key)
					case !slices.Contains(p.changes, name):
						assert.Equal(t, v, after[key][name], "%s: %s", key, name)
					}
				}
				for name := range after[key] {
					if planted[key][name] == nil {
						assert.Contains(t, append(p.changes, "WriteId"), name, key)
					}
				}
			}
			b, err := i.repo.Get(t.Context(), "bkg_1")
			require.NoError(t, err)
			assert.Equal(t, []any{innNoon, innNoon, 8}, []any{b.AnonymisedAt, b.UpdatedAt, b.Version})
			assert.Zero(t, b.Guest)
			found, err := i.repo.ByReference(t.Context(), "BKG-bkg_1")
			require.NoError(t, err)
			assert.Equal(t, b, found)

			spent := i.Measure(func() { done, err = i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_"+nemo) })
			require.NoError(t, err)
			assert.Equal(t, map[string]int{}, done)
			assert.Equal(t, 1, spent.Requests)
		})
	}
}

// The document's booking is anonymised once the stay is over. Its payment stays, and so does what is reported later.
func TestDocumentBookingIsAnonymised(t *testing.T) {
	t.Parallel()
	db, _, repo := open(t, 1)
	for _, name := range []string{"booking.json", "line.json", "payment.json"} {
		raw.Put(t, db, bookingsTable, raw.Document(t, "testdata/"+name))
	}
	db.Clock.Set(time.Date(2025, 1, 18, 23, 59, 59, 0, time.UTC))
	_, err := repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_456")
	blame.As[*bookings.UpcomingError](t, err)
	db.Clock.Advance(time.Second)
	done, err := repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 1}, done)

	want := plain(t, raw.Document(t, "testdata/booking.json"))
	for _, name := range []string{"UserId", "GuestInfo", "SpecialRequests", "GSI1PK", "GSI1SK"} {
		delete(want, name)
	}
	want["AnonymisedAt"], want["UpdatedAt"], want["Version"] = "2025-01-19T00:00:00Z", "2025-01-19T00:00:00Z", float64(1)
	want["GSI3SK"] = "CREATED#2024-11-10T09:15:00Z#BOOKING#bkg_12345"
	want["GSI5PK"], want["GSI5SK"] = "CHECKIN#2025-01-15", "PROPERTY#prop_123#BOOKING#bkg_12345"
	assert.Equal(t, want, withoutWriteID(storedItem(t, db, keyOf("bkg_12345"))))
	want = plain(t, raw.Document(t, "testdata/payment.json"))
	delete(want, "CardLast4")
	delete(want, "CardBrand")
	paymentKey := dynastay.Key{PK: "BOOKING#bkg_12345", SK: "PAYMENT"}
	assert.Equal(t, want, withoutWriteID(storedItem(t, db, paymentKey)))

	// The provider reports the payment again, and then a refund.
	p := charge("bkg_12345", "ch_3Abc123DEF456", "840", bookings.PaymentPaid)
	recorded, err := repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, bookings.Card{}, recorded.Payment.Card)
	r := refundOf("bkg_12345", "re_1", "40", bookings.PaymentRefunded)
	r.Reason = "noise"
	recorded, err = repo.RecordRefund(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Money{dollarsOf("840"), dollarsOf("40")}, []dynastay.Money{recorded.Payment.Paid, recorded.Payment.Refunded})
	failed := charge("bkg_12345", "ch_2", "840", bookings.PaymentFailed)
	failed.FailureReason = "the card of John Doe has expired"
	_, err = repo.RecordPayment(t.Context(), failed)
	require.NoError(t, err)
	r = refundOf("bkg_12345", "re_2", "1", bookings.PaymentFailed)
	r.ProviderTransactionID, r.FailureReason = "ch_3Abc123DEF456", "the account of John Doe is closed"
	_, err = repo.RecordRefund(t.Context(), r)
	require.NoError(t, err)
	h, err := repo.PaymentHistory(t.Context(), "bkg_12345")
	require.NoError(t, err)
	require.Len(t, h.Payments, 2)
	for _, p := range h.Payments {
		assert.Equal(t, []any{bookings.Card{}, ""}, []any{p.Card, p.FailureReason})
	}
	require.Len(t, h.Refunds, 2)
	for _, r := range h.Refunds {
		assert.Equal(t, []string{"", ""}, []string{r.Reason, r.FailureReason})
	}
}

func withoutWriteID(item map[string]any) map[string]any {
	delete(item, "WriteId")
	return item
}

// More payments than a transaction can change: they are anonymised first, and the booking last.
func TestManyPaymentsAreAnonymised(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ items, writes int }{{96, 1}, {97, 1}, {98, 2}, {194, 2}, {195, 3}} {
		t.Run(fmt.Sprint(test.items), func(t *testing.T) {
			t.Parallel()
			i := newInn(t)
			planted := plant(t, "bkg_1")
			raw.Put(t, i.DB, bookingsTable, planted["BOOKING#bkg_1/METADATA"].item)
			payment := planted["BOOKING#bkg_1/PAYMENT#ch_1"].item
			for n := range test.items {
				payment["SK"] = dynastay.Text(fmt.Sprintf("PAYMENT#ch_%d", n))
				payment["ProviderTransactionId"] = dynastay.Text(fmt.Sprintf("ch_%d", n))
				raw.Put(t, i.DB, bookingsTable, payment)
			}
			last, written := 0, fmt.Sprint(dynastay.RowOf(nil).Value("WriteId"))
			defer i.Faults.Inject(dyntest.After(func(ctx context.Context) {
				last++
				row, err := i.Direct.Get(ctx, bookingsTable, keyOf("bkg_1"), dynastay.Consistent)
				assert.NoError(t, err)
				assert.Equal(t, last == test.writes, row.Text("UserId") == "", "after transaction %d", last)
				assert.Equal(t, last == test.writes, row.Int("Version") == 8)
				assert.NotEqual(t, written, fmt.Sprint(row.Value("WriteId")), "what read the booking before is overtaken")
				written = fmt.Sprint(row.Value("WriteId"))
			}), dyntest.When{Operation: "TransactWriteItems", Times: test.writes}).Stop()
			spent := i.Measure(func() {
				done, err := i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_"+nemo)
				require.NoError(t, err)
				assert.Equal(t, map[string]int{"bookings anonymised": 1}, done)
			})
			assert.Equal(t, test.writes, last)
			assert.Equal(t, 2+2*test.writes, spent.Requests)
			assertNobody(t, i.DB)
		})
	}
}

// Whatever is done with an anonymised booking, nothing about a person gets into it. It can still be ended.
func TestAnonymisedBookings(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	ada, requests := bookings.Guest{FirstName: nemo, LastName: nemo, Email: "ada@example.com"}, nemo
	for _, test := range []struct {
		name   string
		status bookings.Status // when it is anonymised
		call   func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error)
		want   any // the error, or the status
	}{
		{"cancel", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			c, err := i.repo.Cancel(t.Context(), b.ID, nemo, nil)
			return c.Booking, err
		}, bookings.Cancelled},
		{"cancel with a refund", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "200", bookings.PaymentPaid))
			require.NoError(t, err)
			r := refundOf(b.ID, "re_1", "200", "")
			r.Reason = nemo
			c, err := i.repo.Cancel(t.Context(), b.ID, nemo, []bookings.Refund{r})
			require.Len(t, c.Refunds, 1)
			assert.Empty(t, c.Refunds[0].Reason)
			assert.Equal(t, dollarsOf("200"), c.Payment.Refunded)
			return c.Booking, err
		}, bookings.Cancelled},
		{"expire", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Advance(time.Minute)
			c, err := i.repo.Expire(t.Context(), b.ID)
			return c.Booking, err
		}, bookings.Expired},
		{"no-show", bookings.Confirmed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.AddDays(1).Time())
			return i.repo.NoShow(t.Context(), b.ID)
		}, bookings.NoShow},
		{"check out", bookings.CheckedIn, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			return i.repo.CheckOut(t.Context(), b.ID)
		}, bookings.Completed},
		{"confirm", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(innNoon) // the clock of another process
			return i.repo.Confirm(t.Context(), b.ID, []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentPaid)})
		}, &bookings.StatusError{Status: bookings.Pending, Op: "confirm", Err: bookings.ErrAnonymised}},
		{"check in", bookings.Confirmed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			return i.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {nemo}})
		}, &bookings.StatusError{Status: bookings.Confirmed, Op: "check in", Err: bookings.ErrAnonymised}},
		{"assign rooms", bookings.CheckedIn, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			return i.repo.AssignRooms(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {nemo}})
		}, &bookings.StatusError{Status: bookings.CheckedIn, Op: "assign rooms to", Err: bookings.ErrAnonymised}},
		{"undo the check-in", bookings.CheckedIn, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			return i.repo.UndoCheckIn(t.Context(), b.ID)
		}, &bookings.StatusError{Status: bookings.CheckedIn, Op: "undo the check-in of", Err: bookings.ErrAnonymised}},
		{"undo the check-out", bookings.Completed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			return i.repo.UndoCheckOut(t.Context(), b.ID)
		}, &bookings.StatusError{Status: bookings.Completed, Op: "undo the check-out of", Err: bookings.ErrAnonymised}},
		{"reinstate", bookings.NoShow, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			return i.repo.Reinstate(t.Context(), b.ID)
		}, &bookings.StatusError{Status: bookings.NoShow, Op: "reinstate", Err: bookings.ErrAnonymised}},
		{"modify the guest", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(innNoon)
			m, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, Guest: &ada})
			return m.Booking, err
		}, &bookings.StatusError{Status: bookings.Pending, Op: "modify", Err: bookings.ErrAnonymised}},
		{"modify the requests", bookings.CheckedIn, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			m, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, SpecialRequests: &requests})
			return m.Booking, err
		}, &bookings.StatusError{Status: bookings.CheckedIn, Op: "modify", Err: bookings.ErrAnonymised}},
		{"quote a modification", bookings.Confirmed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(innNoon)
			_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(payStay, rooms{"a": 2}))
			return nil, err
		}, &bookings.StatusError{Status: bookings.Confirmed, Op: "modify", Err: bookings.ErrAnonymised}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.anonymised(t, test.status)
			stored := storedItem(t, i.DB, keyOf(b.ID))
			got, err := test.call(t, i, b)
			assertNobody(t, i.DB)
			if want, refused := test.want.(*bookings.StatusError); refused {
				want.BookingID = b.ID
				assert.Equal(t, want, err)
				assert.Equal(t, stored, storedItem(t, i.DB, keyOf(b.ID)))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got.Status)
			assert.Empty(t, got.CancellationReason)
			now, err := i.repo.Get(t.Context(), b.ID)
			require.NoError(t, err)
			assert.Equal(t, now, got)
		})
	}
}

// anonymised returns a booking that was anonymised in a status, after a hold of an hour or after its stay.
func (i *inn) anonymised(t *testing.T, status bookings.Status) *bookings.Booking {
	t.Helper()
	hold := map[bookings.Status]time.Duration{bookings.Pending: time.Hour}[status]
	user := i.NewID("user_")
	b := i.bookFor(t, user, payStay, hold)
	i.Clock.Advance(time.Hour)
	if status != bookings.Pending {
		i.Clock.Set(payStay.CheckOut.AddDays(1).Time())
	}
	if status == bookings.CheckedIn || status == bookings.Completed {
		i.Clock.Set(payStay.CheckIn.Time())
		_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
		require.NoError(t, err)
		i.Clock.Set(payStay.CheckOut.AddDays(1).Time())
	}
	if status == bookings.Completed || status == bookings.NoShow {
		_, err := actTo(status).do(t.Context(), i.repo, b.ID)
		require.NoError(t, err)
	}
	done, err := i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), user)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"bookings anonymised": 1}, done)
	b, err = i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	require.Equal(t, status, b.Status)
	return b
}

// A booking of other software without a user is not an anonymised one: it keeps its guest, and can be changed.
func TestBookingWithoutAUser(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookFor(t, "user_1", payStay, time.Hour)
	removeAttributes(t, i.DB, keyOf(b.ID), "UserId")
	p := charge(b.ID, "ch_1", "200", bookings.PaymentAuthorized)
	recorded, err := i.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, p.Card, recorded.Payment.Card)
	got, err := i.repo.Confirm(t.Context(), b.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, b.Guest, got.Guest)
	assert.NotContains(t, storedItem(t, i.DB, keyOf(b.ID)), "GSI1PK")
	c, err := i.repo.Cancel(t.Context(), b.ID, "ill", nil)
	require.NoError(t, err)
	assert.Equal(t, "ill", c.Booking.CancellationReason)
	_, err = i.repo.Create(context.Background(), bookings.Request{Quote: i.mustQuote(t, payStay, rooms{"a": 1}), Guest: guest})
	blame.Invalid(t, err, "UserID")
}

// A replay with an idempotency key returns the booking as it is now.
func TestReplayAfterTheErasure(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	q := i.mustQuote(t, payStay, rooms{"a": 1})
	req := bookings.Request{Quote: q, UserID: "user_1", Guest: guest}
	key := dynastay.IdempotencyKey("key")
	b, err := i.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	paid := charge(b.ID, "ch_1", "200", bookings.PaymentPaid)
	_, err = i.repo.RecordPayment(t.Context(), paid, dynastay.IdempotencyKey("payment"))
	require.NoError(t, err)
	_, err = i.repo.Eraser(bookings.CancelUpcoming).Erase(t.Context(), "user_1")
	require.NoError(t, err)
	now, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	before := everything(t, i.DB)
	again, err := i.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, now, again)
	recorded, err := i.repo.RecordPayment(t.Context(), paid, dynastay.IdempotencyKey("payment"))
	require.NoError(t, err)
	assert.Equal(t, now, recorded.Booking)
	assert.Zero(t, recorded.Payment.Card)
	recorded, err = i.repo.RecordPayment(t.Context(), paid)
	require.NoError(t, err)
	assert.Zero(t, recorded.Payment.Card)
	assert.Equal(t, before, everything(t, i.DB), "nothing has changed")
}
