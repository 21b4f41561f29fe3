package availability

import (
	"cmp"
	"maps"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Night is one night of one room type: the rooms left, the price, and the restrictions.
type Night struct {
	RoomTypeID string
	PropertyID string
	Date       dynastay.Date `json:",omitzero"`

	Available int // rooms left; negative only after an overbooking
	Total     int // number of rooms that were put on sale
	// OutOfOrder is how many rooms cannot be used, see bookings.Repository.TakeOutOfOrder. They count in Total, but not in Available.
	OutOfOrder int
	// OverbookLimit is the number of rooms by which every sale may overbook the night: Available may fall to −OverbookLimit,
	// but not below. 0 means none.
	OverbookLimit int
	Price         dynastay.Money `json:",omitzero"` // for one room

	MinStay         int  // minimum nights for an arrival on this date; 0 means no minimum
	MaxStay         int  // maximum nights for an arrival on this date; 0 means no maximum
	ClosedToArrival bool // no stay may begin on this date
	// ClosedToDeparture means that no stay may end on the morning after this night. The rule is about the next date, but
	// it is stored here because the last night of a stay is part of the transaction anyway, so checking it costs nothing.
	ClosedToDeparture bool

	Rates map[string]Rate `json:",omitzero"` // by the ids of the rate plans; without those that the night says nothing about

	StopSell       bool // the host has taken the night off sale; stored as IsBlocked
	StopSellReason string
	PropertyClosed bool // the whole property is off sale

	UpdatedAt time.Time `json:",omitzero"`
	ExpiresAt time.Time `json:",omitzero"` // when DynamoDB may delete the item, two years after the night
}

// expired reports whether the night has expired; DynamoDB may take days to delete it. The date of the night decides if
// the time is not set, because it was read from the index or other software did not store it, or if it is before the
// night itself, which cannot be intended.
func (n *Night) expired(now time.Time) bool {
	at := n.ExpiresAt
	if at.Before(n.Date.Time()) {
		at = expiry(n.Date)
	}
	return !at.After(now)
}

// expiry returns when a night of that date expires.
func expiry(date dynastay.Date) time.Time { return date.Time().AddDate(shelfLife, 0, 0) }

// shelfLife is how long a night is kept after its date.
const shelfLife = 2 // years

// Sold returns the number of rooms that are sold.
func (n *Night) Sold() int { return max(0, n.Total-n.OutOfOrder-n.Available) }

// overbook returns the number of rooms by which a sale may overbook the night, if it may do so by a number of its own.
func (n *Night) overbook(own int) int {
	if n == nil {
		return own
	}
	return max(own, limited(n.OverbookLimit))
}

// limited returns what a stored limit means. Other software may store more than a limit can be.
func limited(stored int) int { return min(stored, MaxRooms) }

// nightEntity is compiled once: all repositories have the same one.
var nightEntity = sync.OnceValue(func() *entity.Entity[Night] {
	return entity.New(entity.Spec[Night]{
		Name: "Night", Schema: keys.AvailabilityTable,
		Key: func(n *Night) (dynastay.Key, error) {
			return keys.Of(keys.Night{RoomTypeID: n.RoomTypeID, Date: n.Date})
		},
		// Sales and rooms out of order change the rooms left and the time of the last change as deltas, and closing a
		// property marks its nights, all without reading a night first.
		Counters: []string{attrAvailable, attrOutOfOrder, attrUpdated, keys.AttrPropertyClosed},
		Codec: entity.Declare(func(f *entity.Fields, n *Night) {
			f.Const(keys.AttrEntityType, "Availability")
			f.String("RoomTypeId", &n.RoomTypeID)
			f.String("PropertyId", &n.PropertyID)
			f.Date("Date", &n.Date)
			projected(f, n)
			f.String("BlockReason", &n.StopSellReason)
			f.Time(attrUpdated, &n.UpdatedAt)
			f.Unix(keys.AttrExpiresAt, &n.ExpiresAt)
		}),
		Indexes: map[string]func(*Night) (dynastay.Key, error){
			keys.PropertyDateIndex: func(n *Night) (dynastay.Key, error) {
				return keys.Of(keys.NightByProperty{PropertyID: n.PropertyID, Date: n.Date, RoomTypeID: n.RoomTypeID})
			},
		},
	})
})

// The attributes that change without a new write id.
const (
	attrAvailable  = "AvailableRooms"
	attrOutOfOrder = "OutOfOrder"
	attrUpdated    = "LastUpdated"
)

// attrLimit is the attribute of OverbookLimit.
const attrLimit = "OverbookLimit"

// projected declares the attributes that [keys.PropertyDateIndex] contains as well.
func projected(f *entity.Fields, n *Night) {
	f.Int(attrAvailable, &n.Available)
	f.Int("TotalRooms", &n.Total)
	f.IfSet().Int(attrOutOfOrder, &n.OutOfOrder)
	f.IfSet().Int(attrLimit, &n.OverbookLimit)
	currency := n.currency()
	entity.String(f, "Currency", &currency)
	f.Amount("PricePerNight", currency, &n.Price)
	f.IfSet().Int("MinStay", &n.MinStay)
	f.IfSet().Int("MaxStay", &n.MaxStay)
	f.IfSet().Bool("ClosedToArrival", &n.ClosedToArrival)
	f.IfSet().Bool("ClosedToDeparture", &n.ClosedToDeparture)
	f.Bool("IsBlocked", &n.StopSell)
	f.IfSet().Bool(keys.AttrPropertyClosed, &n.PropertyClosed)
	entity.Keyed(f, "Rates", &n.Rates, func(f *entity.Fields, id string, rate *Rate) {
		f.Map(id, func(f *entity.Fields) { rate.declare(f, currency) })
	})
	if f.Decoding() {
		maps.DeleteFunc(n.Rates, func(_ string, rate Rate) bool { return rate == Rate{} })
	}
}

// currency returns that of all prices of the night. Other software may store a night that has prices of plans only.
func (n *Night) currency() dynastay.Currency {
	if n.Price.IsSet() {
		return n.Price.Currency()
	}
	for _, rate := range n.Rates {
		if rate.Price.IsSet() {
			return rate.Price.Currency()
		}
	}
	return ""
}

// NightPrice is the price of one room for one night.
type NightPrice struct {
	Date  dynastay.Date  `json:",omitzero"`
	Price dynastay.Money `json:",omitzero"` // what the guest pays
	// Source is the stored price from which Price was computed. It is unset without a rate plan: Price is then the stored one.
	Source dynastay.Money `json:",omitzero"`
	Meals  dynastay.Money `json:",omitzero"` // the part of Price that is for meals; unset if the plan does not say
	Steps  []Step         `json:",omitzero"` // from Source to Price
}

// stored returns the stored price.
func (n NightPrice) stored() dynastay.Money { return cmp.Or(n.Source, n.Price) }
