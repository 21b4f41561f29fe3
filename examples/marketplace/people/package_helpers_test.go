package people_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// base is the first moment of the clocks in tests. Engines delete items whose time to live has passed, so it is far
// ahead.
var base = time.Date(2037, 1, 21, 12, 0, 0, 0, time.UTC)

// town is a table with a repository.
type town struct {
	*dyntest.DB
	t    testing.TB
	repo *people.Repository
}

func newTown(t testing.TB, opts ...dyntest.Option) *town {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{
		dyntest.OnlyTables(keys.Table), dyntest.At(base), dyntest.With(dynastay.Options{Idempotency: keys.Table}),
	}, opts...)...)
	return &town{db, t, people.New(db.DB, nil)}
}

// estcourt is where users live unless a test moves them.
var estcourt = people.Location{
	Address: "123 Main St", City: "Estcourt", Province: "KZN", Latitude: -29.0089, Longitude: 29.8728,
}

func buyer(id string) people.Profile {
	return people.Profile{ID: id, Role: people.Buyer, Name: "John Doe", Location: estcourt}
}

func worker(id string, skills ...string) people.Profile {
	return people.Profile{
		ID: id, Role: people.Worker, Name: "Mike Builder", Location: estcourt, Work: people.Work{Skills: skills},
	}
}

func seller(id string) people.Profile {
	return people.Profile{ID: id, Role: people.Seller, Location: estcourt, Shop: people.Shop{BusinessName: "Supplies"}}
}

func (n *town) signUp(p people.Profile) *people.Profile {
	n.t.Helper()
	made, err := n.repo.SignUp(n.t.Context(), p)
	require.NoError(n.t, err)
	return made
}

func (n *town) update(id string, fn func(*people.Profile)) *people.Profile {
	n.t.Helper()
	p, err := n.repo.Update(n.t.Context(), id, edit(fn))
	require.NoError(n.t, err)
	return p
}

func edit(fn func(*people.Profile)) func(*people.Profile) error {
	return func(p *people.Profile) error {
		fn(p)
		return nil
	}
}

// profile reads a profile consistently.
func (n *town) profile(id string) *people.Profile {
	n.t.Helper()
	p, err := n.repo.Profile(n.t.Context(), id, dynastay.Consistent)
	require.NoError(n.t, err)
	return p
}

// put stores items as other software does.
func (n *town) put(items ...dynastay.Item) {
	n.t.Helper()
	require.NoError(n.t, n.Direct.PutAll(n.t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range items {
			yield(keys.Table, item)
		}
	}))
}

func (n *town) row(pk, sk string) dynastay.Row {
	n.t.Helper()
	row, err := n.Direct.Get(n.t.Context(), keys.Table, dynastay.Key{PK: pk, SK: sk}, dynastay.Consistent)
	require.NoError(n.t, err)
	return row
}

// raw is the item of a profile, to be changed and put again.
func (n *town) raw(id string) dynastay.Item {
	n.t.Helper()
	row := n.row("USER#"+id, "PROFILE")
	require.True(n.t, row.Exists())
	return maps.Clone(row.Item())
}

// skillItems returns the items of a user's skills by their folded names.
func (n *town) skillItems(id string) map[string]dynastay.Row {
	n.t.Helper()
	rows, err := dynastay.QueryAll(n.t.Context(), n.Direct, keys.Table, dynastay.Query{
		Partition: "USER#" + id, Range: dynastay.Range{Prefix: "SKILL#"}, Consistent: true,
	})
	require.NoError(n.t, err)
	all := map[string]dynastay.Row{}
	for _, row := range rows {
		all[row.Text("SK")[len("SKILL#"):]] = row
	}
	return all
}

func (n *town) skillNames(id string) []string {
	n.t.Helper()
	return slices.Sorted(maps.Keys(n.skillItems(id)))
}

// ids reads a whole list, in pages of a size, and returns the ids of the users in its order.
func (n *town) ids(list dynastay.List[*people.Profile], limit int) (ids []string) {
	n.t.Helper()
	for p := (dynastay.Paging{Limit: limit}); ; {
		page, err := list.Page(n.t.Context(), p)
		require.NoError(n.t, err)
		for _, user := range page.Items {
			ids = append(ids, user.ID)
		}
		if p.After = page.Next; p.After == "" {
			return ids
		}
	}
}

func fieldOf(err error) string {
	var invalid *dynastay.InvalidError
	var failed *dynastay.Error
	switch {
	case errors.As(err, &invalid):
		return invalid.Field
	case errors.As(err, &failed):
		return failed.Field
	}
	return ""
}

// count is an operation that moves counters.
func count(db *dynastay.DB, repo *people.Repository, id string, t people.Tally) *dynastay.Operation[struct{}] {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Count", Input: func(in *dynastay.Input) { in.Field("tally", fmt.Sprint(id, t)) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			row, err := db.Get(ctx, keys.Table, dynastay.Key{PK: "USER#" + id, SK: "PROFILE"}, dynastay.Consistent)
			if err != nil {
				return none, err
			}
			if _, err := repo.Read(id, row); err != nil {
				return none, err
			}
			return none, repo.Count(ctx, tx, row, t)
		},
	})
}

func (n *town) count(id string, t people.Tally) {
	n.t.Helper()
	require.NoError(n.t, n.Write(n.t.Context(), count(n.DB.DB, n.repo, id, t)))
}

var null = &types.AttributeValueMemberNULL{Value: true}

func texts(all ...string) types.AttributeValue {
	list := &types.AttributeValueMemberL{}
	for _, s := range all {
		list.Value = append(list.Value, dynastay.Text(s))
	}
	return list
}
