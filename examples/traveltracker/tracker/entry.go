package tracker

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Status is the state of an operation in the log.
type Status string

// The statuses of operations.
const (
	StatusPending  Status = "pending"  // waits for [Repository.Settle]
	StatusApplied  Status = "applied"  // was carried out
	StatusConflict Status = "conflict" // was rejected, because of a conflict
)

// entryLife is how long the log keeps an entry.
const entryLife = 30 * 24 * time.Hour

// Entry is an operation in the log of a user.
type Entry struct {
	OperationID   string // with .1, .2 … for the visits of a batch
	UserID        string
	DeviceID      string
	Type          OperationType
	Entity        EntityType
	EntityID      string // the user's id, or region type, region code and time of a visit, separated by '#'
	ClientVersion int
	ServerVersion int // the number of the entry in the log; 0 while it is pending
	ClientTime    time.Time
	At            time.Time // the server's time, which orders the log
	Status        Status
	Conflicts     []FieldConflict
	Strategy      string // the rule that resolved the conflict
	Error         string // the attribute processing_error, which this package does not write
	Expires       time.Time

	// What the operation has left: one of the two, nil if a visit does not exist or the operation is pending.
	Visit   *Visit
	Profile *Profile
	// What a pending operation wants to write: one of the two. Of which visit, VisitID says.
	VisitEdit   *VisitEdit
	ProfileEdit *ProfileEdit

	pending dynastay.Item // what a pending operation wants to write; NULL removes a field
	WriteID dynastay.WriteID
}

func newEntries(visits *entity.Entity[Visit], profiles *entity.Entity[Profile], shards key.Shards) *entity.Entity[Entry] {
	return entity.New(entity.Spec[Entry]{
		Name: "Operation", Operations: "tracker", Schema: keys.Table,
		Key: entryKey,
		Codec: entity.Declare(func(f *entity.Fields, e *Entry) {
			f.String("operation_id", &e.OperationID)
			f.String("user_id", &e.UserID)
			f.String("device_id", &e.DeviceID)
			entity.String(f, "operation_type", &e.Type)
			entity.String(f, "entity_type", &e.Entity)
			f.String("entity_id", &e.EntityID)
			f.Int("client_version", &e.ClientVersion)
			f.IfSet().Int("server_version", &e.ServerVersion)
			declareTime(f, "client_timestamp", &e.ClientTime)
			declareTime(f, "server_timestamp", &e.At)
			entity.String(f, "status", &e.Status)
			e.declareConflict(f)
			f.String("resolution_strategy", &e.Strategy)
			f.String("processing_error", &e.Error)
			f.Unix(keys.AttrTTL, &e.Expires)
			e.declareData(f, visits, profiles)
			f.Const("schema_version", schemaVersion)
			f.WriteID(keys.AttrWriteID, &e.WriteID)
		}),
		Indexes: map[string]func(*Entry) (dynastay.Key, error){
			keys.Index1: func(e *Entry) (dynastay.Key, error) {
				return key.Of(keys.EntryByStatus{
					Status: string(e.Status), Shard: shards.Of(e.UserID), At: e.At, OperationID: e.OperationID,
				})
			},
			keys.Index2: func(e *Entry) (dynastay.Key, error) {
				return key.Of(keys.EntryByDevice{UserID: e.UserID, DeviceID: e.DeviceID, At: e.At, OperationID: e.OperationID})
			},
		},
	})
}

// VisitID returns the id of the visit that the operation is about. It returns false for an operation on a profile, and for
// one of other software that does not name the visit.
func (e *Entry) VisitID() (VisitID, bool) {
	if e.Entity == User {
		return VisitID{}, false
	}
	id, err := parseVisitID(e.EntityID)
	return id, err == nil
}

// entryKey keeps what waits for a decision apart from the log, which pulls read.
func entryKey(e *Entry) (dynastay.Key, error) {
	if e.Status == StatusPending {
		return key.Of(keys.Pending{UserID: e.UserID, At: e.At, OperationID: e.OperationID})
	}
	return key.Of(keys.Entry{UserID: e.UserID, At: e.At, OperationID: e.OperationID})
}

func (e *Entry) declareConflict(f *entity.Fields) {
	has, processed := len(e.Conflicts) > 0, e.Status != StatusPending
	f.Bool("has_conflict", &has)
	f.Bool("is_processed", &processed)
	declareConflicts(f, &e.Conflicts)
}

func declareConflicts(f *entity.Fields, p *[]FieldConflict) {
	byField := Stamps{}
	for _, c := range *p {
		byField[c.Field] = c.Stamp
	}
	f.Map("conflict_details", func(f *entity.Fields) { declareStamps(f, &byField) })
	if !f.Decoding() {
		return
	}
	*p = nil
	for _, field := range slices.Concat(visitFields, profileFields) {
		if stamp, ok := byField[field]; ok {
			*p = append(*p, FieldConflict{field, stamp})
		}
	}
}

// declareData declares what the operation has left, as the visit or the profile itself is stored.
func (e *Entry) declareData(f *entity.Fields, visits *entity.Entity[Visit], profiles *entity.Entity[Profile]) {
	const name = "entity_data"
	data, err := e.pending, error(nil)
	switch {
	case e.Visit != nil:
		data, err = visits.Codec.Encode(e.Visit)
	case e.Profile != nil:
		data, err = profiles.Codec.Encode(e.Profile)
	}
	f.Fail(name, err)
	entity.Custom(f, name, &data, func(data dynastay.Item) (types.AttributeValue, error) {
		if data == nil {
			return nil, nil
		}
		return &types.AttributeValueMemberM{Value: data}, nil
	}, func(v dynastay.Value) (dynastay.Item, error) { return v.Map().Item(), nil })
	switch {
	case !f.Decoding() || data == nil:
	case e.Status == StatusPending && e.Entity == User:
		edit := profileEditOf(editOf(data, User), profiles.Codec)
		e.pending, e.ProfileEdit = data, &edit
	case e.Status == StatusPending:
		edit := visitEditOf(editOf(data, VisitedPlace), visits.Codec)
		e.pending, e.VisitEdit = data, &edit
	case e.Entity == User:
		e.Profile = &Profile{}
		f.Fail(name, profiles.Codec.Decode(dynastay.RowOf(data), e.Profile))
	default:
		e.Visit = &Visit{}
		f.Fail(name, visits.Codec.Decode(dynastay.RowOf(data), e.Visit))
	}
}
