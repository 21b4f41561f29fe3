package migrate_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/users"
)

// settled is a platform that has moved in, with everything that can be stored about a person.
func settled(t *testing.T) *move {
	ctx := t.Context()
	m := openMove(t)
	m.load(t, migrate.Properties(m.hosts), "properties", grand)
	m.load(t, migrate.Nights(m.nights), "nights", july)
	m.load(t, migrate.Users(m.guests), "users", ada)
	m.load(t, migrate.Bookings(m.sales, m.hosts), "bookings", stays...)
	m.load(t, migrate.Reviews(m.opinion), "reviews", opine)
	_, err := m.guests.UpdatePreferences(ctx, "ada", func(p *users.Preferences) error { p.Values["theme"] = "dark"; return nil })
	require.NoError(t, err)
	_, err = m.guests.Earn(ctx, users.Movement{UserID: "ada", ReasonID: "old", Points: 210})
	require.NoError(t, err)
	_, err = m.guests.CreateWishlist(ctx, users.Wishlist{UserID: "ada", Name: "Summer"})
	require.NoError(t, err)
	_, err = m.sales.RecordPayment(ctx, bookings.Payment{
		BookingID: "old", Provider: "stripe", ProviderTransactionID: "ch_1", Method: "card", Amount: dynastay.MustMoney("210.00", "USD"), Status: bookings.PaymentPaid,
	})
	require.NoError(t, err)
	return m
}

func (m *move) export(t *testing.T, parts []migrate.Part, err error) (all []migrate.Exported) {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, m.mover(migrate.Options{}).Export(t.Context(), parts, func(e migrate.Exported) error {
		all = append(all, e)
		return nil
	}))
	return all
}

// about returns what all tables have that contains one of some texts, in any form, as texts.
func (m *move) about(t *testing.T, words ...string) (all []string) {
	t.Helper()
	for _, s := range []*dynastay.Schema{keys.PropertiesTable, keys.AvailabilityTable, keys.BookingsTable, keys.UsersTable, keys.ReviewsTable, keys.MetadataTable} {
		for _, item := range raw.All(t, m.DB, s) {
			text, err := json.Marshal(raw.Plain(t, item))
			require.NoError(t, err)
			if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(string(text)), word) }) {
				all = append(all, s.Name+" "+s.Key.From(dynastay.RowOf(item)).String())
			}
		}
	}
	return all
}

func named(all []migrate.Exported) (names []string) {
	schemas := map[string]*dynastay.Schema{}
	for _, s := range keys.Tables() {
		schemas[s.Name] = s
	}
	for _, e := range all {
		names = append(names, e.Table+" "+schemas[e.Table].Key.From(dynastay.RowOf(e.Item)).String())
	}
	return names
}

// What is stored about a person is everything that any table has with the id or the name, except the guard of the address. Once the
// person is erased, nothing is.
func TestExportOfUser(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := settled(t)
	person := []string{`"ada"`, "user#ada", "byron"}
	parts, err := migrate.OfUser("ada")
	all := m.export(t, parts, err)
	names := named(all)
	for _, stored := range m.about(t, person...) {
		if !strings.HasPrefix(stored, "Users EMAIL#") {
			assert.Contains(t, names, stored)
		}
	}
	for _, want := range []string{
		"Users USER#ada/PROFILE", "Users USER#ada/LOYALTY", "Users USER#ada/LOYALTYENTRY#old", "Users USER#ada/PREFERENCE",
		"Bookings BOOKING#old/METADATA", "Bookings BOOKING#old/ROOM#king", "Bookings BOOKING#old/PAYMENT#ch_1", "Bookings BOOKING#gone/METADATA",
		"Reviews REVIEW#rev-1/METADATA",
	} {
		assert.Contains(t, names, want)
	}
	assert.NotContains(t, strings.Join(names, " "), "ahead", "the booking of somebody else")
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "each once")

	_, err = m.guests.Erase(ctx, "ada", m.sales.Eraser(bookings.CancelUpcoming), m.hosts.Eraser(), m.opinion.Eraser())
	require.NoError(t, err)
	assert.Equal(t, []string{"Users USER#ada/ERASED"}, named(m.export(t, parts, nil)))
	assert.Equal(t, []string{"Users USER#ada/ERASED"}, m.about(t, person...))
	arrivals, err := migrate.OfArrivals(dynastay.MustDate("2025-01-10"), key.Shards{})
	var text bytes.Buffer
	require.NoError(t, migrate.WriteCSV(&text, m.export(t, arrivals, err)))
	assert.Contains(t, text.String(), "BOOKING#old")
	assert.NotContains(t, strings.ToLower(text.String()), "byron")
	assert.NotContains(t, text.String(), ",ada,")
}

