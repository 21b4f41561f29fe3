package catalog_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/properties/catalog"
)

var modelSteps = flag.Int("model.steps", 20, "calls in each history of TestModel")

// shelf is the catalogue in memory: the names of each entry by its id, in lower case.
type shelf map[string][]string

// found returns the ids of the entries in the order of their first names that match.
func (s shelf) found(matches func(name string) bool) []string {
	var rows []string
	for id, names := range s {
		var own []string
		for _, name := range names {
			if matches(name) {
				own = append(own, name+"#"+id)
			}
		}
		if len(own) > 0 {
			rows = append(rows, slices.Min(own))
		}
	}
	slices.Sort(rows)
	for i, row := range rows {
		_, rows[i], _ = strings.Cut(row, "#")
	}
	return rows
}

// Creates, updates, deletes and reads of a few entries with names that overlap have the results of a map.
//
//	go test ./properties/catalog -run TestModel -count=1 -rapid.checks=1000 -model.steps=50
func TestModel(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	history := 0
	met := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		history++
		spec := streetSpec()
		spec.Type = fmt.Sprintf("streets-%d", history)
		streets, model := catalog.New(db.DB, spec), shelf{}
		ids := rapid.SampledFrom([]string{"a", "b", "B", "c"})
		name := rapid.StringMatching("[ab]{1,3}")
		names := rapid.SliceOfNDistinct(name, 0, 5, rapid.ID[string])
		typed := func(list []string) (all []string) { // case and punctuation do not matter
			for _, text := range list {
				all = append(all, strings.ToUpper(text[:1])+"-"+text[1:])
			}
			return all
		}
		for range *modelSteps {
			id, prefix := ids.Draw(t, "id"), name.Draw(t, "name")
			_, there := model[id]
			call := rapid.SampledFrom([]string{"create", "create", "update", "delete", "get", "find", "complete", "all"}).Draw(t, "call")
			met[call]++
			switch call {
			case "create":
				list := names.Draw(t, "names")
				_, err := streets.Create(t.Context(), street{ID: id, Names: typed(list)})
				require.Equal(t, there, errors.Is(err, dynastay.ErrAlreadyExists), "%v", err)
				if !there {
					require.NoError(t, err)
					model[id] = list
				}
			case "update":
				list := names.Draw(t, "names")
				_, err := streets.Update(t.Context(), id, func(s *street) error { s.Names = typed(list); return nil })
				require.Equal(t, !there, errors.Is(err, dynastay.ErrNotFound), "%v", err)
				if there {
					require.NoError(t, err)
					model[id] = list
				}
			case "delete":
				err := streets.Delete(t.Context(), id)
				require.Equal(t, !there, errors.Is(err, dynastay.ErrNotFound), "%v", err)
				delete(model, id)
			case "get":
				got, err := streets.Get(t.Context(), id)
				require.Equal(t, !there, errors.Is(err, dynastay.ErrNotFound), "%v", err)
				if there {
					require.NoError(t, err)
					assert.Equal(t, typed(model[id]), got.Names)
				}
			case "find":
				want := model.found(func(n string) bool { return n == prefix })
				assertStreets(t, model, want, streets.Find(prefix), typed)
			case "complete":
				want := model.found(func(n string) bool { return strings.HasPrefix(n, prefix) })
				assertStreets(t, model, want, streets.Complete(prefix), typed)
				met["completed"] += len(want)
			case "all":
				assertStreets(t, model, slices.Sorted(maps.Keys(model)), streets.All(), typed)
			}
		}
		checkNames(t, db, spec.Type, "StreetId", func(entry map[string]any) (all []string) {
			labels, _ := entry["Labels"].([]any)
			for _, label := range labels {
				all = append(all, strings.ToLower(strings.ReplaceAll(label.(string), "-", "")))
			}
			return all
		})
	})
	for _, call := range []string{"create", "update", "delete", "get", "find", "complete", "completed", "all"} {
		assert.NotZero(t, met[call], call)
	}
}

func assertStreets(t *rapid.T, model shelf, want []string, list dynastay.List[*street], typed func([]string) []string) {
	t.Helper()
	var got []string
	for _, s := range lists.Paged(t, list, rapid.IntRange(1, 4).Draw(t, "limit")) {
		got = append(got, s.ID)
		assert.Equal(t, typed(model[s.ID]), s.Names)
	}
	assert.Equal(t, want, got)
}
