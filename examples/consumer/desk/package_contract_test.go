package desk_test

import (
	"context"
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/contract"

	"example.com/frontdesk/desk"
	"example.com/frontdesk/outbox"
	"example.com/frontdesk/registration"
)

// The desk has no search, and its guests pay when they leave, so it has no Search and no Confirm. The cases that need them
// are not run, and the log says so.
func TestContract(t *testing.T) {
	contract.Service(t, contract.ServiceTarget{
		Tables: []*dynastay.Schema{outbox.Table, registration.Table},
		Open: func(_ testing.TB, db *dynastay.DB) contract.Functions {
			d := desk.New(db)
			return contract.Functions{
				Hold: func(ctx context.Context, requestID string, ask contract.Ask) (string, error) {
					b, err := d.Book(ctx, requestID, desk.Order{
						PropertyID: ask.PropertyID, RoomTypeID: ask.RoomTypeID, Rooms: 1, Stay: ask.Stay, Guests: ask.Guests,
						UserID: ask.UserID, Guest: ask.Guest,
					})
					if err != nil {
						return "", err
					}
					return b.ID, nil
				},
				Cancel: d.Cancel,
				Lookup: func(ctx context.Context, userID, bookingID string) (bookings.Status, error) {
					b, err := d.Find(ctx, userID, bookingID)
					if err != nil {
						return "", err
					}
					return b.Status, nil
				},
			}
		},
		Most: contract.Budget{
			Hold:   dyntest.Cost{Requests: 4, ReadUnits: 3, WriteUnits: dyntest.Unbounded},
			Cancel: dyntest.Cost{Requests: 5, ReadUnits: 4, WriteUnits: dyntest.Unbounded},
			Lookup: dyntest.Cost{Requests: 1, ReadUnits: 1},
		},
	})
}
