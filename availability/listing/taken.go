package listing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Taken is the error for nights that other events hold. Nothing was written.
type Taken struct {
	ListingID string
	Nights    []*Night `json:",omitzero"` // by date, each with the event that holds it
}

// Error names the nights and the events that hold them.
func (t *Taken) Error() string {
	var parts []string
	for i := 0; i < len(t.Nights); {
		first, last := t.Nights[i], t.Nights[i]
		for i++; i < len(t.Nights) && t.Nights[i].EventID == first.EventID && t.Nights[i].Date == last.Date.AddDays(1); i++ {
			last = t.Nights[i]
		}
		nights := first.Date.String()
		if first != last {
			nights = fmt.Sprintf("%s to %s", first.Date, last.Date)
		}
		parts = append(parts, fmt.Sprintf("%s by %s (%s)", nights, first.EventID, first.Source))
	}
	return t.ListingID + " is not available: " + strings.Join(parts, ", ")
}

// Is makes it match [dynastay.ErrRefused].
func (*Taken) Is(target error) bool { return target == dynastay.ErrRefused }

// taken returns the night in a row. Whatever the row contains, nobody can book the night of its key, so a row that
// cannot be read is not an error.
func (r *Repository) taken(listingID string, row dynastay.Row) *Night {
	night, err := r.night.Value(row)
	if err != nil {
		night = &Night{EventID: row.Text(attrEventID)}
	}
	night.ListingID = listingID
	if at, err := key.Parse[listingkeys.Night](listingkeys.Table.Key.From(row)); err == nil {
		night.Date = at.Date
	}
	return night
}

// contest is the contest of an intent: callers in one process queue for the event and for the nights that it will hold,
// and a refusal names every night that another event holds. To find them, it reads the nights again, with 1 request.
func (r *Repository) contest(in intent) *dynastay.Contest {
	nights := nightRefs(listingOf(in.at), in.stay)
	c := &dynastay.Contest{Items: nights, Still: in.still}
	if in.mine == nil { // otherwise the item of the event determines its own error: it must not exist
		c.Items = append(slices.Clone(nights), dynastay.RefOf(listingkeys.Table, in.at))
	}
	if len(nights) == 0 {
		return c
	}
	c.Judge = func(seen map[dynastay.Ref]dynastay.Row) error { return r.judge(in, nights, seen) }
	c.See = func(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) {
		rows, err := r.between(ctx, listingOf(in.at), in.stay, true)
		seen := map[dynastay.Ref]dynastay.Row{}
		for _, ref := range nights {
			seen[ref] = dynastay.Row{}
		}
		for _, row := range rows {
			seen[dynastay.RefOf(listingkeys.Table, listingkeys.Table.Key.From(row))] = row
		}
		return seen, err
	}
	return c
}

// judge refuses an intent if other events hold any of its nights.
func (r *Repository) judge(in intent, nights []dynastay.Ref, seen map[dynastay.Ref]dynastay.Row) error {
	taken, own := &Taken{ListingID: listingOf(in.at)}, false
	for _, ref := range nights {
		switch row := seen[ref]; {
		case !row.Exists():
		case row.Text(attrEventID) == listingkeys.EventIDOf(in.at):
			own = true
		default:
			taken.Nights = append(taken.Nights, r.taken(taken.ListingID, row))
		}
	}
	if len(taken.Nights) > 0 {
		return taken
	}
	if own {
		return in.mine
	}
	return nil
}

// nightRefs returns the items of nights. They are in the order of the dates. An id that is not valid has none: the
// operation is refused because of it.
func nightRefs(listingID string, stay dynastay.Stay) (refs []dynastay.Ref) {
	for _, date := range datesOf(stay) {
		if at, err := key.Of(listingkeys.Night{ListingID: listingID, Date: date}); err == nil {
			refs = append(refs, dynastay.RefOf(listingkeys.Table, at))
		}
	}
	return refs
}
