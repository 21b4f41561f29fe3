// Package reviews manages what the parties of a completed project or of a delivered order say about each other, and
// moves their trust scores.
//
//	M7  Of  the reviews that a user has received
//
// A party reviews the other one once. A review counts in the profile of the user that it is about, in the same
// transaction, so the trust score is exact however many reviews are written at the same time; see package people for
// how it is rounded. The author may change or delete it later; the score follows.
//
//	review, err := repo.Create(ctx, reviews.Review{ProjectID: id, ReviewerID: ana, RevieweeID: mike, Rating: 5, …})
//	review, err = repo.Update(ctx, review.Key(), func(v *reviews.Review) error { v.Rating = 4; return nil })
//
// The name of the reviewer in a review is that of the time when it was written.
//
// A review that other software has written without the ids of its key can be read and deleted; an update fails with
// [dynastay.ErrCorrupt]. One without a rating of 1 to 5 does not count.
package reviews
