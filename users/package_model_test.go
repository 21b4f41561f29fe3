package users_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// Users are created, changed, erased and read, operation by operation, by two processes and through the faults of the
// network. Every result, and after every world every stored item, is what a model in memory expects.
func TestModel(t *testing.T) {
	t.Parallel()
	met := model.Compare(t, 300, 2, compareWorlds)
	met.Requires(t, 10_000, expectedOutcomes...)
}

// expectedOutcomes are met in any run of 10,000 operations.
var expectedOutcomes = []string{
	"create: done", "create: exists", "create: exists Email", "create: erased", "create: invalid Email",
	"update: done", "update: not found", "update: exists Email", "update: version", "update: invalid Email",
	"verify e-mail: done", "verify e-mail: version Email", "verify e-mail: not found",
	"verify phone: done", "verify phone: version Phone", "verify phone: not found",
	"login: done", "login: not found", "find: done", "find: not found Email",
	"prefer: done", "prefer: version", "prefer: erased", "prefer: invalid Values",
	"earn: done", "earn: reason used Points", "earn: erased", "redeem: done", "redeem: points", "redeem: reason used Points",
	"reverse: done", "reverse: not found",
	"create wishlist: done", "create wishlist: exists", "create wishlist: erased", "create wishlist: invalid Name",
	"add: done", "add: not found", "remove: done", "remove: not found",
	"rename: done", "rename: not found", "rename: version", "rename: invalid Name",
	"delete: done", "delete: not found", "delete: version", "delete: unknown", "erase: done", "own write: done", "own write: erased", "faults",
}

// compareWorlds compares worlds with the model.
func compareWorlds(t *testing.T, met *model.Tally) func(*rapid.T) int {
	db, _ := clocked(t)
	processes := []*dynastay.DB{db.DB, db.Open(&dynastay.Options{IndexLag: time.Millisecond})}
	worlds := 0
	return func(t *rapid.T) int {
		worlds++
		w := newWorld(t, db, processes, fmt.Sprint("w", worlds), met)
		calls := 20 + model.UpTo(t, 40, "calls")
		for range calls {
			w.step()
		}
		w.verify()
		return calls
	}
}

// world is some users and what the model knows of them.
type world struct {
	*rapid.T
	ctx       context.Context
	db        *dyntest.DB
	repos     []*users.Repository
	processes []*dynastay.DB
	met       *model.Tally
	addresses []string
	users     []*person
}

// person is everything that is stored of a user.
type person struct {
	id          string
	profile     *users.User
	preferences *users.Preferences
	account     *users.Loyalty
	entries     map[string]users.LoyaltyEntry
	wishlists   map[string]*users.Wishlist
	erasedAt    time.Time
}

func newWorld(t *rapid.T, db *dyntest.DB, processes []*dynastay.DB, name string, met *model.Tally) *world {
	w := &world{T: t, ctx: context.Background(), db: db, processes: processes, met: met}
	for _, process := range processes {
		w.repos = append(w.repos, users.New(process, nil))
	}
	for i := range 4 {
		w.addresses = append(w.addresses, fmt.Sprintf("%s-%d@example.com", name, i))
	}
	for i := range 3 {
		w.users = append(w.users, &person{
			id: fmt.Sprint(name, "_", i), entries: map[string]users.LoyaltyEntry{}, wishlists: map[string]*users.Wishlist{},
		})
	}
	return w
}

// draw draws one of the values, each about equally often.
func draw[V any](w *world, label string, values ...V) V { return model.OneOf(w.T, label, values...) }

// chance is true with a probability in percent.
func (w *world) chance(label string, percent int) bool { return model.UpTo(w.T, 99, label) < percent }

// step does one operation, perhaps through a fault.
func (w *world) step() {
	w.db.Clock.Advance(draw(w, "wait", 0, 300*time.Millisecond, time.Hour))
	total := 0
	for _, o := range worldOperations {
		total += o.weight
	}
	n := model.UpTo(w.T, total-1, "operation")
	for _, o := range worldOperations {
		if n -= o.weight; n < 0 {
			i := model.UpTo(w.T, len(w.repos)-1, "process")
			c := &call{world: w, name: o.name, repo: w.repos[i], process: w.processes[i], user: draw(w, "user", w.users...), now: w.db.Now()}
			var stop func()
			stop, c.faulty = w.fault()
			o.do(c)
			stop()
			return
		}
	}
}

// fault lets one request of the next operation fail, in one of three operations.
func (w *world) fault() (stop func(), injected bool) {
	if !w.chance("fault", 33) {
		return func() {}, false
	}
	fault := draw(w, "what", dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Throttle(), dyntest.InternalErrorAfterCommit(), dyntest.Conflict())
	injection := w.db.Faults.Inject(fault, dyntest.When{Nth: draw(w, "nth", 1, 1, 2, 2, 3, 4), Optional: true})
	return func() {
		injection.Stop()
		w.met.Add("faults", injection.Hits())
	}, true
}

