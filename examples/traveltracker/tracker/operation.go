package tracker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// OperationType is what an operation does.
type OperationType string

// The types of operations.
const (
	Create      OperationType = "create"       // a visit
	Update      OperationType = "update"       // a visit or the profile
	Delete      OperationType = "delete"       // a visit
	BatchCreate OperationType = "batch_create" // up to MaxBatch visits in one transaction; see Result.Parts
)

// MaxBatch is the largest number of visits of a [BatchCreate]. With three actions for each and three more, it fits one
// transaction.
const MaxBatch = 32

// EntityType is what an operation changes.
type EntityType string

// The types of entities.
const (
	VisitedPlace EntityType = "visited_place"
	User         EntityType = "user"
)

// Operation is one change that a device has made, perhaps long ago and offline.
type Operation struct {
	// ID identifies the operation for ever: a device that repeats it, even months later, gets the first answer, and
	// another operation with the same ID is refused. Use a UUID. It must not contain '.' or '#'. The ID of a refused
	// operation can be used again.
	ID     string
	Type   OperationType
	Entity EntityType // default: VisitedPlace
	Visit  VisitID    // which visit; not for BatchCreate and not for a User
	// ClientVersion is the Version that the device had received from the server when the operation was made; 0 for a visit
	// that the server has not answered yet. It is ignored for a create.
	ClientVersion int
	// ClientTime is the time by the clock of the device. A time in the future counts as the time of receipt, so that a
	// fast clock does not win for ever.
	ClientTime time.Time

	Place   VisitEdit   // for Create and Update of a visit
	Profile ProfileEdit // for Update of a User
	Batch   []NewVisit  // for BatchCreate
}

// VisitEdit has the fields of a visit that an operation writes. Nil leaves a field as it is, and a pointer to the zero
// value removes it.
type VisitEdit struct {
	RegionName  *string
	VisitedDate *dynastay.Date
	Notes       *string // at most 500 characters
}

// ProfileEdit has the fields of a profile that an operation writes, like [VisitEdit].
type ProfileEdit struct {
	Email         *string
	DisplayName   *string
	PictureURL    *string
	Privacy       *Settings
	Notifications *Settings
}

// NewVisit is a visit of a [BatchCreate].
type NewVisit struct {
	Visit VisitID
	Place VisitEdit
}

// edit has the fields that an operation writes, with their stored values. A field without a value is removed.
type edit struct {
	fields []Field
	values dynastay.Item
}

func (e VisitEdit) edit(codec entity.Codec[Visit]) (edit, error) {
	v, fields := Visit{}, []Field(nil)
	set(&fields, RegionName, e.RegionName, &v.RegionName)
	set(&fields, VisitedDate, e.VisitedDate, &v.VisitedDate)
	set(&fields, Notes, e.Notes, &v.Notes)
	item, err := codec.Encode(&v)
	return newEdit(fields, item), err
}

func (e ProfileEdit) edit(codec entity.Codec[Profile]) (edit, error) {
	p, fields := Profile{}, []Field(nil)
	set(&fields, Email, e.Email, &p.Email)
	if email, err := key.NormalEmail(p.Email); err == nil { // otherwise check refuses it
		p.Email = email
	}
	set(&fields, DisplayName, e.DisplayName, &p.DisplayName)
	set(&fields, PictureURL, e.PictureURL, &p.PictureURL)
	set(&fields, Privacy, e.Privacy, &p.Privacy)
	set(&fields, Notifications, e.Notifications, &p.Notifications)
	item, err := codec.Encode(&p)
	return newEdit(fields, item), err
}

// newEdit takes the values of some fields from an item. The others are no part of what a device has sent.
func newEdit(fields []Field, item dynastay.Item) edit {
	e := edit{fields, dynastay.Item{}}
	for _, f := range fields {
		if v := item[string(f)]; v != nil {
			e.values[string(f)] = v
		}
	}
	return e
}

func set[V any](fields *[]Field, f Field, from, to *V) {
	if from != nil {
		*fields, *to = append(*fields, f), *from
	}
}

// applied returns v with some of the fields written.
func applied[T any](codec entity.Codec[T], v *T, e edit, fields []Field) error {
	item, err := codec.Encode(v)
	if err != nil {
		return err
	}
	for _, f := range fields {
		delete(item, string(f))
		if value := e.values[string(f)]; value != nil {
			item[string(f)] = value
		}
	}
	var changed T
	if err := codec.Decode(dynastay.RowOf(item), &changed); err != nil {
		return err
	}
	*v = changed
	return nil
}

// part is one of the visits of an operation, or its profile, with the id of its entry in the log.
type part struct {
	id    string
	kind  OperationType
	visit VisitID
	edit  edit
}

