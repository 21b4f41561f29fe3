package properties_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

type statusCall = func(*properties.Repository, context.Context, string, ...dynastay.UpdateOption) (*properties.Property, error)

var statusCalls = map[string]statusCall{
	"Approve": (*properties.Repository).Approve, "Reject": (*properties.Repository).Reject,
	"Resubmit": (*properties.Repository).Resubmit, "Suspend": (*properties.Repository).Suspend,
}

// inStatus brings the seller's new property into a status, without the faults.
func (s *seller) inStatus(id string, status properties.Status) {
	s.t.Helper()
	ctx := context.Background()
	must := func(_ *properties.Property, err error) { require.NoError(s.t, err) }
	if status == properties.Approved || status == properties.Suspended {
		s.create(id, 2)
	} else {
		s.create(id, 2, pending)
	}
	switch status {
	case properties.Rejected:
		must(s.direct.Reject(ctx, id))
	case properties.Suspended:
		must(s.direct.Suspend(ctx, id))
	case properties.Deleting:
		s.halfDeleted()
	}
	require.Equal(s.t, status, s.status())
}

// readsPartition reports whether a Query reads all items of a property.
func readsPartition(r dyntest.Request) bool {
	return strings.Contains(string(r.Body), `"KeyConditionExpression":"#0 = :0"`) && strings.Contains(string(r.Body), "PROPERTY#")
}

// halfDeleted deletes the property up to its first item.
func (s *seller) halfDeleted() {
	s.t.Helper()
	lost := s.db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{
		Operation: "Query", Match: readsPartition,
	})
	require.Error(s.t, once(s.db).Delete(context.Background(), s.id))
	lost.Stop()
}

// Every status allows only some changes, and a refused one writes nothing. A change to the present status is allowed.
func TestStatuses(t *testing.T) {
	t.Parallel()
	allowed := map[string]map[properties.Status]properties.Status{
		"Approve": {
			properties.Pending: properties.Approved, properties.Rejected: properties.Approved,
			properties.Suspended: properties.Approved, properties.Approved: properties.Approved,
		},
		"Reject":   {properties.Pending: properties.Rejected, properties.Rejected: properties.Rejected},
		"Resubmit": {properties.Rejected: properties.Pending, properties.Pending: properties.Pending},
		"Suspend":  {properties.Approved: properties.Suspended, properties.Suspended: properties.Suspended},
	}
	for name, call := range statusCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSeller(t, 1, 1)
			for _, from := range []properties.Status{
				properties.Pending, properties.Approved, properties.Rejected, properties.Suspended, properties.Deleting,
			} {
				s.inStatus("p_"+string(from), from)
				before, sent := allItems(t, s.db), writes(s.db)
				p, err := call(s.repo, t.Context(), s.id)
				to, ok := allowed[name][from]
				if !ok {
					assertStatus(t, err, "properties."+name, from)
					assert.Equal(t, sent, writes(s.db))
					assert.Equal(t, before, allItems(t, s.db))
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, []any{to, 1}, []any{p.Status, p.Version})
				assert.Equal(t, to, s.status())
				assertKeys(t, s.db, s.id)
				s.assertGuards()
				if from == to {
					assert.Equal(t, before, allItems(t, s.db))
					if name == "Reject" || name == "Resubmit" {
						assert.Equal(t, sent, writes(s.db))
					}
				}
				read, err := s.direct.Get(t.Context(), s.id, dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, read, p)
			}
			_, err := call(s.repo, t.Context(), "p_none")
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
			_, err = call(s.repo, t.Context(), "a#b")
			blame.Of(t, err, dynastay.ErrInvalid, "PropertyID")
		})
	}
}

// The statuses are read consistently, and cost what their comments say.
func TestStatusRequests(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 3)
	calls := func(call func() (*properties.Property, error)) []string {
		t.Helper()
		stop := s.db.Faults.Record()
		_, err := call()
		require.NoError(t, err)
		requests := stop()
		assert.Contains(t, string(requests[0].Body), `"ConsistentRead":true`)
		return wire.Operations(requests)
	}
	change := []string{"Query", "BatchGetItem", "TransactWriteItems"}
	suspended := calls(func() (*properties.Property, error) { return s.repo.Suspend(t.Context(), s.id) })
	assert.Equal(t, change, suspended[:3])
	assert.Len(t, suspended, 3+2*3)
	assert.Len(t, calls(func() (*properties.Property, error) { return s.repo.Suspend(t.Context(), s.id) }), 3+2)
	assert.Len(t, calls(func() (*properties.Property, error) { return s.repo.Approve(t.Context(), s.id) }), 3+2*3)
	s.create("p2", 2, pending)
	assert.Equal(t, []string{"GetItem", "UpdateItem"}, calls(func() (*properties.Property, error) { return s.repo.Reject(t.Context(), "p2") }))
	assert.Equal(t, []string{"GetItem", "UpdateItem"}, calls(func() (*properties.Property, error) { return s.repo.Resubmit(t.Context(), "p2") }))
	assert.Equal(t, change, calls(func() (*properties.Property, error) { return s.repo.Approve(t.Context(), "p2") }))
}

