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
	for i := range 50 {
		rooms = append(rooms, king(fmt.Sprintf("r%d", i), "100"))
		rooms[i].Name, rooms[i].CancellationPolicy = "R", ""
	}
	calls = append(calls, call{"Card", grand("p1"), rooms}) // each room type is on the card
	calls = append(calls, call{"AmenityIDs", grand("p1", func(p *properties.Property) { p.AmenityIDs = many(41) }), rooms})

	stop := db.Faults.Record()
	for i, c := range calls {
		_, err := repo.Create(t.Context(), c.p, c.rooms)
		if assert.Error(t, err, "call %d: %s", i, c.field) {
			assertField(t, err, dynastay.ErrInvalid, c.field)
		}
	}
	full := king("r1", "100")
	full.Total = availability.MaxRooms + 1
	_, err := repo.Create(t.Context(), grand("p1"), []properties.RoomType{full})
	assert.EqualError(t, err, "properties.Create: invalid Rooms[0].Total: must be between 1 and 10,000")
	_, err = repo.Create(t.Context(), grand("p1"), rooms[:1], dynastay.IdempotencyKey(""))
	assertField(t, err, dynastay.ErrInvalid, "IdempotencyKey")
	assert.Empty(t, stop(), "no request at all")
}

// Texts and lists at their maximum length are stored. One more byte or element is refused before any request.
func TestTextsHaveLimits(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	long := func(n int) string { return strings.Repeat("é", n/2) }
	p, room := grand("p1"), king("r1", "100")
	room.MaxOccupancy, room.MaxAdults, room.MaxChildren = availability.MaxGuests, availability.MaxGuests, availability.MaxGuests
	room.Total = availability.MaxRooms
	room.Beds, room.Amenities, room.Images = make([]properties.Bed, 32), make([]string, 100), make([]string, 50)
	for i := range room.Beds {
		room.Beds[i] = properties.Bed{Type: long(256), Count: 1}
	}
	for i := range room.Amenities {
		room.Amenities[i] = long(256)
	}
	for i := range room.Images {
		room.Images[i] = long(2048)
	}
	texts := []struct {
		field string
		most  int
		text  *string
	}{
		{"Name", 256, &p.Name},
		{"Description", 16 << 10, &p.Description},
		{"Address.Line1", 256, &p.Address.Line1},
		{"Address.Line2", 256, &p.Address.Line2},
		{"Address.City", 256, &p.Address.City},
		{"Address.State", 256, &p.Address.State},
		{"Address.Country", 256, &p.Address.Country},
		{"Address.PostalCode", 256, &p.Address.PostalCode},
		{"Contact.Phone", 256, &p.Contact.Phone},
		{"Contact.Email", 256, &p.Contact.Email},
		{"Contact.Website", 2048, &p.Contact.Website},
		{"PrimaryImageURL", 2048, &p.PrimaryImageURL},
		{"CancellationPolicy", 256, (*string)(&p.CancellationPolicy)},
		{"Rooms[0].Name", 256, &room.Name},
		{"Rooms[0].Description", 16 << 10, &room.Description},
		{"Rooms[0].CancellationPolicy", 256, (*string)(&room.CancellationPolicy)},
		{"Rooms[0].Beds[31].Type", 256, &room.Beds[31].Type},
		{"Rooms[0].Amenities[99]", 256, &room.Amenities[99]},
		{"Rooms[0].Images[49]", 2048, &room.Images[49]},
	}
	for _, test := range texts {
		*test.text = long(test.most)
	}
	p.CancellationPolicy = availability.CustomPolicy(strings.Repeat("c", 249))
	room.CancellationPolicy = p.CancellationPolicy
	stop := db.Faults.Record()
	refused := func(field string, p properties.Property, room properties.RoomType) {
		t.Helper()
		_, err := repo.Create(t.Context(), p, []properties.RoomType{room})
		assertField(t, err, dynastay.ErrInvalid, field)
	}
	for _, test := range texts {
		good := *test.text
		for _, bad := range []string{strings.Repeat("a", test.most+1), "\xff"} {
			*test.text = bad
			refused(test.field, p, room)
		}
		*test.text = good
	}
	more := room
	more.Beds = append(more.Beds, properties.Bed{Type: "king", Count: 1})
	refused("Rooms[0].Beds", p, more)
	more = room
	more.Amenities = append(more.Amenities, "")
	refused("Rooms[0].Amenities", p, more)
	more = room
	more.Images = append(more.Images, "")
	refused("Rooms[0].Images", p, more)
	assert.Empty(t, stop(), "no request at all")

	made, err := repo.Create(t.Context(), p, []properties.RoomType{room})
	require.NoError(t, err)
	got, err := repo.GetWithRooms(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
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
		assertField(t, err, dynastay.ErrInvalid, "AmenityIDs")
	})
	assert.Less(t, allocated, 1_000.0)
}

