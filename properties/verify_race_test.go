package properties_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// repeated are changes of everything that follows from a property or that it follows, which can be made again and again.
var repeated = map[string]func(ctx context.Context, other *properties.Repository, n int) error{
	"its slug": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.Update(ctx, "p1", edit(func(p *properties.Property) { p.Slug = fmt.Sprint("slug-", n) })))
	},
	"a new room type": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.AddRoomTypes(ctx, "p1", []properties.RoomType{king(fmt.Sprint("new-", n), fmt.Sprint(300+n))}))
	},
	"a price": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.UpdateRoomType(ctx, "p1", roomA, func(r *properties.RoomType) error {
			r.BasePrice = dynastay.MustMoney(fmt.Sprint(300+n), "USD")
			return nil
		}))
	},
	"a new image": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.AddImages(ctx, "p1", []properties.Image{picture(fmt.Sprint("new-", n), primary)}))
	},
	"its amenities": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.SetAmenities(ctx, "p1", []string{"wifi", []string{"gym", "bar", "spa"}[n%3]}))
	},
	"a plan": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.UpdateRatePlan(ctx, "p1", "flex", func(p *availability.RatePlan) error {
			p.Name = fmt.Sprint("Plan ", n)
			return nil
		}))
	},
	"a new plan": func(ctx context.Context, other *properties.Repository, n int) error {
		return second(other.CreateRatePlan(ctx, ratePlan(fmt.Sprint("new-", n))))
	},
	"its charges": func(ctx context.Context, other *properties.Repository, _ int) error {
		return second(other.UpdateCharges(ctx, "p1", func(l *charges.List) error { l.Charges[0].Rate++; return nil }))
	},
}

// torn makes a Query read a few items after others, so that changes come in between.
func torn(db *dyntest.DB) (stop func()) {
	return db.Faults.Inject(dyntest.ShortPages(5), dyntest.When{Operation: "Query", Optional: true}).Stop
}

// What is changed before any request of a verification, or before each of them, is no difference.
func TestVerifyRowDuringChanges(t *testing.T) {
	t.Parallel()
	for name, change := range repeated {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := openVerified(t)
			torn(db)
			other, n := properties.New(db.Direct, nil), 0
			happens := dyntest.Before(func(ctx context.Context) {
				n++
				assert.NoError(t, change(ctx, other, n))
			})
			for at := 1; at <= 10; at++ {
				row := dynastay.RowOf(stored(t, db, "p1"))
				fault := db.Faults.Inject(happens, dyntest.When{Nth: at, Optional: true})
				require.NoError(t, second(repo.VerifyRow(t.Context(), row)), at)
				fault.Stop()
			}
			row := dynastay.RowOf(stored(t, db, "p1"))
			fault := db.Faults.Inject(happens, dyntest.When{Operation: "BatchGetItem", Nth: 1, Times: 50, Optional: true})
			require.NoError(t, second(repo.VerifyRow(t.Context(), row)), "it is changed all the time")
			if name == "its slug" {
				assert.Equal(t, 10, fault.Hits(), "it gives up")
			}
			fault.Stop()
		})
	}
}

// An item that seems left over is gone when it is read again, and so is a property that seemed different.
func TestVerifyRowDuringDeletions(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	image, property := dynastay.RowOf(partition(t, db, "PROPERTY#p1")["IMAGE#a0"]), dynastay.RowOf(stored(t, db, "p1"))
	set(t, db, keyOf("p1"), "REMOVE GSI1PK", nil)
	gone := func(at dynastay.Key) dyntest.Fault {
		return dyntest.Before(func(context.Context) { remove(t, db, at) })
	}
	db.Faults.Inject(gone(keyOf("p1")), dyntest.When{Operation: "Query", Nth: 3})
	require.NoError(t, second(repo.VerifyRow(t.Context(), property)))
	db.Faults.Inject(gone(inP1("IMAGE#a0")), dyntest.When{Operation: "BatchGetItem", Nth: 2})
	require.NoError(t, second(repo.VerifyRow(t.Context(), image)))
	mended, err := repo.MendRow(t.Context(), property)
	require.NoError(t, err)
	assert.False(t, mended)
}

