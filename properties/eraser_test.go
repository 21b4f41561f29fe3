package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
)

// A user who owns properties, whatever their status, cannot be erased until they have another owner or are deleted.
func TestOwnersAreNotErased(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	eraser := repo.Eraser()
	check := func(want ...string) {
		t.Helper()
		err := eraser.Check(t.Context(), "user_456")
		done, erased := eraser.Erase(t.Context(), "user_456")
		assert.Equal(t, map[string]int{}, done)
		assert.Equal(t, err, erased)
		if want == nil {
			assert.NoError(t, err)
			return
		}
		assert.Equal(t, &properties.OwnerError{UserID: "user_456", PropertyIDs: want}, err)
	}
	check()
	create(t, repo, grand("p2"))
	create(t, repo, grand("p1", pending))
	create(t, repo, grand("p3", func(p *properties.Property) { p.OwnerID = "user_1" }))
	_, err := repo.Suspend(t.Context(), "p2")
	require.NoError(t, err)
	before := everything(t, db, "PROPERTY#p1", "PROPERTY#p2")
	check("p1", "p2")
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "PROPERTY#p2"))

	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.OwnerID = "user_1" }))
	require.NoError(t, err)
	check("p2")
	// The deletion is interrupted when the property has the status Deleting.
	stop := db.Faults.Inject(dyntest.Fail("ValidationException"), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	require.Error(t, repo.Delete(t.Context(), "p2"))
	stop.Stop()
	deleting, err := repo.Get(t.Context(), "p2")
	require.NoError(t, err)
	require.Equal(t, properties.Deleting, deleting.Status)
	check("p2")
	require.NoError(t, repo.Delete(t.Context(), "p2"))
	check()
}

// A property that cannot be decoded has an owner all the same. What the index shows does not count.
func TestOwnersOfOtherSoftwareAndAnIndexThatLags(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	create(t, repo, grand("p3"))
	lag := db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: "Properties"})
	_, err := repo.Update(t.Context(), "p2", edit(func(p *properties.Property) { p.OwnerID = "user_1" }))
	require.NoError(t, err)
	remove(t, db, keyOf("p3"))
	create(t, repo, grand("p4"))
	item := partition(t, db, "PROPERTY#p1")["METADATA"]
	item["StarRating"] = dynastay.Text("five")
	put(t, db, item)
	_, err = repo.Get(t.Context(), "p1")
	require.ErrorIs(t, err, dynastay.ErrCorrupt)

	assert.Equal(t, &properties.OwnerError{UserID: "user_456", PropertyIDs: []string{"p1"}}, repo.Eraser().Check(t.Context(), "user_456"))
	lag.Stop()
	err = repo.Eraser().Check(t.Context(), "user_456")
	assert.Equal(t, &properties.OwnerError{UserID: "user_456", PropertyIDs: []string{"p1", "p4"}}, err)
	assert.EqualError(t, err, "cannot erase user user_456, the owner of properties: p1, p4")
	err = &properties.OwnerError{UserID: "ann@example.com", PropertyIDs: []string{"bob@example.com"}}
	assert.EqualError(t, err, "cannot erase user ***, the owner of properties: ***")
}

func TestEraserOfProperties(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, user := range []string{"", "user#1"} {
		sent := db.Faults.Record()
		blame.Of(t, repo.Eraser().Check(t.Context(), user), dynastay.ErrInvalid, "UserID")
		_, err := repo.Eraser().Erase(t.Context(), user)
		blame.Of(t, err, dynastay.ErrInvalid, "UserID")
		assert.Empty(t, sent())
	}
	spent := db.Measure(func() { require.NoError(t, repo.Eraser().Check(t.Context(), "user_1")) })
	assert.Equal(t, 1, spent.Requests)
	if db.Has(dyntest.ExactUnits) { // DynamoDB Local does not charge for a Query that finds nothing
		assert.Equal(t, []float64{0.5, 0}, []float64{spent.ReadUnits, spent.WriteUnits})
	}
	for n := range 3 {
		create(t, repo, grand(fmt.Sprint("p", n)))
	}
	stop := db.Faults.Record()
	spent = db.Measure(func() { require.Error(t, repo.Eraser().Check(t.Context(), "user_456")) })
	sent := stop()
	require.Len(t, sent, 2)
	assert.Contains(t, string(sent[1].Body), `"ConsistentRead":true`)
	assert.Equal(t, []float64{2, 0.5 + 3, 0}, []float64{float64(spent.Requests), spent.ReadUnits, spent.WriteUnits})
	for nth := 1; nth <= 2; nth++ {
		stop := db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Nth: nth})
		assert.ErrorContains(t, repo.Eraser().Check(t.Context(), "user_456"), "AccessDenied")
		stop.Stop()
	}
}
