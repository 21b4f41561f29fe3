package projects_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// put stores an item as other software does.
func (s *site) put(item, changes dynastay.Item) {
	s.t.Helper()
	require.NoError(s.t, s.PutAll(s.context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		yield(keys.Table, with(item, changes))
	}))
}

var (
	running = dynastay.Item{"status": text("IN_PROGRESS"), "acceptedBidId": text("bid123")}
	gained  = dynastay.Item{"status": text("ACCEPTED")}
)

// What other software has stored without what its keys consist of is reported as such. It is no fault of the caller's
// arguments, and nothing is written.
func TestItemsWithoutWhatTheirKeysNeed(t *testing.T) {
	t.Parallel()
	s := other(t, nil, nil)
	ctx := t.Context()
	byWorker := projects.Cancellation{ProjectID: "proj001", By: "worker456"}
	accept := func() error {
		return first(s.repo.Accept(ctx, projects.Acceptance{ProjectID: "proj001", WorkerID: "worker456", Quote: zar("65000")}))
	}
	complete := func() error { return first(s.repo.Complete(ctx, "proj001")) }
	update := func() error {
		return first(s.repo.Update(ctx, "proj001", func(p *projects.Project) error { p.Title = "Walls"; return nil }))
	}
	revise := func() error {
		return first(s.repo.Revise(ctx, "proj001", "worker456", func(b *projects.Bid) error { b.Quote = zar("1"); return nil }))
	}
	withdraw := func() error { return first(s.repo.Withdraw(ctx, "proj001", "worker456")) }
	again := func() error { return first(s.repo.Bid(ctx, offer("proj001", "worker456", "1"))) }
	for name, c := range map[string]struct {
		project, bid dynastay.Item
		calls        []func() error
	}{
		"a project without an id":    {dynastay.Item{"projectId": null}, nil, []func() error{update, accept}},
		"a project with another id":  {dynastay.Item{"projectId": text("proj002")}, nil, []func() error{update, accept}},
		"a project without a time":   {dynastay.Item{"createdAt": nil}, nil, []func() error{update, accept}},
		"a project without a buyer":  {dynastay.Item{"buyerId": nil}, nil, []func() error{update, accept}},
		"a project of two buyers":    {dynastay.Item{"buyerId": text("a#b")}, nil, []func() error{update, accept}},
		"a running project":          {with(running, dynastay.Item{"projectId": null}), gained, []func() error{complete}},
		"one of nobody":              {with(running, dynastay.Item{"acceptedBidId": null}), gained, []func() error{complete}},
		"one whose worker cannot be": {with(running, dynastay.Item{"acceptedWorkerId": text("a#b")}), gained, []func() error{complete}},
		"one of another bid": {running, with(gained, dynastay.Item{"bidId": null}), []func() error{
			complete, func() error { return first(s.repo.Cancel(ctx, byWorker)) },
		}},
		"one whose bid has no worker":   {running, with(gained, dynastay.Item{"workerId": null}), []func() error{complete}},
		"a bid without an id":           {nil, dynastay.Item{"bidId": null}, []func() error{revise, withdraw, accept}},
		"a bid without a time":          {nil, dynastay.Item{"createdAt": null}, []func() error{revise, withdraw, accept}},
		"a bid without a worker":        {nil, dynastay.Item{"workerId": nil}, []func() error{revise, withdraw, accept}},
		"a bid without a project":       {nil, dynastay.Item{"projectId": nil}, []func() error{revise, withdraw, accept}},
		"a bid that was withdrawn once": {nil, dynastay.Item{"status": text("WITHDRAWN"), "bidId": nil}, []func() error{again}},
	} {
		project, bid := with(oldProject, c.project), with(oldBid, c.bid)
		s.put(project, nil)
		s.put(bid, nil)
		for _, call := range c.calls {
			err := call()
			assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid, name)
		}
		assert.Equal(t, project, s.item("PROJECT#proj001", "METADATA"), name)
		assert.Equal(t, bid, s.item("PROJECT#proj001", "BID#worker456"), name)
	}
	assert.Empty(t, all(t, s.repo.Rejecting()))
	assert.Zero(t, s.profile("worker456").Ended)
}

