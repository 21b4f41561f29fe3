package bookings_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// plainLoop books rooms of one room type on the SDK alone, as a service would without the library. It writes the same
// items in one transaction, and sends it again after a conflict. The waits between are the default ones of
// [dynastay.Retry].
type plainLoop struct {
	client         *dynamodb.Client
	nights, booked string // names of the tables
	tries          int
}

var (
	errNoRoom = errors.New("sold out")
	errGaveUp = errors.New("every try conflicted")
)

func newPlainLoop(db *dyntest.DB, client *dynamodb.Client, tries int) *plainLoop {
	return &plainLoop{client, db.TableName(keys.AvailabilityTable), db.TableName(keys.BookingsTable), tries}
}

func (p *plainLoop) create(ctx context.Context, req bookings.Request) (bookingID string, err error) {
	id := "bkg_" + rand.Text()
	in := &dynamodb.TransactWriteItemsInput{TransactItems: p.actions(id, "BKG-2026-"+rand.Text()[:6], req)}
	wait := 10 * time.Millisecond
	for try := 1; ; try++ {
		_, err := p.client.TransactWriteItems(ctx, in)
		var cancelled *types.TransactionCanceledException
		has := func(code string) bool {
			return slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
				return aws.ToString(r.Code) == code
			})
		}
		switch {
		case err == nil:
			return id, nil
		case !errors.As(err, &cancelled):
			return "", err
		case has("ConditionalCheckFailed"):
			return "", errNoRoom
		case !has("TransactionConflict"):
			return "", err
		case try == p.tries:
			return "", errGaveUp
		}
		select {
		case <-time.After(mathrand.N(wait)):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		wait = min(2*wait, 500*time.Millisecond)
	}
}

// actions returns the transaction: the nights, the booking, its line, and the guard of its reference.
func (p *plainLoop) actions(id, reference string, req bookings.Request) []types.TransactWriteItem {
	line, text := req.Quote.Lines[0], dynastay.Text
	partition := text("BOOKING#" + id)
	put := func(item dynastay.Item) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &p.booked, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK)"),
		}}
	}
	booking := bookingItem(id, reference, req)
	booking["PK"], booking["SK"] = partition, text("METADATA")
	prices := dynastay.Item{}
	var all []types.TransactWriteItem
	for i, night := range line.Nights {
		prices[night.Date.String()] = amountOf(night.Price)
		all = append(all, types.TransactWriteItem{Update: p.sell(req.Quote, i)})
	}
	return append(all, put(booking),
		put(dynastay.Item{
			"PK": text("REFERENCE#" + reference), "SK": text("GUARD"), "EntityType": text("Guard"), "BookingId": text(id),
		}),
		types.TransactWriteItem{Put: &types.Put{TableName: &p.booked, Item: dynastay.Item{
			"PK": partition, "SK": text("ROOM#" + line.RoomTypeID), "EntityType": text("BookingRoom"),
			"BookingId": text(id), "RoomTypeId": text(line.RoomTypeID), "RoomName": text(line.Name),
			"Quantity": dynastay.Number(line.Quantity), "PricePerNight": amountOf(line.Nights[0].Price),
			"Subtotal": amountOf(line.Subtotal), "NightlyPrices": &types.AttributeValueMemberM{Value: prices},
			"CancellationPolicy": text(string(line.CancellationPolicy)),
		}}},
	)
}

// sell takes the rooms of one night out of the inventory, under the conditions of the library, except that a flag or a
// limit must be missing and not NULL.
func (p *plainLoop) sell(q *availability.Quote, i int) *types.Update {
	line := q.Lines[0]
	night := line.Nights[i]
	values := dynastay.Item{
		":property": dynastay.Text(q.Property.ID), ":rooms": dynastay.Number(line.Quantity), ":price": amountOf(night.Price),
		":currency": dynastay.Text(string(night.Price.Currency())), ":no": &types.AttributeValueMemberBOOL{},
		":now": dynastay.Instant(fixture.Now),
	}
	condition := "PropertyId = :property AND AvailableRooms >= :rooms AND PricePerNight = :price AND Currency = :currency" +
		" AND (attribute_not_exists(IsBlocked) OR IsBlocked = :no)" +
		" AND (attribute_not_exists(PropertyClosed) OR PropertyClosed = :no)"
	if i == 0 {
		condition += " AND (attribute_not_exists(ClosedToArrival) OR ClosedToArrival = :no)" +
			" AND (attribute_not_exists(MinStay) OR MinStay <= :nights)" +
			" AND (attribute_not_exists(MaxStay) OR MaxStay >= :nights OR MaxStay <= :none)"
		values[":nights"], values[":none"] = dynastay.Number(q.Stay.Nights()), dynastay.Number(0)
	}
	if i == len(line.Nights)-1 {
		condition += " AND (attribute_not_exists(ClosedToDeparture) OR ClosedToDeparture = :no)"
	}
	return &types.Update{
		TableName: &p.nights, Key: keys.AvailabilityTable.Key.Of(nightKey(line.RoomTypeID, night.Date)),
		UpdateExpression:    aws.String("SET AvailableRooms = AvailableRooms - :rooms, LastUpdated = :now"),
		ConditionExpression: &condition, ExpressionAttributeValues: values,
	}
}

