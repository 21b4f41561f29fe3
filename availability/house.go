package availability

import (
	"errors"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// maxZone bounds the name of a time zone, which is looked up as a file: no IANA name has half of it.
const maxZone = 64

// House is what an offer tells of the property, and what a booking keeps of it. Name and CheckInTime have at most
// [entity.MaxName] bytes.
type House struct {
	ID          string
	Name        string
	TimeZone    string // IANA, such as "America/New_York"; "" means UTC
	CheckInTime string // local time of day, such as "15:00"
}

// Location is the property's time zone; an unknown one is an error that names "TimeZone". It comes from the machine's
// zone database; a program for a machine without one imports time/tzdata.
func (h House) Location() (*time.Location, error) {
	if err := entity.CheckText(h.TimeZone, maxZone); err != nil {
		return nil, dynastay.Within("TimeZone", err)
	}
	loc, err := time.LoadLocation(h.TimeZone)
	if err != nil || h.TimeZone == "Local" { // which is wherever this process runs
		return nil, dynastay.Invalid("TimeZone", "is not an IANA time zone")
	}
	return loc, nil
}

func (h House) validate() error {
	var invalid *dynastay.InvalidError
	if _, err := keys.Of(keys.Property{PropertyID: h.ID}); errors.As(err, &invalid) {
		return dynastay.Invalid("ID", "%s", invalid.Reason)
	}
	if err := entity.CheckText(h.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if err := entity.CheckText(h.CheckInTime, entity.MaxName); err != nil {
		return dynastay.Within("CheckInTime", err)
	}
	_, err := h.Location()
	return err
}

// notBefore refuses a stay that begins before today at the property.
func (h House) notBefore(stay dynastay.Stay, now time.Time) error {
	loc, err := h.Location()
	if err != nil {
		return dynastay.Within("Property", err)
	}
	if today := dynastay.DateOf(now, loc); stay.CheckIn.Before(today) {
		return dynastay.Invalid("Stay.CheckIn", "%s is in the past: today is %s at the property", stay.CheckIn, today)
	}
	return nil
}
