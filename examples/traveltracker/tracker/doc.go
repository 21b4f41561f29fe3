// Package tracker keeps the travels of users whose devices are often offline: profiles, visits of countries, US states
// and Canadian provinces, and a log with which the devices of a user come to agree.
//
//	T1   Profile            a user by id
//	T2   ProfileByProvider  a user by the id at a sign-in provider
//	T3   ProfileByEmail     a user by e-mail address
//	T4   Visits             all visits of a user
//	T5   VisitsOfType       those in regions of one type
//	T6   Visitors           the visits of a region, by all users
//	T7   Recent             those of a user in regions of one type, the last first
//	T8   Pending            operations of a user that wait for a decision
//	T9   ByStatus           operations by status
//	T10  ByDevice           operations by device
//	T14  Statistics         the statistics of a user, calculated once a day
//	T15  StatisticsOn       those of all users on a day
//	T16  Pull               what has changed since a device looked last
//	T17  Snapshot           everything, for a device that is new or was away for too long
//
// T11 to T13 find regions, see package regions.
//
// # Synchronisation
//
// A device changes its copy at once, and keeps each change as an [Operation] with an id of its own. When it is online,
// it sends them in one [Push], and then reads with Pull what other devices have done.
//
//	results, err := repo.Push(ctx, tracker.Push{UserID: id, DeviceID: "phone", Operations: queue, Rule: tracker.MergeFields})
//	changes, err := repo.Pull(ctx, id, cursor, 0)
//	if errors.Is(err, tracker.ErrSnapshotNeeded) {
//		snapshot, err := repo.Snapshot(ctx, id)
//	}
//
// Each operation is written in one transaction with its entry in the user's log and with the counters of the profile,
// once, however often it is sent. Entries have numbers without gaps and rising times, whatever the clocks of servers and
// devices show, so a pull that reads them in order misses nothing.
//
// A [Rule] decides about conflicts; it is chosen with each push. The library knows for every field which device wrote it
// last, and when. A function can also leave the decision to a person: the operation then waits until [Repository.Settle]
// is called.
//
// # What a device must do
//
// A device keeps what it has from the server, and beside it the operations that were not answered yet. It shows the first
// with the second applied to it.
//
//   - Take a visit from a result, a change or a snapshot if its Version is larger than that of the copy. If the device has
//     no copy, take any. Drop a visit that is deleted: if it is created again, its Version is larger than before.
//   - Drop an operation as soon as it has an answer, whatever the answer is. What a rejected or refused operation had
//     changed disappears then, and the copy shows what the server has. An operation that waits may be kept until a pull
//     shows what became of the visit; sent again, it is answered with the decision.
//   - Send operations in the order in which they were made. ClientVersion is the Version of the copy when the operation was
//     made, 0 without a copy: a device does not count versions itself. It is never in conflict with its own earlier
//     operations.
//   - Repeat an operation unchanged, with its id and its ClientTime. Use a new id for a corrected one.
//   - Use one device id for each installation. A device is never in conflict with itself, so two phones that share an id,
//     for example after a backup was restored, would overwrite each other.
//   - After a snapshot, drop every copy that is not in it. If a page of it has an error, read the page again.
//   - Keep the Next of the last pull, or the Cursor of the last snapshot. A push does not move it.
//   - Delete everything once a push or a snapshot fails with [dynastay.ErrNotFound]: the user was erased. A pull does not
//     tell.
//
// The types of this package have no JSON form: a service has its own for its devices. There, null in an edit usually means
// that a field is removed, for which this package wants a pointer to the zero value.
//
// # Limits
//
// The log keeps operations for 30 days, and a deleted visit is remembered for 90. The operations that were sent are
// remembered for ever. A profile with all of its visits is never removed except by [Repository.Erase].
//
// All writes of one user take turns, because each writes the head of the log. In one process they queue; processes
// retry. Users do not wait for each other.
//
// Counters of regions are exact as long as every visit is written by this package; [Repository.Recount] corrects them.
package tracker
