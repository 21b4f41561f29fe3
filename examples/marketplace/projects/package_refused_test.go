package projects_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/keys/key"
)

// refusedAtOnce checks that a call is refused for a field before any request is sent.
func (s *site) refusedAtOnce(what, field string, do func() error) {
	s.t.Helper()
	stop := s.Faults.Record()
	err := do()
	assert.Empty(s.t, stop(), what)
	var invalid *dynastay.InvalidError
	if assert.ErrorAs(s.t, err, &invalid, what) {
		assert.Equal(s.t, field, invalid.Field, what)
	}
}

func TestInvalidProjects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	long, note, no := strings.Repeat("x", 257), strings.Repeat("x", 2049), "\xff"
	usd := dynastay.MustMoney("1", "USD")
	for field, changes := range map[string][]func(p *projects.Project){
		"ID":      {func(p *projects.Project) { p.ID = "a#b" }},
		"BuyerID": {func(p *projects.Project) { p.BuyerID = "" }, func(p *projects.Project) { p.BuyerID = "a#b" }},
		"Title": {
			func(p *projects.Project) { p.Title = " " }, func(p *projects.Project) { p.Title = long }, func(p *projects.Project) { p.Title = no },
		},
		"Description": {func(p *projects.Project) { p.Description = note }},
		"Category":    {func(p *projects.Project) { p.Category = "" }, func(p *projects.Project) { p.Category = long }},
		"Skills":      {func(p *projects.Project) { p.Skills = make([]string, 21) }},
		"Skills[1]": {
			func(p *projects.Project) { p.Skills = []string{"a", long} }, func(p *projects.Project) { p.Skills = []string{"a", " "} },
			func(p *projects.Project) { p.Skills = []string{"a", no} },
		},
		"Place.Address": {func(p *projects.Project) { p.Place.Address = long }},
		"Place.Latitude": {
			func(p *projects.Project) { p.Place.Latitude = 91 }, func(p *projects.Project) { p.Place.Latitude = math.NaN() },
		},
		"Place.Longitude":     {func(p *projects.Project) { p.Place.Longitude = -181 }},
		"Budget.Min":          {func(p *projects.Project) { p.Budget.Min = zar("-1") }},
		"Budget.Min.Currency": {func(p *projects.Project) { p.Budget.Min = dynastay.Money{} }},
		"Budget.Max":          {func(p *projects.Project) { p.Budget.Max = zar("49999.99") }, func(p *projects.Project) { p.Budget.Max = usd }},
		"Budget.Max.Currency": {func(p *projects.Project) { p.Budget.Max = dynastay.Money{} }},
		"Timeline.End":        {func(p *projects.Project) { p.Timeline.End = p.Timeline.Start.AddDays(-1) }},
	} {
		for _, change := range changes {
			p := foundation
			change(&p)
			s.refusedAtOnce(field, field, func() error { return first(s.repo.Post(t.Context(), p)) })
		}
	}
	for what, change := range map[string]func(p *projects.Project){
		"equal":     func(p *projects.Project) { p.Timeline.End, p.Budget.Max = p.Timeline.Start, p.Budget.Min },
		"for free":  func(p *projects.Project) { p.Budget.Min = zar("0") },
		"20 skills": func(p *projects.Project) { p.Skills = strings.Split(long[:20], "") },
		"no start":  func(p *projects.Project) { p.Timeline.Start = dynastay.Date{} },
		"no end":    func(p *projects.Project) { p.Timeline.End = dynastay.Date{} },
	} {
		p := foundation
		change(&p)
		_, err := s.repo.Post(t.Context(), p)
		require.NoError(t, err, what)
	}
	p := foundation
	p.CancelReason = note
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, p.Validate(), &invalid)
	assert.Equal(t, "CancelReason", invalid.Field)
}

func TestInvalidBids(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(1)[0]
	p := s.post()
	for field, changes := range map[string][]func(b *projects.Bid){
		"ProjectID":      {func(b *projects.Bid) { b.ProjectID = "" }, func(b *projects.Bid) { b.ProjectID = "a#b" }},
		"WorkerID":       {func(b *projects.Bid) { b.WorkerID = "" }, func(b *projects.Bid) { b.WorkerID = "a#b" }},
		"ID":             {func(b *projects.Bid) { b.ID = "a#b" }},
		"Quote":          {func(b *projects.Bid) { b.Quote = zar("0") }, func(b *projects.Bid) { b.Quote = zar("-1") }},
		"Quote.Currency": {func(b *projects.Bid) { b.Quote = dynastay.Money{} }},
		"Duration":       {func(b *projects.Bid) { b.Duration = -1 }, func(b *projects.Bid) { b.Duration = 0 }},
		"Unit":           {func(b *projects.Bid) { b.Unit = "" }, func(b *projects.Bid) { b.Unit = "years" }},
		"Proposal":       {func(b *projects.Bid) { b.Proposal = strings.Repeat("x", 2049) }},
	} {
		for _, change := range changes {
			b := offer(p.ID, w, "1")
			change(&b)
			s.refusedAtOnce(field, field, func() error { return first(s.repo.Bid(t.Context(), b)) })
		}
	}
	for _, unit := range []projects.Unit{projects.Days, projects.Weeks, projects.Months} {
		b := offer(s.post().ID, w, "1")
		b.Unit = unit
		_, err := s.repo.Bid(t.Context(), b)
		require.NoError(t, err, unit)
	}
}

