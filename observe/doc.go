// Package observe is the common ground of the observers of a [dynastay.DB]: package observe/otel writes spans and
// metrics, observe/slog lines of a log, and observe/cost adds up what operations cost. [Pattern] says which documented
// pattern an operation carries out.
//
// A DB takes several observers:
//
//	db := dynastay.Open(client, &dynastay.Options{
//		Observer: dynastay.Observers(meter, dynaslog.New(slog.Default(), nil)),
//	})
package observe

import "github.com/dynastay/dynastay"

var _ dynastay.Observer = dynastay.RequestObserver(nil) // for the link in the comment
