// Dynastay is the operator's command: it compares the tables of a deployment with what they must be, changes them, writes
// templates and policies, and moves data in and out.
//
//	dynastay plan --prefix prod-
//
// It exits with 0 if the tables are as they must be, and if everything was done; with 1 if it fails, or if items or lines were
// refused; and with 2 if the tables differ.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/fatih/color"

	"github.com/dynastay/dynastay/provision"
)

// The exit codes.
const (
	same    = 0
	failed  = 1
	differs = 2
)

// errDiffers says that the tables differ, which has been printed already.
var errDiffers = errors.New("the tables differ from what they must be")

// command is the command line.
type command struct {
	Drift    driftCommand    `cmd:"" help:"Compare the tables with what they must be. Changes nothing."`
	Plan     planCommand     `cmd:"" help:"Print what apply would change, in its order, and what that does. Changes nothing."`
	Apply    applyCommand    `cmd:"" help:"Create the tables that do not exist, and change the others as far as that harms nobody."`
	Check    checkCommand    `cmd:"" help:"Answer the checklist in section 10 of the hotel document, line by line. Changes nothing."`
	Template templateCommand `cmd:"" help:"Write the tables as CloudFormation or Terraform, with scaling, backups, alarms and a dashboard."`
	Policy   policyCommand   `cmd:"" help:"Write an IAM policy with what a program needs of the tables, and nothing else."`
	Adopt    adoptCommand    `cmd:"" help:"Make the items of other software those of the library, see docs/moving.md. Can be interrupted and called again."`
	Verify   verifyCommand   `cmd:"" help:"Compare bookings, users or reviews with their index keys and guards, and print what differs, or mend it."`
	Load     loadCommand     `cmd:"" help:"Load a file with data of another system. Can be interrupted and called again."`
	Export   exportCommand   `cmd:"" help:"Write what is stored about a user or a property, or the bookings of a day's arrivals. Changes nothing."`
	Forget   forgetCommand   `cmd:"" help:"Forget how far a load or an adoption has come."`
}

// program is what every command gets.
type program struct {
	ctx   context.Context
	out   io.Writer
	paint paint
}

// output remembers that something could not be written: a pipeline must not read a part as the whole.
type output struct {
	io.Writer
	failed error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if err != nil {
		o.failed = err
	}
	return n, err
}

// paint colours words, on a terminal only.
type paint struct{ good, warn, bad func(a ...any) string }

func newPaint(on bool) paint {
	of := func(attribute color.Attribute) func(a ...any) string {
		c := color.New(attribute)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.SprintFunc()
	}
	return paint{of(color.FgGreen), of(color.FgYellow), of(color.FgRed)}
}

func (p paint) of(m provision.Mend) string {
	return map[provision.Mend]func(a ...any) string{provision.ByApply: p.good, provision.ByName: p.warn, provision.ByHand: p.bad}[m](m)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, !color.NoColor))
}

// run returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer, colour bool) int {
	var line command
	code := -1
	parser, err := kong.New(&line, kong.Name("dynastay"), kong.Writers(out, errs), kong.Exit(func(c int) { code = c }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Description("Tables in production: see docs/operations.md. Exits with 0 if the tables are as they must be, 1 if it fails, 2 if they differ."))
	if err != nil {
		panic(err) // the command line is not declared correctly
	}
	parsed, err := parser.Parse(args)
	if code >= 0 { // help was asked for
		return code
	}
	if err == nil {
		written := &output{Writer: out}
		if err = parsed.Run(&program{ctx, written, newPaint(colour)}); written.failed != nil {
			err = written.failed
		}
	}
	switch {
	case err == nil:
		return same
	case errors.Is(err, errDiffers):
		return differs
	}
	fmt.Fprintln(errs, "dynastay:", err)
	return failed
}
