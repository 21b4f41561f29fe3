package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Refused lists the nights that could not be sold, with the reasons, which package availability defines.
type Refused = availability.Refused

// Request is the input of [Repository.Create]: the quote to book, and for whom.
//
// Texts that contain what looks like the number of a payment card or a card verification code are refused, here and in
// all other methods: the guest's details, special requests, the reason of a cancellation, and the ids of assigned
// rooms.
type Request struct {
	Quote  *availability.Quote
	UserID string // required, unless NoUser is set
	// NoUser makes a booking for a guest without an account, such as a walk-in or a guest of a channel. It belongs to no
	// user: it is in no user's lists, no user can change it with [dynastay.IfUser] or review it, and [Repository.EraseGuest]
	// erases its guest.
	NoUser bool
	Guest  Guest
	Source // of a booking that was not made on the platform itself
	// UniqueReference refuses the request if another booking has the Channel and the ExternalReference, even if that was
	// cancelled. [Repository.ByExternalReference] finds only bookings that were made so. Requires both.
	UniqueReference bool
	Data            Data
	LineData        []Data // of each line of the quote, in their order; nil for none
	// TaxesAndFees are added to the quote's total: whole minor units of its currency, zero Money for none. It must not be set if
	// the quote has charges, which are then added instead.
	TaxesAndFees dynastay.Money
	// Hold holds the rooms for this long, [MinHold] to [MaxHold], instead of confirming the booking: it is pending until
	// [Repository.Confirm]. [Repository.ExtendHold] gives it more time. Once the hold has ended, [Repository.ExpireHolds] returns
	// the rooms. Default: 0, no hold.
	Hold            time.Duration
	SpecialRequests string // at most entity.MaxNote bytes, no card data
	// PromoCode is a code as the guest types it, see [Repository.PromoCode]; "" for none.
	PromoCode string
	// Discounts is the discount that the guest was told, see [PromoCode.Discount]. If the code gives a different one
	// when the booking is created, the request is refused. The zero Money accepts any. Requires PromoCode.
	Discounts dynastay.Money
}

// The limits of a hold.
const (
	MinHold = time.Second
	MaxHold = 30 * 24 * time.Hour
)

// CreateOp books a quote. It takes the rooms of every night out of the inventory, under the conditions of the quote,
// and writes a booking with its lines and its reference: a confirmed one, or with Request.Hold a pending one. If a
// night cannot be sold as quoted, it fails with [*Refused]. If the quote allows overbooking, the lines of the booking
// list the nights that are overbooked.
//
// With Request.PromoCode, it counts a use of the code, conditional on the code as it was read and on its limit. If the
// code cannot be used, it fails with a [*PromoError], and if the discount is not the one in Request.Discounts, or of a quote
// with charges not the one in Quote.Discounts, with a [*dynastay.InvalidError].
//
// A quote under a rate plan, with a party, at agreed prices or with charges can be booked only for [Options.QuotesFor] after it
// was made; later, it fails with a [*dynastay.InvalidError] that matches [ErrOldQuote].
//
// It needs one action for each night of each room type, two for the booking and its reference, one for each line, one
// for charges, one for a promo code, and one for an idempotency key. A transaction has at most 100 actions.
//
// Whether the user was erased is not checked: add users.Repository.NotErasedOp to the Write of a user who may be erased
// at the same time.
//
// With Request.UniqueReference, it fails with [dynastay.ErrAlreadyExists] and Field "ExternalReference" if another booking
// has the reference, and needs one more action. If the channel delivers a reservation again, the first delivery may have
// taken the last room: call [Repository.ByExternalReference] before you request a quote, and after a refusal.
//
// With an idempotency key, the input is the user, the source and whether its reference is unique, the data, also of lines, the
// property, the stay, the numbers of guests, the lines with their plans, payment terms, parties, agreed prices, policies and
// subtotals, the taxes and fees, the charges, the promo code and the discounts, the guest's details, the special requests and
// the hold, but not the time of the quote. A quote at a different price is a different input, so call [Repository.MadeBy]
// before requesting a new quote.
func (r *Repository) CreateOp(req Request) *dynastay.Operation[*Booking] {
	spelled, err := req.validate()
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Booking]{Name: "bookings.Create", Invalid: err})
	}
	// They are booked as they were checked, even if the caller changes them later.
	req.Quote, req.Data, req.LineData = req.Quote.Clone(), maps.Clone(req.Data), cloneData(req.LineData)
	sale := r.nights.Sale(req.Quote)
	made, err := r.newBooking(req)
	contest := sale.Contest()
	if len(spelled) > 0 {
		contest = nil // it follows once the code has been read
	}
	return dynastay.NewOp(dynastay.OpSpec[*Booking]{
		Name:    "bookings.Create",
		Invalid: err,
		Input:   req.agreed,
		Contest: contest,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Booking, error) {
			// Not checked in Invalid: a retry after midnight must find the booking that it created.
			if err := cmp.Or(req.Quote.Current(r.db.Now()), r.fresh(req.Quote)); err != nil {
				return nil, dynastay.Within("Quote", err)
			}
			if len(spelled) > 0 {
				if err := r.usePromo(ctx, tx, made.Value, req, spelled, *sale.Contest()); err != nil {
					return nil, err
				}
			}
			sold, err := sale.Add(ctx, tx)
			if err != nil {
				return nil, err
			}
			if err := made.AddTo(tx); err != nil {
				return nil, err
			}
			b := madeOf(made.Value, sold)
			if _, err := writeCharges(tx, b, dynastay.Row{}); err != nil {
				return nil, err
			}
			return b, addLines(tx, b)
		},
		Restore: func(ctx context.Context, made map[string]string) (*Booking, error) {
			return r.Get(ctx, made["BookingId"], dynastay.Consistent)
		},
	})
}

