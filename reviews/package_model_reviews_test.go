package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// newWorld creates three properties and the bookings of four users in empty tables.
func newWorld(t *rapid.T, db *dyntest.DB, programs []program, met *model.Tally) *world {
	for _, s := range []*dynastay.Schema{keys.ReviewsTable, keys.PropertiesTable, keys.BookingsTable} {
		for _, item := range scan(t, db, s) {
			key := dynastay.Key{PK: item["PK"].(string), SK: item["SK"].(string)}
			raw.Delete(t, db, s, key)
		}
	}
	w := &world{t: t, db: db, programs: programs, met: met, now: &state{
		houses: map[string]modelHouse{}, bookings: map[string]modelBooking{}, reviews: map[string]modelReview{},
	}}
	for n := range 4 {
		w.users = append(w.users, fmt.Sprintf("%s_%d", db.Direct.NewID("user_"), n))
	}
	for range 3 {
		id := db.Direct.NewID("prop_")
		_, err := properties.New(db.Direct, nil).Create(t.Context(), properties.Property{
			ID: id, Name: "Inn", Slug: id, Type: properties.Hotel, OwnerID: "user_host", Stars: 3, Status: properties.Approved,
			Address: properties.Address{City: "Rome", Country: "Italy"},
		}, []properties.RoomType{{
			ID: "room_" + id, Name: "Double", Total: 1, BasePrice: dynastay.MustMoney("90", "EUR"), Limits: availability.Limits{MaxAdults: 2, MaxOccupancy: 2},
		}})
		require.NoError(t, err)
		w.now.houses[id] = modelHouse{exact: true}
	}
	houses := w.houses()
	for n := range 14 {
		b := modelBooking{
			user: w.users[n%4], house: houses[n%3], status: "completed",
			in: dynastay.MustDate("2026-06-01"), out: dynastay.MustDate("2026-06-04"),
		}
		switch n {
		case 11:
			b.status = "checked_in"
		case 12:
			b.status = "confirmed"
		case 13:
			b.status = "cancelled"
		}
		w.plant(fmt.Sprintf("bkg_%d", n), b)
	}
	return w
}

func (w *world) houses() []string { return slices.Sorted(maps.Keys(w.now.houses)) }

// plant stores a new booking.
func (w *world) plant(id string, b modelBooking) {
	w.put(id, b)
	w.bookings, w.now.bookings[id] = append(w.bookings, id), b
}

// put stores a booking, as far as a review needs it.
func (w *world) put(id string, b modelBooking) {
	raw.Put(w.t, w.db, keys.BookingsTable, dynastay.Item{
		"PK": dynastay.Text("BOOKING#" + id), "SK": dynastay.Text("METADATA"), "Status": dynastay.Text(b.status),
		"UserId": dynastay.Text(b.user), "PropertyId": dynastay.Text(b.house),
		"CheckInDate": dynastay.Text(b.in.String()), "CheckOutDate": dynastay.Text(b.out.String()),
	})
}

// draw draws an operation.
func (w *world) draw(label string) operation {
	if len(w.now.reviews) < 4 && model.UpTo(w.t, 2, "few") > 0 {
		return w.create()
	}
	return model.OneOf(w.t, label, []func() operation{
		w.create, w.create, w.create, w.create, w.reject, w.reject, w.update, w.update, w.delete,
		w.approve, w.approve, w.approve, w.approve, w.approve, w.approve, w.approve, w.approve, w.respond, w.respond, w.updateResponse, w.deleteResponse,
		w.vote, w.vote, w.vote, w.vote, w.unvote, w.unvote, w.repair, w.edit, w.edit, w.otherSoftware, w.removal, w.stay,
	}...)()
}

func (w *world) review() string {
	ids := slices.Sorted(maps.Keys(w.now.reviews))
	if len(ids) == 0 || model.UpTo(w.t, 11, "none") == 11 {
		return "rev_none"
	}
	return model.OneOf(w.t, "review", ids...)
}

func (w *world) house() string { return model.OneOf(w.t, "property", w.houses()...) }

func (w *world) user() string { return model.OneOf(w.t, "user", w.users...) }

func (w *world) rating() dynastay.Rating {
	return model.OneOf[dynastay.Rating](w.t, "rating", 10, 11, 55, 93, 94, 100)
}

