// Package dynaslog writes a line to a log for each operation that failed, or that took more than it should: one that
// was repeated, had to wait for others, lost an answer, or was slow.
//
//	db := dynastay.Open(client, &dynastay.Options{Observer: dynaslog.New(slog.Default(), nil)})
//
// Its import path ends in slog, but the name of the package is dynaslog, so that both it and log/slog can be used:
//
//	import dynaslog "github.com/dynastay/dynastay/observe/slog"
//
// A line has the name of the operation, its documented pattern, how it ended, and what it took. It contains no key, id or
// text of an error, so there is nothing of a guest in it. The handler gets the context of the operation's caller, so it
// can add the id of the request or of the trace.
package dynaslog
