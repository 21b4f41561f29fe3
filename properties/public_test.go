package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// A guest finds approved properties only, however the guest got the id or the slug.
func TestPublicFindsApprovedPropertiesOnly(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	public := repo.Public()
	create(t, repo, grand("shown"))
	for _, status := range []properties.Status{
		properties.Approved, properties.Pending, properties.Rejected, properties.Suspended, properties.Deleting, "", "ROTTEN",
	} {
		create(t, repo, grand("p"+string(status), func(p *properties.Property) { p.Slug = "grand-" + p.ID }))
		id := "p" + string(status)
		set(t, db, keyOf(id), "SET #Status = :s", dynastay.Item{":s": dynastay.Text(string(status))})
		for name, read := range map[string]func(...dynastay.ReadOption) (any, error){
			"Get": func(o ...dynastay.ReadOption) (any, error) {
				found, err := public.Get(ctx, id, o...)
				return found == nil, err
			},
			"GetWithRooms": func(o ...dynastay.ReadOption) (any, error) {
				found, err := public.GetWithRooms(ctx, id, o...)
				return found == nil, err
			},
			"GetWhole": func(o ...dynastay.ReadOption) (any, error) {
				found, err := public.GetWhole(ctx, id, o...)
				return found == nil, err
			},
			"BySlug": func(o ...dynastay.ReadOption) (any, error) {
				found, err := public.BySlug(ctx, "grand-"+id, o...)
				return found == nil, err
			},
		} {
			none, err := read(dynastay.Consistent)
			if status == properties.Approved {
				require.NoError(t, err, name)
				assert.Equal(t, false, none, name)
				continue
			}
			assert.ErrorIs(t, err, dynastay.ErrNotFound, "%s, %s", name, status)
			assert.Equal(t, true, none, "%s, %s", name, status)
		}
		all, err := public.GetAll(ctx, []string{"shown", id, "none"})
		require.NoError(t, err)
		require.Len(t, all, 3)
		assert.NotNil(t, all[0])
		assert.Equal(t, status == properties.Approved, all[1] != nil, status)
		assert.Nil(t, all[2])
	}
	_, err := public.Get(ctx, "none")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}
