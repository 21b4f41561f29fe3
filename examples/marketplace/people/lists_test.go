package people_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// in returns a profile that lives in another city.
func in(city string, p people.Profile) people.Profile {
	p.Location.City = city
	return p
}

func TestInCity(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for _, p := range []people.Profile{
		worker("w2", "painting"), worker("w1"), buyer("b"), seller("s"), in("Est", worker("w3")), in("Estcourt North", worker("w4")),
		in("Colenso", worker("w9")), in("A#B%", worker("w5")),
	} {
		n.signUp(p)
	}
	for _, limit := range []int{1, 2, 50} {
		assert.Equal(t, []string{"w1", "w2"}, n.ids(n.repo.InCity(people.Worker, "Estcourt"), limit))
		assert.Equal(t, []string{"w5", "w9", "w3", "w4", "w1", "w2"}, n.ids(n.repo.InCity(people.Worker, ""), limit), "by city and id")
	}
	assert.Equal(t, []string{"w3"}, n.ids(n.repo.InCity(people.Worker, "Est"), 9), "not Estcourt")
	assert.Equal(t, []string{"w5"}, n.ids(n.repo.InCity(people.Worker, "A#B%"), 9))
	assert.Equal(t, []string{"b"}, n.ids(n.repo.InCity(people.Buyer, "Estcourt"), 9))
	assert.Equal(t, []string{"s"}, n.ids(n.repo.InCity(people.Seller, ""), 9))
	page, err := n.repo.InCity(people.Worker, "Estcourt").Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, n.profile("w1"), page.Items[0], "the whole profile")

	n.update("w1", func(p *people.Profile) { p.Location.City = "Est" })
	assert.Equal(t, []string{"w1", "w3"}, n.ids(n.repo.InCity(people.Worker, "Est"), 9))
	assert.Equal(t, []string{"w2"}, n.ids(n.repo.InCity(people.Worker, "Estcourt"), 9))
}

func TestWithSkills(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for _, p := range []people.Profile{
		worker("w1", "Brick-laying", "painting"), worker("w2", "PAINTING"), worker("w3", "bricklaying", "painting", "Roofing"),
		worker("w4", "roofing"), worker("w5"), in("Est", worker("w6", "painting", "roofing")), in("A#", worker("w0", "painting")),
		buyer("b"), seller("s"),
	} {
		n.signUp(p)
	}
	for _, limit := range []int{1, 2, 3, 50} {
		for _, c := range []struct {
			city     string
			skills   []string
			any, all []string
		}{
			{"Estcourt", []string{"painting"}, []string{"w1", "w2", "w3"}, []string{"w1", "w2", "w3"}},
			{"Estcourt", []string{"Bricklaying", "Painting"}, []string{"w1", "w2", "w3"}, []string{"w1", "w3"}},
			{"Estcourt", []string{"painting", "brick laying"}, []string{"w1", "w2", "w3"}, []string{"w1", "w3"}},
			{"Estcourt", []string{"roofing", "bricklaying"}, []string{"w1", "w3", "w4"}, []string{"w3"}},
			{"Estcourt", []string{"roofing", "bricklaying", "painting"}, []string{"w1", "w2", "w3", "w4"}, []string{"w3"}},
			{"Estcourt", []string{"Röofing", "roofing", "ROOF ING"}, []string{"w3", "w4"}, []string{"w3", "w4"}},
			{"Estcourt", []string{"plumbing", "painting"}, []string{"w1", "w2", "w3"}, nil},
			{"Estcourt", []string{"plumbing"}, nil, nil},
			{"Est", []string{"roofing", "painting"}, []string{"w6"}, []string{"w6"}},
			{"A#", []string{"painting"}, []string{"w0"}, []string{"w0"}},
			{"", []string{"roofing", "painting"}, []string{"w0", "w6", "w1", "w2", "w3", "w4"}, []string{"w6", "w3"}},
			{"Durban", []string{"painting"}, nil, nil},
		} {
			assert.Equal(t, c.any, n.ids(n.repo.WithAnySkill(c.city, c.skills...), limit), "any of %q in %s", c.skills, c.city)
			assert.Equal(t, c.all, n.ids(n.repo.WithAllSkills(c.city, c.skills...), limit), "all of %q in %s", c.skills, c.city)
		}
	}
	page, err := n.repo.WithAllSkills("Estcourt", "roofing", "painting").Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, n.profile("w3"), page.Items[0], "the whole profile")
	assert.Len(t, n.ids(n.repo.WithAnySkill("Estcourt", append(many("s", 19), "painting")...), 9), 3, "20 skills")
}

