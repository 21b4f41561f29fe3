package bookings

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/phone"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Refused says which nights could not be sold, and why; see package availability for the reasons.
type Refused = availability.Refused

// Request asks for a booking of what was quoted.
type Request struct {
	Quote           *availability.Quote
	UserID          string
	Guest           Guest
	TaxesAndFees    dynastay.Money // on top of the quote's total, in whole minor units of its currency; the zero Money for none
	SpecialRequests string         // at most entity.MaxNote bytes
}

// CreateOp books a quote: the rooms of every night leave the inventory under the quote's conditions, and the booking,
// confirmed, with its lines and its reference, is written. It is refused with [*Refused] where a night cannot be sold
// as quoted.
//
// It takes one action for each night of each room type, two for the booking and its reference, one a line, and one for
// an idempotency key; a transaction holds 100.
//
// Under a key, what was agreed on is the user, the property, the stay, the guests, the lines with their policies and
// subtotals, the fees, the guest's details and the requests; not the time of the quote. A quote at another price is
// another input: ask [Repository.MadeBy] before quoting anew.
func (r *Repository) CreateOp(req Request) *dynastay.Operation[*Booking] {
	if err := req.validate(); err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Booking]{Name: "bookings.Create", Invalid: err})
	}
	req.Quote = req.Quote.Clone() // what was checked is what is booked, whatever the caller does with it meanwhile
	sale := r.nights.Sale(req.Quote)
	made, err := r.newBooking(req)
	return dynastay.NewOp(dynastay.OpSpec[*Booking]{
		Name:    "bookings.Create",
		Invalid: err,
		Input:   req.agreed,
		Contest: sale.Contest(),
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Booking, error) {
			// Not in Invalid: a retry after midnight must find the booking that it made.
			if err := req.Quote.Current(r.db.Now()); err != nil {
				return nil, dynastay.Within("Quote", err)
			}
			sale.Add(tx)
			if err := made.AddTo(tx); err != nil {
				return nil, err
			}
			b := *made.Value // what others do with the result is not what the next preparation writes
			return &b, addLines(tx, &b)
		},
		Restore: func(ctx context.Context, made map[string]string) (*Booking, error) {
			return r.Get(ctx, made["BookingId"], dynastay.Consistent)
		},
	})
}

// Create is [Repository.CreateOp], sent: 1 request, and after a refusal one more for each room type, and one to look for
// the record of an idempotency key. Callers of one process that want the same nights take turns, and may share a refusal.
func (r *Repository) Create(ctx context.Context, req Request, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(req), opts...)
}

// MadeBy is the booking that an earlier call under an idempotency key made, or [dynastay.ErrNotFound]. Ask it before a
// retry quotes anew: once the last room is sold, to that very guest, there is nothing left to quote.
func (r *Repository) MadeBy(ctx context.Context, key dynastay.Idempotency) (*Booking, error) {
	made, err := r.db.MadeBy(ctx, key)
	if err != nil {
		return nil, err
	}
	for _, ids := range made {
		if id := ids["BookingId"]; id != "" {
			return r.Get(ctx, id, dynastay.Consistent)
		}
	}
	return nil, &dynastay.Error{Op: "bookings.MadeBy", Entity: "Booking", Kind: dynastay.ErrNotFound}
}

func (r *Repository) newBooking(req Request) (*entity.Creation[Booking], error) {
	q := req.Quote
	b := &Booking{
		Summary: Summary{
			Reference: r.newReference(), UserID: req.UserID, PropertyID: q.Property.ID, PropertyName: q.Property.Name,
			Guest: req.Guest, Stay: q.Stay, Guests: q.Guests,
			Status: Confirmed, PaymentStatus: PaymentPending,
		},
		Breakdown:       Breakdown{Rooms: q.Total, TaxesAndFees: req.TaxesAndFees},
		SpecialRequests: req.SpecialRequests, CancellationPolicy: q.Lines[0].CancellationPolicy,
		TimeZone: q.Property.TimeZone, CheckInTime: q.Property.CheckInTime,
	}
	nothing, err := dynastay.NewMoney("0", q.Total.Currency())
	if err != nil {
		return nil, err
	}
	b.Breakdown.Discounts = nothing
	if !b.Breakdown.TaxesAndFees.IsSet() {
		b.Breakdown.TaxesAndFees = nothing
	}
	if b.Total, err = q.Total.Add(b.Breakdown.TaxesAndFees); err != nil {
		return nil, err
	}
	for _, line := range q.Lines {
		if line.CancellationPolicy != b.CancellationPolicy {
			b.CancellationPolicy = ""
		}
		b.Rooms += line.Quantity
	}
	made, err := r.table.Creation(b)
	if err != nil {
		return nil, err
	}
	made.Finish = func(b *Booking) {
		if b.ConfirmedAt = b.CreatedAt; b.Reference == "" {
			b.Reference = r.newReference() // the one before was taken
		}
	}
	for _, line := range q.Lines {
		booked, err := newLine(made.Value.ID, line)
		if err != nil {
			return nil, err
		}
		made.Value.Lines = append(made.Value.Lines, booked)
	}
	return made, nil
}

