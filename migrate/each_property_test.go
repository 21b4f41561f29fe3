package migrate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
)

// Each property is met once, and none of its parts; what the function returns is what the walk counts.
func TestEachProperty(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 9)
	var met, refused []string
	w := migrate.Walk{Name: "look", Table: keys.PropertiesTable, Each: migrate.EachProperty(func(_ context.Context, id string) (bool, error) {
		met = append(met, id)
		if id == h.ids[4] {
			return false, errors.Join(dynastay.ErrRefused)
		}
		return id == h.ids[2], nil
	})}
	w.Refused = func(key dynastay.Key, _ error) { refused = append(refused, key.PK) }
	report, err := h.mover(migrate.Options{}).Walk(t.Context(), w)
	require.NoError(t, err)
	assert.ElementsMatch(t, h.ids, met)
	assert.Equal(t, migrate.Report{Segments: 1, Ended: 1, Walked: 27, Changed: 1, Refused: 1}, report)
	assert.Equal(t, []string{"PROPERTY#" + h.ids[4]}, refused)
}
