package reviews

import "github.com/dynastay/dynastay"

// Encoded returns the stored form of the review in a row, after it was decoded.
func Encoded(r *Repository, row dynastay.Row) (dynastay.Item, error) {
	v, err := r.review.Value(row)
	if err != nil {
		return nil, err
	}
	return r.review.Item(v)
}
