package main

import (
	"encoding/json"
	"fmt"

	"github.com/dynastay/dynastay/provision"
)

// compared are the flags of the commands that compare the tables.
type compared struct {
	declared
	account
	JSON bool `help:"Print the reports as JSON."`
}

// print looks at the tables, and prints the reports as JSON or with text.
func (c compared) print(p *program, text func([]*provision.Report)) error {
	reports, err := look(p, c.declared, c.account)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(reports, differ(reports))
	}
	for _, r := range reports {
		for _, u := range r.Unchecked {
			fmt.Fprintf(p.out, "%s: %s %s: %s\n", r.Table, u.Setting, p.paint.warn("was not compared"), u.Reason)
		}
	}
	text(reports) // last, where it is seen
	return differ(reports)
}

type driftCommand struct{ compared }

// Run compares the tables.
func (c driftCommand) Run(p *program) error {
	return c.print(p, func(reports []*provision.Report) {
		for _, r := range reports {
			if len(r.Differences) == 0 {
				fmt.Fprintf(p.out, "%s %s\n", r.Table, p.paint.good("is as it must be"))
			}
			for _, d := range r.Differences {
				fmt.Fprintf(p.out, "%s: %s\n", r.Table, d)
			}
		}
	})
}

type planCommand struct{ compared }

// Run prints what apply would do.
func (c planCommand) Run(p *program) error {
	return c.print(p, func(reports []*provision.Report) {
		for _, r := range reports {
			p.printDifferences(r.Differences)
		}
		if differ(reports) == nil {
			fmt.Fprintln(p.out, p.paint.good("Nothing to do."))
		}
	})
}

func (p *program) printDifferences(all []provision.Difference) {
	for _, d := range all {
		fmt.Fprintf(p.out, "%s\n  %s\n  changed by: %s%s\n  %s\n", d.Name(), d, p.paint.of(d.Mend), option(d), d.Effect)
	}
}

// option says how apply is told to make a change.
func option(d provision.Difference) string {
	if d.Mend == provision.ByName {
		return fmt.Sprintf(", with --name %q", d.Name())
	}
	return ""
}

func look(p *program, d declared, a account) ([]*provision.Report, error) {
	tables, err := d.tables()
	if err != nil {
		return nil, err
	}
	client, scaling, err := a.open(p.ctx)
	if err != nil {
		return nil, err
	}
	var reports []*provision.Report
	for _, t := range tables {
		r, err := provision.Look(p.ctx, client, t, &provision.Options{Scaling: scaling})
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// differ returns errDiffers if a table does.
func differ(reports []*provision.Report) error {
	for _, r := range reports {
		if len(r.Differences) > 0 {
			return errDiffers
		}
	}
	return nil
}

// printJSON prints a value, and returns the given error if it could.
func (p *program) printJSON(v any, result error) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.out, "%s\n", text); err != nil {
		return err
	}
	return result
}
