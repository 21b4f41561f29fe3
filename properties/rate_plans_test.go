package properties_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// ratePlan returns an active plan of the property p1.
func ratePlan(id string, edits ...func(*availability.RatePlan)) availability.RatePlan {
	p := availability.RatePlan{PropertyID: "p1", ID: id, Name: "Plan " + id, Active: true}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func derivedFrom(id string) func(*availability.RatePlan) {
	return func(p *availability.RatePlan) { p.Derived = &availability.Derivation{From: id, Percent: -10_00} }
}

func archived(p *availability.RatePlan) { p.Active = false }

// complete sets every field that a caller can set.
func complete(p *availability.RatePlan) {
	usd := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
	sameWeek := 7
	p.Description, p.RoomTypeIDs, p.CancellationPolicy = "With everything", []string{"r1"}, availability.NonRefundable
	p.Derived = &availability.Derivation{Percent: -12_50, Amount: usd("-3.5"), Step: usd("0.5")}
	p.Party = &availability.PartyPrices{
		Included: 2, ExtraAdult: availability.Supplement{Amount: usd("30")}, SingleUse: availability.Supplement{Percent: -15_00},
		Bands: []availability.AgeBand{{Through: 2}, {
			Through: 12, Bedless: availability.Supplement{Percent: 10_00}, WithBed: availability.Supplement{Amount: usd("25")},
		}},
	}
	p.Meals = availability.Meals{
		Plan: availability.HalfBoard, Added: true, Adult: usd("40"), Bands: []availability.MealBand{{Through: 5}, {Through: 12, Amount: usd("20")}},
	}
	p.Conditions = availability.RateConditions{
		MinStay: 2, MaxStay: 14, MinDaysAhead: 1, MaxDaysAhead: &sameWeek, Arrivals: availability.On(time.Friday, time.Saturday),
		Dates: []dynastay.Stay{dynastay.MustStay("2026-06-01", "2026-09-01")},
	}
	p.Discounts = availability.Discounts{
		Early: []availability.DaysDiscount{{Days: 30, Percent: 5_00}}, Late: []availability.DaysDiscount{{Days: 0, Percent: 20_00}},
		Length: []availability.NightsDiscount{{Nights: 7, Percent: 10_00}}, FreeNight: 4,
	}
	p.Payment = availability.PaymentTerms{Percent: 30_00, RestDays: 14}
	p.Advertised, p.DisplayOrder = true, 3
}

func openRates(t *testing.T) (*dyntest.DB, *properties.Repository) {
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	_, err := repo.Create(t.Context(), grand("p1"), []properties.RoomType{king("r1", "100"), king("r2", "200")})
	require.NoError(t, err)
	return db, repo
}

func planIDs(plans []availability.RatePlan) string {
	var ids []string
	for _, p := range plans {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, " ")
}

func ratePlans(t *testing.T, repo *properties.Repository) []availability.RatePlan {
	all, err := repo.RatePlans(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	return all
}

func TestRatePlans(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	now := fixture.Now
	given := ratePlan("all", complete)
	made, err := repo.CreateRatePlan(t.Context(), given)
	require.NoError(t, err)
	want := given
	want.CreatedAt, want.UpdatedAt, want.Version = now, now, 1
	assert.Equal(t, &want, made)
	assert.Equal(t, []availability.RatePlan{want}, ratePlans(t, repo))
	got, err := repo.GetRatePlan(t.Context(), "p1", "all")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	_, err = repo.GetRatePlan(t.Context(), "p1", "none")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.GetRatePlan(t.Context(), "p1", "")
	blame.Invalid(t, err, "RatePlanID")
	for _, p := range []availability.RatePlan{ratePlan("flex"), ratePlan("0", archived)} {
		_, err = repo.CreateRatePlan(t.Context(), p)
		require.NoError(t, err)
	}
	p, err := repo.Get(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, 3, p.RatePlanCount)
	assert.Equal(t, 1, p.Version, "plans are not an edit of the property")
	assert.Equal(t, "0 flex all", planIDs(ratePlans(t, repo)))

	ordered, err := repo.OrderRatePlans(t.Context(), "p1", []string{"flex", "all"})
	require.NoError(t, err)
	assert.Equal(t, "flex all", planIDs(ordered), "with the active ones")
	assert.Equal(t, ordered, ratePlans(t, repo)[1:])
	ordered, err = repo.OrderRatePlans(t.Context(), "p1", []string{"0"})
	require.NoError(t, err)
	assert.Equal(t, "0 flex all", planIDs(ordered))
	assert.Equal(t, ordered, ratePlans(t, repo))

	db.Clock.Advance(time.Hour)
	updated, err := repo.UpdateRatePlan(t.Context(), "p1", "all", func(p *availability.RatePlan) error {
		p.Party, p.Derived, p.Conditions.MaxDaysAhead, p.Name = nil, nil, nil, "All-inclusive"
		return nil
	}, dynastay.IfVersion(3))
	require.NoError(t, err)
	want = given
	want.Party, want.Derived, want.Conditions.MaxDaysAhead, want.Name, want.DisplayOrder = nil, nil, nil, "All-inclusive", 3
	want.CreatedAt, want.UpdatedAt, want.Version = now, now.Add(time.Hour), 4
	assert.Equal(t, &want, updated)
	assert.Equal(t, want, ratePlans(t, repo)[2])

	before := partition(t, db, "PROPERTY#p1")
	same, err := repo.UpdateRatePlan(t.Context(), "p1", "all", func(*availability.RatePlan) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, updated, same)
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"0"})
	require.NoError(t, err)
	assert.Equal(t, before, partition(t, db, "PROPERTY#p1"), "nothing has changed, so the property is not written")

	require.NoError(t, repo.Delete(t.Context(), "p1"))
	assert.Empty(t, partition(t, db, "RATES#p1"))
}

