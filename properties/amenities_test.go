package properties_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/properties"
)

// numbered returns n amenities.
func numbered(prefix string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(prefix, i))
	}
	return all
}

func TestAmenities(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][]func(*properties.Property){"approved": nil, "pending": {pending}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
			repo := properties.New(db.DB, nil)
			before := create(t, repo, grand("p1", edits...)).Property
			type call = func(context.Context, string, []string, ...dynastay.WriteOption) (*properties.Property, error)
			for i, step := range []struct {
				call  call
				given string
				want  string
			}{
				{repo.AddAmenities, "spa bar", "wifi pool gym spa bar"},
				{repo.AddAmenities, "sauna gym wifi", "wifi pool gym spa bar sauna"},
				{repo.AddAmenities, "gym wifi", "wifi pool gym spa bar sauna"},
				{repo.RemoveAmenities, "wifi bar none", "pool gym spa sauna"},
				{repo.RemoveAmenities, "none", "pool gym spa sauna"},
				{repo.SetAmenities, "gym pool", "gym pool"},
				{repo.SetAmenities, "gym pool", "gym pool"},
				{repo.SetAmenities, "bar gym pets", "bar gym pets"},
				{repo.RemoveAmenities, "pets bar gym", ""},
				{repo.AddAmenities, "wifi", "wifi"},
				{repo.SetAmenities, "", ""},
				{repo.SetAmenities, "wifi gym", "wifi gym"},
			} {
				db.Clock.Advance(time.Minute)
				got, err := step.call(t.Context(), "p1", strings.Fields(step.given))
				require.NoError(t, err, i)
				assert.Equal(t, step.want, strings.Join(got.AmenityIDs, " "), i)
				after := get(t, repo, "p1")
				assert.Equal(t, after, got, i)
				assertSameVersion(t, &before, after)
				checkDerived(t, db, "p1")
				require.False(t, t.Failed(), i)
			}
			sent := writes(db)
			for _, call := range []call{repo.AddAmenities, repo.SetAmenities} {
				_, err := call(t.Context(), "p1", []string{"wifi", "gym"})
				require.NoError(t, err)
			}
			assert.Equal(t, sent, writes(db), "nothing changed")
			if name == "pending" {
				_, err := repo.Approve(t.Context(), "p1")
				require.NoError(t, err)
				checkDerived(t, db, "p1")
			}
		})
	}
}

// The caller's lists are not changed and not read again.
func TestAmenitiesAreCopied(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	given := []string{"spa", "bar"}
	op := repo.SetAmenitiesOp("p1", given...)
	given[0] = "?"
	require.NoError(t, db.Write(t.Context(), op))
	assert.Equal(t, []string{"spa", "bar"}, get(t, repo, "p1").AmenityIDs)
	op.Result().AmenityIDs[0] = "?"
	again := repo.SetAmenitiesOp("p1", "spa", "bar", "gym")
	require.NoError(t, db.Write(t.Context(), again))
	assert.Equal(t, []string{"spa", "bar", "gym"}, again.Result().AmenityIDs)
	checkDerived(t, db, "p1")
}

