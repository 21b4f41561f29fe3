package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

const opPush = "tracker.Push"

// applyOp applies one operation of a device.
func (r *Repository) applyOp(userID, deviceID string, o Operation, rule Rule) *dynastay.Operation[Result] {
	o.ClientTime = o.ClientTime.UTC().Truncate(time.Millisecond)
	parts, invalid := r.parts(o)
	hash := ""
	if invalid == nil {
		hash = o.hash(deviceID, parts)
	}
	return dynastay.NewOp(dynastay.OpSpec[Result]{
		Name: opPush, Invalid: invalid,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Result, error) {
			a := &application{r: r, userID: userID, deviceID: deviceID, op: o, parts: parts, rule: rule}
			if err := contend(ctx, tx, userID); err != nil {
				return Result{}, err
			}
			seenAt, err := key.Of(keys.Seen{UserID: userID, OperationID: o.ID})
			if err != nil {
				return Result{}, err
			}
			rows, err := a.readWith(ctx, seenAt)
			if err != nil {
				return Result{}, err
			}
			if rows[0].Exists() {
				return a.again(rows[0], hash)
			}
			if err := a.apply(ctx, tx); err != nil {
				return Result{}, err
			}
			now := r.db.Now()
			s := seen{UserID: userID, OperationID: o.ID, Hash: hash, Parts: a.answers, At: now, Updated: now}
			item, err := r.seen.Item(&s)
			if err != nil {
				return Result{}, err
			}
			tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
			return a.result(), nil
		},
	})
}

// application is one operation while it is prepared.
type application struct {
	r                *Repository
	userID, deviceID string
	op               Operation
	parts            []part
	rule             Rule
	waited           *int      // the version when it began to wait, if it waits already
	receivedAt       time.Time // when it was received, if that is not now

	log        *log
	profileRow dynastay.Row
	visits     []dynastay.Row // of the parts
	counts     *counts

	answers []seenPart
	results []Result
}