// Error texts end up in logs, so they contain no text from the caller.
func TestErrorsDoNotEchoInput(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	const secret = "john@example.com"
	create := func(p properties.Property, rooms ...properties.RoomType) error {
		_, err := repo.Create(t.Context(), p, append(rooms, king("r1", "100")))
		return err
	}
	errs := map[string]error{
		"room type twice": create(grand("p1"), king(secret, "100"), king(secret, "100")),
		"amenity twice":   create(grand("p1", func(p *properties.Property) { p.AmenityIDs = []string{secret, secret} })),
		"status":          create(grand("p1", func(p *properties.Property) { p.Status = secret })),
		"time zone":       create(grand("p1", func(p *properties.Property) { p.TimeZone = secret })),
		"check-in time":   create(grand("p1", func(p *properties.Property) { p.CheckInTime = secret })),
		"policy":          create(grand("p1", func(p *properties.Property) { p.CancellationPolicy = "partial_" + secret })),
	}
	require.NoError(t, create(grand("p1")))
	_, errs["new status"] = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Status = secret }))
	_, errs["room type"] = new(properties.Card).QuoteRequest(dynastay.MustStay("2026-07-10", "2026-07-13"), availability.Guests{}, properties.Choice{RoomTypeID: secret})
	for name, err := range errs {
		require.ErrorIs(t, err, dynastay.ErrInvalid, name)
		assert.NotContains(t, err.Error(), "john", name)
	}
}

func TestAgreedOnHasALimit(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	stop := db.Faults.Record()
	_, err := repo.Update(t.Context(), "p1", edit(func(*properties.Property) {}), dynastay.AgreedOn(strings.Repeat("a", 4097)))
	assertField(t, err, dynastay.ErrInvalid, "AgreedOn")
	assert.Empty(t, stop())
}

// An update that makes the card too large is refused, like a creation with a card that is too large.
func TestUpdateOfALargeCard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, propertyTables).DB, nil)
	var rooms []properties.RoomType
	for i := range 20 {
		rooms = append(rooms, king(fmt.Sprintf("r%d", i), "100"))
	}
	url := 2048
	full := func(p *properties.Property) { p.PrimaryImageURL = strings.Repeat("u", url) }
	_, err := repo.Create(t.Context(), grand("p1", full), rooms)
	assertField(t, err, dynastay.ErrInvalid, "Card")
	_, size, _ := strings.Cut(err.Error(), "must be at most 4,096 bytes, got ")
	var bytes int
	_, err = fmt.Sscanf(size, "%d;", &bytes)
	require.NoError(t, err)
	url -= bytes - 4096
	made, err := repo.Create(t.Context(), grand("p1", full), rooms)
	require.NoError(t, err)
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name += "!" }))
	assertField(t, err, dynastay.ErrInvalid, "Card")
	assert.ErrorContains(t, err, "must be at most 4,096 bytes, got 4097; ")
	got, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = p.Name[1:] + "!" }))
	require.NoError(t, err)
	assert.Len(t, got.Name, len(made.Name))
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
	assertField(t, db.Write(t.Context(), p("p1"), p("p2")), dynastay.ErrInvalid, "Operations")
	assert.Empty(t, stop())
	require.NoError(t, db.Write(t.Context(), p("p1")))
}

