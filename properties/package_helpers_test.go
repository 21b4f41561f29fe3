package properties_test

import (
	"context"
	"flag"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// patient is for races in which every call must succeed or be refused.
var patient = dynastay.Retry{Attempts: 500}

// grand returns an approved hotel with every field that a caller can set, and with its own slug and id.
func grand(id string, edits ...func(*properties.Property)) properties.Property {
	p := properties.Property{
		ID: id, Name: "Grand Luxury Hotel", Slug: "slug-of-" + id, Type: properties.Hotel, Stars: 5,
		Description: "A luxurious 5-star hotel...", OwnerID: "user_456", Status: properties.Approved,
		Address: properties.Address{
			Line1: "123 Fifth Avenue", Line2: "Suite 100", City: "New York", State: "NY", Country: "USA",
			PostalCode: "10001", Latitude: 40.7589, Longitude: -73.9851,
		},
		Contact:     properties.Contact{Phone: "+1-212-555-0100", Email: "info@grandluxury.com", Website: "https://grandluxury.com"},
		CheckInTime: "15:00", CheckOutTime: "11:00", TimeZone: "America/New_York",
		CancellationPolicy: availability.FreeCancellation(48),
		PrimaryImageURL:    "https://cdn.example.com/prop_123/main.jpg",
		AmenityIDs:         []string{"wifi", "pool", "gym"},
		Featured:           true, FeaturedScore: 95,
	}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func pending(p *properties.Property) { p.Status = properties.Pending }

func king(id, price string) properties.RoomType {
	return properties.RoomType{
		ID: id, Name: "Deluxe King Suite", Description: "Spacious suite with king bed...",
		Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1}, SizeSqm: 45.5,
		Beds: []properties.Bed{{Type: "king", Count: 1}}, BasePrice: dynastay.MustMoney(price, "USD"),
		Amenities: []string{"wifi", "tv"}, Images: []string{"https://cdn.example.com/room_789/1.jpg"}, Total: 20,
		CancellationPolicy: availability.NonRefundable,
	}
}

// visible returns a property without what only the library reads.
func visible(p properties.Property) (seen properties.Property) {
	to, from := reflect.ValueOf(&seen).Elem(), reflect.ValueOf(p)
	for i := range from.NumField() {
		if from.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return seen
}

// create creates a property with two room types of its own.
func create(t testing.TB, repo *properties.Repository, p properties.Property) *properties.WithRooms {
	t.Helper()
	made, err := repo.Create(t.Context(), p, []properties.RoomType{
		king("room_a_of_"+p.ID, "250.00"), king("room_b_of_"+p.ID, "150.00"),
	})
	require.NoError(t, err)
	return made
}

// meanwhile returns a function for an update that first calls happens, between the read and the write, once only.
func meanwhile(happens func(), fn func(*properties.Property)) func(*properties.Property) error {
	var once sync.Once
	return func(p *properties.Property) error {
		once.Do(happens)
		fn(p)
		return nil
	}
}

// edit returns a function for an update that cannot fail.
func edit(fn func(*properties.Property)) func(*properties.Property) error {
	return func(p *properties.Property) error {
		fn(p)
		return nil
	}
}

// approval approves a property in a different process.
func approval(id string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		return second(properties.New(db, nil).Approve(ctx, id))
	}
}

func second[T any](_ T, err error) error { return err }

// put writes an item as other software would.
func put(t raw.T, db *dyntest.DB, item dynastay.Item) {
	t.Helper()
	raw.Put(t, db, keys.PropertiesTable, item)
}

// set changes an item as other software would.
func set(t testing.TB, db *dyntest.DB, key dynastay.Key, update string, values dynastay.Item) {
	t.Helper()
	raw.Update(t, db, keys.PropertiesTable, key, update, values)
}

// partition reads all items of a partition, by sort key, without the library.
func partition(t raw.T, db *dyntest.DB, pk string) map[string]dynastay.Item {
	t.Helper()
	items := map[string]dynastay.Item{}
	for _, item := range raw.Partition(t, db, keys.PropertiesTable, pk) {
		items[dynastay.RowOf(item).Text("SK")] = item
	}
	return items
}

// stored returns the item of a property.
func stored(t raw.T, db *dyntest.DB, id string) dynastay.Item {
	t.Helper()
	item := partition(t, db, "PROPERTY#"+id)["METADATA"]
	require.NotNil(t, item)
	return item
}

func keyOf(id string) dynastay.Key { return dynastay.Key{PK: "PROPERTY#" + id, SK: "METADATA"} }

// assertNotAllowed asserts that the status of a property did not allow an operation.
func assertNotAllowed(t raw.T, err error, status properties.Status) {
	t.Helper()
	refused := blame.As[*properties.StatusError](t, err)
	assert.Equal(t, status, refused.Status)
	blame.Named(t, err, "Status")
}

// writes counts the write requests so far.
func writes(db *dyntest.DB) (n int) {
	for _, operation := range []string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"} {
		n += db.Faults.Count(operation)
	}
	return n
}

// remove deletes an item as other software would.
func remove(t testing.TB, db *dyntest.DB, key dynastay.Key) {
	t.Helper()
	raw.Delete(t, db, keys.PropertiesTable, key)
}

// observe opens the database as a separate process and observes its requests, one at a time.
func observe(db *dyntest.DB, see func(dynastay.Call)) *dynastay.DB {
	var mu sync.Mutex
	return db.Open(&dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
		mu.Lock()
		defer mu.Unlock()
		see(c)
	})})
}

// propertyTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var propertyTables = dyntest.OnlyTables(
	keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable,
	&dynastay.Schema{Name: keys.BookingsTable.Name, Key: keys.BookingsTable.Key}, // only written to
)

// A random test of this package makes 20 histories, a fifth of rapid's default: with more, the package takes too long
// on DynamoDB Local. -rapid.checks changes it.
func init() {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}

// located returns an edit that puts a property at a point.
func located(at key.Point) func(*properties.Property) {
	return func(p *properties.Property) { p.Address.Latitude, p.Address.Longitude = at.Latitude, at.Longitude }
}

// putRows writes approved properties quickly: of each item, only the card and the keys of the table and of one index.
func putRows(t testing.TB, db *dyntest.DB, index string, all []properties.Property) {
	t.Helper()
	at, ok := keys.PropertiesTable.Index(index)
	require.True(t, ok)
	table := keys.PropertiesTable.Key
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, p := range all {
			p.CreatedAt, p.Prices = fixture.Now, properties.PriceRange{Min: fixture.Price, Max: fixture.Price}
			whole, err := properties.PropertyEntity.Item(&p)
			require.NoError(t, err)
			item := dynastay.Item{}
			for _, name := range []string{table.Partition, table.Sort, at.Key.Partition, at.Key.Sort, keys.AttrCard} {
				item[name] = whole[name]
			}
			if !yield(keys.PropertiesTable, item) {
				return
			}
		}
	}))
}

// metresBetween returns the great-circle distance of two points, by the angle between vectors.
func metresBetween(a, b key.Point) float64 {
	vector := func(p key.Point) (x, y, z float64) {
		latitude, longitude := p.Latitude*math.Pi/180, p.Longitude*math.Pi/180
		return math.Cos(latitude) * math.Cos(longitude), math.Cos(latitude) * math.Sin(longitude), math.Sin(latitude)
	}
	ax, ay, az := vector(a)
	bx, by, bz := vector(b)
	cross := math.Hypot(math.Hypot(ay*bz-az*by, az*bx-ax*bz), ax*by-ay*bx)
	return 6_371_008.8 * math.Atan2(cross, ax*bx+ay*by+az*bz)
}
