package listing

import (
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// blocksFor plans the blocks of a feed. A block has nights of one month only, so that all changes in a month fit in one
// transaction, and a feed that closes the year ahead, and one day more each day, changes little.
func (s *syncing) blocksFor(
	events []*Event, rows map[*Event]dynastay.Row, blocked map[dynastay.Date]string,
) (targets []*target) {
	wanted := maps.Clone(blocked)
	for _, e := range events {
		for _, date := range datesOf(e.Stay) {
			if date.Before(s.today) || date == s.today && s.keptTonight(e.Stay, blocked) {
				wanted[date] = e.UID // what is over remains as it was
			}
		}
	}
	runs := runsOf(wanted)
	runAt := map[dynastay.Date]int{} // those that no event has got yet
	for i, run := range runs {
		for _, date := range datesOf(run) {
			runAt[date] = i
		}
	}
	for _, e := range events {
		t := &target{event: e, row: rows[e], uid: e.UID}
		if best := s.runOf(e.Stay, runAt); best >= 0 {
			t.stay, t.uid = runs[best], uidOf(runs[best], wanted)
			for _, date := range datesOf(runs[best]) {
				delete(runAt, date)
			}
		}
		targets = append(targets, t)
	}
	for _, run := range runs {
		if _, left := runAt[run.CheckIn]; left {
			targets = append(targets, &target{event: s.newBlock(), stay: run, uid: uidOf(run, wanted)})
		}
	}
	return targets
}

// runOf returns which run an event gets: that of its nights that are over, otherwise that with which it has most nights
// in common, or -1.
func (s *syncing) runOf(was dynastay.Stay, runAt map[dynastay.Date]int) int {
	common, best := map[int]int{}, -1
	for _, date := range datesOf(was) {
		i, there := runAt[date]
		if !there {
			continue
		}
		if date.Before(s.today) {
			return i
		}
		if common[i]++; best < 0 || common[i] > common[best] {
			best = i
		}
	}
	return best
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
	id, _ := listingkeys.BlockEventID(s.newBlockID()) // an id of the library's own
	return &Event{
		ListingID: s.feed.ListingID, HostID: s.feed.HostID, ID: id, Kind: KindBlock, Source: HostClosed, Feed: s.feed.Name,
	}
}