// bookingItem returns the attributes of the booking, except for its key in the table.
func bookingItem(id, reference string, req bookings.Request) dynastay.Item {
	q, text, number := req.Quote, dynastay.Text, dynastay.Number
	arrival, now := "CHECKIN#"+q.Stay.CheckIn.String(), dynastay.Instant(fixture.Now)
	return dynastay.Item{
		"GSI1PK": text("USER#" + req.UserID), "GSI1SK": text(arrival + "#BOOKING#" + id),
		"GSI2PK": text("PROPERTY#" + q.Property.ID), "GSI2SK": text(arrival + "#BOOKING#" + id),
		"GSI3PK": text("STATUS#confirmed"), "GSI3SK": text("CREATED#2026-06-01T12:00:00Z#BOOKING#" + id),
		"GSI4PK": text("REFERENCE#" + reference), "GSI4SK": text("BOOKING"),
		"GSI5PK": text(arrival), "GSI5SK": text("PROPERTY#" + q.Property.ID + "#BOOKING#" + id),
		"EntityType": text("Booking"), "BookingId": text(id), "BookingReference": text(reference), "UserId": text(req.UserID),
		"PropertyId": text(q.Property.ID), "PropertyName": text(q.Property.Name), "Status": text("confirmed"),
		"CheckInDate": text(q.Stay.CheckIn.String()), "CheckOutDate": text(q.Stay.CheckOut.String()),
		"NumberOfNights": number(q.Stay.Nights()), "NumberOfAdults": number(q.Guests.Adults),
		"NumberOfChildren": number(q.Guests.Children), "NumberOfRooms": number(q.Lines[0].Quantity),
		"GuestInfo": &types.AttributeValueMemberM{Value: dynastay.Item{
			"FirstName": text(req.Guest.FirstName), "LastName": text(req.Guest.LastName), "Email": text(req.Guest.Email),
			"Phone": text(req.Guest.Phone), "Country": text(req.Guest.Country),
		}},
		"TotalAmount": amountOf(q.Total), "Currency": text(string(q.Total.Currency())), "PaymentStatus": text("pending"),
		"PriceBreakdown": &types.AttributeValueMemberM{Value: dynastay.Item{
			"RoomTotal": amountOf(q.Total), "TaxesAndFees": number(0), "Discounts": number(0),
		}},
		"CancellationPolicy": text(string(q.Lines[0].CancellationPolicy)),
		"TimeZone":           text(q.Property.TimeZone), "CheckInTime": text(q.Property.CheckInTime),
		"CreatedAt": now, "UpdatedAt": now, "ConfirmedAt": now, "Version": number(1),
	}
}

func amountOf(m dynastay.Money) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: m.Amount()}
}

// The comparison is fair: the plain loop stores what the library stores, except for the write id, which only the library
// needs, and both are refused when no room is left.
func TestPlainLoopWritesTheSameItems(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(t, db.DB, 2)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	repo, loop := bookings.New(db.DB, nil), newPlainLoop(db, db.Client, 1)

	own, err := repo.Create(t.Context(), req)
	require.NoError(t, err)
	want := storedFor(t, db, own)
	id, err := loop.create(t.Context(), req)
	require.NoError(t, err)
	other, err := repo.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)

	require.Len(t, want, 3, "the booking, its line and the guard of its reference")
	assert.Equal(t, want, storedFor(t, db, other))
	assert.Equal(t, []int{0, 0, 0}, hotel.Left(t, db.DB, fixture.Stay))
	_, err = loop.create(t.Context(), req)
	assert.ErrorIs(t, err, errNoRoom)
	_, err = repo.Create(t.Context(), req)
	assert.ErrorAs(t, err, new(*bookings.Refused))
}

// The plain loop gives up after its tries, and only then.
func TestPlainLoopGivesUp(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	req := fixture.Request(fixture.New(t, db.DB, 2).Quote(t, db.DB, fixture.Stay, 1))
	loop := newPlainLoop(db, db.Client, 3)

	db.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Times: 5})
	before := db.Faults.Count("TransactWriteItems")
	_, err := loop.create(t.Context(), req)
	assert.ErrorIs(t, err, errGaveUp)
	assert.Equal(t, 3, db.Faults.Count("TransactWriteItems")-before)
	_, err = loop.create(t.Context(), req)
	assert.NoError(t, err)
}

// storedFor returns the items of a booking as text, without what differs between any two bookings.
func storedFor(t *testing.T, db *dyntest.DB, b *bookings.Booking) (all []string) {
	t.Helper()
	rows, err := dynastay.QueryAll(t.Context(), db.Direct, bookingsTable, dynastay.Query{Partition: keyOf(b.ID).PK, Consistent: true})
	require.NoError(t, err)
	guard, err := db.Direct.Get(t.Context(), bookingsTable, dynastay.Key{PK: "REFERENCE#" + b.Reference, SK: "GUARD"}, dynastay.Consistent)
	require.NoError(t, err)
	same := strings.NewReplacer(b.ID, "ID", b.Reference, "REFERENCE")
	for _, row := range append(rows, guard) {
		item := plain(t, row.Item())
		delete(item, "WriteId")
		all = append(all, same.Replace(fmt.Sprint(item)))
	}
	return all
}
