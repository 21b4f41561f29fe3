package offer

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// payload is the contents of a token. If its form changes, so must the version. The amounts are in the currency of the
// quote, and left out if there is none. The types that are converted as a whole have exactly the fields of the others,
// so that a new field does not compile until it is part of the form.
type payload struct {
	Quote        quote       `json:"q"`
	UserID       string      `json:"u,omitempty"`
	TaxesAndFees json.Number `json:"f,omitempty"`
	PromoCode    string      `json:"p,omitempty"`
	Discounts    json.Number `json:"d,omitempty"`
	Kept         json.Number `json:"k,omitempty"`
	BookingID    string      `json:"b,omitempty"`
	Version      int         `json:"v,omitempty"`
	Expires      time.Time   `json:"x"`
}

type quote struct {
	Property house             `json:"h"`
	Stay     stay              `json:"s"`
	Guests   guests            `json:"g"`
	Overbook int               `json:"b,omitempty"`
	Lines    []line            `json:"l"`
	Sleeps   limits            `json:"m"`
	Total    json.Number       `json:"t"`
	Currency dynastay.Currency `json:"c"`
	At       time.Time         `json:"a"`
	// Version 2 only.
	Plans   []plan `json:"r,omitempty"` // those of the lines, each once, in their order
	Charges *bill  `json:"e,omitempty"`
}

type house struct {
	ID          string `json:"i"`
	Name        string `json:"n,omitempty"`
	TimeZone    string `json:"z,omitempty"`
	CheckInTime string `json:"t,omitempty"`
}

type stay struct {
	CheckIn  dynastay.Date `json:"i"`
	CheckOut dynastay.Date `json:"o"`
}

type guests struct {
	Adults   int `json:"a"`
	Children int `json:"c,omitempty"`
}

type limits struct {
	MaxAdults    int `json:"a"`
	MaxChildren  int `json:"c,omitempty"`
	MaxOccupancy int `json:"o"`
}

type line struct {
	RoomTypeID string        `json:"i"`
	Name       string        `json:"n,omitempty"`
	Quantity   int           `json:"q"`
	Policy     string        `json:"p,omitempty"`
	Prices     []json.Number `json:"d"` // of each night, from check-in
	Subtotal   json.Number   `json:"s"`
	Overbooked []int         `json:"o,omitempty"` // days since check-in
	terms
}

// The versions of the form. An offer has the first one that can represent it, so that it has only one token for a key.
const (
	version1 = "v1"
	version2 = "v2" // with the terms of lines, and charges
)

func versionOf(q *availability.Quote) string {
	if q.Charges != nil || slices.ContainsFunc(q.Lines, func(l availability.Line) bool { return l.Plan != nil || l.Party != nil || l.Number != 0 }) {
		return version2
	}
	return version1
}

// hasTerms reports whether anything is there that only version 2 has.
func (q quote) hasTerms() bool {
	return q.Plans != nil || q.Charges != nil || slices.ContainsFunc(q.Lines, func(l line) bool { return !reflect.ValueOf(l.terms).IsZero() })
}

// encode returns the contents of a token for a valid offer.
func encode(o Offer) ([]byte, error) {
	q := o.Quote
	p := payload{
		Quote: quote{
			Property: house(q.Property), Stay: stay(q.Stay), Guests: guests(q.Guests), Overbook: q.Overbook,
			Sleeps: limits(q.Sleeps), Total: digits(q.Total), Currency: q.Total.Currency(), At: q.At.UTC(),
			Charges: billOf(q.Charges),
		},
		UserID: o.UserID, TaxesAndFees: digits(o.TaxesAndFees), PromoCode: o.PromoCode, Discounts: digits(o.Discounts), Kept: digits(o.Kept),
		BookingID: o.BookingID, Version: o.Version, Expires: o.Expires.UTC(),
	}
	for _, l := range q.Lines {
		sealed := lineOf(l, q.Stay.CheckIn)
		var err error
		if sealed.terms, err = p.Quote.termsOf(l); err != nil {
			return nil, err
		}
		p.Quote.Lines = append(p.Quote.Lines, sealed)
	}
	return json.Marshal(p)
}

