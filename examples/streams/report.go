package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dynastay/dynastay/examples/report"
)

// printer prints the steps and what they cost, by process.
type printer struct {
	w      io.Writer
	engine string
	steps  int
	meters []*meter
}

// meter adds a meter, whose cost is printed in a line of its own. The first one is printed with the title of the step.
func (p *printer) meter(name string) *meter {
	m := &meter{name: name}
	p.meters = append(p.meters, m)
	return m
}

// head prints where the program runs, and the names of the columns.
func (p *printer) head() error {
	if _, err := fmt.Fprintln(p.w, p.engine); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.w, "%-70s%9s%8s%8s%9s\n", "Its tables are new.", "requests", "read", "write", "streams")
	return err
}

// step does a step and prints it, even where it failed: what the platform and each process spent, and what it found.
func (p *printer) step(ctx context.Context, title string, do func(context.Context, *report.Findings) error) error {
	var found report.Findings
	p.steps++
	before := p.soFar()
	err := do(ctx, &found)
	if err != nil {
		err = fmt.Errorf("step %d: %w", p.steps, err)
	}
	spent := p.soFar()
	for i := range spent {
		spent[i] = spent[i].minus(before[i])
	}
	return errors.Join(err, p.costs(fmt.Sprintf("%2d  %s", p.steps, title), spent), found.Print(p.w))
}

func (p *printer) soFar() []cost {
	all := make([]cost, len(p.meters))
	for i, m := range p.meters {
		all[i] = m.soFar()
	}
	return all
}

// total prints what all steps cost.
func (p *printer) total() error { return p.costs("    All of it", p.soFar()) }

func (p *printer) costs(title string, all []cost) error {
	err := p.line(title, all[0])
	for i, c := range all[1:] {
		if c != (cost{}) {
			err = errors.Join(err, p.line("      "+p.meters[i+1].name, c))
		}
	}
	return err
}

func (p *printer) line(title string, c cost) error {
	_, err := fmt.Fprintf(p.w, "%-70s%9s%8s%8s%9s\n", title, number(c.requests), report.Units(c.read), report.Units(c.write), number(c.streams))
	return err
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
