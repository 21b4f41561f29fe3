// Package report runs an example program, and prints its steps with the requests that each of them sent and the units
// that the engine charged.
package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
)

// Report prints steps.
type Report struct {
	w     io.Writer
	steps int

	// Streams reads the streams of the tables of a [Program], and Uncounted is a DB on them. The report counts the requests of
	// neither.
	Streams   *dynamodbstreams.Client
	Uncounted *dynastay.DB
	// Client and Options are those of the DBs that a [Program] opens, for what opens its own.
	Client  *dynamodb.Client
	Options dynastay.Options

	mu    sync.Mutex
	spent cost
}

// cost is what DynamoDB was asked, and what it charged.
type cost struct {
	requests    int
	read, write float64
}

// To returns a report that is written to w.
func To(w io.Writer) *Report { return &Report{w: w} }

// Observe is the observer for the options of a DB: it is told of every request, on the goroutine that sent it.
func (r *Report) Observe(_ context.Context, call dynastay.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spent.requests += call.Requests()
	r.spent.read += call.ReadUnits()
	r.spent.write += call.WriteUnits()
}

func (r *Report) soFar() cost {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spent
}

// Head prints where the program runs, with how many tables, and the names of the columns.
func (r *Report) Head(engine string, tables int, now time.Time) error {
	if _, err := fmt.Fprintln(r.w, engine); err != nil {
		return err
	}
	made := "Its table is new"
	if tables > 1 {
		made = fmt.Sprintf("Its %d tables are new", tables)
	}
	return r.line(made+now.Format("; the clock stands at 2006-01-02 15:04 MST."), "requests", "read", "write")
}

// Step does a step, and prints its cost and what it found, also if it failed.
func (r *Report) Step(ctx context.Context, title string, do func(context.Context, *Findings) error) error {
	var found Findings
	r.steps++
	before := r.soFar()
	err := do(ctx, &found)
	if err != nil {
		err = fmt.Errorf("step %d: %w", r.steps, err)
	}
	after := r.soFar()
	printed := r.cost(fmt.Sprintf("%2d  %s", r.steps, title), cost{
		after.requests - before.requests, after.read - before.read, after.write - before.write,
	})
	return errors.Join(err, printed, found.Print(r.w))
}

// Total prints what all steps cost.
func (r *Report) Total() error { return r.cost("    All of it", r.soFar()) }

func (r *Report) cost(title string, c cost) error {
	return r.line(title, fmt.Sprint(c.requests), Units(c.read), Units(c.write))
}

func (r *Report) line(title, requests, read, write string) error {
	_, err := fmt.Fprintf(r.w, "%-74s%8s%8s%8s\n", title, requests, read, write)
	return err
}

// Units are capacity units as they are printed; an eventually consistent read costs half a unit.
func Units(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", n)
}
