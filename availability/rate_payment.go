package availability

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// PaymentTerms say when guests under a rate plan pay: a deposit when they book, and the rest before they arrive or at the
// property. For a non-refundable plan, Percent is often 100. A plan does not inherit them from the plan that it is derived
// from. The zero value means that all is paid at the property, whenever the guests like.
type PaymentTerms struct {
	Percent dynastay.Percent `json:",omitzero"` // of the price, due at booking: at most 100 %
	Nights  int              // the price of the first so many nights is due at booking; not together with Percent
	// RestDays is how many days before the date of check-in the rest is due, by the end of the day at the property: 1 to
	// [MaxRestDays]. A booking that is made on that date or later is due as a whole. 0 leaves the rest to the property.
	RestDays int
}

// MaxRestDays is the maximum of [PaymentTerms].RestDays.
const MaxRestDays = 365

// Validate returns an error that names the field that is out of its range, or contradicts another one.
func (t PaymentTerms) Validate() error {
	switch {
	case t.Percent < 0 || t.Percent > dynastay.MaxPercent:
		return dynastay.Invalid("Percent", "must be between 0 and 100, got %s", t.Percent)
	case t.Nights < 0 || t.Nights > MaxNights:
		return dynastay.Invalid("Nights", "must be between 0 and %d", MaxNights)
	case t.Nights > 0 && t.Percent > 0:
		return dynastay.Invalid("Nights", "must be 0, because the deposit is a percentage")
	case t.RestDays < 0 || t.RestDays > MaxRestDays:
		return dynastay.Invalid("RestDays", "must be between 0 and %d", MaxRestDays)
	case t.RestDays > 0 && t.Percent == dynastay.MaxPercent:
		return dynastay.Invalid("RestDays", "must be 0, because the deposit is the whole price")
	}
	return nil
}

func (t *PaymentTerms) declare(f *entity.Fields) {
	entity.Custom(f, "Percent", &t.Percent, storedPercent, percentOf)
	f.IfSet().Int("Nights", &t.Nights)
	f.IfSet().Int("RestDays", &t.RestDays)
}
