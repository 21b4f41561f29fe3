package projects

import "github.com/dynastay/dynastay"

// Encoded returns the stored form of the project or bid in a row, after it was decoded.
func Encoded(r *Repository, row dynastay.Row) dynastay.Item {
	if row.Text("SK") == "METADATA" {
		p, err := r.project.Value(row)
		if err == nil {
			item, err := r.project.Item(p)
			if err == nil {
				return item
			}
		}
		return nil
	}
	b, err := r.bid.Value(row)
	if err != nil {
		return nil
	}
	item, _ := r.bid.Item(b)
	return item
}
