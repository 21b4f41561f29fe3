// Package projects manages the projects that buyers post, and the bids of workers.
//
//	M3  ByStatus      projects by status
//	M4  Bids          the bids for a project
//	M9  BidsByStatus  bids by status
//
// Other lists: ProjectsOf a buyer, BidsOf a worker, and Rejecting, for projects whose other bids are not all rejected.
//
// # Life cycle
//
// A project is OPEN until a bid is accepted, then IN_PROGRESS, and in the end COMPLETED. It can be CANCELLED while it
// is open, by its buyer, and while it is in progress, by its buyer or its worker. A bid is PENDING until it is
// ACCEPTED, REJECTED or WITHDRAWN; a worker who has withdrawn can bid again. A project that its worker has left is not
// given to another worker; the buyer posts a new one.
//
//	project, err := repo.Post(ctx, projects.Project{BuyerID: ana, Title: "Foundation", …})
//	bid, err := repo.Bid(ctx, projects.Bid{ProjectID: project.ID, WorkerID: mike, Quote: quote, …})
//	project, err = repo.Accept(ctx, projects.Acceptance{ProjectID: project.ID, WorkerID: mike, Quote: quote})
//	rejected, err := repo.RejectRest(ctx, project.ID) // can run later, and again
//	project, err = repo.Complete(ctx, project.ID)
//
// # Accepting a bid
//
// [Repository.Accept] writes the project and the bid in one transaction, on condition that the project is open and the
// bid is pending at the quote that the buyer saw. From that moment all other bids have lost, and the lists of a project
// and of a worker show them as rejected: they read bids together with their projects. A project may have more bids than
// a transaction may have actions, so what is stored of them follows in [Repository.RejectRest]. The acceptance leaves
// an item behind that lists the project in [Repository.Rejecting] until this is done, so an unfinished rejection is
// found and completed whoever began it.
//
// # Counters
//
// Project.Bids counts the bids that are not withdrawn. Posting moves Projects of the buyer's profile; completing moves
// Jobs and Ended of the worker's, and a cancellation by the worker moves Ended. All of them move in the transaction of
// what they count.
//
// # Items of other software
//
// Projects and bids that other software has written can be read, and are adopted by the first change: their keys are
// renewed, and they appear in the lists of their users. A change of one that lacks what its keys consist of, such as
// its id or the time of its creation, fails with [dynastay.ErrCorrupt].
package projects
