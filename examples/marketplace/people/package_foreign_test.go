package people_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// Other software replaces a profile that had been adopted: it is adopted again, and what it no longer has is deleted.
func TestAProfileThatWasReplaced(t *testing.T) {
	t.Parallel()
	for name, adopt := range map[string]func(*town) error{
		"update": func(n *town) error {
			_, err := n.repo.Update(n.t.Context(), "w", edit(func(p *people.Profile) { p.Work.Bio = "new" }))
			return err
		},
		"adopt": func(n *town) error {
			return n.Write(n.t.Context(), n.repo.AdoptOp("w"), dynastay.IdempotencyKey(fmt.Sprint(len(n.profile("w").Work.Skills))))
		},
		"verify": func(n *town) error { _, err := n.repo.VerifyPhone(n.t.Context(), "w", "+27812345678"); return err },
	} {
		n := newTown(t)
		w := worker("w", "a", "b", "c")
		w.Phone = "+27812345678"
		n.signUp(w)
		item := n.raw("w")
		item["skills"] = texts("b", "d", "B ", "!", strings.Repeat("x", 300))
		item["location"].(*types.AttributeValueMemberM).Value["city"] = dynastay.Text("Durban")
		delete(item, "writeId")
		n.put(item)
		err := adopt(n)
		if name == "update" {
			require.ErrorIs(t, err, dynastay.ErrInvalid)
			assert.Equal(t, "Work.Skills[2]", fieldOf(err))
		} else {
			require.ErrorIs(t, err, dynastay.ErrCorrupt)
			require.NotErrorIs(t, err, dynastay.ErrInvalid)
			assert.Equal(t, "Work.Skills[2]", fieldOf(err))
		}
		assert.Equal(t, []string{"a", "b", "c"}, n.skillNames("w"), "nothing was written")
		item["skills"] = texts("b", "d")
		n.put(item)
		require.NoError(t, adopt(n), name)
		assert.Equal(t, []string{"b", "d"}, n.skillNames("w"), name)
		for _, row := range n.skillItems("w") {
			assert.Equal(t, "LOCATION#Durban#USER#w", row.Text("GSI1SK"))
		}
		assert.NotEmpty(t, n.profile("w").WriteID)
	}
}

// What other software has stored and cannot be used is named, and an update can mend it, which adopts the profile.
func TestProfilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	worker456 := items["worker456"]
	for field, c := range map[string]struct {
		spoil func(item dynastay.Item)
		mend  func(*people.Profile)
	}{
		"Location.City":  {func(i dynastay.Item) { delete(i, "location") }, func(p *people.Profile) { p.Location = estcourt }},
		"Work.Skills":    {func(i dynastay.Item) { i["skills"] = texts(many("skill", 150)...) }, func(p *people.Profile) { p.Work.Skills = p.Work.Skills[:20] }},
		"Work.Skills[0]": {func(i dynastay.Item) { i["skills"] = texts("?", "a") }, func(p *people.Profile) { p.Work.Skills[0] = "b" }},
		"Work.Skills[1]": {func(i dynastay.Item) { i["skills"] = texts("Brick laying", "bricklaying") }, func(p *people.Profile) { p.Work.Skills = p.Work.Skills[1:] }},
		"Phone":          {func(i dynastay.Item) { i["phone"] = dynastay.Text("082 345 6789") }, func(p *people.Profile) { p.Phone = "+27823456789" }},
		"Email":          {func(i dynastay.Item) { i["email"] = dynastay.Text("mike") }, func(p *people.Profile) { p.Email = "mike@example.com" }},
		"Subject":        {func(i dynastay.Item) { i["cognitoSub"] = dynastay.Text("a#b") }, func(p *people.Profile) { p.Subject = "" }},
		"Shop":           {func(i dynastay.Item) { i["businessName"] = dynastay.Text("x") }, func(p *people.Profile) { p.Shop = people.Shop{} }},
	} {
		id := "w-" + strings.Map(func(r rune) rune {
			if r >= 'A' {
				return r
			}
			return '-'
		}, field)
		item := maps.Clone(worker456)
		item["PK"], item["userId"], item["email"] = dynastay.Text("USER#"+id), dynastay.Text(id), null
		item["phone"], item["cognitoSub"] = null, null
		c.spoil(item)
		n.put(item)
		before := n.profile(id)
		_, err := n.repo.Adopt(t.Context(), id)
		require.ErrorIs(t, err, dynastay.ErrCorrupt, field)
		require.NotErrorIs(t, err, dynastay.ErrInvalid, field)
		assert.Equal(t, strings.TrimSuffix(field, "[]"), fieldOf(err))
		_, err = n.repo.Update(t.Context(), id, edit(func(p *people.Profile) { p.Work.Bio = "new" }))
		require.ErrorIs(t, err, dynastay.ErrInvalid, field)
		assert.Equal(t, field, fieldOf(err))
		_, err = n.repo.Update(t.Context(), id, edit(func(*people.Profile) {}))
		require.NoError(t, err, "nothing is written")
		n.count(id, people.Tally{Jobs: 1, Ended: 1}) // what others do with the profile is possible
		assert.Equal(t, before.Jobs+1, n.profile(id).Jobs)
		p := n.update(id, c.mend)
		assert.NotEmpty(t, p.WriteID)
		assert.Len(t, n.skillItems(id), len(p.Work.Skills), field)
	}

	// With a write id, what other software has changed is not noticed, but it does not stand in the way.
	n.signUp(worker("own", "a", "b", "c"))
	own := n.raw("own")
	for _, skills := range [][]string{many("skill", 150), {"?", "a"}, {"a", "A", "b"}} {
		own["skills"] = texts(skills...)
		n.put(own)
		_, err := n.repo.Update(t.Context(), "own", edit(func(p *people.Profile) { p.Work.Bio = "new" }))
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		n.update("own", func(p *people.Profile) { p.Work.Skills = []string{"a", "d"} })
		assert.Subset(t, n.skillNames("own"), []string{"a", "d"})
		own = n.raw("own")
	}
	own["skills"] = texts(many("skill", 21)...)
	n.put(own)
	_, err := n.repo.Adopt(t.Context(), "own")
	require.ErrorIs(t, err, dynastay.ErrCorrupt)

	item := maps.Clone(worker456)
	item["entityType"] = dynastay.Text("ADMIN")
	n.put(item)
	_, err = n.repo.Update(t.Context(), "worker456", edit(func(p *people.Profile) { p.Role = people.Worker }))
	require.ErrorIs(t, err, dynastay.ErrCorrupt, "a role cannot be changed")
	require.NotErrorIs(t, err, dynastay.ErrInvalid)
	assert.Equal(t, "Role", fieldOf(err))
	item["entityType"], item["phone"] = dynastay.Text("WORKER"), dynastay.Text("082 345 6789")
	n.put(item)
	_, err = n.repo.VerifyPhone(t.Context(), "worker456", "+27823456789")
	require.ErrorIs(t, err, dynastay.ErrVersion, "another number")
}

