package reviews_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

func (w *world) respond() operation {
	id, by, at := w.review(), w.user(), w.db.Clock.Now()
	return operation{name: "respond", detail: fmt.Sprint(id, " by ", by), id: id,
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			_, err := on.reviews.Respond(ctx, reviews.Response{ReviewID: id, ResponderID: by, Text: "Thank you"}, opts...)
			return nil, err
		},
		apply: func(s *state) string {
			r, there := s.reviews[id]
			switch {
			case !there:
				return "no Review"
			case r.status != reviews.Approved:
				return "status"
			case r.response.version > 0:
				return "exists"
			}
			r.response = modelResponse{by, "Thank you", at, at, 1}
			s.reviews[id] = r
			return ""
		},
	}
}

func (w *world) updateResponse() operation {
	id, by, at := w.review(), w.user(), w.db.Clock.Now()
	words := oneOf(w.t, "text", "Thank you", "Sorry")
	version := w.version(w.now.reviews[id].response.version)
	change := func(a *reviews.Response) error {
		a.Text, a.ResponderID = words, by
		return nil
	}
	return operation{name: "update response", detail: fmt.Sprint(id, " by ", by, " at ", version), id: id,
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			if len(opts) == 0 {
				_, err := on.reviews.UpdateResponse(ctx, id, change, dynastay.IfVersion(version))
				return nil, err
			}
			_, err := dynastay.Do(ctx, on.db,
				on.reviews.UpdateResponseOp(id, change, dynastay.IfVersion(version), dynastay.AgreedOn(words, by)), opts...)
			return nil, err
		},
		apply: func(s *state) string {
			r := s.reviews[id]
			switch a := r.response; {
			case a.version == 0:
				return "no ReviewResponse"
			case a.version != version:
				return "version"
			case a.text != words || a.by != by:
				r.response = modelResponse{by, words, a.created, at, a.version + 1}
				s.reviews[id] = r
			}
			return ""
		},
	}
}

func (w *world) deleteResponse() operation {
	id := w.review()
	return operation{name: "delete response", detail: id,
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			_, err := dynastay.Do(ctx, on.db, on.reviews.DeleteResponseOp(id), opts...)
			return nil, err
		},
		apply: func(s *state) string {
			r := s.reviews[id]
			if r.response.version == 0 {
				return "no ReviewResponse"
			}
			r.response = modelResponse{}
			s.reviews[id] = r
			return ""
		},
	}
}

func (w *world) vote() operation {
	id, user, at := w.review(), w.user(), w.db.Clock.Now()
	return operation{name: "vote", detail: fmt.Sprint(id, " by ", user),
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			return nil, on.reviews.Vote(ctx, id, user, opts...)
		},
		apply: func(s *state) string {
			r, there := s.reviews[id]
			_, voted := r.votes[user]
			switch {
			case !there:
				return "no Review"
			case r.status != reviews.Approved:
				return "status"
			case r.user == user:
				return "own"
			case voted:
				return "exists"
			}
			r.votes[user] = at
			return ""
		},
	}
}

func (w *world) unvote() operation {
	id, user := w.review(), w.user()
	return operation{name: "unvote", detail: fmt.Sprint(id, " by ", user),
		run: func(ctx context.Context, on program, opts ...dynastay.WriteOption) (*reviews.Review, error) {
			return nil, on.reviews.Unvote(ctx, id, user, opts...)
		},
		apply: func(s *state) string {
			if _, voted := s.reviews[id].votes[user]; !voted {
				return "no Vote"
			}
			delete(s.reviews[id].votes, user)
			return ""
		},
	}
}

// ofProperty is an operation on a property that must exist.
func (w *world) ofProperty(name string, run func(context.Context, program, string) error, apply func(*state, *modelHouse, string)) operation {
	id := w.house()
	return operation{name: name, detail: id, unkeyed: true,
		run: func(ctx context.Context, on program, _ ...dynastay.WriteOption) (*reviews.Review, error) {
			return nil, run(ctx, on, id)
		},
		apply: func(s *state) string {
			h := s.houses[id]
			switch {
			case h.gone:
				return "no Property"
			case h.deleting:
				return "property status"
			}
			apply(s, &h, id)
			s.houses[id] = h
			return ""
		},
	}
}

func (w *world) repair() operation {
	return w.ofProperty("repair", func(ctx context.Context, on program, id string) error {
		_, err := on.reviews.RepairRating(ctx, id)
		return err
	}, func(s *state, h *modelHouse, id string) { h.totals, h.exact = s.counted(id), true })
}

// repaired returns the state after the rating of a property was repaired.
func (s *state) repaired(house string) *state {
	c := s.clone()
	if h := c.houses[house]; !h.gone && !h.deleting {
		h.totals, h.exact = c.counted(house), true
		c.houses[house] = h
	}
	return c
}

func (w *world) edit() operation {
	return w.ofProperty("edit", func(ctx context.Context, on program, id string) error {
		_, err := on.properties.Update(ctx, id, func(p *properties.Property) error {
			p.Description += "!"
			return nil
		})
		return err
	}, func(_ *state, h *modelHouse, _ string) { h.edits++ })
}

