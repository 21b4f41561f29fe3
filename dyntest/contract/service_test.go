package contract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/contract"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/users"
)

// service sells rooms as a platform on the library does.
type service struct {
	properties *properties.Repository
	nights     *availability.Repository
	bookings   *bookings.Repository
	finder     *search.Search
	overbook   int
}

func newService(db *dynastay.DB) *service {
	p := properties.New(db, nil)
	return &service{properties: p, nights: availability.New(db), bookings: bookings.New(db, nil), finder: search.New(db, p)}
}

func (s *service) functions() contract.Functions {
	return contract.Functions{Search: s.search, Hold: s.hold, Confirm: s.confirm, Cancel: s.cancel, Lookup: s.lookup}
}

func (s *service) search(ctx context.Context, ask contract.Ask) (ids []string, err error) {
	page, err := s.finder.Page(ctx, search.Request{City: ask.City, Country: ask.Country, Stay: ask.Stay, Guests: ask.Guests}, dynastay.Paging{})
	for _, offer := range page.Offers {
		ids = append(ids, offer.Property.PropertyID)
	}
	return ids, err
}

func (s *service) hold(ctx context.Context, requestID string, ask contract.Ask) (string, error) {
	key := dynastay.IdempotencyKey(requestID).Of(ask.UserID)
	if id, err := s.made(ctx, key, ask); !errors.Is(err, dynastay.ErrNotFound) {
		return id, err
	}
	id, err := s.book(ctx, ask, key)
	if errors.Is(err, dynastay.ErrRefused) {
		// Perhaps it is this guest who has the last room, by a call that was still running.
		if id, err := s.made(ctx, key, ask); !errors.Is(err, dynastay.ErrNotFound) {
			return id, err
		}
	}
	return id, err
}

// made returns the booking that a request has made.
func (s *service) made(ctx context.Context, key dynastay.Idempotency, ask contract.Ask) (string, error) {
	b, err := s.bookings.MadeBy(ctx, key)
	switch {
	case err != nil:
		return "", err
	case b.Stay != ask.Stay:
		return "", dynastay.ErrIdempotencyMismatch
	}
	return b.ID, nil
}

func (s *service) book(ctx context.Context, ask contract.Ask, opts ...dynastay.WriteOption) (string, error) {
	p, err := s.properties.GetWithRooms(ctx, ask.PropertyID)
	if err != nil {
		return "", err
	}
	req, err := p.Card().QuoteRequest(ask.Stay, ask.Guests, properties.Choice{RoomTypeID: ask.RoomTypeID, Quantity: 1})
	if err != nil {
		return "", err
	}
	req.Overbook = s.overbook
	quote, err := s.nights.Quote(ctx, req)
	if err != nil {
		return "", err
	}
	b, err := s.bookings.Create(ctx, bookings.Request{Quote: quote, UserID: ask.UserID, Guest: ask.Guest, Hold: 15 * time.Minute}, opts...)
	if err != nil {
		return "", err
	}
	return b.ID, nil
}

func (s *service) confirm(ctx context.Context, paid bookings.Payment) error {
	_, err := s.bookings.ApplyPayment(ctx, paid)
	return err
}

// confirmOnly records only payments that confirm a booking.
func (s *service) confirmOnly(ctx context.Context, paid bookings.Payment) error {
	b, err := s.bookings.Get(ctx, paid.BookingID)
	if err != nil || b.Status == bookings.Confirmed {
		return err
	}
	if _, err = s.bookings.Confirm(ctx, paid.BookingID, []bookings.Payment{paid}); errors.Is(err, dynastay.ErrRefused) {
		return nil
	}
	return err
}

func (s *service) cancel(ctx context.Context, userID, bookingID string) error {
	_, err := s.bookings.Cancel(ctx, bookingID, "", nil, dynastay.IfUser(userID))
	return err
}

func (s *service) lookup(ctx context.Context, userID, bookingID string) (bookings.Status, error) {
	b, err := s.bookings.Get(ctx, bookingID)
	switch {
	case err != nil:
		return "", err
	case userID == "" || b.UserID != userID:
		return "", dynastay.ErrNotFound
	}
	return b.Status, nil
}

var serviceNames = []string{
	"the race for the last room", "the lost answer", "the repeated webhook", "the keyed repetition", "the cancellation", "the stranger", "the budget",
}

// checkService runs all cases on a service, and returns what failed and what was logged.
func checkService(t *testing.T, target contract.ServiceTarget) (failed, logged []string) {
	r := &recorder{TB: t}
	contract.Service(r, target)
	for _, end := range r.ending {
		end()
	}
	return r.failed, r.logged
}