// A limit of 0 days and a description without a percentage are stored as such.
func TestRatePlansOfTheSameDay(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	today := 0
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("late", func(p *availability.RatePlan) {
		p.Conditions.MaxDaysAhead, p.Derived, p.Party = &today, &availability.Derivation{}, &availability.PartyPrices{}
	}))
	require.NoError(t, err)
	plan := ratePlans(t, repo)[0]
	require.NotNil(t, plan.Conditions.MaxDaysAhead)
	assert.Zero(t, *plan.Conditions.MaxDaysAhead)
	assert.Equal(t, &availability.Derivation{}, plan.Derived)
	assert.Equal(t, &availability.PartyPrices{}, plan.Party)
}

func TestRatePlansRefused(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	for _, p := range []availability.RatePlan{
		ratePlan("base"), ratePlan("cheap", derivedFrom("base")), ratePlan("old", archived), ratePlan("older", archived, derivedFrom("old")),
	} {
		_, err := repo.CreateRatePlan(t.Context(), p)
		require.NoError(t, err)
	}
	stored := partition(t, db, "RATES#p1")
	euros := dynastay.MustMoney("1", "EUR")
	for field, p := range map[string]availability.RatePlan{
		"PropertyID":     ratePlan("x", func(p *availability.RatePlan) { p.PropertyID = "" }),
		"ID":             ratePlan("X"),
		"Name":           ratePlan("x", func(p *availability.RatePlan) { p.Name = "" }),
		"RoomTypeIDs[1]": ratePlan("x", func(p *availability.RatePlan) { p.RoomTypeIDs = []string{"r2", "r3"} }),
		"Derived.From":   ratePlan("x", derivedFrom("cheap")),
		"Currency":       ratePlan("x", func(p *availability.RatePlan) { p.Meals.Plan, p.Meals.Adult = availability.Breakfast, euros }),
	} {
		_, err := repo.CreateRatePlan(t.Context(), p)
		blame.Invalid(t, err, field)
	}
	for _, from := range []string{"none", "old"} {
		_, err := repo.CreateRatePlan(t.Context(), ratePlan("x", derivedFrom(from)))
		blame.Invalid(t, err, "Derived.From", from)
	}
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("old"))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "ID")
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("x", func(p *availability.RatePlan) { p.PropertyID = "p2" }))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	update := func(id string, change func(*availability.RatePlan)) error {
		return second(repo.UpdateRatePlan(t.Context(), "p1", id, func(p *availability.RatePlan) error { change(p); return nil }))
	}
	blame.Invalid(t, update("base", archived), "Active")
	blame.Invalid(t, update("base", derivedFrom("")), "Derived")
	blame.Invalid(t, update("older", func(p *availability.RatePlan) { p.Active = true }), "Derived.From")
	require.ErrorIs(t, update("x", func(*availability.RatePlan) {}), dynastay.ErrNotFound)
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"base", "x"})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	for field, ids := range map[string][]string{
		"RatePlanIDs[1]": {"base", "base"}, "RatePlanIDs[0]": {"X"}, "RatePlanIDs": make([]string, 41),
	} {
		_, err = repo.OrderRatePlans(t.Context(), "p1", ids)
		blame.Invalid(t, err, field)
	}
	assert.Equal(t, stored, partition(t, db, "RATES#p1"))

	require.NoError(t, update("cheap", archived))
	require.NoError(t, update("base", archived))
	require.NoError(t, update("older", func(p *availability.RatePlan) { p.Derived = nil }))
	require.NoError(t, update("old", derivedFrom("")))
}

