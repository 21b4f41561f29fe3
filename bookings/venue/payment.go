package venue

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// PaymentStatus is how far a payment has come.
type PaymentStatus string

// The statuses of a payment. A payment only moves forward in this order, although a provider may report its statuses in
// any order, and several times.
const (
	PaymentPending  PaymentStatus = "pending"
	PaymentFailed   PaymentStatus = "failed"
	PaymentPaid     PaymentStatus = "paid"
	PaymentRefunded PaymentStatus = "refunded"
)

var paymentStatuses = []PaymentStatus{PaymentPending, PaymentFailed, PaymentPaid, PaymentRefunded}

// Payment is what a provider reports of a payment for a booking.
type Payment struct {
	BookingID string
	ID        string         // the provider's; unique within the booking
	Amount    dynastay.Money `json:",omitzero"`
	Status    PaymentStatus
	Method    string // such as "card"; at most entity.MaxName bytes

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	WriteID   dynastay.WriteID
}

// Recorded is the result of [Repository.RecordPayment].
type Recorded struct {
	Payment *Payment `json:",omitzero"` // as it is stored
	Changed bool     // false if the report contained nothing new
}

const opRecordPayment = "venue.RecordPayment"

func newPayments() *entity.Entity[Payment] {
	return entity.New(entity.Spec[Payment]{
		Name: "Payment", Operations: "venue", Schema: venuekeys.Table, Created: "createdAt", Updated: "updatedAt",
		Validate: (*Payment).validate,
		Key: func(p *Payment) (dynastay.Key, error) {
			return key.Of(venuekeys.Payment{BookingID: p.BookingID, PaymentID: p.ID})
		},
		Codec: entity.Declare(func(f *entity.Fields, p *Payment) {
			f.Const("entityType", "Payment")
			f.String(attrBookingID, &p.BookingID)
			f.String("paymentId", &p.ID)
			f.Money("amount", "currency", &p.Amount)
			entity.String(f, attrStatus, &p.Status)
			f.String("method", &p.Method)
			f.Time("createdAt", &p.CreatedAt)
			f.Time("updatedAt", &p.UpdatedAt)
			f.WriteID(venuekeys.AttrWriteID, &p.WriteID)
		}),
	})
}

func (p *Payment) validate() error {
	switch {
	case !p.Amount.IsSet():
		return dynastay.Invalid("Amount", "is required")
	case p.Amount.Sign() < 1:
		return dynastay.Invalid("Amount", "must be positive")
	case !slices.Contains(paymentStatuses, p.Status):
		return dynastay.Invalid("Status", "must be one of %v", paymentStatuses)
	}
	if err := p.Amount.ValidatePaid(); err != nil {
		return dynastay.Within("Amount", err)
	}
	return dynastay.Within("Method", entity.CheckText(p.Method, entity.MaxName))
}

var bookingThere = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(expression.AttributeExists(dynastay.NameOf(venuekeys.Table.Key.Partition))))

// RecordPaymentOp stores what a provider reports of a payment, late, repeated and in any order: the status that is
// furthest counts, and a report that contains nothing new changes nothing. It fails with [dynastay.ErrNotFound] if
// there is no such booking, with [dynastay.ErrAlreadyExists] and Field "Amount" if the payment was reported with
// another amount, and with [dynastay.ErrInvalid]. It does not look at the status of the booking: if that is cancelled,
// refund the payment.
func (r *Repository) RecordPaymentOp(p Payment) *dynastay.Operation[Recorded] {
	at, err := key.Of(venuekeys.Payment{BookingID: p.BookingID, PaymentID: p.ID})
	if err == nil {
		err = p.validate()
	}
	return dynastay.NewOp(dynastay.OpSpec[Recorded]{
		Name: opRecordPayment, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(at)
			in.Field("amount", p.Amount.String())
			in.Field("status", string(p.Status))
			in.Field("method", p.Method)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Recorded, error) {
			row, err := r.db.Get(ctx, venuekeys.Table, at, dynastay.Consistent)
			if err != nil {
				return Recorded{}, err
			}
			if !row.Exists() {
				return r.firstReport(tx, p)
			}
			return r.nextReport(tx, at, row, p)
		},
		Restore: func(ctx context.Context, _ map[string]string) (Recorded, error) {
			stored, err := r.payments.Get(ctx, at, dynastay.Consistent)
			if err == nil {
				stored.WriteID = ""
			}
			return Recorded{Payment: stored, Changed: true}, err
		},
	})
}

// RecordPayment runs [Repository.RecordPaymentOp]. 2 requests: a consistent read and the write; 1 for a report that
// contains nothing new.
func (r *Repository) RecordPayment(ctx context.Context, p Payment, opts ...dynastay.WriteOption) (Recorded, error) {
	return dynastay.Do(ctx, r.db, r.RecordPaymentOp(p), opts...)
}

func (r *Repository) firstReport(tx *dynastay.Tx, p Payment) (Recorded, error) {
	booking, err := bookingKey(p.BookingID)
	if err != nil {
		return Recorded{}, err
	}
	tx.Check(venuekeys.Table, booking, bookingThere.With(nil), func(dynastay.Row) error {
		return &dynastay.Error{Op: opRecordPayment, Entity: "Booking", ID: p.BookingID, Kind: dynastay.ErrNotFound}
	})
	p.CreatedAt, p.UpdatedAt = r.db.Now(), r.db.Now()
	item, err := r.payment.Item(&p)
	if err != nil {
		return Recorded{}, err
	}
	p.WriteID = tx.Put(venuekeys.Table, item).Identified().If(dynastay.IfNew(venuekeys.Table), overtaken).WriteID()
	return Recorded{Payment: &p, Changed: true}, nil
}

func (r *Repository) nextReport(tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, p Payment) (Recorded, error) {
	c, err := r.payments.ChangeOf(at, row, func(stored *Payment) error {
		if stored.Amount != p.Amount {
			return &dynastay.Error{Op: opRecordPayment, Entity: "Payment", ID: p.ID, Field: "Amount", Kind: dynastay.ErrAlreadyExists}
		}
		// A status that this package does not know is not overwritten.
		if was := slices.Index(paymentStatuses, stored.Status); was >= 0 && slices.Index(paymentStatuses, p.Status) > was {
			stored.Status, stored.Method = p.Status, cmp.Or(p.Method, stored.Method)
		}
		return nil
	})
	if err != nil {
		return Recorded{}, err
	}
	return Recorded{Payment: c.After, Changed: c.Changed()}, c.AddTo(tx)
}

// PaymentsOf lists the payments of a booking, ordered by id.
//
// Pattern V8: VenueBooking, PK = BOOKING#{bookingId}, SK begins with PAYMENT#, 1 request
func (r *Repository) PaymentsOf(bookingID string) dynastay.List[*Payment] {
	partition, err := key.Partition(venuekeys.Payment{BookingID: bookingID})
	if err != nil {
		return dynastay.NoList[*Payment](err)
	}
	return r.payments.List(dynastay.Query{
		Name: "venue.PaymentsOf", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[venuekeys.Payment]()},
	})
}
