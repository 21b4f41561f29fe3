package availability_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func TestStatusesAreThoseOfProperties(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, properties.Suspended, keys.PropertySuspended)
	assert.EqualValues(t, properties.Deleting, keys.PropertyDeleting)
}

// move is a change of sales together with a status.
type move struct {
	status string
	of     func(*availability.Repository, availability.House, []string) *availability.SalesMove
}

var (
	suspension = move{keys.PropertySuspended, (*availability.Repository).SuspendSales}
	resumption = move{"approved", (*availability.Repository).ResumeSales}
)

// write changes the status and the guards in one transaction, as package properties does.
func (m move) write(ctx context.Context, db *dynastay.DB, propertyID string, ids ...string) (*availability.SalesMove, error) {
	sales := m.of(availability.New(db), availability.House{ID: propertyID}, ids)
	key := metadataOf(propertyID)
	_, err := dynastay.Do(ctx, db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.SetStatus", Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			property, err := db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
			if err != nil {
				return none, err
			}
			tx.Update(keys.PropertiesTable, key, dynastay.MustCompile(expression.NewBuilder().
				WithCondition(dynastay.AsRead(keys.AttrStatus, property)).
				WithUpdate(expression.Set(expression.Name(keys.AttrStatus), expression.Value(m.status)))).With(nil),
			).Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return none, sales.Add(ctx, tx)
		},
	}))
	return sales, err
}

// do writes the status and finishes.
func (m move) do(ctx context.Context, db *dynastay.DB, propertyID string, ids ...string) (availability.SalesChange, error) {
	sales, err := m.write(ctx, db, propertyID, ids...)
	if err != nil {
		return availability.SalesChange{}, err
	}
	return sales.Finish(ctx)
}

func metadataOf(propertyID string) dynastay.Key {
	return dynastay.Key{PK: "PROPERTY#" + propertyID, SK: "METADATA"}
}

// setStatus changes only the status.
func setStatus(t *testing.T, db *dyntest.DB, propertyID, status string) {
	_, err := dynastay.Do(context.Background(), db.Direct, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.SetStatus", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			tx.Update(keys.PropertiesTable, metadataOf(propertyID), dynastay.MustCompile(expression.NewBuilder().
				WithUpdate(expression.Set(expression.Name(keys.AttrStatus), expression.Value(status)))).With(nil))
			return none, nil
		},
	}))
	assert.NoError(t, err)
}

// statusOf reads the status without the library.
func statusOf(t *testing.T, db *dyntest.DB, propertyID string) string {
	row, err := db.Direct.Get(t.Context(), keys.PropertiesTable, metadataOf(propertyID), dynastay.Consistent)
	require.NoError(t, err)
	return row.Text(keys.AttrStatus)
}

// guardOf reads the guard of a room type without the library.
func guardOf(t require.TestingT, db *dyntest.DB, roomTypeID string) dynastay.Row {
	row, err := db.Direct.Get(context.Background(), keys.PropertiesTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "GUARD"}, dynastay.Consistent)
	require.NoError(t, err)
	return row
}

// onNth calls do before a request of that operation.
func onNth(db *dyntest.DB, operation string, nth int, do func(ctx context.Context)) {
	db.Faults.Inject(dyntest.Before(do), dyntest.When{Operation: operation, Nth: nth})
}

func TestSuspendAndResume(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	update(t, repo, hotel, july, availability.Change{StopSell: ptr(true), StopSellReason: "painting"})
	offer := hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-20", "2026-07-22"), 1)
	before := nightsOf(t, db, hotel.RoomTypeID, "2026-07-01")

	// The property, the guard, the transaction, one for 31 nights, and a Query before and after it.
	var done availability.SalesChange
	dyntest.Budget(t, db, dyntest.Cost{Requests: 6, ReadUnits: 10, WriteUnits: 7 + 2 + 3*31}, func() {
		var err error
		done, err = suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
		require.NoError(t, err)
	})
	assert.Equal(t, availability.SalesChange{RoomTypes: 1, Nights: 31}, done)
	assert.True(t, strings.HasPrefix(guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed), keys.ClosedByStatus))
	refused := blame.As[*availability.Refused](t, sellQuote(t, db.DB, repo, offer))
	assert.True(t, refused.Has(availability.PropertyClosed))
	_, err := repo.Open(t.Context(), availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 1, Price: fixture.Price, Nights: dynastay.MustStay("2026-09-01", "2026-09-02"),
	})
	assert.ErrorIs(t, err, availability.ErrClosed)
	stop := db.Faults.Record()
	again, err := suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1}, again)
	for _, r := range stop() {
		assert.False(t, r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), "GUARD"), "no action on the guard")
	}

	dyntest.Budget(t, db, dyntest.Cost{Requests: 6, ReadUnits: 10, WriteUnits: 7 + 2 + 3*31}, func() {
		done, err = resumption.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
		require.NoError(t, err)
	})
	assert.Equal(t, availability.SalesChange{RoomTypes: 1, Nights: 31}, done)
	after := nightsOf(t, db, hotel.RoomTypeID, "2026-07-01")
	require.Len(t, after, len(before))
	for i := range before {
		assert.Equal(t, withoutWrites(before[i]), withoutWrites(after[i]), "every other value is as it was")
	}
	require.NoError(t, sellQuote(t, db.DB, repo, offer))
	again, err = resumption.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1}, again)
}

