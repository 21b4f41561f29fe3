package availability_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// One bulk update of a year of 20 room types, against the same changes night by night: requests, write units and time,
// as ratios of the bulk update to the single ones. With a delay of two milliseconds for each request, as over a
// network, and without. Run it with: go test ./availability -run '^$' -bench Year -benchtime 1x
func BenchmarkYearOfTwentyRoomTypes(b *testing.B) {
	const rooms, nights = 20, 365
	for _, delay := range []time.Duration{0, 2 * time.Millisecond} {
		b.Run(fmt.Sprintf("delay=%s", delay), func(b *testing.B) {
			db := dyntest.New(b, inventoryTables, dyntest.At(fixture.Now))
			first := date("2026-07-01")
			year := dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)}
			var ids []string
			for i := range rooms {
				id := fmt.Sprintf("room_%02d", i)
				putRoomType(b, db, id)
				ids = append(ids, id)
				_, err := availability.New(db.Direct).Open(context.Background(), availability.OpenRequest{
					PropertyID: propertyID, RoomTypeID: id, Nights: year, Rooms: 5, Price: fixture.Price,
				})
				require.NoError(b, err)
			}
			if delay > 0 {
				db.Faults.Inject(dyntest.Delay(delay), dyntest.When{})
			}
			repo := availability.New(db.DB)
			price := func(n int) dynastay.Money { return dynastay.MustMoney(fmt.Sprintf("%d.00", 100+n), "USD") }
			request := func(ids []string, dates dynastay.Stay, n int) {
				_, err := repo.Update(context.Background(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{
					{RoomTypeIDs: ids, Dates: dates, Price: price(n), MinStay: ptr(1 + n%3)},
				}})
				require.NoError(b, err)
			}
			measure := func(f func()) (*dyntest.Spent, time.Duration) {
				started := time.Now()
				spent := db.Measure(f)
				return spent, time.Since(started)
			}
			var bulk, single [3]float64 // requests, write units, seconds
			add := func(to *[3]float64, spent *dyntest.Spent, took time.Duration) {
				to[0] += float64(spent.Requests)
				to[1] += spent.WriteUnits
				to[2] += took.Seconds()
			}
			n := 0
			for b.Loop() {
				n++
				spent, took := measure(func() { request(ids, year, 2*n) })
				add(&bulk, spent, took)
				spent, took = measure(func() {
					for _, id := range ids {
						for date := range year.Dates() {
							request([]string{id}, dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)}, 2*n+1)
						}
					}
				})
				add(&single, spent, took)
			}
			for i, name := range []string{"requests", "write-units", "time"} {
				b.ReportMetric(bulk[i]/single[i], name+"/single")
			}
			b.ReportMetric(bulk[0]/float64(n), "requests")
			b.ReportMetric(bulk[1]/float64(n), "write-units")
			b.ReportMetric(bulk[2]/float64(n), "bulk-s")
			b.ReportMetric(single[2]/float64(n), "single-s")
		})
	}
}