// Neither does such a bid keep the others from being rejected.
func TestBidWithoutATimeIsNotRejected(t *testing.T) {
	t.Parallel()
	s := other(t, nil, dynastay.Item{"createdAt": null})
	w := s.workers(2)
	s.bid("proj001", w[0], "1")
	s.bid("proj001", w[1], "1")
	_, err := s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: "proj001", WorkerID: w[0], Quote: zar("1")})
	require.NoError(t, err)
	n, err := s.repo.RejectRest(t.Context(), "proj001")
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
	assert.Equal(t, 1, n)
	assert.Len(t, all(t, s.repo.Rejecting()), 1)
}

// A project of other software may have no budget. It takes bids in any currency, and its buyer can give it one.
func TestProjectWithoutABudget(t *testing.T) {
	t.Parallel()
	s := other(t, dynastay.Item{"budget": null}, nil)
	w := s.workers(1)[0]
	usd := offer("proj001", w, "1")
	usd.Quote = dynastay.MustMoney("1", "USD")
	_, err := s.repo.Bid(t.Context(), usd)
	require.NoError(t, err)
	p, err := s.repo.Update(t.Context(), "proj001", func(p *projects.Project) error { p.Budget = foundation.Budget; return nil })
	require.NoError(t, err)
	assert.Equal(t, foundation.Budget, p.Budget)
	_, err = s.repo.Bid(t.Context(), offer("proj001", w, "1"))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// The buyer of a project of other software may be a worker as well. Nobody deals with himself.
func TestBidOfTheBuyer(t *testing.T) {
	t.Parallel()
	s := other(t, dynastay.Item{"buyerId": text("worker456")}, nil)
	s.signUp("worker457", people.Worker)
	_, err := s.repo.Bid(t.Context(), offer("proj001", "worker457", "1"))
	require.NoError(t, err)
	_, err = s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: "proj001", WorkerID: "worker456", Quote: zar("65000")})
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "WorkerID", invalid.Field)
	_, err = s.repo.Withdraw(t.Context(), "proj001", "worker456")
	require.NoError(t, err)
	_, err = s.repo.Bid(t.Context(), offer("proj001", "worker456", "1"))
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "WorkerID", invalid.Field)
}

// Whose bid is accepted depends on the worker: the ids of bids are the workers' own choice.
func TestBidsWithOneID(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(2)
	p := s.post()
	for _, id := range w {
		b := offer(p.ID, id, "1")
		b.ID = "bid_mine"
		_, err := s.repo.Bid(ctx, b)
		require.NoError(t, err)
	}
	_, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("1")})
	require.NoError(t, err)
	for _, b := range all(t, s.repo.Bids(p.ID)) {
		want := projects.Rejected
		if b.WorkerID == w[0] {
			want = projects.Accepted
		}
		assert.Equal(t, want, b.Status)
	}
}

// The status of a bid that other software has left pending follows from the project, in both lists.
func TestPendingBidsOfAProjectOfOtherSoftware(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		project, bid dynastay.Item
		want         projects.BidStatus
	}{
		"accepted":                {running, nil, projects.Accepted},
		"another's":               {with(running, dynastay.Item{"acceptedBidId": text("bid999")}), nil, projects.Rejected},
		"no bid has an id":        {dynastay.Item{"status": text("CANCELLED")}, dynastay.Item{"bidId": null}, projects.Rejected},
		"withdrawn from the rest": {running, dynastay.Item{"status": text("WITHDRAWN")}, projects.Withdrawn},
	} {
		s := other(t, c.project, c.bid)
		s.put(dynastay.Item{
			"PK": text("USER#worker456"), "SK": text("BID#2025-01-20T14:00:00Z#proj001"), "projectId": text("proj001"),
		}, nil)
		assert.Equal(t, c.want, all(t, s.repo.Bids("proj001"))[0].Status, name)
		assert.Equal(t, c.want, all(t, s.repo.BidsOf("worker456"))[0].Status, name)
		n, err := s.repo.RejectRest(t.Context(), "proj001")
		require.NoError(t, err)
		assert.Zero(t, n, "other software has closed it")
	}
}

