package properties_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	storedform "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func equipped(amenityIDs ...string) func(*properties.Property) {
	return func(p *properties.Property) { p.AmenityIDs = amenityIDs }
}

func withWifiAndPool(r *properties.Repository) cardList {
	return r.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"wifi", "pool"}})
}

func amenityKey(propertyID, amenityID string) dynastay.Key {
	return dynastay.Key{PK: "PROPERTY#" + propertyID, SK: "AMENITY#" + amenityID}
}

func TestByAmenities(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, amenityIDs := range map[string][]string{
		"a": {"wifi", "pool"}, "b": {"wifi"}, "c": {"pool", "gym"}, "d": {"gym", "pool", "wifi"}, "e": {},
	} {
		create(t, repo, grand(id, equipped(amenityIDs...)))
	}
	create(t, repo, grand("pending", pending))
	create(t, repo, grand("boston", in("Boston", "USA")))
	create(t, repo, grand("lower", in("new york", "USA")))
	for _, q := range []struct{ amenityIDs, want []string }{
		{[]string{"wifi"}, []string{"a", "b", "d"}},
		{[]string{"pool"}, []string{"a", "c", "d"}},
		{[]string{"wifi", "pool"}, []string{"a", "d"}},
		{[]string{"pool", "wifi"}, []string{"a", "d"}},
		{[]string{"gym", "wifi", "pool"}, []string{"d"}},
		{[]string{"wifi", "spa"}, nil},
	} {
		query := properties.AmenityQuery{City: " New York", Country: "USA", AmenityIDs: slices.Clone(q.amenityIDs)}
		cards, found := repo.ByAmenities(query), repo.IDsByAmenities(query)
		assert.Equal(t, q.amenityIDs, query.AmenityIDs)
		clear(query.AmenityIDs) // the caller may use its slice for something else
		assert.Equal(t, q.want, ids(listed(t, cards)), q.amenityIDs)
		page, err := found.Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		assert.Equal(t, q.want, page.Items, q.amenityIDs)
	}
	first, err := withWifiAndPool(repo).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	reversed := properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"pool", "wifi"}}
	rest, err := repo.ByAmenities(reversed).Page(t.Context(), dynastay.Paging{After: first.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"d"}, ids(rest.Items))
	one, err := repo.GetWithRooms(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, one.Card(), listed(t, withWifiAndPool(repo))[0])
}

// A property that no longer meets the query is not listed, although the index still shows its rows.
func TestByAmenitiesWhileTheIndexIsBehind(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	all := []string{"deleted", "moved", "poor", "removed", "still", "suspended"}
	for _, id := range all {
		create(t, repo, grand(id))
	}
	db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Index: keys.AmenitiesIndex})
	require.NoError(t, second(repo.Suspend(t.Context(), "suspended")))
	require.NoError(t, repo.Delete(t.Context(), "deleted"))
	require.NoError(t, second(repo.Update(t.Context(), "moved", edit(in("Boston", "USA")))))
	require.NoError(t, second(repo.RemoveAmenities(t.Context(), "removed", []string{"pool"})))
	require.NoError(t, second(repo.SetAmenities(t.Context(), "poor", nil)))
	assert.Equal(t, []string{"still"}, ids(listed(t, withWifiAndPool(repo))))

	// The page is filled up with the properties that follow, and the ids are those of the index.
	page, err := withWifiAndPool(repo).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, []string{"still"}, ids(page.Items))
	found, err := repo.IDsByAmenities(properties.AmenityQuery{
		City: "New York", Country: "USA", AmenityIDs: []string{"wifi", "pool"},
	}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Equal(t, all, found.Items)
}

