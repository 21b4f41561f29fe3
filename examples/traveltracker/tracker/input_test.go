package tracker_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// An operation with the id of another one is another operation also if only the type of a value differs.
func TestAnotherOperationWithValuesThatLookAlike(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for i, pair := range [][2]any{{"12", 12}, {nil, true}, {[]byte("ab"), "YWI="}, {[]any{"12"}, []any{12}}} {
		o := h.edit(1+i, tracker.ProfileEdit{Privacy: &tracker.Settings{"a": pair[0]}})
		require.Equal(t, tracker.Applied, h.one("phone", tracker.ClientWins, o).Outcome)
		assert.Equal(t, tracker.AlreadyApplied, h.one("phone", tracker.ClientWins, o).Outcome)
		o.Profile.Privacy = &tracker.Settings{"a": pair[1]}
		assert.Equal(t, tracker.Refused, h.one("phone", tracker.ClientWins, o).Outcome, "%v", pair)
	}
}

// nested returns a value with a number of levels.
func nested(levels int) any {
	v := any("x")
	for range levels {
		v = []any{v}
	}
	return v
}

// Settings that DynamoDB does not store are refused, and do not hold up the operations behind them.
func TestSettingsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	pushed := func(s tracker.Settings) []tracker.Result {
		return h.push("phone", tracker.ClientWins,
			h.edit(1, tracker.ProfileEdit{Privacy: &s}), h.edit(1, tracker.ProfileEdit{Notifications: &s}),
			h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna")}))
	}
	for name, value := range map[string]any{
		"not a number": math.NaN(), "infinite": map[string]any{"b": []any{math.Inf(1)}}, "too large": 1e126, "too small": 9e-131,
		"39 digits": attributevalue.Number("1" + strings.Repeat("2", 38)), "hexadecimal": attributevalue.Number("0x1p2"),
		"text": "\xff", "17 levels": nested(16), "size": strings.Repeat("x", 16<<10-1), "empty name": map[string]any{"": 1},
	} {
		results := pushed(tracker.Settings{"a": value})
		for i, field := range []string{"Privacy", "Notifications"} {
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, results[i].Err, &invalid, name)
			assert.Contains(t, invalid.Field, field, name)
		}
		assert.Equal(t, tracker.Applied, results[2].Outcome, name)
		_, err := h.repo.SignUp(t.Context(), tracker.Profile{
			AuthProvider: "apple", AuthProviderID: name, Privacy: tracker.Settings{"a": value},
		})
		assert.ErrorIs(t, err, dynastay.ErrInvalid, name)
	}
	for name, value := range map[string]any{
		"large": 9.9e125, "small": 1e-130, "zero": 0, "38 digits": attributevalue.Number("-0.0" + strings.Repeat("2", 38) + "00"),
		"16 levels": nested(15), "size": strings.Repeat("x", 16<<10-2),
	} {
		for _, result := range pushed(tracker.Settings{"a": value}) {
			assert.NoError(t, result.Err, name)
		}
	}
}

// What is remembered of an operation depends on what the device has sent, and on nothing else that this version of the
// package stores: a device may repeat it after the service was updated.
func TestTheHashOfAnOperation(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	visit := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a"), RegionName: of("")})
	profile := h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna"), Privacy: &tracker.Settings{"a": 1}})
	for hash, o := range map[string]tracker.Operation{
		"557fe5aca882f891a79806b80f2d58e90ef9e460ad262d44d14994ef7b13969c": visit,
		"c663a43fa85dcfcfd53c245a693f4ef7c85369c6eeb5517f55ab217c1508c788": profile,
	} {
		require.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins, o).Outcome)
		row, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "SYNC#" + user, SK: "SEEN#" + o.ID}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, hash, row.Text("input_hash"))
	}
}

// A time that cannot be read back would hold up the pulls of all devices.
func TestTheYearOfADevice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for year, want := range map[int]tracker.Outcome{
		-1: tracker.Refused, 0: tracker.Applied, 9999: tracker.Applied, 10_000: tracker.Refused, 56_830: tracker.Refused,
	} {
		o := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")})
		o.ClientTime = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		got := h.one("phone", tracker.ClientWins, o)
		require.Equal(t, want, got.Outcome, year)
		if want == tracker.Refused {
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, got.Err, &invalid)
			assert.Equal(t, "ClientTime", invalid.Field)
		}
		_, err := h.repo.Pull(t.Context(), user, start, 0)
		require.NoError(t, err, year)
	}
}

// A list of a type that does not exist is an error, and not empty.
func TestListsOfATypeThatDoesNotExist(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	sent := h.Faults.Count("Query")
	for name, list := range map[string]dynastay.Listing[*tracker.Visit]{
		"VisitsOfType": h.repo.VisitsOfType(user, "countries"), "Recent": h.repo.Recent(user, "countries"),
		"VisitsOfRegion": h.repo.VisitsOfRegion(user, "countries", "IT"), "Visitors": h.repo.Visitors("countries", "IT"),
	} {
		_, err := list.Page(t.Context(), dynastay.Paging{})
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, "RegionType", invalid.Field)
	}
	assert.Equal(t, sent, h.Faults.Count("Query"))
}

func TestADeleteHasNoFields(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
	got := h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, 2, tracker.VisitEdit{Notes: of("b")}))
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, got.Err, &invalid)
	assert.Equal(t, "Place", invalid.Field)
}

// The address of a profile is in its normal form, whether it was given at the beginning or later.
func TestTheEmailOfAnEditIsNormal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := h.one("phone", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{Email: of(" Bo@Example.com ")}))
	require.NoError(t, got.Err)
	p, err := h.repo.ProfileByEmail(t.Context(), "bo@EXAMPLE.com")
	require.NoError(t, err)
	assert.Equal(t, "bo@example.com", p.Email)

	got = h.one("phone", tracker.ServerWins, h.edit(2, tracker.ProfileEdit{Email: of("bo@MÜNCHEN.example")}))
	require.NoError(t, got.Err)
	p, err = h.repo.ProfileByEmail(t.Context(), "bo@xn--mnchen-3ya.example")
	require.NoError(t, err)
	assert.Equal(t, "bo@münchen.example", p.Email)
}

// The ids of the visits of a batch are longer than that of the batch.
func TestABatchWithALongID(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.batch(10)
	o.ID = strings.Repeat("x", 126)
	got := h.one("phone", tracker.ServerWins, o)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, got.Err, &invalid)
	assert.Equal(t, "ID", invalid.Field)
	o.ID = strings.Repeat("x", 125)
	assert.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins, o).Outcome)
}
