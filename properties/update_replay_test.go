package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func TestUpdateWithIdempotencyKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	key := dynastay.IdempotencyKey("request-1")
	update := func(id string) (*properties.Property, error) {
		return repo.Update(t.Context(), id, edit(func(p *properties.Property) { p.FeaturedScore++ }), dynastay.AgreedOn("one more"), key)
	}
	for range 3 {
		got, err := update("p1")
		require.NoError(t, err)
		assert.Equal(t, 96, got.FeaturedScore)
		assert.Equal(t, 2, got.Version)
	}
	_, err := update("p2")
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	// Functions cannot be compared, so an update without AgreedOn cannot have a key.
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = "other" }), key)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}
