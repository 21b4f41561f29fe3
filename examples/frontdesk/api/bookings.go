package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay/bookings"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
)

// Own is the part of a request that names a booking of the user.
type Own struct {
	Signed
	ID string `path:"id"`
}

// Once is the part of a request that may be repeated.
type Once struct {
	Key string `header:"Idempotency-Key" required:"true" minLength:"8" maxLength:"200" doc:"Chosen by the client, for one click of the guest: however often it is sent, the click counts once."`
}

type guest struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email" format:"email"`
	Phone     string `json:"phone,omitempty"`
	Country   string `json:"country,omitempty"`
}

// booking is a booking of the user. Its lines and prices are in the answers about one booking only.
type booking struct {
	ID         string     `json:"id"`
	Reference  string     `json:"reference"`
	HotelID    string     `json:"hotelId"`
	Hotel      string     `json:"hotel"`
	Stay       stay       `json:"stay"`
	Status     string     `json:"status" enum:"pending,confirmed,checked_in,completed,cancelled,no_show,expired"`
	Payment    string     `json:"payment"`
	HeldUntil  *time.Time `json:"heldUntil,omitempty"`
	Total      *money     `json:"total"`
	Guest      *guest     `json:"guest,omitempty"`
	Lines      []line     `json:"lines,omitempty"`
	Cancelled  *time.Time `json:"cancelledAt,omitempty"`
	Conditions string     `json:"specialRequests,omitempty"`
}

func summaryOf(b *bookings.Summary) booking {
	to := booking{
		ID: b.ID, Reference: b.Reference, HotelID: b.PropertyID, Hotel: b.PropertyName, Stay: stayOf(b.Stay), Status: string(b.Status),
		Payment: string(b.PaymentStatus), Total: moneyOf(b.Total),
	}
	if b.Status == bookings.Pending {
		to.HeldUntil = &b.HoldExpiresAt
	}
	return to
}

func bookingOf(b *bookings.Booking) booking {
	to := summaryOf(&b.Summary)
	to.Guest = &guest{b.Guest.FirstName, b.Guest.LastName, b.Guest.Email, b.Guest.Phone, b.Guest.Country}
	for _, l := range b.Lines {
		to.Lines = append(to.Lines, lineOf(l.Line))
	}
	if !b.CancelledAt.IsZero() {
		to.Cancelled = &b.CancelledAt
	}
	to.Conditions = b.SpecialRequests
	return to
}

type bookingOut struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     booking
}

func outOf(b *bookings.Booking) *bookingOut {
	return &bookingOut{ETag: etag(b.Version), Location: "/v1/bookings/" + b.ID, Body: bookingOf(b)}
}

type holdIn struct {
	Signed
	Once
	Body struct {
		Offer           string `json:"offer" doc:"Of a search or of a hotel."`
		Guest           guest  `json:"guest"`
		SpecialRequests string `json:"specialRequests,omitempty"`
	}
}

func (s *server) hold(ctx context.Context, in *holdIn) (*bookingOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	g := in.Body.Guest
	b, err := s.house.Hold(ctx, user, house.Hold{
		Token: in.Body.Offer, Key: in.Key, SpecialRequests: in.Body.SpecialRequests,
		Guest: bookings.Guest{FirstName: g.FirstName, LastName: g.LastName, Email: g.Email, Phone: g.Phone, Country: g.Country},
	})
	if err != nil {
		return nil, err
	}
	return outOf(b), nil
}

type listIn struct {
	Signed
	Page
	Show string `query:"show" enum:"upcoming,past,cancelled" default:"upcoming"`
}

type listOut struct {
	Link string `header:"Link"`
	Body struct {
		Bookings []booking `json:"bookings"`
	}
}

func (s *server) list(ctx context.Context, in *listIn) (*listOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	page, err := house.PageOf(ctx, s.house.Mine(user, in.Show), in.paging())
	if err != nil {
		return nil, err
	}
	out := &listOut{Link: in.next(page.Next)}
	out.Body.Bookings = []booking{}
	for _, b := range page.Items {
		out.Body.Bookings = append(out.Body.Bookings, summaryOf(b))
	}
	return out, nil
}

