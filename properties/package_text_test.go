package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// Error texts end up in logs, so they contain no text from the caller.
func TestErrorsDoNotEchoInput(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	const secret = "john@example.com"
	create := func(p properties.Property, rooms ...properties.RoomType) error {
		_, err := repo.Create(t.Context(), p, append(rooms, king("r1", "100")))
		return err
	}
	errs := map[string]error{
		"room type twice": create(grand("p1"), king(secret, "100"), king(secret, "100")),
		"amenity twice":   create(grand("p1", func(p *properties.Property) { p.AmenityIDs = []string{secret, secret} })),
		"status":          create(grand("p1", func(p *properties.Property) { p.Status = secret })),
		"time zone":       create(grand("p1", func(p *properties.Property) { p.TimeZone = secret })),
		"check-in time":   create(grand("p1", func(p *properties.Property) { p.CheckInTime = secret })),
		"policy":          create(grand("p1", func(p *properties.Property) { p.CancellationPolicy = "partial_" + secret })),
	}
	require.NoError(t, create(grand("p1")))
	_, errs["new status"] = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Status = secret }))
	_, errs["room type"] = new(properties.Card).QuoteRequest(dynastay.MustStay("2026-07-10", "2026-07-13"), availability.Guests{}, properties.Choice{RoomTypeID: secret})
	for name, err := range errs {
		require.ErrorIs(t, err, dynastay.ErrInvalid, name)
		assert.NotContains(t, err.Error(), "john", name)
	}
}
