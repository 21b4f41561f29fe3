package traveltracker

import (
	"fmt"
	"testing"

	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// diary is a history of one traveller: Italy was visited and changed, and a deletion of it was rejected; France and
// Portugal came in one batch, and France was deleted, after the profile had been changed. One operation was refused.
type diary struct {
	*travels
	items *items
}

const diarist = "traveller-0"

func newDiary(t *testing.T) *diary {
	g := &diary{newTravels(checker.Histories(t)), newItems()}
	g.entry("op", "server", diarist, 1, "applied")
	g.trip("m1", "phone", 10, tracker.Applied, 2)
	g.entry("m1", "phone", "country#IT#1", 2, "applied")
	g.trip("m2", "tablet", 20, tracker.AlreadyApplied, 3)
	g.entry("m2", "tablet", "country#IT#1", 3, "applied")
	g.trip("m3", "watch", 30, tracker.Rejected, 3)
	g.entry("m3", "watch", "country#IT#1", 3, "conflict")
	g.trip("m4", "phone", 40, tracker.Applied, 5, 6).Batch = make([]tracker.NewVisit, 2)
	g.entry("m4.1", "phone", "country#FR#1", 5, "applied")
	g.entry("m4.2", "phone", "country#PT#1", 6, "applied")
	g.pushes = []*push{{tracker.Push{UserID: diarist}, []*trip{
		g.trip("m5", "tablet", 50, tracker.Applied, 2), g.trip("m6", "tablet", 50, tracker.Applied, 6),
	}}}
	g.entry("m5", "tablet", diarist, 2, "applied")
	g.entry("m6", "tablet", "country#FR#1", 6, "applied")["is_deleted"] = true
	g.trip("m7", "watch", 60, "")
	g.all["m7"].told = checker.Tally{checker.Refused: 1}
	delete(g.items.seen, "m7")
	g.items.head = plain{"server_version": 8.0, "last_ms": 108.0}
	g.items.profile = plain{"sync_version": 2.0, "countries_visited": 2.0}
	g.visit("IT", "m2", 3, false)
	g.visit("FR", "m6", 6, true)
	g.visit("PT", "m4.2", 6, false)
	g.items.regions = map[string]int{"country#IT": 1, "country#PT": 1, "country#FR": 0}
	g.pulls[diarist] = &pull{numbers: []int{1, 2, 3, 5, 6, 7, 8}}
	return g
}

// trip adds an operation with its answer.
func (g *diary) trip(id, device string, at checker.Moment, outcome tracker.Outcome, versions ...int) *trip {
	t := &trip{
		Operation: tracker.Operation{ID: id}, user: diarist, device: device, within: checker.Between(at, at+1), versions: versions,
		outcomes: map[tracker.Outcome]int{outcome: 1}, told: checker.Tally{checker.Acknowledged: 1},
	}
	g.all[id], g.items.seen[id] = t, true
	return t
}

// entry adds an entry to the log, and returns what it has of the visit.
func (g *diary) entry(id, device, of string, version float64, status string) plain {
	n := len(g.items.log) + 1
	data := plain{"sync_version": version, "is_deleted": false}
	g.items.log = append(g.items.log, plain{
		"SK": fmt.Sprintf("OP#%013d#%s", 100+n, id), "operation_id": id, "device_id": device, "entity_id": of,
		"server_version": float64(n), "status": status, "entity_data": data,
	})
	return data
}

func (g *diary) visit(country, by string, version float64, deleted bool) {
	g.items.visits["country#"+country+"#1"] = plain{
		"region_type": "country", "region_code": country, "operation_id": by, "sync_version": version, "is_deleted": deleted,
	}
}

// cut removes the last entry of the log, which the head and the puller have not seen either.
func (g *diary) cut() {
	g.items.log = g.items.log[:len(g.items.log)-1]
	g.items.head = plain{"server_version": 7.0, "last_ms": 107.0}
}

func (g *diary) check() { g.checkTravels(map[string]*items{diarist: g.items}) }

func TestRightTravels(t *testing.T) {
	checker.Accepts(t, newDiary, (*diary).check, map[string]func(g *diary){
		"nothing else":   func(*diary) {},
		"answered twice": func(g *diary) { g.all["m1"].outcomes[tracker.AlreadyApplied] = 1 },
		"nobody knows":   func(g *diary) { g.all["m6"].told = checker.Tally{checker.Unknown: 1} },
		"no count":       func(g *diary) { delete(g.items.regions, "country#FR") },
		"at the same time": func(g *diary) {
			g.all["m1"].within = checker.Between(5, 25)
			g.all["m2"].within = checker.Between(4, 9)
		},
		"unknown, and none": func(g *diary) { g.all["m7"].told = checker.Tally{checker.Unknown: 1} },
		"the first change of the profile is rejected": func(g *diary) {
			g.all["m5"].outcomes, g.all["m5"].versions = map[tracker.Outcome]int{tracker.Rejected: 1}, []int{1}
			g.items.log[6]["status"], g.items.log[6]["entity_data"] = "conflict", plain{"sync_version": 1.0}
			g.items.profile["sync_version"] = 1.0
			g.pulls[diarist].numbers = []int{1, 2, 3, 5, 6, 8}
		},
	})
}

// wrongTravels are changes of a right history, by the difference that must be found.
var wrongTravels = map[string]map[string]func(g *diary){
	"numbers of a log with a gap": {
		"a gap": func(g *diary) { g.items.log[7]["server_version"] = 9.0 },
		"twice": func(g *diary) { g.items.log[7]["server_version"] = 7.0 },
	},
	"times of a log that do not increase": {
		"one time": func(g *diary) { g.items.log[7]["SK"] = g.items.log[6]["SK"] },
	},
	"an operation that is in the log twice": {
		"m1": func(g *diary) { g.entry("m1", "phone", "country#IT#1", 4, "applied") },
	},
	"an entry that does not follow from the one before": {
		"a lost change": func(g *diary) { g.items.log[2]["entity_data"].(plain)["sync_version"] = 2.0 },
		"a version":     func(g *diary) { g.items.log[7]["entity_data"].(plain)["sync_version"] = 7.0 },
		"a beginning":   func(g *diary) { g.items.log[5]["entity_data"].(plain)["sync_version"] = 1.0 },
		"rejected":      func(g *diary) { g.items.log[3]["status"] = "applied" },
		"applied":       func(g *diary) { g.items.log[2]["status"] = "conflict" },
	},
	"an entry of nobody": {
		"m99":    func(g *diary) { g.items.log[7]["operation_id"] = "m99" },
		"device": func(g *diary) { g.items.log[7]["device_id"] = "watch" },
		"user":   func(g *diary) { g.all["m6"].user = "traveller-1" },
	},
	"operations in another order than they were pushed": {
		"later": func(g *diary) { g.all["m1"].within = checker.Between(25, 26) },
	},
	"a log with another head": {
		"version": func(g *diary) { g.items.head["server_version"] = 9.0 },
		"time":    func(g *diary) { g.items.head["last_ms"] = 109.0 },
		"none":    func(g *diary) { g.items.head = nil },
	},
	"something that is not as the log has it": {
		"a visit":    func(g *diary) { g.items.visits["country#IT#1"]["sync_version"] = 4.0 },
		"no visit":   func(g *diary) { delete(g.items.visits, "country#IT#1") },
		"the person": func(g *diary) { g.items.profile["sync_version"] = 1.0 },
	},
	"a visit that is not in the log": {"Norway": func(g *diary) { g.visit("NO", "m1", 1, false) }},
	"an operation that was refused, and is in the log": {
		"m6": func(g *diary) { g.all["m6"].told = checker.Tally{checker.Refused: 1} },
	},
	"an operation is lost": {"m6": func(g *diary) { g.cut() }},
	"half of an operation": {
		"not remembered": func(g *diary) { delete(g.items.seen, "m6") },
		"not written":    func(g *diary) { g.items.seen["m7"] = true },
		"half a batch":   func(g *diary) { g.all["m4"].Batch = make([]tracker.NewVisit, 3) },
	},
	"an operation of nobody that is remembered": {"m99": func(g *diary) { g.items.seen["m99"] = true }},
	"an operation that was applied twice": {
		"m1": func(g *diary) { g.all["m1"].outcomes[tracker.Applied] = 2 },
	},
	"an operation that has left another version": {
		"m1":        func(g *diary) { g.all["m1"].versions[0] = 3 },
		"the batch": func(g *diary) { g.all["m4"].versions = g.all["m4"].versions[:1] },
	},
	"an operation with another outcome": {
		"rejected": func(g *diary) { g.all["m1"].outcomes[tracker.Rejected] = 1 },
		"applied":  func(g *diary) { g.all["m3"].outcomes[tracker.AlreadyApplied] = 1 },
		"refused":  func(g *diary) { g.all["m1"].outcomes[tracker.Refused] = 1 },
	},
	"a push that was carried out in another order": {
		"reversed": func(g *diary) {
			trips := g.pushes[0].trips
			trips[0], trips[1] = trips[1], trips[0]
		},
		"the second one alone": func(g *diary) { g.items.log[6]["operation_id"] = "m99" },
	},
	"a visit that is not as its last entry has it": {
		"by another": func(g *diary) { g.items.visits["country#IT#1"]["operation_id"] = "m3" },
		"deleted":    func(g *diary) { g.items.visits["country#IT#1"]["is_deleted"] = true },
		"notes":      func(g *diary) { g.items.visits["country#IT#1"]["notes"] = "m1" },
	},
	"a region with another number of visits": {"Italy": func(g *diary) { g.items.regions["country#IT"] = 2 }},
	"a region that is not counted":           {"Italy": func(g *diary) { delete(g.items.regions, "country#IT") }},
	"a traveller with another number of countries": {
		"more": func(g *diary) { g.items.profile["countries_visited"] = 3.0 },
	},
	"operations that wait for nobody": {"one": func(g *diary) { g.items.pending = 1 }},
	"changes that were pulled otherwise than they were applied": {
		"a gap":    func(g *diary) { g.pulls[diarist].numbers = []int{1, 2, 5, 6, 7, 8} },
		"order":    func(g *diary) { g.pulls[diarist].numbers = []int{1, 3, 2, 5, 6, 7, 8} },
		"rejected": func(g *diary) { g.pulls[diarist].numbers = []int{1, 2, 3, 4, 5, 6, 7, 8} },
	},
	"an operation that was answered in two ways": {
		"versions": func(g *diary) { g.answer(tracker.Result{OperationID: "m5", Version: 3}) },
		"ids":      func(g *diary) { g.answer(tracker.Result{OperationID: "m9", Version: 2}) },
	},
	"a push that was answered in part": {
		"m6": func(g *diary) { g.answer(tracker.Result{OperationID: "m5", Version: 2}) },
	},
}

// answer acknowledges the push with one answer.
func (g *diary) answer(r tracker.Result) {
	r.Outcome = tracker.AlreadyApplied
	g.answered(g.pushes[0], checker.Between(50, 51), []tracker.Result{r}, checker.Acknowledged)
}

func TestWrongTravels(t *testing.T) { checker.Rejects(t, newDiary, (*diary).check, wrongTravels) }
