package tracker_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func text(s string) types.AttributeValue { return dynastay.Text(s) }

// The items as other software writes them by the travel-tracker document: without guards, stamps, counts and a log.
var (
	oldProfile = dynastay.Item{
		"PK": text("USER#u9"), "SK": text("PROFILE"), "GSI1PK": text("AUTH#apple#A9"), "GSI1SK": text("USER#u9"),
		"GSI2PK": text("EMAIL#zoe@example.com"), "GSI2SK": text("USER#u9"),
		"user_id": text("u9"), "auth_provider": text("apple"), "auth_provider_id": text("A9"), "email": text("zoe@example.com"),
		"display_name": text("Zoe"), "profile_picture_url": &types.AttributeValueMemberNULL{Value: true},
		"countries_visited": dynastay.Number(2), "us_states_visited": dynastay.Number(0),
		"canadian_provinces_visited": &types.AttributeValueMemberNULL{Value: true},
		"privacy_settings": &types.AttributeValueMemberM{Value: dynastay.Item{
			"level": &types.AttributeValueMemberN{Value: "0.10000000000000000001"},
		}},
		"created_at": text("2037-01-01T10:00:00Z"), "updated_at": text("2037-01-02T10:00:00.250Z"), "sync_version": dynastay.Number(4),
		"favourite": text("unknown to this package"),
	}
	oldVisit = dynastay.Item{
		"PK": text("USER#u9"), "SK": text("VISIT#country#IT#2114935200000"), "GSI1PK": text("REGION#country#IT"),
		"GSI1SK": text("USER#u9#2114935200000"), "GSI2PK": text("USER#u9#country"), "GSI2SK": text("VISIT#2114935200000"),
		"composite_key": text("u9#country#IT"), "user_id": text("u9"), "region_type": text("country"), "region_code": text("IT"),
		"region_name": text("Italy"), "visited_date": text("2036-12-31T23:00:00-05:00"), "notes": text("Rome"),
		"marked_at": text("2037-01-07T10:00:00Z"), "marked_from_device": text("old phone"), "sync_version": dynastay.Number(3),
		"last_modified_at": text("2037-01-08T10:00:00Z"), "is_deleted": &types.AttributeValueMemberBOOL{}, "operation_id": text("op-7"),
		"weather": text("unknown to this package"),
	}
	oldEntry = dynastay.Item{
		"PK": text("SYNC#u9"), "SK": text("OP#2114935200000#op-7"), "GSI1PK": text("SYNC_STATUS#applied"),
		"GSI1SK": text("TIMESTAMP#2114935200000"), "GSI2PK": text("USER#u9#old phone"), "GSI2SK": text("OP#2114935200000"),
		"operation_id": text("op-7"), "user_id": text("u9"), "device_id": text("old phone"), "operation_type": text("create"),
		"entity_type": text("visited_place"), "entity_id": text("country#IT"),
		"entity_data":    &types.AttributeValueMemberM{Value: dynastay.Item{"region_code": text("IT"), "notes": text("Rome")}},
		"client_version": dynastay.Number(0), "client_timestamp": text("2037-01-07T10:00:00Z"), "has_conflict": &types.AttributeValueMemberBOOL{},
		"is_processed": &types.AttributeValueMemberBOOL{Value: true}, "ttl": dynastay.Number(2_144_048_400),
	}
)

// oldVisitID is the id of oldVisit.
var oldVisitID = tracker.VisitID{RegionType: regions.Country, RegionCode: "IT", MarkedAt: time.UnixMilli(2114935200000).UTC()}

// other returns a table with what other software has written.
func other(t *testing.T) (*dyntest.DB, *tracker.Repository) {
	db := dyntest.New(t, dyntest.OnlyTables(keys.Table), dyntest.At(base))
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range []dynastay.Item{oldProfile, oldVisit, oldEntry} {
			yield(keys.Table, item)
		}
	}))
	return db, tracker.New(db.DB, nil)
}

