package people_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// cost is in requests, read units, and write units on the table and on its indexes.
type cost dyntest.Bill

// metered returns a town, and a function that compares what a call costs.
func metered(t *testing.T) (n *town, costs func(what string, want cost, do func() error)) {
	n = newTown(t)
	return n, func(what string, want cost, do func() error) {
		t.Helper()
		dyntest.Costs(t, n.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
}

func (n *town) pages(list dynastay.List[*people.Profile], want int) func() error {
	return func() error {
		page, err := list.Page(n.t.Context(), dynastay.Paging{Limit: 50})
		assert.Len(n.t, page.Items, want)
		return err
	}
}

// The costs in the documentation. In a transaction, an item counts twice on the table.
func TestCosts(t *testing.T) {
	t.Parallel()
	n, costs := metered(t)
	ctx := t.Context()
	updates := func(id string, fn func(*people.Profile)) func() error {
		return func() error { _, err := n.repo.Update(ctx, id, edit(fn)); return err }
	}
	full := worker("w", "a", "b", "c")
	full.Subject, full.Email, full.Phone = "sub-1", "w@example.com", "+27812345670"
	costs("SignUp of a buyer", cost{1, 0, 1, 2}, func() error { _, err := n.repo.SignUp(ctx, buyer("b")); return err })
	costs("SignUp with 3 skills and guards", cost{1, 0, 14, 8}, func() error { _, err := n.repo.SignUp(ctx, full); return err })
	costs("Profile", cost{1, 0.5, 0, 0}, func() error { _, err := n.repo.Profile(ctx, "w"); return err })
	for _, find := range []func() (*people.Profile, error){
		func() (*people.Profile, error) { return n.repo.BySubject(ctx, "sub-1") },
		func() (*people.Profile, error) { return n.repo.ByEmail(ctx, "w@example.com") },
		func() (*people.Profile, error) { return n.repo.ByPhone(ctx, "+27812345670") },
	} {
		costs("By…", cost{2, 2, 0, 0}, func() error { _, err := find(); return err })
	}
	costs("Update of the bio", cost{2, 1, 1, 2}, updates("w", func(p *people.Profile) { p.Work.Bio = "new" }))
	costs("Update of the address", cost{2, 1, 1, 2}, updates("w", func(p *people.Profile) { p.Location.Address = "new" }))
	costs("Update of nothing", cost{1, 1, 0, 0}, updates("w", func(*people.Profile) {}))
	costs("Update of a skill", cost{2, 1, 6, 6}, updates("w", func(p *people.Profile) { p.Work.Skills = []string{"a", "b", "d"} }))
	costs("Update of a spelling", cost{2, 1, 4, 4}, updates("w", func(p *people.Profile) { p.Work.Skills = []string{"a", "b", "D"} }))
	costs("Update of the order of skills", cost{2, 1, 1, 2}, updates("w", func(p *people.Profile) { p.Work.Skills = []string{"D", "a", "b"} }))
	costs("Update of the city", cost{2, 1, 8, 12}, updates("w", func(p *people.Profile) { p.Location.City = "Durban" }))
	costs("Update of the e-mail", cost{2, 1, 6, 2}, updates("w", func(p *people.Profile) { p.Email = "v@example.com" }))
	costs("VerifyPhone", cost{2, 1, 1, 2}, func() error { _, err := n.repo.VerifyPhone(ctx, "w", "+27812345670"); return err })
	costs("VerifyPhone again", cost{1, 1, 0, 0}, func() error { _, err := n.repo.VerifyPhone(ctx, "w", "+27812345670"); return err })
	// The read is that of the test, and so is the transaction: others move counters together with other items.
	counts := func(t people.Tally) func() error {
		return func() error { return n.Write(ctx, count(n.DB.DB, n.repo, "w", t)) }
	}
	costs("Count", cost{2, 1, 2, 2}, counts(people.Tally{Projects: 1, Jobs: 1, Ended: 1}))
	costs("Count of the first rating", cost{2, 1, 2, 2}, counts(people.Tally{Ratings: 1, Stars: 5}))
	costs("Count of a rating", cost{2, 1, 2, 2}, counts(people.Tally{Ratings: 1, Stars: 4}))
	costs("Count of nothing", cost{1, 1, 0, 0}, counts(people.Tally{}))

	seller := parsed(t, documentSeller)
	seller["cognitoSub"] = dynastay.Text("sub-1")
	n.put(parsed(t, documentWorker), seller)
	b := parsed(t, documentBuyer)
	b["cognitoSub"] = dynastay.Text("sub-2")
	n.put(b)
	costs("Adopt", cost{3, 2, 14, 8}, func() error { _, err := n.repo.Adopt(ctx, "worker456"); return err })
	costs("Adopt again", cost{1, 1, 0, 0}, func() error { _, err := n.repo.Adopt(ctx, "worker456"); return err })
	costs("first Update", cost{3, 2, 8, 2}, updates("buyer123", func(p *people.Profile) { p.Name = "new" }))
	unverified := parsed(t, documentWorker)
	unverified["phoneVerified"] = null
	n.put(unverified)
	costs("VerifyPhone of a profile of other software", cost{3, 2, 14, 2}, func() error {
		_, err := n.repo.VerifyPhone(ctx, "worker456", "+27823456789")
		return err
	})
	costs("Adopt with a value that is taken", cost{6, 4, 8, 2}, func() error { _, err := n.repo.Adopt(ctx, "seller789"); return err })
}

// The costs of lists and searches, of 20 workers, half of whom have each of two skills.
func TestCostsOfSearches(t *testing.T) {
	t.Parallel()
	n, costs := metered(t)
	for i := range 20 {
		n.signUp(north(float64(i), worker(fmt.Sprintf("w%02d", i), [][]string{{"a"}, {"b"}, {"a", "b"}, nil}[i%4]...)))
	}
	costs("InCity", cost{1, 1, 0, 0}, n.pages(n.repo.InCity(people.Worker, "Estcourt"), 20))
	costs("InCity without a city", cost{1, 1, 0, 0}, n.pages(n.repo.InCity(people.Worker, ""), 20))
	costs("WithAnySkill, 1 skill", cost{2, 5.5, 0, 0}, n.pages(n.repo.WithAnySkill("Estcourt", "a"), 10))
	costs("WithAnySkill, 2 skills", cost{3, 8.5, 0, 0}, n.pages(n.repo.WithAnySkill("Estcourt", "a", "b"), 15))
	costs("WithAllSkills, 2 skills", cost{3, 3.5, 0, 0}, n.pages(n.repo.WithAllSkills("Estcourt", "a", "b"), 5))
	near := func(want int, skills ...string) func() error {
		return func() error {
			found, err := n.repo.Near(t.Context(), around(1000, skills...))
			assert.Len(t, found, want)
			return err
		}
	}
	costs("Near", cost{6, 3.5, 0, 0}, near(20))
	costs("Near, 1 skill", cost{7, 8, 0, 0}, near(10, "a"))
	costs("Near, 2 skills", cost{13, 8.5, 0, 0}, near(5, "a", "b"))
	costs("Near, nobody", cost{6, 3, 0, 0}, near(0, "c"))
}

// What depends on a rating does not write the items of the skills.
func TestATrustScoreMovesNoSkill(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w", many("skill", 20)...))
	before := n.skillItems("w")
	record := n.Faults.Record()
	n.count("w", people.Tally{Ratings: 1, Stars: 5})
	n.update("w", func(p *people.Profile) { p.Work.Bio, p.Location.Address = "new", "new" })
	for _, r := range record() {
		assert.NotContains(t, string(r.Body), "SKILL#")
	}
	assert.Equal(t, before, n.skillItems("w"))
}