func (w *world) create() operation {
	w.made++
	id := fmt.Sprintf("rev_%02d", w.made)
	booking := model.OneOf(w.t, "booking", append(slices.Clone(w.bookings), "bkg_none")...)
	b := w.now.bookings[booking]
	v := reviews.Review{
		ID: id, BookingID: booking, UserID: b.user, PropertyID: b.house, StayDate: b.in,
		Ratings: reviews.Ratings{Overall: w.rating(), Value: model.OneOf[dynastay.Rating](w.t, "value", 0, 70)}, Title: "Good",
	}
	if booking == "bkg_none" {
		v.UserID, v.PropertyID = w.users[0], w.houses()[0]
	}
	switch model.UpTo(w.t, 11, "mistake") {
	case 0:
		v.UserID = w.user()
	case 1:
		v.PropertyID = w.house()
	case 2:
		v.StayDate = dynastay.MustDate("2026-06-02")
	case 3, 4:
		v.StayDate = dynastay.Date{}
	}
	at := w.db.Clock.Now()
	return operation{name: "create", detail: fmt.Sprint(id, " of ", booking), id: id,
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			return on.reviews.Create(ctx, v, opts...)
		},
		apply: func(s *state) string {
			b, there := s.bookings[v.BookingID]
			stayed := b.status == "completed" || b.status == "checked_in"
			switch {
			case !there:
				return "no booking"
			case b.user != v.UserID:
				return "other user"
			case b.house != v.PropertyID:
				return "other property"
			case !v.StayDate.IsZero() && v.StayDate != b.in:
				return "other stay"
			case b.status == "confirmed":
				return "not over"
			case !stayed:
				return "not stayed"
			}
			for other, r := range s.reviews {
				if r.booking == v.BookingID || other == id {
					return "exists"
				}
			}
			s.reviews[id] = modelReview{
				booking: v.BookingID, user: v.UserID, house: v.PropertyID, ratings: v.Ratings, title: v.Title, stay: v.StayDate,
				status: reviews.Pending, created: at, updated: at, version: 1, votes: map[string]time.Time{},
			}
			return ""
		},
	}
}

// version draws a version of a review or a response that is usually right.
func (w *world) version(now int) int {
	return now + model.OneOf(w.t, "version", 0, 0, 0, 0, 0, 0, 0, -1, 1)
}

func (w *world) approve() operation {
	return w.decide("approve", reviews.Approved, "", func(ctx context.Context, on program, id string, version int, opts ...dynastay.WriteOption) (*reviews.Review, error) {
		return on.reviews.Approve(ctx, id, version, opts...)
	})
}

func (w *world) reject() operation {
	reason := model.OneOf(w.t, "reason", "", "rude")
	return w.decide("reject", reviews.Rejected, reason, func(ctx context.Context, on program, id string, version int, opts ...dynastay.WriteOption) (*reviews.Review, error) {
		return on.reviews.Reject(ctx, id, version, reason, opts...)
	})
}

func (w *world) decide(
	name string, to reviews.Status, reason string,
	call func(context.Context, program, string, int, ...dynastay.WriteOption) (*reviews.Review, error),
) operation {
	id, at := w.review(), w.db.Clock.Now()
	version := w.version(w.now.reviews[id].version)
	return operation{name: name, detail: fmt.Sprint(id, " at ", version), id: id,
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			return call(ctx, on, id, version, opts...)
		},
		apply: func(s *state) string {
			switch r, there := s.reviews[id]; {
			case !there:
				return "no Review"
			case r.status == to:
				return "status"
			case r.version != version:
				return "version"
			}
			return s.become(id, to, reason, at, func(*modelReview) {})
		},
	}
}

// become changes a review, and the rating of its property accordingly.
func (s *state) become(id string, to reviews.Status, reason string, at time.Time, change func(*modelReview)) string {
	r := s.reviews[id]
	before, counted := r.counted(), s.counted(r.house)
	change(&r)
	r.status, r.reason, r.updated, r.version = to, reason, at, r.version+1
	if refused := s.move(r.house, before, r.counted(), counted); refused != "" {
		return refused
	}
	s.reviews[id] = r
	return ""
}