func (s *server) booking(ctx context.Context, in *Own) (*bookingOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	b, err := s.house.Own(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	return outOf(b), nil
}

type cancellation struct {
	Refund *money `json:"refund" doc:"What is paid back."`
	Kept   *money `json:"kept" doc:"What the hotel keeps."`
}

type cancellationOut struct {
	ETag string `header:"ETag"`
	Body cancellation
}

// cancelling says what a cancellation would come to, for the guest to agree.
func (s *server) cancelling(ctx context.Context, in *Own) (*cancellationOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	c, err := s.house.Cancelling(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	return &cancellationOut{etag(c.Version), cancellation{moneyOf(c.Refund), moneyOf(c.Kept)}}, nil
}

type cancelIn struct {
	Own
	IfMatch string `header:"If-Match" required:"true" doc:"The ETag of the cancellation that the guest has seen."`
	Body    struct {
		Refund *money `json:"refund,omitempty" doc:"The refund that the guest has seen."`
		Reason string `json:"reason,omitempty"`
	}
}

func (s *server) cancel(ctx context.Context, in *cancelIn) (*bookingOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(in.IfMatch)
	if err != nil {
		return nil, err
	}
	refund, err := in.Body.Refund.read("refund")
	if err != nil {
		return nil, err
	}
	b, err := s.house.Cancel(ctx, user, in.ID, version, refund, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	return outOf(b), nil
}

type changingIn struct {
	Own
	Dates
}

type changingOut struct {
	Body struct {
		Total *money `json:"total" doc:"Of the booking after the change."`
		Kept  *money `json:"kept,omitempty" doc:"What the hotel keeps of what is given up; it is part of the total."`
		Offer string `json:"offer" doc:"Accept it with POST /v1/bookings/{id}/changes."`
	}
}

// changing says what other dates would cost.
func (s *server) changing(ctx context.Context, in *changingIn) (*changingOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	nights, err := stay(in.Dates).read()
	if err != nil {
		return nil, err
	}
	c, err := s.house.Changing(ctx, user, in.ID, nights)
	if err != nil {
		return nil, err
	}
	out := &changingOut{}
	out.Body.Total, out.Body.Kept, out.Body.Offer = moneyOf(c.Total), moneyOf(c.Kept), c.Token
	return out, nil
}

type changeIn struct {
	Own
	Once
	Body struct {
		Offer string `json:"offer"`
	}
}

func (s *server) change(ctx context.Context, in *changeIn) (*bookingOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	b, err := s.house.Change(ctx, user, in.ID, in.Body.Offer, in.Key)
	if err != nil {
		return nil, err
	}
	return outOf(b), nil
}

func (s *server) bookings(a huma.API) {
	const bad, gone, refused, changed, invalid = http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed,
		http.StatusUnprocessableEntity
	handle(a, operation("book", http.MethodPost, "/v1/bookings", "Book an offer: the rooms are held for 15 minutes", http.StatusCreated,
		bad, refused, invalid), s.hold)
	handle(a, operation("list-bookings", http.MethodGet, "/v1/bookings", "The guest's own bookings", http.StatusOK, bad, invalid), s.list)
	handle(a, operation("get-booking", http.MethodGet, "/v1/bookings/{id}", "A booking of the guest", http.StatusOK, bad, gone), s.booking)
	handle(a, operation("preview-cancellation", http.MethodGet, "/v1/bookings/{id}/cancellation", "What a cancellation would come to now",
		http.StatusOK, bad, gone, refused), s.cancelling)
	handle(a, operation("cancel", http.MethodPost, "/v1/bookings/{id}/cancellation", "Cancel a booking", http.StatusOK,
		bad, gone, refused, changed, invalid), s.cancel)
	handle(a, operation("preview-change", http.MethodGet, "/v1/bookings/{id}/changes", "What other dates would cost", http.StatusOK,
		bad, gone, refused, invalid), s.changing)
	handle(a, operation("change", http.MethodPost, "/v1/bookings/{id}/changes", "Change the dates of a booking", http.StatusOK,
		bad, refused, changed, invalid), s.change)
}