// A cursor does not depend on the order of the skills, but on everything else.
func TestCursors(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for i := range 4 {
		n.signUp(worker(fmt.Sprint("w", i), "a", "b"))
	}
	next := func(list dynastay.List[*people.Profile]) dynastay.Cursor {
		page, err := list.Page(t.Context(), dynastay.Paging{Limit: 2})
		require.NoError(t, err)
		require.NotEmpty(t, page.Next)
		return page.Next
	}
	after := func(list dynastay.List[*people.Profile], at dynastay.Cursor) (ids []string, err error) {
		page, err := list.Page(t.Context(), dynastay.Paging{After: at})
		for _, p := range page.Items {
			ids = append(ids, p.ID)
		}
		return ids, err
	}
	for _, list := range []func(city string, skills ...string) dynastay.List[*people.Profile]{
		n.repo.WithAnySkill, n.repo.WithAllSkills,
	} {
		ids, err := after(list("Estcourt", "B", "a"), next(list("Estcourt", "a", "b")))
		require.NoError(t, err)
		assert.Equal(t, []string{"w2", "w3"}, ids)
		for _, other := range []dynastay.List[*people.Profile]{
			list("", "a", "b"), list("Est", "a", "b"), list("Estcourt", "a", "c"), list("Estcourt", "a"),
		} {
			_, err = after(other, next(list("Estcourt", "a", "b")))
			assert.ErrorIs(t, err, dynastay.ErrCursor)
		}
	}
	_, err := after(n.repo.WithAnySkill("Estcourt", "a"), next(n.repo.WithAllSkills("Estcourt", "a")))
	assert.ErrorIs(t, err, dynastay.ErrCursor)
	_, err = after(n.repo.InCity(people.Worker, ""), next(n.repo.InCity(people.Worker, "Estcourt")))
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

// The searches leave out a profile that the index still has, but that has changed since.
func TestAnIndexThatLags(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for _, id := range []string{"gone", "learnt", "lost", "moved", "same", "walked"} {
		n.signUp(worker(id, "painting", "roofing"))
	}
	n.Faults.Inject(dyntest.StaleIndex(), dyntest.When{})
	n.update("lost", func(p *people.Profile) { p.Work.Skills = []string{"roofing"} })
	n.update("moved", func(p *people.Profile) { p.Location.City = "Est" })
	n.update("walked", func(p *people.Profile) { p.Location.Latitude += 1 })
	n.update("learnt", func(p *people.Profile) { p.Work.Skills = []string{"Painting", "roofing", "joinery"} })
	require.NoError(t, n.Direct.DeleteAll(t.Context(), keys.Table, []dynastay.Key{{PK: "USER#gone", SK: "PROFILE"}}))

	assert.Equal(t, []string{"learnt", "same", "walked"}, n.ids(n.repo.WithAllSkills("Estcourt", "painting", "roofing"), 9))
	assert.Equal(t, []string{"learnt", "lost", "same", "walked"}, n.ids(n.repo.WithAnySkill("Estcourt", "painting", "roofing"), 9))
	assert.Equal(t, []string{"learnt", "lost", "same", "walked"}, n.ids(n.repo.WithAnySkill("", "painting", "roofing"), 9))
	assert.Equal(t, []string{"learnt", "same", "walked"}, n.ids(n.repo.WithAnySkill("Estcourt", "painting"), 9))
	near, err := n.repo.Near(t.Context(), around(1000, "painting", "roofing"))
	require.NoError(t, err)
	assert.Equal(t, []string{"learnt", "moved", "same"}, nearIDs(near))
	near, err = n.repo.Near(t.Context(), around(1000, "painting"))
	require.NoError(t, err)
	assert.Equal(t, []string{"learnt", "moved", "same"}, nearIDs(near))
}

// A profile that cannot be read does not hide the others, and is named once.
func TestListsWithUnreadableItems(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for _, id := range []string{"w1", "w2", "w3"} {
		n.signUp(worker(id, "a", "b"))
	}
	broken := n.raw("w2")
	broken["verified"] = dynastay.Text("yes")
	odd := dynastay.Item{
		"PK": dynastay.Text("odd"), "SK": dynastay.Text("item"), "GSI1PK": dynastay.Text("ROLE#WORKER#SKILL#a"),
		"GSI1SK": dynastay.Text("LOCATION#Estcourt#USER#"),
	}
	n.put(broken, odd)
	unreadable := func(list dynastay.List[*people.Profile], names ...string) {
		t.Helper()
		page, err := list.Page(t.Context(), dynastay.Paging{})
		var some *dynastay.UnreadableError
		require.ErrorAs(t, err, &some)
		require.NotErrorIs(t, err, dynastay.ErrInvalid)
		require.Len(t, some.Items, len(names), "%v", err)
		for i, name := range names {
			assert.ErrorContains(t, some.Items[i], name)
		}
		require.Len(t, page.Items, 2)
		assert.Equal(t, "w1", page.Items[0].ID)
		assert.Equal(t, "w3", page.Items[1].ID)
	}
	unreadable(n.repo.InCity(people.Worker, "Estcourt"), "w2")
	unreadable(n.repo.WithAnySkill("Estcourt", "a", "b"), "LOCATION#Estcourt#USER#:", "w2")
	unreadable(n.repo.WithAllSkills("Estcourt", "a", "b"), "w2")
	unreadable(n.repo.WithAllSkills("Estcourt", "a"), "LOCATION#Estcourt#USER#:", "w2")

	n.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "BatchGetItem"})
	page, err := n.repo.WithAnySkill("Estcourt", "a").Page(t.Context(), dynastay.Paging{})
	require.ErrorIs(t, err, dynastay.ErrRejected)
	assert.Empty(t, page.Items)
}

