package projects_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// What the worker has offered before is replaced; what the bid says of the worker is of the moment. Every change of the
// project or of a bid is a new version.
func TestBidAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(1)[0]
	p := s.post()
	say := func(name, score string) {
		s.put(s.item("USER#"+w, "PROFILE"), dynastay.Item{"name": text(name), "trustScore": number(score)})
	}
	say("Mike", "4.5")
	b := offer(p.ID, w, "1")
	b.Status, b.WorkerName, b.WorkerTrustScore, b.Version = projects.Accepted, strings.Repeat("x", 300), -1, 9
	made, err := s.repo.Bid(ctx, b)
	require.NoError(t, err)
	assert.Equal(t, []any{projects.Pending, "Mike", dynastay.Rating(45), 1}, []any{made.Status, made.WorkerName, made.WorkerTrustScore, made.Version})

	say("Michael", "4.8")
	s.Clock.Advance(time.Minute)
	same, err := s.repo.Revise(ctx, p.ID, w, func(*projects.Bid) error { return nil }, dynastay.IfVersion(1))
	require.NoError(t, err)
	assert.Equal(t, made, same, "nothing has changed, so nothing is written")
	_, err = s.repo.Revise(ctx, p.ID, w, func(b *projects.Bid) error { b.Quote = zar("7"); return nil }, dynastay.IfVersion(2))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	gone, err := s.repo.Withdraw(ctx, p.ID, w)
	require.NoError(t, err)
	assert.Equal(t, 2, gone.Version)
	assert.Equal(t, s.Clock.Now(), gone.UpdatedAt)
	want := projects.Bid{
		ProjectID: p.ID, WorkerID: w, Quote: zar("2"), Start: dynastay.MustDate("2037-02-06"), Duration: 5, Unit: projects.Weeks,
		Proposal: "Cheaper, but later",
	}
	again, err := s.repo.Bid(ctx, want)
	require.NoError(t, err)
	want.ID, want.Status, want.WorkerName, want.WorkerTrustScore = made.ID, projects.Pending, "Michael", 48
	want.CreatedAt, want.UpdatedAt, want.Version, want.WriteID = made.CreatedAt, s.Clock.Now(), 3, again.WriteID
	assert.Equal(t, want, *again)

	now, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w, Quote: zar("2")})
	require.NoError(t, err)
	assert.Equal(t, 2, now.Version)
	assert.Equal(t, s.Clock.Now(), now.UpdatedAt)
	again, err = s.repo.BidOf(ctx, p.ID, w)
	require.NoError(t, err)
	assert.Equal(t, 4, again.Version)
	now, err = s.repo.Complete(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, 3, now.Version)
}
