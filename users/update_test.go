package users_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

func editing(edit func(*users.User)) func(*users.User) error {
	return func(u *users.User) error {
		edit(u)
		return nil
	}
}

// clocked returns a DB with a clock, and its repository.
func clocked(t *testing.T, opts ...dyntest.Option) (*dyntest.DB, *users.Repository) {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{userTables, dyntest.At(start), dyntest.With(dynastay.Options{IndexLag: time.Millisecond})}, opts...)...)
	return db, users.New(db.DB, nil)
}

var start = time.Date(2026, 6, 1, 12, 0, 0, int(7*time.Millisecond), time.UTC)

func TestUpdate(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	made, err := repo.Create(t.Context(), john(func(u *users.User) { u.PhoneVerified = true }))
	require.NoError(t, err)
	db.Clock.Advance(time.Hour)
	got, err := repo.Update(t.Context(), made.ID, editing(func(u *users.User) {
		u.Email, u.FirstName, u.Country = " Jane.Doe@Example.com", "Jane", ""
	}))
	require.NoError(t, err)
	want := *made
	want.Email, want.EmailVerified, want.FirstName, want.Country = "jane.doe@example.com", false, "Jane", ""
	want.UpdatedAt, want.Version = made.UpdatedAt.Add(time.Hour), 2
	assert.Equal(t, &want, got)
	stored, err := repo.Get(t.Context(), made.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, &want, stored)

	assert.Empty(t, partition(t, db, "EMAIL#john.doe@example.com"))
	assert.Len(t, partition(t, db, "EMAIL#jane.doe@example.com"), 1)
	found, err := repo.ByEmail(t.Context(), "jane.doe@example.com", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made.ID, found.ID)
	profile := partition(t, db, "USER#"+made.ID)[0]
	assert.Equal(t, "EMAIL#jane.doe@example.com", profile["GSI1PK"])

	// The address that was given up is free, and the new one is not.
	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.ID = "user_2" }))
	require.NoError(t, err)
	_, err = repo.Update(t.Context(), "user_2", editing(func(u *users.User) { u.Email = "JANE.DOE@example.com" }))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Email")
}

func TestUpdateOfNothing(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	stop := db.Faults.Record()
	got, err := repo.Update(t.Context(), made.ID, editing(func(u *users.User) { u.Email = " JOHN.DOE@example.com " }))
	require.NoError(t, err)
	assert.Equal(t, made, got)
	assert.Len(t, stop(), 1, "the read alone")
}