// parts returns what an operation changes, or the error for the first field that is invalid.
func (r *Repository) parts(o Operation) ([]part, error) {
	longest := o.ID
	if n := len(o.Batch); n > 0 && n <= MaxBatch && o.ID != "" {
		longest = partID(o.ID, n-1)
	}
	if _, err := key.Of(keys.Seen{UserID: "u", OperationID: longest}); err != nil {
		return nil, rename(err, "OperationID", "ID")
	}
	wrongs := []struct {
		wrong  bool
		field  string
		reason string
	}{
		{strings.Contains(o.ID, "."), "ID", "must not contain '.'"},
		{o.ClientTime.IsZero(), "ClientTime", "is required"},
		// It could not be read back, and would hold up all pulls of the user.
		{o.ClientTime.Year() < 0 || o.ClientTime.Year() > 9999, "ClientTime", "must be in the years 0 to 9999"},
		{o.ClientVersion < 0, "ClientVersion", "must not be negative"},
		{o.Entity != "" && o.Entity != VisitedPlace && o.Entity != User, "Entity", "must be visited_place or user"},
		{o.Entity == User && o.Type != Update, "Type", "must be update for a user"},
		{o.Type == BatchCreate && len(o.Batch) == 0, "Batch", "is required"},
		{len(o.Batch) > MaxBatch, "Batch", fmt.Sprintf("must have at most %d visits", MaxBatch)},
		{o.Type != Create && (o.Type != Update || o.Entity == User) && o.Place != VisitEdit{}, "Place", "is for create and update of a visit"},
		{(o.Entity == User || o.Type == BatchCreate) && o.Visit != VisitID{}, "Visit", "is only for one visit"},
		{o.Entity != User && o.Profile != ProfileEdit{}, "Profile", "is only for a user"},
		{o.Type != BatchCreate && len(o.Batch) > 0, "Batch", "is only for batch_create"},
	}
	for _, w := range wrongs {
		if w.wrong {
			return nil, dynastay.Invalid(w.field, "%s", w.reason)
		}
	}
	switch o.Type {
	case BatchCreate:
		return r.batch(o)
	case Create, Update, Delete:
	default:
		return nil, dynastay.Invalid("Type", "must be create, update, delete or batch_create")
	}
	p := part{id: o.ID, kind: o.Type, visit: o.Visit}
	var err error
	if o.Entity == User {
		p.edit, err = o.Profile.edit(r.profile.Codec)
		if err == nil {
			err = (&Profile{}).check(r.profile.Codec, p.edit)
		}
	} else {
		p, err = r.visitPart(o.ID, o.Type, NewVisit{o.Visit, o.Place})
	}
	if err == nil && o.Type == Update && len(p.edit.fields) == 0 {
		err = dynastay.Invalid("Place", "must change a field")
		if o.Entity == User {
			err = dynastay.Invalid("Profile", "must change a field")
		}
	}
	return []part{p}, err
}

func (p *Profile) check(codec entity.Codec[Profile], e edit) error {
	if err := applied(codec, p, e, e.fields); err != nil {
		return err
	}
	if p.Email != "" {
		if _, err := key.NormalEmail(p.Email); err != nil {
			return err
		}
	}
	if err := p.checkSettings(); err != nil {
		return err
	}
	return p.validate()
}

// batch returns the parts of a [BatchCreate]. Each visit may occur once, because a transaction writes an item once.
func (r *Repository) batch(o Operation) ([]part, error) {
	var parts []part
	seen := map[VisitID]bool{}
	for i, v := range o.Batch {
		field := fmt.Sprintf("Batch[%d]", i)
		p, err := r.visitPart(partID(o.ID, i), Create, v)
		if err != nil {
			return nil, dynastay.Within(field, err)
		}
		if seen[p.visit] {
			return nil, dynastay.Invalid(field, "is the same visit as another one of the batch")
		}
		seen[p.visit] = true
		parts = append(parts, p)
	}
	return parts, nil
}

func partID(operationID string, i int) string { return fmt.Sprintf("%s.%d", operationID, i+1) }

func (r *Repository) visitPart(id string, kind OperationType, v NewVisit) (part, error) {
	v.Visit.MarkedAt = v.Visit.MarkedAt.UTC().Truncate(time.Millisecond)
	if _, err := visitKey("u", v.Visit); err != nil {
		return part{}, dynastay.Within("Visit", err)
	}
	made := Visit{VisitID: v.Visit}
	e, err := v.Place.edit(r.visit.Codec)
	if err == nil {
		err = applied(r.visit.Codec, &made, e, e.fields)
	}
	if err == nil {
		err = made.validate()
	}
	return part{id, kind, v.Visit, e}, err
}

// hash identifies what a device has sent. A repetition has the same hash.
func (o Operation) hash(deviceID string, parts []part) string {
	type sent struct {
		ID     string
		Kind   OperationType
		Visit  string
		Fields []Field
		Values any
	}
	all := struct {
		Device, ID string
		Type       OperationType
		Entity     EntityType
		Version    int
		Time       int64
		Parts      []sent
	}{Device: deviceID, ID: o.ID, Type: o.Type, Entity: o.entity(), Version: o.ClientVersion, Time: o.ClientTime.UnixMilli()}
	for _, p := range parts {
		one := sent{ID: p.id, Kind: p.kind, Fields: p.edit.fields, Values: typed(&types.AttributeValueMemberM{Value: p.edit.values})}
		if o.entity() == VisitedPlace {
			one.Visit = p.visit.text()
		}
		all.Parts = append(all.Parts, one)
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // every part of it can be written as JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// typed returns a value with its types: in JSON, attribute values of different types may have the same form.
func typed(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		all := map[string]any{}
		for name, one := range v.Value {
			all[name] = typed(one)
		}
		return all
	case *types.AttributeValueMemberL:
		all := []any{}
		for _, one := range v.Value {
			all = append(all, typed(one))
		}
		return all
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // every attribute value can be written as JSON
	}
	return fmt.Sprintf("%T %s", v, text)
}

func (o Operation) entity() EntityType {
	if o.Entity == "" {
		return VisitedPlace
	}
	return o.Entity
}
