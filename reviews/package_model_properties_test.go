package reviews_test

import (
	"context"
	"fmt"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

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
	if model.UpTo(w.t, 2, "really") > 0 {
		return w.edit()
	}
	if begins {
		return operation{name: "take off", detail: id, unkeyed: true,
			run: func(context.Context, program, ...dynastay.WriteOption) (*reviews.Review, error) {
				return nil, w.set(id, "SET #Status = :deleting")
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
	id := model.OneOf(w.t, "booking", w.bookings...)
	status := model.OneOf(w.t, "status", "completed", "no_show", "checked_in")
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
