package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func TestByStarsAndType(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, rating := range map[string]string{"a": "9.2", "b": "10.0", "c": "8.0", "d": "0.0", "e": "9.9", "f": "9.2"} {
		rated(t, db, repo, rating, grand(id))
	}
	rated(t, db, repo, "9.5", grand("four", func(p *properties.Property) { p.Stars, p.Type = 4, "bed_and_breakfast" }))
	create(t, repo, grand("none", func(p *properties.Property) { p.Stars, p.Type = 0, "bed_and_breakfast" }))
	create(t, repo, grand("pending", pending))
	rated(t, db, repo, "5.0", grand("boston", in("Boston", "USA")))

	best := []string{"b", "e", "f", "a", "c"}
	for minimum, n := range map[dynastay.Rating]int{1: 5, 80: 5, 81: 4, 92: 4, 93: 2, 99: 2, 100: 1} {
		want := best[:n]
		assert.Equal(t, want, ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: minimum}))))
		if minimum == 1 {
			want = append(want[:n:n], "boston")
		}
		assert.Equal(t, want, ids(listed(t, repo.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: minimum}))))
	}
	assert.Equal(t, append(best, "d"), ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5}))))
	assert.Equal(t, []string{"four"}, ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 4}))))
	assert.Equal(t, append(best, "boston", "d"), ids(listed(t, repo.ByType(properties.TypeQuery{Type: properties.Hotel}))))
	assert.Equal(t, []string{"four", "none"}, ids(listed(t, repo.ByType(properties.TypeQuery{Type: "bed_and_breakfast"}))))
}
