package properties_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/properties"
)

func TestUpdateReturnsWhatItStored(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	made := create(t, repo, grand("p1"))
	got, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) {
		p.Name, p.Address.City, p.Contact.Phone = "Small Luxury Hotel", "Boston", ""
	}))
	require.NoError(t, err)
	want := made.Property
	want.Name, want.Address.City, want.Contact.Phone, want.Version = "Small Luxury Hotel", "Boston", "", 2
	want.UpdatedAt = got.UpdatedAt
	assert.Equal(t, &want, got)
	there, err := repo.Get(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, got, there)
}

func TestUpdateWithoutChanges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	made := create(t, repo, grand("p1"))
	before := writes(db)

	got, err := repo.Update(t.Context(), "p1", edit(func(*properties.Property) {}))
	require.NoError(t, err)
	assert.Equal(t, &made.Property, got)

	// The function's error is returned unchanged, and its changes to the argument are dropped.
	own := errors.New("no")
	_, err = repo.Update(t.Context(), "p1", func(p *properties.Property) error {
		p.Name = "?"
		return own
	})
	assert.Equal(t, own, err)

	_, err = repo.Update(t.Context(), "p2", edit(func(*properties.Property) {}))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, before, writes(db))
}

// If the property is deleted between the read and the write, the update must not write half a property.
func TestUpdateOfPropertyThatIsDeleted(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	_, err := repo.Update(t.Context(), "p1", meanwhile(
		func() { remove(t, db, keyOf("p1")) },
		func(p *properties.Property) { p.Name = "Small Luxury Hotel" },
	))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.NotContains(t, partition(t, db, "PROPERTY#p1"), "METADATA")
}

func TestTwoUpdatesOfDifferentAttributes(t *testing.T) {
	t.Parallel()
	type change = func(*properties.Property)
	for name, test := range map[string]struct{ first, second change }{
		"top level": {
			func(p *properties.Property) { p.Name = "Small Luxury Hotel" },
			func(p *properties.Property) { p.Description = "Smaller." },
		},
		"one map": {
			func(p *properties.Property) { p.Address.Line1 = "1 Main Street" },
			func(p *properties.Property) { p.Address.Line2 = "" },
		},
		"the card": {
			func(p *properties.Property) { p.CheckInTime = "14:00" },
			func(p *properties.Property) { p.TimeZone = "" },
		},
		"one index key": {
			func(p *properties.Property) { p.Address.City = "Boston" },
			func(p *properties.Property) { p.Address.Country = "Canada" },
		},
		"slug and name": {
			func(p *properties.Property) { p.Slug = "small" },
			func(p *properties.Property) { p.Name = "Small Luxury Hotel" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			want := create(t, repo, grand("p1")).Property
			runs := 0
			_, err := repo.Update(t.Context(), "p1", func(p *properties.Property) error {
				if runs++; runs == 1 {
					_, err := repo.Update(t.Context(), "p1", edit(test.second))
					require.NoError(t, err)
				}
				test.first(p)
				return nil
			})
			require.NoError(t, err)

			test.first(&want)
			test.second(&want)
			got, err := repo.Get(t.Context(), "p1")
			require.NoError(t, err)
			want.Version, want.UpdatedAt = 3, got.UpdatedAt
			assert.Equal(t, &want, got)
			checkDerived(t, db, "p1", grand("p1").Slug)
			assert.Equal(t, 2, runs, "the overtaken update is prepared again")
		})
	}
}

// ownAttributes has one attribute for each caller.
var ownAttributes = []func(p *properties.Property) *string{
	func(p *properties.Property) *string { return &p.Name },
	func(p *properties.Property) *string { return &p.Description },
	func(p *properties.Property) *string { return &p.OwnerID },
	func(p *properties.Property) *string { return &p.Address.Line1 },
	func(p *properties.Property) *string { return &p.Address.Line2 },
	func(p *properties.Property) *string { return &p.Address.City },
	func(p *properties.Property) *string { return &p.Address.State },
	func(p *properties.Property) *string { return &p.Address.Country },
	func(p *properties.Property) *string { return &p.Address.PostalCode },
	func(p *properties.Property) *string { return &p.Contact.Phone },
	func(p *properties.Property) *string { return &p.Contact.Email },
	func(p *properties.Property) *string { return &p.Contact.Website },
	func(p *properties.Property) *string { return (*string)(&p.CancellationPolicy) },
	func(p *properties.Property) *string { return (*string)(&p.Type) },
	func(p *properties.Property) *string { return &p.Slug },
}

