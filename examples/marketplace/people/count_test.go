package people_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// exact returns a number as it is compared.
func exact(digits string) string {
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return "not a number: " + digits
	}
	return r.RatString()
}

// rounded returns n / of, rounded half up to a number of decimals.
func rounded(n, of, decimals int) string {
	if of == 0 {
		return "0"
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scaled := new(big.Rat).Mul(big.NewRat(int64(n), int64(of)), new(big.Rat).SetInt(scale))
	scaled.Add(scaled, big.NewRat(1, 2))
	return new(big.Rat).SetFrac(new(big.Int).Div(scaled.Num(), scaled.Denom()), scale).RatString()
}

// number returns a stored number as it is compared; a missing one and NULL are 0.
func (n *town) number(id, name string) string {
	n.t.Helper()
	v := n.row("USER#"+id, "PROFILE").Value(name)
	if v.IsNull() {
		return "0"
	}
	number, ok := v.Stored().(*types.AttributeValueMemberN)
	require.True(n.t, ok, name)
	return exact(number.Value)
}

func TestCount(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	before := n.signUp(worker("w", "painting"))
	n.count("w", people.Tally{Projects: 2, Jobs: 1, Ended: 1, Orders: 3, Ratings: 1, Stars: 4})
	p := n.profile("w")
	want := *before
	want.Projects, want.Jobs, want.Ended, want.CompletionRate, want.Orders, want.Ratings, want.Stars, want.TrustScore = 2, 1, 1, 1, 3, 1, 4, 40
	assert.Equal(t, want, *p, "neither the version nor the write id changes")
	n.count("w", people.Tally{Ended: 1})
	n.count("w", people.Tally{Ended: 1})
	n.count("w", people.Tally{Ratings: 1, Stars: 5})
	p = n.profile("w")
	assert.InDelta(t, 0.33, p.CompletionRate, 0)
	assert.Equal(t, dynastay.Rating(45), p.TrustScore)
	n.count("w", people.Tally{Projects: -3, Jobs: -2, Ended: -3, Orders: -4, Ratings: -2, Stars: -9})
	p = n.profile("w")
	assert.Equal(t, []int{0, 0, 0, 0, 0, 0}, []int{p.Projects, p.Jobs, p.Ended, p.Orders, p.Ratings, p.Stars}, "never below 0")
	assert.Zero(t, p.CompletionRate)
	assert.Zero(t, p.TrustScore)

	n.count("w", people.Tally{Jobs: 1})
	assert.Equal(t, 1, n.profile("w").Ended, "a job that is completed has ended")

	record := n.Faults.Record()
	n.count("w", people.Tally{})
	assert.Len(t, record(), 1, "only the read of the test")
	require.ErrorIs(t, n.Write(t.Context(), count(n.DB.DB, n.repo, "nobody", people.Tally{Jobs: 1})), dynastay.ErrNotFound)
	item := n.raw("w")
	item["totalJobs"] = dynastay.Text("many")
	n.put(item)
	err := n.Write(t.Context(), count(n.DB.DB, n.repo, "w", people.Tally{Jobs: 1}))
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorIs(t, n.repo.Count(t.Context(), nil, dynastay.RowOf(item), people.Tally{Jobs: 1}), dynastay.ErrCorrupt)
	assert.Equal(t, "totalJobs", fieldOf(err))
}

// A profile that was deleted after it was read is not made again.
func TestCountOfADeletedProfile(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w"))
	at := dynastay.Key{PK: "USER#w", SK: "PROFILE"}
	n.Faults.Inject(dyntest.Before(func(context.Context) {
		assert.NoError(t, n.Direct.DeleteAll(t.Context(), keys.Table, []dynastay.Key{at}))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	err := n.Write(t.Context(), count(n.DB.DB, n.repo, "w", people.Tally{Projects: 1}))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.False(t, n.row(at.PK, at.SK).Exists())
}

// The rates are those of exact arithmetic, whatever moves.
func TestRatesAreExact(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	users := 0
	rapid.Check(t, func(rt *rapid.T) {
		users++
		id := fmt.Sprint("w", users)
		n.signUp(worker(id))
		var jobs, ended, ratings, stars int
		for range rapid.IntRange(1, 4).Draw(rt, "moves") {
			m := people.Tally{
				Jobs:    rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 1_000_000)).Draw(rt, "jobs"),
				Ratings: rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 1_000_000)).Draw(rt, "ratings"),
			}
			m.Ended = m.Jobs + rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 1_000_000)).Draw(rt, "left")
			m.Stars = rapid.IntRange(m.Ratings, 5*m.Ratings).Draw(rt, "stars")
			n.count(id, m)
			jobs, ended, ratings, stars = jobs+m.Jobs, ended+m.Ended, ratings+m.Ratings, stars+m.Stars
			for name, want := range map[string]string{
				"totalJobs": fmt.Sprint(jobs), "endedJobs": fmt.Sprint(ended), "completionRate": rounded(jobs, ended, 2),
				"ratingCount": fmt.Sprint(ratings), "ratingSum": fmt.Sprint(stars), "trustScore": rounded(stars, ratings, 1),
			} {
				require.Equal(rt, want, n.number(id, name), name)
			}
		}
	})
}

