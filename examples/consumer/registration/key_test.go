package registration

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

func TestKeys(t *testing.T) {
	day := dynastay.MustDate("2026-06-01")
	keytest.Check(t, keytest.Samples(byID{"reg_1"}), keytest.Samples(guard{"bkg_1"}))
	keytest.Check(t, keytest.Samples(byArrival{"prop_1", day, "reg_1"}))
	for want, got := range map[string]string{
		"CARD#{ID} / CARD":                                        key.Template[byID](),
		"BOOKING#{BookingID} / GUARD":                             key.Template[guard](),
		"PROPERTY#{PropertyID} / ARRIVAL#{Arrival}#CARD#{CardID}": key.Template[byArrival](),
	} {
		assert.Equal(t, want, got)
	}
	keytest.InOrder(t, byArrival{"prop_1", day, "reg_1"}, byArrival{"prop_1", day, "reg_2"}, byArrival{"prop_1", day.AddDays(1), "reg_1"})
}
