package properties_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
)

// badProperties are invalid properties, with the fields that the errors name.
var badProperties = []struct {
	field string
	spoil func(*properties.Property)
}{
	{"Name", func(p *properties.Property) { p.Name = " " }},
	{"Slug", func(p *properties.Property) { p.Slug = "" }},
	{"Slug", func(p *properties.Property) { p.Slug = strings.Repeat("s", 257) }},
	{"Slug", func(p *properties.Property) { p.Slug = "\xff" }},
	{"Type", func(p *properties.Property) { p.Type = "" }},
	{"Type", func(p *properties.Property) { p.Type = "Hotel" }},
	{"Stars", func(p *properties.Property) { p.Stars = -1 }},
	{"Stars", func(p *properties.Property) { p.Stars = 6 }},
	{"OwnerID", func(p *properties.Property) { p.OwnerID = "" }},
	{"OwnerID", func(p *properties.Property) { p.OwnerID = "a#b" }},
	{"Address.City", func(p *properties.Property) { p.Address.City = "" }},
	{"Address.Country", func(p *properties.Property) { p.Address.Country = "\t" }},
	{"Address.Latitude", func(p *properties.Property) { p.Address.Latitude = 90.1 }},
	{"Address.Latitude", func(p *properties.Property) { p.Address.Latitude = math.NaN() }},
	{"Address.Longitude", func(p *properties.Property) { p.Address.Longitude = -180.1 }},
	{"Address.Longitude", func(p *properties.Property) { p.Address.Longitude = math.Inf(1) }},
	{"TimeZone", func(p *properties.Property) { p.TimeZone = "Mars/Olympus" }},
	{"TimeZone", func(p *properties.Property) { p.TimeZone = "Local" }},
	{"CheckInTime", func(p *properties.Property) { p.CheckInTime = "25:00" }},
	{"CheckOutTime", func(p *properties.Property) { p.CheckOutTime = "11 am" }},
	{"CancellationPolicy", func(p *properties.Property) { p.CancellationPolicy = "free_cancellation_two_days" }},
	{"CancellationPolicy", func(p *properties.Property) { p.CancellationPolicy = "free_cancelation_48h" }},
	{"FeaturedScore", func(p *properties.Property) { p.FeaturedScore = -1 }},
	{"FeaturedScore", func(p *properties.Property) { p.FeaturedScore = 10_000_000_000 }},
	{"ID", func(p *properties.Property) { p.ID = "p#1" }},
	{"ID", func(p *properties.Property) { p.ID = strings.Repeat("p", 129) }},
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	type call struct {
		field string
		p     properties.Property
		rooms []properties.RoomType
	}
	var calls []call
	for _, bad := range badProperties {
		calls = append(calls, call{bad.field, grand("p1", bad.spoil), []properties.RoomType{king("r1", "100")}})
	}
	property := func(field string, spoil func(*properties.Property)) {
		calls = append(calls, call{field, grand("p1", spoil), []properties.RoomType{king("r1", "100")}})
	}
	property("Status", func(p *properties.Property) { p.Status = properties.Rejected })
	property("Status", func(p *properties.Property) { p.Status = properties.Suspended })
	property("Status", func(p *properties.Property) { p.Status = "open" })
	property("AmenityIDs[1]", func(p *properties.Property) { p.AmenityIDs = []string{"wifi", "a#b"} })
	property("AmenityIDs[1]", func(p *properties.Property) { p.AmenityIDs = []string{"wifi", ""} })
	property("AmenityIDs[2]", func(p *properties.Property) { p.AmenityIDs = []string{"wifi", "pool", "wifi"} })
	many := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("amenity_%d", i))
		}
		return list
	}
	property("AmenityIDs", func(p *properties.Property) { p.AmenityIDs = many(90) })
	room := func(field string, spoil func(*properties.RoomType)) {
		bad := king("r2", "100")
		spoil(&bad)
		calls = append(calls, call{"Rooms[1]." + field, grand("p1"), []properties.RoomType{king("r1", "100"), bad}})
	}
	room("ID", func(r *properties.RoomType) { r.ID = "r#2" })
	room("ID", func(r *properties.RoomType) { r.ID = "r1" })
	room("Name", func(r *properties.RoomType) { r.Name = "" })
	room("MaxOccupancy", func(r *properties.RoomType) { r.MaxOccupancy = 0 })
	room("MaxOccupancy", func(r *properties.RoomType) { r.MaxOccupancy = availability.MaxGuests + 1 })
	room("MaxAdults", func(r *properties.RoomType) { r.MaxAdults = 0 })
	room("MaxAdults", func(r *properties.RoomType) { r.MaxAdults = availability.MaxGuests + 1 })
	room("MaxAdults", func(r *properties.RoomType) { r.MaxAdults, r.MaxOccupancy = 3, 2 })
	room("MaxChildren", func(r *properties.RoomType) { r.MaxChildren, r.MaxOccupancy = 3, 2 })
	room("MaxChildren", func(r *properties.RoomType) { r.MaxChildren = -1 })
	room("MaxChildren", func(r *properties.RoomType) { r.MaxChildren = availability.MaxGuests + 1 })
	room("Total", func(r *properties.RoomType) { r.Total = 0 })
	room("Total", func(r *properties.RoomType) { r.Total = availability.MaxRooms + 1 })
	room("SizeSqm", func(r *properties.RoomType) { r.SizeSqm = -1 })
	room("SizeSqm", func(r *properties.RoomType) { r.SizeSqm = math.NaN() })
	room("SizeSqm", func(r *properties.RoomType) { r.SizeSqm = math.Inf(1) })
	room("BasePrice", func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("-1", "USD") })
	room("BasePrice", func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("1.001", "USD") })
	room("BasePrice", func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("1.0001", "KWD") })
	room("BasePrice", func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("1000000000000", "USD") })
	room("BasePrice.Currency", func(r *properties.RoomType) { r.BasePrice = dynastay.Money{} })
	room("BasePrice.Currency", func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("100", "EUR") })
	room("CancellationPolicy", func(r *properties.RoomType) { r.CancellationPolicy = "partial_150_24h" })
	room("CancellationPolicy", func(r *properties.RoomType) { r.CancellationPolicy = "nonrefundable" })
	euro := king("r1", "100")
	euro.BasePrice = dynastay.MustMoney("100", "EUR")
	unsorted := []properties.RoomType{king("r2", "100"), king("r3", "100"), euro}
	calls = append(calls, call{"Rooms[2].BasePrice.Currency", grand("p1"), unsorted}) // its index in the caller's list
	calls = append(calls, call{"Status", grand("p1"), nil})                           // approved without a room type
	var rooms []properties.RoomType
	for i := range 40 {
		rooms = append(rooms, king(fmt.Sprintf("r%d", i), "100"))
		rooms[i].Name, rooms[i].CancellationPolicy = strings.Repeat("R", 80), ""
	}
	calls = append(calls, call{"Card", grand("p1"), rooms}) // each room type is on the card
	calls = append(calls, call{"AmenityIDs", grand("p1", func(p *properties.Property) { p.AmenityIDs = many(51) }), rooms})

	stop := db.Faults.Record()
	for i, c := range calls {
		_, err := repo.Create(t.Context(), c.p, c.rooms)
		if assert.Error(t, err, "call %d: %s", i, c.field) {
			blame.Of(t, err, dynastay.ErrInvalid, c.field)
		}
	}
	full := king("r1", "100")
	full.Total = availability.MaxRooms + 1
	_, err := repo.Create(t.Context(), grand("p1"), []properties.RoomType{full})
	assert.EqualError(t, err, "properties.Create: invalid Rooms[0].Total: must be between 1 and 10,000")
	_, err = repo.Create(t.Context(), grand("p1"), rooms[:1], dynastay.IdempotencyKey(""))
	blame.Of(t, err, dynastay.ErrInvalid, "IdempotencyKey")
	assert.Empty(t, stop(), "no request at all")
}

