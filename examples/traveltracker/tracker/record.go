package tracker

import (
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
)

// applyProfile adds the action that writes the profile. It moves the guard of a changed address.
func (a *application) applyProfile(tx *dynastay.Tx, p part) error {
	before, err := a.r.profile.Value(a.profileRow)
	if err != nil {
		return err
	}
	c := a.conflict(p)
	c.Profile, c.ProfileEdit = before, profileEditOf(p.edit, a.r.profile.Codec)
	is := state{exists: true, version: before.Version, stamp: before.stamp, waited: a.waited}
	how := resolve(is, a.version(p), p.edit.fields, a.rule, c)
	after := before
	if how.outcome == Applied {
		at, err := a.r.profile.Key(before)
		if err != nil {
			return err
		}
		change, err := a.r.profiles.ChangeOf(at, a.profileRow, func(u *Profile) error {
			by := Stamp{Version: u.Version + 1, At: a.received(), DeviceID: a.deviceID}
			stamps := u.stamps()
			if err := applied(a.r.profile.Codec, u, p.edit, how.fields); err != nil {
				return err
			}
			u.Stamps = stamps.stamped(how.fields, by)
			return nil
		})
		if err != nil {
			return err
		}
		if err := change.AddTo(tx); err != nil {
			return err
		}
		after = change.After
	}
	return a.record(tx, p, how, nil, after)
}

// record adds the entry of a part to the log, or to what waits for a decision, and remembers the answer.
func (a *application) record(tx *dynastay.Tx, p part, how resolution, v *Visit, u *Profile) error {
	e := &Entry{
		OperationID: p.id, UserID: a.userID, DeviceID: a.deviceID, Type: p.kind, Entity: a.op.entity(), EntityID: a.entityID(p),
		ClientVersion: a.op.ClientVersion, ClientTime: a.op.ClientTime, Visit: v, Profile: u,
	}
	if how.conflict != nil {
		e.Conflicts, e.Strategy = how.conflict.Fields, a.rule.name
	}
	answer := seenPart{Outcome: how.outcome, EntityID: e.EntityID, Conflicts: e.Conflicts}
	switch how.outcome {
	case Waiting:
		e.Status, e.At, e.Visit, e.Profile, e.pending = StatusPending, a.r.db.Now(), nil, nil, p.edit.pending()
		answer.PendingAt = e.At
	case Rejected:
		e.Status = StatusConflict
	default:
		e.Status = StatusApplied
	}
	if how.outcome != Waiting {
		e.ServerVersion, e.At = a.log.next()
		e.Expires = e.At.Add(entryLife) // a cursor is as old as its entry, whatever the clocks do
	}
	result := Result{OperationID: p.id, Outcome: how.outcome, Visit: v, Profile: u, Conflict: how.conflict}
	switch {
	case v != nil:
		answer.Version = v.Version
	case u != nil:
		answer.Version = u.Version
	}
	result.Version = answer.Version
	a.answers, a.results = append(a.answers, answer), append(a.results, result)
	if how.outcome == Waiting && a.waited != nil {
		return nil
	}
	item, err := a.r.entry.Item(e)
	if err == nil {
		tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
	}
	return err
}

func (a *application) entityID(p part) string {
	if a.op.entity() == User {
		return a.userID
	}
	return p.visit.text()
}

// result is the answer to the operation. That of a batch has one for each visit.
func (a *application) result() Result {
	if a.op.Type != BatchCreate {
		return a.results[0]
	}
	all := Result{OperationID: a.op.ID, Outcome: Applied, Parts: a.results}
	for _, result := range a.results {
		if result.Outcome != Applied && result.Outcome != AlreadyApplied && all.Outcome != Waiting {
			all.Outcome = result.Outcome
		}
	}
	return all
}

// again answers an operation that was sent before, with the visits and the profile as they are now.
func (a *application) again(row dynastay.Row, hash string) (Result, error) {
	s, err := a.r.seen.Value(row)
	if err != nil {
		return Result{}, err
	}
	if s.Hash != hash {
		return Result{}, dynastay.Invalid("ID", "is that of another operation, which was sent before")
	}
	for i, p := range a.parts {
		result := Result{OperationID: p.id, Outcome: s.Parts[i].Outcome, Version: s.Parts[i].Version}
		if result.Outcome == Applied {
			result.Outcome = AlreadyApplied
		}
		if fields := s.Parts[i].Conflicts; len(fields) > 0 {
			result.Conflict = &Conflict{OperationID: p.id, DeviceID: a.deviceID, Type: p.kind, Fields: fields}
		}
		switch {
		case a.op.entity() == User:
			result.Profile, err = a.r.profile.Value(a.profileRow)
		case a.visits[i].Exists():
			result.Visit, err = a.r.visit.Value(a.visits[i])
		}
		if err != nil {
			return Result{}, err
		}
		if v := result.Visit; v != nil && v.gone(a.r.db.Now()) {
			result.Visit = nil
		}
		a.results = append(a.results, result)
	}
	result := a.result()
	if a.op.Type == BatchCreate && result.Outcome == Applied {
		result.Outcome = AlreadyApplied
	}
	return result, nil
}

// pending returns what an operation that waits for a decision wants to write: NULL removes a field.
func (e edit) pending() dynastay.Item {
	item := dynastay.Item{}
	for _, f := range e.fields {
		item[string(f)] = dynastay.NullValue().Stored()
		if v := e.values[string(f)]; v != nil {
			item[string(f)] = v
		}
	}
	return item
}

// editOf is the reverse of pending: NULL is read as a field without a value.
func editOf(item dynastay.Item, of EntityType) edit {
	e, fields := edit{values: item}, visitFields
	if of == User {
		fields = profileFields
	}
	for _, f := range fields {
		if _, there := item[string(f)]; there {
			e.fields = append(e.fields, f)
		}
	}
	return e
}

// visitEditOf returns an edit for a caller who decides about it.
func visitEditOf(e edit, codec entity.Codec[Visit]) (out VisitEdit) {
	var v Visit
	if applied(codec, &v, e, e.fields) != nil {
		return VisitEdit{} // it was encoded by the same codec
	}
	get(e.fields, RegionName, &v.RegionName, &out.RegionName)
	get(e.fields, VisitedDate, &v.VisitedDate, &out.VisitedDate)
	get(e.fields, Notes, &v.Notes, &out.Notes)
	return out
}

func profileEditOf(e edit, codec entity.Codec[Profile]) (out ProfileEdit) {
	var p Profile
	if applied(codec, &p, e, e.fields) != nil {
		return ProfileEdit{}
	}
	get(e.fields, Email, &p.Email, &out.Email)
	get(e.fields, DisplayName, &p.DisplayName, &out.DisplayName)
	get(e.fields, PictureURL, &p.PictureURL, &out.PictureURL)
	get(e.fields, Privacy, &p.Privacy, &out.Privacy)
	get(e.fields, Notifications, &p.Notifications, &out.Notifications)
	return out
}

func get[V any](fields []Field, f Field, from *V, to **V) {
	if slices.Contains(fields, f) {
		*to = from
	}
}
