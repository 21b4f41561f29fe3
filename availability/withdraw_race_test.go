package availability_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// Withdraw is broken off at any request. After that, a repetition finishes it, or the host puts the room type back on
// sale.
func TestWithdrawingIsResumable(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	ids := bigHotel(t, db, 1, 3)
	once := availability.New(withRetry(db, dynastay.Retry{Attempts: 1}))
	do := func() error { _, err := once.Withdraw(t.Context(), here, ids[0]); return err }
	reopen := func() {
		_, err := repo.ReopenSales(t.Context(), propertyID)
		require.NoError(t, err)
		marked, _ := closed(t, db, ids[0])
		require.Zero(t, marked)
	}
	const requests = 7
	stop := db.Faults.Record()
	require.NoError(t, do())
	require.Len(t, stop(), requests)
	reopen()
	brokenOff(t, db, requests, do, func(int) { reopen() })
	brokenOff(t, db, requests, do, func(nth int) {
		require.NoError(t, do())
		_, open := closed(t, db, ids[0])
		require.Zero(t, open, "broken off at request %d", nth)
		require.NotEmpty(t, guardOf(t, db, ids[0]).Text(keys.AttrClosed))
		reopen()
	})

	// The same if a room is sold in the meantime, so that the room type is put back.
	unsold := nightsOf(t, db, ids[0], "2026-07-01")
	const putBack = requests + 5
	offer := quoteOf(t, request(dynastay.MustStay("2026-07-01", "2026-07-02"), room(ids[0], 1)), fixture.Price)
	sells := func() error {
		selling := db.Faults.Inject(dyntest.Before(func(context.Context) {
			assert.NoError(t, sellQuote(t, db.Direct, direct(db), offer))
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 2, Optional: true})
		defer selling.Stop()
		return do()
	}
	stop = db.Faults.Record()
	sold := blame.As[*availability.SoldAheadError](t, sells())
	require.Len(t, stop(), putBack)
	reset := func() {
		for _, row := range unsold {
			putNights(t, db, row.Item())
		}
	}
	reset()
	brokenOff(t, db, putBack, sells, func(nth int) {
		if err := do(); err != nil {
			require.ErrorAs(t, err, &sold, "broken off at request %d", nth)
		}
		reopen()
		reset()
	})
}

// While a room type is withdrawn, 16 buyers begin to buy it before one of the requests. Either a room is sold and the
// room type sells on, or nothing is sold, then and later.
func TestWithdrawRacesWithBuyers(t *testing.T) {
	t.Parallel()
	const requests, marking, buyers = 7, 5, 16
	db, _ := open(t)
	db.Faults.Conflicts(time.Millisecond)
	patient := dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}
	ids := bigHotel(t, db, requests, 3)
	for nth := 1; nth <= requests; nth++ {
		for _, first := range []bool{true, false} { // one room is sold before the request
			if first && nth >= marking {
				continue // the transaction that marks the nights already conflicts with buyers
			}
			t.Run(fmt.Sprintf("request %d %t", nth, first), func(t *testing.T) {
				id := ids[nth-1]
				bought, done := make(chan struct{}), make(chan struct{})
				var once sync.Once
				var wg sync.WaitGroup
				offer := quoteOf(t, request(dynastay.MustStay("2026-07-01", "2026-07-03"), room(id, 1)), fixture.Price)
				buy := func() {
					own := withRetry(db, patient)
					for late := false; !late; {
						select {
						case <-done:
							late = true
						default:
						}
						if err := sellQuote(t, own, availability.New(own), offer); err == nil {
							once.Do(func() { close(bought) })
						} else if refused := new(availability.Refused); !assert.ErrorAs(t, err, &refused) {
							return
						}
					}
				}
				db.Faults.Inject(dyntest.Before(func(context.Context) {
					for range buyers {
						wg.Go(buy)
					}
					if first {
						<-bought
					}
				}), dyntest.When{Nth: nth})
				own := withRetry(db, patient)
				_, err := availability.New(own).Withdraw(t.Context(), here, id)
				close(done)
				wg.Wait()

				var sold *availability.SoldAheadError
				was := errors.As(err, &sold)
				if first {
					require.True(t, was, "%v", err)
				}
				if !was {
					require.NoError(t, err)
					assert.NoError(t, direct(db).SoldAhead(t.Context(), here, []string{id}))
				}
				marked, open := closed(t, db, id)
				want := map[bool][]int{true: {0, 3}, false: {3, 0}}[was]
				assert.Equal(t, want, []int{marked, open})
				assert.Equal(t, was, guardOf(t, db, id).Text(keys.AttrClosed) == "")
				if !was {
					assert.Error(t, sellQuote(t, db.Direct, direct(db), offer))
				}
				putNights(t, db, night(id, "2026-07-01"), night(id, "2026-07-02")) // for the next round
				_, err = availability.New(db.Direct).ReopenSales(t.Context(), propertyID)
				require.NoError(t, err)
			})
		}
	}
}