// madeOf returns the booking with what was sold. It is a copy: changes to the result must not reach the next preparation.
func madeOf(made *Booking, sold availability.Sold) *Booking {
	b := *made
	b.Lines, b.Data, b.Charges = slices.Clone(b.Lines), maps.Clone(b.Data), b.Charges.Clone()
	for i := range b.Lines {
		b.Lines[i].Data = maps.Clone(b.Lines[i].Data)
		if sold.Lines != nil {
			b.Lines[i].Overbooked = sold.Lines[i].Overbooked
		}
	}
	return &b
}

// usePromo gives the booking the discount of its code, queues, and adds the action that counts the use. The code is
// read before the booking queues, so that those who wait for a popular code need one request each when it is their
// turn.
func (r *Repository) usePromo(
	ctx context.Context, tx *dynastay.Tx, b *Booking, req Request, spelled []dynastay.Key, nights dynastay.Contest,
) error {
	code, err := r.readPromo(ctx, spelled)
	if err == nil {
		err = code.Usable(r.db.Now())
	}
	if err != nil {
		return err
	}
	discount, err := code.Discount(b.Breakdown.Rooms)
	if err != nil {
		return err
	}
	if err := cmp.Or(expected(req.Discounts, discount), charged(req.Quote, discount)); err != nil {
		return err
	}
	b.PromoCode, b.Breakdown.Discounts = code.Code, discount
	if err := b.addUp(); err != nil {
		return err
	}
	if err := tx.Contend(ctx, r.contestFor(nights, refsOf(spelled), nil)); err != nil {
		return err
	}
	code.take(tx)
	return nil
}

// expected compares a discount with the one that the guest was told, if it is set.
func expected(told, discount dynastay.Money) error {
	switch {
	case !told.IsSet() || told == discount || told.Sign() == 0 && discount.Sign() == 0:
		return nil
	case discount.Sign() == 0:
		return dynastay.Invalid("Discounts", "must be 0: there is no discount")
	}
	return dynastay.Invalid("Discounts", "must be %s, the discount of the promo code", discount)
}

// Create runs [Repository.CreateOp]. 1 request, 1 more for a promo code, 1 more for each room type if the quote allows
// overbooking, and 1 more if nights are overbooked within their limits only; after a refusal, 1 more for each room type,
// 1 for each spelling of a promo code, and 1 to look for the record of an idempotency key. Callers in one process that
// want the same nights or the same code take turns, and may share a refusal.
func (r *Repository) Create(ctx context.Context, req Request, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(req), opts...)
}

// MadeBy returns the booking that an earlier call with an idempotency key created, or [dynastay.ErrNotFound]. Call it
// before a retry requests a new quote: if the earlier call sold the last room to this guest, a new quote would fail.
// MadeBy has no input to compare: if the key comes from a client, check that the booking is of the property and the
// stay that the client asks for. The key of a guest without an account has no user as its scope: use the guest's session.
func (r *Repository) MadeBy(ctx context.Context, key dynastay.Idempotency) (_ *Booking, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.MadeBy")
	defer func() { end(err) }()
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
			Reference: r.newReference(), UserID: req.UserID, PropertyID: q.Property.ID, Source: req.Source,
			Guest: req.Guest, Status: Confirmed,
		},
		SpecialRequests: req.SpecialRequests,
		Data:            req.Data,
		unique:          req.UniqueReference,
	}
	made, err := r.creation(b, q, req.TaxesAndFees, req.LineData)
	if err != nil {
		return nil, err
	}
	made.Finish = func(b *Booking) {
		b.PaymentStatus = b.unpaid()
		if b.Reference == "" {
			b.Reference = r.newReference() // the previous one was taken
		}
		if req.Hold > 0 {
			b.Status, b.HoldExpiresAt = Pending, b.CreatedAt.Add(req.Hold)
		} else {
			b.ConfirmedAt = b.CreatedAt
		}
		b.DueAt = b.dueAt(dynastay.Money{})
	}
	return made, nil
}

