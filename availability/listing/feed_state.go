package listing

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// The attributes of the item of a feed.
const attrFetched = "fetchedAtMs"

var (
	fetched = dynastay.NameOf(attrFetched)
	// newest sets the time of the newest download. A Sync that failed may be repeated with the same one.
	newest = dynastay.MustCompile(expression.NewBuilder().
		WithCondition(dynastay.Absent(attrFetched).Or(fetched.LessThanEqual(dynastay.Param("time")))).
		WithUpdate(expression.Set(fetched, dynastay.Param("time")).
			Set(dynastay.NameOf("listingId"), dynastay.Param("listing")).
			Set(dynastay.NameOf(attrFeed), dynastay.Param("feed")).
			Set(dynastay.NameOf("eventSource"), dynastay.Param("source"))))
	isNewest = dynastay.MustCompile(expression.NewBuilder().WithCondition(fetched.Equal(dynastay.Param("time"))))
)

func (s *syncing) fetched() dynastay.Item {
	return dynastay.Item{"time": dynastay.Number(int(s.feed.Fetched.UnixMilli()))}
}

// begin refuses a download that is older than the newest. A later Sync makes this one fail.
func (s *syncing) begin(ctx context.Context) error {
	values := s.fetched()
	values["listing"], values["feed"] = dynastay.Text(s.feed.ListingID), dynastay.Text(s.feed.Name)
	values["source"] = dynastay.Text(string(s.feed.Source))
	_, err := dynastay.Do(ctx, s.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opSync,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Update(listingkeys.Table, s.at, newest.With(values)).Else(s.outdated)
			return struct{}{}, nil
		},
	}))
	return err
}

func (s *syncing) outdated(dynastay.Row) error {
	return &dynastay.Error{Op: opSync, Entity: "Feed", ID: s.feed.Name, Err: ErrOutdated}
}

// state is the calendar as it was read.
type state struct {
	own    []ownEvent               // the events of the feed that are not over
	others map[dynastay.Date]*Night // the nights of all other events, from today on
}

// ownEvent is an event of the feed.
type ownEvent struct {
	*Event
	row dynastay.Row
}

func (s *syncing) readAll(ctx context.Context) (state, error) {
	rows, err := dynastay.QueryAll(ctx, s.db, listingkeys.Table, dynastay.Query{
		Partition: s.at.PK, Range: dynastay.Range{Prefix: listingkeys.EventPrefix}, Consistent: true,
	})
	if err != nil {
		return state{}, err
	}
	now := state{others: map[dynastay.Date]*Night{}}
	ids := map[string]bool{}
	for _, row := range rows {
		e, err := s.event.Value(row)
		if err != nil {
			continue // not an event of this package; its nights are seen below
		}
		if e.Feed == s.feed.Name && !e.Moving && e.Stay.CheckOut.After(s.today) {
			now.own = append(now.own, ownEvent{e, row})
			ids[e.ID] = true
		}
	}
	slices.SortFunc(now.own, func(a, b ownEvent) int { return a.Stay.CheckIn.Compare(b.Stay.CheckIn) })
	first, err := key.Of(listingkeys.Night{ListingID: s.feed.ListingID, Date: s.today})
	if err != nil {
		return state{}, err
	}
	rows, err = dynastay.QueryAll(ctx, s.db, listingkeys.Table, dynastay.Query{
		Partition: s.at.PK, Range: dynastay.Range{From: first.SK, To: lastNight}, Consistent: true,
	})
	for _, row := range rows {
		if night := s.taken(s.feed.ListingID, row); !ids[night.EventID] {
			now.others[night.Date] = night
		}
	}
	return now, err
}

// lastNight is after the sort keys of all nights.
var lastNight = key.SortKind[listingkeys.Night]() + "~"
