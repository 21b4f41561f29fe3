package bookings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// imported is an [Import] whose arguments are valid.
// See docs/decisions/0034-loads.md for why it fails first if the booking exists.
type imported struct {
	Import
	quote   *availability.Quote
	account *account
	summary *PaymentSummary // nil without payments
	own     dynastay.Ref
	guards  map[string]dynastay.Ref // of what no other booking may have, by field
}

// imported checks the arguments. It does not look at the clock.
func (i Import) imported() (*imported, error) {
	at, err := keys.Of(keys.Booking{BookingID: i.ID})
	if err != nil {
		return nil, dynastay.Within("ID", checkID(i.ID))
	}
	i.Data = maps.Clone(i.Data) // it is stored as it was checked, even if the caller changes it later
	op := &imported{Import: i, account: &account{bookingID: i.ID}, own: bookingRef(at), guards: map[string]dynastay.Ref{}}
	if err := i.checkStatus(); err != nil {
		return nil, err
	}
	op.quote, err = availability.AgreedQuote(availability.QuoteRequest{
		Property: i.Property, Stay: i.Stay, Guests: i.Guests, Rooms: i.Rooms, Overbook: i.Overbook,
	}, i.CreatedAt)
	if err != nil {
		return nil, err
	}
	_, err = Request{
		Quote: op.quote, UserID: i.UserID, NoUser: i.UserID == "", Guest: i.Guest, Source: i.Source, UniqueReference: i.UniqueReference,
		Data: i.Data, TaxesAndFees: i.TaxesAndFees, SpecialRequests: i.SpecialRequests,
	}.validate()
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Reference", i.Reference, entity.MaxName}, {"PromoCode", i.PromoCode, entity.MaxName},
		{"CancellationReason", i.CancellationReason, entity.MaxNote},
	} {
		if err == nil {
			err = dynastay.Within(text.field, checkText(text.value, text.most))
		}
	}
	if err == nil {
		err = op.claim()
	}
	var b *Booking
	if err == nil {
		b, err = op.booking()
	}
	if err == nil {
		err = op.pay(b)
	}
	return op, err
}

func bookingRef(at dynastay.Key) dynastay.Ref { return dynastay.RefOf(keys.BookingsTable, at) }

// claim enters the guards.
func (op *imported) claim() error {
	if op.Reference != "" {
		at, err := keys.Of(keys.ReferenceGuard{Reference: op.Reference})
		if err != nil {
			return err
		}
		op.guards["Reference"] = bookingRef(at)
	}
	if op.UniqueReference {
		at, err := keys.Of(keys.ExternalReferenceGuard{Channel: op.Channel, ExternalReference: op.ExternalReference})
		if err != nil {
			return err
		}
		op.guards["ExternalReference"] = bookingRef(at)
	}
	return nil
}

// booking returns the booking without its lines, with the sums.
func (op *imported) booking() (*Booking, error) {
	b := &Booking{
		Summary: Summary{
			ID: op.ID, Reference: op.Reference, UserID: op.UserID, PropertyID: op.Property.ID, Source: op.Source, Guest: op.Guest,
			Status: op.Status, HoldExpiresAt: moment(op.HoldExpiresAt),
		},
		SpecialRequests: op.SpecialRequests, Data: maps.Clone(op.Data), PromoCode: op.PromoCode, unique: op.UniqueReference,
		ConfirmedAt: moment(op.ConfirmedAt), CheckedInAt: moment(op.CheckedInAt), CheckedOutAt: moment(op.CheckedOutAt),
		CancelledAt: moment(op.CancelledAt), CancellationReason: op.CancellationReason,
	}
	if b.Status == Confirmed && b.ConfirmedAt.IsZero() {
		b.ConfirmedAt = moment(op.CreatedAt)
	}
	if op.Discounts.IsSet() {
		switch more, err := op.Discounts.Compare(op.quote.Total); {
		case err != nil:
			return nil, dynastay.Invalid("Discounts", "must be in %s, the currency of the rooms", op.quote.Total.Currency())
		case op.Discounts.Sign() < 0 || more > 0:
			return nil, dynastay.Invalid("Discounts", "must be between 0 and the sum of the rooms, %s", op.quote.Total)
		}
		if err := op.Discounts.Validate(); err != nil {
			return nil, dynastay.Within("Discounts", err)
		}
	}
	b.Breakdown.Discounts = op.Discounts
	if err := b.agree(op.quote, op.TaxesAndFees); err != nil {
		return nil, err
	}
	if op.Total.IsSet() && op.Total != b.Total {
		return nil, dynastay.Invalid("Total", "must be the sum of the rooms, the taxes and fees, less the discounts, %s", b.Total)
	}
	b.PaymentStatus = b.unpaid()
	return b, nil
}

