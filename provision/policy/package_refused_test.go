package policy_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/provision"
	"github.com/dynastay/dynastay/provision/policy"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// A step is a call of a repository.
type step struct {
	reads bool // only
	call  func(ctx context.Context, db *dynastay.DB) error
}

// runs are short lives of what each repository keeps. The first call of each gets what other repositories have written.
var runs = map[string]func(t *testing.T, d *dyntest.DB) []step{
	"availability": func(t *testing.T, d *dyntest.DB) []step {
		h := fixture.New(t, d.Direct, 3)
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return db.Write(ctx, availability.New(db).OpenOp(availability.OpenRequest{
					PropertyID: h.ID, RoomTypeID: h.RoomTypeID, Nights: dynastay.MustStay("2026-08-01", "2026-08-03"), Rooms: 3, Price: fixture.Price,
				}), dynastay.IdempotencyKey("k"))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				req, err := h.Card().QuoteRequest(fixture.Stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: h.RoomTypeID, Quantity: 1})
				if err != nil {
					return err
				}
				return second(availability.New(db).Quote(ctx, req))
			}},
		}
	},
	"availability/listing": func(t *testing.T, d *dyntest.DB) []step {
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(listing.New(db).Book(ctx, listing.Booking{ListingID: "lst_1", HostID: "host_4", BookingID: "bk_1", Stay: fixture.Stay}))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(listing.New(db).ByHost("host_4").Page(ctx, dynastay.Paging{}))
			}},
		}
	},
	"availability/units": func(t *testing.T, d *dyntest.DB) []step {
		h := fixture.New(t, d.Direct, 3)
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(units.New(db).Create(ctx, units.Unit{PropertyID: h.ID, ID: "301", RoomTypeID: h.RoomTypeID}, dynastay.IdempotencyKey("k")))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(units.New(db).List(h.ID).Page(ctx, dynastay.Paging{}))
			}},
		}
	},
	"bookings": func(t *testing.T, d *dyntest.DB) []step {
		q := fixture.New(t, d.Direct, 3).Quote(t, d.Direct, fixture.Stay, 1)
		var booked *bookings.Booking
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) (err error) {
				booked, err = bookings.New(db, nil).Create(ctx, fixture.Request(q), dynastay.IdempotencyKey("k"))
				return err
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(bookings.New(db, nil).ByUser(booked.UserID).Page(ctx, dynastay.Paging{}))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(bookings.New(db, nil).Get(ctx, booked.ID))
			}},
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(bookings.New(db, nil).Cancel(ctx, booked.ID, "ill", nil))
			}},
		}
	},
	"bookings/venue": func(t *testing.T, d *dyntest.DB) []step {
		admin, day := venue.Actor{UserID: "user_carla", Role: venue.Admin}, dynastay.MustDate("2026-07-11")
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Concert"}))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).EventsOn(ctx, day))
			}},
		}
	},
	"properties": func(t *testing.T, d *dyntest.DB) []step {
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(properties.New(db, nil).Create(ctx, properties.Property{
					ID: "prop_1", Name: "Inn", Slug: "inn", Type: properties.Hotel, OwnerID: "user_host",
					Address: properties.Address{City: "Rome", Country: "Italy"},
				}, nil))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(properties.New(db, nil).ByOwner("user_host").Page(ctx, dynastay.Paging{}))
			}},
			{false, func(ctx context.Context, db *dynastay.DB) error { return properties.New(db, nil).Delete(ctx, "prop_1") }},
		}
	},
	"properties/catalog": func(t *testing.T, d *dyntest.DB) []step {
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(catalog.Amenities(db).Create(ctx, catalog.Amenity{ID: "wifi", Name: "Free WiFi"}))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(catalog.Amenities(db).All().Page(ctx, dynastay.Paging{}))
			}},
		}
	},
	"properties/search": func(t *testing.T, d *dyntest.DB) []step {
		fixture.New(t, d.Direct, 3)
		return []step{{true, func(ctx context.Context, db *dynastay.DB) error {
			return second(search.New(db, properties.New(db, nil)).Page(ctx, search.Request{
				City: "New York", Country: "USA", Stay: fixture.Stay, Guests: availability.Guests{Adults: 2}, Sort: search.BestRated,
			}, dynastay.Paging{Limit: 10}))
		}}}
	},
	"reviews": func(t *testing.T, d *dyntest.DB) []step {
		h := fixture.New(t, d.Direct, 3)
		b, err := bookings.New(d.Direct, nil).Create(t.Context(), fixture.Request(h.Quote(t, d.Direct, fixture.Stay, 1)))
		require.NoError(t, err)
		d.Clock.Set(fixture.Stay.CheckIn.Time().Add(20 * time.Hour))
		_, err = bookings.New(d.Direct, nil).CheckIn(t.Context(), b.ID, nil)
		require.NoError(t, err)
		d.Clock.Advance(72 * time.Hour)
		_, err = bookings.New(d.Direct, nil).CheckOut(t.Context(), b.ID)
		require.NoError(t, err)
		of := func(db *dynastay.DB) *reviews.Repository { return reviews.New(db, properties.New(db, nil), nil) }
		var review *reviews.Review
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) (err error) {
				review, err = of(db).Create(ctx, reviews.Review{
					BookingID: b.ID, UserID: b.UserID, PropertyID: h.ID, StayDate: b.Stay.CheckIn,
					Ratings: reviews.Ratings{Overall: 93}, Title: "Wonderful", TripType: reviews.Couple, GuestName: "John D.",
				})
				return err
			}},
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(of(db).Approve(ctx, review.ID, review.Version))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(of(db).ByProperty(h.ID).Page(ctx, dynastay.Paging{}))
			}},
			{false, func(ctx context.Context, db *dynastay.DB) error { return of(db).Vote(ctx, review.ID, "user_789") }},
		}
	},
	"users": func(t *testing.T, d *dyntest.DB) []step {
		return []step{
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(users.New(db, nil).Create(ctx, users.User{ID: "user_1", Email: "john@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer}))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(users.New(db, nil).Get(ctx, "user_1"))
			}},
			{true, func(ctx context.Context, db *dynastay.DB) error {
				return second(users.New(db, nil).ByEmail(ctx, "john@example.com"))
			}},
			{false, func(ctx context.Context, db *dynastay.DB) error {
				return second(users.New(db, nil).Erase(ctx, "user_1"))
			}},
		}
	},
}

