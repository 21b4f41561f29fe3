package keys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

var (
	at  = time.UnixMilli(1731230100000).UTC()
	day = dynastay.MustDate("2024-11-10")
)

var items = []keytest.Type{
	keytest.Samples(keys.Profile{UserID: "u1"}),
	keytest.Samples(keys.AuthGuard{Provider: "apple", ProviderID: "000123.abc"}),
	keytest.Samples(keys.EmailGuard{Email: "ana@example.com"}),
	keytest.Samples(keys.Visit{UserID: "u1", RegionType: "country", RegionCode: "IT", MarkedAt: at}),
	keytest.Samples(keys.RegionCount{UserID: "u1", RegionType: "country", RegionCode: "IT"}),
	keytest.Samples(keys.Stats{UserID: "u1", Date: day}),
	keytest.Samples(keys.Head{UserID: "u1"}),
	keytest.Samples(keys.Entry{UserID: "u1", At: at, OperationID: "op1"}),
	keytest.Samples(keys.Pending{UserID: "u1", At: at, OperationID: "op1"}),
	keytest.Samples(keys.Seen{UserID: "u1", OperationID: "op1"}),
	keytest.Samples(keys.Region{Type: "country", Code: "IT"}),
	keytest.Samples(keys.Alias{Type: "country", Code: "KR", Name: "southkorea"}),
	keytest.Samples(keys.Box{Cell: "sr", Type: "country", Code: "IT"}, keys.Box{Cell: "b", Type: "country", Code: "RU"}),
}

var rows1 = []keytest.Type{
	keytest.Samples(keys.ProfileByAuth{Provider: "apple", ProviderID: "000123.abc", UserID: "u1"}),
	keytest.Samples(keys.VisitByRegion{RegionType: "country", RegionCode: "IT", Shard: 2, UserID: "u1", MarkedAt: at}),
	keytest.Samples(keys.EntryByStatus{Status: "applied", At: at, OperationID: "op1"}),
	keytest.Samples(keys.RegionByName{Type: "country", Name: "italy", Code: "IT"}),
	keytest.Samples(keys.StatsByDate{Date: day, UserID: "u1"}),
}

var rows2 = []keytest.Type{
	keytest.Samples(keys.ProfileByEmail{Email: "ana@example.com", UserID: "u1"}),
	keytest.Samples(keys.VisitByTime{UserID: "u1", RegionType: "country", MarkedAt: at, RegionCode: "IT"}),
	keytest.Samples(keys.EntryByDevice{UserID: "u1", DeviceID: "country", At: at, OperationID: "op1"}),
	keytest.Samples(keys.RegionByCenter{Cell: "sr", Code: "IT"}),
}

func TestKeysKeepTheGuarantees(t *testing.T) {
	keytest.Check(t, items...)
	keytest.Check(t, rows1...)
	keytest.Check(t, rows2...)
	later := at.Add(time.Millisecond)
	keytest.InOrder(t, keys.Entry{UserID: "u", At: at, OperationID: "z"}, keys.Entry{UserID: "u", At: later, OperationID: "a"})
	keytest.InOrder(t, keys.Pending{UserID: "u", At: at, OperationID: "z"}, keys.Pending{UserID: "u", At: later, OperationID: "a"})
	keytest.InOrder(t,
		keys.VisitByTime{UserID: "u", RegionType: "country", MarkedAt: at, RegionCode: "ZZ"},
		keys.VisitByTime{UserID: "u", RegionType: "country", MarkedAt: later, RegionCode: "AA"})
	keytest.InOrder(t,
		keys.EntryByStatus{Status: "pending", At: at, OperationID: "z"},
		keys.EntryByStatus{Status: "pending", At: later, OperationID: "a"})
	keytest.InOrder(t,
		keys.EntryByDevice{UserID: "u", DeviceID: "d", At: at, OperationID: "z"},
		keys.EntryByDevice{UserID: "u", DeviceID: "d", At: later, OperationID: "a"})
}

func FuzzParse(f *testing.F) { keytest.Fuzz(f, items, rows1, rows2) }

