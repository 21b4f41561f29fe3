package search

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// Sort is the order of the offers. Equal ones are ordered by id, those of [BestRated] in a city by descending id.
type Sort string

// The orders.
const (
	Recommended  Sort = ""              // highest Request.Rank first; without it, featured score, then guest rating
	BestRated    Sort = "best_rated"    // highest guest rating first
	LowestPrice  Sort = "lowest_price"  // lowest base price of any room type first
	HighestPrice Sort = "highest_price" // highest base price of any room type first
	LowestTotal  Sort = "lowest_total"  // what the guest pays for the cheapest quote, lowest first
	HighestTotal Sort = "highest_total" // the same, highest first
	Nearest      Sort = "nearest"       // shortest distance from Point first, which it requires
)

// Request is what a guest searches for.
type Request struct {
	// City and Country select the properties of a city, exactly as in their addresses, including case. Package
	// properties/catalog finds them for what people type. Leave them empty for a search around Point.
	City, Country string
	// Point with a Radius selects the properties within a great-circle distance of it. With a City, it has no Radius and
	// is what the distances and [Nearest] refer to. Default: none.
	Point  *key.Point
	Radius float64 // metres, from [key.MinRadius] to [key.MaxRadius]

	// Stay has at most [availability.MaxNights] nights. It is refused if its check-in is past everywhere; a property where
	// it is past already is in Page.Refused.
	Stay   dynastay.Stay
	Guests availability.Guests // at least 1 adult for each of Rooms, at most 30 guests
	// ChildAges are the ages at check-in of at most Guests.Children children, 0 to 17. A child of unknown age costs as much
	// as the dearest. Where a price depends on who stays, the guests of several rooms are divided among them as equally as
	// the rooms allow.
	ChildAges []int
	// Rooms is the minimum number of rooms for the guests, at most 30, and at most one for each adult, because each room
	// needs one. A room type that holds them in that number is offered alone; otherwise, rooms of several types are
	// combined. Default: 1.
	Rooms int

	// Currency selects the properties with prices in this currency. It is required by the orders by price and by a
	// filter of prices, because amounts in different currencies cannot be compared.
	Currency dynastay.Currency
	Filter   Filter
	Sort     Sort
	// Rank returns the rank of a property for [Recommended], the only order that may have one; the highest is the first.
	// It must return the same for the same card, from page to page: if it changes in between, properties are missed.
	// Default: none.
	Rank func(*properties.Card) float64
	// Candidates is the number of properties that are read and ordered at a time, 1 to 1,000. Those that meet the
	// filters are offered page by page before the next ones are read. Default: the limit of the page if the order is
	// that of an index, otherwise 100.
	Candidates int
}

// Filter limits the offers to those that meet all of its conditions. The zero Filter has none.
type Filter struct {
	// MinNightly and MaxNightly limit the price of a night: exactly what the guest pays for a quote, for all of its rooms, with
	// the charges that are added, divided by the nights of the stay. The bounds are included. They select quotes, and so
	// properties with any such quote. Default: no bound.
	MinNightly, MaxNightly dynastay.Money
	Stars                  []int             // any of these, 1 to 5; at most 50; default: any, and none
	MinRating              dynastay.Rating   // 0 means all properties, including unrated ones
	Types                  []properties.Type // any of these, at most 50; default: any
	AmenityIDs             []string          // all of these, at most 50
	// Meals selects what has any of these meals, at most 50. A room that is sold without a rate plan has none of them.
	// Default: whatever there is.
	Meals []availability.MealPlan
	// FreeCancellation selects rooms that can still be cancelled free of charge if they are booked now: until the hours
	// of their policy before CheckInTime on the day of arrival at the property, or before midnight if it has none.
	FreeCancellation bool
}

// The limits of a request.
const (
	maxCandidates     = 1000
	defaultCandidates = 100
	maxConditions     = 50
)

