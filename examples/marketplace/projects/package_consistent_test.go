package projects_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// Every read that decides is consistent. Local engines always read consistently, so only the requests show it.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(2)
	check := func(what string, do func() error) {
		t.Helper()
		stop := s.Faults.Record()
		require.NoError(t, do(), what)
		reads := 0
		for _, request := range stop() {
			if r := string(request.Body); strings.HasPrefix(request.Operation, "Get") || request.Operation == "Query" ||
				request.Operation == "BatchGetItem" {
				reads++
				assert.Contains(t, r, `"ConsistentRead":true`, what)
			}
		}
		assert.Positive(t, reads, what)
	}
	var p *projects.Project
	check("Post", func() (err error) { p, err = s.repo.Post(ctx, foundation); return err })
	for _, id := range w {
		check("Bid", func() error { return first(s.repo.Bid(ctx, offer(p.ID, id, "65000"))) })
	}
	check("Update", func() error {
		return first(s.repo.Update(ctx, p.ID, func(p *projects.Project) error { p.Title = "Foundation"; return nil }))
	})
	check("Revise", func() error {
		return first(s.repo.Revise(ctx, p.ID, w[0], func(b *projects.Bid) error { b.Quote = zar("64000"); return nil }))
	})
	check("Withdraw", func() error { return first(s.repo.Withdraw(ctx, p.ID, w[1])) })
	check("Bid again", func() error { return first(s.repo.Bid(ctx, offer(p.ID, w[1], "65000"))) })
	accept := projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("64000")}
	check("Accept", func() error { return first(s.repo.Accept(ctx, accept, dynastay.IdempotencyKey("1"))) })
	check("Accept, repeated", func() error { return first(s.repo.Accept(ctx, accept, dynastay.IdempotencyKey("1"))) })
	check("RejectRest", func() error { return first(s.repo.RejectRest(ctx, p.ID)) })
	check("Complete", func() error { return first(s.repo.Complete(ctx, p.ID)) })
}

// Every read of a replay is consistent too.
func TestReplaysReadConsistently(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(1)[0]
	p := s.post()
	for range 2 {
		stop := s.Faults.Record()
		_, err := s.repo.Bid(t.Context(), offer(p.ID, w, "1"), dynastay.IdempotencyKey("bid"))
		require.NoError(t, err)
		for _, request := range stop() {
			if strings.HasPrefix(request.Operation, "Get") {
				assert.Contains(t, string(request.Body), `"ConsistentRead":true`)
			}
		}
	}
}
