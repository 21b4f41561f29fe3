package desk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"

	"example.com/frontdesk/desk"
	"example.com/frontdesk/outbox"
	"example.com/frontdesk/registration"
)

// test is a desk in a small world without bookings, where time stands still at noon.
type test struct {
	*testing.T
	db    *dyntest.DB
	desk  *desk.Desk
	order desk.Order
}

func newTest(t *testing.T, opts ...dyntest.Option) *test {
	t.Helper()
	t.Parallel()
	w := world.New(world.Options{Seed: 1, Properties: 3, Nights: 40, Empty: true})
	db := dyntest.New(t, append(opts, dyntest.Tables(outbox.Table, registration.Table), dyntest.At(w.Now()))...)
	require.NoError(t, w.Load(t.Context(), db.Direct, nil)) // bypasses the faults and the measures
	for hotel := range w.Hotels() {
		if ask, ok := hotel.Offer(2, 4); ok {
			ask.Guests.Adults = 1
			return &test{t, db, desk.New(db.DB), desk.Order{
				PropertyID: ask.Property.ID, RoomTypeID: ask.Rooms[0].RoomTypeID, Rooms: 1, Stay: ask.Stay, Guests: ask.Guests,
				UserID: w.User(0).ID, Guest: bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
			}}
		}
	}
	t.Fatal("no hotel of the world has four rooms for two nights")
	return nil
}

// book repeats an order under its id until its outcome is known, as a good client does.
func (t *test) book(ctx context.Context, requestID string, o desk.Order) (*bookings.Booking, error) {
	for {
		b, err := t.desk.Book(ctx, requestID, o)
		var refused *bookings.Refused
		if err == nil || errors.As(err, &refused) || ctx.Err() != nil {
			return b, err
		}
	}
}

// left is the number of rooms left on the nights of the order.
func (t *test) left() []int {
	t.Helper()
	got, err := availability.New(t.db.Direct).Check(t.Context(), t.order.PropertyID, t.order.RoomTypeID, 1, t.order.Stay)
	require.NoError(t, err)
	var left []int
	for _, night := range got.Nights {
		left = append(left, night.Available)
	}
	return left
}

// less returns a copy of the rooms of each night, minus n.
func less(left []int, n int) []int {
	var all []int
	for _, rooms := range left {
		all = append(all, rooms-n)
	}
	return all
}

// booked returns the user's bookings from the table.
func (t *test) booked() (all []*bookings.Summary) {
	t.Helper()
	repo := bookings.New(t.db.Direct, nil)
	for b, err := range repo.ByUser(t.order.UserID).All(t.Context()) {
		require.NoError(t, err)
		all = append(all, b)
	}
	return all
}

// delivered returns the references that the relay delivers, with the number of times.
func (t *test) delivered() map[string]int {
	t.Helper()
	sent := map[string]int{}
	_, err := desk.New(t.db.Direct).Relay(func(_ context.Context, b *bookings.Booking) error {
		sent[b.Reference]++
		return nil
	}).Run(t.Context())
	require.NoError(t, err)
	return sent
}

// registered returns the bookings with a card, of the guests who arrive on the day of the order.
func (t *test) registered() (ids []string) {
	t.Helper()
	cards := registration.New(t.db.Direct)
	for c, err := range cards.Arrivals(t.order.PropertyID, t.order.Stay.CheckIn).All(t.Context()) {
		require.NoError(t, err)
		ids = append(ids, c.BookingID)
	}
	return ids
}

func TestBookingCardAndMessageGoTogether(tt *testing.T) {
	t := newTest(tt)
	before := t.left()
	b, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	assert.Equal(t, less(before, 1), t.left())
	card, err := registration.New(t.db.Direct).ByBooking(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, "Ada Byron", card.GuestName)
	assert.Equal(t, []string{b.ID}, t.registered())
	assert.Equal(t, map[string]int{b.Reference: 1}, t.delivered())
	assert.Empty(t, t.delivered(), "what was delivered is not delivered again")
}

// written returns the write units of a table. Those of its indexes are omitted, because engines count them differently.
func written(spent *dyntest.Spent, table *dynastay.Schema) (units float64) {
	for _, call := range spent.Calls {
		for _, u := range call.Usage {
			if u.Table == table.Name && u.Index == "" {
				units += u.WriteUnits
			}
		}
	}
	return units
}