// The keys of the travel-tracker document, and those that it does not have.
func TestKeysOfTheDocument(t *testing.T) {
	for want, of := range map[string]func() (dynastay.Key, error){
		"USER#u1/PROFILE":       func() (dynastay.Key, error) { return key.Of(keys.Profile{UserID: "u1"}) },
		"AUTH#apple#a1/USER#u1": func() (dynastay.Key, error) { return key.Of(keys.ProfileByAuth{"apple", "a1", "u1"}) },
		"EMAIL#ana@example.com/USER#u1": func() (dynastay.Key, error) {
			return key.Of(keys.ProfileByEmail{" Ana@Example.com", "u1"})
		},
		"USER#u1/VISIT#us_state#CA#1731230100000": func() (dynastay.Key, error) {
			return key.Of(keys.Visit{UserID: "u1", RegionType: "us_state", RegionCode: "CA", MarkedAt: at})
		},
		"REGION#us_state#CA/USER#u1#1731230100000": func() (dynastay.Key, error) {
			return key.Of(keys.VisitByRegion{RegionType: "us_state", RegionCode: "CA", UserID: "u1", MarkedAt: at})
		},
		"USER#u1#us_state/VISIT#1731230100000#CA": func() (dynastay.Key, error) {
			return key.Of(keys.VisitByTime{UserID: "u1", RegionType: "us_state", MarkedAt: at, RegionCode: "CA"})
		},
		"SYNC#u1/OP#1731230100000#op1": func() (dynastay.Key, error) {
			return key.Of(keys.Entry{UserID: "u1", At: at, OperationID: "op1"})
		},
		"SYNC_STATUS#pending/TIMESTAMP#1731230100000#OP#op1": func() (dynastay.Key, error) {
			return key.Of(keys.EntryByStatus{Status: "pending", At: at, OperationID: "op1"})
		},
		"USER#u1#phone/OP#1731230100000#op1": func() (dynastay.Key, error) {
			return key.Of(keys.EntryByDevice{UserID: "u1", DeviceID: "phone", At: at, OperationID: "op1"})
		},
		"GEO#country/REGION#FO": func() (dynastay.Key, error) { return key.Of(keys.Region{Type: "country", Code: "FO"}) },
		"SEARCH#country/NAME#faeroerne#REGION#FO": func() (dynastay.Key, error) {
			return key.Of(keys.RegionByName{Type: "country", Name: "Færøerne", Code: "FO"})
		},
		"BOUNDS#gg/REGION#FO":            func() (dynastay.Key, error) { return key.Of(keys.RegionByCenter{Cell: "gg", Code: "FO"}) },
		"USER#u1/STATS#2024-11-10":       func() (dynastay.Key, error) { return key.Of(keys.Stats{UserID: "u1", Date: day}) },
		"STATS_DATE#2024-11-10/USER#u1":  func() (dynastay.Key, error) { return key.Of(keys.StatsByDate{Date: day, UserID: "u1"}) },
		"USER#u1/REGION#country#IT":      func() (dynastay.Key, error) { return key.Of(keys.RegionCount{"u1", "country", "IT"}) },
		"AUTH#apple#a1/GUARD":            func() (dynastay.Key, error) { return key.Of(keys.AuthGuard{"apple", "a1"}) },
		"EMAIL#ana@example.com/GUARD":    func() (dynastay.Key, error) { return key.Of(keys.EmailGuard{"ana@example.com"}) },
		"SYNC#u1/HEAD":                   func() (dynastay.Key, error) { return key.Of(keys.Head{UserID: "u1"}) },
		"SYNC#u1/SEEN#op1":               func() (dynastay.Key, error) { return key.Of(keys.Seen{"u1", "op1"}) },
		"ALIAS#country#KR/NAME#republic": func() (dynastay.Key, error) { return key.Of(keys.Alias{"country", "KR", "Republic"}) },
		"BBOX#gg/REGION#country#FO":      func() (dynastay.Key, error) { return key.Of(keys.Box{"gg", "country", "FO"}) },
		"SYNC#u1/PENDING#1731230100000#op1": func() (dynastay.Key, error) {
			return key.Of(keys.Pending{UserID: "u1", At: at, OperationID: "op1"})
		},
	} {
		got, err := of()
		require.NoError(t, err)
		assert.Equal(t, want, got.String())
	}
}

func TestPrefixOfTheVisitsOfARegion(t *testing.T) {
	prefix, err := keys.VisitsOfRegion(keys.Visit{UserID: "u1", RegionType: "us_state", RegionCode: "CA", MarkedAt: at})
	require.NoError(t, err)
	assert.Equal(t, "VISIT#us_state#CA#", prefix)
	_, err = keys.VisitsOfRegion(keys.Visit{UserID: "u1", RegionType: "us_state"})
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "RegionCode", invalid.Field)
}

func TestTable(t *testing.T) {
	assert.Equal(t, "skratch-data", keys.Table.Name)
	require.Len(t, keys.Table.Indexes, 2)
	for i, name := range []string{"GSI1", "GSI2"} {
		assert.Equal(t, dynastay.Index{
			Name: name, Key: dynastay.KeyNames{Partition: name + "PK", Sort: name + "SK"}, Project: dynastay.ProjectAll,
		}, keys.Table.Indexes[i])
	}
	assert.Equal(t, "ttl", keys.Table.TTL)
	assert.Equal(t, "write_id", keys.Table.WriteIDName())
}

func TestRefusedCells(t *testing.T) {
	for _, cell := range []string{"", "a", "S", "srb", "s#"} {
		_, err := key.Of(keys.Box{Cell: cell, Type: "country", Code: "IT"})
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, cell) {
			assert.Equal(t, "Cell", invalid.Field)
		}
	}
}

func ExampleVisit() {
	k, _ := key.Of(keys.Visit{UserID: "user_1", RegionType: "country", RegionCode: "IT", MarkedAt: at})
	fmt.Println(k)
	// Output: USER#user_1/VISIT#country#IT#1731230100000
}
