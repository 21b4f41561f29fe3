package users_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

func setting(values ...string) func(*users.Preferences) error {
	return func(p *users.Preferences) error {
		for i := 0; i < len(values); i += 2 {
			p.Values[values[i]] = values[i+1]
		}
		return nil
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	none, err := repo.Preferences(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, &users.Preferences{UserID: "user_1", Values: map[string]string{}}, none)

	stop := db.Faults.Record()
	got, err := repo.UpdatePreferences(t.Context(), "user_1", func(p *users.Preferences) error {
		require.NotNil(t, p.Values)
		assert.Empty(t, p.Values)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, &users.Preferences{UserID: "user_1", Values: map[string]string{}}, got)
	assert.Len(t, stop(), 1, "nothing to create")

	got, err = repo.UpdatePreferences(t.Context(), "user_1", setting("theme", "dark", "mail.weekly", "no"), dynastay.IfVersion(0))
	require.NoError(t, err)
	want := &users.Preferences{
		UserID: "user_1", Values: map[string]string{"theme": "dark", "mail.weekly": "no"}, CreatedAt: start, UpdatedAt: start, Version: 1,
	}
	assert.Equal(t, want, got)
	stored, err := repo.Preferences(t.Context(), "user_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, want, stored)
	item := partition(t, db, "USER#user_1")[0]
	delete(item, "WriteId")
	assert.Equal(t, map[string]any{
		"PK": "USER#user_1", "SK": "PREFERENCE", "EntityType": "Preferences", "UserId": "user_1", "Version": 1.0,
		"Values":    map[string]any{"theme": "dark", "mail.weekly": "no"},
		"CreatedAt": "2026-06-01T12:00:00.007Z", "UpdatedAt": "2026-06-01T12:00:00.007Z",
	}, item)

	db.Clock.Advance(time.Hour)
	got, err = repo.UpdatePreferences(t.Context(), "user_1", func(p *users.Preferences) error {
		delete(p.Values, "mail.weekly")
		p.Values["theme"] = "light"
		return nil
	}, dynastay.IfVersion(1))
	require.NoError(t, err)
	want.Values, want.UpdatedAt, want.Version = map[string]string{"theme": "light"}, start.Add(time.Hour), 2
	assert.Equal(t, want, got)

	got, err = repo.UpdatePreferences(t.Context(), "user_1", func(p *users.Preferences) error {
		clear(p.Values)
		return nil
	})
	require.NoError(t, err)
	want.Values, want.Version = map[string]string{}, 3
	assert.Equal(t, want, got)
	stored, err = repo.Preferences(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, want, stored)
	for _, value := range []string{"b", "", "c"} { // an empty value is one
		_, err = repo.UpdatePreferences(t.Context(), "user_1", setting("a", value))
		require.NoError(t, err)
		stored, err = repo.Preferences(t.Context(), "user_1")
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"a": value}, stored.Values)
	}
}

func TestPreferencesRefuses(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	many := make([]string, 0, 202)
	for i := range 101 {
		many = append(many, fmt.Sprint("name ", i), "x")
	}
	for _, exists := range []bool{false, true} {
		if exists {
			_, err := repo.UpdatePreferences(t.Context(), "user_1", setting("theme", "dark"))
			require.NoError(t, err)
		}
		for _, bad := range []struct {
			field  string
			values []string
		}{
			{"Values", []string{"", "x"}}, {"Values", []string{strings.Repeat("a", 129), "x"}}, {"Values", []string{"\xff", "x"}},
			{"Values", many}, {"Values.x", []string{"x", strings.Repeat("a", 2049)}}, {"Values.x", []string{"x", "\xff"}},
		} {
			_, err := repo.UpdatePreferences(t.Context(), "user_1", setting(bad.values...))
			blame.Of(t, err, dynastay.ErrInvalid, bad.field)
		}
		own := errors.New("own")
		_, err := repo.UpdatePreferences(t.Context(), "user_1", func(*users.Preferences) error { return own })
		assert.ErrorIs(t, err, own)
		_, err = repo.UpdatePreferences(t.Context(), "user_1", func(*users.Preferences) error { return dynastay.ErrNotFound })
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		_, err = repo.UpdatePreferences(t.Context(), "user_1", func(p *users.Preferences) error {
			p.UserID = "user_2"
			return nil
		})
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		_, err = repo.UpdatePreferences(t.Context(), "user_1", setting("a", "b"), dynastay.IfVersion(2))
		assert.ErrorIs(t, err, dynastay.ErrVersion)
		_, err = repo.UpdatePreferences(t.Context(), "user_1", setting("a", "b"), dynastay.IfWritten("AAAAAAAAAAAAAAAA"))
		assert.ErrorIs(t, err, dynastay.ErrVersion)
	}
	assert.Empty(t, partition(t, db, "USER#user_2"))
	stored, err := repo.Preferences(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"theme": "dark"}, stored.Values)

	stop := db.Faults.Record()
	_, err = repo.UpdatePreferences(t.Context(), "", setting("a", "b"))
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.Preferences(t.Context(), "a#b")
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.UpdatePreferences(t.Context(), "user_1", setting("a", "b"), dynastay.OrMissing())
	blame.Of(t, err, dynastay.ErrInvalid, "OrMissing")
	assert.Empty(t, stop())
}

