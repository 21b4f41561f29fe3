package policy_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/provision/policy"
	"github.com/dynastay/dynastay/users"
)

func TestInvalidPolicies(t *testing.T) {
	t.Parallel()
	valid := policy.Policy{Role: policy.Application, Repositories: []string{"bookings"}}
	for field, c := range map[string]struct {
		change func(*policy.Policy, *policy.Account)
		reason string
	}{
		"Role":            {func(p *policy.Policy, _ *policy.Account) { p.Role = "guest" }, `but is "guest"`},
		"Repositories":    {func(p *policy.Policy, _ *policy.Account) { p.Repositories = nil }, "must not be empty"},
		"Repositories[1]": {func(p *policy.Policy, _ *policy.Account) { p.Repositories = []string{"users", "hotels"} }, `reviews, users, but is "hotels"`},
		"Repositories[0]": {func(p *policy.Policy, _ *policy.Account) {
			p.Role, p.Repositories = policy.Worker, []string{"availability"}
		}, "availability has no stream"},
		"Also[0]": {func(p *policy.Policy, _ *policy.Account) { p.Also = []policy.Need{{Action: "PutItem"}} }, "must have an action and a table"},
		"User":    {func(p *policy.Policy, _ *policy.Account) { p.User = "user_1" }, "only for a reader"},
		"Region":  {func(_ *policy.Policy, a *policy.Account) { a.Region = "" }, "must not be empty"},
		"ID":      {func(_ *policy.Policy, a *policy.Account) { a.ID = "" }, "must not be empty"},
	} {
		p, a := valid, here
		c.change(&p, &a)
		document, err := p.Document(a)
		assert.Nil(t, document)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field)
		assert.Contains(t, invalid.Reason, c.reason)
	}
	_, err := valid.Document(here)
	assert.NoError(t, err)
	_, err = policy.Policy{Role: policy.Reader, Repositories: []string{"availability/units"}, User: "user_1"}.Document(here)
	assert.ErrorContains(t, err, "invalid User: none of these packages keeps anything by user")
}

// The policy of a repository allows what its methods need and nothing else; that of several allows the sum.
func TestPoliciesAllowWhatIsNeeded(t *testing.T) {
	t.Parallel()
	methods := policy.Methods()
	sets := append([][]string{policy.Repositories()}, pairs(policy.Repositories())...)
	for _, repositories := range sets {
		for _, role := range []policy.Role{policy.Reader, policy.Application} {
			document, err := policy.Policy{Role: role, Repositories: repositories}.Document(here)
			require.NoError(t, err)
			want := map[string]bool{}
			for method, needs := range methods {
				repository, _, _ := strings.Cut(method, ".")
				if slices.Contains(repositories, repository) && (role == policy.Application || reads(needs)) {
					for _, n := range needs {
						want[key(n)] = true
					}
					if !reads(needs) {
						want[key(policy.Need{Action: "GetItem", Table: "Metadata"})] = true
						want[key(policy.Need{Action: "PutItem", Table: "Metadata"})] = true
					}
				}
			}
			for method, needs := range methods {
				for _, n := range needs {
					assert.Equal(t, want[key(n)], document.Allows(n.Request(here, "USER#user_1")), "%s: %s of %v needs %s", role, method, repositories, n)
				}
			}
		}
	}
}

func pairs(all []string) (pairs [][]string) {
	for i := range all {
		for j := range i + 1 {
			pairs = append(pairs, slices.Compact([]string{all[j], all[i]}))
		}
	}
	return pairs
}

// key identifies what a need is for.
func key(n policy.Need) string {
	r := n.Request(here)
	return r.Action + " on " + r.Resource
}

func reads(needs []policy.Need) bool {
	return !slices.ContainsFunc(needs, func(n policy.Need) bool {
		return n.Action != "GetItem" && n.Action != "BatchGetItem" && n.Action != "Query"
	})
}

