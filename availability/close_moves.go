package availability

import (
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// salesMove is one way to close or reopen sales. The prefix of a closing's id says who closed, and so who may
// reopen.
type salesMove struct {
	direction
	op           string
	prefix       string // of the ids that it writes
	step         func(dynastay.Row) step
	notSuspended bool // refused while the property is suspended or being deleted
	roomExists   bool // refused if the room type does not exist
}

// step is what a move does with a guard that was read.
type step int

const (
	change step = iota
	keep        // the guard is as it should be, but its nights may not be
	hold        // like keep, on condition that the guard does not change before the transaction
	leave       // the guard and its nights
)

var (
	closeSales = salesMove{direction: closing, op: "availability.CloseSales", notSuspended: true, step: func(guard dynastay.Row) step {
		// If the guard was closed for another reason, it may be reopened without the host, but the host's own closing
		// must last.
		if !isClosed(guard) || closedBy(guard, keys.ClosedByStatus, keys.ClosedByWithdrawal) {
			return change
		}
		return keep
	}}
	reopenSales = salesMove{
		direction: reopening, op: "availability.ReopenSales", notSuspended: true, roomExists: true,
		step: func(guard dynastay.Row) step {
			if !guard.Exists() || isReopened(guard) { // no guard: a room type of other software, which was never closed
				return keep
			}
			return change
		},
	}
	suspend = salesMove{direction: closing, op: "availability.SuspendSales", prefix: keys.ClosedByStatus, step: func(guard dynastay.Row) step {
		switch {
		case !isClosed(guard):
			return change
		case closedBy(guard, keys.ClosedByStatus):
			return keep // it is reopened only together with the status, on which the transaction depends
		}
		return hold
	}}
	resume = salesMove{direction: reopening, op: "availability.ResumeSales", prefix: keys.ClosedByStatus, step: func(guard dynastay.Row) step {
		switch {
		case closedBy(guard, keys.ClosedByStatus):
			return change
		case isReopened(guard) && !isClosed(guard):
			return keep
		}
		return leave
	}}
	withdraw = salesMove{
		direction: closing, op: opWithdraw, prefix: keys.ClosedByWithdrawal, roomExists: true,
		step: func(guard dynastay.Row) step {
			if !isClosed(guard) {
				return change
			}
			return keep
		},
	}
)

// putBack reopens the guard that a withdrawal closed.
func putBack(id string) salesMove {
	m := reopenSales
	m.op = opWithdraw
	m.step = func(guard dynastay.Row) step {
		if guard.Text(keys.AttrClosed) == id {
			return change
		}
		return leave
	}
	return m
}

func isClosed(guard dynastay.Row) bool   { return !guard.Value(keys.AttrClosed).IsNull() }
func isReopened(guard dynastay.Row) bool { return !guard.Value(keys.AttrReopened).IsNull() }

func closedBy(guard dynastay.Row, prefixes ...string) bool {
	id := guard.Text(keys.AttrClosed)
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}
