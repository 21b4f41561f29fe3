package venue

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// counts is what an operation has learned about the statistics of the user, while it was prepared.
type counts struct {
	gone    bool // other software has deleted the user
	missing bool // other software does not count, or has stored a NULL, to which nothing can be added
}

// follow adds the actions that keep the item of a booking in its user's partition, and the user's statistics, in step
// with the booking.
func (n *counts) follow(tx *dynastay.Tx, before, after *Booking) error {
	if before == nil || before.Date != after.Date || before.Slot != after.Slot || before.Duration != after.Duration ||
		before.Status != after.Status {
		if err := relate(tx, after); err != nil {
			return err
		}
	}
	switch {
	case before == nil:
		return n.count(tx, after.UserID, attrRequested, requests)
	case after.Status == Approved:
		return n.count(tx, after.UserID, attrApproved, approvals)
	case before.Status == Approved:
		return n.count(tx, after.UserID, attrApproved, ends)
	}
	return nil
}

// relate adds the action that writes the item of a booking in the user's partition. It creates the item if other
// software has not, and keeps what other software has stored in it.
func relate(tx *dynastay.Tx, b *Booking) error {
	at, err := key.Of(venuekeys.UserBooking{UserID: b.UserID, BookingID: b.ID})
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
	tx.Update(venuekeys.Table, at, written.With(values))
	return nil
}

var (
	related       = dynastay.MustCompile(expression.NewBuilder().WithUpdate(relating()))
	relatedInSlot = dynastay.MustCompile(expression.NewBuilder().WithUpdate(
		relating().Set(dynastay.NameOf("timeSlot"), dynastay.Param("slot"))))
)

func relating() expression.UpdateBuilder {
	return expression.Set(dynastay.NameOf("entityType"), dynastay.Param("type")).
		Set(dynastay.NameOf(attrBookingID), dynastay.Param("booking")).
		Set(dynastay.NameOf("date"), dynastay.Param("date")).
		Set(dynastay.NameOf("duration"), dynastay.Param("duration")).
		Set(dynastay.NameOf(attrStatus), dynastay.Param("status"))
}

// counting is a change of a user's statistics: the usual one, and that for a count to which nothing can be added. Both
// move countsMoved, which tells a recount that the counts have changed.
type counting struct{ usual, first *dynastay.Compiled }

var (
	requested = dynastay.NameOf(attrRequested)
	approved  = dynastay.NameOf(attrApproved)
	userThere = expression.AttributeExists(dynastay.NameOf(venuekeys.Table.Key.Partition))

	requests  = more(requested)
	approvals = more(approved)
	// Not below zero: other software may have approved the booking without counting it.
	ends = counting{
		moving(expression.Add(approved, expression.Value(-1)), approved.GreaterThanEqual(expression.Value(1))),
		moving(expression.UpdateBuilder{}, userThere.And(expression.Not(approved.GreaterThanEqual(expression.Value(1))))),
	}
)

// more counts one more.
func more(count expression.NameBuilder) counting {
	return counting{
		moving(expression.Add(count, expression.Value(1)), userThere.And(count.AttributeNotExists().Or(count.AttributeType(expression.Number)))),
		moving(expression.Set(count, expression.Value(1)), count.AttributeType(expression.Null)),
	}
}

func moving(change expression.UpdateBuilder, condition expression.ConditionBuilder) *dynastay.Compiled {
	return dynastay.MustCompile(expression.NewBuilder().
		WithUpdate(change.Add(dynastay.NameOf(attrMoves), expression.Value(1))).WithCondition(condition))
}

// count adds the action that changes the statistics of a user. A request needs its user. Later the user may be gone;
// then there is nothing to count.
func (n *counts) count(tx *dynastay.Tx, userID, attr string, c counting) error {
	at, err := key.Of(venuekeys.User{UserID: userID})
	if err != nil {
		return err
	}
	if n.gone {
		tx.Check(venuekeys.Table, at, dynastay.IfNew(venuekeys.Table), func(dynastay.Row) error {
			n.gone = false
			return dynastay.ErrOvertaken
		})
		return nil
	}
	change := c.usual
	if n.missing {
		change = c.first
	}
	tx.Update(venuekeys.Table, at, change.With(nil)).Else(func(user dynastay.Row) error {
		kind := user.Value(attr).Kind()
		switch {
		case !user.Exists() && attr == attrRequested:
			return &dynastay.Error{Entity: "User", ID: userID, Kind: dynastay.ErrNotFound}
		case !user.Exists():
			n.gone = true
		case kind != dynastay.KindMissing && kind != dynastay.KindNull && kind != dynastay.KindNumber:
			return &dynastay.Error{Entity: "User", ID: userID, Field: attr, Kind: dynastay.ErrCorrupt, Err: errNotCounted}
		default:
			n.missing = !n.missing
		}
		return dynastay.ErrOvertaken
	})
	return nil
}

var errNotCounted = errors.New("must be a number")
