// Contract asks a DynamoDB engine whether it does what the library relies on, and prints a report:
//
//	go run ./examples/contract
//	go run ./examples/contract -endpoint http://127.0.0.1:8000
//
// Without -endpoint, package dyntest/engine chooses the engine; its documentation says how. The report has a line for
// each group of cases. What differs follows, with what was seen, what depends on it and what it means. What the engine
// did not show comes last. -units limits what the cases may spend, and -lag is how long an index or a stream may take to
// show a write.
//
// The program uses two tables of its own and deletes them. It signs with an invented key, as local engines accept it. A
// test or a program with AWS's credentials calls package dyntest/contract itself.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/dynastay/dynastay/dyntest/contract"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/report"
)

func main() {
	report.Main("contract", func(ctx context.Context, out io.Writer, _ bool) error { return run(ctx, os.Args[1:], out, os.Stderr) })
}

func run(ctx context.Context, args []string, out, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("contract", flag.ContinueOnError)
	flags.SetOutput(stderr)
	endpoint := flags.String("endpoint", "", "the address of a running engine")
	units := flags.Float64("units", 0, "the most read and write units to spend; 0 is no limit")
	lag := flags.Duration("lag", time.Second, "how long an index or a stream may take to show a write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	e, err := start(ctx, *endpoint)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop(context.WithoutCancel(ctx))) }()
	client := e.Client()
	results, err := contract.Check(ctx, contract.Target{
		Client: client, Admin: client, Streams: e.Streams(), Prefix: "contract-", Units: *units, Lag: *lag,
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%s\n\n", e.Name()); err != nil {
		return err
	}
	return show(out, results)
}

func start(ctx context.Context, endpoint string) (*engine.Engine, error) {
	if endpoint == "" {
		return engine.Start(ctx, docker.Allow())
	}
	if err := os.Setenv("DYNTEST_ENDPOINT", endpoint); err != nil {
		return nil, err
	}
	return engine.Start(ctx, engine.On(engine.Endpoint))
}

var verdicts = []contract.Verdict{contract.AsRequired, contract.Differs, contract.NotShown}

// show prints the number of answers by group, and then what is not as required.
func show(out io.Writer, results []contract.Result) error {
	var groups []string
	counts := map[string]map[contract.Verdict]int{}
	for _, r := range results {
		if counts[r.Group] == nil {
			groups, counts[r.Group] = append(groups, r.Group), map[contract.Verdict]int{}
		}
		counts[r.Group][r.Verdict]++
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "group")
	for _, v := range verdicts {
		fmt.Fprint(table, "\t", v)
	}
	fmt.Fprintln(table)
	for _, group := range groups {
		fmt.Fprint(table, group)
		for _, v := range verdicts {
			fmt.Fprint(table, "\t", counts[group][v])
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.Verdict == contract.Differs {
			_, err := fmt.Fprintf(out, "\n%s\n  seen        %s\n  needed for  %s\n  it means    %s\n", r.Case, r.Seen, r.Needs, r.Means)
			if err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprint(out, "\nnot shown:\n"); err != nil {
		return err
	}
	for _, r := range results {
		if r.Verdict == contract.NotShown {
			if _, err := fmt.Fprintf(out, "  %s: %s\n", r.Case, r.Seen); err != nil {
				return err
			}
		}
	}
	return nil
}
