package users_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/users"
)

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	stop := db.Faults.Record()
	for _, bad := range []struct {
		field string
		spoil func(*users.User)
	}{
		{"ID", func(u *users.User) { u.ID = "a#b" }},
		{"ID", func(u *users.User) { u.ID = strings.Repeat("u", 129) }},
		{"Email", func(u *users.User) { u.Email = "" }},
		{"Email", func(u *users.User) { u.Email = "john.doe" }},
		{"Email", func(u *users.User) { u.Email = "john@doe@example.com" }},
		{"Email", func(u *users.User) { u.Email = "john doe@example.com" }},
		{"Email", func(u *users.User) { u.Email = strings.Repeat("j", 256) + "@example.com" }},
		{"Email", func(u *users.User) { u.Email = strings.Repeat("0", 64) }}, // as the hash of an address
		{"FirstName", func(u *users.User) { u.FirstName = " " }},
		{"LastName", func(u *users.User) { u.LastName = "" }},
		{"Role", func(u *users.User) { u.Role = "" }},
		{"Phone", func(u *users.User) { u.Phone = "555-1234" }},
		{"PreferredCurrency", func(u *users.User) { u.PreferredCurrency = "usd" }},
	} {
		_, err := repo.Create(t.Context(), john(bad.spoil))
		if assert.Error(t, err, bad.field) {
			blame.Of(t, err, dynastay.ErrInvalid, bad.field)
		}
	}
	_, err := repo.Get(t.Context(), "")
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.ByEmail(t.Context(), "john.doe")
	blame.Of(t, err, dynastay.ErrInvalid, "Email")
	assert.Empty(t, stop(), "no request at all")
}

// A text at its limit is stored. One byte more is refused before any request, and so is text that is not valid UTF-8.
func TestTextsHaveLimits(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	u := john()
	texts := []struct {
		field string
		most  int
		text  *string
	}{
		{"FirstName", 256, &u.FirstName},
		{"LastName", 256, &u.LastName},
		{"PhotoURL", 2048, &u.PhotoURL},
		{"Role", 256, (*string)(&u.Role)},
		{"Country", 256, &u.Country},
		{"PreferredLanguage", 256, &u.PreferredLanguage},
	}
	for _, test := range texts {
		*test.text = strings.Repeat("é", test.most/2)
	}
	stop := db.Faults.Record()
	for _, test := range texts {
		good := *test.text
		for _, bad := range []string{strings.Repeat("a", test.most+1), "\xff"} {
			*test.text = bad
			_, err := repo.Create(t.Context(), u)
			blame.Of(t, err, dynastay.ErrInvalid, test.field)
		}
		*test.text = good
	}
	assert.Empty(t, stop(), "no request at all")
	made, err := repo.Create(t.Context(), u)
	require.NoError(t, err)
	got, err := repo.Get(t.Context(), u.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}
