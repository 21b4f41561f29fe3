// Package house is the application: what guests can do, whether they ask over the API or in a page. It has no HTTP in it.
package house

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"

	"github.com/dynastay/dynastay/examples/frontdesk/pay"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

const (
	offersLast = 20 * time.Minute // how long a guest may think about a price
	holdsLast  = 15 * time.Minute // and has time to pay
)

// House has the repositories of the service.
type House struct {
	DB       *dynastay.DB
	Hotels   *properties.Repository
	Nights   *availability.Repository
	Bookings *bookings.Repository
	Users    *users.Repository
	Units    *units.Repository
	Reviews  *reviews.Repository
	Signins  *signin.Signins
	Provider *pay.Provider
	find     *search.Search
	sealer   *offer.Sealer
}

// Options are what a deployment sets.
type Options struct {
	OfferKey   []byte // at least 32 random bytes, which sign the offers
	PayKey     []byte // which the provider signs its notices with
	HashRounds int    // of bcrypt; 0 is its default
}

// New returns a service on a database. It sends no requests.
func New(db *dynastay.DB, o Options) (*House, error) {
	h := &House{DB: db, Hotels: properties.New(db, nil), Nights: availability.New(db), Bookings: bookings.New(db, nil), Users: users.New(db, nil)}
	h.Units, h.Reviews, h.find, h.Provider = units.New(db), reviews.New(db, h.Hotels, nil), search.New(db, h.Hotels), pay.New(o.PayKey, db.Now)
	var err error
	if h.sealer, err = offer.NewSealer(offer.Key{ID: "1", Secret: o.OfferKey}); err != nil {
		return nil, err
	}
	h.Signins, err = signin.New(db, h.Users, o.HashRounds)
	return h, err
}

// Place is a city that guests can search.
type Place struct{ City, Country string }

// String returns such as "Lisbon, Portugal".
func (p Place) String() string { return p.City + ", " + p.Country }

// Mine returns the bookings of a user: "upcoming", "past", or "cancelled". Any other list is empty.
func (h *House) Mine(userID, which string) dynastay.List[*bookings.Summary] {
	today := dynastay.DateOf(h.DB.Now(), nil)
	switch which {
	case "upcoming":
		return h.Bookings.Upcoming(userID, today)
	case "past":
		return h.Bookings.Past(userID, today)
	case "cancelled":
		return h.Bookings.Cancelled(userID)
	}
	return dynastay.List[*bookings.Summary]{}
}

// Offered is a quote with the token with which it can be booked.
type Offered struct {
	*availability.Quote
	Pays  dynastay.Money // by the guest: rooms, charges and all
	Token string
}

// Found is a property that can lodge the guests.
type Found struct {
	search.Offer
	Offers []Offered
}

// readable logs an error about items that cannot be read, which comes with the others, and returns any other error.
func readable(ctx context.Context, err error) error {
	var some *dynastay.UnreadableError
	if errors.As(err, &some) {
		slog.ErrorContext(ctx, "items cannot be read", "error", err)
		return nil
	}
	return err
}

// PageOf returns a page of a list. An operator is told of what cannot be read.
func PageOf[T any](ctx context.Context, l dynastay.List[T], p dynastay.Paging) (dynastay.Page[T], error) {
	page, err := l.Page(ctx, p)
	return page, readable(ctx, err)
}

// Search returns a page of properties with offers for the user, who is "" if nobody has signed in.
func (h *House) Search(ctx context.Context, userID string, r search.Request, p dynastay.Paging) ([]Found, dynastay.Cursor, error) {
	page, err := h.find.Page(ctx, r, p)
	if err := readable(ctx, err); err != nil {
		return nil, "", err
	}
	var all []Found
	for _, o := range page.Offers {
		offers, sealed := h.seal(userID, o.Quotes)
		if sealed != nil {
			return nil, "", sealed
		}
		if len(offers) > 0 {
			all = append(all, Found{o, offers})
		}
	}
	return all, page.Next, nil
}

func (h *House) seal(userID string, quotes []*availability.Quote) (all []Offered, err error) {
	for _, q := range quotes {
		pays, err := q.GuestPays()
		if err != nil {
			return nil, err
		}
		token, err := h.sealer.Seal(offer.Offer{Quote: q, UserID: userID, Expires: q.At.Add(offersLast)})
		if err != nil { // such as one with too many nights, rooms and plans for a token
			slog.Error("an offer cannot be sealed", "property", q.Property.ID, "error", err)
			continue
		}
		all = append(all, Offered{q, pays, token})
	}
	return all, nil
}

// Shown is a property, with its offers if it was asked for a stay.
type Shown struct {
	*properties.Whole
	Plans  []availability.RatePlan // that it advertises
	Offers []Offered
	None   error // why there are no offers, if the property cannot lodge the guests
}

// Show returns a property, and for a stay, if one is asked for, what can be booked. A property that is not approved does not exist for
// guests. 1 request, and 1 more for a stay.
func (h *House) Show(ctx context.Context, userID, propertyID string, asked *search.Request) (*Shown, error) {
	whole, err := h.Hotels.Public().GetWhole(ctx, propertyID)
	if err != nil {
		return nil, err
	}
	card := whole.Card()
	shown := &Shown{Whole: whole, Plans: card.RatePlans}
	if asked == nil {
		return shown, nil
	}
	o, err := h.find.OfferOf(ctx, card, *asked)
	if errors.Is(err, dynastay.ErrRefused) || errors.Is(err, availability.ErrTooSmall) {
		shown.None = err
		return shown, nil
	}
	if err = readable(ctx, err); err == nil {
		shown.Offers, err = h.seal(userID, o.Quotes)
	}
	return shown, err
}

// Expire gives back the rooms of holds that have ended, every so often, until ctx ends. An error is logged: the next round tries again.
func (h *House) Expire(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := h.expire(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "holds", "error", err)
		}
	}
}

// expire ends holds, and pays back what has been paid for them.
func (h *House) expire(ctx context.Context) error {
	sweep, err := h.Bookings.ExpireHolds(ctx)
	if len(sweep.Missing) > 0 {
		slog.ErrorContext(ctx, "rooms that could not be returned", "nights", sweep.Missing)
	}
	for id, due := range sweep.Due {
		b, readErr := h.Bookings.Get(ctx, id, dynastay.Consistent)
		if readErr == nil {
			readErr = h.RefundDue(ctx, b, due)
		}
		err = errors.Join(err, readErr)
	}
	return err
}
