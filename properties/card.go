package properties

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// Card is the part of a property that a search result shows. It is enough to quote and book a room. It has no address and
// no description: [Repository.GetAll] reads those. Without its rate plans and charges, a card has at most 4,096 bytes: a write
// that would make it larger fails with a [*dynastay.InvalidError] for the field "Card".
type Card struct {
	PropertyID         string
	Name               string
	Slug               string
	Type               Type
	Stars              int
	Latitude           float64
	Longitude          float64
	PrimaryImageURL    string
	Rating             dynastay.Rating `json:",omitzero"`
	ReviewCount        int
	AmenityIDs         []string   `json:",omitzero"`
	Prices             PriceRange `json:",omitzero"`
	FeaturedScore      int
	TimeZone           string
	CheckInTime        string
	CancellationPolicy availability.CancellationPolicy
	Rooms              []CardRoom `json:",omitzero"` // ordered by id
	// RatePlans are the active plans that the property advertises, in their order, at most 5. They have neither a description
	// nor times and versions. A plan that is derived from another one has its prices for a party, if it has none of its own.
	RatePlans []availability.RatePlan `json:",omitzero"`
	// Charges are the property's taxes, fees and deposits, nil for none. Their names are their ids, and they take at most 600
	// bytes. If they are stored in a form that cannot be read, they are a list from which no bill can be computed.
	Charges *charges.List `json:",omitzero"`
}

// CardRoom is the part of a room type that a card shows.
type CardRoom struct {
	ID   string
	Name string
	availability.Limits
	BasePrice          dynastay.Money                  `json:",omitzero"`
	CancellationPolicy availability.CancellationPolicy // "" means that the property's policy applies
}

// maxCardBytes limits the cost of each result of every search. A card is never truncated: a write that would make it
// larger is refused.
const maxCardBytes = 4096

// cardCodec declares the map itself. The map does not contain the property's id, because every row has it in its key.
var cardCodec = entity.Declare(func(f *entity.Fields, c *Card) {
	f.String("Name", &c.Name)
	f.String("Slug", &c.Slug)
	entity.String(f, "PropertyType", &c.Type)
	f.Int("StarRating", &c.Stars)
	f.Float("Latitude", &c.Latitude)
	f.Float("Longitude", &c.Longitude)
	f.String("PrimaryImageUrl", &c.PrimaryImageURL)
	f.Rating("AverageRating", &c.Rating)
	f.Int("ReviewCount", &c.ReviewCount)
	f.Strings("AmenityList", &c.AmenityIDs)
	declarePrices(f, &c.Prices)
	f.IfSet().Int("FeaturedScore", &c.FeaturedScore)
	f.String("TimeZone", &c.TimeZone)
	f.String("CheckInTime", &c.CheckInTime)
	entity.String(f, "CancellationPolicy", &c.CancellationPolicy)
	declareCardRooms(f, &c.Rooms)
	declareCardRatePlans(f, &c.RatePlans)
	declareCardCharges(f, &c.Charges)
})

// declareCardRooms stores the rooms in a map by id, so that a write of one room updates only its part of the card. Their
// attributes have short names, and their currency is stored once, because every search reads them for each property. Only
// room types of other software may have several currencies; what differs is stored with the room. A policy is there only
// if the room type has one of its own, even if it is that of the property: a change of the property's policy must not
// reach such a room, and does not write the rooms.
func declareCardRooms(f *entity.Fields, rooms *[]CardRoom) {
	byID := map[string]CardRoom{}
	var currency dynastay.Currency
	for _, room := range *rooms {
		byID[room.ID] = room
		currency = cmp.Or(currency, room.BasePrice.Currency())
	}
	entity.String(f, "Currency", &currency)
	entity.Keyed(f, "Rooms", &byID, func(f *entity.Fields, id string, room *CardRoom) {
		room.ID = id
		f.Map(id, func(f *entity.Fields) {
			f.String("N", &room.Name)
			f.Int("A", &room.MaxAdults)
			f.IfSet().Int("C", &room.MaxChildren)
			f.Int("O", &room.MaxOccupancy)
			own := room.BasePrice.Currency()
			if own == currency {
				own = ""
			}
			entity.String(f, "U", &own)
			f.Amount("P", cmp.Or(own, currency), &room.BasePrice)
			entity.Custom(f, "L", &room.CancellationPolicy, shortPolicy, longPolicy)
		})
	})
	if f.Decoding() {
		*rooms = slices.Collect(maps.Values(byID))
		sortByID(*rooms, func(room CardRoom) string { return room.ID })
	}
}

