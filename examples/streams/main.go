// Streams is a program that handles the changes of a hotel platform with DynamoDB Streams, on a real engine:
//
//	go run ./examples/streams
//
// Two processes (here two groups of goroutines, each with a database handle and clients of its own) run one consumer
// with the name "platform". It has three handlers:
//
//   - notifications.go writes one notification for each time that a booking is confirmed, cancelled or refunded;
//   - search.go keeps a search index of hotels and guests;
//   - outbox.go delivers messages that were written in the same transaction as a booking.
//
// Meanwhile 64 guests race for 20 rooms, pay, cancel and get refunds, the hotel and some guests change their names, and
// one guest is erased. The program stops a process in the middle and starts it again. It makes handlers fail after what
// they did, delivers an old change again, and puts an item into the outbox that the handler cannot read. Each step is
// printed with the requests that the platform and the processes sent and the units that the engine charged.
//
// The program fails unless exactly 20 guests get a room, each event of a booking has exactly one notification, the
// index is equal to what the repositories return, each message was delivered exactly once, and the item that could not
// be read was handled in the end. Package dyntest/engine chooses the engine; its documentation explains how to choose
// another one.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
)

func main() { report.Main("streams", run) }

// run makes tables of its own, because others may use the engine too, and deletes them at the end.
func run(ctx context.Context, w io.Writer, _ bool) (err error) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		return err
	}
	prefix, tables := "streams-"+rand.Text()[:8]+"-", append(keys.Tables(), outboxTable, deliveriesTable)
	ctx, fail := context.WithCancelCause(ctx)
	s := newStory(e, prefix, w, fail)
	defer func() {
		fail(nil)
		s.stopProcesses()
		// The end of the context may be why the program ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, e.DeleteTables(ctx, prefix, tables...), e.Stop(ctx))
	}()
	if err := e.CreateTables(ctx, prefix, tables...); err != nil {
		return err
	}
	return s.tell(ctx)
}

// story is the platform, the processes that handle its changes, and what one step leaves for the next.
type story struct {
	*platform
	report  *printer
	handled *handling
	watch   *process // never runs: it only looks at the shards, and its requests are not printed
	a, b    *process
	stopped *process          // one of them, which is to start again
	owners  map[string]string // our names of the processes, by the names under which they hold shards
}

func newStory(e *engine.Engine, prefix string, w io.Writer, fail context.CancelCauseFunc) *story {
	out := &printer{w: w, engine: e.Name()}
	open := func(m *meter) *dynastay.DB {
		return dynastay.Open(e.Client(), &dynastay.Options{
			TablePrefix: prefix,
			Observer:    dynastay.RequestObserver(m.observe),
			IndexLag:    10 * time.Millisecond, // local engines do not lag
		})
	}
	handled := newHandling()
	process := func(m *meter) *process {
		return newProcess(m.name, open(m), m.streams(e), handled, fail)
	}
	s := &story{report: out, handled: handled, owners: map[string]string{}}
	s.platform = newPlatform(open(out.meter("platform")), e.Client())
	s.a, s.b, s.watch = process(out.meter("process A")), process(out.meter("process B")), process(&meter{name: "watching"})
	return s
}

// tell is the program.
func (s *story) tell(ctx context.Context) error {
	if err := s.report.head(); err != nil {
		return err
	}
	for _, step := range []struct {
		title string
		do    func(context.Context, *report.Findings) error
	}{
		{fmt.Sprintf("Open a hotel with %d rooms; %d guests sign up", rooms, guests), s.open},
		{"Process A starts; it gets all shards", s.startA},
		{"Process B starts; it gets its share", s.startB},
		{"The guests race for the rooms, and a process stops in the middle", s.race},
		{"It starts again", s.restart},
		{"Those with a room pay", s.pay},
		{fmt.Sprintf("%d cancel; the refunds of %d arrive later", cancelled, late), s.cancel},
		{"The hotel gets a new name, and some guests too", s.edit},
		{"A guest who has cancelled asks to be erased", s.erase},
		{"An old change of that guest is delivered again", s.deliverAgain},
		{"Other software puts a message that the handler cannot read", s.poison},
		{"The handler is corrected, and gets the stored change again", s.handleDeadLetter},
		{"Both processes stop, and the refunds arrive", s.refundLater},
		{"Process A drains the streams, as a job that runs now and then", s.drain},
		{"Every change has had its effect once", s.check},
	} {
		if err := s.report.step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return s.report.total()
}
