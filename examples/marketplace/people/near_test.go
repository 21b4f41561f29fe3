package people_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// around selects workers within a radius of estcourt.
func around(radius float64, skills ...string) people.NearQuery {
	return people.NearQuery{
		Role: people.Worker, Latitude: estcourt.Latitude, Longitude: estcourt.Longitude, Radius: radius, Skills: skills,
	}
}

// north returns a profile that lives a number of metres north of estcourt.
func north(metres float64, p people.Profile) people.Profile {
	p.Location.Latitude += metres / (math.Pi * 6_371_008.8 / 180)
	return p
}

func nearIDs(all []people.Nearby) (ids []string) {
	for _, n := range all {
		ids = append(ids, n.ID)
	}
	return ids
}

func TestNear(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for _, p := range []people.Profile{
		north(1001, worker("far", "painting", "roofing")), north(999, worker("edge", "painting", "roofing")), north(400, worker("c", "painting")),
		north(400, worker("b", "PAINTING", "roofing")), north(400, worker("a")), north(0, worker("here", "roofing")),
		north(-700, worker("south", "Roofing", "painting")), north(10, buyer("buyer")), north(20, seller("seller")),
	} {
		n.signUp(p)
	}
	near := func(q people.NearQuery) []people.Nearby {
		t.Helper()
		all, err := n.repo.Near(t.Context(), q)
		require.NoError(t, err)
		return all
	}
	all := near(around(1000))
	assert.Equal(t, []string{"here", "a", "b", "c", "south", "edge"}, nearIDs(all))
	for i, metres := range []float64{0, 400, 400, 400, 700, 999} {
		assert.InDelta(t, metres, all[i].Distance, 1e-6)
	}
	assert.Equal(t, n.profile("here"), all[0].Profile)
	assert.Len(t, near(around(all[5].Distance)), 6, "the radius itself is included")
	both := near(around(1000, "Painting", "roofing"))
	assert.Equal(t, []string{"b", "south", "edge"}, nearIDs(both))
	assert.Equal(t, n.profile("b"), both[0].Profile)
	assert.InDelta(t, 400, both[0].Distance, 1e-6)
	assert.Len(t, near(around(both[2].Distance, "painting", "roofing")), 3, "the radius itself is included")
	assert.Equal(t, []string{"b", "c", "south", "edge"}, nearIDs(near(around(1000, "painting", "Paint-ing"))))
	assert.Equal(t, []string{"here", "b", "south", "edge", "far"}, nearIDs(near(around(100_000, "roofing"))))
	assert.Empty(t, near(around(1000, "painting", "plumbing")))
	for role, want := range map[people.Role]string{people.Buyer: "buyer", people.Seller: "seller"} {
		q := around(1000)
		q.Role = role
		assert.Equal(t, []string{want}, nearIDs(near(q)))
	}

	n.update("here", func(p *people.Profile) { p.Location.Latitude = 89.9999 })
	assert.Empty(t, near(around(100)))
	q := around(1000, "roofing")
	q.Latitude = 90
	assert.Equal(t, []string{"here"}, nearIDs(near(q)))
	q.Latitude, q.Longitude = estcourt.Latitude, -estcourt.Longitude
	assert.Empty(t, near(q))
}

// A page of DynamoDB ends after 1 MB, here after one row.
func TestNearReadsWholeRanges(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprintf("w%02d", i))
		n.signUp(north(float64(i), worker(want[i], "a")))
	}
	n.Faults.Inject(dyntest.ShortPages(1), dyntest.When{Index: keys.Index2})
	for _, q := range []people.NearQuery{around(1000), around(1000, "a")} {
		near, err := n.repo.Near(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, want, nearIDs(near))
	}
}

// Items that cannot be read do not hide the others.
func TestNearOfUnreadableItems(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for i, id := range []string{"a", "b", "c", "off-earth"} {
		n.signUp(north(float64(i), worker(id, "s", "t")))
	}
	broken := n.raw("b")
	broken["verified"] = dynastay.Text("yes")
	off := n.raw("off-earth")
	off["location"].(*types.AttributeValueMemberM).Value["lat"] = dynastay.Number(91)
	broken2 := n.skillItems("c")["s"].Item()
	broken2["location"] = dynastay.Text("Estcourt")
	n.put(broken, off, broken2)
	unreadable := func(q people.NearQuery, want []string, names ...string) {
		t.Helper()
		near, err := n.repo.Near(t.Context(), q)
		assert.Equal(t, want, nearIDs(near))
		var some *dynastay.UnreadableError
		require.ErrorAs(t, err, &some)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid)
		require.Len(t, some.Items, len(names))
		for _, name := range names {
			require.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.ErrorContains(t, err, name)
		}
	}
	unreadable(around(1000), []string{"a", "c"}, "b", "off-earth (Location.Latitude)")
	unreadable(around(1000, "s", "t"), []string{"a"}, "User b", "off-earth (Location.Latitude)", "USER#c/SKILL#s")
	unreadable(around(1000, "t"), []string{"a", "c"}, "User b", "off-earth")

	for _, operation := range []string{"Query", "BatchGetItem"} {
		fault := n.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: operation, Times: 1, EveryAttempt: true})
		near, err := n.repo.Near(t.Context(), around(1000, "t"))
		require.ErrorIs(t, err, dynastay.ErrRejected)
		assert.Empty(t, near)
		assert.Positive(t, fault.Hits())
	}
	n.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "Query", Times: 1, EveryAttempt: true})
	near, err := n.repo.Near(t.Context(), around(1000))
	require.ErrorIs(t, err, dynastay.ErrRejected)
	assert.Empty(t, near)
}

// The user of an item is that of its key. An item with another id, or without one, hides nobody.
func TestNearOfItemsWithAnotherID(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for i, id := range []string{"a", "b", "c"} {
		n.signUp(north(float64(i), worker(id, "s")))
	}
	skillOfA, skillOfB, b := n.skillItems("a")["s"].Item(), n.skillItems("b")["s"].Item(), n.raw("b")
	skillOfA["userId"], skillOfB["userId"], b["userId"] = null, dynastay.Text("c"), dynastay.Text("c")
	n.put(skillOfA, skillOfB, b)
	for _, q := range []people.NearQuery{around(1000), around(1000, "s")} {
		near, err := n.repo.Near(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "c", "c"}, nearIDs(near), "as stored: %v", q.Skills)
	}
	odd := n.skillItems("c")["s"].Item()
	odd["PK"], odd["SK"] = dynastay.Text("odd"), dynastay.Text("item")
	n.put(odd)
	near, err := n.repo.Near(t.Context(), around(1000, "s"))
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	require.NotErrorIs(t, err, dynastay.ErrInvalid)
	assert.Len(t, near, 3)
}