// A flag falls with its value, if it is another one and not only another spelling, whatever the function sets it to.
func TestVerificationFallsWithItsValue(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	for name, test := range map[string]struct {
		edit         func(*users.User)
		email, phone bool
	}{
		"name":                    {func(u *users.User) { u.LastName = "Roe" }, true, true},
		"address":                 {func(u *users.User) { u.Email = "other-" + u.Email }, false, true},
		"address and flag":        {func(u *users.User) { u.Email, u.EmailVerified = "other-"+u.Email, true }, false, true},
		"spelling of the address": {func(u *users.User) { u.Email, u.LastName = strings.ToUpper(u.Email), "Roe" }, true, true},
		"number":                  {func(u *users.User) { u.Phone = "+1-555-123-4568" }, true, false},
		"number and flag":         {func(u *users.User) { u.Phone, u.PhoneVerified = "+1-555-123-4568", true }, true, false},
		"no number":               {func(u *users.User) { u.Phone = "" }, true, false},
		"spelling of the number":  {func(u *users.User) { u.Phone = "+1 5551234567" }, true, true},
		"flags":                   {func(u *users.User) { u.EmailVerified, u.PhoneVerified = false, false }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := repo.Create(t.Context(), john(func(u *users.User) {
				u.ID, u.Email, u.EmailVerified, u.PhoneVerified = "", strings.ReplaceAll(name, " ", "-")+"@example.com", true, true
			}))
			require.NoError(t, err)
			got, err := repo.Update(t.Context(), made.ID, editing(test.edit))
			require.NoError(t, err)
			assert.Equal(t, test.email, got.EmailVerified, "e-mail")
			assert.Equal(t, test.phone, got.PhoneVerified, "phone")
			assert.Equal(t, 2, got.Version)
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	for field, edit := range map[string]func(*users.User){
		"ID":                func(u *users.User) { u.ID = "user_2" },
		"Email":             func(u *users.User) { u.Email = "john.doe" },
		"FirstName":         func(u *users.User) { u.FirstName = "" },
		"Phone":             func(u *users.User) { u.Phone = "555" },
		"PreferredCurrency": func(u *users.User) { u.PreferredCurrency = "$" },
		"CreatedAt":         func(u *users.User) { u.CreatedAt = time.Time{} },
		"UpdatedAt":         func(u *users.User) { u.UpdatedAt = time.Time{} },
		"LastLoginAt":       func(u *users.User) { u.LastLoginAt = time.Time{} },
		"Version":           func(u *users.User) { u.Version++ },
	} {
		_, err := repo.Update(t.Context(), made.ID, editing(edit))
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	own := errors.New("own")
	_, err = repo.Update(t.Context(), made.ID, func(*users.User) error { return own })
	assert.ErrorIs(t, err, own)
	_, err = repo.Update(t.Context(), made.ID, editing(func(u *users.User) { u.FirstName = "Jane" }), dynastay.IfVersion(2))
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = repo.Update(t.Context(), "user_2", editing(func(*users.User) {}))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)

	stop := db.Faults.Record()
	_, err = repo.Update(t.Context(), "", editing(func(*users.User) {}))
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.Update(t.Context(), made.ID, editing(func(*users.User) {}), dynastay.OrMissing())
	blame.Of(t, err, dynastay.ErrInvalid, "OrMissing")
	assert.Empty(t, stop())
}

func TestUpdateOnce(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	_, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	for range 2 {
		op := repo.UpdateOp("user_456", editing(func(u *users.User) { u.FirstName += "y" }), dynastay.AgreedOn("y"))
		require.NoError(t, db.Write(t.Context(), op, dynastay.IdempotencyKey("k")))
		assert.Equal(t, "Johny", op.Result().FirstName)
		assert.Equal(t, 2, op.Result().Version)
	}
}

// The first update of a user of other software claims the address and gives the keys their form.
func TestUpdateAdopts(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	item := raw.Document(t, "testdata/profile.json")
	item["Email"] = dynastay.Text("John.Doe@example.com")
	item["Vip"] = dynastay.Text("yes")
	put(t, db, item)
	got, err := repo.Update(t.Context(), "user_456", editing(func(u *users.User) { u.Country = "Canada" }))
	require.NoError(t, err)
	assert.Equal(t, "John.Doe@example.com", got.Email)
	assert.True(t, got.EmailVerified)
	assert.Equal(t, 1, got.Version)
	assert.Equal(t, "yes", partition(t, db, "USER#user_456")[0]["Vip"])
	assert.Len(t, partition(t, db, "EMAIL#john.doe@example.com"), 1)
	assert.Len(t, partition(t, db, "CONFIG#email"), 1)

	// Without the form of the keys, which another secret determines, nothing is changed.
	_, err = users.New(db.DB, hashed).Update(t.Context(), "user_456", editing(func(u *users.User) { u.Country = "Cuba" }))
	assert.ErrorIs(t, err, users.ErrEmailSecret)
	delete(item, "UserId")
	put(t, db, item)
	_, err = repo.Update(t.Context(), "user_456", editing(func(u *users.User) { u.Country = "Cuba" }))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
}

func TestVerify(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	made, err := repo.Create(t.Context(), john(func(u *users.User) { u.EmailVerified = false }))
	require.NoError(t, err)
	got, err := repo.VerifyEmail(t.Context(), made.ID, "JOHN.doe@example.com")
	require.NoError(t, err)
	want := *made
	want.EmailVerified, want.Version = true, 2
	assert.Equal(t, &want, got)
	got, err = repo.VerifyPhone(t.Context(), made.ID, "+1555 1234567")
	require.NoError(t, err)
	want.PhoneVerified, want.Version = true, 3
	assert.Equal(t, &want, got)

	stop := db.Faults.Record()
	got, err = repo.VerifyEmail(t.Context(), made.ID, "john.doe@example.com")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	assert.Len(t, stop(), 1, "it is verified already")

	_, err = repo.VerifyEmail(t.Context(), made.ID, "jane.doe@example.com")
	blame.Of(t, err, dynastay.ErrVersion, "Email")
	assert.NotContains(t, err.Error(), "jane")
	_, err = repo.VerifyPhone(t.Context(), made.ID, "+15551234568")
	blame.Of(t, err, dynastay.ErrVersion, "Phone")
	_, err = repo.VerifyEmail(t.Context(), "user_2", "jane.doe@example.com")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)

	stop = db.Faults.Record()
	_, err = repo.VerifyEmail(t.Context(), "", "john.doe@example.com")
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.VerifyEmail(t.Context(), made.ID, "john")
	blame.Of(t, err, dynastay.ErrInvalid, "Email")
	_, err = repo.VerifyPhone(t.Context(), "", "+15551234567")
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.VerifyPhone(t.Context(), made.ID, "")
	blame.Of(t, err, dynastay.ErrInvalid, "Phone")
	_, err = repo.VerifyPhone(t.Context(), made.ID, "5551234567")
	blame.Of(t, err, dynastay.ErrInvalid, "Phone")
	assert.Empty(t, stop())
}

func TestVerifyOnce(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	_, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	key := dynastay.IdempotencyKey("k")
	for _, number := range []string{"+1-555-123-4567", "+15551234567"} {
		got, err := repo.VerifyPhone(t.Context(), "user_456", number, key)
		require.NoError(t, err)
		assert.True(t, got.PhoneVerified)
		assert.Equal(t, 2, got.Version)
	}
	_, err = repo.VerifyPhone(t.Context(), "user_456", "+15551234568", key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

// An address that other software stored in a form which this package would refuse can be verified as it is stored, but
// not otherwise.
func TestAddressWithoutANormalForm(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	item := raw.Document(t, "testdata/profile.json")
	item["Email"] = dynastay.Text("john")
	put(t, db, item)
	_, err := repo.VerifyEmail(t.Context(), "user_456", "john@example.com")
	blame.Of(t, err, dynastay.ErrVersion, "Email")
	got, err := repo.Update(t.Context(), "user_456", editing(func(u *users.User) { u.Email = "john@example.com" }))
	require.NoError(t, err)
	assert.False(t, got.EmailVerified)
}

func TestRecordLogin(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	login := func(want time.Time) {
		t.Helper()
		stop := db.Faults.Record()
		require.NoError(t, repo.RecordLogin(t.Context(), made.ID))
		assert.Len(t, stop(), 1)
		expected := *made
		expected.LastLoginAt = want
		got, err := repo.Get(t.Context(), made.ID)
		require.NoError(t, err)
		assert.Equal(t, &expected, got)
	}
	second := start.Truncate(time.Second)
	login(second)
	assert.Equal(t, "2026-06-01T12:00:00Z", partition(t, db, "USER#user_456")[0]["LastLoginAt"])
	db.Clock.Advance(900 * time.Millisecond)
	login(second)
	db.Clock.Advance(100 * time.Millisecond)
	login(second.Add(time.Second))
	db.Clock.Set(start)
	login(second.Add(time.Second))

	item := raw.Document(t, "testdata/profile.json")
	for _, test := range []struct {
		stored types.AttributeValue
		want   string
	}{
		{nil, "2026-06-01T12:00:00Z"},
		{dynastay.NullValue().Stored(), "2026-06-01T12:00:00Z"},
		{dynastay.Text("2026-06-01T11:59:59.999Z"), "2026-06-01T12:00:00Z"},
		{dynastay.Text("2026-06-01T12:00:00.999Z"), "2026-06-01T12:00:00.999Z"},
		{dynastay.Text("2026-06-01T12:00:01Z"), "2026-06-01T12:00:01Z"},
	} {
		delete(item, "LastLoginAt")
		if test.stored != nil {
			item["LastLoginAt"] = test.stored
		}
		put(t, db, item)
		require.NoError(t, repo.RecordLogin(t.Context(), made.ID))
		assert.Equal(t, test.want, partition(t, db, "USER#user_456")[0]["LastLoginAt"])
	}

	err = repo.RecordLogin(t.Context(), "user_2")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Empty(t, partition(t, db, "USER#user_2"))
	stop := db.Faults.Record()
	blame.Of(t, repo.RecordLogin(t.Context(), ""), dynastay.ErrInvalid, "UserID")
	assert.Empty(t, stop())
	for range 2 {
		require.NoError(t, repo.RecordLogin(t.Context(), made.ID, dynastay.IdempotencyKey("k")))
	}
}

// A login does not disturb an update, and is not lost by it.
func TestLoginDuringAnUpdate(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	runs := 0
	got, err := repo.Update(t.Context(), made.ID, func(u *users.User) error {
		runs++
		u.FirstName = "Jane"
		return users.New(db.Direct, nil).RecordLogin(t.Context(), made.ID)
	})
	require.NoError(t, err)
	assert.Equal(t, 1, runs)
	stored, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	want := *got
	want.LastLoginAt = start.Truncate(time.Second)
	assert.Equal(t, &want, stored)
}

// Any two fields of a user, changed by the repository: neither change is lost, and the address's row and guard reflect
// both. The addresses are in their normal form.
func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	racing.Attributes[users.User]{
		Entity: users.UserEntity,
		Make: func(t *testing.T, db *dynastay.DB, draw *rand.Rand) *users.User {
			id := db.NewID("user_")
			made, err := users.New(db, nil).Create(t.Context(), john(func(u *users.User) {
				u.ID, u.Email, u.EmailVerified = id, addressesOf(id)[0], false
			}))
			require.NoError(t, err)
			return made
		},
		Values: func(u *users.User) map[string][]any {
			addresses := addressesOf(u.ID)
			return map[string][]any{
				"Email": {strings.ToLower(addresses[1]), strings.ToLower(addresses[2])}, "Phone": {"", "+371 20 000 000"},
				"PreferredCurrency": {"", "EUR"}, "EmailVerified": {}, "PhoneVerified": {},
			}
		},
		Kept: []string{"ID", "CreatedAt", "UpdatedAt", "LastLoginAt", "Version"},
		Update: func(ctx context.Context, db *dynastay.DB, u *users.User, fn func(*users.User) error) error {
			_, err := users.New(db, nil).Update(ctx, u.ID, fn)
			return err
		},
		Check: func(t *testing.T, db *dyntest.DB, u *users.User) { checkDerived(t, db, u.ID, u.Email) },
	}.Run(t)
}

// A user who verifies an address while it is changed never ends with a flag for the other address.
func TestVerifyDuringAChange(t *testing.T) {
	t.Parallel()
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		for _, way := range racing.Ways {
			u := drawn(t, db.Direct, draw)
			address := func(n int) string { return addressesOf(u.ID)[n] }
			verify := func(ctx context.Context, db *dynastay.DB) error {
				_, err := users.New(db, nil).VerifyEmail(ctx, u.ID, address(0))
				return err
			}
			change := func(ctx context.Context, db *dynastay.DB) error {
				_, err := users.New(db, nil).Update(ctx, u.ID, editing(func(u *users.User) { u.Email = address(1) }))
				return err
			}
			_, err := users.New(db.Direct, nil).Update(t.Context(), u.ID, editing(func(u *users.User) { u.EmailVerified = false }))
			require.NoError(t, err)
			verified, changed := way.Meet(t, db, verify, change)
			require.NoError(t, changed, way.Name)
			if verified != nil {
				blame.Of(t, verified, dynastay.ErrVersion, "Email")
			}
			now, err := users.New(db.Direct, nil).Get(t.Context(), u.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, strings.ToLower(address(1)), now.Email, way.Name)
			assert.False(t, now.EmailVerified, way.Name)
		}
	}, dyntest.OnlyTables(keys.UsersTable))
}

