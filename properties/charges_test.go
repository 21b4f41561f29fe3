package properties_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// salesTax is a percentage of the lodging.
func salesTax(id string) charges.Charge {
	return charges.Charge{
		ID: id, Name: "Sales tax " + id, Kind: charges.Tax, Rate: 8_8750, Per: charges.PerNight, Of: []charges.Component{charges.Lodging},
	}
}

// unitFee is an amount for each room and night.
func unitFee(currency dynastay.Currency) charges.Charge {
	return charges.Charge{ID: "unit", Name: "Unit fee", Kind: charges.Fee, Amount: dynastay.MustMoney("2", currency), Per: charges.PerRoomNight}
}

func add(all ...charges.Charge) func(*charges.List) error {
	return func(l *charges.List) error { l.Charges = append(l.Charges, all...); return nil }
}

func rename(l *charges.List) error { l.Charges[0].Name += "!"; return nil }

// chargesAt is the key of the charges of p1.
var chargesAt = dynastay.Key{PK: "RATES#p1", SK: "CHARGES"}

// chargesOf reads the charges of p1.
func chargesOf(t *testing.T, repo *properties.Repository) *charges.List {
	t.Helper()
	l, err := repo.Charges(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	return l
}

// update changes the charges of p1.
func updateCharges(t *testing.T, repo *properties.Repository, fn func(*charges.List) error) *charges.List {
	t.Helper()
	l, err := repo.UpdateCharges(t.Context(), "p1", fn)
	require.NoError(t, err)
	return l
}

func TestCharges(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	none := &charges.List{PropertyID: "p1"}
	assert.Equal(t, none, chargesOf(t, repo))
	before := partition(t, db, "PROPERTY#p1")
	same, err := repo.UpdateCharges(t.Context(), "p1", func(l *charges.List) error {
		assert.Equal(t, none, l)
		l.Version, l.CreatedAt = 7, fixture.Now // of what is not stored
		return nil
	}, dynastay.IfVersion(0))
	require.NoError(t, err)
	assert.Equal(t, none, same)
	assert.Equal(t, before, partition(t, db, "PROPERTY#p1"))
	assert.Empty(t, partition(t, db, "RATES#p1"))

	made, err := repo.UpdateCharges(t.Context(), "p1", add(salesTax("state"), unitFee("USD")), dynastay.IfVersion(0))
	require.NoError(t, err)
	want := &charges.List{
		PropertyID: "p1", Charges: []charges.Charge{salesTax("state"), unitFee("USD")}, CreatedAt: fixture.Now, UpdatedAt: fixture.Now, Version: 1,
	}
	assert.Equal(t, want, made)
	assert.Equal(t, want, chargesOf(t, repo))
	p, err := repo.Get(t.Context(), "p1")
	require.NoError(t, err)
	assert.True(t, p.HasCharges)
	assert.Equal(t, 1, p.Version, "charges are not an edit of the property")

	db.Clock.Advance(time.Hour)
	updated, err := repo.UpdateCharges(t.Context(), "p1", func(l *charges.List) error {
		l.Charges = append([]charges.Charge{salesTax("city")}, l.Charges[1:]...)
		return nil
	}, dynastay.IfVersion(1))
	require.NoError(t, err)
	want.Charges[0], want.UpdatedAt, want.Version = salesTax("city"), fixture.Now.Add(time.Hour), 2
	assert.Equal(t, want, updated)
	assert.Equal(t, want, chargesOf(t, repo))

	before = partition(t, db, "PROPERTY#p1")
	same = updateCharges(t, repo, func(*charges.List) error { return nil })
	assert.Equal(t, want, same)
	assert.Equal(t, before, partition(t, db, "PROPERTY#p1"), "nothing has changed, so the property is not written")

	empty := updateCharges(t, repo, func(l *charges.List) error { l.Charges = nil; return nil })
	assert.Empty(t, empty.Charges)
	assert.Equal(t, 3, empty.Version)
	assert.Equal(t, empty, chargesOf(t, repo), "the version goes on")

	require.NoError(t, repo.Delete(t.Context(), "p1"))
	assert.Empty(t, partition(t, db, "RATES#p1"))
	assert.Empty(t, partition(t, db, "PROPERTY#p1"))
}

// A property with charges, with plans, or with both leaves nothing when it is deleted.
func TestDeleteWithCharges(t *testing.T) {
	t.Parallel()
	for _, plans := range []bool{false, true} {
		db, repo := openRates(t)
		updateCharges(t, repo, add(salesTax("state")))
		if plans {
			require.NoError(t, second(repo.CreateRatePlan(t.Context(), ratePlan("x"))))
		}
		require.NoError(t, repo.Delete(t.Context(), "p1"))
		assert.Empty(t, partition(t, db, "RATES#p1"), plans)
	}
}

func TestChargesRefused(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	// Before any request.
	stop := db.Faults.Record()
	_, err := repo.Charges(t.Context(), "")
	blame.Invalid(t, err, "PropertyID")
	never := func(*charges.List) error { assert.Fail(t, "not called"); return nil }
	_, err = repo.UpdateCharges(t.Context(), "", never)
	blame.Invalid(t, err, "PropertyID")
	_, err = repo.UpdateCharges(t.Context(), "p1", never, dynastay.AgreedOn(strings.Repeat("x", 4097)))
	blame.Invalid(t, err, "AgreedOn")
	assert.Empty(t, stop())

	before := partition(t, db, "PROPERTY#p1")
	var written dynastay.WriteID // of another item
	require.NoError(t, written.UnmarshalDynamoDBAttributeValue(before["METADATA"][keys.PropertiesTable.WriteIDName()]))
	refused := errors.New("no")
	for _, first := range []bool{true, false} {
		_, err = repo.UpdateCharges(t.Context(), "p1", func(*charges.List) error { return refused })
		require.ErrorIs(t, err, refused)
		_, err = repo.UpdateCharges(t.Context(), "p1", func(l *charges.List) error { l.PropertyID = "p2"; return add(salesTax("a"))(l) })
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		_, err = repo.UpdateCharges(t.Context(), "p1", add(unitFee("EUR")))
		blame.Invalid(t, err, "Currency")
		assert.ErrorContains(t, err, "must be USD, the currency of the room types, got EUR")
		for _, other := range []dynastay.UpdateOption{dynastay.IfVersion(2), dynastay.IfWritten(written)} {
			_, err = repo.UpdateCharges(t.Context(), "p1", add(salesTax("b")), other)
			require.ErrorIs(t, err, dynastay.ErrVersion)
		}
		_, err = repo.UpdateCharges(t.Context(), "p2", add(salesTax("b")))
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		assert.Equal(t, before, partition(t, db, "PROPERTY#p1"))
		if first {
			assert.Empty(t, partition(t, db, "RATES#p1"))
			updateCharges(t, repo, add(salesTax("a")))
			before = partition(t, db, "PROPERTY#p1")
		}
	}
	assert.Len(t, chargesOf(t, repo).Charges, 1)
	for _, change := range []func(*charges.List) error{
		func(l *charges.List) error { l.Version++; return nil },
		func(l *charges.List) error { l.CreatedAt = l.CreatedAt.Add(1e9); return nil },
	} {
		_, err = repo.UpdateCharges(t.Context(), "p1", change)
		require.ErrorIs(t, err, dynastay.ErrInvalid)
	}
}

// The amounts are in the currency of the room types. Charges in one that the room types no longer have can be changed.
func TestCurrencyOfCharges(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	_, err := repo.Create(t.Context(), grand("p2", pending), nil)
	require.NoError(t, err)
	change := func(fn func(*charges.List) error) error { return second(repo.UpdateCharges(t.Context(), "p2", fn)) }
	require.NoError(t, change(add(unitFee("EUR"))), "without room types")
	_, err = repo.AddRoomTypes(t.Context(), "p2", []properties.RoomType{king("r3", "100")})
	require.NoError(t, err)
	require.NoError(t, change(rename))
	blame.Invalid(t, change(func(l *charges.List) error { l.Charges[0] = unitFee("JPY"); return nil }), "Currency")
	require.NoError(t, change(func(l *charges.List) error { l.Charges[0] = unitFee("USD"); return nil }))
	require.NoError(t, change(func(l *charges.List) error { l.Charges[0] = salesTax("a"); return nil }), "without amounts")
}

// The first charges of two callers, and of one that deletes the property, meet.
func TestChargesMeet(t *testing.T) {
	t.Parallel()
	for _, there := range []int{0, 1} {
		db, repo := openRates(t)
		for range there {
			updateCharges(t, repo, add(salesTax("old")))
		}
		meet := func(other func(context.Context, *properties.Repository) error) func() {
			return db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				assert.NoError(t, other(ctx, properties.New(db.Direct, nil)))
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop
		}
		stop := meet(func(ctx context.Context, r *properties.Repository) error {
			return second(r.UpdateCharges(ctx, "p1", add(salesTax("a"))))
		})
		updateCharges(t, repo, add(salesTax("b")))
		stop()
		l := chargesOf(t, repo)
		assert.Len(t, l.Charges, there+2, "nothing is lost")
		assert.Equal(t, there+2, l.Version)
		assert.Len(t, cardOf(t, approved(t, repo)).Charges.Charges, there+2)

		stop = meet(func(ctx context.Context, r *properties.Repository) error {
			return second(r.UpdateCharges(ctx, "p1", add(salesTax("c"))))
		})
		_, err := repo.UpdateCharges(t.Context(), "p1", add(salesTax("d")), dynastay.IfVersion(l.Version))
		require.ErrorIs(t, err, dynastay.ErrVersion)
		stop()

		stop = meet(func(ctx context.Context, r *properties.Repository) error { return r.Delete(ctx, "p1") })
		_, err = repo.UpdateCharges(t.Context(), "p1", add(salesTax("e")))
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		stop()
		assert.Empty(t, partition(t, db, "RATES#p1"))
	}
}

// A list that other software puts first is read again, and so are the first charges that meet the deletion of the property.
func TestFirstChargesMeet(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	stop := db.Faults.Inject(dyntest.Before(func(context.Context) {
		put(t, db, dynastay.Item{"PK": dynastay.Text("RATES#p1"), "SK": dynastay.Text("CHARGES"), "PropertyId": dynastay.Text("p1")})
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop
	made := updateCharges(t, repo, add(salesTax("a")))
	stop()
	assert.Equal(t, 1, made.Version)
	assert.Equal(t, made, chargesOf(t, repo))

	_, err := repo.Create(t.Context(), grand("p2", pending), nil)
	require.NoError(t, err)
	stop = db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, properties.New(db.Direct, nil).Delete(ctx, "p2"))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop
	_, err = repo.UpdateCharges(t.Context(), "p2", add(salesTax("a")))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	stop()
	assert.Empty(t, partition(t, db, "RATES#p2"))
}

// Many callers add a charge each, and none is lost.
func TestManyAddCharges(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	made := make(chan error, 8)
	for i := range cap(made) {
		go func() {
			_, err := properties.New(db.DB, nil).UpdateCharges(t.Context(), "p1", add(salesTax(fmt.Sprint("c", i))))
			made <- err
		}()
	}
	for range cap(made) {
		require.NoError(t, <-made)
	}
	l := chargesOf(t, repo)
	assert.Len(t, l.Charges, cap(made))
	assert.Equal(t, cap(made), l.Version)
	assert.Len(t, cardOf(t, approved(t, repo)).Charges.Charges, cap(made))
}

func TestChargesAreRepeated(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	for i := range 2 {
		id := fmt.Sprint("c", i)
		call := func() (*charges.List, error) {
			return repo.UpdateCharges(t.Context(), "p1", add(salesTax(id)), dynastay.IdempotencyKey(id), dynastay.AgreedOn(id))
		}
		made, err := call()
		require.NoError(t, err)
		again, err := call()
		require.NoError(t, err)
		assert.Equal(t, made, again)
		assert.Len(t, again.Charges, i+1)
	}
	_, err := repo.UpdateCharges(t.Context(), "p1", add(salesTax("x")), dynastay.IdempotencyKey("c1"), dynastay.AgreedOn("x"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	_, err = repo.UpdateCharges(t.Context(), "p1", add(salesTax("x")), dynastay.IdempotencyKey("c3"))
	require.ErrorIs(t, err, dynastay.ErrInvalid, "what it is about is not stated")
}

// A property that is being deleted refuses charges, and deleting it again removes what is left.
func TestChargesWhileDeleting(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	updateCharges(t, repo, add(salesTax("a")))
	broken := db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	require.Error(t, repo.Delete(t.Context(), "p1"))
	broken.Stop()
	_, err := repo.UpdateCharges(t.Context(), "p1", rename)
	assertNotAllowed(t, err, properties.Deleting)
	require.NoError(t, repo.Delete(t.Context(), "p1"))
	assert.Empty(t, partition(t, db, "RATES#p1"))
}

// A list that other software has made unreadable is neither changed nor replaced.
func TestUnreadableCharges(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	updateCharges(t, repo, add(salesTax("a")))
	set(t, db, chargesAt, "SET Charges[0].Rate = :r", dynastay.Item{":r": dynastay.Text("high")})
	_, err := repo.Charges(t.Context(), "p1", dynastay.Consistent)
	blame.Of(t, err, dynastay.ErrCorrupt, "Charges[0].Rate")
	_, err = repo.UpdateCharges(t.Context(), "p1", add(salesTax("b")))
	blame.Of(t, err, dynastay.ErrCorrupt, "Charges[0].Rate")
	require.NoError(t, repo.Delete(t.Context(), "p1"))
	assert.Empty(t, partition(t, db, "RATES#p1"))
}
