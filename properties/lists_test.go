package properties_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// listed returns all elements of a listing, two for each page.
func listed[T any](t testing.TB, l dynastay.List[T]) []T { return lists.Paged(t, l, 2) }

// inStatus creates a property with a status.
func inStatus(t testing.TB, db *dyntest.DB, repo *properties.Repository, id string, status properties.Status) *properties.WithRooms {
	t.Helper()
	create(t, repo, grand(id, pending))
	for _, move := range map[properties.Status][]func(id string) error{
		properties.Approved: {func(id string) error { return second(repo.Approve(t.Context(), id)) }},
		properties.Rejected: {func(id string) error { return second(repo.Reject(t.Context(), id)) }},
		properties.Suspended: {
			func(id string) error { return second(repo.Approve(t.Context(), id)) },
			func(id string) error { return second(repo.Suspend(t.Context(), id)) },
		},
		properties.Deleting: {func(id string) error {
			set(t, db, keyOf(id), "SET #Status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
			return nil
		}},
	}[status] {
		require.NoError(t, move(id))
	}
	made, err := repo.GetWithRooms(t.Context(), id)
	require.NoError(t, err)
	return made
}

var statuses = []properties.Status{properties.Pending, properties.Approved, properties.Rejected, properties.Suspended, properties.Deleting}

func TestByOwner(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	var want []*properties.Owned
	for i, status := range statuses {
		made := inStatus(t, db, repo, fmt.Sprint("p", i), status)
		require.Equal(t, status, made.Status)
		want = append(want, &properties.Owned{Card: made.Card(), Status: status})
	}
	create(t, repo, grand("p1-of-another", func(p *properties.Property) { p.OwnerID = "user_4567" }))
	assert.Equal(t, want, listed(t, repo.ByOwner("user_456")))
	assert.Empty(t, listed(t, repo.ByOwner("user_45")))

	// The list follows a change of the owner and of the status.
	_, err := repo.Update(t.Context(), "p2", edit(func(p *properties.Property) { p.OwnerID = "user_45" }))
	require.NoError(t, err)
	_, err = repo.Resubmit(t.Context(), "p2")
	require.NoError(t, err)
	got := listed(t, repo.ByOwner("user_45"))
	require.Len(t, got, 1)
	assert.Equal(t, "p2", got[0].PropertyID)
	assert.Equal(t, properties.Pending, got[0].Status)
	assert.Len(t, listed(t, repo.ByOwner("user_456")), len(statuses)-1)

	stop := db.Faults.Record()
	for _, bad := range []string{"", "a#b"} {
		_, err := repo.ByOwner(bad).Page(t.Context(), dynastay.Paging{})
		blame.Of(t, err, dynastay.ErrInvalid, "OwnerID")
	}
	assert.Empty(t, stop())
}

// A row without a card is read from the table, unless the property has gone or has a different owner now.
func TestByOwnerOfForeignRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, file := range []string{"property.json", "room.json"} {
		put(t, db, raw.Document(t, "testdata/"+file))
	}
	create(t, repo, grand("p1"))
	create(t, repo, grand("moved"))
	set(t, db, keyOf("moved"), "SET OwnerId = :o REMOVE Card", dynastay.Item{":o": dynastay.Text("user_1")}) // the key is out of date
	create(t, repo, grand("unreadable"))
	set(t, db, keyOf("unreadable"), "SET Card.StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})

	stop := db.Faults.Record()
	page, err := repo.ByOwner("user_456").Page(t.Context(), dynastay.Paging{})
	sent := stop()
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 1)
	assert.ErrorContains(t, unreadable.Items[0], "Card unreadable (StarRating)")
	require.Len(t, page.Items, 2)
	assert.Len(t, sent, 3, "the list, and the two properties without a card")
	assert.Equal(t, "p1", page.Items[0].PropertyID)
	whole, err := repo.GetWithRooms(t.Context(), "prop_123")
	require.NoError(t, err)
	assert.Equal(t, &properties.Owned{Card: whole.Card(), Status: properties.Approved}, page.Items[1])

	remove(t, db, keyOf("moved"))
	remove(t, db, keyOf("unreadable"))
	// It is deleted after the index was read.
	gone := func(context.Context) { remove(t, db, keyOf("prop_123")) }
	db.Faults.Inject(dyntest.Before(gone), dyntest.When{Operation: "Query", Nth: 2})
	assert.Len(t, listed(t, repo.ByOwner("user_456")), 1)
	assert.Len(t, listed(t, repo.ByOwner("user_456")), 1)
}

