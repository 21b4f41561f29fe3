package migrate_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// putAgain returns what a plain PutItem of each new item of a table costs, in a table that does not have it.
func (m *move) putAgain(t *testing.T, s *dynastay.Schema, had map[dynastay.Key]bool) (units float64) {
	t.Helper()
	empty := dyntest.New(t, dyntest.OnlyTables(s))
	for _, item := range raw.All(t, m.DB, s) {
		if at := s.Key.From(dynastay.RowOf(item)); had[at] || at.SK == "GUARD" {
			continue
		}
		out, err := empty.Client.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: ptr(empty.TableName(s)), Item: item, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		require.NoError(t, err)
		units += *out.ConsumedCapacity.CapacityUnits
	}
	return units
}

// What it costs to load 50 lines of each kind, beside a plain PutItem of each item that they become, without guards.
func TestCostOfLoads(t *testing.T) {
	t.Parallel()
	const each = 50
	m := openMove(t)
	if !m.Has(dyntest.ExactUnits) {
		require.False(t, page.Updating(), "the units are those of an engine that counts them as DynamoDB does")
		t.Logf("NOT RUN: the engine, %s, lacks %s", m.Engine.Name(), dyntest.ExactUnits)
		return
	}
	m.load(t, migrate.Properties(m.hosts), "properties", grand)
	m.load(t, migrate.Nights(m.nights), "nights", strings.Replace(july, `"Rooms": 3`, `"Rooms": 200, "AboveCapacity": true`, 1))
	mover := m.mover(migrate.Options{DB: dynastay.Options{Parallel: 1}}) // so that the secret of addresses is read once
	hosts := properties.New(mover.DB, nil)
	var rows [][]string
	number := func(n float64) string { return strconv.FormatFloat(hundredths(n/each), 'f', 2, 64) }
	measure := func(what string, lines func() migrate.Lines, s *dynastay.Schema, header, line string) {
		had := map[dynastay.Key]bool{}
		for _, item := range raw.All(t, m.DB, s) {
			had[s.Key.From(dynastay.RowOf(item))] = true
		}
		all := []string{}
		if header != "" {
			all = append(all, header)
		}
		for n := range each {
			all = append(all, strings.ReplaceAll(line, "NNN", fmt.Sprintf("%03d", n)))
		}
		load := func(name string) migrate.Units {
			before := mover.Consumed()
			loaded, err := mover.Load(t.Context(), migrate.Load{
				Name: name, Lines: lines(), Open: text(all...), CSV: header != "", Refused: func(l migrate.LineError) { t.Error(l) },
			})
			require.NoError(t, err)
			require.Equal(t, each, loaded.Written+loaded.There)
			after := mover.Consumed()
			return migrate.Units{Read: after.Read - before.Read, Written: after.Written - before.Written}
		}
		kind := strings.ReplaceAll(what, " ", "-")
		first := load(kind)
		put := m.putAgain(t, s, had)
		again := load("again-" + kind)
		rows = append(rows, []string{
			what, number(put), number(first.Written), strconv.FormatFloat(first.Written/put, 'f', 1, 64), number(first.Read), number(again.Read), number(again.Written),
		})
	}
	stay := strings.NewReplacer("old,", "old-NNN,", "ahead,", "ahead-NNN,", "A/", "A/NNN-", "tx1", "tx-NNN")
	measure("a user", func() migrate.Lines { return migrate.Users(users.New(mover.DB, nil)) }, keys.UsersTable, "",
		strings.NewReplacer(`"ada"`, `"ada-NNN"`, "Ada@", "Ada-NNN@").Replace(ada))
	sales := func() migrate.Lines { return migrate.Bookings(bookings.New(mover.DB, nil), hosts) }
	measure("a past booking", sales, keys.BookingsTable, stays[0], stay.Replace(stays[1]))
	measure("a future booking of 3 nights", sales, keys.BookingsTable, stays[0], stay.Replace(stays[2]))
	measure("an approved review", func() migrate.Lines { return migrate.Reviews(reviews.New(mover.DB, hosts, nil)) }, keys.ReviewsTable, "",
		strings.NewReplacer("rev-1", "rev-NNN", `"old"`, `"old-NNN"`).Replace(opine))
	page.Section(t, "docs/moving.md", "loads", page.Table([]string{
		"units for each", "PutItem", "written by its load", "ratio", "read by it", "read by the next load", "written by it",
	}, rows))
}

// hundredths rounds a sum of halves, which has the error of its additions: 0.055 is always 0.06.
func hundredths(n float64) float64 { return math.Round(n*100+1e-6) / 100 }
