package keys

import (
	"time"

	"github.com/dynastay/dynastay/keys/key"
)

// Head is the item with the state of a user's log: SYNC#{UserID} / HEAD.
type Head struct{ UserID string }

func (k *Head) Form(f *key.Form) {
	f.PK("SYNC#", key.ID("UserID", &k.UserID))
	f.SK("HEAD")
}

// Entry is the item of an entry of a user's log: SYNC#{UserID} / OP#{At}#{OperationID}. At is the server's time, which
// no other entry of the user has.
type Entry struct {
	UserID      string
	At          time.Time
	OperationID string
}

func (k *Entry) Form(f *key.Form) {
	f.PK("SYNC#", key.ID("UserID", &k.UserID))
	f.SK("OP#", key.Millis("At", &k.At), "#", key.ID("OperationID", &k.OperationID))
}

// Pending is the item of an operation that waits for a decision: SYNC#{UserID} / PENDING#{At}#{OperationID}.
type Pending struct {
	UserID      string
	At          time.Time
	OperationID string
}

func (k *Pending) Form(f *key.Form) {
	f.PK("SYNC#", key.ID("UserID", &k.UserID))
	f.SK("PENDING#", key.Millis("At", &k.At), "#", key.ID("OperationID", &k.OperationID))
}

// Seen is the item that remembers an operation: SYNC#{UserID} / SEEN#{OperationID}.
type Seen struct{ UserID, OperationID string }

func (k *Seen) Form(f *key.Form) {
	f.PK("SYNC#", key.ID("UserID", &k.UserID))
	f.SK("SEEN#", key.ID("OperationID", &k.OperationID))
}

// EntryByStatus is the row of an [Entry] or a [Pending] in [Index1]: SYNC_STATUS#{Status} /
// TIMESTAMP#{At}#OP#{OperationID}.
type EntryByStatus struct {
	Status      string
	Shard       int
	At          time.Time
	OperationID string
}

func (k *EntryByStatus) Form(f *key.Form) {
	f.PK("SYNC_STATUS#", key.Word("Status", &k.Status), key.Shard("Shard", &k.Shard))
	f.SK("TIMESTAMP#", key.Millis("At", &k.At), "#OP#", key.ID("OperationID", &k.OperationID))
}

// EntryByDevice is the row of an [Entry] or a [Pending] in [Index2]: USER#{UserID}#{DeviceID} / OP#{At}#{OperationID}.
type EntryByDevice struct {
	UserID, DeviceID string
	At               time.Time
	OperationID      string
}

func (k *EntryByDevice) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID), "#", key.ID("DeviceID", &k.DeviceID))
	f.SK("OP#", key.Millis("At", &k.At), "#", key.ID("OperationID", &k.OperationID))
}
