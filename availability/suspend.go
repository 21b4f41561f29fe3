package availability

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
)

// SalesMove closes or reopens the sales of room types in the same transaction as other actions, such as the change of
// their property's status. It is for authors of operations, such as those of package properties. Call
// [SalesMove.Add] in [dynastay.OpSpec.Prepare], and [SalesMove.Finish] after the write. If the program ends in between,
// or Finish fails, do both again with a new SalesMove.
type SalesMove struct {
	nights *Repository
	move   salesMove
	house  House
	rooms  []string
	guards []guard // nil before Add
}

// SuspendSales takes room types off sale together with a change of their property's status to suspended or deleting.
// [Repository.ResumeSales] puts them on sale again, but not those that were already closed. The transaction must be
// conditional on the property's item, and roomTypeIDs must be all of its room types. Of house, only ID and TimeZone are
// used. SuspendSales itself sends no requests and changes nothing; see [SalesMove].
func (r *Repository) SuspendSales(house House, roomTypeIDs []string) *SalesMove {
	return &SalesMove{nights: r, move: suspend, house: house, rooms: slices.Clone(roomTypeIDs)}
}

// ResumeSales puts room types on sale again that [Repository.SuspendSales] took off sale. Those that were closed by
// [Repository.CloseSales] or [Repository.Withdraw] stay closed. The transaction must be conditional on the property's
// item, and roomTypeIDs must be all of its room types. Of house, only ID and TimeZone are used. ResumeSales itself
// sends no requests and changes nothing; see [SalesMove].
func (r *Repository) ResumeSales(house House, roomTypeIDs []string) *SalesMove {
	return &SalesMove{nights: r, move: resume, house: house, rooms: slices.Clone(roomTypeIDs)}
}

// Add reads the guards of the room types, and adds at most one action for each: the change of a guard, or, when
// suspending, the check that a guard that was already closed stays closed. A guard that is already as it should be
// takes no action. Add may be called again, and then starts again from the beginning. If the guard of a room type names
// a different property, Add returns [dynastay.ErrAlreadyExists] with Field "RoomTypeID". 1 request for every 100 room
// types.
func (m *SalesMove) Add(ctx context.Context, tx *dynastay.Tx) error {
	m.guards = nil
	if _, err := m.nights.todayAt(m.house); err != nil { // before the write, because Finish needs it
		return err
	}
	guards, err := m.nights.guards(ctx, tx, m.move, m.house.ID, m.rooms)
	if err != nil {
		return err
	}
	for _, g := range guards {
		if g.err != nil {
			return g.err
		}
	}
	m.guards = guards
	return nil
}

// Finish marks or unmarks the nights of the room types from yesterday on, as [Repository.CloseSales] does. Until it
// has returned without an error, nights can still be sold after [Repository.SuspendSales]. It returns [ErrReopened] or
// [ErrClosed] if another caller has changed the guard of a room type since Add. Each room type takes 1 Query, 1
// request for every 99 nights that are changed, and 1 more Query if any were; a room type that ResumeSales leaves
// alone takes none.
//
// Finish panics if Add has not been called, which is a programming error.
func (m *SalesMove) Finish(ctx context.Context) (_ SalesChange, err error) {
	ctx, end := m.nights.db.Begin(ctx, "availability.Finish")
	defer func() { end(err) }()
	if m.guards == nil {
		panic("dynastay: SalesMove.Finish was called before Add")
	}
	today, err := m.nights.todayAt(m.house)
	if err != nil {
		return SalesChange{}, err
	}
	nights, err := m.nights.moveAll(ctx, m.move, m.house.ID, m.guards, yesterday(today))
	return SalesChange{RoomTypes: len(m.rooms), Nights: nights}, err
}