// Other software keeps its orders in the partition of their status, which may be one of a project.
func TestOrdersAreNotProjects(t *testing.T) {
	t.Parallel()
	s := other(t, dynastay.Item{"status": text("CANCELLED"), "GSI2PK": text("STATUS#CANCELLED")}, nil)
	s.put(dynastay.Item{
		"PK": text("ORDER#order789"), "SK": text("METADATA"), "entityType": text("ORDER"), "orderId": text("order789"),
		"buyerId": text("buyer123"), "sellerId": text("seller789"), "status": text("CANCELLED"),
		"createdAt": text("2025-01-21T11:00:00Z"), "updatedAt": text("2025-01-21T11:00:00Z"),
		"GSI2PK": text("STATUS#CANCELLED"), "GSI2SK": text("TIMESTAMP#2025-01-21T11:00:00Z"),
	}, nil)
	found, err := s.repo.ByStatus(projects.Cancelled).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	assert.Equal(t, "proj001", found.Items[0].ID)
}

// Lists leave out what is gone, and report what they cannot read beside the rest.
func TestListsOfWhatIsGoneOrUnreadable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(1)[0]
	for range 6 {
		s.bid(s.post().ID, w, "1")
	}
	kept := all(t, s.repo.BidsOf(w))
	item := func(i int, sk string) dynastay.Item { return s.item("PROJECT#"+kept[i].ProjectID, sk) }
	s.put(item(0, "METADATA"), dynastay.Item{"title": number("1")})
	s.put(item(1, "BID#"+w), dynastay.Item{"proposal": number("1")})
	for i, sk := range map[int]string{2: "METADATA", 3: "BID#" + w} {
		_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: aws.String(s.TableName(keys.Table)),
			Key:       keys.Table.Key.Of(dynastay.Key{PK: "PROJECT#" + kept[i].ProjectID, SK: sk}),
		})
		require.NoError(t, err)
	}
	bids, err := s.repo.BidsOf(w).Page(ctx, dynastay.Paging{})
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Equal(t, []int{2, 2}, []int{len(bids.Items), len(unreadable.Items)})
	s.put(dynastay.Item{"PK": text("USER#" + buyer), "SK": text("PROJECT#2037-01-20T09:00:00Z#nothing"), "projectId": null}, nil)
	posted, err := s.repo.ProjectsOf(buyer).Page(ctx, dynastay.Paging{})
	require.ErrorAs(t, err, &unreadable)
	assert.Equal(t, []int{4, 2}, []int{len(posted.Items), len(unreadable.Items)}, "a project, and an item that lists one")
}

// Only somebody who has left the field can bid again, whatever other software has made of a bid for an open project.
func TestRejectedBidForAnOpenProject(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"REJECTED", "ACCEPTED"} {
		s := other(t, nil, dynastay.Item{"status": text(status)})
		_, err := s.repo.Bid(t.Context(), offer("proj001", "worker456", "1"))
		require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	}
}

// Nothing is adopted by a call that changes nothing.
func TestUpdateOfNothing(t *testing.T) {
	t.Parallel()
	s := other(t, nil, nil)
	_, err := s.repo.Update(t.Context(), "proj001", func(*projects.Project) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, oldProject, s.item("PROJECT#proj001", "METADATA"))
	assert.Empty(t, all(t, s.repo.ProjectsOf("buyer123")))
}

// The worker of a project that other software began may not exist any more.
func TestWorkerWithoutAProfile(t *testing.T) {
	t.Parallel()
	s := other(t, with(running, dynastay.Item{"acceptedWorkerId": text("nobody")}), gained)
	_, err := s.repo.Complete(t.Context(), "proj001")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	p, err := s.repo.Cancel(t.Context(), projects.Cancellation{ProjectID: "proj001", By: "buyer123"})
	require.NoError(t, err)
	assert.Equal(t, projects.Cancelled, p.Status)
}

