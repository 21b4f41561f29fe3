package api

import (
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// money is an exact amount: a decimal number as text, because a JSON number is a float for many clients.
type money struct {
	Amount   string `json:"amount" pattern:"^-?[0-9]+(\\.[0-9]+)?$" example:"142.00"`
	Currency string `json:"currency" minLength:"3" maxLength:"3" example:"EUR"`
}

func moneyOf(m dynastay.Money) *money {
	if !m.IsSet() {
		return nil
	}
	amount, currency, _ := strings.Cut(m.String(), " ")
	return &money{amount, currency}
}

// read returns the amount, or a [*dynastay.InvalidError] for the field.
func (m *money) read(field string) (dynastay.Money, error) {
	if m == nil {
		return dynastay.Money{}, nil
	}
	amount, err := dynastay.NewMoney(m.Amount, dynastay.Currency(m.Currency))
	return amount, dynastay.Within(field, err)
}

// stay is the dates of a stay: the nights from the date of arrival to that of departure.
type stay struct {
	CheckIn  string `json:"checkIn" format:"date" example:"2037-07-10"`
	CheckOut string `json:"checkOut" format:"date" example:"2037-07-12"`
}

// Dates is [stay] in a query.
type Dates struct {
	CheckIn  string `query:"checkIn" required:"true" format:"date"`
	CheckOut string `query:"checkOut" required:"true" format:"date"`
}

func stayOf(s dynastay.Stay) stay { return stay{s.CheckIn.String(), s.CheckOut.String()} }

func (s stay) read() (all dynastay.Stay, err error) {
	if all.CheckIn, err = dynastay.ParseDate(s.CheckIn); err != nil {
		return all, dynastay.Invalid("checkIn", "must be a date such as 2037-07-10")
	}
	if all.CheckOut, err = dynastay.ParseDate(s.CheckOut); err != nil {
		return all, dynastay.Invalid("checkOut", "must be a date such as 2037-07-10")
	}
	return all, nil
}

// night is a night of a line, with the price of one room.
type night struct {
	Date  string `json:"date" format:"date"`
	Price *money `json:"price,omitempty"`
}

// line is what is booked of a room type.
type line struct {
	RoomTypeID   string  `json:"roomTypeId"`
	Name         string  `json:"name"`
	Rooms        int     `json:"rooms"`
	Plan         string  `json:"plan,omitempty" doc:"The name of the rate plan."`
	Meals        string  `json:"meals,omitempty"`
	Cancellation string  `json:"cancellation,omitempty"`
	Nights       []night `json:"nights"`
	Subtotal     *money  `json:"subtotal,omitempty"`
}

func linesOf(all []availability.Line) []line {
	lines := []line{}
	for _, l := range all {
		lines = append(lines, lineOf(l))
	}
	return lines
}

func lineOf(l availability.Line) line {
	to := line{RoomTypeID: l.RoomTypeID, Name: l.Name, Rooms: l.Quantity, Cancellation: string(l.CancellationPolicy), Nights: []night{}, Subtotal: moneyOf(l.Subtotal)}
	if l.Plan != nil {
		to.Plan, to.Meals = l.Plan.Name, string(l.Plan.Meals.Plan)
	}
	for _, n := range l.Nights {
		to.Nights = append(to.Nights, night{n.Date.String(), moneyOf(n.Price)})
	}
	return to
}

// etag returns the tag of a version.
func etag(version int) string { return strconv.Quote(strconv.Itoa(version)) }

// versionOf reads the tag of the header If-Match.
func versionOf(tag string) (int, error) {
	text, err := strconv.Unquote(tag)
	if err == nil {
		var version int
		if version, err = strconv.Atoi(text); err == nil {
			return version, nil
		}
	}
	return 0, dynastay.Invalid("If-Match", "must be the ETag of the booking")
}