// A property is exported with all that belongs to it, and the nights of a stay.
func TestExportOfProperty(t *testing.T) {
	t.Parallel()
	m := settled(t)
	parts, err := migrate.OfProperty("grand", dynastay.MustStay("2026-07-10", "2026-07-12"))
	all := m.export(t, parts, err)
	names := strings.Join(named(all), "\n")
	for _, want := range []string{
		"Properties PROPERTY#grand/METADATA", "Properties PROPERTY#grand/ROOM#king", "Availability ROOM#king/DATE#2026-07-10",
		"Availability ROOM#king/DATE#2026-07-11", "Bookings BOOKING#ahead/METADATA", "Bookings BOOKING#ahead/PAYMENT", "Reviews REVIEW#rev-1/METADATA",
	} {
		assert.Contains(t, names, want)
	}
	assert.NotContains(t, names, "DATE#2026-07-09")
	assert.NotContains(t, names, "DATE#2026-07-12")
	for _, e := range all {
		assert.Equal(t, m.Clock.Now(), e.ReadAt)
		assert.Equal(t, e.Table == "Availability" || e.Table == "Reviews", e.Index != "", "the others are read consistently")
	}
	_, err = migrate.OfProperty("a#b", dynastay.MustStay("2026-07-10", "2026-07-12"))
	blame.Invalid(t, err, "PropertyID")
	_, err = migrate.OfProperty("grand", dynastay.Stay{})
	blame.Invalid(t, err, "Nights.CheckIn")
	_, err = migrate.OfUser("")
	blame.Invalid(t, err, "UserID")
	_, err = migrate.OfArrivals(dynastay.Date{}, key.Shards{})
	blame.Invalid(t, err, "CheckIn")
}

// A day's bookings are in both forms, with everything that is stored, and can be read back.
func TestExportForms(t *testing.T) {
	t.Parallel()
	m := settled(t)
	parts, err := migrate.OfArrivals(dynastay.MustDate("2026-07-10"), key.Shards{})
	all := m.export(t, parts, err)
	require.Equal(t, []string{
		"Bookings BOOKING#ahead/METADATA", "Bookings BOOKING#ahead/PAYMENT", "Bookings BOOKING#ahead/PAYMENT#tx1", "Bookings BOOKING#ahead/ROOM#king",
	}, named(all), "the cancelled one does not arrive")

	var lines bytes.Buffer
	write := migrate.JSONLines(&lines)
	for _, e := range all {
		require.NoError(t, write(e))
	}
	read := json.NewDecoder(&lines)
	read.UseNumber()
	for _, e := range all {
		var got struct {
			Table  string
			ReadAt time.Time
			Item   map[string]any
		}
		require.NoError(t, read.Decode(&got))
		assert.Equal(t, "Bookings", got.Table)
		assert.Equal(t, e.ReadAt, got.ReadAt)
		delete(e.Item, "WriteId")
		delete(got.Item, "WriteId")
		assert.Equal(t, raw.Item(t, got.Item), e.Item)
	}

	var table bytes.Buffer
	require.NoError(t, migrate.WriteCSV(&table, all))
	records, err := csv.NewReader(&table).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 5)
	cell := func(row int, name string) string { return records[row][slices.Index(records[0], name)] }
	assert.Equal(t, []string{"Table", "Index", "ReadAt"}, records[0][:3])
	assert.Equal(t, "Stone, Jr.", cell(1, "Item.GuestInfo.LastName"))
	assert.Equal(t, "910", cell(1, "Item.TotalAmount"))
	assert.Equal(t, "", cell(4, "Item.GuestInfo.LastName"))
	assert.Equal(t, "summer", cell(1, "Item.Data.campaign"))
}

