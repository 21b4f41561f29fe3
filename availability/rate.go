package availability

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/stored"
)

// Rate is what a night has for one rate plan: the price of a plan with prices of its own, and restrictions of stays under
// the plan. The restrictions of the night also apply, but those of the plan that this one is derived from do not. The zero
// Rate has no effect, and is not stored.
type Rate struct {
	Price           dynastay.Money `json:",omitzero"` // for one room; unset for a plan that derives its price
	StopSell        bool           // the plan is off sale; the others are not
	ClosedToArrival bool           // no stay may begin on this date
	// ClosedToDeparture means that no stay may end on the morning after this night.
	ClosedToDeparture bool
	MinStay           int // minimum nights for an arrival on this date; 0 means no minimum
	MaxStay           int // maximum nights for an arrival on this date; 0 means no maximum
}

// MaxRatesSize is the maximum size, in bytes, of what a night has for all rate plans. It keeps a night below 1 KB, so that
// a sale costs the same with rate plans as without. It is enough for a price and all restrictions of eight plans with the
// longest ids, or for the prices of 16.
const MaxRatesSize = 384

// maxRates is the number of plans that one request names at most: those that a property can have on sale.
const maxRates = 40

// ErrRatesFull means that a night would have more than [MaxRatesSize] bytes for its rate plans. [RateChange.Clear] makes
// room: it removes what the night has for plans that are not sold any more.
var ErrRatesFull = dynastay.Refusal("the rates of the night are full: clear those of plans that are not sold any more")

// ErrMixedCurrencies means that the prices of a night and of its rate plans would be in different currencies. A night
// whose currency changes must get all of them in one update.
var ErrMixedCurrencies = dynastay.Refusal("the prices of the night and of its rate plans must be in one currency")

// declare declares the attributes of a rate, whose names are short because every night has them for every plan. The
// amount has the currency of the night.
func (r *Rate) declare(f *entity.Fields, currency dynastay.Currency) {
	f.Amount("P", currency, &r.Price)
	f.IfSet().Bool("S", &r.StopSell)
	f.IfSet().Bool("A", &r.ClosedToArrival)
	f.IfSet().Bool("D", &r.ClosedToDeparture)
	f.IfSet().Int("N", &r.MinStay)
	f.IfSet().Int("X", &r.MaxStay)
}

// ratesSize returns the size of the rates of a night as they are stored.
func ratesSize(rates map[string]Rate) int {
	item := dynastay.Item{}
	for id, rate := range rates {
		one, err := entity.Declare(func(f *entity.Fields, r *Rate) { r.declare(f, r.Price.Currency()) }).Encode(&rate)
		if err == nil && len(one) > 0 {
			item[id] = &types.AttributeValueMemberM{Value: one}
		}
	}
	if len(item) == 0 {
		return 0
	}
	return stored.Size(dynastay.Item{"Rates": &types.AttributeValueMemberM{Value: item}})
}

// checkRates checks the rates with which nights are opened.
func checkRates(rates map[string]Rate, currency dynastay.Currency) error {
	if err := checkRatePlanIDs(rates); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(rates)) {
		rate := rates[id]
		if err := rate.validate(currency); err != nil {
			return dynastay.Within(ratesAt(id), err)
		}
	}
	if size := ratesSize(rates); size > MaxRatesSize {
		return dynastay.Invalid("Rates", "must have at most %d bytes as stored, got %d", MaxRatesSize, size)
	}
	return nil
}

func (r Rate) validate(currency dynastay.Currency) error {
	if r == (Rate{}) {
		return dynastay.Invalid("", "must set at least one value")
	}
	if r.Price.IsSet() {
		if err := checkRatePrice(r.Price); err != nil {
			return err
		}
		if r.Price.Currency() != currency {
			return dynastay.Invalid("Price.Currency", "must be %s, that of the night's price", currency)
		}
	}
	return checkStays(&r.MinStay, &r.MaxStay)
}

// checkRatePrice rejects a price that no plan can be sold at.
func checkRatePrice(price dynastay.Money) error {
	if err := checkPrice(price); err != nil {
		return err
	}
	return (&amounts{}).positive("Price", price)
}

// checkRatePlanIDs checks the keys of a map. Its errors do not contain them, because a key may be any text.
func checkRatePlanIDs[V any](rates map[string]V) error {
	if len(rates) > maxRates {
		return dynastay.Invalid("Rates", "must have at most %d entries", maxRates)
	}
	for id := range rates {
		if CheckRatePlanID(id) != nil {
			return dynastay.Invalid("Rates", "must have the ids of rate plans as keys")
		}
	}
	return nil
}

// agreeOnRates adds the rates to what an idempotency key stands for. Without rates, it adds nothing.
func agreeOnRates(in *dynastay.Input, rates map[string]Rate) {
	for _, id := range slices.Sorted(maps.Keys(rates)) {
		text, err := json.Marshal(rates[id])
		if err != nil {
			panic(err) // the numbers of a valid rate can be marshalled
		}
		in.Field("rate "+id, string(text))
	}
}

// ratesAt is the field of an entry of Rates.
func ratesAt(id string) string { return "Rates[" + id + "]" }