// A reader of one user's data gets nothing of another one, and nothing that is not kept by user.
func TestReadersOfOneUser(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := newDB(t, policy.Policy{Role: policy.Reader, Repositories: []string{"bookings", "users"}, User: "user_456"})
	booked, err := bookings.New(db.Direct, nil).Create(ctx, fixture.Request(fixture.New(t, db.Direct, 3).Quote(t, db.Direct, fixture.Stay, 1)))
	require.NoError(t, err)
	for _, id := range []string{"user_456", "user_4567"} {
		_, err := users.New(db.Direct, nil).Create(ctx, users.User{ID: id, Email: id + "@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer})
		require.NoError(t, err)
	}
	of := bookings.New(db.DB, nil)
	mine, err := of.ByUser("user_456").Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, mine.Items, 1)
	assert.Equal(t, booked.ID, mine.Items[0].ID)
	_, err = users.New(db.DB, nil).Get(ctx, "user_456")
	assert.NoError(t, err)

	assert.True(t, denied(second(of.ByUser("user_4567").Page(ctx, dynastay.Paging{}))))
	assert.True(t, denied(second(users.New(db.DB, nil).Get(ctx, "user_4567"))))
	assert.True(t, denied(second(of.Get(ctx, booked.ID))), "a booking has its own partition, with that of nobody")
	assert.True(t, denied(second(users.New(db.DB, nil).ByEmail(ctx, "user_456@example.com"))))
	assert.True(t, denied(second(of.Cancel(ctx, booked.ID, "", nil))))
}

// IAM takes a policy of at most 6,144 characters without white space, and a role may have ten of them.
func TestPoliciesFit(t *testing.T) {
	t.Parallel()
	const managed = 6144
	of := policy.Account{Region: "ap-southeast-2", ID: "123456789012", Prefix: "production-europe-"}
	for _, repository := range policy.Repositories() {
		document, err := policy.Policy{Role: policy.Application, Repositories: []string{repository}}.Document(of)
		require.NoError(t, err)
		text, err := json.Marshal(document)
		require.NoError(t, err)
		assert.Less(t, len(text), managed, repository)
	}
	whole, err := policy.Policy{Role: policy.Application, Repositories: policy.Repositories()}.Document(of)
	require.NoError(t, err)
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	assert.Less(t, len(text), managed, "all of them")
}

// The page has what each repository needs; what only writing methods need is in bold.
func TestPageOfPermissions(t *testing.T) {
	var rows, mine [][]string
	for _, repository := range append(policy.Repositories(), "entity/stream/consumer") {
		needed := map[string]map[string]bool{} // whether an action is also one of a reader, by table or index
		for method, needs := range policy.Methods() {
			if of, _, _ := strings.Cut(method, "."); of != repository {
				continue
			}
			for _, n := range needs {
				at := n.Table
				if n.Index != "" {
					at += "/" + n.Index
				}
				if policy.OfStream(n.Action) {
					at = "streams"
				}
				if needed[at] == nil {
					needed[at] = map[string]bool{}
				}
				needed[at][n.Action] = needed[at][n.Action] || reads(needs)
			}
		}
		rows = append(rows, rowsOf(repository, needed)...)
	}
	page.Section(t, "docs/permissions.md", "permissions", page.Table([]string{"package", "table or index", "reader", "application, besides"}, rows))
	for method, needs := range policy.Methods() {
		if !slices.ContainsFunc(needs, func(n policy.Need) bool { return !n.Own }) && reads(needs) {
			var texts []string
			for _, n := range needs {
				n.Own = false
				texts = append(texts, n.String())
			}
			mine = append(mine, []string{"`" + method + "`", strings.Join(texts, ", ")})
		}
	}
	slices.SortFunc(mine, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	page.Section(t, "docs/permissions.md", "own", page.Table([]string{"method", "needs"}, mine))
}

func rowsOf(repository string, needed map[string]map[string]bool) (rows [][]string) {
	name := "`" + repository + "`"
	for _, at := range slices.Sorted(maps.Keys(needed)) {
		var reader, besides []string
		for _, action := range slices.Sorted(maps.Keys(needed[at])) {
			if needed[at][action] {
				reader = append(reader, action)
			} else {
				besides = append(besides, action)
			}
		}
		rows = append(rows, []string{name, at, strings.Join(reader, ", "), strings.Join(besides, ", ")})
		name = ""
	}
	return rows
}