// A change before any request of a mend is not lost, and afterwards everything is right.
func TestMendRowDuringChanges(t *testing.T) {
	t.Parallel()
	for name, change := range repeated {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := openVerified(t)
			defer torn(db)()
			other, whole := properties.New(db.Direct, nil), raw.All(t, db, keys.PropertiesTable)
			require.NoError(t, change(t.Context(), other, 1))
			want := everythingBut(t, other)
			for at, hit := 1, true; hit; at++ {
				reset(t, db, whole)
				spoilAll(t, db)
				row := dynastay.RowOf(stored(t, db, "p1"))
				fault := db.Faults.Inject(dyntest.Before(func(ctx context.Context) { assert.NoError(t, change(ctx, other, 1)) }),
					dyntest.When{Nth: at, Optional: true})
				require.NoError(t, second(repo.MendRow(t.Context(), row)), at)
				hit = fault.Hits() > 0
				fault.Stop()
				if hit {
					assert.Equal(t, want, everythingBut(t, other), at)
				}
				require.NoError(t, second(other.VerifyRow(t.Context(), row)), at)
			}
			assert.Empty(t, verified(t, db, other))
		})
	}
}

// spoilAll makes different what takes each step of a mend.
func spoilAll(t *testing.T, db *dyntest.DB) {
	set(t, db, keyOf("p1"), "SET PriceRange.#Max = :v, FeaturedScore = :s REMOVE GSI1PK", dynastay.Item{":v": dynastay.Number(9), ":s": dynastay.Number(95)})
	remove(t, db, dynastay.Key{PK: "ROOM#" + roomA, SK: "GUARD"})
	put(t, db, dynastay.Item{"PK": dynastay.Text("PROPERTY#p1"), "SK": dynastay.Text("AMENITY#x"), "EntityType": dynastay.Text("PropertyAmenity")})
}

// everythingBut is what can be read of p1, without what tells one write from another.
func everythingBut(t *testing.T, repo *properties.Repository) any {
	whole, err := repo.GetWhole(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	plans, err := repo.RatePlans(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	list, err := repo.Charges(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	return []any{visible(whole.Property), whole.Rooms, whole.Images, plans, list, whole.Card()}
}

// A property that is deleted, or whose deletion begins, while it is mended, is left alone; so is one that other software
// changes, which the next walk adopts.
func TestMendRowOfWhatIsNoLongerThere(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	whole := raw.All(t, db, keys.PropertiesTable)
	for name, happens := range map[string]func(){
		"deleted":     func() { remove(t, db, keyOf("p1")) },
		"deleting":    func() { set(t, db, keyOf("p1"), "SET #Status = :s, WriteId = :w", deletingItem) },
		"other's now": func() { setDirectly(t, db, keyOf("p1"), "Description", "Renovated.") },
	} {
		for _, operation := range []string{"Query", "TransactWriteItems"} {
			reset(t, db, whole)
			set(t, db, keyOf("p1"), "REMOVE GSI1PK", nil)
			row := dynastay.RowOf(stored(t, db, "p1"))
			nth := map[string]int{"Query": 2*2 + 1, "TransactWriteItems": 1}[operation]
			var want map[string]map[string]any
			fault := db.Faults.Inject(dyntest.Before(func(context.Context) { happens(); want = allItems(t, db) }), dyntest.When{Operation: operation, Nth: nth})
			mended, err := repo.MendRow(t.Context(), row)
			require.NoError(t, err, "%s %s", name, operation)
			assert.False(t, mended, "%s %s", name, operation)
			assert.Equal(t, want, allItems(t, db), "%s %s", name, operation)
			fault.Stop()
		}
	}
	reset(t, db, whole)
	set(t, db, keyOf("p1"), "REMOVE WriteId", nil)
	row := dynastay.RowOf(stored(t, db, "p1"))
	db.Faults.Inject(dyntest.Before(func(context.Context) { remove(t, db, keyOf("p1")) }), dyntest.When{Operation: "Query", Nth: 2*2 + 1})
	mended, err := repo.MendRow(t.Context(), row)
	require.NoError(t, err)
	assert.False(t, mended)
}

// deletingItem are the values of a property whose deletion has begun.
var deletingItem = dynastay.Item{":s": dynastay.Text("deleting"), ":w": &types.AttributeValueMemberB{Value: make([]byte, 16)}}
