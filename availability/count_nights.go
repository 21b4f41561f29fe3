package availability

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// NightCount is what a night says about its rooms. Two of one night are equal if nothing has changed it in between.
type NightCount struct {
	Ref    dynastay.Ref
	Exists bool // the property has the night, and it has not expired
	Sold   int  // Total − OutOfOrder − Available; negative if more rooms are left than there are
	// OutOfOrder is how many rooms the night says are out of order.
	OutOfOrder int

	written string // the write id, "" for a night of other software
	updated string // when it was last changed, also by a sale
}

// Kept returns the dates whose nights have not expired by their age; none, as the zero Stay, if all have.
func (r *Repository) Kept(dates dynastay.Stay) dynastay.Stay {
	first := dynastay.DateOf(r.db.Now().AddDate(-shelfLife, 0, 0), time.UTC).AddDays(1)
	if dates.CheckIn.Before(first) {
		dates.CheckIn = first
	}
	if !dates.CheckIn.Before(dates.CheckOut) {
		return dynastay.Stay{}
	}
	return dates
}

// SoldOn returns what each night of a property says about its rooms on the dates, at most 732. It is for authors of operations, such
// as bookings.Repository.VerifyNights; only what [Repository.Count] returns can be compared or recounted. The index is eventually
// consistent. It fails with [dynastay.ErrCorrupt] for a night that cannot be read. 1 request for each 1 MB, about 4,000 nights.
func (r *Repository) SoldOn(ctx context.Context, propertyID string, dates dynastay.Stay) (_ map[dynastay.Ref]NightCount, err error) {
	ctx, end := r.db.Begin(ctx, "availability.SoldOn")
	defer func() { end(err) }()
	if err := checkDates("Dates", dates); err != nil {
		return nil, err
	}
	rows, err := r.readProperty(ctx, propertyID, dates)
	if err != nil {
		return nil, err
	}
	sold := map[dynastay.Ref]NightCount{}
	for _, row := range rows {
		night, err := nightInIndex(row, propertyID)
		if err != nil {
			return nil, err
		}
		if !night.expired(r.db.Now()) {
			ref := nightRef(night.RoomTypeID, night.Date)
			sold[ref] = NightCount{Ref: ref, Exists: true, Sold: night.count(), OutOfOrder: night.OutOfOrder}
		}
	}
	return sold, nil
}

// count is [Night.Sold] of a night that may say what cannot be.
func (n *Night) count() int { return n.Total - n.OutOfOrder - n.Available }

// Count reads consistently what nights of a property say, in the same order. It fails with [dynastay.ErrCorrupt] for a night that
// cannot be read. 1 request for up to 100 nights.
func (r *Repository) Count(ctx context.Context, propertyID string, nights []dynastay.Ref) (_ []NightCount, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Count")
	defer func() { end(err) }()
	at := make([]dynastay.Key, len(nights))
	for i, ref := range nights {
		at[i] = ref.Key
	}
	rows, err := r.db.GetAll(ctx, keys.AvailabilityTable, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	all := make([]NightCount, len(nights))
	for i, row := range rows {
		all[i].Ref = nights[i]
		if !returnable(row, propertyID) {
			continue
		}
		night, err := r.entity.Value(row)
		if err != nil {
			return nil, err
		}
		all[i] = r.countOf(nights[i], row, night)
	}
	return all, nil
}

func (r *Repository) countOf(ref dynastay.Ref, row dynastay.Row, night *Night) NightCount {
	writtenBy := string(row.Value(keys.AvailabilityTable.WriteIDName()).Bytes())
	return NightCount{ref, !night.expired(r.db.Now()), night.count(), night.OutOfOrder, writtenBy, row.Text(attrUpdated)}
}

// RecountOp changes a night by differences, so that it says that so many more rooms are sold, and so many more are out of order; or
// fewer if negative. The rooms left may fall below 0. No sale at the same moment is lost, because it changes the night by a difference
// as well. It fails with [dynastay.ErrVersion] if anything has changed the night since it was counted: the same difference twice would be
// another one, and a sale may be about to be seen in the night that is already in its booking.
func (r *Repository) RecountOp(seen NightCount, sold, out int) *dynastay.Operation[struct{}] {
	left := dynastay.NameOf(attrAvailable)
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "availability.Recount",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (_ struct{}, err error) {
			change, err := r.table.Change(ctx, seen.Ref.Key, func(*Night) error { return nil })
			if err != nil {
				return struct{}{}, err
			}
			if r.countOf(seen.Ref, change.Row, change.Before) != seen {
				return struct{}{}, &dynastay.Error{Op: "availability.Recount", Entity: "Night", ID: seen.Ref.Key.String(), Kind: dynastay.ErrVersion}
			}
			change.Renew()
			update := expression.Set(left, left.Minus(expression.Value(sold+out))).
				Set(dynastay.NameOf(attrUpdated), expression.Value(dynastay.Instant(r.db.Now())))
			if out != 0 {
				update = update.Add(outOfOrder, expression.Value(out))
			}
			change.Also(update, expression.AttributeType(left, expression.Number).
				And(dynastay.AsRead(attrAvailable, change.Row)).And(dynastay.AsRead(attrUpdated, change.Row)))
			return struct{}{}, change.AddTo(tx)
		},
	})
}
