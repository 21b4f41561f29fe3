package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/provision"
)

type applyCommand struct {
	declared
	account
	Name []string `help:"A difference that plan prints with --name, such as \"prod-Bookings/Index GSI9-Old\". Can be repeated." sep:"none" placeholder:"TABLE/SETTING"`
}

// Run changes the tables.
func (c applyCommand) Run(p *program) error {
	tables, err := c.tables()
	if err != nil {
		return err
	}
	for _, name := range c.Name {
		table, setting, _ := strings.Cut(name, "/")
		if setting == "" || !slices.ContainsFunc(tables, func(t provision.Table) bool { return t.Name == table }) {
			return fmt.Errorf("--name must be a difference that plan prints, such as %q, but is %q", tables[0].Name+"/Billing", name)
		}
	}
	client, scaling, err := c.open(p.ctx)
	if err != nil {
		return err
	}
	last := map[string]provision.State{}
	err = provision.Apply(p.ctx, client, tables, &provision.Options{Named: c.Name, Scaling: scaling, Progress: func(at provision.Progress) {
		if name := at.Difference.Name(); last[name] != at.State { // it is told of each look while it waits
			last[name] = at.State
			fmt.Fprintf(p.out, "%s: %s\n", name, at.State)
		}
	}})
	if err == nil {
		fmt.Fprintln(p.out, p.paint.good("The tables are as they must be."))
		return nil
	}
	left, other := split(err)
	for _, table := range left {
		p.printDifferences(table.Differences)
	}
	if other != nil {
		return other
	}
	return errDiffers
}

// split separates the tables that still differ from the failures.
func split(err error) (left []*provision.TableError, other error) {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, one := range all {
		var differs *provision.TableError
		if errors.As(one, &differs) {
			left = append(left, differs)
		} else {
			other = errors.Join(other, one)
		}
	}
	return left, other
}
