package people

import (
	"context"
	"math"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Tally is by how much counters of a profile move. A counter does not fall below 0.
type Tally struct {
	Projects int // posted
	Jobs     int // completed
	Ended    int // completed or left: a job that is completed is counted in both
	Orders   int // delivered
	Ratings  int
	Stars    int // of these ratings, 1 to 5 each
}

// Read returns the profile in a row that was read with its key, or an error that matches [dynastay.ErrNotFound] if
// there is none. It is for authors of operations that read profiles together with other items.
func (r *Repository) Read(userID string, row dynastay.Row) (*Profile, error) {
	if !row.Exists() {
		return nil, &dynastay.Error{Entity: r.profile.Name, ID: userID, Kind: dynastay.ErrNotFound}
	}
	return r.profile.Value(row)
}

// Count adds to tx the action that moves counters of a user by t, together with the rates that depend on them. It is
// for authors of operations. profile is the user's item as it was read consistently while the operation is prepared; it
// must exist. If a counter has changed since, the operation is prepared again. It fails with [dynastay.ErrCorrupt] for
// a profile that cannot be read. No requests; for a rating of a profile that has no sum of ratings, or would get one
// that cannot be right, because other software writes profiles or reviews, 1 for each MB of reviews, which are counted.
func (r *Repository) Count(ctx context.Context, tx *dynastay.Tx, profile dynastay.Row, t Tally) error {
	p, err := r.profile.Value(profile)
	if err != nil {
		return err
	}
	c := newCounting(profile)
	if t.Projects != 0 {
		c.set(attrProjects, max(0, p.Projects+t.Projects))
	}
	if t.Orders != 0 {
		c.set(attrOrders, max(0, p.Orders+t.Orders))
	}
	if t.Jobs != 0 || t.Ended != 0 {
		c.read(attrCompletionRate)
		jobs, ended := max(0, p.Jobs+t.Jobs), p.endedJobs()+t.Ended
		ended = max(ended, jobs)
		c.set(attrJobs, jobs)
		c.set(attrEnded, ended)
		c.put(attrCompletionRate, rate(jobs, ended))
	}
	if t.Ratings != 0 || t.Stars != 0 {
		ratings, stars := p.Ratings+t.Ratings, p.Stars+t.Stars
		if profile.Value(attrRatings).IsNull() || profile.Value(attrStars).IsNull() || !possible(ratings, stars) {
			// The user is that of the key; other software may have stored another id.
			ratings, stars, err = r.countReviews(ctx, keys.Table.Key.From(profile).PK)
			if err != nil {
				return err
			}
			ratings, stars = max(0, ratings+t.Ratings), max(0, stars+t.Stars)
		}
		c.setRatings(ratings, stars)
	}
	c.addTo(tx)
	return nil
}

// counting collects the counters that move. They are written as values, on condition that they are as they were read,
// because other software may have stored a NULL, to which nothing can be added, and because the rates depend on them.
type counting struct {
	row       dynastay.Row
	update    expression.UpdateBuilder
	condition expression.ConditionBuilder
	any       bool
}

func newCounting(profile dynastay.Row) *counting {
	return &counting{row: profile, condition: expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition))}
}

// addTo adds the action, if any counter moves.
func (c *counting) addTo(tx *dynastay.Tx) {
	if !c.any {
		return
	}
	expr := dynastay.MustCompile(expression.NewBuilder().WithUpdate(c.update).WithCondition(c.condition)).With(nil)
	tx.Update(keys.Table, keys.Table.Key.From(c.row), expr).Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
}

// setRatings also counts how often the ratings have moved. Without that, a recount would not notice that one review was
// deleted and one with the same rating was written since it read the profile.
func (c *counting) setRatings(ratings, stars int) {
	c.set(attrRatingMoves, c.row.Int(attrRatingMoves)+1)
	c.set(attrRatings, ratings)
	c.set(attrStars, stars)
	c.put(attrTrustScore, &types.AttributeValueMemberN{Value: trustScore(ratings, stars).String()})
}

