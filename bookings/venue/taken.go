package venue

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// SlotTaken is the error for a slot that cannot be taken, because other events hold it or a slot that overlaps it.
// Nothing was written.
type SlotTaken struct {
	Date   dynastay.Date `json:",omitzero"`
	Slot   Slot
	Events []*Event `json:",omitzero"`
}

// Error names the slot and the events that hold it.
func (t *SlotTaken) Error() string {
	var parts []string
	for _, e := range t.Events {
		part := fmt.Sprintf("%s by event %s", e.Slot, e.ID)
		if e.BookingID != "" {
			part += " of booking " + e.BookingID
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s %s is taken: %s", t.Date, t.Slot, strings.Join(parts, ", "))
}

// Is makes it match [dynastay.ErrRefused].
func (*SlotTaken) Is(target error) bool { return target == dynastay.ErrRefused }

// take adds the actions that put an event into its slot, on condition that no event overlaps it. Callers in one process
// queue for the slots. A refusal reads the events of the day again, and names those that hold the slot. still reports
// whether the event is still wanted; nil means that it is.
// See docs/decisions/0019-venue.md for why a request takes nothing.
func (r *Repository) take(
	ctx context.Context, tx *dynastay.Tx, e Event, still func(context.Context) (bool, error),
) (*Event, error) {
	made, err := r.events.Creation(&e)
	if err != nil {
		return nil, err
	}
	var slots []dynastay.Ref
	for i, slot := range overlapping(e.Slot) {
		at, err := eventKey(e.Date, slot)
		if err != nil {
			return nil, err
		}
		slots = append(slots, dynastay.RefOf(venuekeys.Table, at))
		if i > 0 {
			tx.Check(venuekeys.Table, at, dynastay.IfNew(venuekeys.Table), overtaken) // the contest determines the error
		}
	}
	err = tx.Contend(ctx, dynastay.Contest{
		Items: slots, Still: still,
		Judge: func(seen map[dynastay.Ref]dynastay.Row) error { return r.judge(made.Value, slots, seen) },
		See: func(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) {
			return r.seeDay(ctx, slots[0].Key.PK)
		},
	})
	if err != nil {
		return nil, err
	}
	err = made.AddTo(tx)
	return made.Value, err
}

// seeDay reads the events of one day consistently.
func (r *Repository) seeDay(ctx context.Context, partition string) (map[dynastay.Ref]dynastay.Row, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, venuekeys.Table, dynastay.Query{Partition: partition, Consistent: true})
	seen := map[dynastay.Ref]dynastay.Row{}
	for _, row := range rows {
		seen[dynastay.RefOf(venuekeys.Table, venuekeys.Table.Key.From(row))] = row
	}
	return seen, err
}

// judge refuses an event if others hold its slot. If another call has approved the same booking, the booking has
// changed: the operation is then prepared again instead, and finds that.
func (r *Repository) judge(e *Event, slots []dynastay.Ref, seen map[dynastay.Ref]dynastay.Row) error {
	taken := &SlotTaken{Date: e.Date, Slot: e.Slot}
	for _, slot := range slots {
		row := seen[slot]
		if !row.Exists() {
			continue
		}
		taken.Events = append(taken.Events, r.heldBy(row))
	}
	if len(taken.Events) == 0 {
		return nil
	}
	return taken
}

// heldBy returns the event in a row. Whatever the row contains, its slot is taken, so a row that cannot be read is not
// an error.
func (r *Repository) heldBy(row dynastay.Row) *Event {
	at := venuekeys.Table.Key.From(row)
	e, err := r.event.Value(row)
	if err != nil {
		e = &Event{ID: row.Text(attrEventID), BookingID: row.Text(attrBookingID)}
	}
	e.Date, _ = dynastay.ParseDate(strings.TrimPrefix(at.PK, "EVENT#"))
	e.Slot = slotOf(at)
	return e
}

func overtaken(dynastay.Row) error { return dynastay.ErrOvertaken }
