package listing

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// owners are the events that a night has before and after.
type owners struct{ before, after *target }

// group is what one transaction changes: events that exchange nights.
type group struct {
	targets []*target
	nights  map[dynastay.Date]owners
}

// groups divides the changes into transactions.
func (p *plan) groups() (groups []*group) {
	nights := map[dynastay.Date]owners{}
	of := map[*target]*group{}
	for _, t := range p.targets {
		for _, date := range datesOf(t.event.Stay) {
			nights[date] = owners{t, nights[date].after}
		}
		for _, date := range datesOf(t.stay) {
			nights[date] = owners{nights[date].before, t}
		}
		if t.changes() {
			of[t] = &group{[]*target{t}, map[dynastay.Date]owners{}}
		}
	}
	dates := slices.SortedFunc(maps.Keys(nights), dynastay.Date.Compare)
	for _, date := range dates {
		a, b := of[nights[date].before], of[nights[date].after]
		if a == nil || b == nil || a == b {
			continue
		}
		if len(a.targets) < len(b.targets) {
			a, b = b, a
		}
		a.targets = append(a.targets, b.targets...)
		for _, t := range b.targets {
			of[t] = a
		}
	}
	for _, date := range dates {
		o := nights[date]
		if o.before == o.after {
			continue
		}
		g := of[o.before]
		if g == nil {
			g = of[o.after]
		}
		g.nights[date] = o
	}
	for _, t := range p.targets {
		if g := of[t]; g != nil && g.targets[0] == t {
			groups = append(groups, g)
		}
	}
	return groups
}

// write writes one group. It fails with errStale if the calendar is no longer as it was read.
func (s *syncing) write(ctx context.Context, now state, g *group) error {
	prepared := false
	events, err := dynastay.Do(ctx, s.db, dynastay.NewOp(dynastay.OpSpec[map[*target]*Event]{
		Name: opSync,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (map[*target]*Event, error) {
			if prepared { // a change has overtaken it
				return nil, errStale
			}
			prepared = true
			tx.Check(listingkeys.Table, s.at, isNewest.With(s.fetched()), s.outdated)
			events := map[*target]*Event{}
			for _, t := range g.targets {
				in := intent{op: opSync, event: t.event}
				in.at, _ = listingkeys.Event(t.event.ListingID, t.event.ID) // stored, or drawn
				h := held{row: t.row}
				var err error
				if events[t], err = s.setEvent(tx, h, in, func(e *Event) { e.Stay, e.UID = t.stay, t.uid }); err != nil {
					return nil, err
				}
			}
			return events, s.exchange(tx, now, g, events)
		},
		Restore: func(context.Context, map[string]string) (map[*target]*Event, error) { return nil, errStale },
	}))
	if err != nil {
		return err
	}
	for _, t := range g.targets {
		s.note(t, events[t])
	}
	return nil
}

// exchange adds the actions that give nights to other events of the feed, take new ones, and free the rest.
func (s *syncing) exchange(tx *dynastay.Tx, now state, g *group, events map[*target]*Event) error {
	for date, o := range g.nights {
		at, err := key.Of(listingkeys.Night{ListingID: s.feed.ListingID, Date: date})
		if err != nil {
			return err
		}
		if o.after == nil {
			if now.others[date] == nil { // otherwise other software has overwritten the night
				tx.Delete(listingkeys.Table, at).If(freeOr.With(ids(o.before, o.before)), stale)
			}
			continue
		}
		before := o.before
		if before == nil {
			before = o.after
		}
		item, err := s.night.Item(events[o.after].night(date, s.db.Now()))
		if err != nil {
			return err
		}
		tx.Put(listingkeys.Table, item).If(freeOr.With(ids(before, o.after)), stale)
	}
	return nil
}

func ids(a, b *target) dynastay.Item {
	return dynastay.Item{"a": dynastay.Text(a.event.ID), "b": dynastay.Text(b.event.ID)}
}

func stale(dynastay.Row) error { return errStale }

var freeOr = dynastay.MustCompile(expression.NewBuilder().WithCondition(
	expression.AttributeNotExists(dynastay.NameOf(listingkeys.Table.Key.Partition)).
		Or(expression.Equal(dynastay.NameOf(attrEventID), dynastay.Param("a"))).
		Or(expression.Equal(dynastay.NameOf(attrEventID), dynastay.Param("b")))))