var countOperations = flag.Int("count.operations", 12, "how many times each caller of TestCountersAtTheSameTime counts")

// Callers in two processes move the counters of one user while the profile is updated, through conflicts, lost answers
// and lost requests. Each move counts once.
func TestCountersAtTheSameTime(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w", "painting"))
	n.Faults.Conflicts(0)
	n.Faults.Inject(dyntest.AnyOf(dyntest.Conflict(), dyntest.LoseAnswer(), dyntest.LoseRequest()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.1,
	})
	opts := &dynastay.Options{Clock: n.Clock.Now, Retry: dynastay.Retry{Attempts: 500}, Idempotency: keys.Table}
	dbs := []*dynastay.DB{n.Open(opts), n.Open(opts)}
	var mu sync.Mutex
	var sum people.Tally
	versions := 1
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			db := dbs[i%2]
			repo := people.New(db, nil)
			for k := range *countOperations {
				m := people.Tally{Projects: 1, Jobs: rand.IntN(2), Orders: rand.IntN(3), Ratings: 1, Stars: 1 + rand.IntN(5)}
				m.Ended = max(m.Jobs, rand.IntN(2))
				if i == 0 {
					_, err := repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.Work.ResponseTime++ }))
					if assert.NoError(t, err) {
						mu.Lock()
						versions++
						mu.Unlock()
					}
				}
				var err error
				for range 20 { // whoever does not know asks again
					err = db.Write(t.Context(), count(db, repo, "w", m), dynastay.IdempotencyKey(fmt.Sprint(i, " ", k)))
					if !errors.Is(err, dynastay.ErrOutcomeUnknown) {
						break
					}
				}
				if assert.NoError(t, err) {
					mu.Lock()
					sum = people.Tally{
						Projects: sum.Projects + m.Projects, Jobs: sum.Jobs + m.Jobs, Ended: sum.Ended + m.Ended, Orders: sum.Orders + m.Orders,
						Ratings: sum.Ratings + m.Ratings, Stars: sum.Stars + m.Stars,
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	p := n.profile("w")
	assert.Equal(t, sum, people.Tally{
		Projects: p.Projects, Jobs: p.Jobs, Ended: p.Ended, Orders: p.Orders, Ratings: p.Ratings, Stars: p.Stars,
	})
	assert.Equal(t, rounded(sum.Jobs, sum.Ended, 2), n.number("w", "completionRate"))
	assert.Equal(t, rounded(sum.Stars, sum.Ratings, 1), n.number("w", "trustScore"))
	assert.Equal(t, *countOperations, p.Work.ResponseTime)
	assert.Equal(t, versions, p.Version)
}

// A count whose answer was lost is not made twice.
func TestCountAloneWithALostAnswer(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w"))
	n.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	err := n.Write(t.Context(), count(n.DB.DB, n.repo, "w", people.Tally{Projects: 1}))
	require.NoError(t, err)
	assert.Equal(t, 1, n.profile("w").Projects)
}

func review(user, about string, rating types.AttributeValue) dynastay.Item {
	return dynastay.Item{
		"PK": dynastay.Text("USER#" + user), "SK": dynastay.Text("REVIEW#" + about + "#buyer123"),
		"entityType": dynastay.Text("REVIEW"), "rating": rating,
	}
}

// A trust score of other software without the sum of its ratings: the next rating counts the reviews.
func TestReviewsOfOtherSoftwareAreCounted(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	for about, rating := range map[string]types.AttributeValue{
		"p1": dynastay.Number(5), "p2": dynastay.Number(4), "p3": dynastay.Number(1), "p4": dynastay.Number(0), "p5": dynastay.Number(6),
		"p6": dynastay.Text("5"), "p7": null,
	} {
		n.put(review("worker456", about, rating))
	}
	n.put(review("other", "p1", dynastay.Number(5)), dynastay.Item{
		"PK": dynastay.Text("USER#worker456"), "SK": dynastay.Text("ORDER#p1"), "rating": dynastay.Number(5),
	})
	n.count("worker456", people.Tally{Jobs: 1, Ended: 1})
	assert.Zero(t, n.profile("worker456").Ratings, "only a rating counts the reviews")
	n.count("worker456", people.Tally{Ratings: 1, Stars: 3})
	p := n.profile("worker456")
	assert.Equal(t, []int{4, 13}, []int{p.Ratings, p.Stars})
	assert.Equal(t, dynastay.Rating(33), p.TrustScore)
	assert.Empty(t, p.WriteID, "not adopted by that")
	n.put(review("worker456", "p9", dynastay.Number(5)))
	n.count("worker456", people.Tally{Ratings: 1, Stars: 5})
	assert.Equal(t, 5, n.profile("worker456").Ratings, "counted once")

	for _, name := range []string{"ratingCount", "ratingSum"} {
		item := items["worker456"]
		item["ratingCount"], item["ratingSum"] = dynastay.Number(9), dynastay.Number(30)
		item[name] = null
		n.put(item)
		n.count("worker456", people.Tally{Ratings: 1, Stars: 5})
		p := n.profile("worker456")
		assert.Equal(t, []int{5, 20}, []int{p.Ratings, p.Stars}, "without %s", name)
	}
	n.put(items["buyer123"])
	n.count("buyer123", people.Tally{Ratings: 1, Stars: 2})
	assert.Equal(t, dynastay.Rating(20), n.profile("buyer123").TrustScore, "there are no reviews")

	n.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "Query"})
	n.put(items["seller789"])
	err := n.Write(t.Context(), count(n.DB.DB, n.repo, "seller789", people.Tally{Stars: 2}))
	require.ErrorIs(t, err, dynastay.ErrRejected)
}

