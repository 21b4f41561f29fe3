package projects_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// A project from the post to its completion, in all lists at every step.
func TestLifeOfAProject(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(3)
	p, err := s.repo.Post(ctx, foundation)
	require.NoError(t, err)
	assert.Equal(t, projects.Open, p.Status)
	assert.Equal(t, 1, p.Version)
	assert.Equal(t, 1, s.profile(buyer).Projects)
	assert.Equal(t, p.ID, all(t, s.repo.ByStatus(projects.Open))[0].ID)
	assert.Equal(t, p.ID, all(t, s.repo.ProjectsOf(buyer))[0].ID)

	for i, quote := range []string{"65000", "70000.50", "60000"} {
		s.Clock.Advance(time.Minute)
		b, err := s.repo.Bid(ctx, offer(p.ID, w[i], quote))
		require.NoError(t, err)
		assert.Equal(t, projects.Pending, b.Status)
		assert.Equal(t, "Mr "+w[i], b.WorkerName)
	}
	_, err = s.repo.Bid(ctx, offer(p.ID, w[0], "1"))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	pending := all(t, s.repo.BidsByStatus(projects.Pending))
	require.Len(t, pending, 3)
	assert.Equal(t, w[2], pending[0].WorkerID, "the newest first")
	assert.Equal(t, 3, all(t, s.repo.ByStatus(projects.Open))[0].Bids)

	_, err = s.repo.Withdraw(ctx, p.ID, w[2])
	require.NoError(t, err)
	_, err = s.repo.Withdraw(ctx, p.ID, w[2])
	var bid *projects.BidStatusError
	require.ErrorAs(t, err, &bid)
	assert.Equal(t, projects.Withdrawn, bid.Status)
	again, err := s.repo.Bid(ctx, offer(p.ID, w[2], "59000"))
	require.NoError(t, err)
	assert.Equal(t, pending[0].ID, again.ID)
	assert.Equal(t, pending[0].CreatedAt, again.CreatedAt)
	assert.Equal(t, zar("59000"), again.Quote)
	assert.Len(t, all(t, s.repo.BidsOf(w[2])), 1)
	_, err = s.repo.Revise(ctx, p.ID, w[0], func(b *projects.Bid) error { b.Quote = zar("64000"); return nil })
	require.NoError(t, err)

	p, err = s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("64000")})
	require.NoError(t, err)
	assert.Equal(t, projects.InProgress, p.Status)
	assert.Equal(t, w[0], p.AcceptedWorkerID)
	assert.Equal(t, 3, p.Bids)
	lost := func() {
		t.Helper()
		want := map[string]projects.BidStatus{w[0]: projects.Accepted, w[1]: projects.Rejected, w[2]: projects.Rejected}
		for _, b := range all(t, s.repo.Bids(p.ID)) {
			assert.Equal(t, want[b.WorkerID], b.Status, b.WorkerID)
		}
		for id, status := range want {
			mine := all(t, s.repo.BidsOf(id))
			require.Len(t, mine, 1)
			assert.Equal(t, status, mine[0].Status)
			assert.Equal(t, projects.InProgress, mine[0].Project.Status)
		}
	}
	lost() // from the first moment
	waiting := all(t, s.repo.Rejecting())
	require.Len(t, waiting, 1)
	assert.Equal(t, projects.Rejection{ProjectID: p.ID, At: s.Clock.Now()}, *waiting[0])
	n, err := s.repo.RejectRest(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	lost()
	assert.Empty(t, all(t, s.repo.Rejecting()))
	assert.Empty(t, all(t, s.repo.BidsByStatus(projects.Pending)))
	assert.Len(t, all(t, s.repo.BidsByStatus(projects.Rejected)), 2)

	p, err = s.repo.Complete(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, projects.Completed, p.Status)
	done := s.profile(w[0])
	assert.Equal(t, []any{1, 1, 1.0}, []any{done.Jobs, done.Ended, done.CompletionRate})
	assert.Empty(t, all(t, s.repo.ByStatus(projects.Open)))
	assert.Len(t, all(t, s.repo.ByStatus(projects.Completed)), 1)
}

