package offer

import (
	"encoding/json"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// bill is part of version 2.
type bill struct {
	Entries    []entry     `json:"e,omitempty"`
	Included   json.Number `json:"i"`
	Added      json.Number `json:"a"`
	AtProperty json.Number `json:"p"`
	Deposits   json.Number `json:"d"`
}

type entry struct {
	ID         string        `json:"i"`
	Name       string        `json:"n"`
	Kind       charges.Kind  `json:"t"`
	Rate       int           `json:"r,omitempty"`
	Included   bool          `json:"c,omitempty"`
	AtProperty bool          `json:"p,omitempty"`
	Kept       charges.Kept  `json:"k,omitempty"`
	Amount     json.Number   `json:"a"`
	Base       json.Number   `json:"b,omitempty"`
	Lines      []json.Number `json:"l"`
	Nights     []json.Number `json:"g,omitempty"`
}

// billOf returns nil for an offer without charges. Its discounts are those of the offer.
func billOf(b *charges.Bill) *bill {
	if b == nil {
		return nil
	}
	sealed := &bill{
		Included: digits(b.Included), Added: digits(b.Added), AtProperty: digits(b.AtProperty), Deposits: digits(b.Deposits),
	}
	for _, e := range b.Entries {
		sealed.Entries = append(sealed.Entries, entry{
			ID: e.ID, Name: e.Name, Kind: e.Kind, Rate: int(e.Rate), Included: e.Included, AtProperty: e.AtProperty, Kept: e.Kept,
			Amount: digits(e.Amount), Base: digits(e.Base), Lines: allDigits(e.Lines), Nights: allDigits(e.Nights),
		})
	}
	return sealed
}

func allDigits(amounts []dynastay.Money) (all []json.Number) {
	for _, m := range amounts {
		all = append(all, digits(m))
	}
	return all
}

func (b *bill) open(amounts *reader) *charges.Bill {
	if b == nil {
		return nil
	}
	opened := &charges.Bill{
		Included: amounts.read(b.Included), Added: amounts.read(b.Added),
		AtProperty: amounts.read(b.AtProperty), Deposits: amounts.read(b.Deposits),
	}
	for _, e := range b.Entries {
		opened.Entries = append(opened.Entries, charges.Entry{
			ID: e.ID, Name: e.Name, Kind: e.Kind, Rate: charges.Rate(e.Rate), Included: e.Included, AtProperty: e.AtProperty, Kept: e.Kept,
			Amount: amounts.read(e.Amount), Base: amounts.read(e.Base), Lines: amounts.readAll(e.Lines), Nights: amounts.readAll(e.Nights),
		})
	}
	return opened
}

func (r *reader) readAll(digits []json.Number) (all []dynastay.Money) {
	for _, d := range digits {
		all = append(all, r.read(d))
	}
	return all
}
