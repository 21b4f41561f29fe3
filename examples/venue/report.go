package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
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

// observe is the observer of the DB: it is told of every request, on the goroutine that sent it.
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

func (r *report) head(engine string, now time.Time) error {
	if _, err := fmt.Fprintln(r.w, engine); err != nil {
		return err
	}
	return r.line(now.Format("Its table is new; the clock stands at 2006-01-02 15:04 MST."), "requests", "read", "write")
}

// step does a step, and prints its cost and what it found, also if it failed.
func (r *report) step(ctx context.Context, title string, do func(context.Context, *findings) error) error {
	var found findings
	r.steps++
	before := r.soFar()
	err := do(ctx, &found)
	if err != nil {
		err = fmt.Errorf("step %d: %w", r.steps, err)
	}
	after := r.soFar()
	printed := r.cost(fmt.Sprintf("%2d  %s", r.steps, title), cost{
		after.requests - before.requests, after.read - before.read, after.write - before.write,
	})
	for _, line := range found {
		if _, failed := fmt.Fprintln(r.w, "    "+line); failed != nil {
			printed = errors.Join(printed, failed)
		}
	}
	return errors.Join(err, printed)
}

func (r *report) cost(title string, c cost) error {
	return r.line(title, fmt.Sprint(c.requests), units(c.read), units(c.write))
}

func (r *report) line(title, requests, read, write string) error {
	_, err := fmt.Fprintf(r.w, "%-74s%8s%8s%8s\n", title, requests, read, write)
	return err
}

func units(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", n)
}

// findings are the lines below a step.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }
