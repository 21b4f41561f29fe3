package main

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/examples/report"
)

// newYorkTaxes are the taxes of a hotel room in New York City, as of 2026 to general knowledge: look up those that your hotels owe.
// Guests who stay for half a year or longer owe none of them, and no booking here is that long.
func newYorkTaxes(l *charges.List) error {
	tax := func(id, name string, rate charges.Rate) charges.Charge {
		return charges.Charge{
			ID: id, Name: name, Kind: charges.Tax, Rate: rate, Per: charges.PerNight, Of: []charges.Component{charges.Lodging},
		}
	}
	l.Charges = []charges.Charge{
		tax("sales", "State and city sales tax", 8_8750),
		tax("occupancy", "Hotel room occupancy tax", 5_8750),
		{
			ID: "unit", Name: "Fees for each room and night", Kind: charges.Tax, Amount: dynastay.MustMoney("3.50", "USD"),
			Per: charges.PerRoomNight, Kept: charges.KeptIfStayed,
		},
	}
	return nil
}

func (d *desk) addTaxes(ctx context.Context, out *report.Findings) error {
	list, err := d.properties.UpdateCharges(ctx, d.orchard.ID, newYorkTaxes)
	if err != nil {
		return err
	}
	for _, c := range list.Charges {
		if c.Rate != 0 {
			out.Row(c.Name, c.Rate.String()+" %")
		} else {
			out.Row(c.Name, c.Amount)
		}
	}
	return nil
}

// showReceipt prints the receipt of the last booking, which adds up to what is still to be paid.
func (d *desk) showReceipt(ctx context.Context, out *report.Findings) error {
	r, err := d.bookings.Receipt(ctx, d.booking.ID)
	if err != nil {
		return err
	}
	for _, e := range r.Entries {
		out.Row(cmp.Or(e.Name, e.ID, "Rooms"), plain(e.Kind), e.Amount)
	}
	out.Row("Balance", "", r.Balance)
	for _, tax := range r.Taxes {
		out.Row(tax.Name, "contained", tax.Amount)
	}
	return nil
}