// crockford is an alphabet without letters that are taken for digits, or for each other, on the telephone.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

func (r *Repository) newReference() string {
	var drawn [6]byte
	r.db.Random(drawn[:])
	for i, b := range drawn {
		drawn[i] = crockford[b%32]
	}
	return fmt.Sprintf("BKG-%d-%s", r.db.Now().Year(), drawn[:])
}

func (req Request) validate() error {
	if req.Quote == nil {
		return dynastay.Invalid("Quote", "is missing")
	}
	if err := req.Quote.Validate(); err != nil {
		return dynastay.Within("Quote", err)
	}
	if _, err := keys.Partition(keys.BookingByUser{UserID: req.UserID}); err != nil {
		return err
	}
	if t := req.TaxesAndFees; t.IsSet() {
		if t.Currency() != req.Quote.Total.Currency() {
			return dynastay.Invalid("TaxesAndFees", "must be in %s, the currency of the quote", req.Quote.Total.Currency())
		}
		if t.Sign() < 0 {
			return dynastay.Invalid("TaxesAndFees", "must not be negative")
		}
		if err := t.Validate(); err != nil {
			return dynastay.Within("TaxesAndFees", err)
		}
	}
	if err := entity.CheckText(req.SpecialRequests, entity.MaxNote); err != nil {
		return dynastay.Within("SpecialRequests", err)
	}
	return dynastay.Within("Guest", req.Guest.Validate())
}

// Validate asks for a name and an e-mail address, and for a phone number in E.164 where there is one. Each has at most
// [entity.MaxName] bytes, and so has the country.
func (g Guest) Validate() error {
	for _, text := range []struct{ field, value string }{
		{"FirstName", g.FirstName}, {"LastName", g.LastName}, {"Email", g.Email}, {"Country", g.Country},
	} {
		if err := entity.CheckText(text.value, entity.MaxName); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	if strings.TrimSpace(g.FirstName) == "" {
		return dynastay.Invalid("FirstName", "is missing")
	}
	if strings.TrimSpace(g.LastName) == "" {
		return dynastay.Invalid("LastName", "is missing")
	}
	if _, err := key.NormalEmail(g.Email); err != nil {
		return err
	}
	return dynastay.Within("Phone", phone.Validate(g.Phone))
}

// agreed is what the guest has said yes to. A retry draws other ids and comes at another time, but it agrees to this.
func (req Request) agreed(in *dynastay.Input) {
	q := req.Quote
	in.Field("user", req.UserID)
	in.Field("property", q.Property.ID)
	in.Field("stay", q.Stay.String())
	in.Field("adults", strconv.Itoa(q.Guests.Adults))
	in.Field("children", strconv.Itoa(q.Guests.Children))
	for _, line := range q.Lines {
		in.Field("room type", line.RoomTypeID)
		in.Field("quantity", strconv.Itoa(line.Quantity))
		in.Field("policy", string(line.CancellationPolicy))
		in.Field("subtotal", line.Subtotal.String())
	}
	in.Field("taxes and fees", req.TaxesAndFees.String())
	for _, text := range []string{req.Guest.FirstName, req.Guest.LastName, req.Guest.Email, req.Guest.Phone, req.Guest.Country} {
		in.Field("guest", text)
	}
	in.Field("requests", req.SpecialRequests)
}
