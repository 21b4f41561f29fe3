package keys

import (
	"strings"

	"github.com/dynastay/dynastay"
)

// The attributes that mean the same in more than one package. The key attributes are in the schemas.
const (
	AttrEntityType = "EntityType" // what kind of item it is
	AttrVersion    = "Version"    // of an entity that people edit; missing reads as 0
	AttrExpiresAt  = "ExpiresAt"  // the time to live, in Unix seconds, and nothing else

	// AttrCard is the map on a property with what every search result shows.
	AttrCard = "Card"
	// AttrClosed stands on the guard of a room type whose nights may not be opened.
	AttrClosed = "Closed"
	// AttrPropertyClosed stands on the nights of a property that is not on sale. It is not IsBlocked, so that the
	// host's own stop-sells are still there when the property comes back.
	AttrPropertyClosed = "PropertyClosed"
)

// Tables are the tables of the hotel.
func Tables() []*dynastay.Schema {
	return []*dynastay.Schema{PropertiesTable, AvailabilityTable, BookingsTable, UsersTable, ReviewsTable, MetadataTable}
}

var primaryKey = dynastay.KeyNames{Partition: "PK", Sort: "SK"}

// index is the index of that name, whose key attributes begin with the name's number: GSI1PK and GSI1SK for
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
