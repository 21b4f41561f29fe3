package dynastay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// Probe says what [DB.Ping] looks at.
type Probe struct {
	// Tables are those that the service uses, such as keys.Tables().
	Tables []*Schema
	// MaxSkew is how far [Options.Clock] may be from DynamoDB's clock. Two processes can be off in opposite directions, so
	// it should be at most half of the HoldGrace in the options of package bookings: otherwise a hold could be expired
	// while its guest still pays. DynamoDB tells its time in whole seconds, so it must be at least 2 seconds. Default: 0,
	// the clock is not compared.
	MaxSkew time.Duration
}

// Pinged is what [DB.Ping] has found.
type Pinged struct {
	// Skew is how far the clock is ahead of DynamoDB's, or behind if it is negative, to about a second.
	Skew time.Duration
	// Known is false if no response had a time, so that the clock was not compared.
	Known bool
}

// ErrSkew: the clock of the DB is further from DynamoDB's than [Probe.MaxSkew].
var ErrSkew = errors.New("clock is wrong")

// Ping reads from each of the tables, and from each of their indexes, and compares the clock with DynamoDB's. It is for
// the readiness probe of a service: it fails if the network, the credentials, a permission, a table or an index is not
// there. ctx should end before the next probe: the SDK retries what fails.
//
// The error joins an [*Error] for each table or index that cannot be read, with its full name as the ID and the kind of
// [DB.Get], and one that matches [ErrSkew]. The requests are Queries of a partition that does not exist: 1 request and
// half a read unit for each table and each index, in parallel. Package provision/policy has the permissions.
func (db *DB) Ping(ctx context.Context, p Probe) (_ Pinged, err error) {
	if p.MaxSkew != 0 && p.MaxSkew < 2*time.Second {
		return Pinged{}, Invalid("MaxSkew", "must be at least 2 s, because DynamoDB tells its time in whole seconds")
	}
	var places []place
	for i, s := range p.Tables {
		if s == nil {
			return Pinged{}, Invalid(fmt.Sprintf("Tables[%d]", i), "is nil")
		}
		places = append(places, place{s, ""})
		for _, index := range s.Indexes {
			places = append(places, place{s, index.Name})
		}
	}
	if len(places) == 0 {
		return Pinged{}, Invalid("Tables", "must not be empty")
	}
	ctx, end := db.Begin(ctx, "Ping")
	defer func() { end(err) }()
	var mu sync.Mutex
	var failed []error
	var found Pinged
	var quickest time.Duration
	err = db.Each(ctx, len(places), func(ctx context.Context, i int) error {
		one, took, err := db.pingOne(ctx, places[i])
		mu.Lock()
		defer mu.Unlock()
		if one.Known && (!found.Known || took < quickest) { // it says most about the time
			found, quickest = one, took
		}
		if err != nil {
			failed = append(failed, err)
		}
		return nil
	})
	if found.Known && p.MaxSkew > 0 && found.Skew.Abs()-quickest/2 > p.MaxSkew { // a response can be that much older
		failed = append(failed, &Error{
			Op: "Ping", Entity: "clock", Kind: ErrSkew,
			Err: fmt.Errorf("it is %v from DynamoDB's; at most %v are allowed", found.Skew.Round(time.Second), p.MaxSkew),
		})
	}
	return found, errors.Join(append(failed, err)...)
}

// place is a table or an index of it.
type place struct {
	schema *Schema
	index  string
}

func (db *DB) pingOne(ctx context.Context, at place) (found Pinged, took time.Duration, err error) {
	in, _, err := db.queryInput(at.schema, Query{Index: at.index, Partition: "PING"})
	if err != nil {
		return found, 0, err
	}
	in.Limit = ptr(int32(1))
	before := db.opts.Clock()
	out, err := db.query(ctx, in)
	if err != nil {
		name := db.TableName(at.schema)
		if at.index != "" {
			name += "/" + at.index
		}
		var failure *Error
		if errors.As(err, &failure) {
			err = &Error{Op: "Ping", Entity: "table", ID: name, Kind: failure.Kind, Err: failure.Err}
		}
		return found, 0, err
	}
	told, known := awsmiddleware.GetServerTime(out.ResultMetadata)
	// The response says the second in which it was made: on average it is half a second later than that.
	told = told.Add(time.Second / 2)
	took = db.opts.Clock().Sub(before)
	return Pinged{before.Add(took / 2).Sub(told), known}, took, nil
}