// creation returns the creation of a booking of a quote, with its lines.
func (r *Repository) creation(b *Booking, q *availability.Quote, fees dynastay.Money, lineData []Data) (*entity.Creation[Booking], error) {
	if err := b.agree(q, fees); err != nil {
		return nil, err
	}
	numbers, err := b.number(q.Lines, make([]int, len(q.Lines)))
	if err != nil {
		return nil, dynastay.Within("Quote", err)
	}
	made, err := r.table.Creation(b)
	if err != nil {
		return nil, err
	}
	for i, line := range q.Lines {
		line.Number = numbers[i]
		booked, err := newLine(made.Value.ID, line)
		if err != nil {
			return nil, err
		}
		if lineData != nil {
			booked.Data = lineData[i]
		}
		made.Value.Lines = append(made.Value.Lines, booked)
	}
	return made, nil
}

// agree enters in the booking what a quote says, except for the lines.
func (b *Booking) agree(q *availability.Quote, fees dynastay.Money) error {
	b.PropertyName, b.TimeZone, b.CheckInTime = q.Property.Name, q.Property.TimeZone, q.Property.CheckInTime
	b.Stay, b.Guests = q.Stay, q.Guests
	b.Rooms, b.CancellationPolicy = 0, q.Lines[0].CancellationPolicy
	for _, line := range q.Lines {
		if line.CancellationPolicy != b.CancellationPolicy {
			b.CancellationPolicy = ""
		}
		b.Rooms += line.Quantity
	}
	b.Breakdown.Rooms, b.Breakdown.TaxesAndFees, b.Charges = q.Total, fees, q.Charges.Clone()
	if b.Charges != nil {
		b.Breakdown.TaxesAndFees = b.Charges.Added
	}
	return b.addUp()
}

// validate returns the keys of the promo codes that the text may mean.
func (req Request) validate() (spelled []dynastay.Key, err error) {
	if req.Quote == nil {
		return nil, dynastay.Invalid("Quote", "is required")
	}
	if err := req.Quote.Validate(); err != nil {
		return nil, dynastay.Within("Quote", err)
	}
	for i, line := range req.Quote.Lines {
		if line.Number != 0 {
			return nil, dynastay.Invalid(fmt.Sprintf("Quote.Lines[%d].Number", i), "must be 0, because it is that of a line of another booking")
		}
	}
	switch _, err := keys.Partition(keys.BookingByUser{UserID: req.UserID}); {
	case req.NoUser && req.UserID != "":
		return nil, dynastay.Invalid("NoUser", "must not be set together with UserID")
	case !req.NoUser && err != nil:
		return nil, err
	}
	if err := req.validateSource(); err != nil {
		return nil, err
	}
	if err := checkFees(req.TaxesAndFees, req.Quote); err != nil {
		return nil, err
	}
	if req.Hold != 0 {
		if err := checkHold(req.Hold); err != nil {
			return nil, err
		}
	}
	if err := checkText(req.SpecialRequests, entity.MaxNote); err != nil {
		return nil, dynastay.Within("SpecialRequests", err)
	}
	if err := req.Guest.Validate(); err != nil {
		return nil, dynastay.Within("Guest", err)
	}
	if req.PromoCode == "" && req.Quote.Discounts.Sign() != 0 {
		return nil, dynastay.Invalid("Quote.Discounts", "requires PromoCode")
	}
	return spellingsOf(req.PromoCode, req.Discounts)
}

func (req Request) validateSource() error {
	switch {
	case req.UniqueReference && req.Channel == "":
		return dynastay.Invalid("Channel", "is required by UniqueReference")
	case req.UniqueReference && req.ExternalReference == "":
		return dynastay.Invalid("ExternalReference", "is required by UniqueReference")
	}
	if err := req.Source.validate(); err != nil {
		return err
	}
	if err := req.Data.validate(); err != nil {
		return err
	}
	return checkLineData(req.LineData, req.Quote)
}