// The largest preferences fit into one item, and so does their replacement by others into one expression.
func TestLargestPreferences(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	for _, letter := range []string{"a", "b"} {
		_, err := repo.UpdatePreferences(t.Context(), "user_1", func(p *users.Preferences) error {
			clear(p.Values)
			for i := range users.MaxPreferences {
				p.Values[fmt.Sprintf("%03d%s", i, strings.Repeat(letter, users.MaxPreferenceName-3))] = strings.Repeat("é", 1024)
			}
			return nil
		})
		require.NoError(t, err)
	}
	got, err := repo.Preferences(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Len(t, got.Values, users.MaxPreferences)
}

func TestPreferencesOnce(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	for range 2 {
		op := repo.UpdatePreferencesOp("user_1", setting(), dynastay.AgreedOn("nothing"))
		require.NoError(t, db.Write(t.Context(), op, dynastay.IdempotencyKey("k1")))
		assert.Equal(t, &users.Preferences{UserID: "user_1", Values: map[string]string{}}, op.Result())
	}
	for range 2 {
		op := repo.UpdatePreferencesOp("user_1", setting("theme", "dark"), dynastay.AgreedOn("dark"))
		require.NoError(t, db.Write(t.Context(), op, dynastay.IdempotencyKey("k2")))
		assert.Equal(t, 1, op.Result().Version)
	}
}

// Two values that are set at the same time are both kept, also if they are the first ones.
func TestNoPreferenceIsLost(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	set := func(userID, name string) racing.Call {
		return func(ctx context.Context, db *dynastay.DB) error {
			_, err := users.New(db, nil).UpdatePreferences(ctx, userID, setting(name, "x"))
			return err
		}
	}
	for i, way := range racing.Ways {
		for _, before := range [][]string{nil, {"c", "x"}} {
			id := fmt.Sprint("user_", i, len(before))
			_, err := repo.UpdatePreferences(t.Context(), id, setting(before...))
			require.NoError(t, err)
			first, second := way.Meet(t, db, set(id, "a"), set(id, "b"))
			if before == nil && way.Unknown { // the lost request may still put the first ones, if it finds none
				require.ErrorIs(t, first, dynastay.ErrOutcomeUnknown, way.Name)
				first = set(id, "a")(t.Context(), db.Direct)
			}
			require.NoError(t, first, way.Name)
			require.NoError(t, second, way.Name)
			got, err := repo.Preferences(t.Context(), id, dynastay.Consistent)
			require.NoError(t, err)
			assert.Len(t, got.Values, 2+len(before)/2, way.Name)
			assert.Equal(t, 2+len(before)/2, got.Version, way.Name)
		}
	}
}

// What other software stored as preferences is kept; what cannot be used is reported as such.
func TestForeignPreferences(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	item := keys.UsersTable.Key.Of(dynastay.Key{PK: "USER#user_1", SK: "PREFERENCE"})
	item["Beds"] = dynastay.Text("twin")
	item["UserId"] = dynastay.Text("user_1")
	put(t, db, item)
	got, err := repo.UpdatePreferences(t.Context(), "user_1", setting("theme", "dark"))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"theme": "dark"}, got.Values)
	assert.Equal(t, "twin", partition(t, db, "USER#user_1")[0]["Beds"])
	for name, v := range map[string]types.AttributeValue{
		"Values": dynastay.Text("twin"), "UserId": dynastay.Text("user_2"),
		"Values of numbers": &types.AttributeValueMemberM{Value: dynastay.Item{"beds": dynastay.Number(2)}},
	} {
		name, _, _ = strings.Cut(name, " ")
		item["UserId"] = dynastay.Text("user_1")
		item[name] = v
		put(t, db, item)
		_, err = repo.UpdatePreferences(t.Context(), "user_1", setting("theme", "light"))
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid)
		delete(item, "Values")
	}
}
