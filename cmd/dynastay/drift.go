package main

import (
	"encoding/json"
	"fmt"

	"github.com/dynastay/dynastay/provision"
)

type driftCommand struct {
	declared
	account
	JSON bool `help:"Print the reports as JSON."`
}

// Run compares the tables.
func (c driftCommand) Run(p *program) error {
	reports, err := look(p, c.declared, c.account)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(reports, differ(reports))
	}
	for _, r := range reports {
		if len(r.Differences) == 0 {
			fmt.Fprintf(p.out, "%s %s\n", r.Table, p.paint.good("is as it must be"))
		}
		for _, d := range r.Differences {
			fmt.Fprintf(p.out, "%s: %s\n", r.Table, d)
		}
		p.printUnchecked(r)
	}
	return differ(reports)
}

type planCommand struct {
	declared
	account
	JSON bool `help:"Print the reports as JSON."`
}

// Run prints what apply would do.
func (c planCommand) Run(p *program) error {
	reports, err := look(p, c.declared, c.account)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.printJSON(reports, differ(reports))
	}
	for _, r := range reports {
		for _, d := range r.Differences {
			fmt.Fprintf(p.out, "%s\n  %s\n  changed by: %s%s\n  %s\n", d.Name(), d, p.paint.of(d.Mend), option(d), d.Effect)
		}
		p.printUnchecked(r)
	}
	if differ(reports) == nil {
		fmt.Fprintln(p.out, p.paint.good("Nothing to do."))
	}
	return differ(reports)
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

func (p *program) printUnchecked(r *provision.Report) {
	for _, u := range r.Unchecked {
		fmt.Fprintf(p.out, "%s: %s %s: %s\n", r.Table, u.Setting, p.paint.warn("was not compared"), u.Reason)
	}
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