// Other software writes reviews without counting them. Once a sum cannot be right any more, the reviews are counted.
func TestSumsThatCannotBeRight(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for i, c := range []struct {
		counted, uncounted int // ratings; the second one is of other software
		moved              people.Tally
		want               []int
	}{
		{5, 1, people.Tally{Stars: 1}, []int{2, 7}},
		{2, 5, people.Tally{Stars: -4}, []int{2, 3}},
		{5, 4, people.Tally{Ratings: -1, Stars: -4}, []int{1, 5}},
		{2, 4, people.Tally{Ratings: -1, Stars: -4}, []int{1, 2}},
	} {
		id := fmt.Sprint("w", i)
		n.signUp(worker(id))
		n.put(review(id, "counted", dynastay.Number(c.counted)))
		n.count(id, people.Tally{Ratings: 1, Stars: c.counted})
		n.put(review(id, "uncounted", dynastay.Number(c.uncounted)))
		n.count(id, c.moved)
		p := n.profile(id)
		assert.Equal(t, c.want, []int{p.Ratings, p.Stars}, "%d", i)
	}
}

// A completion rate of other software without the jobs that ended: they are estimated.
func TestCompletionRatesOfOtherSoftware(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	for _, c := range []struct {
		jobs        types.AttributeValue
		rate        types.AttributeValue
		ended       types.AttributeValue
		left        int
		wantJobs    int
		wantEnded   int
		wantPercent string
	}{
		{dynastay.Number(45), &types.AttributeValueMemberN{Value: "0.96"}, null, 0, 46, 48, "0.96"}, // 45 / 0.96 is 46.9
		{dynastay.Number(45), &types.AttributeValueMemberN{Value: "0.96"}, null, 1, 46, 49, "0.94"},
		{dynastay.Number(45), null, null, 0, 46, 46, "1"},
		{dynastay.Number(45), dynastay.Number(96), null, 0, 46, 46, "1"},
		{dynastay.Number(45), &types.AttributeValueMemberN{Value: "0.5"}, dynastay.Number(60), 0, 46, 61, "0.75"},
		{dynastay.Number(45), &types.AttributeValueMemberN{Value: "0.5"}, dynastay.Number(40), 0, 46, 46, "1"},
		{null, &types.AttributeValueMemberN{Value: "0.5"}, null, 0, 1, 1, "1"},
		{null, null, null, 1, 1, 2, "0.5"},
		{dynastay.Number(1), &types.AttributeValueMemberN{Value: "-0.5"}, null, 0, 2, 2, "1"},
	} {
		item := items["worker456"]
		item["totalJobs"], item["completionRate"], item["endedJobs"] = c.jobs, c.rate, c.ended
		n.put(item)
		n.count("worker456", people.Tally{Jobs: 1, Ended: 1 + c.left})
		p := n.profile("worker456")
		assert.Equal(t, []int{c.wantJobs, c.wantEnded}, []int{p.Jobs, p.Ended}, "%v", c)
		assert.Equal(t, exact(c.wantPercent), n.number("worker456", "completionRate"), "%v", c)
	}
}

