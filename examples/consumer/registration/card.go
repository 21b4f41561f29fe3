// Package registration stores the registration cards that guests sign when they arrive. A guard item makes sure that each
// booking has only one.
package registration

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// ArrivalIndex holds the cards of a property by the day of arrival.
const ArrivalIndex = "ArrivalIndex"

// Table is the table of the cards.
var Table = &dynastay.Schema{
	Name:    "Registration",
	Key:     dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{{Name: ArrivalIndex, Key: dynastay.KeyNames{Partition: "ArrivalPK", Sort: "ArrivalSK"}}},
}

// Card is a registration card.
type Card struct {
	ID            string
	BookingID     string
	PropertyID    string
	GuestName     string
	DocumentLast4 string // the last four characters of the guest's document number; "" until it is shown
	Arrival       dynastay.Date
	SignedAt      time.Time // zero until it is signed
	CreatedAt     time.Time
	UpdatedAt     time.Time
	Version       int
}

func (c *Card) validate() error {
	if err := entity.CheckText(c.GuestName, 2*entity.MaxName+1); err != nil { // a first and a last name
		return dynastay.Within("GuestName", err)
	}
	switch {
	case strings.TrimSpace(c.GuestName) == "":
		return dynastay.Invalid("GuestName", "is required")
	case c.DocumentLast4 == "" && c.SignedAt.IsZero():
		return nil
	case len(c.DocumentLast4) != 4 || strings.Trim(c.DocumentLast4, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return dynastay.Invalid("DocumentLast4", "must be four characters, each a digit or a capital letter")
	}
	return nil
}

// SignedError reports that a card is already signed.
type SignedError struct {
	ID string
	At time.Time
}

func (e *SignedError) Error() string {
	return fmt.Sprintf("card %s was already signed at %s", e.ID, e.At)
}

// Is makes it match [dynastay.ErrRefused].
func (*SignedError) Is(target error) bool { return target == dynastay.ErrRefused }

var cards = entity.New(entity.Spec[Card]{
	Name: "Card", Operations: "registration", Schema: Table, Validate: (*Card).validate,
	ID: "CardId", Prefix: "reg_", Created: "CreatedAt", Updated: "UpdatedAt", Version: "Version",
	Key: func(c *Card) (dynastay.Key, error) { return key.Of(byID{c.ID}) },
	Codec: entity.Declare(func(f *entity.Fields, c *Card) {
		f.String("CardId", &c.ID)
		f.String("BookingId", &c.BookingID)
		f.String("PropertyId", &c.PropertyID)
		f.String("GuestName", &c.GuestName)
		f.String("DocumentLast4", &c.DocumentLast4)
		f.Date("Arrival", &c.Arrival)
		f.Time("SignedAt", &c.SignedAt)
		f.Time("CreatedAt", &c.CreatedAt)
		f.Time("UpdatedAt", &c.UpdatedAt)
		f.IfSet().Int("Version", &c.Version)
	}),
	Indexes: map[string]func(*Card) (dynastay.Key, error){
		ArrivalIndex: func(c *Card) (dynastay.Key, error) { return key.Of(byArrival{c.PropertyID, c.Arrival, c.ID}) },
	},
	Unique: []entity.Unique[Card]{{
		Field: "BookingID", Owner: []string{"CardId"},
		Guard: func(c *Card) (dynastay.Key, error) { return key.Of(guard{c.BookingID}) },
	}},
})

// Cards creates and finds cards.
type Cards struct {
	db    *dynastay.DB
	table *entity.Table[Card]
}

// New returns a repository of cards. It sends nothing.
func New(db *dynastay.DB) *Cards { return &Cards{db, entity.NewTable(db, cards)} }

// Create makes a card. It returns [dynastay.ErrAlreadyExists] if the booking has one. 1 request.
func (r *Cards) Create(ctx context.Context, c Card, opts ...dynastay.WriteOption) (*Card, error) {
	return r.table.Create(ctx, &c, opts...)
}

// CreateFromOp is [Cards.Create] from the results of earlier operations in the same Write, see [entity.Table.CreateFromOp].
func (r *Cards) CreateFromOp(from func() (*Card, error), agreed ...string) *dynastay.Operation[*Card] {
	return r.table.CreateFromOp(from, agreed...)
}

// Sign records that the guest has shown a document and signed the card. It returns [dynastay.ErrVersion] if the card has
// another version, and a [*SignedError] if it is already signed. 2 requests.
func (r *Cards) Sign(ctx context.Context, id string, version int, documentLast4 string) (*Card, error) {
	k, err := key.Of(byID{id})
	if err != nil {
		return nil, err
	}
	return r.table.Update(ctx, k, func(c *Card) error {
		if !c.SignedAt.IsZero() {
			return &SignedError{c.ID, c.SignedAt}
		}
		c.SignedAt, c.DocumentLast4 = r.db.Now(), documentLast4
		return nil
	}, dynastay.IfVersion(version))
}

// ByBooking returns the card of a booking, as soon as it is made, or [dynastay.ErrNotFound]. 2 requests.
func (r *Cards) ByBooking(ctx context.Context, bookingID string) (*Card, error) {
	return r.table.Find(ctx, "BookingID", &Card{BookingID: bookingID})
}

// Arrivals lists the cards of a property's arrivals on a day. It lags slightly behind the table. 1 request for each page.
func (r *Cards) Arrivals(propertyID string, day dynastay.Date) dynastay.List[*Card] {
	at := byArrival{PropertyID: propertyID, Arrival: day}
	partition, err := key.Partition(at)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	prefix, err := key.SortPrefix(at)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	return r.table.List(dynastay.Query{
		Name: "registration.Arrivals", Index: ArrivalIndex, Partition: partition, Range: dynastay.Range{Prefix: prefix},
	})
}

// DeleteOp removes a card, so that its booking can have another one.
func (r *Cards) DeleteOp(id string, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	k, err := key.Of(byID{id})
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: "registration.Delete", Invalid: err})
	}
	return r.table.DeleteOp(k, opts...)
}

// Delete runs [Cards.DeleteOp]. 2 requests.
func (r *Cards) Delete(ctx context.Context, id string) error {
	_, err := dynastay.Do(ctx, r.db, r.DeleteOp(id))
	return err
}
