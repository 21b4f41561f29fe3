package availability_test

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// outing takes rooms of some nights out of order, or puts them back.
type outing struct {
	room, overbook int
	nights         dynastay.Stay
	back           bool
}

func drawOut(t *rapid.T) step {
	return outing{
		room: uniform(t, 0, 2, "room type"), overbook: rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "overbook"),
		nights: drawDates(t, 1, 2, 3), back: chance(t, 2, "back"),
	}
}

func (s outing) String() string {
	return fmt.Sprintf("out of order: type %d for %s, back %t, overbook %d", s.room, s.nights, s.back, s.overbook)
}

func (s outing) run(m *ledger, on process) {
	changes, missing := map[at]openNight{}, false
	var refused []availability.RefusedNight
	for date := range s.nights.Dates() {
		night := at{m.room(s.room), date}
		n, open := m.nights[night]
		switch {
		case s.back && n.out == 0:
			missing = true
			continue
		case s.back:
			n.out--
		case !open:
			refused = append(refused, availability.RefusedNight{RoomTypeID: night.room, Date: date, Reason: availability.NotOnSale})
		case n.left()+s.overbook < 1:
			left := max(0, n.left())
			refused = append(refused, availability.RefusedNight{RoomTypeID: night.room, Date: date, Reason: availability.SoldOut, Left: left})
		default:
			n.out++
		}
		n.wasOut, n.updated = true, m.db.Now()
		changes[night] = n
	}
	if refused != nil {
		changes = nil
	}
	_, err := dynastay.Do(context.Background(), on.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Out", Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			for date := range s.nights.Dates() {
				if s.back {
					err = on.repo.PutBack(tx, m.propertyID, m.room(s.room), date)
				} else {
					err = on.repo.TakeOut(tx, m.propertyID, m.room(s.room), date, s.overbook)
				}
				if err != nil {
					return none, err
				}
			}
			if !s.back && m.failedBefore(tx, s.room, s.nights) {
				err = on.repo.CheckTakeOut(ctx, m.propertyID, m.room(s.room), s.nights, s.overbook)
			}
			return none, err
		},
	}))
	switch failed := m.failed(err) || m.lost(err, len(changes) == 1, refused != nil || missing); {
	case refused != nil:
		if !failed {
			m.fails(&availability.Refused{Nights: refused}, err)
			m.met.Add("out of order: refused", 1)
		}
	case failed:
		if errors.Is(err, dynastay.ErrOutcomeUnknown) {
			m.settle(changes)
		}
	default:
		require.NoError(m.t, err)
		maps.Copy(m.nights, changes)
		if !s.back {
			m.met.Add("out of order: taken", 1)
		} else if len(changes) > 0 {
			m.met.Add("out of order: put back", 1)
		}
	}
}

// failedBefore reports whether a condition on one of the nights has failed in this write.
func (m *ledger) failedBefore(tx *dynastay.Tx, room int, nights dynastay.Stay) bool {
	for date := range nights.Dates() {
		ref, err := availability.NightRef(m.room(room), date)
		require.NoError(m.t, err)
		if failed(tx.Found(keys.AvailabilityTable, ref.Key)) {
			return true
		}
	}
	return false
}