// The shards that were written before more are written are still read.
func TestShards(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	of := func(write, read int) *people.Repository {
		return people.New(n.DB.DB, &people.Options{Shards: key.Shards{Write: write, Read: read}})
	}
	var want []string
	for i := range 24 {
		id := fmt.Sprintf("w%02d", i)
		want = append(want, id)
		repo := n.repo
		if i >= 8 {
			repo = of(3, 3)
		}
		_, err := repo.SignUp(t.Context(), worker(id, "a", "b"))
		require.NoError(t, err)
	}
	shards := map[string]bool{}
	for _, id := range want {
		suffix := ""
		if row := n.row("USER#"+id, "PROFILE"); len(row.Text("GSI1PK")) > len("ROLE#WORKER") {
			suffix = row.Text("GSI1PK")[len("ROLE#WORKER"):]
		}
		shards[suffix] = true
		for _, item := range n.skillItems(id) {
			assert.Equal(t, "ROLE#WORKER#SKILL#"+item.Text("skill")+suffix, item.Text("GSI1PK"))
		}
	}
	assert.Len(t, shards, 3)
	repo := of(1, 3)
	for _, limit := range []int{1, 5, 50} {
		assert.Equal(t, want, n.ids(repo.InCity(people.Worker, "Estcourt"), limit))
		assert.Equal(t, want, n.ids(repo.InCity(people.Worker, ""), limit))
		assert.Equal(t, want, n.ids(repo.WithAnySkill("Estcourt", "a", "b"), limit))
		assert.Equal(t, want, n.ids(repo.WithAllSkills("Estcourt", "a", "b"), limit))
	}
	few := n.ids(n.repo.InCity(people.Worker, "Estcourt"), 50)
	assert.Less(t, len(few), len(want), "a process that reads fewer shards than others write")
	assert.Equal(t, few, slices.Compact(n.ids(n.repo.WithAnySkill("Estcourt", "a", "b"), 50)))
}
