package tracker

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

func newStatistics(shards key.Shards) *entity.Entity[Statistics] {
	return entity.New(entity.Spec[Statistics]{
		Name: "Statistics", Operations: "tracker", Schema: keys.Table,
		Key: func(s *Statistics) (dynastay.Key, error) {
			return key.Of(keys.Stats{UserID: s.UserID, Date: s.Date})
		},
		Codec: entity.Declare(func(f *entity.Fields, s *Statistics) {
			f.String("user_id", &s.UserID)
			f.Date("calculation_date", &s.Date)
			for name, p := range map[string]*Progress{
				"countries": &s.Countries, "us_states": &s.USStates, "canadian_provinces": &s.Provinces, "total_regions": &s.Total,
			} {
				f.Int(name+"_visited", &p.Visited)
				f.Float(name+"_percentage", &p.Percentage)
			}
			var continents []string
			for _, c := range s.Continents {
				continents = append(continents, string(c))
			}
			f.Strings("continents_visited", &continents)
			if f.Decoding() {
				s.Continents = nil
				for _, c := range continents {
					s.Continents = append(s.Continents, regions.Continent(c))
				}
			}
			declareByContinent(f, &s.ByContinent)
			entity.List(f, "recent_visits", &s.Recent, func(f *entity.Fields, v *RecentVisit) {
				entity.String(f, "region_type", &v.RegionType)
				f.String("region_code", &v.RegionCode)
				f.String("region_name", &v.RegionName)
				f.Time("marked_at", &v.MarkedAt)
				entity.Custom(f, "visited_date", &v.VisitedDate, encodeDay, decodeDay)
			})
			f.Int("travel_streak_days", &s.StreakDays)
			f.Time("calculated_at", &s.CalculatedAt)
			f.Unix(keys.AttrTTL, &s.Expires)
			f.Const("schema_version", schemaVersion)
			f.WriteID(keys.AttrWriteID, &s.WriteID)
		}),
		Indexes: map[string]func(*Statistics) (dynastay.Key, error){
			keys.Index1: func(s *Statistics) (dynastay.Key, error) {
				return key.Of(keys.StatsByDate{Date: s.Date, Shard: shards.Of(s.UserID), UserID: s.UserID})
			},
		},
	})
}

func declareByContinent(f *entity.Fields, p *map[regions.Continent]Progress) {
	byCode := map[string]Progress{}
	for continent, progress := range *p {
		byCode[string(continent)] = progress
	}
	entity.Keyed(f, "continents", &byCode, func(f *entity.Fields, code string, p *Progress) {
		f.Map(code, func(f *entity.Fields) {
			f.Int("visited", &p.Visited)
			f.Float("percentage", &p.Percentage)
		})
	})
	if !f.Decoding() {
		return
	}
	*p = nil
	if len(byCode) > 0 {
		*p = map[regions.Continent]Progress{}
	}
	for code, progress := range byCode {
		(*p)[regions.Continent(code)] = progress
	}
}

// Statistics returns the statistics of a user today, in UTC. They are calculated once a day, when they are first asked
// for, and may therefore lack the visits since; see [Repository.CalculateStatistics], whose requests are added then. It
// fails with [dynastay.ErrNotFound] if there is no such user.
//
// Pattern T14: PK = USER#{user_id}, SK = STATS#{date}, 1 request
func (r *Repository) Statistics(ctx context.Context, userID string) (*Statistics, error) {
	at, err := key.Of(keys.Stats{UserID: userID, Date: dynastay.DateOf(r.db.Now(), time.UTC)})
	if err != nil {
		return nil, err
	}
	s, err := r.stats.Get(ctx, at)
	if errors.Is(err, dynastay.ErrNotFound) {
		return r.CalculateStatistics(ctx, userID)
	}
	return s, err
}

// CalculateStatistics calculates the statistics of a user anew, and stores them for the day. 1 request a page of visits,
// and 1 for the write.
func (r *Repository) CalculateStatistics(ctx context.Context, userID string) (*Statistics, error) {
	var visits []*Visit
	for v, err := range r.allVisits(userID, true).All(ctx) {
		if err != nil {
			return nil, err
		}
		visits = append(visits, v)
	}
	now := r.db.Now()
	s := Calculate(userID, dynastay.DateOf(now, time.UTC), visits, r.opts.Reference)
	s.CalculatedAt = now
	return dynastay.Do(ctx, r.db, r.storeOp(s))
}

// storeOp writes statistics while there is a profile: those of a user who is being erased would stay.
func (r *Repository) storeOp(s Statistics) *dynastay.Operation[*Statistics] {
	profile, err := key.Of(keys.Profile{UserID: s.UserID})
	return dynastay.NewOp(dynastay.OpSpec[*Statistics]{
		Name: "tracker.CalculateStatistics", Invalid: err,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Statistics, error) {
			item, err := r.stat.Item(&s)
			if err != nil {
				return nil, err
			}
			put := tx.Put(keys.Table, item).Identified()
			s.WriteID = put.WriteID()
			tx.Check(keys.Table, profile, thereIs, func(dynastay.Row) error { return r.noUser(s.UserID) })
			return &s, nil
		},
	})
}

var thereIs = dynastay.MustCompile(expression.NewBuilder().WithCondition(
	expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition)))).With(nil)

// StatisticsOn returns the statistics of all users that were calculated on a day, by user. They are kept for seven days.
//
// Pattern T15: GSI1, GSI1PK = STATS_DATE#{date}, 1 request
func (r *Repository) StatisticsOn(date dynastay.Date) dynastay.List[*Statistics] {
	partitions, err := key.Partitions(keys.StatsByDate{Date: date}, r.opts.Shards.Read)
	if err != nil {
		return dynastay.NoList[*Statistics](err)
	}
	return r.stats.List(dynastay.Query{
		Name: "tracker.StatisticsOn", Index: keys.Index1, Partition: partitions[0], Shards: partitions[1:],
	}).Filter(func(s *Statistics) bool { return !expired(s.Expires, r.db.Now()) })
}
