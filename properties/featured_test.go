package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func TestFeatured(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, score := range map[string]int{"a": 95, "b": 1000, "c": 0, "d": 95, "e": 9_999_999_999, "f": 9} {
		create(t, repo, grand(id, func(p *properties.Property) { p.FeaturedScore = score }))
	}
	create(t, repo, grand("not", func(p *properties.Property) { p.Featured = false }))
	create(t, repo, grand("pending", pending))
	assert.Equal(t, []string{"e", "b", "d", "a", "f", "c"}, ids(listed(t, repo.Featured())))
}