// completeParty fills in the defaults and checks what does not concern the place and the order. Its errors name the field.
func (r Request) completeParty(now time.Time) (Request, error) {
	r.Rooms = cmp.Or(r.Rooms, 1)
	if err := (party{r.Guests, r.Rooms}).validate(); err != nil {
		return r, err
	}
	if err := (availability.Party{Guests: r.Guests, ChildAges: r.ChildAges}).Validate(); err != nil {
		return r, err
	}
	r.ChildAges = slices.Sorted(slices.Values(r.ChildAges))
	if err := r.validateStay(now); err != nil {
		return r, err
	}
	if err := r.validatePrices(); err != nil {
		return r, err
	}
	if err := r.Filter.validate(); err != nil {
		return r, dynastay.Within("Filter", err)
	}
	r.Filter = r.Filter.sorted()
	return r, nil
}

// complete fills in all defaults and checks the request.
func (r Request) complete(now time.Time, p dynastay.Paging) (Request, error) {
	r, err := r.completeParty(now)
	if err == nil {
		err = r.validateDestination()
	}
	if err != nil {
		return r, err
	}
	switch {
	case !slices.Contains(sorts, r.Sort):
		return r, dynastay.Invalid("Sort", "must be one of the orders of this package")
	case r.Rank != nil && r.Sort != Recommended:
		return r, dynastay.Invalid("Rank", "requires the order Recommended")
	case r.Candidates < 0 || r.Candidates > maxCandidates:
		return r, dynastay.Invalid("Candidates", "must be between 1 and 1,000")
	case r.Candidates == 0 && r.indexed():
		r.Candidates = p.Limit
	case r.Candidates == 0:
		r.Candidates = max(defaultCandidates, p.Limit)
	}
	return r, nil
}

var sorts = []Sort{Recommended, BestRated, LowestPrice, HighestPrice, LowestTotal, HighestTotal, Nearest}

func (r Request) validateStay(now time.Time) error {
	if err := r.Stay.Validate(); err != nil {
		return dynastay.Within("Stay", err)
	}
	if r.Stay.Nights() > availability.MaxNights {
		return dynastay.Invalid("Stay", "must have at most %d nights", availability.MaxNights)
	}
	// Today is a different date at different properties. Nowhere is it before this one.
	if west := dynastay.DateOf(now, time.FixedZone("", -12*60*60)); r.Stay.CheckIn.Before(west) {
		return dynastay.Invalid("Stay.CheckIn", "must not be before today, got %s", r.Stay.CheckIn)
	}
	return nil
}

func (r Request) validateDestination() error {
	if r.Point != nil {
		if _, err := key.PlaceOf(r.Point.Latitude, r.Point.Longitude); err != nil {
			return dynastay.Within("Point", err)
		}
	}
	switch {
	case r.aroundPoint() && r.Point == nil:
		return dynastay.Invalid("City", "is required, or a Point with a Radius")
	case r.aroundPoint():
		_, err := key.Cover(*r.Point, r.Radius)
		return err
	case r.Radius != 0:
		return dynastay.Invalid("Radius", "cannot be combined with a City")
	case r.Sort == Nearest && r.Point == nil:
		return dynastay.Invalid("Point", "is required by the order Nearest")
	}
	return nil
}

// aroundPoint reports whether the destination is a circle, not a city.
func (r Request) aroundPoint() bool { return r.City == "" && r.Country == "" }

// byPrice reports whether the order is by price.
func (r Request) byPrice() bool {
	return r.byTotal() || r.Sort == LowestPrice || r.Sort == HighestPrice
}

// byTotal reports whether the order is known only once the nights have been read.
func (r Request) byTotal() bool { return r.Sort == LowestTotal || r.Sort == HighestTotal }

// indexed reports whether the order is that in which the candidates of a city are read. Those of a circle are read as a
// whole, except in an order by total.
func (r Request) indexed() bool { return r.Sort == BestRated || r.Sort == LowestPrice }