func TestItemsOfTheDocument(t *testing.T) {
	t.Parallel()
	_, repo := other(t)
	p, err := repo.Profile(t.Context(), "u9")
	require.NoError(t, err)
	assert.Equal(t, "Zoe", p.DisplayName)
	assert.Equal(t, []int{2, 0, 0, 4}, []int{p.Countries, p.USStates, p.Provinces, p.Version})
	for _, find := range []func() (*tracker.Profile, error){
		func() (*tracker.Profile, error) { return repo.ProfileByEmail(t.Context(), "zoe@example.com") },
		func() (*tracker.Profile, error) { return repo.ProfileByProvider(t.Context(), "apple", "A9") },
	} {
		found, err := find()
		require.NoError(t, err)
		assert.Equal(t, p, found)
	}
	for _, list := range []dynastay.List[*tracker.Visit]{
		repo.Visits("u9"), repo.VisitsOfType("u9", regions.Country), repo.Recent("u9", regions.Country), repo.Visitors(regions.Country, "IT"),
	} {
		visits := pageOf(t, list)
		require.Len(t, visits, 1)
		assert.Equal(t, "Rome", visits[0].Notes)
		assert.Equal(t, dynastay.MustDate("2037-01-01"), visits[0].VisitedDate, "the day in UTC")
	}
	for _, list := range []dynastay.List[*tracker.Entry]{repo.ByDevice("u9", "old phone"), repo.ByStatus(tracker.StatusApplied)} {
		entries := pageOf(t, list)
		require.Len(t, entries, 1)
		assert.Equal(t, "Rome", entries[0].Visit.Notes)
	}
	_, err = repo.Pull(t.Context(), "u9", tracker.Cursor{At: base.AddDate(0, 0, -20)}, 0)
	require.NoError(t, err)
}

// The first operation adopts what other software has written: it leaves what it does not know as it is, counts the
// visits, begins a log, and makes the address unique.
func TestItemsOfTheDocumentAreAdopted(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	id := oldVisitID
	push := func(device string, o tracker.Operation) tracker.Result {
		o.ClientTime = base
		results, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: device, Operations: []tracker.Operation{o}})
		require.NoError(t, err)
		require.NoError(t, results[0].Err)
		return results[0]
	}
	got := push("tablet", tracker.Operation{ID: "n1", Type: tracker.Update, Visit: id, ClientVersion: 2, Place: tracker.VisitEdit{Notes: of("Milan")}})
	assert.Equal(t, tracker.Rejected, got.Outcome, "the whole visit counts as written by the old phone at version 3")
	got = push("old phone", tracker.Operation{ID: "n2", Type: tracker.Update, Visit: id, ClientVersion: 2, Place: tracker.VisitEdit{Notes: of("Milan")}})
	require.Equal(t, tracker.Applied, got.Outcome, "a device is not in conflict with itself")
	assert.Equal(t, 4, got.Version)
	row, err := db.Direct.Get(t.Context(), keys.Table, keys.Table.Key.From(dynastay.RowOf(oldVisit)), dynastay.Consistent)
	require.NoError(t, err)
	for name, value := range oldVisit {
		switch name {
		case "notes", "sync_version", "last_modified_at", "operation_id", "GSI2SK":
		default:
			assert.Equal(t, value, row.Item()[name], name)
		}
	}
	assert.Equal(t, "VISIT#2114935200000#IT", row.Text("GSI2SK"))

	second := id
	second.MarkedAt = base
	push("tablet", tracker.Operation{ID: "n3", Type: tracker.Create, Visit: second})
	p, err := repo.Profile(t.Context(), "u9")
	require.NoError(t, err)
	assert.Equal(t, 2, p.Countries, "Italy was visited before")
	wrong, err := repo.Recount(t.Context(), "u9")
	require.NoError(t, err)
	assert.True(t, wrong, "the other software had counted two")
	p, err = repo.Profile(t.Context(), "u9")
	require.NoError(t, err)
	assert.Equal(t, 1, p.Countries)

	got = push("tablet", tracker.Operation{ID: "n4", Type: tracker.Update, Entity: tracker.User, ClientVersion: 4, Profile: tracker.ProfileEdit{DisplayName: of("Zoé")}})
	require.Equal(t, tracker.Applied, got.Outcome)
	row, err = db.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "USER#u9", SK: "PROFILE"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "unknown to this package", row.Text("favourite"))
	assert.Equal(t, oldProfile["privacy_settings"], row.Item()["privacy_settings"], "every digit")
	_, err = repo.SignUp(t.Context(), tracker.Profile{AuthProvider: "apple", AuthProviderID: "10", Email: "zoe@example.com"})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	require.NoError(t, repo.Erase(t.Context(), "u9"))
}
