package bookings

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/keys"
)

// Receipt says what a booking costs and what has been paid, in entries that add up. All amounts are in the currency of the
// booking.
type Receipt struct {
	BookingID    string
	Reference    string
	PropertyName string
	Stay         dynastay.Stay `json:",omitzero"`
	Status       Status
	// Entries are the rooms, the discount, the charges that are added, what is kept of what modifications have given up, what is
	// not owed because the guests do not stay, and the payments and the refunds. The sum of their Amounts is Balance.
	Entries []ReceiptEntry `json:",omitzero"`
	Total   dynastay.Money `json:",omitzero"` // of the booking
	Owed    dynastay.Money `json:",omitzero"` // of Total: less than that if the booking is cancelled, or the guests have not stayed
	Paid    dynastay.Money `json:",omitzero"` // in payments, less what is refunded
	Balance dynastay.Money `json:",omitzero"` // Owed − Paid: what is still to be paid or, if negative, to be refunded

	// Instalments are what is due when of Total, see [Booking.Instalments]; nil if nothing is due before the guests arrive, if the
	// lines are unreadable, or once the guests have left or do not come. DueNow is what is due of Balance now, by the instalments;
	// the zero Money if there are none.
	Instalments []Instalment   `json:",omitzero"`
	DueNow      dynastay.Money `json:",omitzero"`

	// AtProperty are the charges that are paid at the property, and in none of the amounts above. There are none if the guests
	// do not come. Deposits are returned.
	AtProperty []ReceiptEntry `json:",omitzero"`
	Deposits   []ReceiptEntry `json:",omitzero"`

	// Taxes are those that Owed contains, for bookkeeping, and Net is Owed without them. What was kept of earlier modifications
	// is part of Net: nothing says which taxes it contains.
	Taxes []ReceiptTax   `json:",omitzero"`
	Net   dynastay.Money `json:",omitzero"`
}

// ReceiptKind is what an entry of a receipt is about.
type ReceiptKind string

// The kinds of entries, in the order in which a receipt has them; payments and refunds are in the order in which they were
// recorded.
const (
	ReceiptRooms    ReceiptKind = "rooms"    // a line of the booking, or all of them if it has no prices
	ReceiptDiscount ReceiptKind = "discount" // negative
	ReceiptCharge   ReceiptKind = "charge"   // a charge that is added
	ReceiptFees     ReceiptKind = "fees"     // the taxes and fees of a booking without charges
	ReceiptKept     ReceiptKind = "kept"     // of what modifications have given up
	ReceiptNotOwed  ReceiptKind = "not_owed" // negative: what is not owed of the rooms, or of the charge that has the ID
	ReceiptPayment  ReceiptKind = "payment"  // negative
	ReceiptRefund   ReceiptKind = "refund"
)

// ReceiptEntry is a line of a receipt.
type ReceiptEntry struct {
	Kind     ReceiptKind
	ID       string         // of the room type, of the charge, of the promo code, or the provider's of the payment or the refund
	Name     string         // of the room type or the charge, or the method of the payment
	Quantity int            // of rooms; 0 for other entries
	Rate     charges.Rate   `json:",omitzero"` // of a charge that is a percentage
	At       time.Time      `json:",omitzero"` // of a payment or a refund
	Pending  bool           // of a refund that has been requested, and counts as made
	Amount   dynastay.Money `json:",omitzero"`
}

// ReceiptTax is a tax that is contained in what is owed.
type ReceiptTax struct {
	ID, Name string
	Rate     charges.Rate   `json:",omitzero"`
	Included bool           // in the prices of the rooms
	Net      dynastay.Money `json:",omitzero"` // what a percentage is of; unset for an amount
	Amount   dynastay.Money `json:",omitzero"`
}

