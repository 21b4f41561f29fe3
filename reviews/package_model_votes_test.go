package reviews_test

import (
	"context"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/reviews"
)

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
