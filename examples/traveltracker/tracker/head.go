package tracker

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// head is the state of a user's log. Every entry is written together with it, on condition that it has not changed since
// it was read, so the entries have numbers without gaps, and times that only rise, whatever the clocks of the servers do.
// See docs/decisions/0020-travel-tracker.md for why its times alone do not suffice.
type head struct {
	UserID  string
	Version int       // the number of the last entry
	Last    time.Time // the time of the last entry, whole milliseconds
	Erased  time.Time // when the user was erased; then nothing is written any more
	Updated time.Time
}

func newHeads() *entity.Entity[head] {
	return entity.New(entity.Spec[head]{
		Name: "Log", Operations: "tracker", Schema: keys.Table, Updated: "updated_at",
		Key: func(h *head) (dynastay.Key, error) { return key.Of(keys.Head{UserID: h.UserID}) },
		Codec: entity.Declare(func(f *entity.Fields, h *head) {
			f.String("user_id", &h.UserID)
			f.Int("server_version", &h.Version)
			last := int(h.Last.UnixMilli())
			f.Int("last_ms", &last)
			if f.Decoding() {
				h.Last = time.UnixMilli(int64(last)).UTC()
			}
			f.Time("erased_at", &h.Erased)
			f.Time("updated_at", &h.Updated)
			f.Const("schema_version", schemaVersion)
		}),
	})
}

// log is a user's log while an operation is prepared.
type log struct {
	r    *Repository
	row  dynastay.Row // of the head, as read
	head head
}

// openLog takes the head as it was read. It fails with [dynastay.ErrNotFound] if the user was erased.
func (r *Repository) openLog(userID string, row dynastay.Row) (*log, error) {
	l := &log{r: r, row: row, head: head{UserID: userID}}
	if row.Exists() {
		h, err := r.head.Value(row)
		if err != nil {
			return nil, err
		}
		l.head = *h
	}
	if !l.head.Erased.IsZero() {
		return nil, r.noUser(userID)
	}
	return l, nil
}

func (r *Repository) noUser(userID string) error {
	return &dynastay.Error{Entity: "User", ID: userID, Kind: dynastay.ErrNotFound}
}

// next takes the next number and time. A clock that has gone back does not matter, nor one that is behind another's.
func (l *log) next() (version int, at time.Time) {
	l.head.Version++
	l.head.Last = later(l.r.db.Now(), l.head.Last.Add(time.Millisecond))
	return l.head.Version, l.head.Last
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// close adds the action that writes the head or, if no number was taken, the one that checks that it has not changed.
func (l *log) close(tx *dynastay.Tx) error {
	at, err := key.Of(keys.Head{UserID: l.head.UserID})
	if err != nil {
		return err
	}
	if !l.row.Exists() {
		if l.head.Version == 0 {
			tx.Check(keys.Table, at, dynastay.IfNew(keys.Table), overtaken)
			return nil
		}
		l.head.Updated = l.r.db.Now()
		item, err := l.r.head.Item(&l.head)
		if err == nil {
			tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
		}
		return err
	}
	c, err := l.r.heads.ChangeOf(at, l.row, func(h *head) error {
		h.Version, h.Last = l.head.Version, l.head.Last
		return nil
	})
	if err != nil {
		return err
	}
	if !c.Changed() {
		tx.Check(keys.Table, at, unchanged(l.row, l.r.head.Known()...), overtaken)
		return nil
	}
	return c.AddTo(tx)
}

func unchanged(row dynastay.Row, known ...string) dynastay.Expr {
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(dynastay.Unchanged(keys.Table, row, known...))).With(nil)
}

// overtaken lets an operation be prepared again: something has changed since it was read.
func overtaken(dynastay.Row) error { return dynastay.ErrOvertaken }

// contend queues for the log of a user, which every write of the user's changes.
func contend(ctx context.Context, tx *dynastay.Tx, userID string) error {
	at, err := key.Of(keys.Head{UserID: userID})
	if err != nil {
		return err
	}
	return tx.Contend(ctx, dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.Table, at)}})
}