// readWith reads other items and everything that the operation depends on: consistently, because what it decides is
// written.
func (a *application) readWith(ctx context.Context, others ...dynastay.Key) ([]dynastay.Row, error) {
	r := a.r
	head, err := key.Of(keys.Head{UserID: a.userID})
	if err != nil {
		return nil, err
	}
	profile, err := key.Of(keys.Profile{UserID: a.userID})
	if err != nil {
		return nil, err
	}
	wanted := append([]dynastay.Key{head, profile}, others...)
	var visits, counted []dynastay.Key
	if a.op.entity() == VisitedPlace {
		for _, p := range a.parts {
			visit, err := visitKey(a.userID, p.visit)
			if err != nil {
				return nil, err
			}
			count, err := r.count.Key(&regionCount{UserID: a.userID, RegionType: p.visit.RegionType, RegionCode: p.visit.RegionCode})
			if err != nil {
				return nil, err
			}
			visits, counted = append(visits, visit), append(counted, count)
		}
	}
	rows, err := r.db.GetAll(ctx, keys.Table, slices.Concat(wanted, visits, counted), dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	a.profileRow, a.visits = rows[1], rows[len(wanted):len(wanted)+len(visits)]
	a.counts = &counts{r: r, userID: a.userID, rows: map[dynastay.Key]dynastay.Row{}, deltas: map[dynastay.Key]*delta{}}
	for i, at := range counted {
		a.counts.rows[at] = rows[len(wanted)+len(visits)+i]
	}
	if a.log, err = r.openLog(a.userID, rows[0]); err != nil {
		return nil, err
	}
	if !a.profileRow.Exists() {
		return nil, r.noUser(a.userID)
	}
	return rows[2:len(wanted)], nil
}

// apply adds the actions of all parts, of the counters, and of the log's head.
func (a *application) apply(ctx context.Context, tx *dynastay.Tx) error {
	for i := range a.parts {
		if err := a.applyPart(tx, i); err != nil {
			return err
		}
	}
	return a.finish(ctx, tx)
}

func (a *application) applyPart(tx *dynastay.Tx, i int) error {
	if a.op.entity() == User {
		return a.applyProfile(tx, a.parts[i])
	}
	return a.applyVisit(tx, a.parts[i], a.visits[i])
}

func (a *application) finish(ctx context.Context, tx *dynastay.Tx) error {
	if err := a.counts.addTo(ctx, tx, a.profileRow); err != nil {
		return err
	}
	return a.log.close(tx)
}

// received returns the time of an operation, as it counts.
func (a *application) received() time.Time {
	at := a.receivedAt
	if at.IsZero() {
		at = a.r.db.Now()
	}
	if a.op.ClientTime.After(at) {
		return at
	}
	return a.op.ClientTime
}

func (a *application) conflict(p part) *Conflict {
	return &Conflict{OperationID: p.id, DeviceID: a.deviceID, Type: p.kind, Time: a.received()}
}

// version returns the version that a part is based on. A create is based on none.
func (a *application) version(p part) int {
	if p.kind == Create {
		return 0
	}
	return a.op.ClientVersion
}

func (a *application) applyVisit(tx *dynastay.Tx, p part, row dynastay.Row) error {
	v := &Visit{UserID: a.userID, VisitID: p.visit}
	if row.Exists() {
		var err error
		if v, err = a.r.visit.Value(row); err != nil {
			return err
		}
	}
	exists := row.Exists() && !v.gone(a.r.db.Now())
	c := a.conflict(p)
	c.VisitEdit = visitEditOf(p.edit, a.r.visit.Codec)
	if exists {
		c.Visit = v
	}
	is := state{exists: exists, deleted: v.Deleted, version: v.Version, stamp: v.stamp, fields: visitFields, waited: a.waited}
	how := resolve(is, a.version(p), p.edit.fields, a.rule, c)
	if how.outcome == Applied {
		after, err := a.writeVisit(tx, p, row, v, how.fields)
		if err != nil {
			return err
		}
		v = after
	} else if !exists {
		v = nil
	}
	return a.record(tx, p, how, v, nil)
}

// writeVisit adds the action that writes a visit, and counts it.
func (a *application) writeVisit(tx *dynastay.Tx, p part, row dynastay.Row, before *Visit, fields []Field) (*Visit, error) {
	by := 0
	if row.Exists() && !before.Deleted {
		by--
	}
	if p.kind != Delete {
		by++
	}
	if err := a.counts.add(p.visit, by); err != nil {
		return nil, err
	}
	if !row.Exists() || before.gone(a.r.db.Now()) {
		return a.newVisit(tx, p, row, fields)
	}
	at, err := visitKey(a.userID, p.visit)
	if err != nil {
		return nil, err
	}
	c, err := a.r.visits.ChangeOf(at, row, func(v *Visit) error { return a.changeVisit(p, v, fields) })
	if err != nil {
		return nil, err
	}
	err = c.AddTo(tx)
	return c.After, err
}

// newVisit adds the action that puts a visit that does not exist. An expired tombstone is replaced as a whole, because
// DynamoDB may already have removed it.
//
// The first version of a visit is the number of its entry in the log, and each later one has an entry too. So it is larger
// than all versions of an earlier visit with the same id, of which nothing may be left, and what a device bases on one of
// those is in conflict.
func (a *application) newVisit(tx *dynastay.Tx, p part, row dynastay.Row, fields []Field) (*Visit, error) {
	v := &Visit{
		UserID: a.userID, VisitID: p.visit, MarkedFrom: a.deviceID, OperationID: p.id,
		Version: a.log.head.Version + 1, ModifiedAt: a.r.db.Now(),
	}
	v.Stamps = Stamps{}.stamped(visitFields, Stamp{Version: v.Version, At: a.received(), DeviceID: a.deviceID})
	if err := applied(a.r.visit.Codec, v, p.edit, fields); err != nil {
		return nil, err
	}
	item, err := a.r.visit.Item(v)
	if err != nil {
		return nil, err
	}
	condition := dynastay.IfNew(keys.Table)
	if row.Exists() {
		condition = unchanged(row, a.r.visit.Known()...)
	}
	v.WriteID = tx.Put(keys.Table, item).Identified().If(condition, overtaken).WriteID()
	return v, nil
}

func (a *application) changeVisit(p part, v *Visit, fields []Field) error {
	by := Stamp{Version: v.Version + 1, At: a.received(), DeviceID: a.deviceID}
	stamps := v.stamps()
	if p.kind == Create && v.Deleted { // nothing of a deleted visit comes back
		v.RegionName, v.VisitedDate, v.Notes = "", dynastay.Date{}, ""
		stamps = stamps.stamped(visitFields, by)
	}
	if err := applied(a.r.visit.Codec, v, p.edit, fields); err != nil {
		return err
	}
	switch {
	case p.kind == Delete:
		v.Deleted, v.Expires = true, a.r.db.Now().Add(tombstoneLife)
		stamps = stamps.stamped([]Field{Deleted}, by)
	case v.Deleted:
		v.Deleted, v.Expires = false, time.Time{}
		stamps = stamps.stamped([]Field{Deleted}, by)
	}
	v.Stamps, v.OperationID = stamps.stamped(fields, by), p.id
	return nil
}
