package tracker_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var rules = map[string]tracker.Rule{
	"server_wins": tracker.ServerWins, "client_wins": tracker.ClientWins, "last_writer": tracker.LastWriter,
	"merge": tracker.MergeFields,
	"ask":   tracker.Decide(func(*tracker.Conflict) tracker.Decision { return tracker.Ask() }),
}

// edits of a visit, by what they write.
var edits = map[string]tracker.VisitEdit{
	"nothing": {}, "notes": {Notes: of("from there"), RegionName: of("Italia")}, "no notes": {Notes: of("")},
	"date and notes": {Notes: of("dated"), VisitedDate: of(dynastay.MustDate("2037-06-01"))},
}

func textOf(e tracker.VisitEdit) map[tracker.Field]string {
	text := map[tracker.Field]string{}
	if e.RegionName != nil {
		text[tracker.RegionName] = *e.RegionName
	}
	if e.VisitedDate != nil {
		text[tracker.VisitedDate] = e.VisitedDate.String()
	}
	if e.Notes != nil {
		text[tracker.Notes] = *e.Notes
	}
	return text
}

var allPairs = flag.Bool("pairs.all", false, "whether TestEveryPairUnderEveryRule runs every pair in all eight ways")

// Every pair of operations on one visit, by two devices or by one, known to each other or not, in both orders of their
// clocks, under every rule, does what the description of the rules says. By default each pair is run in one of these
// ways.
func TestEveryPairUnderEveryRule(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.Table), dyntest.At(base))
	repo := tracker.New(db.DB, nil)
	type step struct {
		kind tracker.OperationType
		edit string
	}
	steps := []step{
		{tracker.Create, "nothing"}, {tracker.Create, "notes"}, {tracker.Update, "no notes"}, {tracker.Update, "date and notes"},
		{tracker.Delete, "nothing"},
	}
	n, pairs, outcomes := 0, 0, map[tracker.Outcome]int{}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		rule := rules[name]
		for _, existing := range []string{"missing", "live", "deleted"} {
			for _, first := range steps {
				for _, second := range steps {
					pairs++
					for variant := range 8 {
						other, known, later := variant&1 == 0, variant&2 == 0, variant&4 == 0
						if !*allPairs && variant != pairs%8 {
							continue
						}
						n++
						about := fmt.Sprintf("%s: %s, %v, %v, another device %t, known %t, later %t", name, existing, first, second, other, known, later)
						userID := fmt.Sprint("user_", n)
						_, err := repo.SignUp(t.Context(), tracker.Profile{ID: userID, AuthProvider: "apple", AuthProviderID: userID})
						require.NoError(t, err)
						b, ops := book{}, 0
						do := func(device string, s step, version int, at time.Time, rule string, by tracker.Rule) {
							ops++
							results, err := repo.Push(t.Context(), tracker.Push{UserID: userID, DeviceID: device, Rule: by, Operations: []tracker.Operation{{
								ID: fmt.Sprint("op", ops), Type: s.kind, Visit: italy, ClientVersion: version, ClientTime: at, Place: edits[s.edit],
							}}})
							require.NoError(t, err, about)
							next, outcome := b.receive(message{
								kind: s.kind, version: version, by: writer{at: at, device: device}, text: textOf(edits[s.edit]), number: ops + 1,
							}, rule)
							require.Equal(t, outcome, results[0].Outcome, "%s: operation %d: %v", about, ops, results[0].Err)
							b = next
							outcomes[outcome]++
						}
						if existing != "missing" {
							do("phone", step{tracker.Create, "date and notes"}, 0, base.Add(-time.Hour), "client_wins", tracker.ClientWins)
						}
						if existing == "deleted" {
							do("phone", step{tracker.Delete, "nothing"}, b.version, base.Add(-time.Hour), "client_wins", tracker.ClientWins)
						}
						before := b.version
						do("phone", first, before, base.Add(-time.Minute), "client_wins", tracker.ClientWins)
						device, version, at := "phone", before, base.Add(-2*time.Minute)
						if other {
							device = "tablet"
						}
						if known {
							version = b.version
						}
						if later {
							at = base
						}
						do(device, second, version, at, name, rule)
						assertStored(t, repo, userID, b, about)
					}
				}
			}
		}
	}
	for _, outcome := range []tracker.Outcome{tracker.Applied, tracker.Rejected, tracker.Waiting} {
		assert.Greater(t, outcomes[outcome], 10, outcome)
	}
}

