package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
)

// Two changes of status are one transaction, and a repetition with the same key returns what the first call did.
func TestStatusOps(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", pending))
	create(t, repo, grand("p2", pending))
	create(t, repo, grand("p3", pending))
	for range 2 {
		approved, rejected := repo.ApproveOp("p1"), repo.RejectOp("p2")
		require.NoError(t, db.Write(t.Context(), approved, rejected, dynastay.IdempotencyKey("review")))
		assert.Equal(t, []properties.Status{properties.Approved, properties.Rejected},
			[]properties.Status{approved.Result().Status, rejected.Result().Status})
		checkDerived(t, db, "p1")
		checkDerived(t, db, "p2")
	}

	// One is refused, so neither is made.
	err := db.Write(t.Context(), repo.ResubmitOp("p2"), repo.SuspendOp("p3"))
	assertNotAllowed(t, err, properties.Pending)
	p, err := repo.Get(t.Context(), "p2")
	require.NoError(t, err)
	assert.Equal(t, properties.Rejected, p.Status)
	require.NoError(t, db.Write(t.Context(), repo.ResubmitOp("p2")))
	checkDerived(t, db, "p2")
}

// A method that also moves the nights can be called again, but takes no key: there is no one write that would have it.
func TestStatusesUnderAKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2", pending))
	for _, want := range []properties.Status{properties.Rejected, properties.Pending} {
		got, err := repo.Reject(t.Context(), "p2", dynastay.IdempotencyKey("reject"))
		require.NoError(t, err)
		assert.Equal(t, want, got.Status, "it is rejected once")
		require.NoError(t, second(repo.Resubmit(t.Context(), "p2")))
	}
	blame.Of(t, second(repo.Suspend(t.Context(), "p1", dynastay.IdempotencyKey("k"))), dynastay.ErrInvalid, "IdempotencyKey")
	require.NoError(t, db.Write(t.Context(), repo.SuspendOp("p1", dynastay.IdempotencyKey("k"))))
}

// SuspendOp leaves the nights to Suspend.
func TestSuspendOpIsFinishedBySuspend(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo, nights := properties.New(db.DB, nil), availability.New(db.DB)
	create(t, repo, grand("p1"))
	from := dynastay.DateOf(db.Now(), nil).AddDays(2)
	stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(3)}
	_, err := nights.Open(t.Context(), availability.OpenRequest{
		PropertyID: "p1", RoomTypeID: "room_a_of_p1", Nights: stay, Rooms: 1, Price: dynastay.MustMoney("100", "USD"),
	})
	require.NoError(t, err)
	closed := func() (n int) {
		t.Helper()
		got, err := nights.Check(t.Context(), "p1", "room_a_of_p1", 1, stay, dynastay.Consistent)
		require.NoError(t, err)
		for _, night := range got.Nights {
			if night.PropertyClosed {
				n++
			}
		}
		return n
	}
	require.NoError(t, db.Write(t.Context(), repo.SuspendOp("p1")))
	assert.Zero(t, closed())
	require.NoError(t, second(repo.Suspend(t.Context(), "p1")))
	assert.Equal(t, 3, closed())
	require.NoError(t, db.Write(t.Context(), repo.ApproveOp("p1")))
	assert.Equal(t, 3, closed())
	require.NoError(t, second(repo.Approve(t.Context(), "p1")))
	assert.Zero(t, closed())
	checkDerived(t, db, "p1")
}