// Half of the callers each change a different attribute; the other half increment the same one.
func TestManyUpdatesAtOnce(t *testing.T) {
	t.Parallel()
	for _, retry := range []dynastay.Retry{patient, {Attempts: 4}} {
		t.Run(strconv.Itoa(retry.Attempts), func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.Open(&dynastay.Options{Retry: retry}), nil)
			made := create(t, repo, grand("p1", func(p *properties.Property) { p.FeaturedScore = 0 }))
			var done, counted atomic.Int64
			n := len(ownAttributes)
			changed := make([]bool, n)
			racing.Together(2*n, func(i int) {
				_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) {
					if i < n {
						*ownAttributes[i](p) = "custom_" + strconv.Itoa(i)
					} else {
						p.FeaturedScore++
					}
				}))
				switch {
				case err == nil && i < n:
					changed[i] = true
					done.Add(1)
				case err == nil:
					counted.Add(1)
					done.Add(1)
				default:
					assert.ErrorIs(t, err, dynastay.ErrContention)
				}
			})
			if retry == patient {
				assert.EqualValues(t, 2*n, done.Load())
			}
			got, err := repo.Get(t.Context(), "p1")
			require.NoError(t, err)
			for i, of := range ownAttributes {
				want := *of(&made.Property)
				if changed[i] {
					want = "custom_" + strconv.Itoa(i)
				}
				assert.Equal(t, want, *of(got))
			}
			assert.EqualValues(t, counted.Load(), got.FeaturedScore, "every increment is kept or returned an error")
			assert.EqualValues(t, 1+done.Load(), got.Version)
			checkDerived(t, db, "p1", made.Slug)
		})
	}
}

func TestNoIncrementIsLost(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", func(p *properties.Property) { p.FeaturedScore, p.Description = 7, "Large" }))
	increment := func(p *properties.Property) { p.FeaturedScore++ }
	extend := func(p *properties.Property) { p.Description += "!" } // an attribute from which nothing is derived
	for _, change := range []func(*properties.Property){increment, extend} {
		_, err := repo.Update(t.Context(), "p1", meanwhile(func() {
			_, err := repo.Update(t.Context(), "p1", edit(change))
			require.NoError(t, err)
		}, change))
		require.NoError(t, err)
	}
	got, err := repo.Get(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, 9, got.FeaturedScore)
	assert.Equal(t, "Large!!", got.Description)
}

// A property is approved while another caller rejects it: the rejection read a pending property and comes too late.
func TestForbiddenStatusMoveThroughARace(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", pending))
	rejected, approved := racing.Between.Meet(t, db, func(ctx context.Context, db *dynastay.DB) error {
		return second(properties.New(db, nil).Reject(ctx, "p1"))
	}, approval("p1"))
	require.NoError(t, approved)
	assertNotAllowed(t, rejected, properties.Approved)
	checkDerived(t, db, "p1")
}

// While a property is pending, its city is in no index. A change of the city must notice that the property got index
// keys before the write, because the approval made them from the old city.
func TestCityChangesWhilePropertyIsApproved(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", pending, func(p *properties.Property) { p.AmenityIDs = nil }))
	_, err := repo.Update(t.Context(), "p1", meanwhile(func() {
		_, err := repo.Approve(t.Context(), "p1")
		require.NoError(t, err)
	}, func(p *properties.Property) { p.Address.City = "Boston" }))
	require.NoError(t, err)

	checkDerived(t, db, "p1")
	for city, want := range map[string]int{"New York": 0, "Boston": 1} {
		page, err := repo.ByCity(properties.CityQuery{City: city, Country: "USA"}).Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		assert.Len(t, page.Items, want, city)
	}
}