func TestService(t *testing.T) {
	t.Parallel()
	failed, logged := checkService(t, contract.ServiceTarget{
		Open: func(_ testing.TB, db *dynastay.DB) contract.Functions { return newService(db).functions() },
		Most: contract.Budget{
			Search: dyntest.Cost{Requests: 2, ReadUnits: 1},
			Hold:   dyntest.Cost{Requests: 4, ReadUnits: 3, WriteUnits: dyntest.Unbounded},
			Lookup: dyntest.Cost{Requests: 1, ReadUnits: 1},
		},
	})
	assert.Empty(t, failed)
	only(t, logged, "contract: the budget: Cancel takes 2 requests, ")
}

// brokenServices have one mistake each, which is found by one case.
var brokenServices = []struct {
	mistake string
	wrong   func(db *dynastay.DB, s *service) contract.Functions
	name    string // of the case
	found   string
}{
	{"it checks before the write", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Hold = func(ctx context.Context, requestID string, ask contract.Ask) (string, error) {
			found, err := s.nights.Check(ctx, ask.PropertyID, ask.RoomTypeID, 1, ask.Stay)
			if err != nil {
				return "", err
			}
			if s.overbook = 5; found.Refused != nil {
				s.overbook = 0
			}
			return s.hold(ctx, requestID, ask)
		}
		return f
	}, "the race for the last room", "two guests have the last room: booking "},

	{"it confirms in a second write, which a repetition forgets", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Hold = func(ctx context.Context, requestID string, ask contract.Ask) (string, error) {
			key := dynastay.IdempotencyKey(requestID).Of(ask.UserID)
			if id, err := s.made(ctx, key, ask); !errors.Is(err, dynastay.ErrNotFound) {
				return id, err
			}
			id, err := s.hold(ctx, requestID, ask)
			if err != nil {
				return "", err
			}
			if _, err := s.bookings.Confirm(ctx, id, nil); err != nil && !errors.Is(err, dynastay.ErrRefused) {
				return "", err
			}
			return id, nil
		}
		return f
	}, "the lost answer", "the service broke off after write 1, and the request was repeated: the booking is pending, and should be confirmed"},

	{"it counts reports", func(db *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Confirm = func(ctx context.Context, paid bookings.Payment) error {
			paid.ProviderTransactionID += db.NewID("-")
			return s.confirm(ctx, paid)
		}
		return f
	}, "the repeated webhook", "the guest paid once, and 2 payments are recorded"},

	{"it notes a report before it records the payment", func(db *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Confirm = func(ctx context.Context, paid bookings.Payment) error {
			_, err := users.New(db, nil).CreateWishlist(ctx, users.Wishlist{
				ID: paid.BookingID, UserID: "webhooks", Name: paid.ProviderTransactionID,
			})
			if errors.Is(err, dynastay.ErrAlreadyExists) {
				return nil
			}
			if err != nil {
				return err
			}
			return s.confirm(ctx, paid)
		}
		return f
	}, "the repeated webhook", "to a process that breaks off: the service broke off after write 1, and the request was repeated: the guest paid once, and 0 payments"},

	{"it forgets what is paid for a cancelled booking", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Confirm = s.confirmOnly
		return f
	}, "the repeated webhook", "the guest cancels while the payment is recorded: the guest paid once, and 0 payments are recorded"},

	{"it forgets what is paid after the hold", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Confirm, f.Cancel = s.confirmOnly, nil
		return f
	}, "the repeated webhook", "the hold ends while the payment is recorded: the guest paid once, and 0 payments are recorded"},

	{"it answers reports about a cancelled booking with an error", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Confirm = func(ctx context.Context, paid bookings.Payment) error {
			recorded, err := s.bookings.ApplyPayment(ctx, paid)
			if err == nil && recorded.Booking.Status != bookings.Confirmed {
				return dynastay.ErrRefused
			}
			return err
		}
		return f
	}, "the repeated webhook", "the guest cancels while the payment is recorded: the provider gets an error"},

	{"it looks for a booking of the guest instead of using the request id", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Hold = func(ctx context.Context, _ string, ask contract.Ask) (string, error) {
			for b, err := range s.bookings.ByUser(ask.UserID).All(ctx) {
				if err != nil {
					return "", err
				}
				if b.Stay == ask.Stay {
					return b.ID, nil
				}
			}
			return s.book(ctx, ask)
		}
		return f
	}, "the keyed repetition", "a request is sent twice at the same time, and one of the two fails: "},

	{"its refusals look like failures", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Cancel = func(ctx context.Context, userID, bookingID string) error {
			err := s.cancel(ctx, userID, bookingID)
			if errors.Is(err, dynastay.ErrRefused) {
				return errors.New("internal error")
			}
			return err
		}
		return f
	}, "the cancellation", "a guest cancels twice, and the second time gets an error that is not final: internal error"},

	{"it does not ask who cancels", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Cancel = func(ctx context.Context, _, bookingID string) error {
			_, err := s.bookings.Cancel(ctx, bookingID, "", nil)
			return err
		}
		return f
	}, "the stranger", "a user cancels somebody else's booking, and is told that it is cancelled"},

	{"it reads every booking of the guest", func(_ *dynastay.DB, s *service) contract.Functions {
		f := s.functions()
		f.Lookup = func(ctx context.Context, userID, bookingID string) (status bookings.Status, err error) {
			for summary, err := range s.bookings.ByUser(userID).All(ctx) {
				if err != nil {
					return "", err
				}
				if b, err := s.bookings.Get(ctx, summary.ID); err != nil {
					return "", err
				} else if b.ID == bookingID {
					status = b.Status
				}
			}
			if status == "" {
				return "", dynastay.ErrNotFound
			}
			return status, nil
		}
		return f
	}, "the budget", "when the hotel has 20 more bookings; before, it took "},
}

