package tracker

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
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

// declareStamps declares stamps in a short form, because each change is stored three times in the log and its indexes:
// a list of the version, the time in Unix milliseconds, and the device.
func declareStamps(f *entity.Fields, p *Stamps) {
	entity.Custom(f, "field_versions", p, encodeStamps, decodeStamps)
}

func encodeStamps(s Stamps) (types.AttributeValue, error) {
	if len(s) == 0 {
		return nil, nil
	}
	all := dynastay.Item{}
	for field, stamp := range s {
		all[string(field)] = &types.AttributeValueMemberL{Value: []types.AttributeValue{
			dynastay.Number(stamp.Version), dynastay.Number(int(stamp.At.UnixMilli())), dynastay.Text(stamp.DeviceID),
		}}
	}
	return &types.AttributeValueMemberM{Value: all}, nil
}

var errStamp = errors.New("must be a map of lists with a version, a time and a device")

func decodeStamps(v dynastay.Value) (Stamps, error) {
	if v.Kind() != dynastay.KindMap {
		return nil, errStamp
	}
	all := Stamps{}
	for name := range v.Map().Names() {
		list := v.Map().Value(name).List()
		if len(list) != 3 {
			return nil, errStamp
		}
		version, err := strconv.Atoi(list[0].Text())
		ms, err2 := strconv.Atoi(list[1].Text())
		if err != nil || err2 != nil {
			return nil, errStamp
		}
		all[Field(name)] = Stamp{Version: version, At: time.UnixMilli(int64(ms)).UTC(), DeviceID: list[2].Text()}
	}
	return all, nil
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