// assertStored compares the visit of Italy with a book, and the counter with it.
func assertStored(t *testing.T, repo *tracker.Repository, userID string, b book, about string) {
	t.Helper()
	snapshot, err := repo.Snapshot(t.Context(), userID)
	require.NoError(t, err)
	var live []*tracker.Visit
	for v, err := range snapshot.Visits.All(t.Context()) {
		require.NoError(t, err)
		live = append(live, v)
	}
	if !b.there || b.deleted {
		require.Empty(t, live, about)
		require.Zero(t, snapshot.Profile.Countries, about)
		return
	}
	require.Len(t, live, 1, about)
	require.Equal(t, 1, snapshot.Profile.Countries, about)
	v := live[0]
	require.Equal(t, b.version, v.Version, about)
	for f, text := range map[tracker.Field]string{
		tracker.RegionName: v.RegionName, tracker.VisitedDate: v.VisitedDate.String(), tracker.Notes: v.Notes,
	} {
		require.Equal(t, b.text[f], text, "%s: %s", about, f)
	}
	for f, w := range b.wrote {
		require.Equal(t, tracker.Stamp{Version: w.version, At: w.at, DeviceID: w.device}, v.Stamps[f], "%s: %s", about, f)
	}
}

var italyKey = dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli())}

// expire lets the tombstones expire, and DynamoDB remove that of Italy.
func (h *home) expire(removed bool) {
	h.t.Helper()
	h.Clock.Advance(90 * 24 * time.Hour)
	if removed {
		require.NoError(h.t, h.Direct.DeleteAll(h.t.Context(), table, []dynastay.Key{italyKey}))
	}
}

// A visit was deleted and, when its tombstone had expired, created again. A device that was away all the time still has
// the first visit. What it sends is based on any of its versions, and is a conflict with the second visit; what an
// operation that has waited all the time wants is another one.
func TestADeviceKnowsAnEarlierVisit(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		h := newHome(t)
		first := []int{h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")})).Version}
		for _, text := range []string{"b", "c"} {
			first = append(first, h.one("phone", tracker.ServerWins,
				h.op(tracker.Update, italy, first[len(first)-1], tracker.VisitEdit{Notes: &text})).Version)
		}
		waits := h.op(tracker.Update, italy, first[0], tracker.VisitEdit{Notes: of("waits")})
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, waits).Outcome)
		gone := h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, first[2], tracker.VisitEdit{}))
		h.expire(removed)
		made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("again")}))
		require.Equal(t, tracker.Applied, made.Outcome)
		assert.Greater(t, made.Version, gone.Version, "a device takes it for newer than its own")

		stamp := tracker.Stamp{Version: made.Version, At: h.Clock.Now(), DeviceID: "phone"}
		for _, version := range append(first, gone.Version) {
			got := h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, version, tracker.VisitEdit{Notes: of("late")}))
			require.Equal(t, tracker.Rejected, got.Outcome, "version %d, removed %t", version, removed)
			assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Notes, Stamp: stamp}}, got.Conflict.Fields)
			got = h.one("tablet", tracker.ServerWins, h.op(tracker.Delete, italy, version, tracker.VisitEdit{}))
			require.Equal(t, tracker.Rejected, got.Outcome, "deletion of version %d, removed %t", version, removed)
			assert.Len(t, got.Conflict.Fields, 4)
		}
		settled, err := h.repo.Settle(t.Context(), user, waits.ID, tracker.ServerWins)
		require.NoError(t, err)
		assert.Equal(t, tracker.Rejected, settled.Outcome, "removed %t", removed)
		v, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, "again", v.Notes)
	}
}

// Whether DynamoDB has removed an expired tombstone cannot be seen in the visit that replaces it.
func TestAVisitThatIsCreatedAgainIsNew(t *testing.T) {
	t.Parallel()
	var visits []*tracker.Visit
	for _, removed := range []bool{false, true} {
		h := newHome(t)
		made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
		h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, made.Version, tracker.VisitEdit{}))
		h.expire(removed)
		got := h.one("tablet", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
		v, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, v, got.Visit)
		v.WriteID = ""
		visits = append(visits, v)
	}
	assert.Equal(t, visits[0], visits[1])
}

// The version of a device is larger than that of the server: it is of another visit, or the table was restored from a
// backup. The device knows nothing of what the server has.
func TestAVersionThatTheServerDoesNotHave(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
	got := h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, made.Version+1, tracker.VisitEdit{Notes: of("b")}))
	assert.Equal(t, tracker.Rejected, got.Outcome, "an edit")
	got = h.one("tablet", tracker.ServerWins, h.op(tracker.Delete, italy, made.Version+1, tracker.VisitEdit{}))
	assert.Equal(t, tracker.Rejected, got.Outcome, "a deletion")
	got = h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, made.Version, tracker.VisitEdit{Notes: of("b")}))
	assert.Equal(t, tracker.Applied, got.Outcome, "an edit of the version that the server has")
	assert.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins,
		h.op(tracker.Update, italy, made.Version+7, tracker.VisitEdit{RegionName: of("Italia")})).Outcome, "its own field")

	profile := func(device string, version int) tracker.Operation {
		o := h.op(tracker.Update, tracker.VisitID{}, version, tracker.VisitEdit{})
		o.Entity, o.Profile.DisplayName = tracker.User, of("Zoé by "+device)
		return o
	}
	assert.Equal(t, tracker.Rejected, h.one("tablet", tracker.ServerWins, profile("tablet", 2)).Outcome)
	assert.Equal(t, tracker.Applied, h.one("tablet", tracker.ServerWins, profile("tablet", 1)).Outcome)
}
