package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func TestGetAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	one, err := repo.Create(ctx, grand("p1"), []properties.RoomType{king("r1", "100.00")})
	require.NoError(t, err)
	two, err := repo.Create(ctx, grand("p2", pending), nil)
	require.NoError(t, err)

	got, err := repo.GetAll(ctx, []string{"p2", "missing", "p1", "p2"})
	require.NoError(t, err)
	assert.Equal(t, []*properties.Property{&two.Property, nil, &one.Property, &two.Property}, got)
	assert.Equal(t, 1, db.Faults.Count("BatchGetItem"))

	var many []string
	for i := range 201 {
		many = append(many, fmt.Sprint("p", i))
	}
	got, err = repo.GetAll(ctx, many)
	require.NoError(t, err)
	assert.Len(t, got, 201)
	assert.Equal(t, &one.Property, got[1])
	assert.Equal(t, 4, db.Faults.Count("BatchGetItem"), "1 request for every 100")

	// If a property cannot be decoded, the others are still returned.
	set(t, db, keyOf("p2"), "SET StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	got, err = repo.GetAll(ctx, []string{"p2", "p1"}, dynastay.Consistent)
	assert.Equal(t, []*properties.Property{nil, &one.Property}, got)
	assert.ErrorContains(t, err, "Property p2 (StarRating): unreadable item")
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)

	_, err = repo.GetAll(ctx, []string{"p1", "a#b"})
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "PropertyIDs[1]", invalid.Field)
	assert.Equal(t, 5, db.Faults.Count("BatchGetItem"))
}