// A property must have a room type in order to be approved.
func TestApproveWithoutRoomTypes(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	s.create("p2", 0, pending)
	_, err := s.repo.Approve(t.Context(), "p2")
	blame.Of(t, err, dynastay.ErrInvalid, "Status")
	assert.ErrorContains(t, err, "cannot be approved without a room type")
	assert.Equal(t, properties.Pending, s.status())
	_, err = s.repo.AddRoomTypes(t.Context(), "p2", []properties.RoomType{king("r", "100")})
	require.NoError(t, err)
	_, err = s.repo.Approve(t.Context(), "p2")
	require.NoError(t, err)

	s.create("p3", 0, pending)
	_, err = s.repo.Reject(t.Context(), "p3")
	require.NoError(t, err, "every other status is possible")
	require.NoError(t, s.repo.Delete(t.Context(), "p3"))
	s.assertDeleted()
}

// While a property is suspended, nothing of it is sold. What the host decided before, and meanwhile, applies
// afterwards.
func TestSuspendAndApprove(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 4)
	stopped, room := s.rooms[0], s.rooms[1]
	on, three := true, 3
	change := func(c availability.Change) {
		t.Helper()
		c.RoomTypeIDs, c.Dates = s.rooms[:1], dynastay.MustStay("2026-07-01", "2026-07-05")
		_, err := s.nights.Update(t.Context(), availability.UpdateRequest{PropertyID: s.id, Changes: []availability.Change{c}})
		require.NoError(t, err)
	}
	change(availability.Change{StopSell: &on, StopSellReason: "painting"})
	offer := s.mustQuote(room)
	booked, err := s.book(s.mustQuote(room))
	require.NoError(t, err)

	_, err = s.repo.Suspend(t.Context(), s.id)
	require.NoError(t, err)
	s.assertWhole()
	s.assertOffSale(offer)
	_, err = s.quote(room)
	refused := blame.As[*availability.Refused](t, err)
	_, err = s.tryOpen(room, "2026-08-01", 1)
	assert.ErrorIs(t, err, availability.ErrClosed)
	for _, host := range []func(context.Context, string) (availability.SalesChange, error){s.nights.CloseSales, s.nights.ReopenSales} {
		_, err := host(t.Context(), s.id)
		assert.ErrorIs(t, err, availability.ErrSuspended)
	}
	s.assertWhole()
	same, err := bookings.New(s.db.Direct, nil).Get(t.Context(), booked.ID)
	require.NoError(t, err)
	assert.Equal(t, booked, same, "a booking that exists is not affected")
	change(availability.Change{MinStay: &three})

	// A room type that is added meanwhile is off sale like the others.
	_, err = s.repo.AddRoomTypes(t.Context(), s.id, []properties.RoomType{king("new", "300")})
	require.NoError(t, err)
	s.rooms = append(s.rooms, "new")
	s.assertGuards()
	_, err = s.tryOpen("new", "2026-07-01", 4)
	assert.ErrorIs(t, err, availability.ErrClosed)
	_, err = s.repo.Update(t.Context(), s.id, describe)
	require.NoError(t, err, "the property can be changed")
	s.assertGuards()

	_, err = s.repo.Approve(t.Context(), s.id)
	require.NoError(t, err)
	s.open("new", "2026-07-01", 4)
	s.assertWhole()
	_, err = s.book(offer)
	require.NoError(t, err)
	_, err = s.quote(stopped)
	require.ErrorAs(t, err, &refused)
	assert.True(t, refused.Has(availability.StopSell))
	assert.True(t, refused.Has(availability.MinStay))
	assert.False(t, refused.Has(availability.PropertyClosed))
}

