package tracker

import (
	"slices"
	"time"
)

// Rule resolves conflicts. A conflict is a field that an operation writes, and that another device has written after the
// version that the operation is based on; if the server has not reached that version, any field that another device has
// written. A deletion conflicts with every field that another device has written since,
// and every change of a visit that another device has deleted conflicts with the deletion.
//
// A device is never in conflict with itself, except that an operation that waits for a decision conflicts with what its
// device has written since.
type Rule struct {
	name   string
	decide func(*Conflict) Decision
}

// The rules. [Decide] turns a function into a Rule.
var (
	// ServerWins rejects an operation that conflicts: what is stored wins.
	ServerWins = Rule{"server_wins", func(*Conflict) Decision { return KeepServer() }}
	// ClientWins carries out an operation that conflicts.
	ClientWins = Rule{"client_wins", func(*Conflict) Decision { return TakeClient() }}
	// LastWriter carries out an operation that conflicts if it is later than all writes that it conflicts with, by the
	// clocks of the devices. If the times are equal, the larger device id wins.
	LastWriter = Rule{"last_writer", func(c *Conflict) Decision {
		if c.later(c.Fields) {
			return TakeClient()
		}
		return KeepServer()
	}}
	// MergeFields decides for each field as LastWriter does, and takes the fields that do not conflict. If either side
	// has deleted the visit, the last writer decides about the deletion first.
	MergeFields = Rule{"merge", merge}
)

// Decide returns a rule that asks a function. It is called while the operation is being written, possibly more than
// once, so it must not write through the same DB.
func Decide(decide func(*Conflict) Decision) Rule { return Rule{"function", decide} }

func merge(c *Conflict) Decision {
	deleted := func(f FieldConflict) bool { return f.Field == Deleted }
	switch {
	case c.Type == Delete:
		return LastWriter.decide(c)
	case slices.ContainsFunc(c.Fields, deleted):
		if !c.later(slices.DeleteFunc(slices.Clone(c.Fields), func(f FieldConflict) bool { return !deleted(f) })) {
			return KeepServer()
		}
		if c.Type == Create { // nothing of the deleted visit is left
			return TakeClient()
		}
	}
	var take []Field
	for _, f := range c.changed {
		i := slices.IndexFunc(c.Fields, func(other FieldConflict) bool { return other.Field == f })
		if i < 0 || c.later(c.Fields[i:i+1]) {
			take = append(take, f)
		}
	}
	return TakeFields(take...)
}

// Conflict is an operation with the fields that conflict.
type Conflict struct {
	OperationID string
	DeviceID    string
	Type        OperationType
	Time        time.Time // of the device, at most the time of receipt
	Fields      []FieldConflict

	// The server's visit or profile, and what the device wants to write. Visit is nil if it does not exist.
	Visit       *Visit
	Profile     *Profile
	VisitEdit   VisitEdit
	ProfileEdit ProfileEdit

	changed []Field // all fields that the operation writes
}

// FieldConflict is a field that another device has written.
type FieldConflict struct {
	Field
	Stamp
}

// later reports whether the operation is later than the writes of some fields.
func (c *Conflict) later(than []FieldConflict) bool {
	own := Stamp{At: c.Time, DeviceID: c.DeviceID}
	return !slices.ContainsFunc(than, func(f FieldConflict) bool { return own.compare(f.Stamp) <= 0 })
}

// Decision is the answer to a conflict.
type Decision struct {
	kind   decisionKind
	fields []Field
}

type decisionKind int

const (
	keepServer decisionKind = iota
	takeClient
	takeFields
	ask
)

// KeepServer rejects the operation. It is the zero Decision.
func KeepServer() Decision { return Decision{} }

// TakeClient carries out the operation.
func TakeClient() Decision { return Decision{kind: takeClient} }

// TakeFields carries out the operation for the given fields of those that it writes, and for no others, not even for
// fields that do not conflict. Without any of them,
// it is [KeepServer]. For a [Delete], which has no fields, it is KeepServer too.
func TakeFields(fields ...Field) Decision { return Decision{kind: takeFields, fields: fields} }

// Ask keeps the operation until a person has decided: see [Repository.Settle].
func Ask() Decision { return Decision{kind: ask} }

// resolution is what becomes of one part of an operation.
type resolution struct {
	outcome  Outcome // Applied, Rejected or Waiting
	fields   []Field // that are written
	conflict *Conflict
}

// state is what the server has of a visit or a profile.
type state struct {
	exists, deleted bool
	version         int
	stamp           func(Field) Stamp
	fields          []Field
	// The version when an operation began to wait, which is settled now; nil for others. What its own device has written
	// since is newer, and not a part of what the operation is based on.
	waited *int
}

// since reports whether a field was written after a version. One that the server has not reached is not of this visit or
// profile: all of it was written since.
func (s state) since(version int, by Stamp) bool { return by.Version > version || version > s.version }

// resolve decides what becomes of a change. c has the device, the time, and the type of the operation.
// See docs/decisions/0020-travel-tracker.md for why fields are compared, not visits.
func resolve(s state, version int, changed []Field, rule Rule, c *Conflict) resolution {
	after := func(f Field) bool {
		stamp := s.stamp(f)
		return s.since(version, stamp) && stamp.DeviceID != c.DeviceID || s.waited != nil && s.since(*s.waited, stamp)
	}
	clash := func(fields ...Field) {
		for _, f := range fields {
			if after(f) {
				c.Fields = append(c.Fields, FieldConflict{f, s.stamp(f)})
			}
		}
	}
	c.changed = changed
	switch {
	case !s.exists && c.Type == Create:
		return resolution{Applied, changed, nil}
	case !s.exists, s.deleted && c.Type != Create && !after(Deleted):
		// It is gone, as the device could know; nothing brings it back but a create. What is missing counts as deleted.
		c.Fields = []FieldConflict{{Field: Deleted}}
		if s.exists {
			c.Fields[0].Stamp = s.stamp(Deleted)
		}
		return resolution{Rejected, nil, c}
	case s.deleted && c.Type == Create:
		clash(Deleted)
	case s.deleted:
		clash(append([]Field{Deleted}, changed...)...)
	case c.Type == Delete:
		clash(s.fields...)
	default:
		clash(changed...)
	}
	if len(c.Fields) == 0 {
		return resolution{Applied, changed, nil}
	}
	switch d := rule.decide(c); {
	case d.kind == ask:
		return resolution{Waiting, nil, c}
	case d.kind == takeClient:
		return resolution{Applied, changed, c}
	case d.kind == takeFields:
		fields := slices.DeleteFunc(slices.Clone(changed), func(f Field) bool { return !slices.Contains(d.fields, f) })
		if len(fields) > 0 {
			return resolution{Applied, fields, c}
		}
	}
	return resolution{Rejected, nil, c}
}
