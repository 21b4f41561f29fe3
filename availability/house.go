package availability

import (
	"errors"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// maxZone limits the length of a time zone name, in bytes, because the name is looked up as a file. No IANA name is
// longer than half of it.
const maxZone = 64

// House describes the property in an offer and in a booking. Name and CheckInTime have at most [entity.MaxName] bytes
// each.
type House struct {
	ID          string
	Name        string
	TimeZone    string // IANA, such as "America/New_York"; "" means UTC
	CheckInTime string // local time of day, such as "15:00"
}

// Location returns the property's time zone, from the machine's time zone database. If the zone is unknown, it returns
// a [*dynastay.InvalidError] for the field "TimeZone". Programs that run on a machine without a time zone database
// import time/tzdata.
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

// Today returns the current date at the property. Its error is that of [House.Location].
func (h House) Today(now time.Time) (dynastay.Date, error) {
	loc, err := h.Location()
	return dynastay.DateOf(now, loc), err
}

// todayAt returns the current date at a property that a caller describes by its ID and TimeZone.
func (r *Repository) todayAt(house House) (today dynastay.Date, err error) {
	if err := (House{ID: house.ID, TimeZone: house.TimeZone}).validate(); err != nil {
		return today, dynastay.Within("House", err)
	}
	return house.Today(r.db.Now())
}

// worksOn returns the date that counts as today for a quote: the business date, if it is given, or else the current date at the
// property.
func (h House) worksOn(business dynastay.Date, now time.Time) (dynastay.Date, error) {
	today, err := h.Today(now)
	if err != nil {
		return today, dynastay.Within("Property", err)
	}
	yesterday := today.AddDays(-1)
	switch business {
	case dynastay.Date{}:
		return today, nil
	case today, yesterday:
		return business, nil
	}
	return today, dynastay.Invalid("BusinessDate", "must be today or yesterday at the property, %s or %s", today, yesterday)
}

// notBefore rejects a stay that begins before the date that counts as today.
func (h House) notBefore(stay dynastay.Stay, business dynastay.Date, now time.Time) error {
	today, err := h.worksOn(business, now)
	if err != nil {
		return err
	}
	return dynastay.Within("Stay", notPast(stay, today))
}

func notPast(stay dynastay.Stay, today dynastay.Date) error {
	if stay.CheckIn.Before(today) {
		return dynastay.Invalid("CheckIn", "must not be before today, which is %s at the property", today)
	}
	return nil
}
