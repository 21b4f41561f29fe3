package people_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// The largest values are accepted.
func TestProfilesAtTheLimits(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	name := strings.Repeat("x", 256)
	w := worker("w", many(strings.Repeat("s", 254), 10)...)
	w.Work.Skills = append(w.Work.Skills, append(many("t", 9), strings.Repeat("r", 256))...)
	w.Name, w.Location.Address, w.Location.City, w.Location.Province = name, name, name, name
	w.Location.Latitude, w.Location.Longitude = -90, 180
	w.Phone, w.Subject, w.Email = "+271234567890123", strings.Repeat("s", 128), "a@example.com"
	w.Work.Bio, w.Work.IDNumber = strings.Repeat("x", 2048), strings.Repeat("ab", 32)
	w.Work.Portfolio = many("p", 50)
	w.Work.Portfolio[0] = strings.Repeat("x", 2048)
	n.signUp(w)
	got := n.profile("w")
	assert.Equal(t, w.Work, got.Work)
	assert.Len(t, n.skillItems("w"), 20)
	n.update("w", func(p *people.Profile) {
		p.Work.Skills, p.Location.Latitude, p.Location.Longitude = many("u", 20), 90, -180
		p.Phone, p.Subject, p.Email = "+2712345", "s", "b@example.com"
	})
	assert.Len(t, n.skillItems("w"), 20)

	w.Work.IDNumber = name // the hash of other software
	require.NoError(t, w.Validate())
	w.Work.IDNumber = long
	assert.Equal(t, "Work.IDNumber", fieldOf(w.Validate()))

	s := seller("s")
	s.Shop = people.Shop{BusinessName: name, BusinessType: name, Contact: name, Registration: name, FreeOver: dynastay.MustMoney("0", "ZAR")}
	n.signUp(s)
	assert.Equal(t, s.Shop, n.profile("s").Shop)
}