// The number of amenities is checked before they are compared with each other.
func TestTooManyAmenitiesAreNotCompared(t *testing.T) {
	repo := properties.New(dyntest.New(t, propertyTables).DB, nil)
	p := grand("p1", func(p *properties.Property) { p.AmenityIDs = make([]string, 100_000) })
	for i := range p.AmenityIDs {
		p.AmenityIDs[i] = fmt.Sprint("amenity_", i)
	}
	rooms := []properties.RoomType{king("r1", "100")}
	allocated := testing.AllocsPerRun(1, func() {
		_, err := repo.Create(t.Context(), p, rooms)
		blame.Of(t, err, dynastay.ErrInvalid, "AmenityIDs")
	})
	assert.Less(t, allocated, 1_000.0)
}

func TestAgreedOnHasALimit(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	stop := db.Faults.Record()
	_, err := repo.Update(t.Context(), "p1", edit(func(*properties.Property) {}), dynastay.AgreedOn(strings.Repeat("a", 4097)))
	blame.Of(t, err, dynastay.ErrInvalid, "AgreedOn")
	assert.Empty(t, stop())
}

// Two creations of which each fits in a transaction, but not both together.
func TestTooManyActions(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := func(id string) *dynastay.Operation[*properties.WithRooms] {
		amenities := make([]string, 60)
		for i := range amenities {
			amenities[i] = fmt.Sprintf("a%d", i)
		}
		return repo.CreateOp(grand(id, func(p *properties.Property) { p.AmenityIDs = amenities }), []properties.RoomType{king("room_of_"+id, "100")})
	}
	stop := db.Faults.Record()
	blame.Of(t, db.Write(t.Context(), p("p1"), p("p2")), dynastay.ErrInvalid, "Operations")
	assert.Empty(t, stop())
	require.NoError(t, db.Write(t.Context(), p("p1")))
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("approved"))
	for _, id := range []string{"pending", "rejected"} {
		create(t, repo, grand(id, pending))
	}
	_, err := repo.Reject(t.Context(), "rejected")
	require.NoError(t, err)
	create(t, repo, grand("suspended"))
	_, err = repo.Suspend(t.Context(), "suspended")
	require.NoError(t, err)
	create(t, repo, grand("deleting", pending))
	set(t, db, keyOf("deleting"), "SET #Status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
	before := writes(db)
	refuse := func(id, field string, change func(*properties.Property)) {
		t.Helper()
		_, err := repo.Update(t.Context(), id, edit(change))
		if assert.Error(t, err, field) {
			blame.Of(t, err, dynastay.ErrInvalid, field)
		}
	}
	for _, bad := range badProperties {
		refuse("approved", bad.field, bad.spoil)
		refuse("pending", bad.field, bad.spoil)
		refuse("suspended", bad.field, bad.spoil)
	}
	for field, change := range map[string]func(*properties.Property){
		"ID":              func(p *properties.Property) { p.ID = "p2" },
		"Prices":          func(p *properties.Property) { p.Prices.Max = dynastay.MustMoney("1000", "USD") },
		"PrimaryImageURL": func(p *properties.Property) { p.PrimaryImageURL += "?" },
		"ImageCount":      func(p *properties.Property) { p.ImageCount++ },
		"RatePlanCount":   func(p *properties.Property) { p.RatePlanCount++ },
		"HasCharges":      func(p *properties.Property) { p.HasCharges = true },
		"Rating":          func(p *properties.Property) { p.Rating = 101 },
		"ReviewCount":     func(p *properties.Property) { p.ReviewCount++ },
		"AmenityIDs":      func(p *properties.Property) { p.AmenityIDs[0] = "spa" },
		"CreatedAt":       func(p *properties.Property) { p.CreatedAt = p.CreatedAt.AddDate(0, 0, 1) },
		"UpdatedAt":       func(p *properties.Property) { p.UpdatedAt = p.UpdatedAt.AddDate(0, 0, 1) },
		"Version":         func(p *properties.Property) { p.Version = 7 },
	} {
		refuse("approved", field, change)
	}

	all := []properties.Status{properties.Pending, properties.Approved, properties.Rejected, properties.Suspended}
	for _, from := range all {
		for _, to := range append(all, properties.Deleting, "", "open") {
			if from != to {
				refuse(string(from), "Status", func(p *properties.Property) { p.Status = to })
			}
		}
	}
	_, err = repo.Update(t.Context(), "approved", edit(func(p *properties.Property) { p.Status = properties.Suspended }))
	assert.EqualError(t, err, "invalid Status: is managed by the library and cannot be changed")
	_, err = repo.Update(t.Context(), "deleting", func(*properties.Property) error {
		t.Error("fn was called for a property that is being deleted")
		return nil
	})
	assertNotAllowed(t, err, properties.Deleting)
	assert.Equal(t, before, writes(db))

	stop := db.Faults.Record()
	_, err = repo.Update(t.Context(), "a#b", edit(func(*properties.Property) {}))
	blame.Of(t, err, dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop())
}

