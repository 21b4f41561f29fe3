// Package migrate goes through everything that a table has, once, at the rate that the table can spare, and on from
// where it was interrupted: to make items that other software has written those of the library, to fill a new attribute
// or index, to check what is stored.
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
// and again for at most a page in each segment. A walk that has ended does nothing. [Mover.Forget] starts it again. A
// walk shows the function each item that is there from its begin to its end; one that is created or deleted meanwhile
// may be shown or not.
//
// The function must therefore be repeatable: it looks at the item, and writes only if there is something to do, in a
// conditional write. Then two walks may run at the same time, and a lost position costs only the reads. A walk that
// continues one which is still running takes it over: the older one stops with [ErrTakenOver].
//
// # Rate and budget
//
// Everything that is read and written through [Mover.DB] counts, including what the function does with repositories that
// were made with it. After each page and each item, a walk waits until what it has consumed fits into
// [Options.UnitsPerSecond]. When [Options.Units] are consumed, it stops with [ErrBudget], and the next walk continues.
//
// # Dry runs
//
// With [Walk.DryRun], nothing is written: neither what the function writes through [Mover.DB], which fails with
// [ErrDryRun] instead, nor the position. An item whose function has tried to write counts as changed.
//
// # Scans
//
// A walk of a table sends Scan, which no other package does. It needs a client that has it, such as *dynamodb.Client. A
// walk of [Walk.Partitions] sends Query.
package migrate
