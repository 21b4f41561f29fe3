package docs_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
)

// overhead is what DynamoDB adds to the size of each item, and of each row of an index, in the bill for storage.
const overhead = 100

// entities are those whose sizes the document estimates, with everything that belongs to one of them in its table.
var entities = []struct {
	what, document string // per item
	table          *dynastay.Schema
	is             func(pk, sk string) bool // the item that is counted
	number         int64                    // of them
	many, gigabyte string                   // what the document says of so many
}{
	{"a property: rooms, images, amenities, rate plans", "3–5 KB", keys.PropertiesTable, isMetadata("PROPERTY#"), 100_000, "100,000 properties", "50"},
	{"a night of a room type", "0.5 KB", keys.AvailabilityTable, func(pk, sk string) bool { return strings.HasPrefix(pk, "ROOM#") && strings.HasPrefix(sk, "DATE#") }, 100_000 * 365, "100,000 room types, a year", "50"},
	{"a booking: lines, payments, reference", "2–3 KB", keys.BookingsTable, isMetadata("BOOKING#"), 10_000_000, "10,000,000 bookings", "30"},
	{"a user: profile, loyalty, preferences", "1–2 KB", keys.UsersTable, isMetadata("USER#"), 0, "", ""},
	{"a review: response, votes, guard", "1–2 KB", keys.ReviewsTable, isMetadata("REVIEW#"), 0, "", ""},
}

func isMetadata(prefix string) func(pk, sk string) bool {
	return func(pk, sk string) bool {
		return strings.HasPrefix(pk, prefix) && (sk == "METADATA" || sk == "PROFILE")
	}
}

// What is stored for generated data, beside what the document estimates.
func TestStorage(t *testing.T) {
	t.Parallel()
	type sum struct{ counted, itself, table, indexes int }
	sums := map[*dynastay.Schema]*sum{}
	for s, item := range world.New(world.Options{Seed: 1, Properties: 100}).Items() {
		row := dynastay.RowOf(item)
		at := sums[s]
		if at == nil {
			at = new(sum)
			sums[s] = at
		}
		for _, e := range entities {
			if e.table == s && e.is(row.Text(s.Key.Partition), row.Text(s.Key.Sort)) {
				at.counted++
				at.itself += stored.Size(item)
			}
		}
		at.table += stored.Size(item) + overhead
		for _, index := range s.Indexes {
			if n := rowSize(s, index, item); n > 0 {
				at.indexes += n + overhead
			}
		}
	}
	kilobytes := func(bytes, of int) string { return strconv.FormatFloat(float64(bytes)/float64(of)/1000, 'f', 2, 64) }
	var sizes, storage [][]string
	for _, e := range entities {
		at := sums[e.table]
		require.NotZero(t, at.counted, e.what)
		sizes = append(sizes, []string{
			e.what, e.document, kilobytes(at.itself, at.counted), kilobytes(at.table, at.counted), kilobytes(at.indexes, at.counted),
		})
		if e.number == 0 {
			continue
		}
		all := float64(at.table+at.indexes) / float64(at.counted) * float64(e.number) / 1e9
		price, err := dynastay.MustMoney("0.25", "USD").Portion(int(10*all), 10)
		require.NoError(t, err)
		storage = append(storage, []string{e.many, e.gigabyte, strconv.FormatFloat(all, 'f', 1, 64), price.Amount()})
	}
	page.Section(t, "docs/scale.md", "sizes", page.Table([]string{"KB of", "document", "the item itself", "with all its items", "and in indexes"}, sizes))
	page.Section(t, "docs/scale.md", "storage", page.Table([]string{"GB of", "document", "generated", "USD a month"}, storage))
}

// rowSize returns the size of an item's row in an index; 0 if it has none.
func rowSize(s *dynastay.Schema, index dynastay.Index, item dynastay.Item) int {
	row := dynastay.Item{}
	for _, name := range []string{s.Key.Partition, s.Key.Sort, index.Key.Partition, index.Key.Sort} {
		switch {
		case name == "":
		case item[name] == nil:
			return 0
		default:
			row[name] = item[name]
		}
	}
	switch index.Project {
	case dynastay.ProjectAll:
		row = item
	case dynastay.ProjectInclude:
		for _, name := range index.Include {
			if item[name] != nil {
				row[name] = item[name]
			}
		}
	}
	return stored.Size(row)
}