// A worker who leaves a project has ended a job without completing it; a buyer's cancellation does not count.
func TestCancellations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(1)[0]
	begin := func() *projects.Project {
		p := s.post()
		s.bid(p.ID, w, "65000")
		p, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w, Quote: zar("65000")})
		require.NoError(t, err)
		return p
	}
	p := begin()
	_, err := s.repo.Complete(ctx, p.ID)
	require.NoError(t, err)
	p = begin()
	p, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: w, Reason: "Ill"})
	require.NoError(t, err)
	assert.Equal(t, []any{projects.Cancelled, w, "Ill"}, []any{p.Status, p.CancelledBy, p.CancelReason})
	p = begin()
	_, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer})
	require.NoError(t, err)
	done := s.profile(w)
	assert.Equal(t, []any{1, 2, 0.5}, []any{done.Jobs, done.Ended, done.CompletionRate})

	p = s.post()
	s.bid(p.ID, w, "65000")
	for _, id := range []string{w, "nobody"} {
		_, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: id})
		require.ErrorIs(t, err, projects.ErrNotParty, "a worker cannot cancel a project that is open")
	}
	_, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer})
	require.NoError(t, err)
	assert.Equal(t, projects.Rejected, all(t, s.repo.Bids(p.ID))[0].Status)
	n, err := s.repo.RejectRest(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	_, bids := s.stored(p.ID)
	assert.Equal(t, projects.Rejected, bids[w].Status)
}

// What is not possible in a status is refused, whatever the status.
func TestStatusesThatRefuse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(2)
	accept := func(p *projects.Project) {
		_, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("65000")})
		require.NoError(t, err)
	}
	reach := map[projects.Status]func(p *projects.Project){
		projects.Open:       func(*projects.Project) {},
		projects.InProgress: accept,
		projects.Completed: func(p *projects.Project) {
			accept(p)
			_, err := s.repo.Complete(ctx, p.ID)
			require.NoError(t, err)
		},
		projects.Cancelled: func(p *projects.Project) {
			accept(p)
			_, err := s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer})
			require.NoError(t, err)
		},
	}
	calls := map[string]struct {
		do func(id string) error
		in []projects.Status // where it is possible
	}{
		"Update": {func(id string) error {
			_, err := s.repo.Update(ctx, id, func(p *projects.Project) error { p.Title = "Walls"; return nil })
			return err
		}, []projects.Status{projects.Open}},
		"Bid": {func(id string) error {
			_, err := s.repo.Bid(ctx, offer(id, w[1], "1"))
			return err
		}, []projects.Status{projects.Open}},
		"Revise": {func(id string) error {
			_, err := s.repo.Revise(ctx, id, w[0], func(b *projects.Bid) error { b.Quote = zar("1"); return nil })
			return err
		}, []projects.Status{projects.Open}},
		"Withdraw": {func(id string) error {
			_, err := s.repo.Withdraw(ctx, id, w[0])
			return err
		}, []projects.Status{projects.Open}},
		"Accept": {func(id string) error {
			_, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: id, WorkerID: w[0], Quote: zar("65000")})
			return err
		}, []projects.Status{projects.Open}},
		"Complete": {func(id string) error {
			_, err := s.repo.Complete(ctx, id)
			return err
		}, []projects.Status{projects.InProgress}},
		"Cancel by the buyer": {func(id string) error {
			_, err := s.repo.Cancel(ctx, projects.Cancellation{ProjectID: id, By: buyer})
			return err
		}, []projects.Status{projects.Open, projects.InProgress}},
		"Cancel by the worker": {func(id string) error {
			_, err := s.repo.Cancel(ctx, projects.Cancellation{ProjectID: id, By: w[0]})
			return err
		}, []projects.Status{projects.InProgress}},
	}
	for status, to := range reach {
		for name, call := range calls {
			p := s.post()
			s.bid(p.ID, w[0], "65000")
			to(p)
			before, bids := s.stored(p.ID)
			err := call.do(p.ID)
			possible := false
			for _, in := range call.in {
				possible = possible || in == status
			}
			if possible {
				assert.NoError(t, err, "%s of a project that is %s", name, status)
				continue
			}
			if status == projects.Open && name == "Cancel by the worker" {
				assert.ErrorIs(t, err, projects.ErrNotParty)
			} else {
				var refused *projects.StatusError
				if assert.ErrorAs(t, err, &refused, "%s of a project that is %s", name, status) {
					assert.Equal(t, projects.StatusError{ProjectID: p.ID, Status: status}, *refused)
					assert.Equal(t, "project "+p.ID+" is "+string(status), err.Error())
				}
			}
			after, bidsAfter := s.stored(p.ID)
			assert.Equal(t, before, after)
			assert.Equal(t, bids, bidsAfter)
		}
	}
}

