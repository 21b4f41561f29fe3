package listing

import (
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
	keys "github.com/dynastay/dynastay/keys/listing"
)

// blocksFor plans the blocks of a feed. A block has nights of one month only, so that all changes in a month fit in one
// transaction, and a feed that closes the year ahead, and one day more each day, changes little.
func (s *syncing) blocksFor(
	events []*Event, rows map[*Event]dynastay.Row, blocked map[dynastay.Date]string,
) (targets []*target) {
	wanted := maps.Clone(blocked)
	for _, e := range events {
		for _, date := range datesOf(e.Stay) {
			if date.Before(s.today) {
				wanted[date] = e.UID // what is over remains as it was
			}
		}
	}
	left := runsOf(wanted)
	for _, e := range events {
		t := &target{event: e, row: rows[e], uid: e.UID}
		// The run that has most nights in common with the event keeps it.
		best, most := -1, 0
		for i, run := range left {
			if n := common(e.Stay, run); n > most {
				best, most = i, n
			}
		}
		if best >= 0 {
			t.stay, t.uid = left[best], uidOf(left[best], wanted)
			left = slices.Delete(left, best, best+1)
		}
		targets = append(targets, t)
	}
	for _, run := range left {
		targets = append(targets, &target{event: s.newBlock(), stay: run, uid: uidOf(run, wanted)})
	}
	return targets
}

// runsOf returns the longest stays that consist of the nights and are within one month.
func runsOf(nights map[dynastay.Date]string) (runs []dynastay.Stay) {
	for _, date := range slices.SortedFunc(maps.Keys(nights), dynastay.Date.Compare) {
		last := len(runs) - 1
		if last >= 0 && runs[last].CheckOut == date && dynastay.MonthOf(runs[last].CheckIn) == dynastay.MonthOf(date) {
			runs[last].CheckOut = date.AddDays(1)
			continue
		}
		runs = append(runs, dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)})
	}
	return runs
}

// uidOf returns the first UID of the nights of a run.
func uidOf(run dynastay.Stay, nights map[dynastay.Date]string) string {
	for _, date := range datesOf(run) {
		if nights[date] != "" {
			return nights[date]
		}
	}
	return ""
}

// newBlock returns the event of nights that the feed closes.
func (s *syncing) newBlock() *Event {
	id, _ := keys.BlockEventID(s.newBlockID()) // an id of the library's own
	return &Event{
		ListingID: s.feed.ListingID, HostID: s.feed.HostID, ID: id, Kind: KindBlock, Source: HostClosed, Feed: s.feed.Name,
	}
}
