package tracker_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var ask = rules["ask"]

// conflicting makes a visit that the phone has edited, and returns the tablet's edit of the same field.
func (h *home) conflicting() tracker.Operation {
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("one")}))
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("two")}))
	return h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("three"), RegionName: of("Italia")})
}

func pageOf[T any](t *testing.T, list dynastay.List[T]) []T {
	t.Helper()
	page, err := list.Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	return page.Items
}

func TestAPersonDecides(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	got := h.one("tablet", ask, o)
	require.Equal(t, tracker.Waiting, got.Outcome)
	assert.Equal(t, "two", got.Visit.Notes)
	assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Notes, Stamp: got.Visit.Stamps[tracker.Notes]}}, got.Conflict.Fields)
	assert.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome, "a repetition")

	waiting := pageOf(t, h.repo.Pending(user))
	require.Len(t, waiting, 1)
	assert.Equal(t, tracker.StatusPending, waiting[0].Status)
	assert.True(t, waiting[0].Expires.IsZero(), "it does not expire")
	assert.Equal(t, &o.Place, waiting[0].VisitEdit, "what a person has to decide about")
	id, ok := waiting[0].VisitID()
	assert.True(t, ok)
	assert.Equal(t, italy, id)
	assert.Equal(t, waiting, pageOf(t, h.repo.ByStatus(tracker.StatusPending)))
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	assert.Equal(t, 3, changes.Next.Version, "it has no number in the log")

	h.Clock.Advance(40 * 24 * time.Hour)
	still, err := h.repo.Settle(t.Context(), user, o.ID, ask)
	require.NoError(t, err)
	assert.Equal(t, tracker.Waiting, still.Outcome)
	var seen *tracker.Conflict
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.Decide(func(c *tracker.Conflict) tracker.Decision {
		seen = c
		return tracker.TakeFields(tracker.RegionName)
	}))
	require.NoError(t, err)
	assert.Equal(t, tracker.Applied, settled.Outcome)
	assert.Equal(t, "three", *seen.VisitEdit.Notes)
	assert.Equal(t, got.Conflict.Fields, seen.Fields, "nothing has changed since")
	assert.Equal(t, "two", settled.Visit.Notes)
	assert.Equal(t, "Italia", settled.Visit.RegionName)
	assert.Equal(t, "tablet", settled.Visit.Stamps[tracker.RegionName].DeviceID)
	assert.Empty(t, pageOf(t, h.repo.Pending(user)))
	applied := pageOf(t, h.repo.ByStatus(tracker.StatusApplied))
	assert.Equal(t, o.ID, applied[len(applied)-1].OperationID)
	assert.Equal(t, "function", applied[len(applied)-1].Strategy)

	_, err = h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Settle(t.Context(), user, "op99", tracker.ClientWins)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Settle(t.Context(), user, o.ID, tracker.Rule{})
	require.ErrorIs(t, err, dynastay.ErrInvalid)
	again := h.one("tablet", ask, o)
	assert.Equal(t, tracker.AlreadyApplied, again.Outcome)
	assert.Equal(t, settled.Version, again.Version)
	row, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "SYNC#" + user, SK: "SEEN#" + o.ID}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "2037-11-10T09:00:00Z", row.Text("seen_at"))
	assert.Equal(t, "2037-12-20T09:00:00Z", row.Text("updated_at"))
}

// Other software has removed what waits for a decision.
func TestWhatWaitedIsGone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	at := dynastay.Key{PK: "SYNC#" + user, SK: fmt.Sprintf("PENDING#%d#%s", base.UnixMilli(), o.ID)}
	row, err := h.Direct.Get(t.Context(), table, at, dynastay.Consistent)
	require.NoError(t, err)
	require.True(t, row.Exists())
	require.NoError(t, h.Direct.DeleteAll(t.Context(), table, []dynastay.Key{at}))
	_, err = h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.ErrorIs(t, err, dynastay.ErrNotFound)

	// It is there again, and is changed while it is being settled.
	put := func(ctx context.Context, item dynastay.Item) {
		assert.NoError(t, h.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, item) }))
	}
	put(t.Context(), row.Item())
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		item := row.Item()
		item["processing_error"] = text("slow")
		put(ctx, item)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.NoError(t, err)
	assert.Equal(t, tracker.Applied, settled.Outcome)
}

func TestAnEditOfAProfileWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna"), PictureURL: of("https://example.com/a")}))
	o := h.edit(1, tracker.ProfileEdit{DisplayName: of("Annie"), PictureURL: of("")})
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	waiting := pageOf(t, h.repo.Pending(user))
	require.Len(t, waiting, 1)
	assert.Equal(t, &o.Profile, waiting[0].ProfileEdit)
	_, ok := waiting[0].VisitID()
	assert.False(t, ok)
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.NoError(t, err)
	assert.Equal(t, tracker.Applied, settled.Outcome)
	assert.Equal(t, "Annie", settled.Profile.DisplayName)
	assert.Empty(t, settled.Profile.PictureURL, "it was to be removed")
	assert.Equal(t, 3, settled.Version)
}

func TestAVisitOfABatchWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.batch(3))
	o := h.batch(4)
	o.Batch[1].Place.Notes = of("from the tablet")
	got := h.one("tablet", ask, o)
	require.Equal(t, tracker.Waiting, got.Outcome)
	var outcomes []tracker.Outcome
	for _, part := range got.Parts {
		outcomes = append(outcomes, part.Outcome)
	}
	assert.Equal(t, []tracker.Outcome{tracker.Applied, tracker.Waiting, tracker.Applied, tracker.Applied}, outcomes)
	_, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.ErrorIs(t, err, dynastay.ErrNotFound, "the id of the visit ends in its number")
	for _, wrong := range []string{".0", ".-1", ".5", ".02", ".2.2", ".x", "."} {
		_, err = h.repo.Settle(t.Context(), user, o.ID+wrong, tracker.ClientWins)
		require.ErrorIs(t, err, dynastay.ErrNotFound, wrong)
	}
	settled, err := h.repo.Settle(t.Context(), user, o.ID+".2", tracker.ClientWins)
	require.NoError(t, err)
	assert.Equal(t, "from the tablet", settled.Visit.Notes)
	assert.Equal(t, tracker.AlreadyApplied, h.one("tablet", ask, o).Outcome)
}

// What its own device has written since an operation began to wait is newer than the operation. It is a conflict too.
func TestADeviceWritesWhileItsOperationWaits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"server_wins": {"four", "Italien"}, "last_writer": {"four", "Italien"}, "merge": {"four", "Italien"}, "client_wins": {"three", "Italia"},
	} {
		h := newHome(t)
		o := h.conflicting()
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
		h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, 3, tracker.VisitEdit{Notes: of("four"), RegionName: of("Italien")}))
		settled, err := h.repo.Settle(t.Context(), user, o.ID, rules[name])
		require.NoError(t, err)
		assert.Equal(t, want, [2]string{settled.Visit.Notes, settled.Visit.RegionName}, name)
	}
}

func TestADeviceEditsTheProfileWhileItsOperationWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna")}))
	o := h.edit(1, tracker.ProfileEdit{DisplayName: of("Annie")})
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	h.one("tablet", tracker.ServerWins, h.edit(2, tracker.ProfileEdit{DisplayName: of("Anne")}))
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ServerWins)
	require.NoError(t, err)
	assert.Equal(t, tracker.Rejected, settled.Outcome)
	assert.Equal(t, "Anne", settled.Profile.DisplayName)
}

// A visit of a batch that waits shows in the outcome of the batch, wherever it is among visits that were rejected.
func TestTheOutcomeOfABatch(t *testing.T) {
	t.Parallel()
	for waits := range 2 {
		h := newHome(t)
		h.one("phone", tracker.ServerWins, h.batch(2))
		o := h.batch(2)
		o.Batch[0].Place.Notes, o.Batch[1].Place.Notes = of("a"), of("b")
		got := h.one("tablet", tracker.Decide(func(c *tracker.Conflict) tracker.Decision {
			if c.OperationID == fmt.Sprintf("%s.%d", o.ID, waits+1) {
				return tracker.Ask()
			}
			return tracker.KeepServer()
		}), o)
		assert.Equal(t, tracker.Waiting, got.Parts[waits].Outcome)
		assert.Equal(t, tracker.Rejected, got.Parts[1-waits].Outcome)
		assert.Equal(t, tracker.Waiting, got.Outcome)
	}
}

// What its own device had written before is what the operation is based on.
func TestADeviceHadWrittenBeforeItsOperationWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{RegionName: of("Italien")}))
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ServerWins)
	require.NoError(t, err)
	require.Len(t, settled.Conflict.Fields, 1)
	assert.Equal(t, tracker.Notes, settled.Conflict.Fields[0].Field)
}

// A removal waits like every other edit.
func TestARemovalWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dated := tracker.VisitEdit{Notes: of("a"), VisitedDate: of(dynastay.MustDate("2037-06-01")), RegionName: of("Italy")}
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, dated))
	o := h.op(tracker.Update, italy, 0, tracker.VisitEdit{Notes: of(""), VisitedDate: &dynastay.Date{}})
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	assert.Equal(t, &o.Place, pageOf(t, h.repo.Pending(user))[0].VisitEdit)
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.NoError(t, err)
	stored, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, settled.Visit)
	assert.Empty(t, stored.Notes)
	assert.Zero(t, stored.VisitedDate)
	assert.Equal(t, "Italy", stored.RegionName)
}

// The clock of a device counts at most as the time at which its operation was received, also if it was settled later.
func TestWhatWaitsHasTheTimeOfItsReceipt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	o.ClientTime = o.ClientTime.AddDate(0, 0, 1)
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	h.Clock.Advance(time.Minute)
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 3, tracker.VisitEdit{Notes: of("a minute later")}))
	h.Clock.Advance(time.Hour)
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.LastWriter)
	require.NoError(t, err)
	assert.Equal(t, tracker.Rejected, settled.Outcome)
}

// An operation began to wait in front of a version that the stored visit has not reached: it was another visit.
func TestADecisionAboutAnotherVisit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	v := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")})).Version
	for range 3 {
		v = h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, v, tracker.VisitEdit{Notes: of("b")})).Version
	}
	waits := h.op(tracker.Update, italy, v-3, tracker.VisitEdit{Notes: of("c")})
	require.Equal(t, tracker.Waiting, h.one("phone", ask, waits).Outcome)
	// As versions of this package used to be: the second visit began at 1, and the device that waits has made it.
	row, err := h.Direct.Get(t.Context(), table, italyKey, dynastay.Consistent)
	require.NoError(t, err)
	item := row.Item()
	item["sync_version"] = dynastay.Number(1)
	stamps := item["field_versions"].(*types.AttributeValueMemberM).Value
	for field := range stamps {
		stamps[field] = &types.AttributeValueMemberL{Value: []types.AttributeValue{
			dynastay.Number(1), dynastay.Number(int(h.Clock.Now().UnixMilli())), dynastay.Text("phone"),
		}}
	}
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, item) }))
	settled, err := h.repo.Settle(t.Context(), user, waits.ID, tracker.ServerWins)
	require.NoError(t, err)
	assert.Equal(t, tracker.Rejected, settled.Outcome)
}
