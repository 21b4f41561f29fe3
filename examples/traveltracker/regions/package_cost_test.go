package regions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// Every method sends the requests that its comment declares, and no Scan.
func TestRequests(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, faroes())
	ctx, ref := t.Context(), regions.Ref{Type: regions.Country, Code: "KR"}
	for _, c := range []struct {
		name string
		want []string
		call func() error
	}{
		{"Create", []string{"TransactWriteItems"}, func() error { return second(a.repo.Create(ctx, korea())) }},
		{"Get", []string{"GetItem"}, func() error { return second(a.repo.Get(ctx, ref.Type, ref.Code)) }},
		{"GetAll", []string{"BatchGetItem"}, func() error {
			all, err := a.repo.GetAll(ctx, []regions.Ref{ref, {Type: regions.USState, Code: "KR"}, faroesRef})
			require.Len(t, all, 3)
			assert.Equal(t, []bool{false, true, false}, []bool{all[0] == nil, all[1] == nil, all[2] == nil})
			return err
		}},
		{"All", []string{"Query"}, func() error {
			page, err := a.repo.All(regions.Country).Page(ctx, dynastay.Paging{Limit: 10})
			require.Len(t, page.Items, 2)
			assert.Equal(t, "FO", page.Items[0].Code)
			return err
		}},
		{"ByName", []string{"Query GSI1"}, func() error {
			page, err := a.repo.ByName(regions.Country, "k").Page(ctx, dynastay.Paging{Limit: 10})
			assert.Len(t, page.Items, 1)
			return err
		}},
		{"InView, small", []string{"Query", "Query"}, func() error {
			found, err := a.repo.InView(ctx, *box(37, 126, 37.5, 126.5))
			assert.Len(t, found, 1)
			return err
		}},
		{"InView, the world", []string{"Query", "Query", "Query"}, func() error {
			found, err := a.repo.InView(ctx, *box(-90, -180, 90, 180))
			assert.Len(t, found, 2)
			return err
		}},
		{"Update", []string{"GetItem", "TransactWriteItems"}, func() error {
			return second(a.repo.Update(ctx, ref.Type, ref.Code, func(r *regions.Region) error { r.Population = 1; return nil }))
		}},
		{"Delete", []string{"GetItem", "TransactWriteItems"}, func() error { return a.repo.Delete(ctx, ref.Type, ref.Code) }},
	} {
		stop := a.Faults.Record()
		require.NoError(t, c.call(), c.name)
		var sent []string
		for _, r := range stop() {
			var body struct{ IndexName string }
			require.NoError(t, json.Unmarshal(r.Body, &body))
			if body.IndexName != "" {
				r.Operation += " " + body.IndexName
			}
			sent = append(sent, r.Operation)
		}
		assert.Equal(t, c.want, sent, c.name)
	}
}

var faroesRef = regions.Ref{Type: regions.Country, Code: "FO"}