func TestPendingApprovals(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now.Add(123*time.Millisecond)))
			repo := properties.New(db.DB, &properties.Options{PendingShards: key.Shards{Write: shards, Read: shards}})
			var want []*properties.Submitted
			partitions := map[string]bool{}
			for _, id := range []string{"c", "f", "a", "e", "b", "d"} { // oldest first, whatever the ids and the shards
				made := create(t, repo, grand(id, pending))
				want = append(want, &properties.Submitted{Card: made.Card(), CreatedAt: made.CreatedAt.Truncate(time.Second)})
				partitions[dynastay.RowOf(stored(t, db, id)).Text("GSI11PK")] = true
				db.Clock.Advance(time.Second)
			}
			assert.Len(t, partitions, shards)
			for i, status := range statuses[1:] {
				inStatus(t, db, repo, fmt.Sprint("other", i), status)
			}
			assert.Equal(t, want, listed(t, repo.PendingApprovals()))
			stop := db.Faults.Record()
			page, err := repo.PendingApprovals().Page(t.Context(), dynastay.Paging{})
			require.NoError(t, err)
			assert.Len(t, page.Items, 6)
			assert.Len(t, stop(), shards)

			_, err = repo.Approve(t.Context(), "f")
			require.NoError(t, err)
			_, err = repo.Reject(t.Context(), "a")
			require.NoError(t, err)
			_, err = repo.Reject(t.Context(), "e")
			require.NoError(t, err)
			_, err = repo.Resubmit(t.Context(), "e") // in its old place
			require.NoError(t, err)
			var ids []string
			for _, s := range listed(t, repo.PendingApprovals()) {
				ids = append(ids, s.PropertyID)
			}
			assert.Equal(t, []string{"c", "e", "b", "d"}, ids)
		})
	}
}

// What other software submitted is listed once it has been adopted.
func TestPendingApprovalsOfForeignRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", pending))
	item := raw.Document(t, "testdata/property.json")
	item["Status"] = dynastay.Text("pending")
	index, ok := keys.PropertiesTable.Index(keys.PropertyStatusIndex)
	require.True(t, ok)
	item[index.Key.Partition], item[index.Key.Sort] = dynastay.Text("STATUS#pending"), dynastay.Text("CREATED#2024-01-15T10:30:00Z")
	put(t, db, item)
	listedIDs := func() (ids []string) {
		for _, s := range listed(t, repo.PendingApprovals()) {
			ids = append(ids, s.PropertyID)
		}
		return ids
	}
	assert.Equal(t, []string{"p1"}, listedIDs())
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Equal(t, []string{"prop_123", "p1"}, listedIDs())

	set(t, db, keyOf("p1"), "SET Card.StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	_, err := repo.PendingApprovals().Page(t.Context(), dynastay.Paging{})
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 1)
	assert.ErrorContains(t, unreadable.Items[0], "Card p1 (StarRating)")
}

// If a row has no card, the property is read from the table, and the order stays the same.
func TestRowsWithoutCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, id := range []string{"a", "b", "c"} {
		create(t, repo, grand(id))
	}
	set(t, db, keyOf("b"), "REMOVE Card", nil)
	var got []string
	for paging := (dynastay.Paging{Limit: 1}); ; {
		page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), paging)
		require.NoError(t, err)
		got = append(got, ids(page.Items)...)
		if paging.After = page.Next; paging.After == "" {
			break
		}
	}
	assert.Equal(t, []string{"c", "b", "a"}, got)
}

// A cursor does not continue a list with other arguments.
func TestCursorsOfLists(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, id := range []string{"a", "b"} {
		rated(t, db, repo, "9.2", grand(id))
	}
	cheapest := properties.PriceQuery{City: "New York", Country: "USA", Currency: "USD"}
	dearest := cheapest
	dearest.Descending = true
	lists := []cardList{
		repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}),
		repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 92}),
		repo.ByPrice(cheapest), repo.ByPrice(dearest),
		repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5}),
		repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: 92}),
		repo.ByType(properties.TypeQuery{Type: properties.Hotel}), repo.ByType(properties.TypeQuery{Type: properties.Resort}),
		repo.Featured(),
		repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"wifi"}}),
		repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"wifi", "pool"}}),
		repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"gym", "wifi"}}),
	}
	for i, list := range lists {
		first, err := list.Page(t.Context(), dynastay.Paging{Limit: 1})
		require.NoError(t, err)
		if first.Next == "" { // there are no resorts
			continue
		}
		for j, other := range lists {
			if _, err := other.Page(t.Context(), dynastay.Paging{After: first.Next}); i == j {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, dynastay.ErrCursor, "%d %d", i, j)
			}
		}
	}
}

// rated creates a property and sets its rating, as the reviews will.
func rated(t testing.TB, db *dyntest.DB, repo *properties.Repository, rating string, p properties.Property) {
	t.Helper()
	create(t, repo, p)
	item := stored(t, db, p.ID)
	n, err := dynastay.ParseRating(rating)
	require.NoError(t, err)
	update := "SET AverageRating = :r, Card.AverageRating = :r"
	values := dynastay.Item{":r": &types.AttributeValueMemberN{Value: rating}}
	if _, ok := item["GSI1SK"]; ok {
		update += ", GSI1SK = :k, GSI4SK = :k, GSI8SK = :k"
		values[":k"] = dynastay.Text(fmt.Sprintf("RATING#%02d.%d#PROPERTY#%s", int(n)/10, int(n)%10, p.ID))
	}
	set(t, db, keyOf(p.ID), update, values)
	checkDerived(t, db, p.ID)
}

func in(city, country string) func(*properties.Property) {
	return func(p *properties.Property) { p.Address.City, p.Address.Country = city, country }
}

