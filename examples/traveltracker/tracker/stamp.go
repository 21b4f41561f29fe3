package tracker

import (
	"cmp"
	"time"

	"github.com/dynastay/dynastay/entity"
)

// Field is a field of a visit or of a profile that devices change, by the name of its attribute.
type Field string

// The fields of a visit. Deleted is whether it is deleted: to delete a visit is to write this field.
const (
	RegionName  Field = "region_name"
	VisitedDate Field = "visited_date"
	Notes       Field = "notes"
	Deleted     Field = "is_deleted"
)

// The fields of a profile.
const (
	Email         Field = "email"
	DisplayName   Field = "display_name"
	PictureURL    Field = "profile_picture_url"
	Privacy       Field = "privacy_settings"
	Notifications Field = "notification_settings"
)

var (
	visitFields   = []Field{RegionName, VisitedDate, Notes, Deleted}
	profileFields = []Field{Email, DisplayName, PictureURL, Privacy, Notifications}
)

// Stamp says who wrote a field last.
type Stamp struct {
	Version  int       // the version of the visit or profile that the write made
	At       time.Time // the time of the device, but not later than the time at which the server received it
	DeviceID string
}

// compare orders writers by their time. Of two writers with one time, the device with the larger id is the later one, so
// that the result does not depend on who was received first.
func (s Stamp) compare(other Stamp) int {
	return cmp.Or(s.At.Compare(other.At), cmp.Compare(s.DeviceID, other.DeviceID))
}

// Stamps has the stamp of each field.
type Stamps map[Field]Stamp

func declareStamps(f *entity.Fields, p *Stamps) {
	byName := map[string]Stamp{}
	for field, s := range *p {
		byName[string(field)] = s
	}
	entity.Keyed(f, "field_versions", &byName, func(f *entity.Fields, name string, s *Stamp) {
		f.Map(name, func(f *entity.Fields) {
			f.Int("version", &s.Version)
			f.Time("client_timestamp", &s.At)
			f.String("device_id", &s.DeviceID)
		})
	})
	if !f.Decoding() || len(byName) == 0 {
		return
	}
	*p = Stamps{}
	for name, s := range byName {
		(*p)[Field(name)] = s
	}
}

// stamped returns a copy in which the fields were written by s.
func (s Stamps) stamped(fields []Field, by Stamp) Stamps {
	all := Stamps{}
	for field, stamp := range s {
		all[field] = stamp
	}
	for _, field := range fields {
		all[field] = by
	}
	return all
}
