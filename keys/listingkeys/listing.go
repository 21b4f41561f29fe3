// Package listingkeys defines the table of the listing calendar, its index and its keys. Package availability/listing is
// the repository that uses them, and package key has the guarantees of all keys.
//
//	Table
//	  items                  Night, BookingEvent, BlockEvent, Import, Feed
//	  HostAvailabilityIndex  NightByHost
//
// # How the keys differ from the listing-availability document
//
// The listing-availability document is a design document that is not part of this repository. It has only the nights,
// and finds those of an event by reading all nights of the listing. Here, an item for each event says which nights it
// holds, so that deleting an event costs what the event costs, however long the history of the listing is. An item for
// each imported reservation makes an import happen once. Neither has a row in the index.
package listingkeys

import (
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// HostAvailabilityIndex is the index of [Table].
const HostAvailabilityIndex = "HostAvailabilityIndex"

// AttrWriteID is the attribute for write ids, see [dynastay.WriteID].
const AttrWriteID = "writeId"

// Table contains the nights on which listings are not available. Add the stage to its name with the suffix in
// [dynastay.Options], such as "-prod". Nothing in it expires. The index projects all attributes: a night is never changed
// after it was written, and is less than 1 KB with all of them.
var Table = &dynastay.Schema{
	Name: "localstays-availability",
	Key:  dynastay.KeyNames{Partition: "pk", Sort: "sk"},
	Indexes: []dynastay.Index{{
		Name: HostAvailabilityIndex, Key: dynastay.KeyNames{Partition: "gsi1pk", Sort: "gsi1sk"}, Project: dynastay.ProjectAll,
	}},
	WriteID: AttrWriteID,
}

const partition = "LISTING_AVAILABILITY#"

// Night is the item of a night that an event holds: LISTING_AVAILABILITY#{ListingID} / DATE#{Date}.
type Night struct {
	ListingID string
	Date      dynastay.Date
}

func (k *Night) Form(f *key.Form) {
	f.PK(partition, key.ID("ListingID", &k.ListingID))
	f.SK("DATE#", key.Date("Date", &k.Date))
}

// NightByHost is the row of a [Night] in [HostAvailabilityIndex]: HOST_AVAILABILITY#{HostID} /
// DATE#{Date}#LISTING#{ListingID}.
type NightByHost struct {
	HostID    string
	Date      dynastay.Date
	ListingID string
}

func (k *NightByHost) Form(f *key.Form) {
	f.PK("HOST_AVAILABILITY#", key.ID("HostID", &k.HostID))
	f.SK("DATE#", key.Date("Date", &k.Date), "#LISTING#", key.ID("ListingID", &k.ListingID))
}

// BookingEvent is the item of a booking, which says which nights the booking holds: LISTING_AVAILABILITY#{ListingID} /
// EVENT#BOOKING#{BookingID}.
type BookingEvent struct{ ListingID, BookingID string }

func (k *BookingEvent) Form(f *key.Form) {
	f.PK(partition, key.ID("ListingID", &k.ListingID))
	f.SK(EventPrefix+bookingPrefix, key.ID("BookingID", &k.BookingID))
}

// BlockEvent is the item of a block, which says which nights are blocked: LISTING_AVAILABILITY#{ListingID} /
// EVENT#BLOCK#{BlockID}.
type BlockEvent struct{ ListingID, BlockID string }

func (k *BlockEvent) Form(f *key.Form) {
	f.PK(partition, key.ID("ListingID", &k.ListingID))
	f.SK(EventPrefix+blockPrefix, key.ID("BlockID", &k.BlockID))
}

// Import is the item of a reservation that was imported from a channel: LISTING_AVAILABILITY#{ListingID} /
// IMPORT#{Source}#{ExternalID}. It remains when the reservation is cancelled.
type Import struct{ ListingID, Source, ExternalID string }

func (k *Import) Form(f *key.Form) {
	f.PK(partition, key.ID("ListingID", &k.ListingID))
	f.SK("IMPORT#", key.ID("Source", &k.Source), "#", key.Text("ExternalID", &k.ExternalID))
}

// Feed is the item of a calendar feed of a listing: LISTING_AVAILABILITY#{ListingID} / FEED#{Name}.
type Feed struct{ ListingID, Name string }

func (k *Feed) Form(f *key.Form) {
	f.PK(partition, key.ID("ListingID", &k.ListingID))
	f.SK("FEED#", key.ID("Name", &k.Name))
}

// EventPrefix is what the sort keys of all events begin with.
const EventPrefix = "EVENT#"

const (
	bookingPrefix = "BOOKING#"
	blockPrefix   = "BLOCK#"
)

// BookingEventID returns the id of the event of a booking: BOOKING#{bookingID}. Its error is a
// [*dynastay.InvalidError] for the field "BookingID".
func BookingEventID(bookingID string) (string, error) {
	return eventID(key.Of(BookingEvent{ListingID: "any", BookingID: bookingID}))
}

// BlockEventID returns the id of the event of a block: BLOCK#{blockID}. Its error is a [*dynastay.InvalidError] for the
// field "BlockID".
func BlockEventID(blockID string) (string, error) {
	return eventID(key.Of(BlockEvent{ListingID: "any", BlockID: blockID}))
}

func eventID(key dynastay.Key, err error) (string, error) {
	return strings.TrimPrefix(key.SK, EventPrefix), err
}

// Event returns the key of an event by its id. It returns a [*dynastay.InvalidError] for the field "ListingID", or for
// "EventID" if the id does not have the form of [BookingEventID] or [BlockEventID].
func Event(listingID, eventID string) (dynastay.Key, error) {
	if _, err := key.Partition(BookingEvent{ListingID: listingID}); err != nil {
		return dynastay.Key{}, err
	}
	var at dynastay.Key
	var err error
	if id, ok := strings.CutPrefix(eventID, blockPrefix); ok {
		at, err = key.Of(BlockEvent{listingID, id})
	} else {
		id, ok := strings.CutPrefix(eventID, bookingPrefix)
		if !ok {
			id = ""
		}
		at, err = key.Of(BookingEvent{listingID, id})
	}
	if err != nil {
		return dynastay.Key{}, dynastay.Invalid("EventID", "must be BOOKING# or BLOCK#, followed by an id")
	}
	return at, nil
}

// EventIDOf returns the id of the event with a key, or "" if the key is not that of an event.
func EventIDOf(stored dynastay.Key) string {
	if !key.Is[BookingEvent](stored) && !key.Is[BlockEvent](stored) {
		return ""
	}
	return strings.TrimPrefix(stored.SK, EventPrefix)
}