// A room type that has been deleted stays in a plan, which can still be changed.
func TestRatePlanOfADeletedRoomType(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("x", func(p *availability.RatePlan) { p.RoomTypeIDs = []string{"r1"} }))
	require.NoError(t, err)
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", "r1"))
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "x", func(p *availability.RatePlan) error { p.Name = "New"; return nil })
	require.NoError(t, err)
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "x", func(p *availability.RatePlan) error {
		p.RoomTypeIDs = append(p.RoomTypeIDs, "r2", "r1x")
		return nil
	})
	blame.Invalid(t, err, "RoomTypeIDs[2]")
}

func TestLimitsOfRatePlans(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	for i := range 40 {
		_, err := repo.CreateRatePlan(t.Context(), ratePlan(fmt.Sprint("p", i)))
		require.NoError(t, err)
	}
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("more"))
	blame.Invalid(t, err, "Active")
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "p1", func(p *availability.RatePlan) error { p.Name = "New"; return nil })
	require.NoError(t, err, "a plan does not count against itself")
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("more", archived))
	require.NoError(t, err)
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "p0", func(p *availability.RatePlan) error { p.Active = false; return nil })
	require.NoError(t, err)
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "more", func(p *availability.RatePlan) error { p.Active = true; return nil })
	require.NoError(t, err)

	long := ratePlan("long", archived, complete, func(p *availability.RatePlan) {
		p.Name, p.Description, p.RoomTypeIDs = strings.Repeat("n", 256), strings.Repeat("d", 1000), nil
	})
	_, err = repo.CreateRatePlan(t.Context(), long)
	require.NoError(t, err)
	var rooms []properties.RoomType
	for i := range 40 {
		rooms = append(rooms, king(fmt.Sprint("room-type-with-a-long-name-", i, strings.Repeat("x", 36)), "100"))
	}
	long.ID = "longer"
	for i := range rooms {
		rooms[i].Name, rooms[i].CancellationPolicy = "n", ""
	}
	_, err = repo.Create(t.Context(), grand("p2"), rooms[:30])
	require.NoError(t, err)
	long.PropertyID, long.RoomTypeIDs, long.CancellationPolicy = "p2", nil, availability.CustomPolicy(strings.Repeat("x", 200))
	for i := range 9 {
		long.Conditions.Dates = append(long.Conditions.Dates, dynastay.MonthOf(dynastay.MustDate(fmt.Sprintf("2027-0%d-01", i+1))))
	}
	for _, room := range rooms[:30] {
		long.RoomTypeIDs = append(long.RoomTypeIDs, room.ID)
	}
	_, err = repo.CreateRatePlan(t.Context(), long)
	blame.Invalid(t, err, "")
	assert.ErrorContains(t, err, "must have at most 4096 bytes as it is stored, has ")
}