// What the host closed stays closed when the property is approved again, and the host can then reopen it.
func TestTheHostsClosingSurvivesASuspension(t *testing.T) {
	t.Parallel()
	const later = "room_later" // created after the host closed the property
	db, hotel, repo := openHotel(t, 5)
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	putGuard(t, db, later, hotel.ID, nil)
	putNights(t, db, night(later, "2026-07-10", dynastay.Item{"PropertyId": dynastay.Text(hotel.ID)}))
	host := guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed)
	require.NotEmpty(t, host)

	done, err := suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID, later)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 2, Nights: 1}, done)
	assert.Equal(t, host, guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed))

	stop := db.Faults.Record()
	done, err = resumption.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID, later)
	requests := stop()
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 2, Nights: 1}, done)
	assert.Equal(t, 2, count(requests, "Query"), "of the room type that is reopened")
	assert.Equal(t, host, guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed))
	marked, open := closed(t, db, hotel.RoomTypeID, later)
	assert.Equal(t, []int{31, 1}, []int{marked, open})

	done, err = repo.ReopenSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, 31, done.Nights)
}

// The nights of a closing that the host did not finish are marked by the suspension.
func TestSuspendFinishesTheHostsClosing(t *testing.T) {
	t.Parallel()
	db, hotel, _ := openHotel(t, 5)
	_, err := broken(db).CloseSales(t.Context(), hotel.ID)
	require.Error(t, err)
	done, err := suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
	require.NoError(t, err)
	assert.Equal(t, 31, done.Nights)
	assert.NotContains(t, guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed), "#")
}

type hostCall = func(*availability.Repository, context.Context, string) (availability.SalesChange, error)

var hostCalls = map[string]hostCall{
	"close": (*availability.Repository).CloseSales, "reopen": (*availability.Repository).ReopenSales,
}

// The host can neither close nor reopen a suspended property, not even if it is suspended while the call runs.
func TestTheHostOfASuspendedProperty(t *testing.T) {
	t.Parallel()
	for name, call := range hostCalls {
		for status, want := range map[string]error{
			keys.PropertySuspended: availability.ErrSuspended, keys.PropertyDeleting: availability.ErrSuspended,
			"rejected": nil, "SUSPENDED": nil,
		} {
			t.Run(name+" "+status, func(t *testing.T) {
				t.Parallel()
				db, hotel, repo := openHotel(t, 5)
				onNth(db, "TransactWriteItems", 1, func(context.Context) { setStatus(t, db, hotel.ID, status) })
				_, err := call(repo, t.Context(), hotel.ID)
				if want == nil {
					require.NoError(t, err)
					return
				}
				assertKind(t, err, want, "")
				guard := guardOf(t, db, hotel.RoomTypeID)
				assert.Empty(t, guard.Text(keys.AttrClosed)+guard.Text(keys.AttrReopened))

				stop := db.Faults.Record()
				_, err = call(repo, t.Context(), hotel.ID)
				assertKind(t, err, want, "")
				assert.Len(t, stop(), 1, "the Query of the property")
			})
		}
	}
}

// The host's closing must last, so it does not rely on one that the host cannot reopen.
func TestCloseSalesWhileSuspended(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := suspension.do(ctx, db.Direct, hotel.ID, hotel.RoomTypeID)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	assertKind(t, err, availability.ErrSuspended, "")

	setStatus(t, db, hotel.ID, "approved") // by other software, which leaves the guard
	done, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Zero(t, done.Nights)
	_, err = resumption.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
	require.NoError(t, err)
	marked, _ := closed(t, db, hotel.RoomTypeID)
	assert.Equal(t, 31, marked)
}

