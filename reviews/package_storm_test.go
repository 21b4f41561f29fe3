package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// 16 callers in two processes do everything at once with the reviews of two properties. Afterwards the stored items
// alone must be consistent: each vote is counted, each approved review is rated, and each index shows what it should.
func TestStress(t *testing.T) {
	t.Parallel()
	const callers, calls = 16, 60
	patient := dynastay.Options{IndexLag: 1, Retry: dynastay.Retry{Attempts: 200}}
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	houses := []*house{newHouse(t, db), newHouse(t, db)}
	var list []reviews.Review
	for i := range 8 {
		list = append(list, houses[i%2].guest(t))
		list[i].ID = fmt.Sprintf("rev_%d", i)
	}
	db.Faults.Conflicts(0)
	processes := []*dynastay.DB{db.Open(&patient), db.Open(&patient)}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			c := caller{
				Repository: open(processes[n%2]), db: processes[n%2], random: rand.New(rand.NewPCG(seed, uint64(n))), list: list,
				user: fmt.Sprintf("user_%d", n),
			}
			for range calls {
				if err := c.call(t.Context()); err != nil && whyRefused(err) == "" {
					assert.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	assertConsistent(t, db)
	for _, h := range houses {
		recount, err := open(processes[0]).RepairRating(t.Context(), h.id)
		require.NoError(t, err)
		assert.False(t, recount.Changed, "%v", recount)
	}
}

// caller calls methods at random.
type caller struct {
	*reviews.Repository
	db     *dynastay.DB
	random *rand.Rand
	list   []reviews.Review
	user   string
}

func (c *caller) call(ctx context.Context) error {
	v := c.list[c.random.IntN(len(c.list))]
	id := v.ID
	switch c.random.IntN(12) {
	case 0, 1:
		return second(c.Create(ctx, v))
	case 2, 3:
		now, err := c.Get(ctx, id, dynastay.Consistent)
		if err != nil {
			return err
		}
		return second(c.Approve(ctx, id, now.Version))
	case 4:
		now, err := c.Get(ctx, id, dynastay.Consistent)
		if err != nil {
			return err
		}
		return second(c.Reject(ctx, id, now.Version, "rude"))
	case 5:
		return second(c.Update(ctx, id, func(r *reviews.Review) error {
			r.Ratings.Overall = dynastay.Rating(10 + c.random.IntN(91))
			return nil
		}))
	case 6:
		err := c.Delete(ctx, id)
		if errors.Is(err, dynastay.ErrContention) { // it kept being approved
			return dynastay.ErrVersion
		}
		return err
	case 7:
		return second(c.Respond(ctx, reviews.Response{ReviewID: id, ResponderID: c.user, Text: "Thank you"}))
	case 8:
		return second(c.UpdateResponse(ctx, id, func(r *reviews.Response) error {
			r.Text, r.ResponderID = r.Text+"!", c.user
			return nil
		}))
	case 9:
		return c.DeleteResponse(ctx, id)
	case 10:
		return c.Unvote(ctx, id, c.user)
	}
	return c.Vote(ctx, id, c.user)
}

func second[T any](_ T, err error) error { return err }

// assertConsistent compares the stored items of all reviews and properties with each other.
func assertConsistent(t *testing.T, db *dyntest.DB) {
	t.Helper()
	items := scan(t, db, keys.ReviewsTable)
	votes, found, totals := map[string]int{}, map[string]int{}, map[string]properties.RatingTotals{}
	for key, item := range items {
		review, ofReview := items[fmt.Sprintf("REVIEW#%v/METADATA", item["ReviewId"])]
		require.True(t, ofReview, "%s is left behind", key)
		switch item["EntityType"] {
		case "Vote":
			votes[review["PK"].(string)]++
			assert.Equal(t, fmt.Sprint("VOTE#", item["UserId"]), item["SK"])
		case "ReviewResponse":
			assert.Equal(t, []any{fmt.Sprint("USER#", item["ResponderId"]), fmt.Sprint("RESPONSE#", item["ReviewId"])}, []any{item["GSI2PK"], item["GSI2SK"]})
		case "Guard":
			assert.Equal(t, fmt.Sprintf("BOOKING#%v/REVIEW", review["BookingId"]), key)
		case "Review":
			found[key]++
			assert.Contains(t, items, fmt.Sprintf("BOOKING#%v/REVIEW", item["BookingId"]))
			assert.Equal(t, item["Status"] == "approved", item["GSI1PK"] != nil, "%v", item)
			assert.Equal(t, item["Status"] == "approved", item["GSI1SK"] != nil, "%v", item)
			assert.Equal(t, item["Status"] == "pending", item["GSI3PK"] != nil, "%v", item)
			assert.Equal(t, item["Status"] == "pending", item["GSI3SK"] != nil, "%v", item)
			assert.Equal(t, fmt.Sprint("USER#", item["UserId"]), item["GSI2PK"])
			assert.Equal(t, fmt.Sprint("BOOKING#", item["BookingId"]), item["GSI4PK"])
			if item["Status"] == "approved" {
				sum := totals[item["PropertyId"].(string)]
				totals[item["PropertyId"].(string)] = properties.RatingTotals{
					Reviews: sum.Reviews + 1, Tenths: sum.Tenths + int(item["OverallRating"].(float64)*10+0.5),
				}
			}
		default:
			assert.Fail(t, "unexpected item", "%v", item)
		}
	}
	for key := range found {
		assert.EqualValues(t, votes[items[key]["PK"].(string)], items[key]["HelpfulCount"], key)
	}
	for key, item := range scan(t, db, keys.PropertiesTable) {
		if item["EntityType"] != "Property" {
			continue
		}
		want := totals[item["PropertyId"].(string)]
		assert.EqualValues(t, want.Reviews, item["ReviewCount"], key)
		assert.InDelta(t, float64(want.Tenths)/10, item["RatingSum"], 0.001, key)
		assert.InDelta(t, float64(want.Average())/10, item["AverageRating"], 0.001, key)
		card := item["Card"].(map[string]any)
		assert.Equal(t, []any{item["ReviewCount"], item["AverageRating"]}, []any{card["ReviewCount"], card["AverageRating"]})
	}
}
