package listingkeys_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

var day = dynastay.MustDate("2025-01-15")

var items = []keytest.Type{
	keytest.Samples(listingkeys.Night{ListingID: "lst_1", Date: day}),
	keytest.Samples(listingkeys.BookingEvent{ListingID: "lst_1", BookingID: "bk_1"}),
	keytest.Samples(listingkeys.BlockEvent{ListingID: "lst_1", BlockID: "bk_1"}),
	keytest.Samples(listingkeys.Import{ListingID: "lst_1", Source: "AIRBNB", ExternalID: "HM#1"}),
	keytest.Samples(listingkeys.Feed{ListingID: "lst_1", Name: "airbnb"}),
}

var rows = []keytest.Type{keytest.Samples(listingkeys.NightByHost{HostID: "host_4", Date: day, ListingID: "lst_1"})}

func TestKeysKeepTheGuarantees(t *testing.T) {
	keytest.Check(t, items...)
	keytest.Check(t, rows...)
	keytest.InOrder(t, listingkeys.Night{ListingID: "l", Date: day}, listingkeys.Night{ListingID: "l", Date: day.AddDays(1)})
	keytest.InOrder(t,
		listingkeys.NightByHost{HostID: "h", Date: day, ListingID: "lst_9"},
		listingkeys.NightByHost{HostID: "h", Date: day.AddDays(1), ListingID: "lst_1"})
}

func FuzzParse(f *testing.F) { keytest.Fuzz(f, items, rows) }

// The keys of the listing-availability document.
func TestKeysOfTheDocument(t *testing.T) {
	for want, of := range map[string]func() (dynastay.Key, error){
		"LISTING_AVAILABILITY#lst_123abc/DATE#2025-01-15": func() (dynastay.Key, error) {
			return key.Of(listingkeys.Night{ListingID: "lst_123abc", Date: day})
		},
		"HOST_AVAILABILITY#host_456def/DATE#2025-01-15#LISTING#lst_123abc": func() (dynastay.Key, error) {
			return key.Of(listingkeys.NightByHost{HostID: "host_456def", Date: day, ListingID: "lst_123abc"})
		},
		"LISTING_AVAILABILITY#lst_1/EVENT#BOOKING#bk_001": func() (dynastay.Key, error) {
			return key.Of(listingkeys.BookingEvent{ListingID: "lst_1", BookingID: "bk_001"})
		},
		"LISTING_AVAILABILITY#lst_1/EVENT#BLOCK#uuid-here": func() (dynastay.Key, error) {
			return key.Of(listingkeys.BlockEvent{ListingID: "lst_1", BlockID: "uuid-here"})
		},
		"LISTING_AVAILABILITY#lst_1/FEED#airbnb": func() (dynastay.Key, error) {
			return key.Of(listingkeys.Feed{ListingID: "lst_1", Name: "airbnb"})
		},
		"LISTING_AVAILABILITY#lst_1/IMPORT#BOOKING_COM#BC%23789456": func() (dynastay.Key, error) {
			return key.Of(listingkeys.Import{ListingID: "lst_1", Source: "BOOKING_COM", ExternalID: "BC#789456"})
		},
	} {
		got, err := of()
		require.NoError(t, err)
		assert.Equal(t, want, got.String())
	}
}

func TestTable(t *testing.T) {
	assert.Equal(t, "localstays-availability", listingkeys.Table.Name)
	assert.Equal(t, dynastay.KeyNames{Partition: "pk", Sort: "sk"}, listingkeys.Table.Key)
	require.Len(t, listingkeys.Table.Indexes, 1)
	index, ok := listingkeys.Table.Index("HostAvailabilityIndex")
	require.True(t, ok)
	assert.Equal(t, dynastay.KeyNames{Partition: "gsi1pk", Sort: "gsi1sk"}, index.Key)
	assert.Equal(t, dynastay.ProjectAll, index.Project)
	assert.Equal(t, "writeId", listingkeys.Table.WriteIDName())
	assert.Empty(t, listingkeys.Table.TTL)
}

func TestEventIDs(t *testing.T) {
	booking, err := listingkeys.BookingEventID("bk_001")
	require.NoError(t, err)
	assert.Equal(t, "BOOKING#bk_001", booking)
	block, err := listingkeys.BlockEventID("6f")
	require.NoError(t, err)
	assert.Equal(t, "BLOCK#6f", block)
	for _, id := range []string{booking, block} {
		at, err := listingkeys.Event("lst_1", id)
		require.NoError(t, err)
		assert.Equal(t, dynastay.Key{PK: "LISTING_AVAILABILITY#lst_1", SK: "EVENT#" + id}, at)
		assert.Equal(t, id, listingkeys.EventIDOf(at))
	}
	night, err := key.Of(listingkeys.Night{ListingID: "lst_1", Date: day})
	require.NoError(t, err)
	assert.Empty(t, listingkeys.EventIDOf(night))

	for _, id := range []string{"", "bk_001", "BOOKING", "BOOKING#", "BLOCK#", "block#1", "BOOKING#a#b", "BOOKING#" + strings.Repeat("x", 129)} {
		_, err := listingkeys.Event("lst_1", id)
		blame.Invalid(t, err, "EventID", id)
	}
	_, err = listingkeys.Event("", booking)
	blame.Invalid(t, err, "ListingID")
	_, err = listingkeys.BookingEventID("a#b")
	blame.Invalid(t, err, "BookingID")
	_, err = listingkeys.BlockEventID("")
	blame.Invalid(t, err, "BlockID")
}

func ExampleEvent() {
	at, err := listingkeys.Event("lst_123", "BOOKING#bk_001")
	fmt.Println(at, err)
	// Output: LISTING_AVAILABILITY#lst_123/EVENT#BOOKING#bk_001 <nil>
}