// The library keeps some fields itself, also of what it has just read.
func TestFieldsThatUpdatesCannotChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(1)[0]
	p := s.post()
	s.bid(p.ID, w, "1")
	refused := func(field string, err error) {
		t.Helper()
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		assert.Equal(t, field, invalid.Field)
	}
	for field, change := range map[string]func(p *projects.Project){
		"BuyerID": func(p *projects.Project) { p.BuyerID = "b" }, "Status": func(p *projects.Project) { p.Status = projects.Completed },
		"Bids": func(p *projects.Project) { p.Bids = 9 }, "AcceptedBidID": func(p *projects.Project) { p.AcceptedBidID = "b" },
		"AcceptedWorkerID": func(p *projects.Project) { p.AcceptedWorkerID = "w" },
		"CancelledBy":      func(p *projects.Project) { p.CancelledBy = buyer },
		"CancelReason":     func(p *projects.Project) { p.CancelReason = "Ill" },
	} {
		refused(field, first(s.repo.Update(t.Context(), p.ID, func(p *projects.Project) error { change(p); return nil })))
	}
	for field, change := range map[string]func(b *projects.Bid){
		"ProjectID": func(b *projects.Bid) { b.ProjectID = "p" }, "WorkerID": func(b *projects.Bid) { b.WorkerID = "w" },
		"WorkerName":       func(b *projects.Bid) { b.WorkerName = "M" },
		"WorkerTrustScore": func(b *projects.Bid) { b.WorkerTrustScore = 50 },
		"Status":           func(b *projects.Bid) { b.Status = projects.Accepted },
	} {
		refused(field, first(s.repo.Revise(t.Context(), p.ID, w, func(b *projects.Bid) error { change(b); return nil })))
	}
}

func TestInvalidCalls(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	quote := zar("1")
	none := func(*projects.Project) error { return nil }
	for what, c := range map[string]struct {
		field string
		do    func() error
	}{
		"Project":            {"ProjectID", func() error { return first(s.repo.Project(ctx, "")) }},
		"Update":             {"ProjectID", func() error { return first(s.repo.Update(ctx, "", none)) }},
		"Update or missing":  {"OrMissing", func() error { return first(s.repo.Update(ctx, "p", none, dynastay.OrMissing())) }},
		"Revise":             {"ProjectID", func() error { return first(s.repo.Revise(ctx, "", "w", nil)) }},
		"Revise of nobody":   {"WorkerID", func() error { return first(s.repo.Revise(ctx, "p", "", nil)) }},
		"Revise or missing":  {"OrMissing", func() error { return first(s.repo.Revise(ctx, "p", "w", nil, dynastay.OrMissing())) }},
		"Withdraw":           {"WorkerID", func() error { return first(s.repo.Withdraw(ctx, "p", "")) }},
		"BidOf":              {"ProjectID", func() error { return first(s.repo.BidOf(ctx, "", "w")) }},
		"RejectRest":         {"ProjectID", func() error { return first(s.repo.RejectRest(ctx, "")) }},
		"Complete":           {"ProjectID", func() error { return first(s.repo.Complete(ctx, "#")) }},
		"Bids":               {"ProjectID", page(t, s.repo.Bids(""), 0)},
		"ProjectsOf":         {"BuyerID", page(t, s.repo.ProjectsOf(""), 0)},
		"BidsOf":             {"WorkerID", page(t, s.repo.BidsOf(""), 0)},
		"ByStatus":           {"Status", page(t, s.repo.ByStatus("PENDING"), 0)},
		"ByStatus of none":   {"Status", page(t, s.repo.ByStatus("ARCHIVED"), 0)},
		"BidsByStatus, too":  {"Status", page(t, s.repo.BidsByStatus("ARCHIVED"), 0)},
		"BidsByStatus":       {"Status", page(t, s.repo.BidsByStatus("OPEN"), 0)},
		"Accept":             {"ProjectID", func() error { return first(s.repo.Accept(ctx, projects.Acceptance{WorkerID: "w", Quote: quote})) }},
		"Accept of nobody":   {"WorkerID", func() error { return first(s.repo.Accept(ctx, projects.Acceptance{ProjectID: "p", Quote: quote})) }},
		"Accept of no quote": {"Quote.Currency", func() error { return first(s.repo.Accept(ctx, projects.Acceptance{ProjectID: "p", WorkerID: "w"})) }},
		"Cancel":             {"ProjectID", func() error { return first(s.repo.Cancel(ctx, projects.Cancellation{By: buyer})) }},
		"Cancel by another":  {"By", func() error { return first(s.repo.Cancel(ctx, projects.Cancellation{ProjectID: "p", By: "a#b"})) }},
		"Cancel by nobody":   {"By", func() error { return first(s.repo.Cancel(ctx, projects.Cancellation{ProjectID: "p"})) }},
		"Cancel with a novel": {"Reason", func() error {
			return first(s.repo.Cancel(ctx, projects.Cancellation{ProjectID: "p", By: buyer, Reason: strings.Repeat("x", 2049)}))
		}},
	} {
		s.refusedAtOnce(what, c.field, c.do)
	}
	assert.Panics(t, func() { projects.New(s.DB.DB, s.people, &projects.Options{Shards: key.Shards{Write: 2}}) })
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
