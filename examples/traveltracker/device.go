package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// device is a phone or a tablet with a copy of the visits.
type device struct {
	id     string
	fast   time.Duration // by which its clock is wrong
	visits map[tracker.VisitID]*tracker.Visit
	queue  []tracker.Operation // since the last push
	cursor tracker.Cursor
	made   int
}

// do makes an operation, offline.
func (d *device) do(s *story, o tracker.Operation) {
	d.made++
	o.ID = fmt.Sprintf("%s-%d", d.id, d.made)
	o.ClientTime = s.now.Add(d.fast)
	if v := d.visits[o.Visit]; v != nil {
		o.ClientVersion = v.Version
	}
	d.queue = append(d.queue, o)
}

// push sends what was made since the last push, and takes what the server has answered.
func (d *device) push(ctx context.Context, s *story, rule tracker.Rule) ([]tracker.Result, error) {
	results, err := s.repo.Push(ctx, tracker.Push{UserID: ana, DeviceID: d.id, Operations: d.queue, Rule: rule})
	for _, result := range results {
		for _, part := range append(result.Parts, result) {
			if part.Err != nil {
				return nil, part.Err
			}
			d.take(part.Visit)
		}
	}
	d.queue = d.queue[len(results):]
	return results, err
}

func (d *device) take(v *tracker.Visit) {
	if v == nil {
		return
	}
	if have := d.visits[v.VisitID]; have == nil || have.Version < v.Version {
		d.visits[v.VisitID] = v
	}
}

// pull reads what has changed, or a snapshot if the log does not go back far enough.
func (d *device) pull(ctx context.Context, s *story) (what string, err error) {
	n := 0
	for {
		changes, err := s.repo.Pull(ctx, ana, d.cursor, 0)
		if errors.Is(err, tracker.ErrSnapshotNeeded) {
			return d.snapshot(ctx, s)
		}
		if err != nil {
			return "", err
		}
		for _, c := range changes.Changes {
			d.take(c.Visit)
		}
		n += len(changes.Changes)
		d.cursor = changes.Next
		if !changes.More {
			return fmt.Sprintf("%s reads %d changes, up to version %d of the log", d.id, n, d.cursor.Version), nil
		}
	}
}

func (d *device) snapshot(ctx context.Context, s *story) (string, error) {
	snapshot, err := s.repo.Snapshot(ctx, ana)
	if err != nil {
		return "", err
	}
	d.visits = map[tracker.VisitID]*tracker.Visit{}
	for v, err := range snapshot.Visits.All(ctx) {
		if err != nil {
			return "", err
		}
		d.take(v)
	}
	d.cursor = snapshot.Cursor
	return fmt.Sprintf("%s reads a snapshot of %d visits", d.id, len(d.visits)), nil
}

// String lists the visits that are not deleted.
func (d *device) String() string {
	var lines []string
	for _, v := range slices.SortedFunc(maps.Values(d.visits), func(a, b *tracker.Visit) int {
		return strings.Compare(a.RegionCode+a.MarkedAt.String(), b.RegionCode+b.MarkedAt.String())
	}) {
		if !v.Deleted {
			lines = append(lines, fmt.Sprintf("%s %s %d %q", v.RegionCode, v.MarkedAt.Format(time.RFC3339), v.Version, v.Notes))
		}
	}
	return strings.Join(lines, "\n")
}
