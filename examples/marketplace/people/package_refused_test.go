package people_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

var long = strings.Repeat("x", 257)

// wrong are profiles that must not be stored, by the field that the error names.
var wrong = []struct {
	field string
	base  people.Profile
	edit  func(*people.Profile)
}{
	{"Role", buyer("u"), func(p *people.Profile) { p.Role = "" }},
	{"Role", buyer("u"), func(p *people.Profile) { p.Role = "worker" }},
	{"Name", buyer("u"), func(p *people.Profile) { p.Name = " " }},
	{"Name", worker("u"), func(p *people.Profile) { p.Name = "" }},
	{"Name", buyer("u"), func(p *people.Profile) { p.Name = long }},
	{"Name", buyer("u"), func(p *people.Profile) { p.Name = "\xff" }},
	{"Subject", buyer("u"), func(p *people.Profile) { p.Subject = "a#b" }},
	{"Subject", buyer("u"), func(p *people.Profile) { p.Subject = long }},
	{"Email", buyer("u"), func(p *people.Profile) { p.Email = "john" }},
	{"Phone", buyer("u"), func(p *people.Profile) { p.Phone = "0812345678" }},
	{"Phone", buyer("u"), func(p *people.Profile) { p.Phone = "+27 81 234 5678" }},
	{"Phone", buyer("u"), func(p *people.Profile) { p.Phone = "+271234" }},
	{"Phone", buyer("u"), func(p *people.Profile) { p.Phone = "+2712345678901234" }},
	{"Phone", buyer("u"), func(p *people.Profile) { p.Phone = "x+27812345678" }},
	{"Phone", buyer("u"), func(p *people.Profile) { p.Phone = "+27812345678x" }},
	{"Location.Address", buyer("u"), func(p *people.Profile) { p.Location.Address = long }},
	{"Location.City", buyer("u"), func(p *people.Profile) { p.Location.City = "" }},
	{"Location.City", buyer("u"), func(p *people.Profile) { p.Location.City = " " }},
	{"Location.City", buyer("u"), func(p *people.Profile) { p.Location.City = long }},
	{"Location.City", buyer("u"), func(p *people.Profile) { p.Location.City = strings.Repeat("#", 100) }},
	{"Location.City", buyer("u"), func(p *people.Profile) { p.Location.City = strings.Repeat(" ", 256) + "x" }},
	{"Location.City", buyer("u"), func(p *people.Profile) { p.Location.City = "\xff" }},
	{"Location.Province", buyer("u"), func(p *people.Profile) { p.Location.Province = long }},
	{"Location.Latitude", buyer("u"), func(p *people.Profile) { p.Location.Latitude = 90.1 }},
	{"Location.Latitude", buyer("u"), func(p *people.Profile) { p.Location.Latitude = math.NaN() }},
	{"Location.Longitude", buyer("u"), func(p *people.Profile) { p.Location.Longitude = -180.1 }},
	{"Location.Longitude", buyer("u"), func(p *people.Profile) { p.Location.Longitude = math.Inf(1) }},

	{"Work", buyer("u"), func(p *people.Profile) { p.Work.Skills = []string{"a"} }},
	{"Work", buyer("u"), func(p *people.Profile) { p.Work.Bio = "a" }},
	{"Work", buyer("u"), func(p *people.Profile) { p.Work.IDNumber = strings.Repeat("ab", 32) }},
	{"Work", buyer("u"), func(p *people.Profile) { p.Work.IDVerified = true }},
	{"Work", seller("u"), func(p *people.Profile) { p.Work.ResponseTime = 1 }},
	{"Work", seller("u"), func(p *people.Profile) { p.Work.Portfolio = []string{"a"} }},
	{"Work.Bio", worker("u"), func(p *people.Profile) { p.Work.Bio = strings.Repeat("x", 2049) }},
	{"Work.IDNumber", worker("u"), func(p *people.Profile) { p.Work.IDNumber = "8001015009087" }},
	{"Work.IDNumber", worker("u"), func(p *people.Profile) { p.Work.IDNumber = strings.Repeat("ab", 31) }},
	{"Work.IDNumber", worker("u"), func(p *people.Profile) { p.Work.IDNumber = long }},
	{"Work.ResponseTime", worker("u"), func(p *people.Profile) { p.Work.ResponseTime = -1 }},
	{"Work.Skills", worker("u"), func(p *people.Profile) { p.Work.Skills = many("skill", 21) }},
	{"Work.Skills[0]", worker("u"), func(p *people.Profile) { p.Work.Skills = []string{"!"} }},
	{"Work.Skills[0]", worker("u"), func(p *people.Profile) { p.Work.Skills = []string{"a\xff"} }},
	{"Work.Skills[1]", worker("u"), func(p *people.Profile) { p.Work.Skills = []string{"a", long} }},
	{"Work.Skills[0]", worker("u"), func(p *people.Profile) { p.Work.Skills = []string{strings.Repeat("ﷺ", 20)} }},
	{"Work.Skills[0]", worker("u"), func(p *people.Profile) { p.Work.Skills = []string{strings.Repeat(" ", 256) + "x"} }},
	{"Work.Skills[2]", worker("u"), func(p *people.Profile) { p.Work.Skills = []string{"Brick laying", "b", "bricklaying"} }},
	{"Work.Portfolio", worker("u"), func(p *people.Profile) { p.Work.Portfolio = many("p", 51) }},
	{"Work.Portfolio[1]", worker("u"), func(p *people.Profile) { p.Work.Portfolio = []string{"a", strings.Repeat("x", 2049)} }},

	{"Shop", buyer("u"), func(p *people.Profile) { p.Shop.Delivers = true }},
	{"Shop", worker("u"), func(p *people.Profile) { p.Shop.BusinessName = "a" }},
	{"Shop.BusinessName", seller("u"), func(p *people.Profile) { p.Shop.BusinessName = " " }},
	{"Shop.BusinessName", seller("u"), func(p *people.Profile) { p.Shop.BusinessName = long }},
	{"Shop.BusinessType", seller("u"), func(p *people.Profile) { p.Shop.BusinessType = long }},
	{"Shop.Contact", seller("u"), func(p *people.Profile) { p.Shop.Contact = long }},
	{"Shop.Registration", seller("u"), func(p *people.Profile) { p.Shop.Registration = long }},
	{"Shop.Radius", seller("u"), func(p *people.Profile) { p.Shop.Radius = -1 }},
	{"Shop.FreeOver", seller("u"), func(p *people.Profile) { p.Shop.FreeOver = dynastay.MustMoney("-1", "ZAR") }},
	{"Shop.FreeOver", seller("u"), func(p *people.Profile) { p.Shop.FreeOver = dynastay.MustMoney("1", "USD") }},
}

