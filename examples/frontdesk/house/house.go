// Package house is the application: what guests can do, whether they ask over the API or in a page. It has no HTTP in it.
package house

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
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
	h.Reviews, h.find, h.Provider = reviews.New(db, h.Hotels, nil), search.New(db, h.Hotels), pay.New(o.PayKey, db.Now)
	var err error
	if h.sealer, err = offer.NewSealer(offer.Key{ID: "1", Secret: o.OfferKey}); err != nil {
		return nil, err
	}
	h.Signins, err = signin.New(db, h.Users, o.HashRounds)
	return h, err
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

// Search returns a page of properties with offers for the user, who is "" if nobody has signed in. It passes on an error that comes with
// a page.
func (h *House) Search(ctx context.Context, userID string, r search.Request, p dynastay.Paging) ([]Found, dynastay.Cursor, error) {
	page, err := h.find.Page(ctx, r, p)
	var unreadable *dynastay.UnreadableError
	if err != nil && !errors.As(err, &unreadable) {
		return nil, "", err
	}
	var all []Found
	for _, o := range page.Offers {
		offers, sealed := h.seal(userID, o.Quotes)
		if sealed != nil {
			return nil, "", sealed
		}
		all = append(all, Found{o, offers})
	}
	return all, page.Next, err
}

func (h *House) seal(userID string, quotes []*availability.Quote) (all []Offered, err error) {
	for _, q := range quotes {
		pays, err := q.GuestPays()
		if err != nil {
			return nil, err
		}
		token, err := h.sealer.Seal(offer.Offer{Quote: q, UserID: userID, Expires: q.At.Add(offersLast)})
		if err != nil {
			return nil, err
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
	if err == nil {
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
		if _, err := h.Bookings.ExpireHolds(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "holds", "error", err)
		}
	}
}