func ids(cards []*properties.Card) (all []string) {
	for _, c := range cards {
		all = append(all, c.PropertyID)
	}
	return all
}

func TestByCity(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, rating := range map[string]string{"a": "9.2", "b": "10.0", "c": "8.0", "d": "7.9", "e": "0.0", "f": "9.2", "g": "8.1"} {
		rated(t, db, repo, rating, grand(id))
	}
	rated(t, db, repo, "9.9", grand("waiting", pending))
	create(t, repo, grand("rejected", pending))
	_, err := repo.Reject(t.Context(), "rejected")
	require.NoError(t, err)
	for id, place := range map[string]func(*properties.Property){
		"other-city": in("Boston", "USA"), "other-country": in("New York", "UK"), "longer-country": in("New York", "USA2"),
		"forged": in("New York#USA", "USA"), "lower-case": in("new york", "USA"),
	} {
		create(t, repo, grand(id, place))
	}

	all := []string{"b", "f", "a", "g", "c", "d", "e"} // best first; equal ratings by descending id
	for minimum, want := range map[dynastay.Rating][]string{0: all, 1: all[:6], 79: all[:6], 80: all[:5], 81: all[:4], 92: all[:3], 93: all[:1], 100: all[:1]} {
		for _, limit := range []int{1, 2, 3, 7, 50} {
			query := properties.CityQuery{City: "New York", Country: "USA", MinRating: minimum}
			var got []*properties.Card
			for paging := (dynastay.Paging{Limit: limit}); ; {
				page, err := repo.ByCity(query).Page(t.Context(), paging)
				require.NoError(t, err)
				assert.LessOrEqual(t, len(page.Items), limit)
				got = append(got, page.Items...)
				if paging.After = page.Next; paging.After == "" {
					break
				}
			}
			assert.Equal(t, want, ids(got), "from %s, %d at a time", minimum, limit)
		}
	}

	page, err := repo.ByCity(properties.CityQuery{City: " New York ", Country: "USA"}).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	found, err := repo.GetWithRooms(t.Context(), "b")
	require.NoError(t, err)
	assert.Equal(t, found.Card(), page.Items[0])

	_, err = repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 80}).Page(t.Context(), dynastay.Paging{Limit: 1, After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

// No spelling of a city and a country reaches the properties of another pair.
func TestCitiesDoNotMix(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	places := [][2]string{{"A", "B#C"}, {"A#B", "C"}, {"A%23B", "C"}, {"A", "B%23C"}, {"A", "B"}, {"A", "B#"}, {"100%", "X"}, {"100%25", "X"}}
	for i, place := range places {
		create(t, repo, grand(fmt.Sprintf("p%d", i), in(place[0], place[1])))
	}
	for i, place := range places {
		page, err := repo.ByCity(properties.CityQuery{City: place[0], Country: place[1]}).Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		assert.Equal(t, []string{fmt.Sprintf("p%d", i)}, ids(page.Items), "%q", place)
	}
	page, err := repo.ByCity(properties.CityQuery{City: "A", Country: "C"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
}

func TestByStarsAndType(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, rating := range map[string]string{"a": "9.2", "b": "10.0", "c": "8.0", "d": "0.0", "e": "9.9", "f": "9.2"} {
		rated(t, db, repo, rating, grand(id))
	}
	rated(t, db, repo, "9.5", grand("four", func(p *properties.Property) { p.Stars, p.Type = 4, "bed_and_breakfast" }))
	create(t, repo, grand("none", func(p *properties.Property) { p.Stars, p.Type = 0, "bed_and_breakfast" }))
	create(t, repo, grand("pending", pending))
	rated(t, db, repo, "5.0", grand("boston", in("Boston", "USA")))

	best := []string{"b", "e", "f", "a", "c"}
	for minimum, n := range map[dynastay.Rating]int{1: 5, 80: 5, 81: 4, 92: 4, 93: 2, 99: 2, 100: 1} {
		want := best[:n]
		assert.Equal(t, want, ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: minimum}))))
		if minimum == 1 {
			want = append(want[:n:n], "boston")
		}
		assert.Equal(t, want, ids(listed(t, repo.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: minimum}))))
	}
	assert.Equal(t, append(best, "d"), ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5}))))
	assert.Equal(t, []string{"four"}, ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 4}))))
	assert.Equal(t, append(best, "boston", "d"), ids(listed(t, repo.ByType(properties.TypeQuery{Type: properties.Hotel}))))
	assert.Equal(t, []string{"four", "none"}, ids(listed(t, repo.ByType(properties.TypeQuery{Type: "bed_and_breakfast"}))))
}

func TestFeatured(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, score := range map[string]int{"a": 95, "b": 1000, "c": 0, "d": 95, "e": 9_999_999_999, "f": 9} {
		create(t, repo, grand(id, func(p *properties.Property) { p.FeaturedScore = score }))
	}
	create(t, repo, grand("not", func(p *properties.Property) { p.Featured = false }))
	create(t, repo, grand("pending", pending))
	assert.Equal(t, []string{"e", "b", "d", "a", "f", "c"}, ids(listed(t, repo.Featured())))
}