// What a plan may be depends on the others, so two changes that meet are refused or made one after the other.
func TestRatePlansMeet(t *testing.T) {
	t.Parallel()
	type call func(context.Context, *properties.Repository) error
	update := func(id string, change func(*availability.RatePlan)) call {
		return func(ctx context.Context, r *properties.Repository) error {
			return second(r.UpdateRatePlan(ctx, "p1", id, func(p *availability.RatePlan) error { change(p); return nil }))
		}
	}
	for name, test := range map[string]struct {
		call, other call
		field       string
	}{
		"a chain":          {update("a", derivedFrom("b")), update("b", derivedFrom("")), "Derived.From"},
		"an archived plan": {update("a", derivedFrom("b")), update("b", archived), "Derived.From"},
		"a new plan and an archived one": {func(ctx context.Context, r *properties.Repository) error {
			return second(r.CreateRatePlan(ctx, ratePlan("c", derivedFrom("b"))))
		}, update("b", archived), "Derived.From"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := openRates(t)
			for _, id := range []string{"a", "b"} {
				_, err := repo.CreateRatePlan(t.Context(), ratePlan(id))
				require.NoError(t, err)
			}
			defer db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				assert.NoError(t, test.other(ctx, properties.New(db.Direct, nil)))
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop()
			blame.Invalid(t, test.call(t.Context(), repo), test.field)
		})
	}
}

// A plan is not created for a property that is being deleted at the same time.
func TestRatePlanMeetsDelete(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	defer db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, properties.New(db.Direct, nil).Delete(ctx, "p1"))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop()
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("x"))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Empty(t, partition(t, db, "RATES#p1"))
}

func TestRatePlanKeys(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	for _, call := range []func() error{
		func() error {
			return second(repo.CreateRatePlan(t.Context(), ratePlan("x", complete), dynastay.IdempotencyKey("create")))
		},
		func() error {
			return second(repo.UpdateRatePlan(t.Context(), "p1", "x", func(p *availability.RatePlan) error { p.Name += "+"; return nil },
				dynastay.IdempotencyKey("update"), dynastay.AgreedOn("+")))
		},
		func() error {
			return second(repo.OrderRatePlans(t.Context(), "p1", []string{"x"}, dynastay.IdempotencyKey("order")))
		},
	} {
		require.NoError(t, call())
		before := ratePlans(t, repo)
		require.NoError(t, call())
		assert.Equal(t, before, ratePlans(t, repo))
	}
	assert.Equal(t, "Plan x+", ratePlans(t, repo)[0].Name)
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("y"), dynastay.IdempotencyKey("create"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

// Of two callers that create the same plan, one does.
func TestRatePlanIsCreatedOnce(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	first := ratePlan("a")
	defer db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, second(properties.New(db.Direct, nil).CreateRatePlan(ctx, first)))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop()
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("a", archived))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "ID")
	assert.True(t, ratePlans(t, repo)[0].Active)
	p, err := repo.Get(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 1, p.RatePlanCount)
}

