package marketplace

import (
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// overwritten reports whether one of the others was certainly carried out after a call, and before a moment.
func (c *jobCall) overwritten(at checker.Moment, others []*jobCall) bool {
	return slices.ContainsFunc(others, func(d *jobCall) bool {
		return d != c && d.Done() && d.Within.From > c.Within.To && d.Within.To < at
	})
}

// justifiedJob reports whether a refusal was true at some moment of its call. What the call itself has written is no
// reason. A project and a bid are not read at one moment, so each refusal is checked against what it names alone.
func (s *jobs) justifiedJob(c *jobCall, at checker.Told, l *jobLife) bool {
	var status *projects.StatusError
	var bid *projects.BidStatusError
	var quote *projects.QuoteError
	switch {
	case errors.Is(at.Err, dynastay.ErrNotFound):
		ofBid := c.worker != "" && c.kind != bidding
		return l == nil || l.posted.Within.To >= at.From || ofBid && !l.hadBid(c.worker, at.Span)
	case l == nil:
		return false
	case errors.As(at.Err, &status):
		return status.ProjectID == l.id && !slices.Contains(allowed[c.kind], status.Status) &&
			l.had(status.Status, at.Span, c)
	case errors.Is(at.Err, projects.ErrNotParty):
		return c.by != l.posted.client && (l.had(projects.Open, at.Span, c) || c.by != l.worker())
	case errors.As(at.Err, &bid):
		return bid.ProjectID == l.id && bid.WorkerID == c.worker && s.hadStatus(l, c, bid.Status, at.Span)
	case errors.As(at.Err, &quote):
		seen, now := checker.Minor(quote.Seen), checker.Minor(quote.Now)
		return quote.ProjectID == l.id && quote.WorkerID == c.worker && seen == c.quote && now != seen &&
			l.wrote(c, l.of(c.worker, bidding, revising), at.Span, func(d *jobCall) bool { return d.quote == now })
	case errors.Is(at.Err, dynastay.ErrAlreadyExists):
		return l.wrote(c, l.of(c.worker, bidding, leaving), at.Span, func(d *jobCall) bool { return d.kind == bidding })
	}
	return false
}

// allowed are the statuses of a project in which the calls about it are not refused.
var allowed = map[string][]projects.Status{
	bidding: {projects.Open}, revising: {projects.Open}, leaving: {projects.Open}, hiring: {projects.Open},
	completing: {projects.InProgress}, abandoning: {projects.Open, projects.InProgress},
}

// had reports whether a project can have had a status, which is not that after one of the calls.
func (l *jobLife) had(status projects.Status, at checker.Span, but *jobCall) bool {
	return slices.ContainsFunc(l.statuses, func(v jobStatus) bool {
		return v.status == status && v.by != but && v.Meets(at)
	})
}

// worker is the one who has got the project, "" if nobody has or nobody knows by which call.
func (l *jobLife) worker() string {
	for _, v := range l.statuses {
		if v.by != nil && v.by.kind == hiring {
			return v.by.worker
		}
	}
	return ""
}

// hadBid reports whether there was certainly a bid before a time began.
func (l *jobLife) hadBid(worker string, at checker.Span) bool {
	return slices.ContainsFunc(l.of(worker, bidding), func(c *jobCall) bool { return c.Done() && c.Within.To < at.From })
}

// wrote reports whether a call other than one of them can have been the last of its kinds at some moment of a time, and
// such.
func (l *jobLife) wrote(but *jobCall, kinds []*jobCall, at checker.Span, such func(*jobCall) bool) bool {
	others := slices.DeleteFunc(slices.Clone(kinds), func(c *jobCall) bool { return such(c) || c == but })
	return slices.ContainsFunc(kinds, func(c *jobCall) bool {
		return c != but && c.Could() && c.Within.From <= at.To && such(c) && !c.overwritten(at.From, others)
	})
}

// hadStatus reports whether a bid can have had a status that keeps it from being changed.
func (s *jobs) hadStatus(l *jobLife, c *jobCall, status projects.BidStatus, at checker.Span) bool {
	switch status {
	case projects.Withdrawn:
		return l.wrote(c, l.of(c.worker, bidding, leaving), at, func(d *jobCall) bool { return d.kind == leaving })
	case projects.Accepted:
		return slices.ContainsFunc(l.of(c.worker, hiring), func(d *jobCall) bool {
			return d != c && d.Could() && d.Within.From <= at.To
		})
	case projects.Rejected:
		return slices.ContainsFunc(s.rests, func(r *rest) bool { return r.project == l.id && r.From <= at.To }) &&
			slices.ContainsFunc(l.statuses[1:], func(v jobStatus) bool { return v.From <= at.To })
	}
	return false
}
