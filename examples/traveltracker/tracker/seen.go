package tracker

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// seen remembers an operation for ever. A device may repeat one after months, when the log has forgotten it. Its key has
// no time, so that it is found by the id of the operation alone.
type seen struct {
	UserID      string
	OperationID string
	Hash        string // of what the device sent
	Parts       []seenPart
	At          time.Time
	Updated     time.Time
}

// seenPart is the answer for one part of an operation.
type seenPart struct {
	Outcome   Outcome
	EntityID  string
	Version   int       // of the visit or the profile
	PendingAt time.Time // the time in the key of a pending operation
	Conflicts []FieldConflict
}

func newSeens() *entity.Entity[seen] {
	return entity.New(entity.Spec[seen]{
		Name: "Operation", Operations: "tracker", Schema: keys.Table, Created: "seen_at", Updated: "updated_at",
		Key: func(s *seen) (dynastay.Key, error) {
			return key.Of(keys.Seen{UserID: s.UserID, OperationID: s.OperationID})
		},
		Codec: entity.Declare(func(f *entity.Fields, s *seen) {
			f.String("user_id", &s.UserID)
			f.String("operation_id", &s.OperationID)
			f.String("input_hash", &s.Hash)
			entity.List(f, "parts", &s.Parts, func(f *entity.Fields, p *seenPart) {
				entity.String(f, "outcome", &p.Outcome)
				f.String("entity_id", &p.EntityID)
				f.IfSet().Int("sync_version", &p.Version)
				f.Time("pending_at", &p.PendingAt)
				declareConflicts(f, &p.Conflicts)
			})
			f.Time("seen_at", &s.At)
			f.Time("updated_at", &s.Updated)
			f.Const("schema_version", schemaVersion)
		}),
	})
}
