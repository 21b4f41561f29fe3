package migrate_test

import (
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/migrate"
)

// What it costs to adopt the items of the hotel-booking document, 50 of each entity, beside a plain Scan of the table and a
// plain PutItem of each item that is adopted.
func TestCostOfAdoption(t *testing.T) {
	t.Parallel()
	const each = 50
	db := dyntest.New(t, dyntest.At(fixture.Now))
	if !db.Has(dyntest.ExactUnits) {
		require.False(t, page.Updating(), "the units are those of an engine that counts them as DynamoDB does")
		t.Logf("NOT RUN: the engine, %s, lacks %s", db.Engine.Name(), dyntest.ExactUnits)
		return
	}
	m := migrate.New(db.Client, migrate.Options{DB: dynastay.Options{TablePrefix: db.TableName(&dynastay.Schema{}), Clock: db.Clock.Now}})
	var rows [][]string
	for _, entity := range documents {
		var put float64
		for n := range each {
			for i, item := range entity.items(t, n) {
				out, err := db.Client.PutItem(t.Context(), &dynamodb.PutItemInput{
					TableName: ptr(db.TableName(entity.table)), Item: item, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
				})
				require.NoError(t, err)
				if i < entity.adopted {
					put += *out.ConsumedCapacity.CapacityUnits
				}
			}
		}
		var scan float64
		pages := dynamodb.NewScanPaginator(db.Client, &dynamodb.ScanInput{
			TableName: ptr(db.TableName(entity.table)), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		for pages.HasMorePages() {
			out, err := pages.NextPage(t.Context())
			require.NoError(t, err)
			scan += *out.ConsumedCapacity.CapacityUnits
		}
		walk := func(name string) (migrate.Report, migrate.Units) {
			before := m.Consumed()
			report, err := m.Walk(t.Context(), migrate.Walk{Name: name + entity.in, Table: entity.table, Page: 1000, Each: entity.adopt(m.DB)})
			require.NoError(t, err)
			after := m.Consumed()
			return report, migrate.Units{Read: after.Read - before.Read, Written: after.Written - before.Written}
		}
		report, spent := walk("first-")
		require.Equal(t, each*entity.adopted, report.Changed, entity.what)
		again, idle := walk("second-")
		require.Zero(t, again.Changed)
		number := func(n float64) string { return strconv.FormatFloat(hundredths(n/each), 'f', 2, 64) }
		rows = append(rows, []string{
			entity.what, number(put), number(spent.Written), strconv.FormatFloat(spent.Written/put, 'f', 1, 64),
			number(scan), number(spent.Read), strconv.FormatFloat(spent.Read/scan, 'f', 1, 64), number(idle.Read), number(idle.Written),
		})
	}
	page.Section(t, "docs/moving.md", "adoption", page.Table([]string{
		"units for each", "PutItem", "written by its adoption", "ratio", "Scan", "read by its adoption", "ratio", "read by the next walk", "written by it",
	}, rows))
}

func ptr(s string) *string { return &s }
