package venuekeys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

var (
	day = dynastay.MustDate("2025-11-15")
	now = time.Date(2025, 10, 21, 10, 0, 0, 0, time.UTC)
)

var items = []keytest.Type{
	keytest.Samples(venuekeys.User{UserID: "abc123"}),
	keytest.Samples(venuekeys.EmailGuard{Email: "user@example.com"}),
	keytest.Samples(venuekeys.Booking{BookingID: "xyz789"}),
	keytest.Samples(venuekeys.UserBooking{UserID: "abc123", BookingID: "xyz789"}),
	keytest.Samples(venuekeys.Event{Date: day, Slot: "MORNING"}, venuekeys.Event{Date: day, Slot: "AFTERNOON"}, venuekeys.Event{Date: day, Slot: "FULLDAY"}),
	keytest.Samples(venuekeys.LockCode{EventID: "evt456"}),
	keytest.Samples(venuekeys.Payment{BookingID: "xyz789", PaymentID: "pay_1"}),
	keytest.Samples(venuekeys.Notification{UserID: "abc123", CreatedAt: now, NotificationID: "ntf_1"}),
	keytest.Samples(venuekeys.AuditEntry{Date: day, At: now, EntryID: "aud_1"}),
}

var rows = []keytest.Type{
	keytest.Samples(venuekeys.UserByEmail{Email: "user@example.com"}),
	keytest.Samples(venuekeys.BookingByStatus{Shard: 2, RequestedAt: now, BookingID: "xyz789"}),
}

func TestKeysKeepTheGuarantees(t *testing.T) {
	keytest.Check(t, items...)
	keytest.Check(t, rows...)
	keytest.InOrder(t,
		venuekeys.BookingByStatus{RequestedAt: now, BookingID: "z"},
		venuekeys.BookingByStatus{RequestedAt: now.Add(time.Second), BookingID: "a"})
	keytest.InOrder(t,
		venuekeys.Notification{UserID: "u", CreatedAt: now, NotificationID: "z"},
		venuekeys.Notification{UserID: "u", CreatedAt: now.Add(time.Second), NotificationID: "a"})
	keytest.InOrder(t,
		venuekeys.AuditEntry{Date: day, At: now, EntryID: "z"}, venuekeys.AuditEntry{Date: day, At: now.Add(time.Second), EntryID: "a"})
}

func FuzzParse(f *testing.F) { keytest.Fuzz(f, items, rows) }

// The keys of the venue-booking document. Only the sort key of a pending booking differs: it ends in the booking's id.
func TestKeysOfTheDocument(t *testing.T) {
	for want, of := range map[string]func() (dynastay.Key, error){
		"USER#abc123/METADATA":        func() (dynastay.Key, error) { return key.Of(venuekeys.User{UserID: "abc123"}) },
		"EMAIL#user@example.com/USER": func() (dynastay.Key, error) { return key.Of(venuekeys.UserByEmail{Email: "User@Example.com "}) },
		"EMAIL#user@example.com/GUARD": func() (dynastay.Key, error) {
			return key.Of(venuekeys.EmailGuard{Email: "user@example.com"})
		},
		"BOOKING#xyz789/METADATA": func() (dynastay.Key, error) { return key.Of(venuekeys.Booking{BookingID: "xyz789"}) },
		"STATUS#PENDING/2025-10-21T10:00:00Z#BOOKING#xyz789": func() (dynastay.Key, error) {
			return key.Of(venuekeys.BookingByStatus{RequestedAt: now, BookingID: "xyz789"})
		},
		"USER#abc123/BOOKING#xyz789": func() (dynastay.Key, error) {
			return key.Of(venuekeys.UserBooking{UserID: "abc123", BookingID: "xyz789"})
		},
		"EVENT#2025-11-15/FULLDAY": func() (dynastay.Key, error) { return key.Of(venuekeys.Event{Date: day, Slot: "FULLDAY"}) },
		"EVENT#2025-11-15/MORNING": func() (dynastay.Key, error) { return key.Of(venuekeys.Event{Date: day, Slot: "MORNING"}) },
		"EVENT#evt456/LOCKCODE":    func() (dynastay.Key, error) { return key.Of(venuekeys.LockCode{EventID: "evt456"}) },
		"BOOKING#xyz789/PAYMENT#pay_1": func() (dynastay.Key, error) {
			return key.Of(venuekeys.Payment{BookingID: "xyz789", PaymentID: "pay_1"})
		},
		"USER#abc123/NOTIFICATION#2025-10-21T10:00:00Z#ntf_1": func() (dynastay.Key, error) {
			return key.Of(venuekeys.Notification{UserID: "abc123", CreatedAt: now, NotificationID: "ntf_1"})
		},
		"AUDIT#2025-11-15/2025-10-21T10:00:00Z#aud_1": func() (dynastay.Key, error) {
			return key.Of(venuekeys.AuditEntry{Date: day, At: now, EntryID: "aud_1"})
		},
	} {
		got, err := of()
		require.NoError(t, err)
		assert.Equal(t, want, got.String())
	}
}

func TestTable(t *testing.T) {
	assert.Equal(t, "VenueBooking", venuekeys.Table.Name)
	require.Len(t, venuekeys.Table.Indexes, 1, "GSI2 is reserved in the document, and not created")
	index, ok := venuekeys.Table.Index("GSI1")
	require.True(t, ok)
	assert.Equal(t, dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}, index.Key)
	assert.Equal(t, dynastay.ProjectAll, index.Project)
	assert.Equal(t, "writeId", venuekeys.Table.WriteIDName())
	assert.Equal(t, "expiresAt", venuekeys.Table.TTL)
}

func TestRefusedKeys(t *testing.T) {
	for _, id := range []string{"", "2025-11-15", "a#b"} {
		_, err := key.Of(venuekeys.LockCode{EventID: id})
		blame.Invalid(t, err, "EventID", id)
	}
	for _, slot := range []string{"", "FULL_DAY", "morning", "LOCKCODE"} {
		_, err := key.Of(venuekeys.Event{Date: day, Slot: slot})
		blame.Invalid(t, err, "Slot", slot)
	}
	_, err := key.Of(venuekeys.Event{Slot: "MORNING"})
	blame.Invalid(t, err, "Date")
}

func ExampleEvent() {
	at, err := key.Of(venuekeys.Event{Date: dynastay.MustDate("2025-11-15"), Slot: "FULLDAY"})
	fmt.Println(at, err)
	// Output: EVENT#2025-11-15/FULLDAY <nil>
}
