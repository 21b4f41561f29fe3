// Package migrate goes through everything that a table has, at the rate that the table can spare, and on from
// where it was interrupted: to make items that other software has written those of the library, to fill a new attribute
// or index, to check what is stored. It also loads the data of other systems from files, and exports what is stored.
//
//	mover := migrate.New(client, migrate.Options{UnitsPerSecond: 200})
//	hosts := properties.New(mover.DB, nil)
//	report, err := mover.Walk(ctx, migrate.Walk{
//		Name:     "adopt-properties",
//		Table:    keys.PropertiesTable,
//		Segments: 4,
//		Each:     hosts.AdoptRow,
//	})
//
// # Walks
//
// A [Walk] reads a table in segments, which are walked at the same time, and calls a function with each item. After each
// page of a segment, it stores how far it has come, in the table Metadata: WALK#{Name} / SEGMENT#{Segment}. If the
// program ends, the next walk of the same name goes on from there, so the function is called at least once for each item,
// and after each interruption again for at most a page in each segment. A walk that has ended does nothing. [Mover.Forget]
// starts it again. A walk of a table, or of a partition of it, shows each item that is there from its beginning to its end. One that
// is created or deleted meanwhile may be shown or not, and so may one that moves within an index. The reads are eventually
// consistent: what was written in the last second may be shown as it was before.
//
// The function must therefore be repeatable: it looks at the item, and writes only if there is something to do, in a
// conditional write. Then a lost position costs only the reads, and two walks may run at the same time, also of one name: a segment
// goes on from where the faster one is.
//
// # Rate and budget
//
// Everything that is read and written through [Mover.DB] counts, including what the function does with repositories that
// were made with it; but of a request that failed, DynamoDB does not say what it consumed. After each page and each item, a
// walk waits until what it has consumed fits into [Options.UnitsPerSecond]. When [Options.Units] are consumed, it stops with
// [ErrBudget], at the latest after an item in each segment, and a walk of a new mover continues.
//
// # Dry runs
//
// With [Walk.DryRun], nothing is written: neither what the function writes through [Mover.DB] with its context, which fails with
// [ErrDryRun] instead, nor the position. An item whose function has tried to write counts as changed, also if a later
// write of it would be refused.
//
// # Loads and exports
//
// [Mover.Load] writes what the lines of a file say: [Properties], [RoomTypes], [Nights], [NightChanges], [Users], [Bookings],
// [Reviews], or [LinesOf] of a type of your own. All lines are checked before the first one is written. As a walk, a load goes on
// where it was, has a rate and a budget, and is repeatable: what a line creates has an id of its own, and is created once.
//
// [Mover.Export] reads what is stored: [OfUser], [OfProperty], [OfArrivals], or partitions of your own. [JSONLines] and [WriteCSV]
// write it.
//
// # Exports of DynamoDB
//
// With [Walk.Export], a walk reads an export of the table that DynamoDB has made to S3, and nothing of the table. It shows items
// as they were at the time of the export. A function that reads an item again before it writes, as AdoptRow, VerifyRow and
// MendRow of the repositories do, loses no change that was made since, and brings back nothing that was deleted. But what was
// created since, or differs only since, is not in the export. A file that is not as its manifest says stops the walk.
//
// # Scans
//
// A walk of a table sends Scan, which no other package does. It needs a client that has it, such as *dynamodb.Client. A
// walk of [Walk.Partitions] sends Query, and one of [Walk.Export] neither.
package migrate