// A property that cannot be read is reported, and the others are listed.
func TestByAmenitiesOfUnreadableProperties(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, id := range []string{"a", "b", "c"} {
		create(t, repo, grand(id))
	}
	intact := stored(t, db, "b")
	for path, damage := range map[string]types.AttributeValue{
		"StarRating": dynastay.Text("five"), "Address.City": dynastay.Text(""), "Card.StarRating": dynastay.Text("five"),
	} {
		damaged := market.Copied(&types.AttributeValueMemberM{Value: intact}, strings.NewReplacer()).(*types.AttributeValueMemberM).Value
		storedform.Place(damaged, path, damage)
		put(t, db, damaged)
		for _, limit := range []int{1, 2, 50} {
			var got []string
			reported := 0
			for paging := (dynastay.Paging{Limit: limit}); ; {
				page, err := withWifiAndPool(repo).Page(t.Context(), paging)
				if err != nil {
					unreadable := blame.As[*dynastay.UnreadableError](t, err, path)
					require.Len(t, unreadable.Items, 1)
					assert.ErrorIs(t, unreadable.Items[0], dynastay.ErrCorrupt)
					assert.NotErrorIs(t, unreadable.Items[0], dynastay.ErrInvalid)
					named := blame.As[*dynastay.Error](t, unreadable.Items[0])
					assert.Equal(t, "b", named.ID)
					reported++
				}
				got = append(got, ids(page.Items)...)
				if paging.After = page.Next; page.Next == "" {
					break
				}
			}
			assert.Equal(t, []string{"a", "c"}, got, path)
			assert.Equal(t, 1, reported, path)
		}
	}

	// A request that fails is no property that cannot be read.
	db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "BatchGetItem"})
	hasty := properties.New(db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 1}}), nil)
	page, err := withWifiAndPool(hasty).Page(t.Context(), dynastay.Paging{})
	assert.ErrorIs(t, err, dynastay.ErrThrottled)
	assert.Empty(t, page)
}

// Rows of other software are only as good as the properties that they name.
func TestByAmenitiesOfForeignRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	put := func(propertyID, amenityID, sort string) {
		key := amenityKey(propertyID, amenityID)
		put(t, db, dynastay.Item{
			"PK": dynastay.Text(key.PK), "SK": dynastay.Text(key.SK),
			"GSI9PK": dynastay.Text("CITY#New York#USA#AMENITY#" + amenityID), "GSI9SK": dynastay.Text(sort),
		})
	}
	create(t, repo, grand("a"))
	create(t, repo, grand("b", equipped("gym")))
	create(t, repo, grand("c", pending))
	create(t, repo, grand("d", in("Boston", "USA")))
	for _, id := range []string{"b", "c", "d", "none"} {
		for _, amenityID := range []string{"wifi", "pool"} {
			put(id, amenityID, "PROPERTY#"+id)
		}
	}
	assert.Equal(t, []string{"a"}, ids(listed(t, withWifiAndPool(repo))))

	// Rows with the place of a property in the list, but of a different one.
	for _, other := range []string{"", "z"} {
		put("0"+other, "wifi", "PROPERTY#a")
		put("0"+other, "pool", "PROPERTY#a")
	}
	assert.Equal(t, []string{"a"}, ids(listed(t, withWifiAndPool(repo))))

	// A property without a card is listed once it has been adopted.
	putForeign(t, db, "123")
	for _, amenityID := range []string{"wifi", "pool"} {
		put("prop_123", amenityID, "PROPERTY#prop_123")
	}
	assert.Equal(t, []string{"a"}, ids(listed(t, withWifiAndPool(repo))))
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	cards := listed(t, withWifiAndPool(repo))
	assert.Equal(t, []string{"a", "prop_123"}, ids(cards))
	assert.Len(t, cards[1].Rooms, 1)

	// A row that is no row of a property is reported if it is in all lists.
	for i, amenityID := range []string{"wifi", "pool"} {
		put("0", amenityID, "HOTEL#0")
		page, err := withWifiAndPool(repo).Page(t.Context(), dynastay.Paging{})
		assert.Equal(t, []string{"a", "prop_123"}, ids(page.Items))
		if i == 0 {
			require.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.ErrorContains(t, err, "HOTEL#0")
		}
	}
}