func second[T any](_ T, err error) error { return err }

func newDB(t *testing.T, permitted ...policy.Policy) *dyntest.DB {
	t.Helper()
	return dyntest.New(t, dyntest.At(fixture.Now), dyntest.Tables(listingkeys.Table, venuekeys.Table), dyntest.Permitted(permitted...))
}

// denied reports whether a call failed because of its permissions.
func denied(err error) bool {
	var api smithy.APIError
	return errors.Is(err, dynastay.ErrRejected) && errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException"
}

// Each repository runs with its own permissions. Without one of them, exactly the requests that need it are refused.
func TestRepositoriesWithTheirOwnPermissions(t *testing.T) {
	t.Parallel()
	for _, repository := range policy.Repositories() {
		t.Run(repository, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, runs, repository)
			role := policy.Policy{Role: policy.Application, Repositories: []string{repository}}
			db := newDB(t, role)
			stop := db.Faults.Record()
			for i, step := range runs[repository](t, db) {
				require.NoError(t, step.call(t.Context(), db.DB), "step %d", i)
			}
			sent := stop()
			document, err := role.Document(here)
			require.NoError(t, err)
			refused := 0
			for _, each := range without(document) {
				for _, r := range sent {
					needs, err := db.Needs(r)
					require.NoError(t, err)
					needed := false
					allowed := true
					for _, n := range needs {
						request := n.Request(here)
						needed = needed || request.Action == each.action && request.Resource == each.resource
						allowed = allowed && each.document.Allows(request)
					}
					assert.Equal(t, needed, !allowed, "%s of %s, without %s on %s", r.Operation, repository, each.action, each.resource)
					if needed {
						refused++
					}
				}
			}
			assert.Positive(t, refused)
		})
	}
}

var here = policy.Account{Region: "eu-central-1", ID: "123456789012", Prefix: "prod-"}

