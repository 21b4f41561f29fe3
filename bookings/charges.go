package bookings

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// BookingCharges are the charges of a booking as they are stored. They are an item of their own: with them, a booking would cross
// 1 KB, and every later write of it would cost twice as much. The condition on the booking protects them, as it does the lines.
// [Booking.Charges] has them in the order of the lines.
// See docs/decisions/0028-charges-of-bookings.md.
type BookingCharges struct {
	BookingID  string
	Charges    []BookingCharge `json:",omitzero"`
	Included   dynastay.Money  `json:",omitzero"`
	Added      dynastay.Money  `json:",omitzero"`
	AtProperty dynastay.Money  `json:",omitzero"`
	Deposits   dynastay.Money  `json:",omitzero"`
}

// BookingCharge is one of the charges. Its Lines and Nights are unset.
type BookingCharge struct {
	charges.Entry
	ByLine  map[string]dynastay.Money `json:",omitzero"` // by room type id, or as in "double#2" for a line with a higher number
	ByNight map[string]dynastay.Money `json:",omitzero"` // by date
}

var chargesEntity = entity.New(entity.Spec[BookingCharges]{
	Name: "BookingCharges", Operations: "bookings", Schema: keys.BookingsTable,
	Key: func(c *BookingCharges) (dynastay.Key, error) {
		return keys.Of(keys.BookingCharges{BookingID: c.BookingID})
	},
	Codec: entity.Declare(func(f *entity.Fields, c *BookingCharges) {
		f.Const(keys.AttrEntityType, "BookingCharges")
		f.String("BookingId", &c.BookingID)
		f.Money("Added", "Currency", &c.Added)
		f.Amount("Included", c.Added.Currency(), &c.Included)
		f.Amount("AtProperty", c.Added.Currency(), &c.AtProperty)
		f.Amount("Deposits", c.Added.Currency(), &c.Deposits)
		entity.List(f, "Charges", &c.Charges, func(f *entity.Fields, one *BookingCharge) { one.declare(f, c.Added.Currency()) })
	}),
})

func (c *BookingCharge) declare(f *entity.Fields, currency dynastay.Currency) {
	f.String("Id", &c.ID)
	f.String("Name", &c.Name)
	entity.String(f, "Kind", &c.Kind)
	entity.Custom(f, "Rate", &c.Rate, charges.StoredRate, charges.RateOf)
	f.IfSet().Bool("Included", &c.Included)
	f.IfSet().Bool("AtProperty", &c.AtProperty)
	entity.String(f, "Kept", &c.Kept)
	f.Amount("Amount", currency, &c.Amount)
	f.Amount("Base", currency, &c.Base)
	entity.Keyed(f, "LineAmounts", &c.ByLine, func(f *entity.Fields, line string, amount *dynastay.Money) {
		f.Amount(line, currency, amount)
	})
	entity.Keyed(f, "NightAmounts", &c.ByNight, func(f *entity.Fields, date string, amount *dynastay.Money) {
		f.Amount(date, currency, amount)
	})
}

// nameOf names a line among those of its booking.
func nameOf(l *availability.Line) string {
	if l.Number > 1 {
		return fmt.Sprintf("%s#%d", l.RoomTypeID, l.Number)
	}
	return l.RoomTypeID
}

// storedCharges returns the charges of a booking as they are stored.
func (b *Booking) storedCharges() *BookingCharges {
	c := &BookingCharges{
		BookingID: b.ID, Charges: []BookingCharge{}, // an empty list is stored, too, and replaces the one before
		Included: b.Charges.Included, Added: b.Charges.Added, AtProperty: b.Charges.AtProperty, Deposits: b.Charges.Deposits,
	}
	for _, e := range b.Charges.Entries {
		one := BookingCharge{Entry: e, ByLine: map[string]dynastay.Money{}}
		for i, amount := range e.Lines {
			one.ByLine[nameOf(&b.Lines[i].Line)] = amount
		}
		for i, amount := range e.Nights {
			if one.ByNight == nil {
				one.ByNight = map[string]dynastay.Money{}
			}
			one.ByNight[b.Stay.CheckIn.AddDays(i).String()] = amount
		}
		one.Lines, one.Nights = nil, nil
		c.Charges = append(c.Charges, one)
	}
	return c
}

// bill returns the charges in the order of a booking's lines and nights. While the booking is being modified, its lines may be
// from before or after, so what is missing is unset; [Booking.Settle] does not accept it.
func (c *BookingCharges) bill(b *Booking) *charges.Bill {
	bill := &charges.Bill{Included: c.Included, Added: c.Added, AtProperty: c.AtProperty, Deposits: c.Deposits}
	for _, one := range c.Charges {
		e := one.Entry
		for _, line := range b.Lines {
			e.Lines = append(e.Lines, one.ByLine[nameOf(&line.Line)])
		}
		if one.ByNight != nil && b.Stay.Nights() <= availability.MaxNights { // other software may have stored a stay of any length
			for date := range b.Stay.Dates() {
				e.Nights = append(e.Nights, one.ByNight[date.String()])
			}
		}
		bill.Entries = append(bill.Entries, e)
	}
	return bill
}

// addCharges reads the charges of a booking that has its lines.
func (s stored) addCharges(b *Booking) error {
	if b.Charges = nil; !s.charges.Exists() {
		return nil
	}
	c, err := chargesEntity.Value(s.charges)
	if err == nil {
		b.Charges = c.bill(b)
	}
	return err
}

// writeCharges adds the action that stores the charges of a booking, if they are not stored already.
func writeCharges(tx *dynastay.Tx, b *Booking, row dynastay.Row) (differs bool, err error) {
	if b.Charges == nil {
		return false, nil
	}
	item, err := chargesEntity.Item(b.storedCharges())
	if err != nil {
		return false, err
	}
	before := row.Item()
	if values.Holds(before, item) {
		return false, nil
	}
	for name, v := range before { // what the library does not know is kept
		if _, known := item[name]; !known {
			item[name] = v
		}
	}
	tx.Put(keys.BookingsTable, item)
	return true, nil
}
