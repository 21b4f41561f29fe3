// Package keys defines the table of the travel tracker, its indexes and its keys. Package key of this module has the
// guarantees of all keys.
//
//	Table
//	  items  Profile, AuthGuard, EmailGuard, Visit, RegionCount, Stats
//	         Head, Entry, Pending, Seen
//	         Region, Alias, Box
//	  GSI1   ProfileByAuth, VisitByRegion, EntryByStatus, RegionByName, StatsByDate
//	  GSI2   ProfileByEmail, VisitByTime, EntryByDevice, RegionByCenter
//
// # How the keys differ from the travel-tracker document
//
// The travel-tracker document is a design document that is not part of this repository. These keys differ from it:
//
//   - Items that it does not have: guards of addresses and of the ids of sign-in providers, because an index cannot keep
//     them unique; RegionCount, so that a region which was marked on two devices counts once; Head, so that the
//     operations of a user have an order whatever the clocks do; Seen, so that an operation is found by its id alone;
//     Pending, so that what waits for a person does not expire with the log; Alias and Box, so that a region is found by
//     any of its names, and by every part of the map that it touches.
//   - The sort key of a visit in GSI2 ends in the region's code, because several visits may have one time. Those of log
//     entries end in the operation's id.
//   - The partitions of a region, a status and a date may be sharded.
//   - A normalised name is that of key.Fold, and the sort key of GSI1 ends in the region's code: two regions may have one
//     name.
//   - The document has STATS_DATE on GSI1 in one place and on GSI2 in another. It is on GSI1.
//
// GSI2 has the visits and the log entries of one user in partitions of the same form, and nothing prevents a device from
// being named "country". So a query always has the prefix VISIT# or OP#.
package keys

import "github.com/dynastay/dynastay"

// The indexes of [Table].
const (
	Index1 = "GSI1"
	Index2 = "GSI2"
)

// The attributes that the schema names.
const (
	AttrTTL     = "ttl"
	AttrWriteID = "write_id" // see [dynastay.WriteID]
)

// Table contains everything of the tracker. Its full name is skratch-data-{environment}: set Options.TableSuffix of
// package dynastay to "-dev" or "-prod". Both indexes project all attributes, as the document requires.
var Table = &dynastay.Schema{
	Name: "skratch-data",
	Key:  dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{
		{Name: Index1, Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}, Project: dynastay.ProjectAll},
		{Name: Index2, Key: dynastay.KeyNames{Partition: "GSI2PK", Sort: "GSI2SK"}, Project: dynastay.ProjectAll},
	},
	TTL:     AttrTTL,
	WriteID: AttrWriteID,
	Stream:  true,
}