func (c *counting) set(name string, n int) {
	c.read(name)
	c.put(name, dynastay.Number(n))
}

func (c *counting) read(name string) { c.condition = c.condition.And(dynastay.AsRead(name, c.row)) }

func (c *counting) put(name string, v types.AttributeValue) {
	c.update, c.any = c.update.Set(dynastay.NameOf(name), expression.Value(v)), true
}

// endedJobs returns the jobs that ended or, if other software has stored only the rate, an estimate.
func (p *Profile) endedJobs() int {
	if p.Ended == 0 && p.CompletionRate > 0 {
		return max(p.Jobs, int(math.Round(float64(p.Jobs)/p.CompletionRate)))
	}
	return max(p.Ended, p.Jobs)
}

// rate returns jobs / ended, rounded half up to hundredths.
func rate(jobs, ended int) types.AttributeValue {
	if ended == 0 {
		return dynastay.Number(0)
	}
	hundredths := (200*jobs + ended) / (2 * ended)
	return &types.AttributeValueMemberN{Value: strconv.FormatFloat(float64(hundredths)/100, 'f', -1, 64)}
}

// trustScore returns stars / ratings, rounded half up to tenths.
func trustScore(ratings, stars int) dynastay.Rating {
	if ratings == 0 {
		return 0
	}
	return dynastay.Rating((20*stars + ratings) / (2 * ratings))
}

// maxStars is the best rating.
const maxStars = 5

// possible reports whether a number of ratings can have a sum of stars. It cannot if reviews that other software has
// written, without counting them, are changed or deleted. A trust score made of such a sum may be one that cannot be
// read again.
func possible(ratings, stars int) bool { return ratings <= stars && stars <= maxStars*ratings }

// countReviews counts the reviews in the partition of the user who has received them, without those that have no rating
// of 1 to 5. A review that is written meanwhile moves the counters, and the operation that counts is prepared again.
func (r *Repository) countReviews(ctx context.Context, partition string) (ratings, stars int, err error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.Table, dynastay.Query{
		Name: "people.countReviews", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Review]()},
		Consistent: true,
	})
	for _, row := range rows {
		if n := row.Int("rating"); n >= 1 && n <= maxStars {
			ratings, stars = ratings+1, stars+n
		}
	}
	return ratings, stars, err
}

// RecountRatingsOp counts the reviews that a user has received, and corrects the trust score and what it is made of. It
// is for users whose reviews other software writes as well; if nothing is wrong, nothing is written. It fails with
// [dynastay.ErrNotFound].
func (r *Repository) RecountRatingsOp(userID string) *dynastay.Operation[*Profile] {
	at, err := key.Of(keys.Profile{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[*Profile]{
		Name: "people.RecountRatings", Invalid: err, Input: func(in *dynastay.Input) { in.Key(at) },
		Contest: &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.Table, at)}},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Profile, error) {
			row, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			p, err := r.Read(userID, row)
			if err != nil {
				return nil, err
			}
			ratings, stars, err := r.countReviews(ctx, at.PK)
			if err != nil {
				return nil, err
			}
			right := trustScore(ratings, stars)
			if p.Ratings != ratings || p.Stars != stars || p.TrustScore != right {
				c := newCounting(row)
				c.setRatings(ratings, stars)
				c.addTo(tx)
			}
			p.Ratings, p.Stars, p.TrustScore = ratings, stars, right
			return p, nil
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Profile, error) { return r.again(ctx, userID) },
	})
}

// RecountRatings runs [Repository.RecountRatingsOp]. 3 requests; 2 if nothing is wrong.
func (r *Repository) RecountRatings(ctx context.Context, userID string, opts ...dynastay.WriteOption) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.RecountRatingsOp(userID), opts...)
}