func many(name string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(name, i))
	}
	return all
}

func TestProfilesThatAreRefused(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	users := map[people.Role]string{}
	for role, p := range map[people.Role]people.Profile{
		people.Buyer: buyer("buyer"), people.Worker: worker("worker"), people.Seller: seller("seller"),
	} {
		users[role] = n.signUp(p).ID
	}
	record := n.Faults.Record()
	for i, c := range append(wrong, struct {
		field string
		base  people.Profile
		edit  func(*people.Profile)
	}{"ID", buyer("u"), func(p *people.Profile) { p.ID = "a#b" }}) {
		p := c.base
		c.edit(&p)
		_, err := n.repo.SignUp(t.Context(), p)
		require.ErrorIs(t, err, dynastay.ErrInvalid, "%d", i)
		assert.Equal(t, c.field, fieldOf(err), "%d: %v", i, err)
		if c.field != "ID" && !strings.HasPrefix(c.field, "Work.IDNumber") {
			err = p.Validate()
			assert.Equal(t, c.field, fieldOf(err), "%d: %v", i, err)
		}
	}
	assert.Empty(t, record())
	for i, c := range wrong {
		_, err := n.repo.Update(t.Context(), users[c.base.Role], edit(c.edit))
		require.ErrorIs(t, err, dynastay.ErrInvalid, "%d", i)
		assert.Equal(t, c.field, fieldOf(err), "%d: %v", i, err)
	}
	for _, id := range users {
		assert.Equal(t, 1, n.profile(id).Version, "nothing was written")
	}
}

// What the library keeps, and the role, cannot be changed.
func TestFieldsOfTheLibrary(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w"))
	for field, change := range map[string]func(*people.Profile){
		"Role": func(p *people.Profile) { p.Role = people.Buyer }, "ID": func(p *people.Profile) { p.ID = "v" },
		"TrustScore": func(p *people.Profile) { p.TrustScore = 50 }, "Ratings": func(p *people.Profile) { p.Ratings++ },
		"Stars": func(p *people.Profile) { p.Stars++ }, "Projects": func(p *people.Profile) { p.Projects++ },
		"Jobs": func(p *people.Profile) { p.Jobs++ }, "Ended": func(p *people.Profile) { p.Ended++ },
		"CompletionRate": func(p *people.Profile) { p.CompletionRate = 1 }, "Orders": func(p *people.Profile) { p.Orders++ },
		"CreatedAt": func(p *people.Profile) { p.CreatedAt = base.AddDate(1, 0, 0) },
		"UpdatedAt": func(p *people.Profile) { p.UpdatedAt = base.AddDate(1, 0, 0) }, "Version": func(p *people.Profile) { p.Version++ },
	} {
		_, err := n.repo.Update(t.Context(), "w", edit(change))
		require.ErrorIs(t, err, dynastay.ErrInvalid, field)
		assert.Equal(t, field, fieldOf(err))
	}
	p := buyer("b")
	p.TrustScore, p.Ratings, p.Stars, p.Projects, p.Jobs, p.Ended, p.CompletionRate, p.Orders = 50, 1, 5, 1, 1, 1, 1, 1
	p.Version, p.CreatedAt = 7, base.AddDate(-1, 0, 0)
	n.signUp(p)
	got := n.profile("b")
	assert.Equal(t, people.Profile{
		ID: "b", Role: people.Buyer, Name: "John Doe", Location: estcourt, CreatedAt: base, UpdatedAt: base, Version: 1, WriteID: got.WriteID,
	}, *got)
	assert.Equal(t, "John Doe", got.DisplayName())
	assert.Equal(t, "Supplies", n.signUp(seller("")).DisplayName())
}

func TestArgumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	ctx := t.Context()
	page := func(list dynastay.List[*people.Profile]) error {
		_, err := list.Page(ctx, dynastay.Paging{})
		return err
	}
	near := func(edit func(*people.NearQuery)) error {
		q := people.NearQuery{Role: people.Worker, Radius: 1000}
		edit(&q)
		_, err := n.repo.Near(ctx, q)
		return err
	}
	no := func(*people.Profile) error { return nil }
	err2 := func(_ any, err error) error { return err }
	record := n.Faults.Record()
	for i, c := range []struct {
		field string
		err   error
	}{
		{"UserID", err2(n.repo.Profile(ctx, "a#b"))},
		{"UserID", err2(n.repo.Update(ctx, "", no))},
		{"WriteID", err2(n.repo.Update(ctx, "u", no, dynastay.IfWritten("x")))},
		{"UserID", err2(n.repo.VerifyPhone(ctx, "", "+27812345678"))},
		{"Phone", err2(n.repo.VerifyPhone(ctx, "u", "0812345678"))},
		{"Phone", err2(n.repo.VerifyPhone(ctx, "u", ""))},
		{"UserID", err2(n.repo.Adopt(ctx, "a#b"))},
		{"Subject", err2(n.repo.BySubject(ctx, ""))},
		{"Subject", err2(n.repo.BySubject(ctx, "a#b"))},
		{"Email", err2(n.repo.ByEmail(ctx, "john"))},
		{"Phone", err2(n.repo.ByPhone(ctx, "0812345678"))},
		{"Role", page(n.repo.InCity("", "Estcourt"))},
		{"Role", page(n.repo.InCity("worker", "Estcourt"))},
		{"City", page(n.repo.InCity(people.Worker, " "))},
		{"City", page(n.repo.InCity(people.Worker, long))},
		{"City", page(n.repo.WithAnySkill(long, "a"))},
		{"City", page(n.repo.WithAllSkills(" ", "a"))},
		{"Skills", page(n.repo.WithAnySkill("Estcourt"))},
		{"Skills", page(n.repo.WithAllSkills("Estcourt"))},
		{"Skills", page(n.repo.WithAnySkill("Estcourt", many("s", 21)...))},
		{"Skills[1]", page(n.repo.WithAnySkill("Estcourt", "a", "!"))},
		{"Skills[0]", page(n.repo.WithAllSkills("Estcourt", long))},
		{"Role", near(func(q *people.NearQuery) { q.Role = "x" })},
		{"Latitude", near(func(q *people.NearQuery) { q.Latitude = 91 })},
		{"Longitude", near(func(q *people.NearQuery) { q.Longitude = math.NaN() })},
		{"Radius", near(func(q *people.NearQuery) { q.Radius = 99 })},
		{"Radius", near(func(q *people.NearQuery) { q.Radius = 100_001 })},
		{"Skills", near(func(q *people.NearQuery) { q.Role, q.Skills = people.Buyer, []string{"a"} })},
		{"Skills", near(func(q *people.NearQuery) { q.Skills = many("s", 21) })},
		{"Skills[0]", near(func(q *people.NearQuery) { q.Skills = []string{""} })},
	} {
		require.ErrorIs(t, c.err, dynastay.ErrInvalid, "%d", i)
		assert.Equal(t, c.field, fieldOf(c.err), "%d: %v", i, c.err)
	}
	assert.Empty(t, record())
	assert.Panics(t, func() { people.New(n.DB.DB, &people.Options{Shards: key.Shards{Write: 2}}) })
}

// Numbers that DynamoDB or a currency does not have are refused before any request.
func TestNumbersThatCannotBeStored(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	record := n.Faults.Record()
	for field, change := range map[string]func(*people.Profile){
		"Location.Latitude":  func(p *people.Profile) { p.Location.Latitude = 1e-131 },
		"Location.Longitude": func(p *people.Profile) { p.Location.Longitude = -1e-200 },
		"Shop.FreeOver":      func(p *people.Profile) { p.Shop.FreeOver = dynastay.MustMoney("0.001", "ZAR") },
	} {
		p := seller("s")
		change(&p)
		_, err := n.repo.SignUp(t.Context(), p)
		require.ErrorIs(t, err, dynastay.ErrInvalid, field)
		assert.Equal(t, field, fieldOf(err))
	}
	assert.Empty(t, record())
	p := seller("s")
	p.Location.Latitude, p.Location.Longitude, p.Shop.FreeOver = 1e-130, -1e-130, dynastay.MustMoney("0.01", "ZAR")
	made := n.signUp(p)
	assert.Equal(t, made, n.profile("s"))
	assert.Equal(t, p.Location, made.Location)
}