func TestWorkerOf(t *testing.T) {
	t.Parallel()
	s := other(t, nil, dynastay.Item{"bidId": null})
	stop := s.Faults.Record()
	for _, c := range []struct {
		of   projects.Project
		want string
	}{
		{projects.Project{ID: "proj001"}, ""}, {projects.Project{ID: "proj001", AcceptedBidID: "b", AcceptedWorkerID: "w"}, "w"},
	} {
		id, err := s.repo.WorkerOf(t.Context(), &c.of)
		require.NoError(t, err)
		assert.Equal(t, c.want, id)
	}
	assert.Empty(t, stop())
	_, err := s.repo.WorkerOf(t.Context(), &projects.Project{AcceptedBidID: "b"})
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	s.put(oldBid, dynastay.Item{"workerId": null})
	_, err = s.repo.WorkerOf(t.Context(), &projects.Project{ID: "proj001", AcceptedBidID: "bid123"})
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// A project that other software has given to a worker stores only the id of the bid.
func TestWorkerOfAnotherSoftwaresProject(t *testing.T) {
	t.Parallel()
	s := other(t, dynastay.Item{"status": text("IN_PROGRESS"), "acceptedBidId": text("bid123")}, dynastay.Item{"status": text("ACCEPTED")})
	p, err := s.repo.Complete(t.Context(), "proj001")
	require.NoError(t, err)
	assert.Equal(t, "worker456", p.AcceptedWorkerID)
	assert.Equal(t, 1, s.profile("worker456").Jobs)

	// The bids are read once, although it is also who may leave the project that depends on them.
	s = other(t, dynastay.Item{"status": text("IN_PROGRESS"), "acceptedBidId": text("bid123")}, dynastay.Item{"status": text("ACCEPTED")})
	stop := s.Faults.Record()
	_, err = s.repo.Cancel(t.Context(), projects.Cancellation{ProjectID: "proj001", By: "worker456"})
	require.NoError(t, err)
	var sent []string
	for _, request := range stop() {
		sent = append(sent, request.Operation)
	}
	assert.Equal(t, []string{"GetItem", "Query", "GetItem", "TransactWriteItems"}, sent)

	s = other(t, dynastay.Item{"status": text("IN_PROGRESS"), "acceptedBidId": text("bid999")}, nil)
	_, err = s.repo.Complete(t.Context(), "proj001")
	var failure *dynastay.Error
	require.ErrorAs(t, err, &failure)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Equal(t, "AcceptedBidID", failure.Field)
}

// The number of bids may be missing, or NULL.
func TestProjectWithoutANumberOfBids(t *testing.T) {
	t.Parallel()
	for _, missing := range []types.AttributeValue{nil, null} {
		s := other(t, dynastay.Item{"bidCount": missing}, nil)
		w := s.workers(2)
		withdrawn := with(oldBid, dynastay.Item{"SK": text("BID#" + w[1]), "workerId": text(w[1]), "status": text("WITHDRAWN")})
		require.NoError(t, s.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(keys.Table, withdrawn) }))
		_, err := s.repo.Bid(t.Context(), offer("proj001", w[0], "60000"))
		require.NoError(t, err)
		p, err := s.repo.Project(t.Context(), "proj001")
		require.NoError(t, err)
		assert.Equal(t, 2, p.Bids)
		_, err = s.repo.Withdraw(t.Context(), "proj001", "worker456")
		require.NoError(t, err)
		p, err = s.repo.Project(t.Context(), "proj001")
		require.NoError(t, err)
		assert.Equal(t, 1, p.Bids)
	}
}

// A bid that cannot be read does not keep the others from being rejected, and the project remains listed.
func TestUnreadableBidIsNotRejected(t *testing.T) {
	t.Parallel()
	s := other(t, nil, dynastay.Item{"quote": text("much")})
	w := s.workers(2)
	for _, id := range w {
		s.bid("proj001", id, "60000")
	}
	_, err := s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: "proj001", WorkerID: w[0], Quote: zar("60000")})
	require.NoError(t, err)
	n, err := s.repo.RejectRest(t.Context(), "proj001")
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Equal(t, 1, n)
	b, err := s.repo.BidOf(t.Context(), "proj001", w[1])
	require.NoError(t, err)
	assert.Equal(t, projects.Rejected, b.Status)
	assert.Len(t, all(t, s.repo.Rejecting()), 1)
}
