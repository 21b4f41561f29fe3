package bookings_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/bookings"
)

// stayCall is one call in the history of one night: a booking, or a move of one, with its result.
type stayCall struct {
	to      bookings.Status // what the call is to make of the booking
	booking int             // its number; a sale that was refused has none
	rooms   int
	refused error // nil if the call succeeded

	// The hold's end, and the clock of the process when the call began and when it returned. A move reads the clock before
	// it writes, so what the time allows was true at some moment of the call, though not always when the booking changed.
	ends, from, until time.Time
}

// errSoldOut is the refusal of a sale.
var errSoldOut = errors.New("sold out")

// stays is the state of the model: the rooms left on the night, and the status of each booking, one letter each. It can be
// compared.
type stays struct {
	left     int
	statuses string
}

// letters are those of the statuses that the model has. A booking that has not been made yet has a blank.
var letters = map[bookings.Status]byte{
	bookings.Pending: 'p', bookings.Confirmed: 'c', bookings.Cancelled: 'x', bookings.Expired: 'e',
}

// sources are the letters of the statuses from which a move is possible.
var sources = map[bookings.Status]string{
	bookings.Confirmed: "p", bookings.Expired: "p", bookings.Cancelled: "pc",
}

const modelGrace = time.Second

// stayModel returns the model of a night with a number of rooms and of the bookings of it, as the documentation describes
// them. A sale succeeds if and only if enough rooms are left at some moment between its call and its return. Caching "sold
// out" would break this, because a sale could be refused although it began after a cancellation had ended. A move succeeds
// if and only if the status of the booking allows it at such a moment, and the time does.
func stayModel(rooms, bookings int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return stays{rooms, strings.Repeat(" ", bookings)} },
		Step: func(state, input, _ any) (bool, any) {
			before, call := state.(stays), input.(stayCall)
			if call.rooms > 0 {
				return call.sold(before)
			}
			return call.moved(before)
		},
	}
}

func (s stays) with(booking int, to bookings.Status) stays {
	statuses := []byte(s.statuses)
	statuses[booking] = letters[to]
	return stays{s.left, string(statuses)}
}

// sold is a booking of some rooms.
func (c stayCall) sold(before stays) (bool, stays) {
	if c.refused != nil {
		return before.left < c.rooms, before
	}
	after := before.with(c.booking, c.to)
	after.left -= c.rooms
	return before.left >= c.rooms, after
}

// moved is a move of a booking, which returns −rooms.
func (c stayCall) moved(before stays) (bool, stays) {
	status := before.statuses[c.booking]
	possible := strings.IndexByte(sources[c.to], status) >= 0
	var state *bookings.StatusError
	switch {
	case c.refused == nil:
		after := before.with(c.booking, c.to)
		after.left -= c.rooms
		return possible && c.timely(), after
	case !errors.As(c.refused, &state) || letters[state.Status] != status:
		return false, before
	case state.Err == nil:
		return !possible, before
	}
	return possible && c.untimely(state.Err), before
}

// timely reports whether the time has allowed the move at some moment of the call.
func (c stayCall) timely() bool {
	switch c.to {
	case bookings.Confirmed:
		return c.from.Before(c.ends)
	case bookings.Expired:
		return !c.until.Before(c.ends.Add(modelGrace))
	}
	return true
}

// untimely reports whether the time has prevented the move, for the reason given, at some moment of the call.
func (c stayCall) untimely(reason error) bool {
	switch c.to {
	case bookings.Confirmed:
		return reason == bookings.ErrHoldEnded && !c.until.Before(c.ends)
	case bookings.Expired:
		return reason == bookings.ErrHoldOpen && c.from.Before(c.ends.Add(modelGrace))
	}
	return false
}

// at places a call in a history.
func (c stayCall) at(call, ret int64) porcupine.Operation {
	return porcupine.Operation{Input: c, Call: call, Return: ret}
}