// Receipt reads a booking with its payments, and returns its receipt as of now, see [Booking.Receipt]. It accepts
// [dynastay.Consistent]. 1 request, a Query of the booking's items.
func (r *Repository) Receipt(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (_ *Receipt, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.Receipt")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Booking{BookingID: bookingID})
	if err != nil {
		return nil, err
	}
	rows, err := r.read(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	b, err := r.bookingOf(key, rows)
	if err != nil {
		return nil, err
	}
	a, err := rows.account(b.ID, b.Total.Currency())
	if err != nil {
		return nil, err
	}
	if err := a.understood(); err != nil {
		return nil, err
	}
	return b.Receipt(PaymentHistory{a.payments, a.refunds}, r.db.Now(), r.opts.Terms)
}

// Receipt returns the receipt of the booking with its payments and refunds, of which those that are made or requested count. Now
// decides whether a hold has ended, after which nothing is owed. It sends no request.
//
// Of a cancelled booking, what is owed is what its policies keep, as [Booking.Settle] computes it at the time of the
// cancellation; of a no-show and of guests who left early, all but the charges that are owed only by who stays. Each entry
// is exact, so their sum is exact as well. What a booking lacks that other software has stored is left out: if its prices do
// not add up to the total, there is one entry for all of it.
//
// It returns a [*PolicyError] for a cancelled booking with a policy whose terms are unknown, and a [*dynastay.Error] that
// matches [dynastay.ErrCorrupt] if the total is missing, an amount is in another currency, the charges do not add up, or a
// cancelled booking cannot be settled.
func (b *Booking) Receipt(h PaymentHistory, now time.Time, own TermsOf) (*Receipt, error) {
	w := &receiptWriter{booking: b, receipt: &Receipt{
		BookingID: b.ID, Reference: b.Reference, PropertyName: b.PropertyName, Stay: b.Stay, Status: b.Status, Total: b.Total,
	}}
	if !b.Total.IsSet() {
		return nil, b.unreadable("TotalAmount", errAmount)
	}
	owing, err := b.owing(now, own)
	if err != nil {
		return nil, err
	}
	w.receipt.Owed = b.Total.Round() // other software may have stored one that nobody can pay
	w.receipt.Balance = w.receipt.Owed
	w.parts()
	w.notOwed(owing)
	w.payments(h)
	w.taxes(owing)
	if !owing.ended {
		w.atProperty()
		w.instalments(now)
	}
	if w.err != nil {
		return nil, b.unreadable("TotalAmount", w.err)
	}
	return w.receipt, nil
}

// owing is which part of a booking the guests owe.
type owing struct {
	ended bool             // the hold has, so nothing is owed
	lost  []*big.Rat       // the part of each line
	rooms dynastay.Money   // of the lines, less the discount
	apart []dynastay.Money // of the charges that are settled apart
}

// owing returns what the guests owe, as the payments of the booking are settled.
func (b *Booking) owing(now time.Time, own TermsOf) (o owing, err error) {
	lines := b.settled()
	o.lost = slices.Repeat([]*big.Rat{one}, len(lines))
	if o.ended = b.Status == Expired || b.lapsed(now); o.ended {
		o.lost = slices.Repeat([]*big.Rat{new(big.Rat)}, len(lines))
	}
	switch {
	case o.ended:
		if o.rooms, o.apart, err = b.whole(); err != nil {
			return o, err
		}
		o.rooms, _ = o.rooms.Times(0)
		for i := range o.apart {
			o.apart[i], _ = o.apart[i].Times(0)
		}
	case b.Status == Cancelled && b.CancelledAt.IsZero():
		err = b.unreadable("CancelledAt", errCancelledAt)
	case b.Status == Cancelled:
		if err = b.settles(dynastay.Money{}, b.CancelledAt); err != nil {
			return o, err
		}
		if o.lost, err = b.lost(lines, o.lost, b.CancelledAt, own); err == nil {
			o.rooms, o.apart, err = b.keptParts(o.lost)
		}
	default:
		o.rooms, o.apart, err = b.whole()
		for i, e := range b.apart() {
			if err == nil {
				o.apart[i], err = b.owedOf(e)
			}
		}
	}
	return o, err
}

var errCancelledAt = errors.New("must be a time, because the booking is cancelled")

// receiptWriter writes the entries of a receipt, and keeps the first error.
type receiptWriter struct {
	booking *Booking
	receipt *Receipt
	err     error
}

func (w *receiptWriter) sum(amounts ...dynastay.Money) (sum dynastay.Money) {
	for _, m := range amounts {
		var err error
		if sum, err = sum.Add(m); err != nil && w.err == nil {
			w.err = err
		}
	}
	return sum
}

func (w *receiptWriter) less(m, other dynastay.Money) dynastay.Money {
	less, err := m.Sub(other)
	if err != nil && w.err == nil {
		w.err = err
	}
	return less
}

// negative returns −m.
func (w *receiptWriter) negative(m dynastay.Money) dynastay.Money {
	negative, err := m.Times(-1)
	if err != nil && w.err == nil {
		w.err = err
	}
	return negative
}

// add adds an entry unless its amount is 0.
func (w *receiptWriter) add(e ReceiptEntry) {
	if e.Amount.Sign() != 0 {
		w.receipt.Entries = append(w.receipt.Entries, e)
	}
}

// parts adds what the total consists of.
func (w *receiptWriter) parts() {
	b := w.booking
	parts := *b
	if err := parts.addUp(); err != nil || !b.Breakdown.Rooms.IsSet() || parts.Total != b.Total || b.Total != w.receipt.Owed {
		w.add(ReceiptEntry{Kind: ReceiptRooms, Amount: w.receipt.Owed})
		return
	}
	rooms := dynastay.Money{}
	for _, line := range b.Lines {
		rooms, _ = rooms.Add(line.Subtotal)
	}
	if rooms == b.Breakdown.Rooms {
		for _, line := range b.Lines {
			w.receipt.Entries = append(w.receipt.Entries, ReceiptEntry{
				Kind: ReceiptRooms, ID: line.RoomTypeID, Name: line.Name, Quantity: line.Quantity, Amount: line.Subtotal,
			})
		}
	} else {
		w.add(ReceiptEntry{Kind: ReceiptRooms, Quantity: b.Rooms, Amount: b.Breakdown.Rooms})
	}
	w.add(ReceiptEntry{Kind: ReceiptDiscount, ID: b.PromoCode, Amount: w.negative(b.Breakdown.Discounts)})
	if b.Charges == nil {
		w.add(ReceiptEntry{Kind: ReceiptFees, Amount: b.Breakdown.TaxesAndFees})
	}
	for _, e := range b.apart() {
		if !e.Included {
			w.add(ReceiptEntry{Kind: ReceiptCharge, ID: e.ID, Name: e.Name, Rate: e.Rate, Amount: e.Amount})
		}
	}
	w.add(ReceiptEntry{Kind: ReceiptKept, Amount: b.Breakdown.Kept})
}

// notOwed adds what the guests do not owe of the parts.
func (w *receiptWriter) notOwed(o owing) {
	b := w.booking
	rooms, _, _ := b.whole() // has not failed for owing
	w.lessen(ReceiptEntry{Kind: ReceiptNotOwed}, w.less(rooms, o.rooms))
	for i, e := range b.apart() {
		w.lessen(ReceiptEntry{Kind: ReceiptNotOwed, ID: e.ID, Name: e.Name}, w.less(e.Amount, o.apart[i]))
	}
	if o.ended {
		w.lessen(ReceiptEntry{Kind: ReceiptNotOwed}, b.Breakdown.Kept)
	}
}

func (w *receiptWriter) lessen(e ReceiptEntry, by dynastay.Money) {
	e.Amount = w.negative(by)
	w.add(e)
	w.receipt.Owed, w.receipt.Balance = w.less(w.receipt.Owed, by), w.less(w.receipt.Balance, by)
}

func (w *receiptWriter) payments(h PaymentHistory) {
	w.receipt.Paid = w.less(w.booking.Total, w.booking.Total)
	var all []ReceiptEntry
	for _, p := range h.Payments {
		if p.Status.normal() == PaymentPaid {
			all = append(all, ReceiptEntry{Kind: ReceiptPayment, ID: p.ProviderTransactionID, Name: p.Method, At: p.At, Amount: w.negative(p.Amount)})
		}
	}
	for _, r := range h.Refunds {
		if r.Status != PaymentFailed {
			all = append(all, ReceiptEntry{Kind: ReceiptRefund, ID: r.ID, At: r.At, Pending: r.Status == PaymentPending, Amount: r.Amount})
		}
	}
	slices.SortStableFunc(all, func(a, b ReceiptEntry) int { return a.At.Compare(b.At) })
	for _, e := range all {
		w.add(e)
		w.receipt.Paid = w.less(w.receipt.Paid, e.Amount)
		w.receipt.Balance = w.sum(w.receipt.Balance, e.Amount)
	}
}

// taxes adds the taxes of what is owed. Of a part of a tax, the net is in proportion.
func (w *receiptWriter) taxes(o owing) {
	r := w.receipt
	r.Net = r.Owed
	if w.booking.Charges == nil {
		return
	}
	apart := w.booking.apart()
	for _, e := range w.booking.Charges.Entries {
		if e.Kind != charges.Tax || e.AtProperty {
			continue
		}
		tax := ReceiptTax{ID: e.ID, Name: e.Name, Rate: e.Rate, Included: e.Included, Net: e.Base}
		if i := slices.IndexFunc(apart, func(other charges.Entry) bool { return other.ID == e.ID }); i >= 0 {
			tax.Amount = o.apart[i]
		} else {
			tax.Amount = w.part(e.Amount, new(big.Rat).Sub(exact(e.Amount), refundOf(e, o.lost)), one)
		}
		if tax.Amount.Sign() == 0 {
			continue
		}
		if tax.Net.IsSet() {
			tax.Net = w.part(tax.Net, exact(tax.Net), new(big.Rat).Quo(exact(tax.Amount), exact(e.Amount)))
		}
		r.Taxes = append(r.Taxes, tax)
		r.Net = w.less(r.Net, tax.Amount)
	}
}

// part returns a part of an amount, rounded half up, in the currency of another one.
func (w *receiptWriter) part(of dynastay.Money, amount, part *big.Rat) dynastay.Money {
	m, err := dynastay.MoneyOfDigits(new(big.Rat).Mul(amount, part).FloatString(of.Currency().MinorUnit()), of.Currency())
	if err != nil && w.err == nil {
		w.err = err
	}
	return m
}

// instalments adds what is due when. Of guests who arrived late, no more is due than they owe.
func (w *receiptWriter) instalments(now time.Time) {
	r := w.receipt
	switch r.Status {
	case Pending, Confirmed, CheckedIn:
	default:
		return
	}
	all, err := w.booking.Instalments()
	if err != nil || pay(all, r.Paid) != nil || len(all) == 0 {
		return // what other software has stored without the prices of its lines has none
	}
	r.Instalments, r.DueNow = all, w.less(r.Paid, r.Paid)
	for _, one := range all {
		if one.When != DueAtProperty && !now.Before(one.DueAt) {
			r.DueNow = w.sum(r.DueNow, w.less(one.Amount, one.Paid))
		}
	}
	if most, err := r.DueNow.Compare(r.Balance); err == nil && most > 0 {
		r.DueNow = r.Balance
	}
	if r.DueNow.Sign() < 0 {
		r.DueNow = w.less(r.Paid, r.Paid)
	}
}

func (w *receiptWriter) atProperty() {
	b := w.booking
	if b.Charges == nil || b.Status.gone() || b.Status == NoShow {
		return
	}
	for _, e := range b.Charges.Entries {
		entry := ReceiptEntry{Kind: ReceiptCharge, ID: e.ID, Name: e.Name, Rate: e.Rate, Amount: e.Amount}
		switch {
		case e.Kind == charges.Deposit:
			w.receipt.Deposits = append(w.receipt.Deposits, entry)
		case e.AtProperty:
			owed, err := b.owedOf(e)
			if err != nil && w.err == nil {
				w.err = err
			}
			if entry.Amount = owed; owed.Sign() > 0 {
				w.receipt.AtProperty = append(w.receipt.AtProperty, entry)
			}
		}
	}
}