// Every kind of value has a form in JSON.
func TestExportedValues(t *testing.T) {
	t.Parallel()
	item := dynastay.Item{
		"S": dynastay.Text("<a>"), "N": &types.AttributeValueMemberN{Value: "12345678901234567890.123456789"}, "B": &types.AttributeValueMemberB{Value: []byte{1, 2}},
		"BOOL": &types.AttributeValueMemberBOOL{Value: true}, "NULL": &types.AttributeValueMemberNULL{Value: true},
		"L": &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Number(1), dynastay.Text("b")}}, "M": &types.AttributeValueMemberM{Value: dynastay.Item{"x": dynastay.Number(1)}},
		"SS": &types.AttributeValueMemberSS{Value: []string{"a"}}, "NS": &types.AttributeValueMemberNS{Value: []string{"1"}}, "BS": &types.AttributeValueMemberBS{Value: [][]byte{{3}}},
	}
	var lines bytes.Buffer
	require.NoError(t, migrate.JSONLines(&lines)(migrate.Exported{Table: "T", Index: "I", Item: item}))
	assert.Equal(t, `{"Table":"T","Index":"I","ReadAt":"0001-01-01T00:00:00Z","Item":{"B":"AQI=","BOOL":true,"BS":["Aw=="],"L":[1,"b"],"M":{"x":1},`+
		`"N":12345678901234567890.123456789,"NS":[1],"NULL":null,"S":"<a>","SS":["a"]}}`+"\n", lines.String())
	var table bytes.Buffer
	require.NoError(t, migrate.WriteCSV(&table, []migrate.Exported{{Table: "T", Item: item}}))
	assert.Equal(t, "Table,Index,ReadAt,Item.B,Item.BOOL,Item.BS,Item.L,Item.M.x,Item.N,Item.NS,Item.S,Item.SS\nT,,0001-01-01T00:00:00Z,AQI=,true,"+
		`"[""Aw==""]","[1,""b""]",1,12345678901234567890.123456789,[1],<a>,"[""a""]"`+"\n", table.String())
}

// A name with a dot is told from an attribute of a map, and an empty map is there.
func TestExportedNames(t *testing.T) {
	t.Parallel()
	var table bytes.Buffer
	require.NoError(t, migrate.WriteCSV(&table, []migrate.Exported{{Table: "T", Item: dynastay.Item{
		"A.B": dynastay.Text("flat"), "A": &types.AttributeValueMemberM{Value: dynastay.Item{"B": dynastay.Text("nested")}},
		"Table": dynastay.Text("own"), "E": &types.AttributeValueMemberM{},
	}}}))
	assert.Equal(t, `Table,Index,ReadAt,"Item.""A.B""",Item.A.B,Item.E,Item.Table`+"\nT,,0001-01-01T00:00:00Z,flat,nested,{},own\n", table.String())
}

// An error of the function or of the budget ends an export.
func TestExportEnds(t *testing.T) {
	t.Parallel()
	m := settled(t)
	parts, err := migrate.OfUser("ada")
	require.NoError(t, err)
	full := errors.New("the disk is full")
	for n, part := range parts[:3] {
		err := m.mover(migrate.Options{}).Export(t.Context(), []migrate.Part{part}, func(migrate.Exported) error { return full })
		require.ErrorIs(t, err, full, fmt.Sprint(n))
	}
	err = m.mover(migrate.Options{Units: 1}).Export(t.Context(), parts, func(migrate.Exported) error { return nil })
	require.ErrorIs(t, err, migrate.ErrBudget)
}