func lineOf(l availability.Line, checkIn dynastay.Date) line {
	sealed := line{
		RoomTypeID: l.RoomTypeID, Name: l.Name, Quantity: l.Quantity, Policy: string(l.CancellationPolicy),
		Subtotal: digits(l.Subtotal),
	}
	for _, night := range l.Nights {
		sealed.Prices = append(sealed.Prices, digits(night.Price))
	}
	for _, date := range l.Overbooked {
		sealed.Overbooked = append(sealed.Overbooked, checkIn.DaysUntil(date))
	}
	return sealed
}

// digits returns "" for the zero Money.
func digits(m dynastay.Money) json.Number {
	if !m.IsSet() {
		return ""
	}
	return json.Number(m.Digits())
}

var (
	errTrailing = errors.New("more than one JSON value")
	errVersion  = errors.New("the contents are those of another version")
)

// decode reverses encode. It refuses what encode cannot have written; the offer itself is not validated.
func decode(version string, raw []byte) (Offer, error) {
	var p payload
	from := json.NewDecoder(bytes.NewReader(raw))
	from.DisallowUnknownFields()
	if err := from.Decode(&p); err != nil {
		return Offer{}, err
	}
	if from.InputOffset() != int64(len(raw)) {
		return Offer{}, errTrailing
	}
	amounts := reader{currency: p.Quote.Currency}
	o := Offer{
		Quote: &availability.Quote{
			Property: availability.House(p.Quote.Property), Stay: dynastay.Stay(p.Quote.Stay),
			Guests: availability.Guests(p.Quote.Guests), Overbook: p.Quote.Overbook,
			Sleeps: availability.Limits(p.Quote.Sleeps), Total: amounts.read(p.Quote.Total), At: p.Quote.At.UTC(),
			Charges: p.Quote.Charges.open(&amounts),
		},
		UserID: p.UserID, TaxesAndFees: amounts.read(p.TaxesAndFees), PromoCode: p.PromoCode, Discounts: amounts.read(p.Discounts), Kept: amounts.read(p.Kept),
		BookingID: p.BookingID, Version: p.Version, Expires: p.Expires.UTC(),
	}
	for _, l := range p.Quote.Lines {
		opened := l.line(p.Quote.Stay.CheckIn, &amounts)
		amounts.fail(p.Quote.open(l.terms, &opened, &amounts))
		o.Quote.Lines = append(o.Quote.Lines, opened)
	}
	amounts.fail(p.Quote.checkPlans())
	if o.Quote.Charges != nil && o.Discounts.Sign() != 0 {
		o.Quote.Discounts = o.Discounts
	}
	if version != versionOf(o.Quote) || version == version1 && p.Quote.hasTerms() {
		amounts.fail(errVersion)
	}
	return o, amounts.err
}

func (l line) line(checkIn dynastay.Date, amounts *reader) availability.Line {
	opened := availability.Line{
		RoomTypeID: l.RoomTypeID, Name: l.Name, Quantity: l.Quantity,
		CancellationPolicy: availability.CancellationPolicy(l.Policy), Subtotal: amounts.read(l.Subtotal),
	}
	for i, price := range l.Prices {
		opened.Nights = append(opened.Nights, availability.NightPrice{Date: checkIn.AddDays(i), Price: amounts.read(price)})
	}
	for _, n := range l.Overbooked {
		opened.Overbooked = append(opened.Overbooked, checkIn.AddDays(n))
	}
	return opened
}

// reader reads amounts in one currency, and keeps the first error.
type reader struct {
	currency dynastay.Currency
	err      error
}

func (r *reader) read(digits json.Number) dynastay.Money {
	if digits == "" {
		return dynastay.Money{}
	}
	m, err := dynastay.NewMoney(string(digits), r.currency)
	r.fail(err)
	return m
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