// promoInput returns the form in which retries compare a code: guests may type it differently.
func promoInput(code string) string {
	own, _ := promoText(code) // invalid input is never compared
	return own
}

// spellingsOf returns the keys of the promo codes that a text may mean.
func spellingsOf(code string, discounts dynastay.Money) ([]dynastay.Key, error) {
	if code == "" {
		if discounts.Sign() != 0 {
			return nil, dynastay.Invalid("Discounts", "requires PromoCode")
		}
		return nil, nil
	}
	spelled, err := promoKeys(code)
	if invalid := (*dynastay.InvalidError)(nil); errors.As(err, &invalid) {
		return nil, dynastay.Invalid("PromoCode", "%s", invalid.Reason)
	}
	return spelled, err
}

// charged returns an error for a quote whose charges were computed with another discount than the one that is given.
func charged(q *availability.Quote, discount dynastay.Money) error {
	if q.Charges == nil || q.Discounts == discount || q.Discounts.Sign() == 0 && discount.Sign() == 0 {
		return nil
	}
	return dynastay.Invalid("Quote.Discounts", "must be %s, the discount of the promo code: charges are computed with it", discount)
}

// checkFees checks the taxes and fees that are added to the total of a quote.
func checkFees(fees dynastay.Money, q *availability.Quote) error {
	if !fees.IsSet() {
		return nil
	}
	if q.Charges != nil {
		return dynastay.Invalid("TaxesAndFees", "must be unset, because the quote has charges")
	}
	if fees.Currency() != q.Total.Currency() {
		return dynastay.Invalid("TaxesAndFees", "must be in %s, the currency of the quote", q.Total.Currency())
	}
	if fees.Sign() < 0 {
		return dynastay.Invalid("TaxesAndFees", "must not be negative")
	}
	return dynastay.Within("TaxesAndFees", fees.Validate())
}

// agreed adds what the guest agreed to. A retry has different ids and a different time, but the same values here.
func (req Request) agreed(in *dynastay.Input) {
	in.Field("user", req.UserID)
	req.Source.agreed(in)
	if req.UniqueReference {
		in.Field("unique reference", "")
	}
	req.Data.agreed(in)
	agreedLineData(in, req.LineData)
	agreedQuote(in, req.Quote)
	in.Field("taxes and fees", req.TaxesAndFees.String())
	req.Guest.agreed(in)
	in.Field("requests", req.SpecialRequests)
	if req.PromoCode != "" {
		in.Field("promo code", promoInput(req.PromoCode))
		in.Field("discounts", req.Discounts.String())
	}
	if req.Hold > 0 {
		in.Field("hold", req.Hold.String())
	}
}

func agreedQuote(in *dynastay.Input, q *availability.Quote) {
	in.Field("property", q.Property.ID)
	in.Field("stay", q.Stay.String())
	in.Field("adults", strconv.Itoa(q.Guests.Adults))
	in.Field("children", strconv.Itoa(q.Guests.Children))
	for _, line := range q.Lines {
		in.Field("room type", line.RoomTypeID)
		in.Field("quantity", strconv.Itoa(line.Quantity))
		in.Field("policy", string(line.CancellationPolicy))
		in.Field("subtotal", line.Subtotal.String())
		agreedPlan(in, line)
	}
	if q.Overbook > 0 {
		in.Field("overbook", strconv.Itoa(q.Overbook))
	}
	if q.Charges == nil {
		return
	}
	in.Field("discounted", q.Discounts.String())
	for _, e := range q.Charges.Entries {
		in.Field("charge", e.ID)
		in.Field("amount", e.Amount.String())
		in.Field("terms", fmt.Sprintf("%s %t %t %s", e.Kind, e.Included, e.AtProperty, e.Kept))
	}
}

// agreedPlan adds what only some lines have, so that the keys of other bookings stay as they are.
func agreedPlan(in *dynastay.Input, line availability.Line) {
	if line.Number > 0 {
		in.Field("line", strconv.Itoa(line.Number))
	}
	if line.Plan != nil {
		in.Field("rate plan", line.Plan.ID)
		if t := line.Plan.Payment; t != (availability.PaymentTerms{}) {
			in.Field("payment", fmt.Sprintf("%s %d %d", t.Percent, t.Nights, t.RestDays))
		}
	}
	if line.Agreed {
		for _, night := range line.Nights { // which are the caller's own
			in.Field("agreed", night.Price.String())
		}
	}
	if p := line.Party; p != nil {
		in.Field("party", fmt.Sprintf("%d adults, %d children %v, %d extra beds", p.Adults, p.Children, p.ChildAges, p.ExtraBeds))
	}
}