// All profiles of the document have the same Cognito id. It goes to the one that is adopted first.
func TestTheCognitoIDOfTheDocument(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.put(parsed(t, documentBuyer), parsed(t, documentWorker), parsed(t, documentSeller))
	for _, id := range []string{"seller789", "buyer123", "worker456"} {
		p, err := n.repo.Adopt(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, "cognito-uuid", p.Subject)
	}
	found, err := n.repo.BySubject(t.Context(), "cognito-uuid")
	require.NoError(t, err)
	assert.Equal(t, "seller789", found.ID)
	_, err = n.repo.ByEmail(t.Context(), "mike@example.com")
	require.NoError(t, err)
}

// A value that belongs to another user is left to that user.
func TestAValueThatIsTaken(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	p := buyer("b")
	p.Email, p.Phone = "MIKE@example.com", "+27823456789"
	n.signUp(p)
	items["worker456"]["email"] = dynastay.Text("Mike@Example.com")
	n.put(items["worker456"])
	got, err := n.repo.Adopt(t.Context(), "worker456")
	require.NoError(t, err)
	assert.Equal(t, "Mike@Example.com", got.Email, "as it was spelled")
	assert.Equal(t, "b", n.row("EMAIL#mike@example.com", "GUARD").Text("userId"))
	assert.Equal(t, "b", n.row("PHONE#+27823456789", "GUARD").Text("userId"))
	assert.Equal(t, "worker456", n.row("COGNITO#cognito-worker456", "GUARD").Text("userId"))
	n.update("b", func(p *people.Profile) { p.Email = "b@example.com" })
	assert.False(t, n.row("EMAIL#mike@example.com", "GUARD").Exists())
	assert.Equal(t, "Mike@Example.com", n.update("worker456", func(p *people.Profile) { p.Work.Bio = "new" }).Email)
	found, err := n.repo.BySubject(t.Context(), "cognito-worker456")
	require.NoError(t, err)
	assert.Equal(t, "worker456", found.ID)
}

// Other software may have stored a profile without its id, or with another one. No function can mend it, so it is not
// about the caller's arguments. Its ratings are still counted where they are.
func TestProfilesWithAnotherID(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]types.AttributeValue{
		"NULL": null, "another": dynastay.Text("other"), "no id": dynastay.Text("a#b"),
	} {
		n := newTown(t)
		n.signUp(worker("w", "a"))
		raw := n.raw("w")
		delete(raw, "writeId")
		delete(raw, "ratingSum")
		raw["userId"] = id
		n.put(raw, review("w", "p1", dynastay.Number(3)), review("other", "p1", dynastay.Number(1)))
		for what, call := range map[string]func() (*people.Profile, error){
			"update": func() (*people.Profile, error) {
				return n.repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.ID = "w" }))
			},
			"adopt":  func() (*people.Profile, error) { return n.repo.Adopt(t.Context(), "w") },
			"verify": func() (*people.Profile, error) { return n.repo.VerifyPhone(t.Context(), "w", "+27812345678") },
		} {
			_, err := call()
			require.ErrorIs(t, err, dynastay.ErrCorrupt, "%s: %s", name, what)
			require.NotErrorIs(t, err, dynastay.ErrInvalid, "%s: %s", name, what)
			assert.Equal(t, "ID", fieldOf(err), "%s: %s", name, what)
		}
		_, err := dynastay.Do(t.Context(), n.DB.DB, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "rate", Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
				row, err := n.DB.Get(ctx, keys.Table, dynastay.Key{PK: "USER#w", SK: "PROFILE"}, dynastay.Consistent)
				if err != nil {
					return none, err
				}
				return none, n.repo.Count(ctx, tx, row, people.Tally{Ratings: 1, Stars: 5})
			},
		}))
		require.NoError(t, err, name)
		row := n.row("USER#w", "PROFILE")
		assert.Equal(t, []int{2, 8}, []int{row.Int("ratingCount"), row.Int("ratingSum")}, name)
	}
}