// The cost of a booking is part of its contract: a reviewer should see a change that adds a round trip.
func TestCostOfABooking(tt *testing.T) {
	t := newTest(tt)
	spent := t.db.Measure(func() {
		dyntest.Budget(t, t.db, dyntest.Cost{Requests: 4, ReadUnits: 3, WriteUnits: dyntest.Unbounded}, func() {
			_, err := t.desk.Book(t.Context(), "request-1", t.order)
			require.NoError(t, err)
		})
	})
	// The items written with the booking, up to 1 KB each, count twice in a transaction.
	assert.Equal(t, 2.0, written(spent, outbox.Table), "the message")
	assert.Equal(t, 4.0, written(spent, registration.Table), "the card, and the guard of its booking")
	dyntest.Budget(t, t.db, dyntest.Cost{Requests: 2, ReadUnits: 2}, func() {
		_, err := t.desk.Book(t.Context(), "request-1", t.order)
		require.NoError(t, err)
	})
}

func TestThirdBookingCommitsAndItsAnswerIsLost(tt *testing.T) {
	t := newTest(tt)
	t.db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	before := t.left()
	references := map[string]int{}
	for i := range 4 {
		b, err := t.desk.Book(t.Context(), fmt.Sprint("request-", i), t.order)
		require.NoError(t, err)
		references[b.Reference] = 1
	}
	assert.Len(t, references, 4)
	assert.Equal(t, less(before, 4), t.left())
	assert.Equal(t, references, t.delivered())
}

// All answers to a booking are lost, and the reads that would settle it fail too, so its outcome is unknown. The same request
// under the same id then finds what was made.
func TestUnknownOutcomeIsRepeated(tt *testing.T) {
	t := newTest(tt, dyntest.With(dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}))
	lost := t.db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", EveryAttempt: true, Times: 1})
	t.db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "GetItem", Table: "Metadata", Nth: 2, Times: 3})
	before := t.left()
	_, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Positive(t, lost.Hits())
	b, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	assert.Equal(t, less(before, 1), t.left())
	assert.Equal(t, map[string]int{b.Reference: 1}, t.delivered())
}

func TestRefusedBookingLeavesNeitherCardNorMessage(tt *testing.T) {
	t := newTest(tt)
	rooms := t.left()[0]
	for i := range rooms {
		_, err := t.desk.Book(t.Context(), fmt.Sprint("request-", i), t.order)
		require.NoError(t, err)
	}
	_, err := t.desk.Book(t.Context(), "one-too-many", t.order)
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	assert.True(t, refused.Has(availability.SoldOut))
	assert.Len(t, t.registered(), rooms)
	assert.Len(t, t.delivered(), rooms)
}

func TestSameIDForAnotherOrder(tt *testing.T) {
	t := newTest(tt)
	_, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	for _, edit := range []func(*desk.Order){
		func(o *desk.Order) { o.Guests.Adults++ },
		func(o *desk.Order) { o.Guest.LastName = "Lovelace" },
	} {
		other := t.order
		edit(&other)
		_, err = t.desk.Book(t.Context(), "request-1", other)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}

// The same request is sent twice at once, for the last room: the second one is not refused as sold out.
func TestRepetitionOfTheBookingOfTheLastRoom(tt *testing.T) {
	t := newTest(tt)
	rooms := t.left()[0]
	for i := range rooms - 1 {
		_, err := t.desk.Book(t.Context(), fmt.Sprint("request-", i), t.order)
		require.NoError(t, err)
	}
	var first *bookings.Booking
	t.db.Faults.Inject(dyntest.After(func(ctx context.Context) { // right after the check for an existing booking
		var err error
		first, err = desk.New(t.db.Direct).Book(ctx, "last", t.order)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "GetItem", Table: "Metadata", Nth: 1})
	again, err := t.desk.Book(t.Context(), "last", t.order)
	require.NoError(t, err)
	assert.Equal(t, first.Reference, again.Reference)
}

// The last room is sold to another guest exactly between the quote and the booking.
func TestRoomIsGoneBetweenQuoteAndBooking(tt *testing.T) {
	t := newTest(tt)
	rooms := t.left()[0]
	for i := range rooms - 1 {
		_, err := t.desk.Book(t.Context(), fmt.Sprint("request-", i), t.order)
		require.NoError(t, err)
	}
	t.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := desk.New(t.db.Direct).Book(ctx, "quicker", t.order)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err := t.desk.Book(t.Context(), "slower", t.order)
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	assert.Len(t, t.delivered(), rooms)
}

// A card accepts the longest names that a booking accepts.
func TestLongestNames(tt *testing.T) {
	t := newTest(tt)
	t.order.Guest.FirstName, t.order.Guest.LastName = strings.Repeat("a", entity.MaxName), strings.Repeat("b", entity.MaxName)
	b, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	assert.Equal(t, []string{b.ID}, t.registered())
}

// A booking in flight holds its nights; another process that wants them is told to retry.
func TestTwoBookingsAtOnce(tt *testing.T) {
	t := newTest(tt)
	held, release := make(chan struct{}), make(chan struct{})
	t.db.Faults.Conflicts(0)
	t.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		close(held)
		select {
		case <-release:
		case <-ctx.Done():
		}
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	done := make(chan error, 1)
	go func() {
		_, err := t.desk.Book(t.Context(), "first", t.order)
		done <- err
	}()
	<-held
	other := desk.New(t.db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}))
	_, err := other.Book(t.Context(), "second", t.order)
	assert.ErrorIs(t, err, dynastay.ErrContention)
	close(release)
	require.NoError(t, <-done)
	_, err = other.Book(t.Context(), "second", t.order)
	require.NoError(t, err)
	assert.Len(t, t.delivered(), 2)
}

