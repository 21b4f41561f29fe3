package reviews_test

import (
	"context"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/model"
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
	words := model.OneOf(w.t, "text", "Thank you", "Sorry")
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
