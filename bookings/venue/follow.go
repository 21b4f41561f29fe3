package venue

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	keys "github.com/dynastay/dynastay/keys/venue"
)

// follow keeps the item of a booking in its user's partition, and the user's statistics, in step with the booking.
func follow(tx *dynastay.Tx, before, after *Booking) error {
	if before == nil || before.Date != after.Date || before.slot() != after.slot() || before.Status != after.Status {
		if err := relate(tx, after); err != nil {
			return err
		}
	}
	return count(tx, before, after)
}

// relate adds the action that writes the item of a booking in the user's partition. It creates the item if other
// software has not, and keeps what other software has stored in it.
func relate(tx *dynastay.Tx, b *Booking) error {
	at, err := key.Of(keys.UserBooking{UserID: b.UserID, BookingID: b.ID})
	if err != nil {
		return err
	}
	values := dynastay.Item{
		"type": dynastay.Text(userBooking), "booking": dynastay.Text(b.ID),
		"date": dynastay.Text(b.Date.String()), "duration": dynastay.Text(string(b.Duration)), "status": dynastay.Text(string(b.Status)),
	}
	written := related
	if b.Slot != "" {
		written, values["slot"] = relatedInSlot, dynastay.Text(string(b.Slot))
	}
	tx.Update(keys.Table, at, written.With(values))
	return nil
}

var (
	related       = dynastay.Prepare(expression.NewBuilder().WithUpdate(relating()))
	relatedInSlot = dynastay.Prepare(expression.NewBuilder().WithUpdate(
		relating().Set(dynastay.NameOf("timeSlot"), dynastay.Param("slot"))))
)

func relating() expression.UpdateBuilder {
	return expression.Set(dynastay.NameOf("entityType"), dynastay.Param("type")).
		Set(dynastay.NameOf(attrBookingID), dynastay.Param("booking")).
		Set(dynastay.NameOf("date"), dynastay.Param("date")).
		Set(dynastay.NameOf("duration"), dynastay.Param("duration")).
		Set(dynastay.NameOf(attrStatus), dynastay.Param("status"))
}

// The changes of a user's statistics. countsMoved tells a recount that the others have changed.
var (
	requested = dynastay.NameOf(attrRequested)
	approved  = dynastay.NameOf(attrApproved)
	userThere = expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition))

	countRequest = counting(requested, 1, userThere.And(isCount(attrRequested)))
	countApprove = counting(approved, 1, userThere.And(isCount(attrApproved)))
	// Not below zero: other software may have approved the booking without counting it.
	countEnd = counting(approved, -1, approved.GreaterThanEqual(expression.Value(1)))
)

// isCount is the condition that a delta can be added to an attribute.
func isCount(attr string) expression.ConditionBuilder {
	name := dynastay.NameOf(attr)
	return name.AttributeNotExists().Or(name.AttributeType(expression.Number))
}

func counting(count expression.NameBuilder, by int, condition expression.ConditionBuilder) *dynastay.Prepared {
	change := expression.Add(count, expression.Value(by)).Add(dynastay.NameOf(attrMoves), expression.Value(1))
	return dynastay.Prepare(expression.NewBuilder().WithUpdate(change).WithCondition(condition))
}

// count adds the action that changes the statistics of a booking's user. A request needs its user. Later the user may
// be gone, because other software has deleted it; then there is nothing to count.
func count(tx *dynastay.Tx, before, after *Booking) error {
	at, err := key.Of(keys.User{UserID: after.UserID})
	if err != nil {
		return err
	}
	if before == nil {
		tx.Update(keys.Table, at, countRequest.With(nil)).Else(func(user dynastay.Row) error {
			if !user.Exists() {
				return &dynastay.Error{Entity: "User", ID: after.UserID, Kind: dynastay.ErrNotFound}
			}
			return uncountable(after.UserID, attrRequested)
		})
		return nil
	}
	was, is := before.Status == Approved, after.Status == Approved
	switch {
	case was == is || tx.Skipped(keys.Table, at):
	case is:
		tx.Update(keys.Table, at, countApprove.With(nil)).Else(func(user dynastay.Row) error {
			if !user.Exists() {
				return dynastay.ErrSkip
			}
			return uncountable(after.UserID, attrApproved)
		})
	default:
		tx.Update(keys.Table, at, countEnd.With(nil)).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
	}
	return nil
}

// uncountable is the error for a count of other software that is not a number. A recount replaces it.
func uncountable(userID, attr string) error {
	return &dynastay.Error{Entity: "User", ID: userID, Field: attr, Kind: dynastay.ErrCorrupt}
}
