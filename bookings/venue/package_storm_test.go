package venue_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

var storms = flag.Int("storms", 1, "how many seeds TestStorm uses")

// Eight callers in two processes request, change, approve, reject, cancel and recount the same few bookings, while
// requests and answers are lost and transactions conflict. In the end, everything that is stored agrees.
func TestStorm(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*storms) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newHall(t, dyntest.Seed(seed))
			h.join(t, ann, ben)
			days := []dynastay.Date{day, day.AddDays(1)}
			h.Faults.Conflicts(0)
			h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Chance: 0.05, Match: racing.Writes})
			h.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Chance: 0.05, Match: racing.Writes})
			opts := &dynastay.Options{Retry: dynastay.Retry{Attempts: 300}}
			shared := []*dynastay.DB{h.Open(opts), h.Open(opts)}
			ids := make(chan string, 1000)
			racing.Together(8, func(n int) {
				draw := rand.New(rand.NewPCG(seed, uint64(n)))
				repo, ctx := venue.New(shared[n%2], nil), context.Background()
				who := []venue.Actor{ann, ben}[n/4]
				for range 25 {
					var err error
					id := ""
					select {
					case id = <-ids:
						ids <- id
					default:
					}
					version := 1 + draw.IntN(3)
					switch k := draw.IntN(10); {
					case k < 2 || id == "":
						var b *venue.Booking
						b, err = repo.Request(ctx, who, request(who, days[draw.IntN(2)], []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay}[draw.IntN(3)]))
						if err == nil {
							ids <- b.ID
						}
					case k < 5:
						_, err = repo.Approve(ctx, admin, venue.Approval{BookingID: id, Version: version, Code: "c", ValidFrom: now, ValidUntil: now.Add(time.Hour)})
					case k < 6:
						_, err = repo.Reject(ctx, admin, venue.Rejection{BookingID: id, Version: version})
					case k < 8:
						_, err = repo.Cancel(ctx, admin, venue.Cancellation{BookingID: id, Version: version})
					case k < 9:
						to := days[draw.IntN(2)]
						_, err = repo.Update(ctx, admin, id, func(b *venue.Booking) error { b.Date = to; return nil })
					default:
						_, err = repo.Recount(ctx, who.UserID)
					}
					var status *venue.StatusError
					var taken *venue.SlotTaken
					ok := err == nil || errors.As(err, &status) || errors.As(err, &taken) || errors.Is(err, dynastay.ErrVersion) || errors.Is(err, dynastay.ErrOutcomeUnknown)
					assert.True(t, ok, "%v", err)
				}
			})
			h.consistency(t)
		})
	}
}