// More than the 99 guards of one transaction are closed in several, and so are more than 49 that are reopened.
func TestCloseSalesOfManyRoomTypes(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putProperty(t, db, "")
	setStatus(t, db, propertyID, "approved")
	for i := range 198 {
		putRoomType(t, db, fmt.Sprintf("room_%03d", i))
	}
	for _, call := range []struct {
		name string
		want int // transactions
	}{{"close", 2}, {"reopen", 5}} {
		stop := db.Faults.Record()
		_, err := hostCalls[call.name](repo, t.Context(), propertyID)
		require.NoError(t, err)
		assert.Equal(t, call.want, count(stop(), "TransactWriteItems"), call.name)
	}
}

func TestSuspendAndResumeGuards(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	putNights(t, db, night("missing", "2026-05-30"), night("missing", "2026-05-31"), night("missing", oneDay),
		night("never", oneDay, dynastay.Item{keys.AttrPropertyClosed: yes}))
	putGuard(t, db, "never", propertyID, nil)
	putGuard(t, db, "odd", propertyID, dynastay.Item{keys.AttrClosed: yes, keys.AttrReopened: yes})

	stop := db.Faults.Record()
	done, err := resumption.do(t.Context(), db.DB, propertyID, "missing", "never", "odd")
	requests := stop()
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 3}, done)
	assert.Zero(t, count(requests, "Query"))
	assert.False(t, guardOf(t, db, "missing").Exists())

	done, err = suspension.do(t.Context(), db.DB, propertyID, "missing", "never", "odd")
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 3, Nights: 2}, done, "from yesterday on")
	created := guardOf(t, db, "missing")
	assert.Equal(t, []string{propertyID, "Guard"}, []string{created.Text("PropertyId"), created.Text(keys.AttrEntityType)})
	assert.True(t, guardOf(t, db, "odd").Value(keys.AttrClosed).Bool())
}

func TestSuspendARoomTypeOfADifferentProperty(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]move{"suspend": suspension, "resume": resumption} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			putGuard(t, db, "own", propertyID, nil)
			putGuard(t, db, "other", "prop_124", dynastay.Item{keys.AttrClosed: dynastay.Text(keys.ClosedByStatus + "A")})
			sales, err := m.write(t.Context(), db.DB, propertyID, "own", "other")
			assertKind(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
			assert.Empty(t, statusOf(t, db, propertyID))
			assert.Empty(t, guardOf(t, db, "own").Text(keys.AttrClosed))
			assert.Panics(t, func() { _, _ = sales.Finish(t.Context()) }, "Add has failed")

			// A different property takes the id while the transaction is prepared.
			onNth(db, "TransactWriteItems", 1, func(context.Context) { putGuard(t, db, "new", "prop_124", dynastay.Item{keys.AttrClosed: null}) })
			sales, err = suspension.write(t.Context(), db.DB, propertyID, "new")
			assertKind(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
			assert.Panics(t, func() { _, _ = sales.Finish(t.Context()) }, "Add has failed the second time")
		})
	}
}

func TestInvalidHouses(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	stop := db.Faults.Record()
	for field, house := range map[string]availability.House{
		"House.ID": {ID: "a#b"}, "House.TimeZone": {ID: propertyID, TimeZone: "Mars/Olympus"},
	} {
		for _, sales := range []*availability.SalesMove{repo.SuspendSales(house, []string{"a"}), repo.ResumeSales(house, []string{"a"})} {
			blame.Invalid(t, sales.Add(t.Context(), nil), field, "Add")
			assert.Panics(t, func() { _, _ = sales.Finish(t.Context()) })
		}
		_, err := repo.Withdraw(t.Context(), house, roomTypeID)
		blame.Invalid(t, err, field, "Withdraw")
		blame.Invalid(t, repo.SoldAhead(t.Context(), house, []string{roomTypeID}), field, "SoldAhead")
	}
	house := availability.House{ID: propertyID, Name: strings.Repeat("x", 5000)} // not needed
	blame.Invalid(t, repo.SuspendSales(house, []string{"a#b"}).Add(t.Context(), nil), "RoomTypeID", "Add")
	_, err := repo.Withdraw(t.Context(), house, "a#b")
	blame.Invalid(t, err, "RoomTypeID", "Withdraw")
	blame.Invalid(t, repo.SoldAhead(t.Context(), house, []string{"a#b"}), "RoomTypeID", "SoldAhead")
	assert.Empty(t, stop())
}