// less is a document without an action on a resource.
type less struct {
	document         *policy.Document
	action, resource string
}

func without(d *policy.Document) (all []less) {
	for i, s := range d.Statement {
		for _, action := range s.Action {
			for _, resource := range s.Resource {
				rest, other := s, s
				rest.Resource = slices.DeleteFunc(slices.Clone(s.Resource), func(r string) bool { return r == resource })
				other.Resource = []string{resource}
				other.Action = slices.DeleteFunc(slices.Clone(s.Action), func(a string) bool { return a == action })
				fewer := &policy.Document{Version: d.Version, Statement: slices.Concat(d.Statement[:i], d.Statement[i+1:], []policy.Statement{rest, other})}
				all = append(all, less{fewer, action, resource})
			}
		}
	}
	return all
}

// A reader reads, and every write is refused before anything is stored.
func TestReadersWriteNothing(t *testing.T) {
	t.Parallel()
	for _, repository := range policy.Repositories() {
		t.Run(repository, func(t *testing.T) {
			t.Parallel()
			db := newDB(t, policy.Policy{Role: policy.Reader, Repositories: []string{repository}})
			for i, step := range runs[repository](t, db) {
				err := step.call(t.Context(), db.DB)
				assert.Equal(t, step.reads, err == nil, "step %d: %v", i, err)
				if !step.reads {
					assert.True(t, denied(err), "step %d: %v", i, err)
					require.NoError(t, step.call(t.Context(), db.Direct), "nothing of step %d was stored", i)
				}
			}
		})
	}
}

// A worker reads its streams, and without its policy none.
func TestWorkers(t *testing.T) {
	t.Parallel()
	for _, role := range []policy.Role{policy.Worker, policy.Application} {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, dyntest.Streams(), dyntest.Permitted(policy.Policy{Role: role, Repositories: []string{"users"}}))
			_, err := users.New(db.Direct, nil).Create(t.Context(), users.User{
				ID: "user_1", Email: "john@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer,
			})
			require.NoError(t, err)
			var told []string
			err = consumer.New(db.DB, db.Streams, consumer.Spec{
				Name: "greetings", Start: consumer.Oldest, Poll: time.Millisecond,
				Router: stream.NewRouter(stream.On(users.New(db.DB, nil).Changes().Users, func(_ context.Context, c stream.Change[users.User]) error {
					told = append(told, c.New.ID)
					return nil
				})),
				OnError: func(_ context.Context, err *consumer.Error) { t.Log(err) },
			}).Drain(t.Context())
			if role == policy.Worker {
				require.NoError(t, err)
				assert.Equal(t, []string{"user_1"}, told)
			} else {
				assert.ErrorContains(t, err, "AccessDeniedException")
				assert.Empty(t, told)
			}
		})
	}
}

// An auditor sees every difference and changes nothing; an operator changes it.
func TestAuditorsAndOperators(t *testing.T) {
	t.Parallel()
	for _, role := range []policy.Role{policy.Auditor, policy.Operator} {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			db := newDB(t, policy.Policy{Role: role, Repositories: []string{"users"}})
			users := provision.Table{Schema: keys.UsersTable, Name: db.TableName(keys.UsersTable)}
			users.Settings.Deletable, users.Settings.Tags = true, map[string]string{"stage": "test"}
			before, err := provision.Look(t.Context(), db.Client, users, nil)
			require.NoError(t, err)
			require.NotEmpty(t, before.Differences)

			err = provision.Apply(t.Context(), db.Client, []provision.Table{users}, nil)
			var api smithy.APIError
			assert.Equal(t, role == policy.Auditor, errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException", "%v", err)
			after, err := provision.Look(t.Context(), db.Client, users, nil)
			require.NoError(t, err)
			if role == policy.Auditor {
				assert.Len(t, after.Differences, len(before.Differences))
			} else {
				assert.Less(t, len(after.Differences), len(before.Differences))
			}
			_, err = provision.Look(t.Context(), db.Client, provision.Table{Schema: keys.ReviewsTable, Name: db.TableName(keys.ReviewsTable)}, nil)
			assert.ErrorContains(t, err, "AccessDeniedException", "users have no reviews in their tables")
		})
	}
}