// The old address stays valid until the new one is confirmed; a confirmation of a change that was replaced by another
// one is refused.
func TestReplaceEmail(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	ctx := t.Context()
	_, err := repo.Create(ctx, john(func(u *users.User) { u.EmailVerified = false }))
	require.NoError(t, err)
	_, err = repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = "user_2", "taken@example.com" }))
	require.NoError(t, err)
	for range 2 { // a link that is opened twice
		got, err := repo.ReplaceEmail(ctx, "user_456", "John.Doe@example.com", " New@Example.com")
		require.NoError(t, err)
		assert.Equal(t, "new@example.com", got.Email)
		assert.True(t, got.EmailVerified)
		assert.Equal(t, 2, got.Version)
	}
	_, err = repo.ReplaceEmail(ctx, "user_456", "john.doe@example.com", "other@example.com")
	blame.Of(t, err, dynastay.ErrVersion, "Email")
	_, err = repo.ReplaceEmail(ctx, "user_456", "new@example.com", "taken@example.com")
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Email")
	_, err = repo.ReplaceEmail(ctx, "user_456", "new", "other@example.com")
	blame.Of(t, err, dynastay.ErrInvalid, "From")
	_, err = repo.ReplaceEmail(ctx, "user_456", "new@example.com", "other")
	blame.Of(t, err, dynastay.ErrInvalid, "To")
	_, err = repo.ByEmail(ctx, "john.doe@example.com", dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	found, err := repo.ByEmail(ctx, "new@example.com", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "user_456", found.ID)
}