// The next update repairs a stale index key, whatever else it changes. If a change of the city is about to set the key
// to exactly the stale value, and another update repairs it in between, the change must still write the key.
func TestStaleIndexKeyIsRepaired(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", func(p *properties.Property) { p.AmenityIDs = nil }))
	stale := func() {
		set(t, db, keyOf("p1"), "SET GSI1PK = :pk", dynastay.Item{":pk": dynastay.Text("CITY#Boston#USA")})
	}
	rename := func() {
		_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name += "!" }))
		require.NoError(t, err)
	}
	stale()
	rename()
	checkDerived(t, db, "p1")

	stale()
	_, err := repo.Update(t.Context(), "p1", meanwhile(rename, func(p *properties.Property) { p.Address.City = "Boston" }))
	require.NoError(t, err)
	checkDerived(t, db, "p1")
}

// An approval adds index keys to the amenities as well. A change of the city at the same time must move those too.
func TestAmenitiesMoveWithTheProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", pending))
	_, err := repo.Update(t.Context(), "p1", meanwhile(func() {
		_, err := repo.Approve(t.Context(), "p1")
		require.NoError(t, err)
	}, func(p *properties.Property) { p.Address.City = "Boston" }))
	require.NoError(t, err)
	checkDerived(t, db, "p1")

	// An amenity that is added between the read and the write is moved as well.
	_, err = repo.Update(t.Context(), "p1", meanwhile(func() {
		item := stored(t, db, "p1")
		spa := &types.AttributeValueMemberL{Value: []types.AttributeValue{
			dynastay.Text("wifi"), dynastay.Text("pool"), dynastay.Text("gym"), dynastay.Text("spa"),
		}}
		item["AmenityList"] = spa
		item["Card"].(*types.AttributeValueMemberM).Value["AmenityList"] = spa
		delete(item, "WriteId") // as other software must do
		put(t, db, item)
		put(t, db, dynastay.Item{
			"PK": dynastay.Text("PROPERTY#p1"), "SK": dynastay.Text("AMENITY#spa"), "EntityType": dynastay.Text("PropertyAmenity"),
			"PropertyId": dynastay.Text("p1"), "AmenityId": dynastay.Text("spa"),
			"GSI9PK": dynastay.Text("CITY#Boston#USA#AMENITY#spa"), "GSI9SK": dynastay.Text("PROPERTY#p1"),
		})
	}, func(p *properties.Property) { p.Address.City = "Chicago" }))
	require.NoError(t, err)
	checkDerived(t, db, "p1")
}

func TestUnknownAttributesSurvive(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	item := stored(t, db, "p1")
	unknown := &types.AttributeValueMemberSS{Value: []string{"somebody else's"}}
	inside := func(name string) dynastay.Item { return item[name].(*types.AttributeValueMemberM).Value }
	item["Unknown"] = unknown
	inside("Address")["Unknown"] = unknown
	inside("Card")["Unknown"] = unknown
	inside("ContactInfo")["Unknown"] = unknown
	put(t, db, item)

	for _, change := range []func(*properties.Property){
		func(p *properties.Property) { p.Name = "Small Luxury Hotel" },
		func(p *properties.Property) { p.Address = properties.Address{City: "Boston", Country: "USA"} },
		func(p *properties.Property) { p.Contact = properties.Contact{} },
		func(p *properties.Property) { p.Contact.Phone = "+1-212-555-0100" },
		func(p *properties.Property) { p.Slug, p.Stars, p.TimeZone, p.CheckInTime = "small", 0, "", "" },
	} {
		_, err := repo.Update(t.Context(), "p1", edit(change))
		require.NoError(t, err)
		item = stored(t, db, "p1")
		assert.Equal(t, unknown, item["Unknown"])
		for _, name := range []string{"Address", "Card", "ContactInfo"} {
			assert.Equal(t, unknown, inside(name)["Unknown"], name)
		}
	}
}