// policyWords are what policies begin with, and the letters that stand for it on a card: a policy takes about 4 bytes
// instead of 19, without which fewer than 40 room types would fit. Policies of other software may begin with anything.
var policyWords = []struct{ word, letter string }{
	{"free_cancellation_", "F"}, {"partial_", "P"}, {string(availability.NonRefundable), "N"}, {"custom_", "C"}, {"", "="},
}

func shortPolicy(policy availability.CancellationPolicy) (types.AttributeValue, error) {
	for _, p := range policyWords {
		if rest, ok := strings.CutPrefix(string(policy), p.word); ok && policy != "" {
			return dynastay.Text(p.letter + rest), nil
		}
	}
	return nil, nil
}

func longPolicy(v dynastay.Value) (availability.CancellationPolicy, error) {
	for _, p := range policyWords {
		if rest, ok := strings.CutPrefix(v.Text(), p.letter); ok {
			return availability.CancellationPolicy(p.word + rest), nil
		}
	}
	return "", dynastay.Invalid("", "must begin with F, P, N, C or =")
}

// cardCopies keep each attribute of the card equal to that of the property, one by one, so that an update writes only
// the ones that it changes. The rooms on the card are updated by the writes of rooms.
func cardCopies() (all []entity.Derived[Property]) {
	for _, name := range []string{
		"Name", "Slug", "PropertyType", "StarRating", "PrimaryImageUrl", "AverageRating", "ReviewCount", "AmenityList",
		"PriceRange", "FeaturedScore", "TimeZone", "CheckInTime", "CancellationPolicy",
	} {
		all = append(all, entity.CopyOf[Property](keys.AttrCard+"."+name, name))
	}
	for _, name := range []string{"Latitude", "Longitude"} {
		all = append(all, entity.CopyOf[Property](keys.AttrCard+"."+name, "Address."+name))
	}
	return all
}

// CardOf returns the card of a property. rooms must be all of its room types.
func CardOf(p *Property, rooms []RoomType) *Card {
	c := &Card{
		PropertyID: p.ID, Name: p.Name, Slug: p.Slug, Type: p.Type, Stars: p.Stars,
		Latitude: p.Address.Latitude, Longitude: p.Address.Longitude, PrimaryImageURL: p.PrimaryImageURL,
		Rating: p.Rating, ReviewCount: p.ReviewCount, AmenityIDs: p.AmenityIDs, Prices: p.Prices,
		FeaturedScore: p.FeaturedScore, TimeZone: p.TimeZone, CheckInTime: p.CheckInTime,
		CancellationPolicy: p.CancellationPolicy, RatePlans: ratePlansOf(p.ID, p.advertised),
		Charges: chargesOf(p.ID, p.charges),
	}
	for _, r := range rooms {
		c.Rooms = append(c.Rooms, cardRoomOf(r))
	}
	sortByID(c.Rooms, func(room CardRoom) string { return room.ID })
	return c
}

func cardRoomOf(r RoomType) CardRoom {
	return CardRoom{ID: r.ID, Name: r.Name, Limits: r.Limits, BasePrice: r.BasePrice, CancellationPolicy: r.CancellationPolicy}
}

// fits checks the number of amenities and room types, and the size of the card, unless they were larger before: ratings
// and other software can make them exceed their limits, which must not prevent other changes. field is what the caller
// has given too many of.
func (p *Property) fits(field string, before *Property) error {
	if n := len(p.AmenityIDs) + len(p.rooms); n > maxParts && n > len(before.AmenityIDs)+len(before.rooms) {
		return dynastay.Invalid(field, "must have at most %d entries, counting all amenities and room types of the property", maxParts)
	}
	size, err := p.cardSize()
	if err != nil || size <= maxCardBytes {
		return err
	}
	if was, err := before.cardSize(); err != nil || size <= was {
		return err
	}
	return dynastay.Invalid("Card", "must be at most 4,096 bytes, got %d; shorten the names, or reduce the number of room types or amenities", size)
}