func TestServiceFindsMistakes(t *testing.T) {
	t.Parallel()
	caught := map[string]bool{}
	for _, broken := range brokenServices {
		caught[broken.name] = true
		t.Run(broken.mistake, func(t *testing.T) {
			t.Parallel()
			failed, _ := checkService(t, contract.ServiceTarget{
				Open: func(_ testing.TB, db *dynastay.DB) contract.Functions { return broken.wrong(db, newService(db)) },
			})
			require.Len(t, failed, 1, "no other case fails")
			assert.Contains(t, only(t, failed, broken.name+": "), broken.found)
			assert.Contains(t, failed[0], "\npromise: ")
			assert.Contains(t, failed[0], "\nlook at: ")
			if broken.name == "the lost answer" {
				page.Section(t, "docs/testing.md", "service message", "```\n"+failed[0]+"\n```\n")
			}
		})
	}
	for _, name := range serviceNames {
		assert.True(t, caught[name], "no mistake shows what %s is for", name)
	}
}

func TestServiceWithoutFunctions(t *testing.T) {
	t.Parallel()
	failed, logged := checkService(t, contract.ServiceTarget{
		Open: func(_ testing.TB, db *dynastay.DB) contract.Functions {
			return contract.Functions{Search: newService(db).search}
		},
	})
	assert.Empty(t, failed)
	for _, name := range serviceNames[:len(serviceNames)-1] {
		only(t, logged, fmt.Sprintf("contract: %s: not run, because the service has no Hold", name))
	}
	assert.Contains(t, strings.Join(logged, "\n"), "the repeated webhook: not run, because the service has no Hold and Confirm")
	only(t, logged, "contract: the budget: Search takes 2 requests, ")

	failed, logged = checkService(t, contract.ServiceTarget{
		Open: func(_ testing.TB, db *dynastay.DB) contract.Functions {
			return contract.Functions{Hold: newService(db).hold}
		},
	})
	assert.Empty(t, failed)
	only(t, logged, "contract: the stranger: not run, because the service has no Lookup and no Cancel")
}

func TestServiceOverBudget(t *testing.T) {
	t.Parallel()
	failed, _ := checkService(t, contract.ServiceTarget{
		Open: func(_ testing.TB, db *dynastay.DB) contract.Functions { return newService(db).functions() },
		Most: contract.Budget{Hold: dyntest.Cost{Requests: 3, ReadUnits: 9, WriteUnits: dyntest.Unbounded}},
	})
	require.Len(t, failed, 1)
	text := only(t, failed, "the budget: Hold takes 4 requests, and may take 3:\n")
	assert.Contains(t, text, "TransactWriteItems")
}

// A service has error values of its own, such as those that a client makes of a status of HTTP.
func TestServiceWithItsOwnErrors(t *testing.T) {
	t.Parallel()
	errConflict := errors.New("409")
	target := contract.ServiceTarget{
		Open: func(_ testing.TB, db *dynastay.DB) contract.Functions {
			s := newService(db)
			return contract.Functions{Hold: func(ctx context.Context, requestID string, ask contract.Ask) (string, error) {
				id, err := s.hold(ctx, requestID, ask)
				if errors.Is(err, dynastay.ErrRefused) || errors.Is(err, dynastay.ErrIdempotencyMismatch) {
					return "", errConflict
				}
				return id, err
			}}
		},
		Final: func(err error) bool { return errors.Is(err, errConflict) },
	}
	failed, _ := checkService(t, target)
	assert.Empty(t, failed)

	target.Final = nil
	failed, _ = checkService(t, target)
	only(t, failed, "the race for the last room: a guest who comes too late is not told that the room is taken, but: 409")
}
