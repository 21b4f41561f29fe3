package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// report prints the steps and what they cost.
type report struct {
	w     io.Writer
	steps int

	mu    sync.Mutex
	spent cost
}

// cost is what DynamoDB was asked, and what it charged.
type cost struct {
	requests    int
	read, write float64
}

// observe is the [dynastay.Options] Observer: it is told of every request, on the goroutine that sent it.
func (r *report) observe(_ context.Context, call dynastay.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spent.requests += call.Requests()
	r.spent.read += call.ReadUnits()
	r.spent.write += call.WriteUnits()
}

func (r *report) soFar() cost {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spent
}

// head prints where the program runs, and the names of the columns.
func (r *report) head(engine string, now time.Time) error {
	if _, err := fmt.Fprintln(r.w, engine); err != nil {
		return err
	}
	return r.line(now.Format("Its six tables are new; the clock stands at 2006-01-02 15:04 MST."), "requests", "read", "write")
}

// step runs a step and prints it, even if it failed: a line with its cost, and what it found.
func (r *report) step(ctx context.Context, title string, do func(context.Context, *details) error) error {
	var found details
	r.steps++
	before := r.soFar()
	err := do(ctx, &found)
	if err != nil {
		err = fmt.Errorf("step %d: %w", r.steps, err)
	}
	after := r.soFar()
	printed := r.cost(fmt.Sprintf("%2d  %s", r.steps, title), cost{
		requests: after.requests - before.requests,
		read:     after.read - before.read,
		write:    after.write - before.write,
	})
	return errors.Join(err, printed, found.print(r.w))
}

// total prints what all steps cost.
func (r *report) total() error { return r.cost("    Total", r.soFar()) }

func (r *report) cost(title string, c cost) error {
	return r.line(title, fmt.Sprint(c.requests), units(c.read), units(c.write))
}

func (r *report) line(title, requests, read, write string) error {
	_, err := fmt.Fprintf(r.w, "%-74s%8s%8s%8s\n", title, requests, read, write)
	return err
}

// units prints a number of capacity units; an eventually consistent read costs half a unit.
func units(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", n)
}

// details are the rows below a step, in columns.
type details struct{ rows [][]any }

func (d *details) row(cells ...any) { d.rows = append(d.rows, cells) }

// print writes the rows, with amounts and counts aligned at the right, and a blank line.
func (d *details) print(w io.Writer) error {
	widths := d.widths()
	var page strings.Builder
	for _, row := range d.rows {
		var line strings.Builder
		line.WriteString(" ")
		for i, cell := range row {
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

func (d *details) widths() []int {
	var widths []int
	for _, row := range d.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(fmt.Sprint(cell)))
		}
	}
	return widths
}

// whyNot is what a guest is told of an offer or a booking that was refused, "" where err is no refusal.
func whyNot(err error) string {
	var refused *availability.Refused
	switch {
	case errors.As(err, &refused):
		return reasons(refused)
	case errors.Is(err, availability.ErrTooSmall):
		return "too small"
	default:
		return ""
	}
}

// reasons are the reasons of a refusal, each with its nights: "sold out Jun 12, Jun 13".
func reasons(refused *availability.Refused) string {
	var b strings.Builder
	var last availability.Reason
	told := map[string]bool{} // several room types may be refused for the same reason
	for _, night := range refused.Nights {
		if told[night.String()] {
			continue
		}
		told[night.String()] = true
		switch {
		case last == "":
			b.WriteString(plain(night.Reason) + " ")
		case night.Reason != last:
			b.WriteString("; " + plain(night.Reason) + " ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(night.Date.Time().Format("Jan 2"))
		last = night.Reason
	}
	return b.String()
}

// plain is a stored word such as sold_out for people.
func plain[S ~string](word S) string { return strings.ReplaceAll(string(word), "_", " ") }