// The caller is gone right after the commit. The booking is still made, and known to be made.
func TestCallerIsGone(tt *testing.T) {
	t := newTest(tt)
	ctx, cancel := context.WithCancel(t.Context())
	t.db.Faults.Inject(dyntest.After(func(context.Context) { cancel() }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	b, err := t.desk.Book(ctx, "request-1", t.order)
	require.NoError(t, err)
	require.Error(t, ctx.Err())
	assert.Equal(t, map[string]int{b.Reference: 1}, t.delivered())
}

// Whatever goes wrong, each booking has its message and each room is sold once.
func TestBadDay(tt *testing.T) {
	t := newTest(tt)
	t.db.Faults.Conflicts(time.Millisecond)
	t.db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.1})
	before := t.left()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		made = map[string]int{}
	)
	for i := range before[0] + 5 {
		wg.Go(func() {
			b, err := t.book(ctx, fmt.Sprint("request-", i), t.order)
			var refused *bookings.Refused
			if errors.As(err, &refused) {
				return
			}
			if assert.NoError(t, err) {
				mu.Lock()
				defer mu.Unlock()
				made[b.Reference]++
			}
		})
	}
	wg.Wait()
	assert.Len(t, made, before[0], "the house is full")
	assert.Equal(t, 0, t.left()[0])
	assert.Len(t, t.booked(), before[0])
	assert.Len(t, t.registered(), before[0])
	assert.Equal(t, made, t.delivered())
}

// A request's id is valid for thirty days; then it is forgotten, whether or not DynamoDB has removed its record yet.
func TestRequestIsForgotten(tt *testing.T) {
	t := newTest(tt)
	first, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	t.db.Clock.Advance(31 * 24 * time.Hour)
	_, err = bookings.New(t.db.DB, nil).MadeBy(t.Context(), dynastay.IdempotencyKey("request-1").Of(t.order.UserID))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	var tables []string
	for _, ref := range t.db.Sweep() {
		tables = append(tables, ref.Table)
	}
	assert.Equal(t, []string{keys.MetadataTable.Name}, tables)
	_, err = bookings.New(t.db.DB, nil).Get(t.Context(), first.ID)
	assert.NoError(t, err, "the booking stays")
	assert.Equal(t, map[string]int{first.Reference: 1}, t.delivered(), "its message was not forgotten")
}

// Once it is forgotten, the id of a request can be used again, although what it made still exists.
func TestRequestIDIsUsedAgain(tt *testing.T) {
	t := newTest(tt)
	t.order.Stay = dynastay.Stay{CheckIn: t.order.Stay.CheckIn.AddDays(35), CheckOut: t.order.Stay.CheckOut.AddDays(35)}
	_, err := t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	t.db.Clock.Advance(31 * 24 * time.Hour)
	_, err = t.desk.Book(t.Context(), "request-1", t.order)
	require.NoError(t, err)
	assert.Len(t, t.delivered(), 2)
}

// Two users may use the same request id; neither sees the other's booking.
func TestRequestIDsBelongToUsers(tt *testing.T) {
	t := newTest(tt)
	hers, err := t.desk.Book(t.Context(), "1", t.order)
	require.NoError(t, err)
	his := t.order
	his.UserID = "user_bob"
	other, err := t.desk.Book(t.Context(), "1", his)
	require.NoError(t, err)
	assert.NotEqual(t, hers.ID, other.ID)
	assert.Equal(t, "user_bob", other.UserID)
}
