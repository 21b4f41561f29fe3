package reviews

import (
	"context"
	"errors"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Eraser deletes what the Reviews table contains of a user: the reviews that the user wrote, with their responses,
// votes and ratings, as [Repository.Delete] does, the user's votes for other reviews, and the responses that the user
// wrote for a property. It is for users.Repository.Erase.
type Eraser struct{ r *Repository }

// Eraser returns the eraser of this repository.
func (r *Repository) Eraser() *Eraser { return &Eraser{r} }

// Check returns nil: there is nothing in this table for which a user must be kept. It sends no requests.
func (e *Eraser) Check(context.Context, string) error { return nil }

// Erase deletes what the index shows of the user, which lags, so call it again until it finds nothing. The result
// counts "reviews deleted", "votes deleted" and "responses deleted"; it is valid even if there is an error. Whatever it
// finds is read consistently before it is deleted.
func (e *Eraser) Erase(ctx context.Context, userID string) (map[string]int, error) {
	partition, err := keys.Partition(keys.ReviewByUser{UserID: userID})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, e.r.db, keys.ReviewsTable, dynastay.Query{Index: keys.UserReviewsIndex, Partition: partition})
	if err != nil {
		return nil, err
	}
	done := map[string]int{}
	for _, row := range rows {
		kind, err := e.erase(ctx, userID, keys.ReviewsTable.Key.From(row))
		switch {
		case errors.Is(err, dynastay.ErrNotFound): // the index lags
		case err != nil:
			return done, err
		case kind != "":
			done[kind]++
		}
	}
	return done, nil
}

// erase deletes one item of the user. It returns "" for an item that is not the user's any more.
func (e *Eraser) erase(ctx context.Context, userID string, at dynastay.Key) (kind string, err error) {
	reviewID := idOf(at)
	switch {
	case strings.HasPrefix(at.SK, keys.SortKind[keys.Vote]()):
		return "votes deleted", e.r.Unvote(ctx, reviewID, userID)
	case at.SK == keys.SortKind[keys.Response]():
		return dynastay.Do(ctx, e.r.db, e.responseOp(userID, at))
	}
	review, err := e.r.Get(ctx, reviewID, dynastay.Consistent)
	if err != nil || review.UserID != userID {
		return "", err
	}
	return "reviews deleted", e.r.Delete(ctx, reviewID)
}

// responseOp deletes a response, unless somebody else has taken it over.
func (e *Eraser) responseOp(userID string, at dynastay.Key) *dynastay.Operation[string] {
	return dynastay.NewOp(dynastay.OpSpec[string]{
		Name: "reviews.Response.Erase",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (string, error) {
			row, err := e.r.db.Get(ctx, keys.ReviewsTable, at, dynastay.Consistent)
			if err != nil || row.Text(attrResponder) != userID {
				return "", err
			}
			gone, err := tx.Remove(keys.ReviewsTable, row, responseEntity.Known()...)
			if err != nil {
				return "", err
			}
			gone.Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return "responses deleted", nil
		},
	})
}