// removal deletes a property, or begins to, which is rare.
func (w *world) removal() operation {
	id := w.house()
	begins := rapid.Bool().Draw(w.t, "begins")
	if upTo(w.t, 2, "really") > 0 {
		return w.edit()
	}
	if begins {
		return operation{name: "take off", detail: id, unkeyed: true,
			run: func(context.Context, program, ...dynastay.WriteOption) (*reviews.Review, error) {
				return nil, w.set(id, "SET #status = :deleting")
			},
			apply: func(s *state) string {
				h := s.houses[id]
				h.deleting = !h.gone
				s.houses[id] = h
				return ""
			},
		}
	}
	return operation{name: "delete property", detail: id, unkeyed: true,
		run: func(ctx context.Context, _ program, _ ...dynastay.WriteOption) (*reviews.Review, error) {
			return nil, properties.New(w.db.Direct, nil).Delete(ctx, id)
		},
		apply: func(s *state) string {
			if s.houses[id].gone {
				return "no Property"
			}
			s.houses[id] = modelHouse{gone: true}
			return ""
		},
	}
}

// stay changes the status of a booking.
func (w *world) stay() operation {
	id := oneOf(w.t, "booking", w.bookings...)
	status := oneOf(w.t, "status", "completed", "no_show", "checked_in")
	return operation{name: "stay", detail: fmt.Sprint(id, " ", status), unkeyed: true,
		run: func(context.Context, program, ...dynastay.WriteOption) (*reviews.Review, error) {
			b := w.now.bookings[id]
			b.status = status
			w.put(id, b)
			return nil, nil
		},
		apply: func(s *state) string {
			b := s.bookings[id]
			b.status = status
			s.bookings[id] = b
			return ""
		},
	}
}

// verify compares every stored item with the model.
func (w *world) verify() {
	houses := map[string]any{}
	for key, item := range scan(w.t, w.db, keys.PropertiesTable) {
		if id, ok := strings.CutSuffix(strings.TrimPrefix(key, "PROPERTY#"), "/METADATA"); ok {
			houses[id] = houseIn(item)
		}
	}
	for id, h := range w.now.houses {
		switch {
		case h.gone:
			require.NotContains(w.t, houses, id)
		case h.deleting:
			require.Equal(w.t, "deleting", houses[id])
		default:
			require.Equal(w.t, h.rated(id), houses[id])
		}
	}
	require.Equal(w.t, w.now.items(), scan(w.t, w.db, keys.ReviewsTable))
}

// end compares what the methods find with the model, and repairs all ratings.
func (w *world) end() {
	repo, ctx := w.programs[0].reviews, w.t.Context()
	lists := func(list dynastay.Listing[*reviews.Review], newest bool, in func(modelReview) bool) {
		var want []*reviews.Review
		for id, r := range w.now.reviews {
			if in(r) {
				want = append(want, w.now.want(id))
			}
		}
		slices.SortFunc(want, func(a, b *reviews.Review) int {
			if newest {
				a, b = b, a
			}
			return strings.Compare(keyed(a.CreatedAt)+a.ID, keyed(b.CreatedAt)+b.ID) // within a second, by id
		})
		var got []*reviews.Review
		for review, err := range list.All(ctx) {
			require.NoError(w.t, err)
			got = append(got, review)
		}
		require.Equal(w.t, want, got)
		filled, err := repo.WithResponses(ctx, got)
		require.NoError(w.t, err)
		for _, review := range filled {
			require.Equal(w.t, w.now.wantResponse(review.ID), review.Response)
		}
	}
	for _, house := range w.houses() {
		lists(repo.ByProperty(house), true, func(r modelReview) bool { return r.house == house && r.status == reviews.Approved })
	}
	for _, user := range w.users {
		lists(repo.ByUser(user), true, func(r modelReview) bool { return r.user == user })
		ids := slices.Sorted(maps.Keys(w.now.reviews))
		voted, err := repo.Voted(ctx, user, ids)
		require.NoError(w.t, err)
		for i, id := range ids {
			_, want := w.now.reviews[id].votes[user]
			require.Equal(w.t, want, voted[i], "%s for %s", user, id)
		}
	}
	lists(repo.Pending(), false, func(r modelReview) bool { return r.status == reviews.Pending })
	for id, r := range w.now.reviews {
		want := w.now.want(id)
		want.Response = w.now.wantResponse(id)
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			got, err := repo.ByBooking(ctx, r.booking, opts...)
			require.NoError(w.t, err)
			require.Equal(w.t, want, got)
			got, err = repo.Get(ctx, id, opts...)
			require.NoError(w.t, err)
			require.Equal(w.t, want, got)
		}
	}
	for _, house := range w.houses() {
		h, right := w.now.houses[house], w.now.counted(house)
		if h.gone || h.deleting {
			continue
		}
		got, err := repo.RepairRating(ctx, house)
		require.NoError(w.t, err)
		require.Equal(w.t, properties.Recount{Before: h.totals, After: right, Changed: h.totals != right || !h.exact}, got)
		w.now = w.now.repaired(house)
	}
	w.verify()
	for _, id := range slices.Sorted(maps.Keys(w.now.reviews)) {
		w.now.move(w.now.reviews[id].house, w.now.reviews[id].counted(), 0, w.now.counted(w.now.reviews[id].house))
		require.NoError(w.t, repo.Delete(ctx, id))
		delete(w.now.reviews, id)
	}
	w.verify()
	require.Empty(w.t, scan(w.t, w.db, keys.ReviewsTable))
}