// moment returns a time as it is stored.
func moment(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// pay enters the payments and refunds, each as the first notification of it.
func (op *imported) pay(b *Booking) error {
	ours := func(id *string) error {
		if *id != "" && *id != op.ID {
			return dynastay.Invalid("BookingID", "must be that of the booking, or missing")
		}
		*id = op.ID
		return nil
	}
	for i, p := range op.Payments {
		err := cmp.Or(ours(&p.BookingID), p.Validate())
		if err == nil && p.At.IsZero() {
			err = dynastay.Invalid("At", "is required")
		}
		if err == nil && p.Amount.Currency() != b.Total.Currency() {
			err = dynastay.Invalid("Amount", "must be in %s, the currency of the booking", b.Total.Currency())
		}
		if err != nil {
			return dynastay.Within(fmt.Sprintf("Payments[%d]", i), err)
		}
		p.ProviderTransactionID, p.At, p.CreatedAt = normalID(p.ProviderTransactionID), moment(p.At), moment(cmp.Or(p.CreatedAt, p.At))
		if p.ID != "" && slices.ContainsFunc(op.account.payments, func(other Payment) bool { return other.ID == p.ID }) {
			return dynastay.Invalid(fmt.Sprintf("Payments[%d].ID", i), "appears more than once")
		}
		if op.account.payment(p.ProviderTransactionID) >= 0 {
			return dynastay.Invalid(fmt.Sprintf("Payments[%d].ProviderTransactionID", i), "appears more than once")
		}
		op.account.payments = append(op.account.payments, p)
	}
	for i, r := range op.Refunds {
		err := cmp.Or(ours(&r.BookingID), r.Validate())
		if err == nil && r.At.IsZero() {
			err = dynastay.Invalid("At", "is required")
		}
		r.Status, r.ProviderTransactionID = cmp.Or(r.Status, PaymentRefunded), normalID(r.ProviderTransactionID)
		r.At, r.CreatedAt = moment(r.At), moment(cmp.Or(r.CreatedAt, r.At))
		switch {
		case err != nil:
		case op.account.refunded(r.ID) >= 0:
			err = dynastay.Invalid("ID", "appears more than once")
		default:
			err = impossible(op.account.refund(r))
		}
		if err != nil {
			return dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
		}
	}
	if err := op.fits(); err != nil || len(op.account.payments) == 0 {
		return err
	}
	var err error
	op.summary, err = op.account.summary(b.Total)
	return err
}

// fits returns an error for an import that is too large for a transaction, whatever the date is.
func (op *imported) fits() error {
	const most = 100
	others := 2 + len(op.quote.Lines) // the booking and its reference
	if op.UniqueReference {
		others++
	}
	if len(op.account.payments) > 0 {
		others++ // the summary
	}
	if op.Status == Pending || op.Status == Confirmed {
		types := map[string]bool{}
		for _, line := range op.quote.Lines {
			types[line.RoomTypeID] = true
		}
		others += len(types) * op.Stay.Nights()
	}
	switch n := len(op.account.payments) + len(op.account.refunds); {
	case others > most:
		return dynastay.Invalid("Rooms", "need %d actions with their nights, and a transaction has at most %d", others, most)
	case others+n > most:
		return dynastay.Invalid("Payments", "must be at most %d, counting the refunds, because a transaction has at most %d actions, got %d", most-others, most, n)
	}
	return nil
}

// impossible makes an invalid argument of a refund that contradicts the payments, which are arguments too.
func impossible(err error) error {
	if contradiction, ok := err.(*PaymentError); ok {
		return &dynastay.InvalidError{Reason: "must be possible after the payments: " + contradiction.Err.Error(), Err: contradiction.Err}
	}
	return err
}

// creation returns the creation of the booking.
func (op *imported) creation(r *Repository) (*entity.Creation[Booking], error) {
	for i := range op.account.payments {
		op.account.payments[i].ID = cmp.Or(op.account.payments[i].ID, r.db.NewID("pay_"))
	}
	b, err := op.booking()
	if err != nil {
		return nil, err
	}
	b.Reference = cmp.Or(b.Reference, r.newReference())
	if op.summary != nil {
		op.summary.ID = op.account.payments[op.account.payment(op.summary.ProviderTransactionID)].ID
		b.PaymentStatus = op.summary.Status
	}
	made, err := r.creation(b, op.quote, op.TaxesAndFees, nil)
	if err != nil {
		return nil, err
	}
	made.At = moment(op.CreatedAt)
	made.Finish = func(b *Booking) {
		if b.Reference == "" { // the one that was drawn is taken
			b.Reference = r.newReference()
		}
	}
	return made, nil
}

// exists returns an error if the booking exists.
func (op *imported) exists(ctx context.Context, r *Repository) error {
	row, err := r.db.Get(ctx, keys.BookingsTable, op.own.Key, dynastay.Consistent)
	if err == nil && row.Exists() {
		err = op.taken("")
	}
	return err
}

func (op *imported) taken(field string) error {
	return &dynastay.Error{Op: "bookings.Import", Entity: "Booking", ID: op.ID, Field: field, Kind: dynastay.ErrAlreadyExists}
}

// take adds the actions for the nights that the booking has from today on, and decides what a refusal means.
func (op *imported) take(ctx context.Context, tx *dynastay.Tx, r *Repository, today dynastay.Date) (availability.Sold, error) {
	contest := dynastay.Contest{}
	ahead, missed := op.quote.Clone(), 0
	if op.Status.holdsRooms() {
		missed = max(op.Stay.CheckIn.DaysUntil(today), 0)
	} else {
		missed = op.Stay.Nights()
	}
	var sale *availability.Sale
	if missed < op.Stay.Nights() {
		ahead.Stay.CheckIn = op.Stay.CheckIn.AddDays(missed)
		for i := range ahead.Lines {
			ahead.Lines[i].Nights = ahead.Lines[i].Nights[missed:]
		}
		sale = r.nights.Sale(ahead)
		contest = *sale.Contest()
	}
	if err := tx.Contend(ctx, op.contest(r, contest)); err != nil || sale == nil {
		return availability.Sold{}, err
	}
	return sale.Add(ctx, tx)
}

// contest adds the booking and its guards to the nights, so that what already exists wins over what is sold out: a
// repetition of the import that took the last room must not be told that there is none.
func (op *imported) contest(r *Repository, nights dynastay.Contest) dynastay.Contest {
	fields := slices.Sorted(maps.Keys(op.guards))
	refs := []dynastay.Ref{op.own}
	for _, field := range fields {
		refs = append(refs, op.guards[field])
	}
	looked := false
	return dynastay.Contest{
		Items: slices.Concat(nights.Items, refs),
		// Whoever else was refused has looked at the nights, but not at this booking.
		Still: func(ctx context.Context) (bool, error) {
			if looked {
				return true, nil
			}
			return true, op.exists(ctx, r)
		},
		Judge: func(seen map[dynastay.Ref]dynastay.Row) error {
			if seen[op.own].Exists() {
				return op.taken("")
			}
			for _, field := range fields {
				if seen[op.guards[field]].Exists() {
					return op.taken(field)
				}
			}
			if nights.Judge == nil {
				return nil
			}
			err := nights.Judge(seen)
			looked = looked && err != nil // it goes on, and may share a refusal later
			return err
		},
		See: func(ctx context.Context) (seen map[dynastay.Ref]dynastay.Row, err error) {
			if seen = map[dynastay.Ref]dynastay.Row{}; nights.See != nil {
				if seen, err = nights.See(ctx); err != nil {
					return nil, err
				}
			}
			at := make([]dynastay.Key, len(refs))
			for i, ref := range refs {
				at[i] = ref.Key
			}
			rows, err := r.db.GetAll(ctx, keys.BookingsTable, at, dynastay.Consistent)
			for i, row := range rows {
				seen[refs[i]] = row
			}
			looked = true
			return seen, err
		},
	}
}

// addPayments adds the actions that write the payments and refunds. They have no conditions, as the lines have none: that of the
// booking is theirs too, and of a repetition it must say what is wrong.
func (op *imported) addPayments(tx *dynastay.Tx) error {
	if op.summary == nil {
		return nil
	}
	return cmp.Or(
		putAll(tx, paymentEntity, op.account.payments), putAll(tx, refundEntity, op.account.refunds),
		putAll(tx, summaryEntity, []PaymentSummary{*op.summary}),
	)
}

func putAll[T any](tx *dynastay.Tx, e *entity.Entity[T], values []T) error {
	for i := range values {
		item, err := e.Item(&values[i])
		if err != nil {
			return err
		}
		tx.Put(keys.BookingsTable, item).Identified()
	}
	return nil
}