// A map that is not stored yet is written as a whole, but must not replace one that another update stores first.
func TestMapThatIsNotStored(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ContactInfo", "Address"} {
		for _, form := range []string{"missing", "null"} {
			t.Run(name+" "+form, func(t *testing.T) {
				t.Parallel()
				db := dyntest.New(t, propertyTables)
				repo := properties.New(db.DB, nil)
				create(t, repo, grand("p1"))
				item := stored(t, db, "p1")
				delete(item, name)
				if form == "null" {
					item[name] = &types.AttributeValueMemberNULL{Value: true}
				}
				put(t, db, item)

				place := func(p *properties.Property) { p.Address.City, p.Address.Country = "Boston", "USA" }
				_, err := repo.Update(t.Context(), "p1", meanwhile(func() {
					_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) {
						place(p)
						p.Contact.Phone, p.Address.Line1 = "+1-212-555-0100", "1 Main Street"
					}))
					require.NoError(t, err)
				}, func(p *properties.Property) {
					place(p)
					p.Contact.Email, p.Address.Line2 = "info@grandluxury.com", "Suite 1"
				}))
				require.NoError(t, err)
				got, err := repo.Get(t.Context(), "p1")
				require.NoError(t, err)
				assert.Equal(t, "+1-212-555-0100", got.Contact.Phone)
				assert.Equal(t, "info@grandluxury.com", got.Contact.Email)
				assert.Equal(t, "1 Main Street", got.Address.Line1)
				assert.Equal(t, "Suite 1", got.Address.Line2)
				assert.Equal(t, "Boston", got.Address.City)
				checkDerived(t, db, "p1")
			})
		}
	}
}

func TestIfVersion(t *testing.T) {
	t.Parallel()
	rename := func(p *properties.Property) { p.Name = "Small Luxury Hotel" }
	move := func(p *properties.Property) { p.Address.City = "Boston" } // the amenities move too, so it is a transaction
	for name, change := range map[string]func(*properties.Property){"one item": rename, "several": move} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			create(t, repo, grand("p1"))
			got, err := repo.Update(t.Context(), "p1", edit(change), dynastay.IfVersion(1))
			require.NoError(t, err)
			assert.Equal(t, 2, got.Version)
			before := writes(db)

			_, err = repo.Update(t.Context(), "p1", func(*properties.Property) error {
				t.Error("fn was called with a version that the caller has not seen")
				return nil
			}, dynastay.IfVersion(1))
			assert.ErrorIs(t, err, dynastay.ErrVersion)
			assert.Equal(t, before, writes(db))

			// Another update changes an unrelated attribute between the read and the write.
			runs := 0
			_, err = repo.Update(t.Context(), "p1", func(p *properties.Property) error {
				runs++
				_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Description = "Smaller." }))
				require.NoError(t, err)
				p.Name, p.Address.City = "Tiny Luxury Hotel", "Chicago"
				return nil
			}, dynastay.IfVersion(2))
			assert.ErrorIs(t, err, dynastay.ErrVersion)
			assert.Equal(t, 1, runs)
			there, err := repo.Get(t.Context(), "p1")
			require.NoError(t, err)
			assert.Equal(t, got.Name, there.Name)
			assert.Equal(t, got.Address, there.Address)
			assert.Equal(t, 3, there.Version)
		})
	}
}

// A missing version, or NULL, counts as version 0.
func TestIfVersionOfOtherSoftware(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"missing", "null"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			create(t, repo, grand("p1"))
			item := stored(t, db, "p1")
			delete(item, "Version")
			if form == "null" {
				item["Version"] = &types.AttributeValueMemberNULL{Value: true}
			}
			put(t, db, item)
			rename := edit(func(p *properties.Property) { p.Name += "!" })
			_, err := repo.Update(t.Context(), "p1", rename, dynastay.IfVersion(1))
			assert.ErrorIs(t, err, dynastay.ErrVersion)
			got, err := repo.Update(t.Context(), "p1", rename, dynastay.IfVersion(0))
			require.NoError(t, err)
			assert.Equal(t, 1, got.Version)
		})
	}
}