// The amounts of a plan and of the one that it is derived from are in one currency, also in a property without room
// types. A plan in a currency that the room types no longer have can still be archived and ordered.
func TestCurrenciesOfRatePlans(t *testing.T) {
	t.Parallel()
	_, repo := openRates(t)
	in := func(currency dynastay.Currency) func(*availability.RatePlan) {
		return func(p *availability.RatePlan) {
			p.Meals = availability.Meals{Plan: availability.Breakfast, Adult: dynastay.MustMoney("9", currency)}
		}
	}
	_, err := repo.Create(t.Context(), grand("p2", pending), nil)
	require.NoError(t, err)
	other := func(p *availability.RatePlan) { p.PropertyID = "p2" }
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("a", other, in("EUR")))
	require.NoError(t, err)
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("b", other, in("USD"), derivedFrom("a")))
	blame.Invalid(t, err, "Currency")
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("b", other, in("EUR"), derivedFrom("a")))
	require.NoError(t, err)
	_, err = repo.UpdateRatePlan(t.Context(), "p2", "a", func(p *availability.RatePlan) error { in("USD")(p); return nil })
	blame.Invalid(t, err, "Currency")

	_, err = repo.AddRoomTypes(t.Context(), "p2", []properties.RoomType{king("r3", "100")})
	require.NoError(t, err)
	_, err = repo.OrderRatePlans(t.Context(), "p2", []string{"b", "a"})
	require.NoError(t, err)
	activate := func(active bool) error {
		return second(repo.UpdateRatePlan(t.Context(), "p2", "b", func(p *availability.RatePlan) error { p.Active = active; return nil }))
	}
	require.NoError(t, activate(false))
	blame.Invalid(t, activate(true), "Currency")
}

// A plan that other software has made unreadable keeps its place, and the others can be changed.
func TestUnreadableRatePlan(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	for _, id := range []string{"a", "b"} {
		_, err := repo.CreateRatePlan(t.Context(), ratePlan(id, complete))
		require.NoError(t, err)
	}
	set(t, db, dynastay.Key{PK: "RATES#p1", SK: "PLAN#a"}, "SET Conditions.Arrivals = :days", dynastay.Item{":days": dynastay.Number(128)})
	all, err := repo.RatePlans(t.Context(), "p1", dynastay.Consistent)
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Equal(t, "b", planIDs(all))
	rename := func(p *availability.RatePlan) error { p.Name += "!"; return nil }
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "a", rename)
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "b", rename)
	require.NoError(t, err)
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("a"))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("c"))
	require.NoError(t, err)
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"c"})
	require.NoError(t, err)
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"a"})
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// A plan that other software has stored without its currency is read with its amounts, and is not sold at them: it can be
// changed when it gets one.
func TestRatePlanWithoutCurrency(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	made, err := repo.CreateRatePlan(t.Context(), ratePlan("a", complete))
	require.NoError(t, err)
	set(t, db, dynastay.Key{PK: "RATES#p1", SK: "PLAN#a"}, "REMOVE #Currency", nil)
	read := ratePlans(t, repo)
	require.Len(t, read, 1)
	assert.Equal(t, "40", read[0].Meals.Adult.Digits())
	assert.False(t, read[0].Meals.Adult.IsSet())
	_, err = repo.UpdateRatePlan(t.Context(), "p1", "a", func(p *availability.RatePlan) error { p.Name += "!"; return nil })
	blame.Invalid(t, err, "Derived.Amount")
	got, err := repo.UpdateRatePlan(t.Context(), "p1", "a", func(p *availability.RatePlan) error {
		p.Derived, p.Party, p.Meals = made.Derived, made.Party, made.Meals
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, made.Meals, got.Meals)
}

// More plans than one transaction deletes are deleted with their property, also after the call has been broken off.
func TestDeleteWithManyRatePlans(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("p0", archived))
	require.NoError(t, err)
	item := partition(t, db, "RATES#p1")["PLAN#p0"]
	for i := 1; i < 200; i++ {
		id := fmt.Sprint("p", i)
		item["SK"], item["RatePlanId"] = dynastay.Text("PLAN#"+id), dynastay.Text(id)
		put(t, db, item)
	}
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("more", archived))
	blame.Invalid(t, err, "ID")
	broken := db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	require.Error(t, repo.Delete(t.Context(), "p1"))
	broken.Stop()
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("more", archived))
	assertNotAllowed(t, err, properties.Deleting)
	require.NoError(t, repo.Delete(t.Context(), "p1"))
	assert.Empty(t, partition(t, db, "RATES#p1"))
}