// call is one operation.
type call struct {
	*world
	name    string
	repo    *users.Repository
	process *dynastay.DB
	user    *person
	now     time.Time
	faulty  bool
}

// ended compares the outcome of the operation with the expected one, and reports whether it was done. If the response
// to a refusal is lost, the outcome may be unknown.
func (c *call) ended(want string, err error) bool {
	got := outcomeOf(err)
	c.met.Add(c.name+": "+got, 1)
	if got == "unknown" && c.faulty && want != "done" {
		return false
	}
	require.Equal(c.T, want, got, "%s %s: %v", c.name, c.user.id, err)
	return err == nil
}

// outcomeOf returns a short name of an error.
func outcomeOf(err error) string {
	var points *users.PointsError
	var invalid *dynastay.InvalidError
	var failure *dynastay.Error
	field := ""
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &points):
		return "points"
	case errors.As(err, &invalid):
		return "invalid " + invalid.Field
	case errors.As(err, &failure) && failure.Field != "":
		field = " " + failure.Field
	}
	for name, kind := range map[string]error{
		"not found": dynastay.ErrNotFound, "exists": dynastay.ErrAlreadyExists, "version": dynastay.ErrVersion,
		"reason used": users.ErrReasonUsed, "reversed": users.ErrReversed,
		"erased": users.ErrErased, "unknown": dynastay.ErrOutcomeUnknown,
	} {
		if errors.Is(err, kind) {
			return name + field
		}
	}
	return err.Error()
}

// owner returns the user who has an address, or nil.
func (w *world) owner(address string) *person {
	for _, p := range w.users {
		if p.profile != nil && p.profile.Email == address {
			return p
		}
	}
	return nil
}

// verify compares everything that is stored with the model.
func (w *world) verify() {
	repo := w.repos[0]
	for _, p := range w.users {
		inUsers := len(p.entries)
		for _, there := range []bool{p.profile != nil, p.preferences != nil, p.account != nil, !p.erasedAt.IsZero()} {
			if there {
				inUsers++
			}
		}
		require.Len(w.T, w.partition(keys.UsersTable, "USER#"+p.id), inUsers)
		require.Len(w.T, w.partition(keys.MetadataTable, "USER#"+p.id), len(p.wishlists))
		w.comparePerson(repo, p)
	}
	for _, address := range w.addresses {
		guard := w.partition(keys.UsersTable, "EMAIL#"+address)
		if owner := w.owner(address); owner == nil {
			require.Empty(w.T, guard)
		} else {
			require.Len(w.T, guard, 1)
			require.Equal(w.T, owner.id, guard[0].Text("UserId"))
		}
	}
}

func (w *world) partition(s *dynastay.Schema, pk string) []dynastay.Row {
	rows, err := dynastay.QueryAll(w.ctx, w.db.Direct, s, dynastay.Query{Partition: pk, Consistent: true})
	require.NoError(w.T, err)
	return rows
}

// compare compares what a method reads with what the model knows.
func compare[T any](
	w *world, want *T, read func(context.Context, string, ...dynastay.ReadOption) (*T, error), id string,
) {
	got, err := read(w.ctx, id, dynastay.Consistent)
	if want == nil {
		require.ErrorIs(w.T, err, dynastay.ErrNotFound)
		return
	}
	require.NoError(w.T, err)
	require.Equal(w.T, want, got)
}

// comparePerson compares what the methods read of a user with what the model knows.
func (w *world) comparePerson(repo *users.Repository, p *person) {
	compare(w, p.profile, repo.Get, p.id)
	compare(w, cmp.Or(p.preferences, &users.Preferences{UserID: p.id, Values: map[string]string{}}), repo.Preferences, p.id)
	compare(w, cmp.Or(p.account, &users.Loyalty{UserID: p.id, Tier: users.Bronze}), repo.Loyalty, p.id)
	w.compareLists(repo, p)
}

// compareLists compares the lists of a user with what the model knows.
func (w *world) compareLists(repo *users.Repository, p *person) {
	var want, public, got, gotPublic []users.Wishlist
	for _, id := range slices.Sorted(maps.Keys(p.wishlists)) {
		want = append(want, *p.wishlists[id])
		if p.wishlists[id].Public {
			public = append(public, *p.wishlists[id])
		}
	}
	for list, err := range repo.Wishlists(p.id).All(w.ctx) {
		require.NoError(w.T, err)
		got = append(got, *list)
	}
	for list, err := range repo.PublicWishlists(p.id).All(w.ctx) {
		require.NoError(w.T, err)
		gotPublic = append(gotPublic, *list)
	}
	require.Equal(w.T, want, got)
	require.Equal(w.T, public, gotPublic)
	var entries, gotEntries []users.LoyaltyEntry
	for _, reason := range slices.Sorted(maps.Keys(p.entries)) {
		entries = append(entries, p.entries[reason])
	}
	for e, err := range repo.LoyaltyEntries(p.id).All(w.ctx) {
		require.NoError(w.T, err)
		gotEntries = append(gotEntries, *e)
	}
	require.Equal(w.T, entries, gotEntries)
}
