package keys

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

var (
	ratings = rapid.Map(rapid.IntRange(0, int(dynastay.MaxRating)), func(n int) dynastay.Rating { return dynastay.Rating(n) })
	prices  = rapid.Map(rapid.Int64Range(0, 999_999_999_999_999), func(n int64) key.Thousandths { return key.Thousandths(n) })
	scores  = rapid.Int64Range(0, 9_999_999_999)
	months  = rapid.Map(dates, func(d dynastay.Date) dynastay.Date { return dynastay.MonthOf(d).CheckIn })
	dates   = rapid.Map(rapid.IntRange(0, 3652058), dynastay.MustDate("0001-01-01").AddDays)
	seconds = rapid.Map(rapid.Int64Range(-62135596800+1, 253402300799), func(n int64) time.Time { return time.Unix(n, 0) })
)

// ascend checks that rows sort by their value, whatever ids follow it.
func ascend[V, K any, P key.Layout[K]](t *testing.T, values *rapid.Generator[V], compare func(V, V) int, row func(v V, id string) K) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(values, 2, 8).Filter(func(all []V) bool {
			return compare(slices.MinFunc(all, compare), slices.MaxFunc(all, compare)) != 0
		}).Draw(t, "values")
		slices.SortFunc(drawn, compare)
		var ascending []K
		for _, v := range slices.CompactFunc(drawn, func(a, b V) bool { return compare(a, b) == 0 }) {
			id := rapid.SampledFrom([]string{"p1", "p10", "!", "~"}).Draw(t, "id")
			ascending = append(ascending, row(v, id))
		}
		keytest.InOrder[K, P](t, ascending...)
	})
}

func TestRowsSortByTheirValue(t *testing.T) {
	ascend(t, ratings, cmp.Compare, func(r dynastay.Rating, id string) PropertyByCity { return PropertyByCity{"a", "b", r, id} })
	ascend(t, ratings, cmp.Compare, func(r dynastay.Rating, id string) PropertyByType { return PropertyByType{"a", 0, r, id} })
	ascend(t, ratings, cmp.Compare, func(r dynastay.Rating, id string) PropertyByStars { return PropertyByStars{"a", "b", 1, r, id} })
	ascend(t, prices, cmp.Compare, func(p key.Thousandths, id string) PropertyByArea { return PropertyByArea{"dr5reg", p, id} })
	ascend(t, prices, cmp.Compare, func(p key.Thousandths, id string) PropertyByPrice {
		return PropertyByPrice{"a", "b", "USD", p, id}
	})
	ascend(t, scores, cmp.Compare, func(n int64, id string) FeaturedProperty { return FeaturedProperty{0, n, id} })
	ascend(t, dates, dynastay.Date.Compare, func(d dynastay.Date, _ string) Night { return Night{"a", d} })
	ascend(t, dates, dynastay.Date.Compare, func(d dynastay.Date, id string) NightByProperty { return NightByProperty{"a", d, id} })
	ascend(t, dates, dynastay.Date.Compare, func(d dynastay.Date, id string) BookingByUser { return BookingByUser{"a", d, id} })
	ascend(t, dates, dynastay.Date.Compare, func(d dynastay.Date, id string) BookingByProperty { return BookingByProperty{"a", d, id} })
	ascend(t, dates, dynastay.Date.Compare, func(d dynastay.Date, id string) BookingInHouse { return BookingInHouse{"a", d, id} })
	ascend(t, months, dynastay.Date.Compare, func(d dynastay.Date, id string) UnitMonth { return UnitMonth{"a", d, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) PropertyByStatus { return PropertyByStatus{"a", 0, at, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) BookingByStatus { return BookingByStatus{"a", 0, at, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) BookingByHold { return BookingByHold{0, at, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) BookingByDue { return BookingByDue{0, at, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) ReviewByProperty { return ReviewByProperty{"a", at, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) ReviewByUser { return ReviewByUser{"a", at, id} })
	ascend(t, seconds, time.Time.Compare, func(at time.Time, id string) ReviewByStatus { return ReviewByStatus{"a", 0, at, id} })
}

func TestSortPrefixOfOneIDDoesNotFindALongerOne(t *testing.T) {
	stored, err := Of(BookingByCheckIn{CheckIn: date1, PropertyID: "p10", BookingID: "bkg_1"})
	require.NoError(t, err)
	for id, found := range map[string]bool{"p10": true, "p1": false, "p100": false} {
		prefix, err := SortPrefix(BookingByCheckIn{PropertyID: id})
		require.NoError(t, err)
		assert.Equal(t, found, strings.HasPrefix(stored.SK, prefix), id)
	}
}

func TestEveryRatingSortsByValue(t *testing.T) {
	var ascending []PropertyByCity
	for r := dynastay.Rating(0); r <= dynastay.MaxRating; r++ {
		ascending = append(ascending, PropertyByCity{"New York", "USA", r, "prop_1"})
	}
	assert.Len(t, ascending, 101)
	keytest.InOrder(t, ascending...)
}