// Sales that the host closed stay closed when a suspended property is approved, and only the host reopens them.
func TestSuspendAfterTheHostClosed(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 2)
	_, err := s.nights.CloseSales(t.Context(), s.id)
	require.NoError(t, err)
	before := s.guards()
	_, err = s.repo.Suspend(t.Context(), s.id)
	require.NoError(t, err)
	_, err = s.nights.ReopenSales(t.Context(), s.id)
	require.ErrorIs(t, err, availability.ErrSuspended)
	assert.Equal(t, before, s.guards())
	_, err = s.repo.Approve(t.Context(), s.id)
	require.NoError(t, err)
	assert.Equal(t, before, s.guards())
	closed, open := s.marks()
	assert.Equal(t, []int{4, 0}, []int{closed, open})
	_, err = s.nights.ReopenSales(t.Context(), s.id)
	require.NoError(t, err)
	s.assertWhole()

	// The host reopens between the read of the guards and the suspension.
	_, err = s.nights.CloseSales(t.Context(), s.id)
	require.NoError(t, err)
	s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := s.nights.ReopenSales(ctx, s.id)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err = s.repo.Suspend(t.Context(), s.id)
	require.NoError(t, err)
	s.assertWhole()
}

// A suspension and an approval are broken off before or after a request, and repeated: with the flag -breaks=-1, at
// every request.
func TestStatusIsResumable(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 12, 3)
	repo := once(s.db)
	offers := map[string]*availability.Quote{s.rooms[0]: s.mustQuote(s.rooms[0]), s.rooms[11]: s.mustQuote(s.rooms[11])}
	moves := []struct {
		name string
		call statusCall
	}{{"Suspend", (*properties.Repository).Suspend}, {"Approve", (*properties.Repository).Approve}}
	stop := s.db.Faults.Record()
	for _, m := range moves {
		_, err := m.call(repo, t.Context(), s.id)
		require.NoError(t, err)
	}
	requests := len(stop()) / len(moves)
	require.Equal(t, 3+12*3, requests)
	breakOff(t, requests, *breaks, func(nth int, fault dyntest.Fault, name string) {
		for _, m := range moves {
			at := fmt.Sprintf("%s, broken off at the %s of request %d", m.name, name, nth)
			broken := s.db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 100 * requests, Optional: true})
			_, err := m.call(repo, t.Context(), s.id)
			broken.Stop()
			require.Error(t, err, at)
			s.assertGuards(at)
			assertKeys(t, s.db, s.id, at)
			_, err = m.call(repo, t.Context(), s.id)
			require.NoError(t, err, at)
			s.assertWhole(at)
			if m.name == "Suspend" {
				for _, offer := range offers {
					s.assertOffSale(offer, at)
				}
			}
		}
	})
}

// One caller suspends and another one approves, and the other is done before a request of the first. The guards agree
// with the status in any case, and the nights do after a call that succeeded last.
func TestSuspensionAndApprovalMeet(t *testing.T) {
	t.Parallel()
	suspend, approve := (*properties.Repository).Suspend, (*properties.Repository).Approve
	for _, test := range []struct {
		name          string
		from          properties.Status
		first, second statusCall
		at            string // the request of the first, before which the second runs
		nth           int
		fails         error
		want          properties.Status
	}{
		{"suspending, in the middle of the nights", properties.Approved, suspend, approve, "TransactWriteItems", 2, availability.ErrReopened, properties.Approved},
		{"approving, in the middle of the nights", properties.Suspended, approve, suspend, "TransactWriteItems", 2, availability.ErrClosed, properties.Suspended},
		{"suspending, before the transaction", properties.Approved, suspend, approve, "TransactWriteItems", 1, nil, properties.Suspended},
		{"approving, before the transaction", properties.Suspended, approve, suspend, "TransactWriteItems", 1, nil, properties.Approved},
		{"suspending again, before the transaction", properties.Suspended, suspend, approve, "TransactWriteItems", 1, nil, properties.Suspended},
		{"approving again, before the transaction", properties.Approved, approve, suspend, "TransactWriteItems", 1, nil, properties.Approved},
		{"suspending again, before the guards", properties.Suspended, suspend, approve, "BatchGetItem", 1, nil, properties.Suspended},
		{"approving again, before the guards", properties.Approved, approve, suspend, "BatchGetItem", 1, nil, properties.Approved},
		{"suspending, before the guards", properties.Approved, suspend, approve, "BatchGetItem", 1, nil, properties.Suspended},
		{"both suspend", properties.Approved, suspend, suspend, "TransactWriteItems", 1, nil, properties.Suspended},
		{"both approve", properties.Suspended, approve, approve, "TransactWriteItems", 1, nil, properties.Approved},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := openSeller(t, 3, 2)
			if test.from == properties.Suspended {
				_, err := s.direct.Suspend(t.Context(), s.id)
				require.NoError(t, err)
			}
			s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				_, err := test.second(s.direct, ctx, s.id)
				assert.NoError(t, err)
			}), dyntest.When{Operation: test.at, Nth: test.nth})
			_, err := test.first(s.repo, t.Context(), s.id)
			if test.fails != nil {
				assert.ErrorIs(t, err, test.fails)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.want, s.status())
			s.assertWhole()
		})
	}
}