func (w *world) update() operation {
	id, at, rating := w.review(), w.db.Clock.Now(), w.rating()
	title := model.OneOf(w.t, "title", "", "Good", "Better")
	version := w.version(w.now.reviews[id].version)
	agreed := dynastay.AgreedOn(title, rating.String())
	change := func(r *reviews.Review) error {
		r.Title, r.Ratings.Overall = title, rating
		return nil
	}
	return operation{name: "update", detail: fmt.Sprint(id, " to ", rating, title), id: id,
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			if len(opts) == 0 {
				return on.reviews.Update(ctx, id, change, dynastay.IfVersion(version))
			}
			return adopting(ctx, on, func() (*reviews.Review, error) {
				return dynastay.Do(ctx, on.db, on.reviews.UpdateOp(id, change, dynastay.IfVersion(version), agreed), opts...)
			})
		},
		apply: func(s *state) string {
			switch r, there := s.reviews[id]; {
			case !there:
				return "no Review"
			case r.version != version:
				return "version"
			case r.title == title && r.ratings.Overall == rating:
				return ""
			}
			return s.become(id, reviews.Pending, "", at, func(r *modelReview) { r.title, r.ratings.Overall = title, rating })
		},
	}
}

// adopting does for an operation what the methods do themselves.
func adopting[R any](ctx context.Context, on program, write func() (R, error)) (R, error) {
	for {
		made, err := write()
		var failure *dynastay.Error
		switch {
		case !errors.As(err, &failure) || failure.Entity != "Property":
			return made, err
		case errors.Is(err, properties.ErrForeign):
			err = on.properties.Adopt(ctx, failure.ID)
		case errors.Is(err, dynastay.ErrCorrupt):
			_, err = on.reviews.RepairRating(ctx, failure.ID)
		default:
			return made, err
		}
		if err != nil {
			return made, err
		}
	}
}

func (w *world) delete() operation {
	id := w.review()
	return operation{name: "delete", detail: id, steps: true, unkeyed: true, id: id,
		run: func(ctx context.Context, on program, _ ...dynastay.WriteOption) (*reviews.Review, error) {
			return nil, on.reviews.Delete(ctx, id)
		},
		apply: func(s *state) string {
			r, there := s.reviews[id]
			if !there {
				return "no Review"
			}
			s.move(r.house, r.counted(), 0, s.counted(r.house))
			delete(s.reviews, id)
			return ""
		},
	}
}

// hidden returns the states in which a call of Delete that was interrupted can leave a review: not shown any more,
// which is not an edit, then without its votes and its response.
func (s *state) hidden(id string) (first, second *state) {
	first = s.clone()
	if r := first.reviews[id]; r.status == reviews.Approved {
		first.move(r.house, r.counted(), 0, first.counted(r.house))
		r.status = reviews.Rejected
		first.reviews[id] = r
	}
	second = first.clone()
	r := second.reviews[id]
	r.votes, r.response = map[string]time.Time{}, modelResponse{}
	second.reviews[id] = r
	return first, second
}

// otherSoftware writes a property without what the library needs, and with a rounded average only.
func (w *world) otherSoftware() operation {
	id := w.house()
	return operation{name: "other software", detail: id, unkeyed: true,
		run: func(context.Context, program, ...dynastay.WriteOption) (*reviews.Review, error) {
			return nil, w.set(id, "REMOVE WriteId, RatingSum")
		},
		apply: func(s *state) string {
			if h := s.houses[id]; !h.gone && !h.deleting {
				h.totals.Tenths, h.exact = int(h.totals.Average())*h.totals.Reviews, false
				s.houses[id] = h
			}
			return ""
		},
	}
}

// set changes a property past the library, unless it does not exist or is being deleted.
func (w *world) set(id, update string) error {
	key := dynastay.Key{PK: "PROPERTY#" + id, SK: "METADATA"}
	_, err := w.db.Engine.Client().UpdateItem(w.t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(w.db.TableName(keys.PropertiesTable)), Key: keys.PropertiesTable.Key.Of(key),
		UpdateExpression: &update, ConditionExpression: aws.String("#Status <> :deleting AND attribute_exists(PK)"),
		ExpressionAttributeNames:  map[string]string{"#Status": "Status"},
		ExpressionAttributeValues: dynastay.Item{":deleting": dynastay.Text("deleting")},
	})
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		return nil
	}
	return err
}
