package report

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
)

// Program is an example program that runs against a real engine, with tables of its own.
type Program struct {
	Name    string             // of the program, for its tables
	Tables  []*dynastay.Schema // without the prefix that makes them the program's own
	Options dynastay.Options   // without TablePrefix and Observer, but with the Clock of the story
}

// Main runs a program until it ends or is interrupted. It prints an error, and then exits with status 1, or with status 2 if
// the program was asked for its flags. colours tells whether the output may have colours.
func Main(name string, run func(ctx context.Context, w io.Writer, colours bool) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	colours := os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd()))
	err := run(ctx, os.Stdout, colours)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// Run starts an engine, or finds one that runs, and creates the tables. Then it calls tell, which prints to out what the
// program does; open returns a DB that out observes, as independent of the others as if it were in another process. In
// the end the tables are deleted, because others may use the engine too.
func (p Program) Run(
	ctx context.Context, w io.Writer, tell func(ctx context.Context, out *Report, open func() *dynastay.DB) error,
) (err error) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		return err
	}
	out, prefix := To(w), p.Name+"-"+rand.Text()[:8]+"-"
	opts := p.Options
	opts.TablePrefix = prefix
	out.Streams, out.Uncounted = e.Streams(), dynastay.Open(e.Client(), &opts)
	out.Client, out.Options = e.Client(), opts
	out.Options.Observer = dynastay.RequestObserver(out.Observe)
	open := func() *dynastay.DB { return dynastay.Open(e.Client(), &out.Options) }
	defer func() {
		// The end of the context may be why the program ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, e.DeleteTables(ctx, prefix, p.Tables...), e.Stop(ctx))
	}()
	if err := e.CreateTables(ctx, prefix, p.Tables...); err != nil {
		return err
	}
	if err := out.Head(e.Name(), len(p.Tables), p.Options.Clock()); err != nil {
		return err
	}
	return tell(ctx, out, open)
}
