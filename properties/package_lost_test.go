package properties_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func TestLostResponses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operation string
		change    func(*properties.Property)
	}{
		"one item": {"UpdateItem", func(p *properties.Property) { p.FeaturedScore++ }},
		"several": {"TransactWriteItems", func(p *properties.Property) {
			p.FeaturedScore++
			p.Slug += "-new"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			made := create(t, repo, grand("p1"))
			db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: test.operation, Nth: 1})
			before := db.Faults.Count(test.operation)

			got, err := repo.Update(t.Context(), "p1", edit(test.change))
			require.NoError(t, err)
			assert.Equal(t, 2, got.Version)
			there, err := repo.Get(t.Context(), "p1")
			require.NoError(t, err)
			assert.Equal(t, got, there)
			assert.Equal(t, made.FeaturedScore+1, there.FeaturedScore)
			assert.Greater(t, db.Faults.Count(test.operation), before)
			checkDerived(t, db, "p1", made.Slug)
		})
	}
}

// The response to a write is lost, and other callers overwrite its change before the library looks for it. After one
// more write, the item still shows that the first was committed; after two, it does not.
func TestLostResponseIsNotRetriedBlindly(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]error{"Third": nil, "Third Fourth": dynastay.ErrOutcomeUnknown} {
		t.Run(names, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			var undo sync.Once
			repo := properties.New(db.DB, nil)
			observed := properties.New(observe(db, func(c dynastay.Call) {
				if c.Operation == "UpdateItem" {
					undo.Do(func() {
						for name := range strings.FieldsSeq(names) {
							_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = name }))
							assert.NoError(t, err)
						}
					})
				}
			}), nil)
			create(t, repo, grand("p1", func(p *properties.Property) { p.Name = "First" }))
			db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1})
			_, err := observed.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = "Second" }))
			assert.ErrorIs(t, err, want)
			got, err := repo.Get(t.Context(), "p1")
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(names, got.Name), got.Name)
		})
	}
}