// The checker of histories rejects what must not happen. Each wrong history stands beside one that is right, and differs
// from it only in what is wrong.
func TestWrongHistoriesAreRejected(t *testing.T) {
	t.Parallel()
	end := booked.Add(time.Minute)
	sale := func(booking int) stayCall { return stayCall{to: bookings.Confirmed, booking: booking, rooms: 1} }
	noSale := stayCall{to: bookings.Confirmed, rooms: 1, refused: errSoldOut}
	held := func(booking int) stayCall { return stayCall{to: bookings.Pending, booking: booking, rooms: 1} }
	cancel := stayCall{to: bookings.Cancelled, rooms: -1}
	confirm := stayCall{to: bookings.Confirmed, ends: end, from: booked, until: booked}
	over := end.Add(modelGrace)
	expire := stayCall{to: bookings.Expired, rooms: -1, ends: end, from: booked, until: over}
	refused := func(c stayCall, status bookings.Status, reason error) stayCall {
		c.rooms, c.refused = 0, &bookings.StatusError{Status: status, Err: reason}
		return c
	}
	at := func(c stayCall, from, until time.Time) stayCall {
		c.from, c.until = from, until
		return c
	}
	// Each call of a history begins after the one before has returned; those of together run at the same time.
	type history []porcupine.Operation
	inOrder := func(calls ...stayCall) (h history) {
		for i, c := range calls {
			h = append(h, c.at(int64(10*i), int64(10*i+5)))
		}
		return h
	}
	together := func(calls ...stayCall) (h history) {
		for _, c := range calls {
			h = append(h, c.at(0, 1))
		}
		return h
	}
	for _, test := range []struct {
		name         string
		right, wrong history
	}{
		{"two sales of the last room", together(sale(0), noSale), together(sale(0), sale(1))},
		{"a hold of a room that is sold", inOrder(sale(0), cancel, held(1)), inOrder(sale(0), held(1))},
		{"a sale refused with a room free all the time", inOrder(sale(0), noSale, cancel), inOrder(sale(0), cancel, noSale)},
		{"a sale refused in an empty house", together(noSale, sale(0)), together(noSale)},
		{"a room returned twice",
			inOrder(sale(0), cancel, refused(cancel, bookings.Cancelled, nil)), inOrder(sale(0), cancel, cancel)},
		{"a room returned by two moves at once",
			slices.Concat(inOrder(held(0)), history{expire.at(10, 20), refused(cancel, bookings.Expired, nil).at(10, 20)}),
			slices.Concat(inOrder(held(0)), history{expire.at(10, 20), cancel.at(10, 20)})},
		{"a room sold twice after its return", inOrder(sale(0), cancel, sale(1), noSale), inOrder(sale(0), cancel, sale(1), sale(2))},
		{"a confirmation after the expiry",
			inOrder(held(0), expire, refused(confirm, bookings.Expired, nil)), inOrder(held(0), expire, confirm)},
		{"an expiry after the confirmation",
			inOrder(held(0), confirm, refused(expire, bookings.Confirmed, nil)), inOrder(held(0), confirm, expire)},
		{"a confirmation and a cancellation that both see the hold",
			inOrder(held(0), confirm, cancel), inOrder(held(0), cancel, confirm)},
		{"a refusal with a status of before",
			inOrder(sale(0), cancel, refused(cancel, bookings.Cancelled, nil)), inOrder(sale(0), cancel, refused(cancel, bookings.Confirmed, nil))},
		{"a move refused that was possible",
			inOrder(held(0), confirm, refused(confirm, bookings.Confirmed, nil)), inOrder(held(0), refused(confirm, bookings.Pending, nil))},
		{"a confirmation after the end",
			inOrder(held(0), at(confirm, end.Add(-1), over)), inOrder(held(0), at(confirm, end, over))},
		{"an expiry before the end",
			inOrder(held(0), at(expire, booked, over)), inOrder(held(0), at(expire, booked, over.Add(-1)))},
		{"a confirmation refused before the end",
			inOrder(held(0), refused(at(confirm, booked, end), bookings.Pending, bookings.ErrHoldEnded)),
			inOrder(held(0), refused(at(confirm, booked, end.Add(-1)), bookings.Pending, bookings.ErrHoldEnded))},
		{"an expiry refused after the end",
			inOrder(held(0), refused(at(expire, over.Add(-1), over), bookings.Pending, bookings.ErrHoldOpen)),
			inOrder(held(0), refused(at(expire, over, over), bookings.Pending, bookings.ErrHoldOpen))},
		{"a cancellation refused that was possible",
			inOrder(held(0), cancel), inOrder(held(0), refused(cancel, bookings.Pending, bookings.ErrTooLate))},
		{"a refusal because of the time where it is the status",
			inOrder(held(0), confirm, refused(at(confirm, booked, end), bookings.Confirmed, nil)),
			inOrder(held(0), confirm, refused(at(confirm, booked, end), bookings.Confirmed, bookings.ErrHoldEnded))},
		{"a confirmation refused for the reason of an expiry",
			inOrder(held(0), refused(at(confirm, booked, over), bookings.Pending, bookings.ErrHoldEnded)),
			inOrder(held(0), refused(at(confirm, booked, over), bookings.Pending, bookings.ErrHoldOpen))},
		{"an expiry refused for the reason of a confirmation",
			inOrder(held(0), refused(at(expire, booked, over), bookings.Pending, bookings.ErrHoldOpen)),
			inOrder(held(0), refused(at(expire, booked, over), bookings.Pending, bookings.ErrHoldEnded))},
	} {
		assert.True(t, porcupine.CheckOperations(stayModel(1, 3), test.right), "without %s", test.name)
		assert.False(t, porcupine.CheckOperations(stayModel(1, 3), test.wrong), test.name)
	}
}
