package keys

import (
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// PropertyDateIndex is the index of [AvailabilityTable].
const PropertyDateIndex = "GSI1-PropertyDateIndex"

// AvailabilityTable contains one item for each night of each room type, which expires two years after the night. The
// index projects the attributes that a calendar and a quote read, about half of the item's size.
var AvailabilityTable = &dynastay.Schema{
	Name: "Availability",
	Key:  primaryKey,
	Indexes: []dynastay.Index{
		index(PropertyDateIndex, dynastay.ProjectInclude,
			"AvailableRooms", "TotalRooms", "OutOfOrder", "OverbookLimit", "PricePerNight", "Currency", "MinStay", "MaxStay",
			"IsBlocked", AttrPropertyClosed, "ClosedToArrival", "ClosedToDeparture", "Rates"),
	},
	TTL: AttrExpiresAt,
}

// Night is the item of one night of a room type: ROOM#{RoomTypeID} / DATE#{Date}.
type Night struct {
	RoomTypeID string
	Date       dynastay.Date
}

func (k *Night) Form(f *key.Form) {
	f.PK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID))
	f.SK("DATE#", key.Date("Date", &k.Date))
}

// NightByProperty is the row of a [Night] in [PropertyDateIndex]: PROPERTY#{PropertyID} / DATE#{Date}#ROOM#{RoomTypeID}.
type NightByProperty struct {
	PropertyID string
	Date       dynastay.Date
	RoomTypeID string
}

func (k *NightByProperty) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("DATE#", key.Date("Date", &k.Date), "#ROOM#", key.ID("RoomTypeID", &k.RoomTypeID))
}

// UnitMonth is the item with who has a unit on the nights of a month: UNITS#{PropertyID} / MONTH#{Month}#UNIT#{UnitID}. Month is
// the first date of the month, and its text is "2026-07". The plan of all units for a month is one Query.
type UnitMonth struct {
	PropertyID string
	Month      dynastay.Date
	UnitID     string
}

func (k *UnitMonth) Form(f *key.Form) {
	f.PK("UNITS#", key.ID("PropertyID", &k.PropertyID))
	f.SK("MONTH#", monthValue("Month", &k.Month), "#UNIT#", key.ID("UnitID", &k.UnitID))
}

func monthValue(name string, month *dynastay.Date) key.Value {
	return key.Custom(name, func() (string, error) {
		first := dynastay.MonthOf(*month).CheckIn
		if month.IsZero() || *month != first {
			return "", errors.New("must be the first date of a month")
		}
		return first.String()[:len("2026-07")], nil
	}, func(text string) (err error) {
		*month, err = dynastay.ParseDate(text + "-01")
		return err
	})
}