func (p *Property) cardSize() (int, error) {
	card := CardOf(p, nil)
	card.Rooms, card.RatePlans, card.Charges = p.rooms, nil, nil // plans and charges have limits of their own
	item, err := cardCodec.Encode(card)
	return stored.Size(item), err
}

func (p *Property) house() availability.House {
	return availability.House{ID: p.ID, Name: p.Name, TimeZone: p.TimeZone, CheckInTime: p.CheckInTime}
}

func (p *Property) roomTypeIDs() []string { return (&Card{Rooms: p.rooms}).roomTypeIDs() }

func (c *Card) roomTypeIDs() []string {
	ids := make([]string, len(c.Rooms))
	for i, room := range c.Rooms {
		ids[i] = room.ID
	}
	return ids
}

// cardOf reads the card of a row. It returns nil if the row has none because other software wrote it.
func cardOf(row dynastay.Row) (*Card, error) {
	card := row.Value(keys.AttrCard)
	if card.Kind() != dynastay.KindMap {
		return nil, nil
	}
	key, err := keys.Parse[keys.Property](keys.PropertiesTable.Key.From(row))
	if err != nil {
		return nil, err
	}
	c, err := entity.Read("Card", key.PropertyID, cardCodec, card.Map())
	if err == nil {
		c.PropertyID, c.RatePlans, c.Charges = key.PropertyID, ratePlansOf(key.PropertyID, c.RatePlans), chargesOf(key.PropertyID, c.Charges)
	}
	return c, err
}

// Choice is a number of rooms of one type.
type Choice struct {
	RoomTypeID string
	Quantity   int
	RatePlanID string              // one of the card, or "" for the price of the nights
	Party      *availability.Party `json:",omitzero"` // the guests of each of the rooms, as in [availability.Room]
}

// QuoteRequest returns a request for a quote of rooms of this property. If a room type is not on the card, QuoteRequest
// returns a [*dynastay.InvalidError] for the field "Rooms[i].RoomTypeID", where i is the index of the choice. The request
// has all plans of the card, and its charges, which are named by their ids: replace them by those of [Repository.Charges] for
// their names.
func (c *Card) QuoteRequest(
	stay dynastay.Stay, guests availability.Guests, choices ...Choice,
) (availability.QuoteRequest, error) {
	req := availability.QuoteRequest{
		Property:  availability.House{ID: c.PropertyID, Name: c.Name, TimeZone: c.TimeZone, CheckInTime: c.CheckInTime},
		Stay:      stay,
		Guests:    guests,
		RatePlans: c.quotable(),
		Charges:   chargesOf(c.PropertyID, c.Charges),
	}
	for i, choice := range choices {
		at := slices.IndexFunc(c.Rooms, func(r CardRoom) bool { return r.ID == choice.RoomTypeID })
		if at < 0 {
			return req, dynastay.Invalid("Rooms["+itoa(i)+"].RoomTypeID", "must be the id of a room type on the property's card")
		}
		room := c.Rooms[at]
		policy := room.CancellationPolicy
		if policy == "" {
			policy = c.CancellationPolicy
		}
		req.Rooms = append(req.Rooms, availability.Room{
			RoomTypeID: room.ID, Name: room.Name, Quantity: choice.Quantity, Limits: room.Limits, CancellationPolicy: policy,
			RatePlanID: choice.RatePlanID, Party: choice.Party,
		})
	}
	return req, nil
}

// CheckRequests returns a request for each room type on the card, which asks [availability.Repository.CheckAll] whether
// that number of rooms can be sold.
func (c *Card) CheckRequests(rooms int) []availability.CheckRequest {
	priced := c.priced()
	all := make([]availability.CheckRequest, len(c.Rooms))
	for i, room := range c.Rooms {
		all[i] = availability.CheckRequest{PropertyID: c.PropertyID, RoomTypeID: room.ID, Rooms: rooms, RoomTypes: len(c.Rooms), RatePlans: priced}
	}
	return all
}
