package keys

import (
	"strings"

	"github.com/dynastay/dynastay"
)

// The attributes that have the same meaning in more than one package. The key attributes are in the schemas.
const (
	AttrEntityType = "EntityType" // the kind of item
	AttrVersion    = "Version"    // the version of an entity that people edit; a missing one is read as 0
	AttrExpiresAt  = "ExpiresAt"  // the time to live, in Unix seconds; never used for anything else
	AttrStatus     = "Status"     // the status of a property or a booking

	// AttrCard is the map in a property that contains what every search result shows.
	AttrCard = "Card"
	// AttrClosed marks the guard of a room type whose nights cannot be opened. Its value is the id of the closing.
	AttrClosed = "Closed"
	// AttrReopened replaces AttrClosed when the room type is reopened. Its value is the id of the reopening.
	AttrReopened = "Reopened"
	// AttrOpened is on the guard of a room type. Its value is the id of the last opening of nights, so that a change of
	// the currency notices one that it has not seen.
	AttrOpened = "Opened"
	// AttrCurrency is on the guard of a room type whose base price has changed its currency. Nights can be opened only in
	// that currency.
	AttrCurrency = "Currency"
	// AttrPropertyClosed marks the nights of a property that is not on sale. It is separate from IsBlocked, so that the
	// host's own stop-sells apply again when the property is back on sale.
	AttrPropertyClosed = "PropertyClosed"
)

// The prefixes of the ids in AttrClosed. The id of a closing by the host has none of them.
const (
	ClosedByStatus     = "STATUS#"     // together with a change of the property's status
	ClosedByWithdrawal = "WITHDRAWAL#" // to delete the room type
)

// The statuses in which the host cannot close or reopen the sales of a property.
const (
	PropertySuspended = "suspended"
	PropertyDeleting  = "deleting"
)

// Tables returns the schemas of the library's six tables. Each call returns a new slice.
func Tables() []*dynastay.Schema {
	return []*dynastay.Schema{PropertiesTable, AvailabilityTable, BookingsTable, UsersTable, ReviewsTable, MetadataTable}
}

var primaryKey = dynastay.KeyNames{Partition: "PK", Sort: "SK"}

// index returns the index with that name. Its key attributes begin with the number in the name: GSI1PK and GSI1SK for
// GSI1-LocationIndex.
func index(name string, project dynastay.Projection, include ...string) dynastay.Index {
	number, _, _ := strings.Cut(name, "-")
	return dynastay.Index{
		Name:    name,
		Key:     dynastay.KeyNames{Partition: number + "PK", Sort: number + "SK"},
		Project: project,
		Include: include,
	}
}
