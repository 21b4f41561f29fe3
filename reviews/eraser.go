package reviews

import (
	"context"
	"errors"

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
// counts "reviews deleted", "votes deleted", "responses deleted" and "other items deleted", for what other software has
// stored; it is valid even if there is an error. Whatever Erase finds is read consistently before it is deleted.
// Responses that other software wrote in the form of the hotel-booking document are not in the index, and are not found
// until [Repository.UpdateResponse] has changed them once.
//
// If an item cannot be deleted because it, or the property that it rates, cannot be decoded, Erase deletes the others
// and returns a [*dynastay.UnreadableError]. Its other errors are those of [Repository.Delete]. 1 request for each MB
// of the list, 1 for each vote, 2 for each response, and for each review 1 and those of Delete.
//
// Package reviews does not know who was erased: add users.Repository.NotErasedOp to a Write that creates a review, a
// vote or a response of a user who may be erased at the same time.
func (e *Eraser) Erase(ctx context.Context, userID string) (_ map[string]int, err error) {
	ctx, end := e.r.db.Begin(ctx, "reviews.Eraser.Erase")
	defer func() { end(err) }()
	partition, err := keys.Partition(keys.ReviewByUser{UserID: userID})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, e.r.db, keys.ReviewsTable, dynastay.Query{Index: keys.UserReviewsIndex, Partition: partition})
	if err != nil {
		return nil, err
	}
	done := map[string]int{}
	var unreadable []error
	for _, row := range rows {
		kind, err := e.erase(ctx, userID, partition, keys.ReviewsTable.Key.From(row))
		switch {
		case errors.Is(err, dynastay.ErrNotFound): // the index lags
		case errors.Is(err, dynastay.ErrCorrupt):
			unreadable = append(unreadable, err)
		case err != nil:
			return done, err
		case kind != "":
			done[kind]++
		}
	}
	if len(unreadable) > 0 {
		return done, &dynastay.UnreadableError{Items: unreadable}
	}
	return done, nil
}

// erase deletes one item of the user. It returns "" for an item that is not the user's any more.
func (e *Eraser) erase(ctx context.Context, userID, partition string, at dynastay.Key) (kind string, err error) {
	reviewID := idOf(at)
	switch at.SK {
	case keys.SortKind[keys.Vote]() + userID:
		return "votes deleted", e.r.Unvote(ctx, reviewID, userID)
	case keys.SortKind[keys.Response]():
		return dynastay.Do(ctx, e.r.db, e.itemOp(at, "responses deleted", func(row dynastay.Row) bool {
			return isOf(userID, row.Text(attrResponder))
		}))
	case keys.SortKind[keys.Review]():
		row, err := e.r.db.Get(ctx, keys.ReviewsTable, at, dynastay.Consistent)
		if err != nil || !row.Exists() || !isOf(userID, row.Text(attrUser)) {
			return "", err
		}
		return "reviews deleted", e.r.Delete(ctx, reviewID)
	}
	return dynastay.Do(ctx, e.r.db, e.itemOp(at, "other items deleted", func(row dynastay.Row) bool {
		index, _ := keys.ReviewsTable.Index(keys.UserReviewsIndex)
		return row.Text(index.Key.Partition) == partition
	}))
}

// isOf reports whether an item that the index lists for a user is the user's. Other software may have left out the id.
func isOf(userID, stored string) bool { return stored == "" || stored == userID }

// itemOp deletes an item of the user, unless somebody else has taken it over.
func (e *Eraser) itemOp(at dynastay.Key, kind string, own func(dynastay.Row) bool) *dynastay.Operation[string] {
	return dynastay.NewOp(dynastay.OpSpec[string]{
		Name: "reviews.Erase",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (string, error) {
			row, err := e.r.db.Get(ctx, keys.ReviewsTable, at, dynastay.Consistent)
			if err != nil || !row.Exists() || !own(row) {
				return "", err
			}
			gone, err := tx.Remove(keys.ReviewsTable, row, responseEntity.Known()...)
			if err != nil {
				return "", err
			}
			gone.Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return kind, nil
		},
	})
}
