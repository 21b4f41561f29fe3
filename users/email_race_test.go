package users_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// Two users can swap their addresses with the help of a third one, but not directly, and not in one write.
func TestSwapOfAddresses(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	for _, id := range []string{"a", "b"} {
		_, err := repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = id, id+"@example.com" }))
		require.NoError(t, err)
	}
	to := func(address string) func(*users.User) error {
		return editing(func(u *users.User) { u.Email = address + "@example.com" })
	}
	err := db.Write(t.Context(), repo.UpdateOp("a", to("b")), repo.UpdateOp("b", to("a")))
	blame.Of(t, err, dynastay.ErrInvalid, "Operations")
	_, err = repo.Update(t.Context(), "a", to("b"))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Email")
	for _, move := range [][2]string{{"a", "c"}, {"b", "a"}, {"a", "b"}} {
		_, err := repo.Update(t.Context(), move[0], to(move[1]))
		require.NoError(t, err)
	}
	for id, address := range map[string]string{"a": "b", "b": "a"} {
		found, err := repo.ByEmail(t.Context(), address+"@example.com", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, id, found.ID)
	}
	assert.Empty(t, partition(t, db, "EMAIL#c@example.com"))
}

// owners is one look at all users and addresses of a race, at one moment.
type owners struct {
	t         *testing.T
	db        *dyntest.DB
	ids       []string
	addresses []string
}

func (o owners) get(keys []dynastay.Key, s *dynastay.Schema) []dynastay.Row {
	in := &dynamodb.TransactGetItemsInput{}
	for _, key := range keys {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{
			Get: &types.Get{TableName: aws.String(o.db.TableName(s)), Key: s.Key.Of(key)},
		})
	}
	out, err := o.db.Engine.Client().TransactGetItems(o.t.Context(), in)
	require.NoError(o.t, err)
	rows := make([]dynastay.Row, len(keys))
	for i, r := range out.Responses {
		rows[i] = dynastay.RowOf(r.Item)
	}
	return rows
}

// check checks that each user's address has a guard of that user, and that there are no other guards.
func (o owners) check() {
	var all []dynastay.Key
	for _, id := range o.ids {
		all = append(all, keyOf(id))
	}
	for _, address := range o.addresses {
		all = append(all, dynastay.Key{PK: "EMAIL#" + address, SK: "GUARD"})
	}
	rows := o.get(all, keys.UsersTable)
	want, got := map[string]string{}, map[string]string{}
	for i, id := range o.ids {
		if rows[i].Exists() {
			address := rows[i].Text("Email")
			assert.Empty(o.t, want[address], "%s is the address of two users", address)
			want[address] = id
		}
	}
	for i, address := range o.addresses {
		if guard := rows[len(o.ids)+i]; guard.Exists() {
			got[address] = guard.Text("UserId")
		}
	}
	assert.Equal(o.t, want, got)
}

// Users are created, and change their addresses, in two processes at once: at any moment an address has one owner, and
// whoever was told to have an address has it.
func TestEveryAddressHasOneOwner(t *testing.T) {
	t.Parallel()
	const workers, steps = 8, 30
	db := dyntest.New(t, userTables)
	db.Faults.Conflicts(0)
	o := owners{t: t, db: db}
	for i := range 6 {
		o.ids = append(o.ids, fmt.Sprint("user_", i))
		o.addresses = append(o.addresses, fmt.Sprintf("%d@example.com", i))
	}
	o.addresses = append(o.addresses, "6@example.com", "7@example.com")
	patient := &dynastay.Options{Retry: dynastay.Retry{Attempts: 500}}
	processes := []*users.Repository{users.New(db.Open(patient), nil), users.New(db.Open(patient), nil)}

	var wg sync.WaitGroup
	var mu sync.Mutex
	moves, taken := map[string]int{}, 0
	for w := range workers {
		repo, draw := processes[w%2], rand.New(rand.NewPCG(rand.Uint64(), uint64(w)))
		wg.Go(func() {
			for range steps {
				id, address := racing.One(draw, o.ids...), racing.One(draw, o.addresses...)
				spelled := racing.One(draw, address, strings.ToUpper(address), " "+address)
				got, err := repo.Update(context.Background(), id, editing(func(u *users.User) { u.Email = spelled }))
				if errors.Is(err, dynastay.ErrNotFound) {
					got, err = repo.Create(context.Background(), john(func(u *users.User) { u.ID, u.Email = id, spelled }))
				}
				mu.Lock()
				switch {
				case err == nil:
					assert.Equal(t, address, got.Email)
					moves[id] = max(moves[id], got.Version)
				case assert.ErrorIs(t, err, dynastay.ErrAlreadyExists):
					taken++
				}
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		default:
		}
		o.check()
	}
	assert.NotZero(t, taken)
	assert.Len(t, moves, len(o.ids))
	for id, version := range moves {
		u, err := processes[0].Get(t.Context(), id, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, version, u.Version, "the last write was acknowledged")
	}
}

func TestRaceForAnEmail(t *testing.T) {
	t.Parallel()
	const n = 16
	db := dyntest.New(t, userTables)
	db.Faults.Conflicts(time.Millisecond)
	repo := users.New(db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 500}}), nil)
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		winners []*users.User
	)
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			email := "john.doe@example.com"
			if i%2 == 0 {
				email = strings.ToUpper(email)
			}
			made, err := repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = fmt.Sprintf("user_%d", i), email }))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners = append(winners, made)
				return
			}
			var failure *dynastay.Error
			assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
			if assert.ErrorAs(t, err, &failure) {
				assert.Equal(t, "Email", failure.Field)
			}
		})
	}
	close(start)
	wg.Wait()

	require.Len(t, winners, 1)
	got, err := repo.ByEmail(t.Context(), "john.doe@example.com")
	require.NoError(t, err)
	assert.Equal(t, winners[0], got)
	for i := range n {
		id := fmt.Sprintf("user_%d", i)
		if id != got.ID {
			assert.Empty(t, partition(t, db, "USER#"+id), "nothing is half-written")
		}
	}
	assert.Equal(t, got.ID, partition(t, db, "EMAIL#john.doe@example.com")[0]["UserId"])
}
