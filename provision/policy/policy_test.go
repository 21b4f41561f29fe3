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
	need := func(text string) func(*policy.Policy, *policy.Account) {
		action, table, _ := strings.Cut(text, " ")
		table, index, _ := strings.Cut(table, "/")
		return func(p *policy.Policy, _ *policy.Account) {
			p.Also = []policy.Need{{Action: "GetItem", Table: "Outbox", Index: "GSI1"}, {Action: action, Table: table, Index: index}}
		}
	}
	user := func(user string) func(*policy.Policy, *policy.Account) {
		return func(p *policy.Policy, _ *policy.Account) { p.Role, p.User = policy.Reader, user }
	}
	for _, c := range []struct {
		field, reason string
		change        func(*policy.Policy, *policy.Account)
	}{
		{"Role", `but is "guest"`, func(p *policy.Policy, _ *policy.Account) { p.Role = "guest" }},
		{"Repositories", "must not be empty", func(p *policy.Policy, _ *policy.Account) { p.Repositories = nil }},
		{"Repositories[1]", `reviews, users, but is "hotels"`, func(p *policy.Policy, _ *policy.Account) { p.Repositories = []string{"users", "hotels"} }},
		{"Repositories[0]", "but is \"entity/stream/consumer\"", func(p *policy.Policy, _ *policy.Account) { p.Repositories = []string{"entity/stream/consumer"} }},
		{"Repositories", "have no stream", func(p *policy.Policy, _ *policy.Account) {
			p.Role, p.Repositories = policy.Worker, []string{"availability"}
		}},
		{"Also[1]", "must have an action", need(" Outbox")},
		{"Also[1]", "must have an action", need("* Outbox")},
		{"Also[1]", "must have an action", need("dynamodb:GetItem Outbox")},
		{"Also[1]", "must have the name of a table", need("GetItem ")},
		{"Also[1]", "must have the name of a table", need("GetItem *")},
		{"Also[1]", "must have the name of an index", need("Query Outbox/*")},
		{"Also[0]", "must read by a partition key", func(p *policy.Policy, _ *policy.Account) {
			p.Role, p.User, p.Also = policy.Reader, "user_1", []policy.Need{{Action: "Scan", Table: "Users"}}
		}},
		{"User", "only for a reader", func(p *policy.Policy, _ *policy.Account) { p.User = "user_1" }},
		{"User", "only for a reader", func(p *policy.Policy, _ *policy.Account) { p.Role, p.User = policy.Auditor, "user_1" }},
		{"User", "must be an id", user("*")},
		{"User", "must be an id", user("user_?")},
		{"User", "must be an id", user("user_1#")},
		{"User", "must be an id", user("${aws:PrincipalTag/user")},
		{"User", "none of these packages", func(p *policy.Policy, _ *policy.Account) {
			p.Role, p.User, p.Repositories = policy.Reader, "user_1", []string{"availability/units"}
		}},
		{"Partition", `but is "aliyun"`, func(_ *policy.Policy, a *policy.Account) { a.Partition = "aliyun" }},
		{"Region", `but is ""`, func(_ *policy.Policy, a *policy.Account) { a.Region = "" }},
		{"Region", "must be a region", func(_ *policy.Policy, a *policy.Account) { a.Region = "eu central" }},
		{"ID", `but is ""`, func(_ *policy.Policy, a *policy.Account) { a.ID = "" }},
		{"ID", "12 digits", func(_ *policy.Policy, a *policy.Account) { a.ID = "1234567890123" }},
		{"Prefix", `but is "*"`, func(_ *policy.Policy, a *policy.Account) { a.Prefix = "*" }},
		{"Prefix", `but is "prod/"`, func(_ *policy.Policy, a *policy.Account) { a.Prefix = "prod/" }},
		{"Suffix", `but is "*"`, func(_ *policy.Policy, a *policy.Account) { a.Suffix = "*" }},
	} {
		p, a := valid, here
		c.change(&p, &a)
		document, err := p.Document(a)
		assert.Nil(t, document)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, c.field)
		assert.Equal(t, c.field, invalid.Field)
		assert.Contains(t, invalid.Reason, c.reason, c.field)
	}
	for _, of := range []policy.Account{
		{Region: "*", ID: "*"}, {Partition: "aws-us-gov", Region: "us-gov-west-1", ID: "123456789012", Prefix: "p", Suffix: "-v2"},
	} {
		_, err := valid.Document(of)
		assert.NoError(t, err)
	}
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

	// What the methods need that read only what belongs to one user, and nothing else.
	document, err := policy.Policy{Role: policy.Reader, Repositories: policy.Repositories(), User: "user_456"}.Document(here)
	require.NoError(t, err)
	want := map[string]bool{}
	for _, needs := range policy.Methods() {
		for _, n := range needs {
			want[key(n)] = want[key(n)] || reads(needs) && !slices.ContainsFunc(needs, func(n policy.Need) bool { return !n.Own })
		}
	}
	for method, needs := range policy.Methods() {
		for _, n := range needs {
			assert.Equal(t, want[key(n)], document.Allows(n.Request(here, "USER#user_456")), "%s: %s", method, n)
			assert.False(t, document.Allows(n.Request(here, "USER#user_456", "USER#user_4567")), "%s: %s", method, n)
			assert.False(t, document.Allows(n.Request(here)), "%s: %s", method, n)
		}
	}

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
