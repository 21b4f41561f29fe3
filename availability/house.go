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
	return zones.load(h.TimeZone)
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

// today is the date at the property.
func (h House) today(now time.Time) (dynastay.Date, error) {
	loc, err := h.Location()
	return dynastay.DateOf(now, loc), err
}

// notBefore refuses a stay that begins before today at the property.
func (h House) notBefore(stay dynastay.Stay, now time.Time) error {
	today, err := h.today(now)
	if err != nil {
		return dynastay.Within("Property", err)
	}
	return dynastay.Within("Stay", notPast(stay, today))
}

func notPast(stay dynastay.Stay, today dynastay.Date) error {
	if stay.CheckIn.Before(today) {
		return dynastay.Invalid("CheckIn", "must not be in the past: today is %s at the property", today)
	}
	return nil
}