func TestReadsRefuse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	stop := db.Faults.Record()
	_, err := repo.Get(t.Context(), "")
	blame.Of(t, err, dynastay.ErrInvalid, "PropertyID")
	_, err = repo.GetWithRooms(t.Context(), "a#b")
	blame.Of(t, err, dynastay.ErrInvalid, "PropertyID")
	_, err = repo.BySlug(t.Context(), " ")
	blame.Of(t, err, dynastay.ErrInvalid, "Slug")
	for field, q := range map[string]properties.CityQuery{
		"City":      {Country: "USA"},
		"Country":   {City: "New York"},
		"MinRating": {City: "New York", Country: "USA", MinRating: 101},
	} {
		_, err := repo.ByCity(q).Page(t.Context(), dynastay.Paging{})
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	_, err = repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: -1}).Page(t.Context(), dynastay.Paging{})
	blame.Of(t, err, dynastay.ErrInvalid, "MinRating")
	for field, paging := range map[string]dynastay.Paging{"Paging.Limit": {Limit: 1001}, "Paging.After": {After: "?"}} {
		_, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), paging)
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	assert.Empty(t, stop())
}

// A list that is too long is refused before anything is done for its elements.
func TestLongListsAreRefusedFirst(t *testing.T) {
	t.Parallel()
	s, ids := openSeller(t, 1, 0), 0
	repo := properties.New(s.db.Open(&dynastay.Options{NewID: func(prefix string) string { ids++; return prefix + "x" }}), nil)
	_, err := repo.AddRoomTypes(t.Context(), s.id, make([]properties.RoomType, 50))
	blame.Of(t, err, dynastay.ErrInvalid, "Rooms")
	_, err = repo.AddImages(t.Context(), s.id, make([]properties.Image, 99))
	blame.Of(t, err, dynastay.ErrInvalid, "Images")
	_, err = repo.ArrangeImages(t.Context(), s.id, make([]string, 99))
	blame.Of(t, err, dynastay.ErrInvalid, "ImageIDs")
	assert.Zero(t, ids)
}
