package traveltracker

import (
	"slices"
	"strconv"
	"strings"

	trips "github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// items are what is stored of one traveller.
type items struct {
	profile, head plain
	log           []plain          // in order
	seen          map[string]bool  // by the id of the operation
	visits        map[string]plain // by the id of the visit, as the log has it
	regions       map[string]int   // the visits of each region that is visited
	pending       int
}

func newItems() *items {
	return &items{seen: map[string]bool{}, visits: map[string]plain{}, regions: map[string]int{}}
}

func (s *travels) Check() {
	all := map[string]*items{}
	for user := range s.pulls {
		all[user] = newItems()
	}
	for _, p := range s.Scan(trips.Table) {
		_, user, _ := strings.Cut(checker.TextOf(p, "PK"), "#")
		if items := all[user]; items != nil {
			items.add(p)
		}
	}
	for _, items := range all {
		slices.SortFunc(items.log, func(a, b plain) int { return strings.Compare(checker.TextOf(a, "SK"), checker.TextOf(b, "SK")) })
	}
	s.checkTravels(all)
}

// add sorts an item by its key.
func (all *items) add(p plain) {
	kind, id, _ := strings.Cut(checker.TextOf(p, "SK"), "#")
	switch kind {
	case "PROFILE":
		all.profile = p
	case "HEAD":
		all.head = p
	case "OP":
		all.log = append(all.log, p)
	case "SEEN":
		all.seen[id] = true
	case "VISIT":
		all.visits[id] = p
	case "REGION":
		all.regions[id] = checker.NumberOf(p, "visits")
	case "PENDING":
		all.pending++
	}
}

func (s *travels) checkTravels(all map[string]*items) {
	for user, items := range all {
		logged := s.checkLog(user, items)
		for id, t := range s.all {
			if t.user != user {
				continue
			}
			s.checkTrip(t, logged[id], items.seen[id])
			delete(items.seen, id)
		}
		for id := range items.seen {
			s.Differ("an operation of nobody that is remembered", user, "%s", id)
		}
		for _, p := range s.pushes {
			s.checkPush(p, logged)
		}
		s.checkVisited(user, items)
		s.checkPulled(user, items)
	}
}

// checkLog follows the log from its first entry: the numbers have no gap, the times increase, and each entry has what
// follows from the one before it about the same visit. It returns the entries of each operation.
func (s *travels) checkLog(user string, items *items) map[string][]plain {
	logged, last := map[string][]plain{}, map[string]int{}
	once, before, began := map[string]bool{}, 0, checker.Moment(0)
	for n, e := range items.log {
		differ := func(kind string) { s.Differ(kind, user, "entry %d: %v", n+1, e) }
		id := checker.TextOf(e, "operation_id")
		if checker.NumberOf(e, "server_version") != n+1 {
			differ("numbers of a log with a gap")
		}
		at := entryTime(e)
		if at <= before {
			differ("times of a log that do not increase")
		}
		if before = at; once[id] {
			differ("an operation that is in the log twice")
		}
		once[id] = true
		data, _ := e["entity_data"].(plain)
		version, what := checker.NumberOf(data, "sync_version"), checker.TextOf(e, "entity_id")
		want := last[what]
		switch {
		case e["status"] != "applied":
		case want == 0:
			want = n + 1 // a new visit begins with the version of the log
		default:
			want++
		}
		if version != want {
			differ("an entry that does not follow from the one before")
		}
		if last[what] = version; n == 0 && checker.TextOf(e, "device_id") == tracker.Server {
			continue // that the user has signed up
		}
		op, _, _ := strings.Cut(id, ".")
		t := s.all[op]
		if t == nil || t.user != user || t.device != checker.TextOf(e, "device_id") {
			differ("an entry of nobody")
			continue
		}
		if t.within.To < began {
			differ("operations in another order than they were pushed")
		}
		began = max(began, t.within.From)
		logged[op] = append(logged[op], e)
	}
	n := len(items.log)
	if checker.NumberOf(items.head, "server_version") != n || n > 0 && checker.NumberOf(items.head, "last_ms") != before {
		s.Differ("a log with another head", user, "%d entries: %v", n, items.head)
	}
	for what, version := range last {
		is := items.visits[what]
		if what == user {
			is = items.profile
		}
		if checker.NumberOf(is, "sync_version") != version {
			s.Differ("something that is not as the log has it", user, "%s: %v, and version %d", what, is, version)
		}
	}
	for id, v := range items.visits {
		if _, is := last[id]; !is {
			s.Differ("a visit that is not in the log", user, "%v", v)
		}
	}
	return logged
}

// entryTime is the time in the key of an entry.
func entryTime(e plain) int {
	part, _, _ := strings.Cut(strings.TrimPrefix(checker.TextOf(e, "SK"), "OP#"), "#")
	at, _ := strconv.Atoi(part)
	return at
}

// checkTrip compares an operation with what the log has of it, and whether it is remembered.
func (s *travels) checkTrip(t *trip, entries []plain, seen bool) {
	differ := func(kind string) { s.Differ(kind, t.user, "%s: %v, %v, %v", t.ID, t.outcomes, t.versions, entries) }
	parts := max(1, len(t.Batch))
	there := len(entries) > 0
	switch {
	case t.verdict() == checker.Refused && there:
		differ("an operation that was refused, and is in the log")
	case t.verdict() == checker.Acknowledged && !there:
		differ("an operation is lost")
	case there && len(entries) != parts, there != seen:
		differ("half of an operation")
	}
	if t.outcomes[tracker.Applied] > 1 {
		differ("an operation that was applied twice")
	}
	if t.verdict() != checker.Acknowledged || len(entries) != parts {
		return
	}
	rejected := false
	for n, e := range entries {
		rejected = rejected || e["status"] == "conflict"
		data, _ := e["entity_data"].(plain)
		if n >= len(t.versions) || t.versions[n] != checker.NumberOf(data, "sync_version") {
			differ("an operation that has left another version")
		}
	}
	for outcome := range t.outcomes {
		applied := outcome == tracker.Applied || outcome == tracker.AlreadyApplied
		if rejected != (outcome == tracker.Rejected) || !rejected && !applied {
			differ("an operation with another outcome")
		}
	}
}

// checkPush looks for operations that were carried out before the ones that their device had made before.
func (s *travels) checkPush(p *push, logged map[string][]plain) {
	last := 0
	for n, t := range p.trips {
		if n > 0 && logged[t.ID] != nil && logged[p.trips[n-1].ID] == nil {
			s.Differ("a push that was carried out in another order", p.UserID, "%s without the one before", t.ID)
		}
		for _, e := range logged[t.ID] {
			if n := checker.NumberOf(e, "server_version"); n < last {
				s.Differ("a push that was carried out in another order", p.UserID, "%s after %d: %v", t.ID, last, e)
			} else {
				last = n
			}
		}
	}
}

// checkVisited compares the visits of a user with their last entries, and counts the regions.
func (s *travels) checkVisited(user string, items *items) {
	wrote := map[string]plain{} // the last entry that has changed each visit
	for _, e := range items.log {
		if e["status"] == "applied" {
			wrote[checker.TextOf(e, "entity_id")] = e
		}
	}
	live := map[string]int{}
	for id, v := range items.visits {
		data, _ := wrote[id]["entity_data"].(plain)
		same := v["is_deleted"] == data["is_deleted"] && v["notes"] == data["notes"]
		if !same || v["operation_id"] != wrote[id]["operation_id"] {
			s.Differ("a visit that is not as its last entry has it", user, "%v, %v", v, wrote[id])
		}
		if v["is_deleted"] != true {
			live[checker.TextOf(v, "region_type")+"#"+checker.TextOf(v, "region_code")]++
		}
	}
	for region, n := range items.regions {
		if n != live[region] {
			s.Differ("a region with another number of visits", user, "%s: %d, and there are %d", region, n, live[region])
		}
	}
	for region := range live {
		if items.regions[region] == 0 {
			s.Differ("a region that is not counted", user, "%s", region)
		}
	}
	if n := checker.NumberOf(items.profile, "countries_visited"); n != len(live) {
		s.Differ("a traveller with another number of countries", user, "%d, and there are %d", n, len(live))
	}
	if items.pending > 0 {
		s.Differ("operations that wait for nobody", user, "%d", items.pending)
	}
}

// checkPulled compares what was pulled with the log: all that was applied, in order, and nothing else.
func (s *travels) checkPulled(user string, items *items) {
	var applied []int
	for _, e := range items.log {
		if e["status"] == "applied" {
			applied = append(applied, checker.NumberOf(e, "server_version"))
		}
	}
	if pulled := s.pulls[user].numbers; !slices.Equal(applied, pulled) {
		s.Differ("changes that were pulled otherwise than they were applied", user, "%v instead of %v", pulled, applied)
	}
}
