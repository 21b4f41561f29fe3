package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dynastay/dynastay"
)

// report prints the steps and what they cost.
type report struct {
	w      io.Writer
	engine string
	steps  int
	meters []*meter
}

// meter adds a meter, whose cost is printed in a line of its own. The first one is printed with the title of the step.
func (r *report) meter(name string) *meter {
	m := &meter{name: name}
	r.meters = append(r.meters, m)
	return m
}

// head prints where the program runs, and the names of the columns.
func (r *report) head() error {
	if _, err := fmt.Fprintln(r.w, r.engine); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.w, "%-70s%9s%8s%8s%9s\n", "Its tables are new.", "requests", "read", "write", "streams")
	return err
}

// step does a step and prints it, even where it failed: what the platform and each process spent, and what it found.
func (r *report) step(ctx context.Context, title string, do func(context.Context, *details) error) error {
	var found details
	r.steps++
	before := r.soFar()
	err := do(ctx, &found)
	if err != nil {
		err = fmt.Errorf("step %d: %w", r.steps, err)
	}
	spent := r.soFar()
	for i := range spent {
		spent[i] = spent[i].minus(before[i])
	}
	return errors.Join(err, r.costs(fmt.Sprintf("%2d  %s", r.steps, title), spent), found.print(r.w))
}

func (r *report) soFar() []cost {
	all := make([]cost, len(r.meters))
	for i, m := range r.meters {
		all[i] = m.soFar()
	}
	return all
}

// total prints what all steps cost.
func (r *report) total() error { return r.costs("    All of it", r.soFar()) }

func (r *report) costs(title string, all []cost) error {
	err := r.line(title, all[0])
	for i, c := range all[1:] {
		if c != (cost{}) {
			err = errors.Join(err, r.line("      "+r.meters[i+1].name, c))
		}
	}
	return err
}

func (r *report) line(title string, c cost) error {
	_, err := fmt.Fprintf(r.w, "%-70s%9s%8s%8s%9s\n", title, number(c.requests), units(c.read), units(c.write), number(c.streams))
	return err
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// units prints an amount of capacity; a read that may be a moment old costs half a unit.
func units(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", n)
}

// details are the rows below a step, in columns. A row with one cell only is text.
type details struct{ rows [][]any }

func (d *details) row(cells ...any) { d.rows = append(d.rows, cells) }

// print writes the rows, with amounts and counts aligned at the right, and a blank line.
func (d *details) print(w io.Writer) error {
	var widths []int
	for _, row := range d.rows {
		for i, cell := range row {
			if len(row) == 1 {
				continue
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(fmt.Sprint(cell)))
		}
	}
	var page strings.Builder
	for _, row := range d.rows {
		var line strings.Builder
		line.WriteString(" ")
		for i, cell := range row {
			if len(row) == 1 {
				fmt.Fprintf(&line, "   %v", cell)
				continue
			}
			switch cell.(type) {
			case dynastay.Money, int:
				fmt.Fprintf(&line, "   %*v", widths[i], cell)
			default:
				fmt.Fprintf(&line, "   %-*v", widths[i], cell)
			}
		}
		page.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, page.String()+"\n")
	return err
}