// Other software stores NULL for 0.
func TestCountersThatAreNull(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	item := items["worker456"]
	for _, name := range []string{
		"totalProjects", "totalJobs", "endedJobs", "completionRate", "totalOrders", "ratingCount", "ratingSum", "trustScore",
	} {
		item[name] = null
	}
	n.put(item)
	n.count("worker456", people.Tally{Projects: 1, Jobs: 1, Ended: 2, Orders: 2, Ratings: 1, Stars: 3})
	p := n.profile("worker456")
	assert.Equal(t, []int{1, 1, 2, 2, 1, 3}, []int{p.Projects, p.Jobs, p.Ended, p.Orders, p.Ratings, p.Stars})
	assert.InDelta(t, 0.5, p.CompletionRate, 0)
	assert.Equal(t, dynastay.Rating(30), p.TrustScore)
}

// A counter that changes after it was read is read again, and so are the rates that depend on it.
func TestACounterThatIsOvertaken(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for i, c := range []struct {
		name  string
		moved people.Tally
		want  func(*people.Profile) int
	}{
		{"totalProjects", people.Tally{Projects: 1}, func(p *people.Profile) int { return p.Projects }},
		{"totalJobs", people.Tally{Jobs: 1}, func(p *people.Profile) int { return p.Jobs }},
		{"endedJobs", people.Tally{Ended: 1}, func(p *people.Profile) int { return p.Ended }},
		{"completionRate", people.Tally{Ended: 1}, func(p *people.Profile) int { return p.Ended + 4 }},
		{"totalOrders", people.Tally{Orders: 1}, func(p *people.Profile) int { return p.Orders }},
		{"ratingCount", people.Tally{Stars: 1}, func(p *people.Profile) int { return p.Ratings + 1 }},
		{"ratingSum", people.Tally{Ratings: 1}, func(p *people.Profile) int { return p.Stars + 1 }},
	} {
		id := fmt.Sprint("w", i)
		n.signUp(worker(id))
		n.count(id, people.Tally{Projects: 1, Jobs: 1, Ended: 2, Orders: 1, Ratings: 2, Stars: 8})
		changed := n.raw(id)
		changed[c.name] = dynastay.Number(7)
		n.Faults.Inject(dyntest.Before(func(context.Context) { n.put(changed) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		record := n.Faults.Record()
		n.count(id, c.moved)
		writes := 0
		for _, r := range record() {
			if r.Operation == "TransactWriteItems" {
				writes++
			}
		}
		assert.Equal(t, 2, writes, c.name)
		got := c.want(n.profile(id))
		assert.True(t, got == 7 || got == 8, "%s: %d", c.name, got)
	}
}

// While the reviews are counted, one is deleted, and then one with the same rating is written: the counters are the same
// as before, but what was counted is not.
func TestRecountNoticesMovesThatCancelEachOther(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w"))
	at := dynastay.Key{PK: "USER#w", SK: "REVIEW#p#a"}
	move := func(by int) {
		other := n.Open(nil)
		assert.NoError(t, other.Write(t.Context(), count(other, people.New(other, nil), "w", people.Tally{Ratings: by, Stars: 5 * by})))
		if by > 0 {
			n.put(dynastay.Item{"PK": dynastay.Text(at.PK), "SK": dynastay.Text(at.SK), "rating": dynastay.Number(5)})
		} else {
			assert.NoError(t, n.Direct.DeleteAll(t.Context(), keys.Table, []dynastay.Key{at}))
		}
	}
	move(1)
	type recount struct{}
	before := func(operation string, by int) {
		n.Faults.Inject(dyntest.Before(func(context.Context) { move(by) }), dyntest.When{Nth: 1, Match: func(r dyntest.Request) bool {
			return r.Operation == operation && r.Context.Value(recount{}) != nil
		}})
	}
	before("Query", -1)
	before("TransactWriteItems", 1)
	p, err := n.repo.RecountRatings(context.WithValue(t.Context(), recount{}, true), "w")
	require.NoError(t, err)
	assert.Equal(t, []any{dynastay.Rating(50), 1, 5}, []any{p.TrustScore, p.Ratings, p.Stars})
	stored := n.profile("w")
	assert.Equal(t, []any{dynastay.Rating(50), 1, 5}, []any{stored.TrustScore, stored.Ratings, stored.Stars})
}

// A review that is written between the count and its write is counted.
func TestRecountIsNotMisled(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	ctx := t.Context()
	n.signUp(worker("w"))
	review := func(id string, stars int) {
		n.put(dynastay.Item{
			"PK": dynastay.Text("USER#w"), "SK": dynastay.Text("REVIEW#p#" + id), "rating": dynastay.Number(stars),
		})
	}
	review("a", 5)
	n.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		review("b", 2)
		other := n.Open(nil)
		assert.NoError(t, other.Write(ctx, count(other, people.New(other, nil), "w", people.Tally{Ratings: 1, Stars: 2})))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	p, err := n.repo.RecountRatings(ctx, "w")
	require.NoError(t, err)
	assert.Equal(t, []any{dynastay.Rating(35), 2, 7}, []any{p.TrustScore, p.Ratings, p.Stars})
	stored, err := n.repo.Profile(ctx, "w")
	require.NoError(t, err)
	assert.Equal(t, []any{dynastay.Rating(35), 2, 7}, []any{stored.TrustScore, stored.Ratings, stored.Stars})
	_, err = n.repo.RecountRatings(ctx, "nobody")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}