// Two processes suspend and approve a property, add room types, and the host closes and reopens its sales. In the end,
// the guards agree with the status.
func TestStatusRace(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 2)
	var mu sync.Mutex
	added := 0
	racing.Together(8, func(i int) {
		db := s.db.Open(&dynastay.Options{Retry: patient})
		repo, nights := properties.New(db, nil), availability.New(db)
		for n := range 4 {
			var err error
			switch (i + n) % 4 {
			case 0:
				_, err = repo.Suspend(t.Context(), s.id)
			case 1:
				_, err = repo.Approve(t.Context(), s.id)
			case 2:
				room := king(fmt.Sprintf("new_%d_%d", i, n), "250")
				room.Name = "R"
				if _, err = repo.AddRoomTypes(t.Context(), s.id, []properties.RoomType{room}); err == nil {
					mu.Lock()
					s.rooms, added = append(s.rooms, room.ID), added+1
					mu.Unlock()
				}
			case 3:
				_, err = nights.CloseSales(t.Context(), s.id)
				if err == nil {
					_, err = nights.ReopenSales(t.Context(), s.id)
				}
			}
			if !errors.Is(err, availability.ErrReopened) && !errors.Is(err, availability.ErrClosed) && !errors.Is(err, availability.ErrSuspended) {
				assert.NoError(t, err)
			}
		}
	})
	assert.Equal(t, 8, added)
	approved := s.status() == properties.Approved
	for _, id := range s.guards() {
		if approved {
			assert.NotContains(t, id, keys.ClosedByStatus)
		} else {
			assert.NotEmpty(t, id, "closed by the status or by the host")
		}
	}
	_, err := s.nights.ReopenSales(t.Context(), s.id)
	if !approved {
		assert.ErrorIs(t, err, availability.ErrSuspended)
	}
	_, err = s.repo.Approve(t.Context(), s.id)
	require.NoError(t, err)
	_, err = s.nights.ReopenSales(t.Context(), s.id)
	require.NoError(t, err)
	closed, open := s.marks()
	assert.Equal(t, []int{0, 4}, []int{closed, open})
	s.assertGuards()
}

// On a suspended property, a new room type is off sale until the property is approved again.
func TestRoomTypeOfASuspendedProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, nights := properties.New(db.DB, nil), availability.New(db.DB)
	create(t, repo, grand("p1"))
	_, err := repo.Suspend(t.Context(), "p1")
	require.NoError(t, err)
	_, err = repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r1", "10"), king("r2", "10")})
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	open := availability.OpenRequest{
		PropertyID: "p1", RoomTypeID: "r1", Nights: dynastay.MustStay("2026-07-01", "2026-07-03"), Rooms: 1, Price: dynastay.MustMoney("10", "USD"),
	}
	_, err = nights.Open(t.Context(), open)
	assert.ErrorIs(t, err, availability.ErrClosed)
	ids := map[string]bool{}
	for _, id := range []string{"r1", "r2"} {
		closed := dynastay.RowOf(partition(t, db, "ROOM#"+id)["GUARD"]).Text(keys.AttrClosed)
		assert.True(t, strings.HasPrefix(closed, keys.ClosedByStatus), closed)
		ids[closed] = true
	}
	assert.Len(t, ids, 2)
	_, err = repo.Approve(t.Context(), "p1")
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	_, err = nights.Open(t.Context(), open)
	require.NoError(t, err)
}

// An admin approves what was reviewed, and nothing else.
func TestApproveIfVersion(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	reviewed := create(t, repo, grand("p1", pending))
	_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Description = "Not what it was." }))
	require.NoError(t, err)
	_, err = repo.Approve(t.Context(), "p1", dynastay.IfVersion(reviewed.Version))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = repo.Approve(t.Context(), "p1", dynastay.OrMissing())
	blame.Of(t, err, dynastay.ErrInvalid, "OrMissing")
	_, err = repo.Approve(t.Context(), "p1", dynastay.IfVersion(reviewed.Version+1))
	require.NoError(t, err)
	checkDerived(t, db, "p1")
}