func (r Request) validatePrices() error {
	lowest, highest := r.Filter.MinNightly, r.Filter.MaxNightly
	if r.Currency == "" {
		switch {
		case r.byPrice():
			return dynastay.Invalid("Currency", "is required by an order by price")
		case lowest.IsSet() || highest.IsSet():
			return dynastay.Invalid("Currency", "is required by a filter of prices")
		}
		return nil
	}
	if err := r.Currency.Validate(); err != nil {
		return dynastay.Within("Currency", err)
	}
	for _, bound := range []struct {
		field  string
		amount dynastay.Money
	}{{"Filter.MinNightly", lowest}, {"Filter.MaxNightly", highest}} {
		if !bound.amount.IsSet() {
			continue
		}
		if bound.amount.Currency() != r.Currency {
			return dynastay.Invalid(bound.field, "must be in the currency of the request, %s", r.Currency)
		}
		if _, err := key.PriceOf(bound.amount); err != nil {
			return dynastay.Invalid(bound.field, "%s", err.(*dynastay.InvalidError).Reason)
		}
	}
	if n, _ := lowest.Compare(highest); n > 0 { // 0 without one of them
		return dynastay.Invalid("Filter.MinNightly", "must not exceed MaxNightly")
	}
	return nil
}

func (f Filter) validate() error {
	if err := f.MinRating.Validate(); err != nil {
		return dynastay.Within("MinRating", err)
	}
	for field, n := range map[string]int{
		"Stars": len(f.Stars), "Types": len(f.Types), "AmenityIDs": len(f.AmenityIDs), "Meals": len(f.Meals),
	} {
		if n > maxConditions {
			return dynastay.Invalid(field, "must have at most %d entries", maxConditions)
		}
	}
	for i, stars := range f.Stars {
		if stars < 1 || stars > 5 {
			return dynastay.Invalid(fmt.Sprintf("Stars[%d]", i), "must be between 1 and 5")
		}
	}
	for i, kind := range f.Types {
		if _, err := keys.Partition(keys.PropertyByType{Type: string(kind)}); err != nil {
			return dynastay.Invalid(fmt.Sprintf("Types[%d]", i), "%s", err.(*dynastay.InvalidError).Reason)
		}
	}
	for i, id := range f.AmenityIDs {
		if _, err := keys.Of(keys.Amenity{PropertyID: "any", AmenityID: id}); err != nil {
			return dynastay.Invalid(fmt.Sprintf("AmenityIDs[%d]", i), "%s", err.(*dynastay.InvalidError).Reason)
		}
	}
	for i, meals := range f.Meals {
		if err := meals.Validate(); err != nil || meals == "" {
			return dynastay.Invalid(fmt.Sprintf("Meals[%d]", i), "must be one of the meal plans of package availability")
		}
	}
	return nil
}

// sorted returns the same filter in one form, so that cursors do not depend on the order of its conditions.
func (f Filter) sorted() Filter {
	f.Stars, f.Types, f.AmenityIDs, f.Meals = distinct(f.Stars), distinct(f.Types), distinct(f.AmenityIDs), distinct(f.Meals)
	return f
}

func distinct[T cmp.Ordered](all []T) []T { return slices.Compact(slices.Sorted(slices.Values(all))) }

// identity is what a cursor is tied to: everything that determines which properties come in which order. Of the function
// Rank, that is only whether there is one. Candidates may change: those that are being offered are in the cursor.
func (r Request) identity() string {
	all := []any{
		r.City, r.Country, r.Point, r.Radius, r.Stay.CheckIn.String(), r.Stay.CheckOut.String(), r.Guests, r.Rooms, r.Currency,
		r.Filter.identity(), r.Sort, r.Rank != nil,
	}
	if len(r.ChildAges) > 0 {
		all = append(all, r.ChildAges)
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic("search: " + err.Error()) // all numbers have been checked, so none is infinite
	}
	return "search.Page " + string(text)
}

// identity is the form of a filter in cursors, which must not change with the JSON of its values.
func (f Filter) identity() any {
	return struct {
		MinNightly, MaxNightly dynastay.Money
		Stars                  []int
		MinRating              int
		Types                  []properties.Type
		AmenityIDs             []string
		FreeCancellation       bool
		Meals                  []availability.MealPlan `json:",omitempty"`
	}{f.MinNightly, f.MaxNightly, f.Stars, int(f.MinRating), f.Types, f.AmenityIDs, f.FreeCancellation, f.Meals}
}