// A property with the maximum number of amenities can be moved in one transaction, together with a new slug.
func TestLargestPropertyMoves(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := grand("p1", pending)
	p.AmenityIDs = nil
	for i := range 89 {
		p.AmenityIDs = append(p.AmenityIDs, fmt.Sprintf("a%d", i))
	}
	_, err := repo.Create(t.Context(), p, []properties.RoomType{king("r1", "100")})
	require.NoError(t, err)
	_, err = repo.Approve(t.Context(), "p1")
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Address.City, p.Slug = "Boston", "boston" }))
	require.NoError(t, err)
	checkDerived(t, db, "p1", p.Slug)
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
	set(t, db, keyOf("deleting"), "SET #status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
	before := writes(db)
	refuse := func(id, field string, change func(*properties.Property)) {
		t.Helper()
		_, err := repo.Update(t.Context(), id, edit(change))
		if assert.Error(t, err, field) {
			assertField(t, err, dynastay.ErrInvalid, field)
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
	assertField(t, err, dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop())
}

func TestReadsRefuse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	stop := db.Faults.Record()
	_, err := repo.Get(t.Context(), "")
	assertField(t, err, dynastay.ErrInvalid, "PropertyID")
	_, err = repo.GetWithRooms(t.Context(), "a#b")
	assertField(t, err, dynastay.ErrInvalid, "PropertyID")
	_, err = repo.BySlug(t.Context(), " ")
	assertField(t, err, dynastay.ErrInvalid, "Slug")
	for field, q := range map[string]properties.CityQuery{
		"City":      {Country: "USA"},
		"Country":   {City: "New York"},
		"MinRating": {City: "New York", Country: "USA", MinRating: 101},
	} {
		_, err := repo.ByCity(q).Page(t.Context(), dynastay.Paging{})
		assertField(t, err, dynastay.ErrInvalid, field)
	}
	_, err = repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: -1}).Page(t.Context(), dynastay.Paging{})
	assertField(t, err, dynastay.ErrInvalid, "MinRating")
	for field, paging := range map[string]dynastay.Paging{"Paging.Limit": {Limit: 1001}, "Paging.After": {After: "?"}} {
		_, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), paging)
		assertField(t, err, dynastay.ErrInvalid, field)
	}
	assert.Empty(t, stop())
}

func TestCardQuoteRequestRefusesUnknownRoomType(t *testing.T) {
	t.Parallel()
	card := properties.CardOf(&properties.Property{ID: "p1"}, []properties.RoomType{king("r1", "100")})
	choices := []properties.Choice{{RoomTypeID: "r1", Quantity: 1}, {RoomTypeID: "r2", Quantity: 1}}
	_, err := card.QuoteRequest(dynastay.MustStay("2026-07-10", "2026-07-13"), availability.Guests{Adults: 2}, choices...)
	assertField(t, err, dynastay.ErrInvalid, "Rooms[1].RoomTypeID")
}

// For a room type without a policy of its own, the property's policy applies.
func TestCardQuoteRequest(t *testing.T) {
	t.Parallel()
	p := grand("p1")
	own, inherited := king("r1", "100"), king("r2", "100")
	inherited.CancellationPolicy = ""
	card := properties.CardOf(&p, []properties.RoomType{inherited, own})
	assert.Equal(t, []string{"r1", "r2"}, []string{card.Rooms[0].ID, card.Rooms[1].ID})
	stay := dynastay.MustStay("2026-07-10", "2026-07-13")
	req, err := card.QuoteRequest(stay, availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: "r2", Quantity: 2}, properties.Choice{RoomTypeID: "r1", Quantity: 1})
	require.NoError(t, err)
	assert.Equal(t, p.ID, req.Property.ID)
	assert.Equal(t, p.TimeZone, req.Property.TimeZone)
	assert.Equal(t, p.CheckInTime, req.Property.CheckInTime)
	assert.Equal(t, stay, req.Stay)
	require.Len(t, req.Rooms, 2)
	assert.Equal(t, 2, req.Rooms[0].Quantity)
	assert.Equal(t, p.CancellationPolicy, req.Rooms[0].CancellationPolicy)
	assert.Equal(t, own.CancellationPolicy, req.Rooms[1].CancellationPolicy)
}
