package listing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
	"github.com/dynastay/dynastay/keys/listing"
)

var day = dynastay.MustDate("2025-01-15")

var items = []keytest.Type{
	keytest.Samples(listing.Night{ListingID: "lst_1", Date: day}),
	keytest.Samples(listing.BookingEvent{ListingID: "lst_1", BookingID: "bk_1"}),
	keytest.Samples(listing.BlockEvent{ListingID: "lst_1", BlockID: "bk_1"}),
	keytest.Samples(listing.Import{ListingID: "lst_1", Source: "AIRBNB", ExternalID: "HM#1"}),
	keytest.Samples(listing.Feed{ListingID: "lst_1", Name: "airbnb"}),
}

var rows = []keytest.Type{keytest.Samples(listing.NightByHost{HostID: "host_4", Date: day, ListingID: "lst_1"})}

func TestKeysKeepTheGuarantees(t *testing.T) {
	keytest.Check(t, items...)
	keytest.Check(t, rows...)
	keytest.InOrder(t, listing.Night{ListingID: "l", Date: day}, listing.Night{ListingID: "l", Date: day.AddDays(1)})
	keytest.InOrder(t,
		listing.NightByHost{HostID: "h", Date: day, ListingID: "lst_9"},
		listing.NightByHost{HostID: "h", Date: day.AddDays(1), ListingID: "lst_1"})
}

func FuzzParse(f *testing.F) { keytest.Fuzz(f, items, rows) }

// The keys of the listing-availability document.
func TestKeysOfTheDocument(t *testing.T) {
	for want, of := range map[string]func() (dynastay.Key, error){
		"LISTING_AVAILABILITY#lst_123abc/DATE#2025-01-15": func() (dynastay.Key, error) {
			return key.Of(listing.Night{ListingID: "lst_123abc", Date: day})
		},
		"HOST_AVAILABILITY#host_456def/DATE#2025-01-15#LISTING#lst_123abc": func() (dynastay.Key, error) {
			return key.Of(listing.NightByHost{HostID: "host_456def", Date: day, ListingID: "lst_123abc"})
		},
		"LISTING_AVAILABILITY#lst_1/EVENT#BOOKING#bk_001": func() (dynastay.Key, error) {
			return key.Of(listing.BookingEvent{ListingID: "lst_1", BookingID: "bk_001"})
		},
		"LISTING_AVAILABILITY#lst_1/EVENT#BLOCK#uuid-here": func() (dynastay.Key, error) {
			return key.Of(listing.BlockEvent{ListingID: "lst_1", BlockID: "uuid-here"})
		},
		"LISTING_AVAILABILITY#lst_1/FEED#airbnb": func() (dynastay.Key, error) {
			return key.Of(listing.Feed{ListingID: "lst_1", Name: "airbnb"})
		},
		"LISTING_AVAILABILITY#lst_1/IMPORT#BOOKING_COM#BC%23789456": func() (dynastay.Key, error) {
			return key.Of(listing.Import{ListingID: "lst_1", Source: "BOOKING_COM", ExternalID: "BC#789456"})
		},
	} {
		got, err := of()
		require.NoError(t, err)
		assert.Equal(t, want, got.String())
	}
}

func TestTable(t *testing.T) {
	assert.Equal(t, "localstays-availability", listing.Table.Name)
	assert.Equal(t, dynastay.KeyNames{Partition: "pk", Sort: "sk"}, listing.Table.Key)
	require.Len(t, listing.Table.Indexes, 1)
	index, ok := listing.Table.Index("HostAvailabilityIndex")
	require.True(t, ok)
	assert.Equal(t, dynastay.KeyNames{Partition: "gsi1pk", Sort: "gsi1sk"}, index.Key)
	assert.Equal(t, dynastay.ProjectAll, index.Project)
	assert.Equal(t, "writeId", listing.Table.WriteIDName())
	assert.Empty(t, listing.Table.TTL)
}

func TestEventIDs(t *testing.T) {
	booking, err := listing.BookingEventID("bk_001")
	require.NoError(t, err)
	assert.Equal(t, "BOOKING#bk_001", booking)
	block, err := listing.BlockEventID("6f")
	require.NoError(t, err)
	assert.Equal(t, "BLOCK#6f", block)
	for _, id := range []string{booking, block} {
		at, err := listing.Event("lst_1", id)
		require.NoError(t, err)
		assert.Equal(t, dynastay.Key{PK: "LISTING_AVAILABILITY#lst_1", SK: "EVENT#" + id}, at)
		assert.Equal(t, id, listing.EventIDOf(at))
	}
	night, err := key.Of(listing.Night{ListingID: "lst_1", Date: day})
	require.NoError(t, err)
	assert.Empty(t, listing.EventIDOf(night))

	for _, id := range []string{"", "bk_001", "BOOKING", "BOOKING#", "BLOCK#", "block#1", "BOOKING#a#b", "BOOKING#" + strings.Repeat("x", 129)} {
		_, err := listing.Event("lst_1", id)
		invalid(t, err, "EventID", id)
	}
	_, err = listing.Event("", booking)
	invalid(t, err, "ListingID")
	_, err = listing.BookingEventID("a#b")
	invalid(t, err, "BookingID")
	_, err = listing.BlockEventID("")
	invalid(t, err, "BlockID")
}

func invalid(t *testing.T, err error, field string, about ...any) {
	t.Helper()
	var refused *dynastay.InvalidError
	if assert.ErrorAs(t, err, &refused, about...) {
		assert.Equal(t, field, refused.Field, about...)
	}
}

func ExampleEvent() {
	at, err := listing.Event("lst_123", "BOOKING#bk_001")
	fmt.Println(at, err)
	// Output: LISTING_AVAILABILITY#lst_123/EVENT#BOOKING#bk_001 <nil>
}