func TestAmenitiesRefuse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	type call = func(context.Context, string, []string, ...dynastay.WriteOption) (*properties.Property, error)
	calls := map[string]call{"Add": repo.AddAmenities, "Remove": repo.RemoveAmenities, "Set": repo.SetAmenities}
	stop := db.Faults.Record()
	for name, call := range calls {
		for field, given := range map[string][]string{
			"AmenityIDs[1]": {"wifi", "a#b"}, "AmenityIDs[0]": {""}, "AmenityIDs[2]": {"wifi", "pool", "wifi"}, "AmenityIDs": numbered("a", 91),
		} {
			blame.Of(t, second(call(t.Context(), "p1", given)), dynastay.ErrInvalid, field)
		}
		blame.Of(t, second(call(t.Context(), "a#b", []string{"wifi"})), dynastay.ErrInvalid, "PropertyID")
		if name != "Set" {
			err := second(call(t.Context(), "p1", nil))
			assert.EqualError(t, err, "properties."+name+"Amenities: invalid AmenityIDs: must not be empty")
		}
	}
	assert.Empty(t, stop(), "no request at all")

	before := everything(t, db, "PROPERTY#p1")
	for name, call := range calls {
		assert.ErrorIs(t, second(call(t.Context(), "none", []string{"wifi"})), dynastay.ErrNotFound)
		if name == "Remove" {
			continue
		}
		err := second(call(t.Context(), "p1", numbered("a", 89))) // and two room types
		blame.Of(t, err, dynastay.ErrInvalid, "AmenityIDs")
		assert.ErrorContains(t, err, "must have at most 90 entries, counting all amenities and room types of the property")
		err = second(call(t.Context(), "p1", numbered(strings.Repeat("a", 100), 40)))
		blame.Of(t, err, dynastay.ErrInvalid, "Card")
	}
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1"))

	set(t, db, keyOf("p1"), "SET #Status = :s", dynastay.Item{":s": dynastay.Text("deleting")})
	for _, call := range calls {
		assertNotAllowed(t, second(call(t.Context(), "p1", []string{"wifi"})), properties.Deleting)
	}
}

// A transaction can replace only so many amenities at once.
func TestMostAmenities(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	_, err := repo.SetAmenities(t.Context(), "p1", numbered("a", 88), dynastay.IdempotencyKey("1"))
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	before, sent := everything(t, db, "PROPERTY#p1"), writes(db)
	_, err = repo.SetAmenities(t.Context(), "p1", numbered("b", 11))
	blame.Of(t, err, dynastay.ErrInvalid, "AmenityIDs")
	assert.ErrorContains(t, err, "must differ from the present list in at most 98 amenities")
	assert.Equal(t, sent, writes(db))
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1"))
	_, err = repo.SetAmenities(t.Context(), "p1", numbered("b", 10), dynastay.IdempotencyKey("2"))
	require.NoError(t, err)
	checkDerived(t, db, "p1")
}

func TestAmenitiesWithIdempotencyKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	key := dynastay.IdempotencyKey("k")
	for range 2 {
		got, err := repo.AddAmenities(t.Context(), "p1", []string{"spa"}, key)
		require.NoError(t, err)
		assert.Equal(t, []string{"wifi", "pool", "gym", "spa"}, got.AmenityIDs)
		if _, err = repo.RemoveAmenities(t.Context(), "p1", []string{"spa"}); assert.NoError(t, err) {
			_, err = repo.AddAmenities(t.Context(), "p1", []string{"spa"})
			require.NoError(t, err)
		}
	}
	for _, err := range []error{
		second(repo.AddAmenities(t.Context(), "p1", []string{"spa", "bar"}, key)), second(repo.AddAmenities(t.Context(), "p2", []string{"spa"}, key)),
		second(repo.RemoveAmenities(t.Context(), "p1", []string{"spa"}, key)), second(repo.AddAmenities(t.Context(), "p1", []string{"bar"}, key)),
	} {
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	checkDerived(t, db, "p1")
}

// Of two callers at the same time, neither loses the amenity that it adds or removes.
func TestTwoChangesOfAmenities(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.Direct, nil)
	create(t, repo, grand("p1"))
	added, removed := racing.Between.Meet(t, db, addAmenity("p1", "spa"), func(ctx context.Context, db *dynastay.DB) error {
		return second(properties.New(db, nil).RemoveAmenities(ctx, "p1", []string{"wifi"}))
	})
	require.NoError(t, added)
	require.NoError(t, removed)
	assert.Equal(t, []string{"pool", "gym", "spa"}, get(t, repo, "p1").AmenityIDs)
	checkDerived(t, db, "p1")
}
