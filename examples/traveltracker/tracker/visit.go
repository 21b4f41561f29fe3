package tracker

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// VisitID identifies a visit of a user. A device makes it without asking the server: two marks of one region within the
// same millisecond are the same visit.
type VisitID struct {
	RegionType regions.Type
	RegionCode string
	MarkedAt   time.Time // when the user marked the region, by the clock of the device; whole milliseconds
}

// Visit is a place that a user has visited. A deleted visit is kept as a tombstone for 90 days, so that a device that was
// offline learns of the deletion.
type Visit struct {
	UserID string
	VisitID
	RegionName  string
	VisitedDate dynastay.Date // optional
	Notes       string        // optional, at most 500 characters

	Deleted     bool
	MarkedFrom  string // the device that created the visit
	OperationID string // the operation that wrote it last
	Stamps      Stamps // who wrote which field; nil in a visit of other software
	ModifiedAt  time.Time
	Expires     time.Time // when a tombstone is removed
	// Version is that of the log for a new visit, and incremented by every operation that changes it. So a visit that is
	// created again, after its tombstone has expired, has larger versions than before.
	Version int
	WriteID dynastay.WriteID
}

const (
	maxNotes      = 500
	tombstoneLife = 90 * 24 * time.Hour
	schemaVersion = "1"
)

func newVisits(shards key.Shards) *entity.Entity[Visit] {
	return entity.New(entity.Spec[Visit]{
		Name: "Visit", Operations: "tracker", Schema: keys.Table,
		Updated: "last_modified_at", Version: "sync_version",
		Key:  func(v *Visit) (dynastay.Key, error) { return visitKey(v.UserID, v.VisitID) },
		IDOf: func(at dynastay.Key) string { return strings.TrimPrefix(at.SK, visitPrefix) },
		Codec: entity.Declare(func(f *entity.Fields, v *Visit) {
			f.String("user_id", &v.UserID)
			entity.String(f, "region_type", &v.RegionType)
			f.String("region_code", &v.RegionCode)
			declareTime(f, "marked_at", &v.MarkedAt)
			f.String(string(RegionName), &v.RegionName)
			entity.Custom(f, string(VisitedDate), &v.VisitedDate, encodeDay, decodeDay)
			f.String(string(Notes), &v.Notes)
			f.Bool(string(Deleted), &v.Deleted)
			f.String("marked_from_device", &v.MarkedFrom)
			f.String("operation_id", &v.OperationID)
			declareStamps(f, &v.Stamps)
			declareTime(f, "last_modified_at", &v.ModifiedAt)
			f.Unix(keys.AttrTTL, &v.Expires)
			f.IfSet().Int("sync_version", &v.Version)
			f.Const("schema_version", schemaVersion)
			f.WriteID(keys.AttrWriteID, &v.WriteID)
		}),
		Derived: []entity.Derived[Visit]{{Name: "composite_key", Value: compositeKey}},
		Indexes: map[string]func(*Visit) (dynastay.Key, error){
			keys.Index1: live(func(v *Visit) (dynastay.Key, error) {
				return key.Of(keys.VisitByRegion{
					RegionType: string(v.RegionType), RegionCode: v.RegionCode, Shard: shards.Of(v.UserID),
					UserID: v.UserID, MarkedAt: v.MarkedAt,
				})
			}),
			keys.Index2: live(func(v *Visit) (dynastay.Key, error) {
				return key.Of(keys.VisitByTime{
					UserID: v.UserID, RegionType: string(v.RegionType), MarkedAt: v.MarkedAt, RegionCode: v.RegionCode,
				})
			}),
		},
	})
}

// live keeps tombstones out of an index.
func live(of func(*Visit) (dynastay.Key, error)) func(*Visit) (dynastay.Key, error) {
	return func(v *Visit) (dynastay.Key, error) {
		if v.Deleted {
			return dynastay.Key{}, nil
		}
		return of(v)
	}
}

func visitKey(userID string, id VisitID) (dynastay.Key, error) {
	return key.Of(keys.Visit{
		UserID: userID, RegionType: string(id.RegionType), RegionCode: id.RegionCode, MarkedAt: id.MarkedAt,
	})
}

var visitPrefix = key.SortKind[keys.Visit]()

// text is the id as log entries contain it: the sort key of the visit without its prefix.
func (id VisitID) text() string {
	at, err := visitKey("u", id)
	if err != nil {
		return "" // validated before
	}
	return strings.TrimPrefix(at.SK, visitPrefix)
}

func parseVisitID(text string) (VisitID, error) {
	k, err := key.Parse[keys.Visit](dynastay.Key{PK: "USER#u", SK: visitPrefix + text})
	return VisitID{RegionType: regions.Type(k.RegionType), RegionCode: k.RegionCode, MarkedAt: k.MarkedAt}, err
}

// checkType returns an error if there is no such type of regions.
func checkType(of regions.Type) error { return rename(of.Validate(), "Type", "RegionType") }

// validate checks what a device may send.
func (v *Visit) validate() error {
	if err := checkType(v.RegionType); err != nil {
		return err
	}
	if utf8.RuneCountInString(v.Notes) > maxNotes {
		return dynastay.Invalid("Notes", "must have at most %d characters", maxNotes)
	}
	for field, text := range map[string]string{"Notes": v.Notes, "RegionName": v.RegionName} {
		if err := entity.CheckText(text, entity.MaxNote); err != nil {
			return dynastay.Within(field, err)
		}
	}
	return nil
}

// gone reports whether a tombstone has expired. DynamoDB removes it some time later; until then, it counts as missing,
// so that the answer to a device does not depend on when that is.
func (v *Visit) gone(now time.Time) bool {
	return v.Deleted && expired(v.Expires, now)
}

// expired reports whether a time to live has passed. The zero time is that of what stays.
func expired(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

// stamp returns who wrote a field last. Other software does not say so for each field: its visit as a whole counts as
// written by the device that marked it, when it was modified last.
func (v *Visit) stamp(f Field) Stamp {
	if v.Stamps == nil {
		return Stamp{v.Version, v.ModifiedAt, v.MarkedFrom}
	}
	return v.Stamps[f]
}

// stamps returns the stamps of all fields.
func (v *Visit) stamps() Stamps {
	all := Stamps{}
	for _, f := range visitFields {
		all[f] = v.stamp(f)
	}
	return all
}
