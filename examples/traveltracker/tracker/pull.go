package tracker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// ErrSnapshotNeeded: the log does not have all changes since the cursor any more. The device must read a [Snapshot].
var ErrSnapshotNeeded = dynastay.Refusal("the log does not go back that far; a snapshot is needed")

// Cursor is the position of a device in the log of its user. The zero Cursor is that of a new device, which needs a
// snapshot. Devices keep it as text.
type Cursor struct {
	At      time.Time // the server's time of the last entry that the device has read
	Version int       // and its number
}

// MarshalText returns the form 1731230100250.17.
func (c Cursor) MarshalText() ([]byte, error) {
	at := int64(0)
	if !c.At.IsZero() {
		at = c.At.UnixMilli()
	}
	return fmt.Appendf(nil, "%013d.%d", at, c.Version), nil
}

// UnmarshalText parses the form of [Cursor.MarshalText]; empty text is the zero Cursor. Its error matches
// [dynastay.ErrCursor].
func (c *Cursor) UnmarshalText(text []byte) error {
	*c = Cursor{}
	if len(text) == 0 {
		return nil
	}
	at, version, _ := strings.Cut(string(text), ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	n, err2 := strconv.Atoi(version)
	read := Cursor{Version: n}
	if ms != 0 || n != 0 {
		read.At = time.UnixMilli(ms).UTC()
	}
	if again, _ := read.MarshalText(); err != nil || err2 != nil || len(at) != 13 || ms < 0 || n < 0 || string(again) != string(text) {
		return &dynastay.Error{Kind: dynastay.ErrCursor, Err: dynastay.Invalid("Cursor", "is malformed")}
	}
	*c = read
	return nil
}

// Change is an operation that was applied, with the visit or the profile that it left.
type Change struct {
	ServerVersion int // the number of the change; a device that has seen a larger one for an entity ignores it
	At            time.Time
	OperationID   string
	DeviceID      string
	Visit         *Visit // one of the two is set
	Profile       *Profile
}

// Changes is what a pull returns.
type Changes struct {
	Changes []Change
	Next    Cursor
	More    bool // there may be more; pull again with Next
}

// pullLife is a day less than the log keeps an entry: a server whose clock is slow must not take a cursor for a recent one
// while DynamoDB, by its own clock, has already removed the entry behind it.
const pullLife = entryLife - 24*time.Hour

// maxPull is the largest number of entries that one pull reads.
const maxPull = 1000

// Pull returns the changes of a user after a cursor, in the order in which they were applied, including the device's
// own. limit is the largest number of entries to read, from 1 to 1,000; 0 means 100. The entries of operations that were
// rejected are read, but they are no changes.
//
// It fails with [ErrSnapshotNeeded] if the log does not have all changes any more. It does not check that the
// user exists; [Repository.Push] does.
//
// Pattern T16: PK = SYNC#{user_id}, SK from OP#{ms} on, consistent, 1 request
func (r *Repository) Pull(ctx context.Context, userID string, after Cursor, limit int) (Changes, error) {
	switch {
	case limit == 0:
		limit = 100
	case limit < 0 || limit > maxPull:
		return Changes{}, dynastay.Invalid("limit", "must be between 1 and %d", maxPull)
	}
	if r.db.Now().Sub(after.At) > pullLife {
		return r.pullOld(ctx, userID, after)
	}
	changes := Changes{Next: after}
	again := false
	for {
		entries, more, err := r.entriesAfter(ctx, userID, changes.Next, limit)
		if err != nil {
			return Changes{}, err
		}
		gap := false
		for _, e := range entries {
			if gap = e.ServerVersion != changes.Next.Version+1; gap {
				break
			}
			changes.Next = Cursor{At: e.At, Version: e.ServerVersion}
			if e.Status == StatusApplied {
				changes.Changes = append(changes.Changes, Change{
					ServerVersion: e.ServerVersion, At: e.At, OperationID: e.OperationID, DeviceID: e.DeviceID,
					Visit: e.Visit, Profile: e.Profile,
				})
			}
			limit--
		}
		switch {
		case !gap:
			changes.More = more
			return changes, nil
		case !again:
			// A Query reads one item after another, so it may have passed the place of an entry before the entry was there,
			// and then have read the one behind it. A Query that begins now must see both.
			again = true
		case len(changes.Changes) > 0:
			changes.More = true
			return changes, nil
		default:
			return Changes{}, ErrSnapshotNeeded
		}
	}
}

// pullOld answers a pull with a cursor that is older than the log. If nothing has happened since, nothing is missing.
func (r *Repository) pullOld(ctx context.Context, userID string, after Cursor) (Changes, error) {
	h, err := r.readHead(ctx, userID)
	if err != nil {
		return Changes{}, err
	}
	if after.At.IsZero() || h.Version != after.Version {
		return Changes{}, ErrSnapshotNeeded
	}
	return Changes{Next: after}, nil
}

// readHead returns the zero head for a user without a log. It fails with [dynastay.ErrNotFound] if the user was erased.
func (r *Repository) readHead(ctx context.Context, userID string) (head, error) {
	at, err := key.Of(keys.Head{UserID: userID})
	if err != nil {
		return head{}, err
	}
	row, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return head{}, err
	}
	l, err := r.openLog(userID, row)
	if err != nil {
		return head{}, err
	}
	return l.head, nil
}

// entriesAfter reads entries consistently. An entry that cannot be read is an error: a pull that left it out would lose
// a change.
func (r *Repository) entriesAfter(ctx context.Context, userID string, after Cursor, limit int) ([]*Entry, bool, error) {
	from, err := key.SortPrefix(keys.Entry{UserID: userID, At: after.At.Add(time.Millisecond)})
	if err != nil {
		return nil, false, dynastay.Within("after", err)
	}
	partition, err := key.Partition(keys.Entry{UserID: userID})
	if err != nil {
		return nil, false, err
	}
	page, err := r.entries.List(dynastay.Query{
		Name: "tracker.Pull", Partition: partition, Range: dynastay.Range{From: from, To: entriesEnd}, Consistent: true,
	}).Page(ctx, dynastay.Paging{Limit: limit})
	return page.Items, page.Next != "", err
}

// entriesEnd sorts after all entries of a log.
const entriesEnd = "OP#:"