func TestUsersOfTheWrongRole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(1)[0]
	s.signUp("user_seller", people.Seller)
	p := s.post()
	field := func(err error) string {
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		return invalid.Field
	}
	mine := foundation
	mine.BuyerID = w
	_, err := s.repo.Post(ctx, mine)
	assert.Equal(t, "BuyerID", field(err))
	for _, id := range []string{buyer, "user_seller"} {
		_, err = s.repo.Bid(ctx, offer(p.ID, id, "1"))
		assert.Equal(t, "WorkerID", field(err))
	}
	mine.BuyerID = "nobody"
	_, err = s.repo.Post(ctx, mine)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = s.repo.Bid(ctx, offer(p.ID, "nobody", "1"))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = s.repo.Bid(ctx, offer("nothing", w, "1"))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	usd := offer(p.ID, w, "1")
	usd.Quote = dynastay.MustMoney("1", "USD")
	_, err = s.repo.Bid(ctx, usd)
	assert.Equal(t, "Quote", field(err))
	_, err = s.repo.Update(ctx, p.ID, func(p *projects.Project) error {
		p.Budget = projects.Budget{Min: dynastay.MustMoney("1", "USD"), Max: dynastay.MustMoney("2", "USD")}
		return nil
	})
	assert.Equal(t, "Budget", field(err))
	_, _ = s.repo.Bid(ctx, offer(p.ID, w, "2"))
	_, err = s.repo.Revise(ctx, p.ID, w, func(b *projects.Bid) error { b.Quote = dynastay.MustMoney("1", "USD"); return nil })
	assert.Equal(t, "Quote", field(err))
	now, bids := s.stored(p.ID)
	assert.Equal(t, 1, now.Bids)
	assert.Equal(t, zar("2"), bids[w].Quote)
	assert.Equal(t, 1, s.profile(buyer).Projects)
}

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

// The newest comes first, in every list.
func TestListsAreInOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(1)[0]
	older := s.post()
	s.Clock.Advance(time.Minute)
	newer := s.post()
	s.bid(older.ID, w, "1")
	s.Clock.Advance(time.Minute)
	s.bid(newer.ID, w, "1")
	want := []string{newer.ID, older.ID}
	for _, list := range []dynastay.Listing[*projects.Project]{s.repo.ByStatus(projects.Open), s.repo.ProjectsOf(buyer)} {
		found := all(t, list)
		require.Len(t, found, 2)
		assert.Equal(t, want, []string{found[0].ID, found[1].ID})
	}
	pending := all(t, s.repo.BidsByStatus(projects.Pending))
	assert.Equal(t, want, []string{pending[0].ProjectID, pending[1].ProjectID})
	mine := all(t, s.repo.BidsOf(w))
	assert.Equal(t, want, []string{mine[0].ProjectID, mine[1].ProjectID})
}
