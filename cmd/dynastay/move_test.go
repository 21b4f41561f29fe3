package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// openPlatform returns a database, and a function that calls a command with its flags.
func openPlatform(t *testing.T) (*dyntest.DB, func(args ...string) called) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_CONFIG_FILE": "none"} {
		t.Setenv(name, value)
	}
	db := dyntest.New(t, dyntest.OnlyTables(keys.PropertiesTable, keys.AvailabilityTable, keys.BookingsTable, keys.UsersTable, keys.ReviewsTable, keys.MetadataTable))
	flags := []string{"--endpoint", db.Engine.Endpoint(), "--region", "us-east-1", "--prefix", strings.TrimSuffix(db.TableName(keys.UsersTable), "Users")}
	return db, func(args ...string) called { return call(t.Context(), append(args, flags...)...) }
}

func fileOf(t *testing.T, name string, lines ...string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

// A platform moves in and out: files are loaded, items of other software adopted, and a person is exported.
func TestMoving(t *testing.T) {
	db, run := openPlatform(t)
	property := `{"ID": "grand", "Name": "Grand", "Slug": "grand", "Type": "hotel", "OwnerID": "user_host", "Status": "approved", "CreatedAt": "2020-01-01T00:00:00Z", ` +
		`"Address": {"City": "New York", "Country": "USA"}, "Rooms": [{"ID": "king", "Name": "King", "MaxOccupancy": 2, "MaxAdults": 2, "BasePrice": "280.00 USD", "Total": 10}]}`
	assert.Equal(t, called{same, "1 lines: 1 written, 0 already there, 0 refused\n", ""}, run("load", "properties", fileOf(t, "p.jsonl", property)))
	stays := fileOf(t, "stays.csv",
		"ID,Property.ID,UserID,Stay.CheckIn,Stay.CheckOut,Guests.Adults,Rooms[0].RoomTypeID,Rooms[0].Quantity,Rooms[0].Agreed,Guest.FirstName,Guest.LastName,Guest.Email,Status,CreatedAt",
		"b1,grand,ada,2025-01-10,2025-01-12,2,king,1,100.00 USD,Ada,Byron,ada@example.com,completed,2024-12-01T10:00:00Z",
		"b2,grand,ada,2025-02-10,2025-02-12,2,queen,1,100.00 USD,Ada,Byron,ada@example.com,completed,2024-12-01T10:00:00Z")
	checked := run("load", "bookings", stays, "--dry-run")
	assert.Equal(t, called{failed, "invalid: line 3: invalid Rooms[0].RoomTypeID: must be a room type of the property\n", "dynastay: nothing was loaded, invalid lines: 1\n"}, checked)
	checked = run("load", "bookings", stays, "--dry-run", "--skip-invalid")
	assert.Equal(t, called{failed, "2 lines, 1 invalid\n", "dynastay: 1 line was refused\n"}, checked)
	loaded := run("load", "bookings", stays, "--skip-invalid", "--shards", "bookings-check-in=4")
	assert.Equal(t, called{failed, "refused: line 3: invalid Rooms[0].RoomTypeID: must be a room type of the property\n2 lines: 1 written, 0 already there, 1 refused\n", "dynastay: 1 line was refused\n"}, loaded)
	assert.Equal(t, same, run("forget", "load-bookings").code)
	again := run("load", "bookings", stays, "--skip-invalid", "--shards", "bookings-check-in=4")
	assert.Contains(t, again.out, "2 lines: 0 written, 1 already there, 1 refused\n")

	require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		yield(keys.UsersTable, dynastay.Item{
			"PK": dynastay.Text("USER#ada"), "SK": dynastay.Text("PROFILE"), "UserId": dynastay.Text("ada"), "Email": dynastay.Text("ada@example.com"),
			"FirstName": dynastay.Text("Ada"), "LastName": dynastay.Text("Byron"), "Role": dynastay.Text("customer"),
		})
	}))
	assert.Equal(t, called{same, "1 walked, 1 adopted, 0 refused\n", ""}, run("adopt", "users", "--dry-run", "--segments", "1"))
	assert.Equal(t, called{same, "1 walked, 1 adopted, 0 refused\n", ""}, run("adopt", "users", "--segments", "1"))

	assert.Equal(t, same, run("verify", "users").code)
	require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		yield(keys.UsersTable, dynastay.Item{"PK": dynastay.Text("EMAIL#ada@example.com"), "SK": dynastay.Text("GUARD"), "UserId": dynastay.Text("eve")})
	}))
	different := run("verify", "users", "--segments", "1")
	assert.Equal(t, "dynastay: 2 items were refused\n", different.errs)
	assert.Contains(t, different.out, "User ada: without a guard of its own: Email\n")
	require.NoError(t, db.Direct.DeleteAll(t.Context(), keys.UsersTable, []dynastay.Key{{PK: "EMAIL#ada@example.com", SK: "GUARD"}}))
	assert.Contains(t, run("verify", "users", "--segments", "1", "--mend").out, ", 1 mended, 0 refused\n")
	assert.Equal(t, same, run("verify", "users").code)

	assert.Equal(t, same, run("verify", "properties").code)
	require.NoError(t, db.Direct.DeleteAll(t.Context(), keys.PropertiesTable, []dynastay.Key{{PK: "ROOM#king", SK: "GUARD"}}))
	different = run("verify", "properties", "--segments", "1")
	assert.Equal(t, "dynastay: 1 item was refused\n", different.errs)
	assert.Contains(t, different.out, "Property grand: without a guard of its own: RoomTypeID king\n")
	assert.Contains(t, run("verify", "properties", "--segments", "1", "--mend").out, ", 1 mended, 0 refused\n")
	assert.Equal(t, same, run("verify", "properties").code)

	nights := fileOf(t, "n.jsonl", `{"PropertyID": "grand", "RoomTypeID": "king", "Nights": {"CheckIn": "2036-07-01", "CheckOut": "2036-07-04"}, "Rooms": 10, "Price": "280.00 USD"}`)
	require.Equal(t, same, run("load", "nights", nights).code)
	july := []string{"verify", "sold", "--segments", "1", "--from", "2036-07-01", "--to", "2036-07-04"}
	assert.Equal(t, same, run(july...).code)
	second := dynastay.Key{PK: "ROOM#king", SK: "DATE#2036-07-02"}
	raw.Set(t, db, keys.AvailabilityTable, second, dynastay.Number(8), "AvailableRooms")
	raw.Set(t, db, keys.AvailabilityTable, second, dynastay.Text("PROPERTY#grand2"), "GSI1PK")
	wrong := run("verify", "nights")
	assert.Contains(t, wrong.out, "not as they follow from the item: GSI1PK")
	assert.Contains(t, run("verify", "nights", "--mend", "--segments", "1").out, ", 1 mended, 0 refused\n")
	wrong = run(july...)
	assert.Equal(t, failed, wrong.code)
	assert.Contains(t, wrong.out, "property grand: not as booked: king 2036-07-02: sold 2, booked 0\n")
	assert.Contains(t, run(append(july, "--mend")...).out, ", 1 mended, 0 refused\n")
	assert.Equal(t, same, run(july...).code)
	assert.Equal(t, failed, run("verify", "sold").code)
	assert.Contains(t, run("verify", "sold", "--from", "2036-07-01", "--to", "2039-07-01").errs, "at most 732 nights after --from")
	assert.Contains(t, run("verify", "nights", "--from", "2036-07-01").errs, "for sold and units only")
	raw.Set(t, db, keys.AvailabilityTable, second, dynastay.Number(9), "AvailableRooms")
	assert.Contains(t, run(append(july, "--mend")...).out, ", 1 mended, 0 refused\n", "a mend that has ended begins again")

	july[1] = "units"
	assert.Equal(t, same, run(july...).code)
	raw.Put(t, db, keys.AvailabilityTable, dynastay.Item{"PK": dynastay.Text("UNITS#grand"), "SK": dynastay.Text("MONTH#2036-07#UNIT#301"), "D02": dynastay.Text("OUT#w1")})
	wrong = run(july...)
	assert.Equal(t, failed, wrong.code)
	assert.Contains(t, wrong.out, "property grand: the plan is wrong: 301 on 2036-07-02: the plan names OUT#w1 instead of nobody\n")
	assert.Contains(t, run(append(july, "--mend")...).out, ", 1 mended, 0 refused\n")
	assert.Equal(t, same, run(july...).code)

	raw.Set(t, db, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#grand", SK: "METADATA"}, dynastay.Number(7), "ReviewCount")
	assert.Contains(t, run("verify", "ratings").out, "Property grand: not as they follow from the item: RatingSum, ReviewCount\n")
	assert.Contains(t, run("verify", "ratings", "--mend", "--segments", "1").out, ", 1 mended, 0 refused\n")
	assert.Equal(t, same, run("verify", "ratings").code)

	lines := run("export", "user", "ada")
	assert.Equal(t, same, lines.code)
	assert.Contains(t, lines.out, `"PK":"USER#ada"`)
	assert.Contains(t, lines.out, `"PK":"BOOKING#b1"`)
	arrivals := run("export", "arrivals", "2025-01-10", "--csv", "--shards", "bookings-check-in=4")
	assert.Contains(t, arrivals.out, "Byron")
	assert.Equal(t, 3, strings.Count(arrivals.out, "\n"), "a header, the booking and its line")
	whole := run("export", "property", "grand", "--from", "2026-07-01", "--to", "2026-07-02")
	assert.Contains(t, whole.out, `"PK":"PROPERTY#grand"`)
	for _, kind := range []string{"properties", "nights", "bookings", "reviews"} {
		assert.Equal(t, same, run("adopt", kind).code)
	}
}

// Users are adopted and verified as they are in an export of the table.
func TestMovingFromAnExport(t *testing.T) {
	db, run := openPlatform(t)
	for _, id := range []string{"ada", "bob"} {
		raw.Put(t, db, keys.UsersTable, dynastay.Item{
			"PK": dynastay.Text("USER#" + id), "SK": dynastay.Text("PROFILE"), "UserId": dynastay.Text(id), "Email": dynastay.Text(id + "@example.com"),
			"FirstName": dynastay.Text("A"), "LastName": dynastay.Text("B"), "Role": dynastay.Text("customer"),
		})
	}
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, raw.Export(t, db, keys.UsersTable, 2)))
	raw.Delete(t, db, keys.UsersTable, dynastay.Key{PK: "USER#bob", SK: "PROFILE"})
	adopted := run("adopt", "users", "--export", folder)
	assert.Equal(t, same, adopted.code, adopted.errs)
	assert.Contains(t, adopted.out, "2 walked, 1 adopted, 0 refused\n")
	verified := run("verify", "users", "--export", folder)
	assert.Equal(t, same, verified.code, "it has been adopted since: "+verified.out)
	assert.Contains(t, verified.out, "2 walked, 0 mended, 0 refused\n")
	other := run("adopt", "bookings", "--export", folder)
	assert.Equal(t, failed, other.code)
	assert.Contains(t, other.errs, "invalid Export: must be of the table ")
	assert.Contains(t, run("adopt", "users", "--export", filepath.Join(folder, "none")).errs, "no such file or directory")
}

// What cannot be is said before anything is read.
func TestMovingRefused(t *testing.T) {
	_, run := openPlatform(t)
	short := fileOf(t, "secret", "short")
	for text, args := range map[string][]string{
		`--shards has an unknown name, "bookings-other"`:   {"adopt", "users", "--shards", "bookings-other=2"},
		"--shards bookings-hold: ":                         {"adopt", "users", "--shards", "bookings-hold=-1"},
		"--email-secret-file must have at least 32 bytes":  {"adopt", "users", "--email-secret-file", short},
		"--parallel must be positive":                      {"adopt", "users", "--parallel", "0"},
		"--from and --to must be dates such as 2026-07-01": {"export", "property", "grand"},
		"must be a valid date":                             {"export", "arrivals", "today"},
		"must be one of":                                   {"load", "stays", short},
		"the budget of capacity units is consumed":         {"load", "users", fileOf(t, "u.jsonl", `{"ID": "a", "Email": "a@example.com", "FirstName": "A", "LastName": "A", "Role": "customer", "CreatedAt": "2020-01-01T00:00:00Z"}`, `{"ID": "b", "Email": "b@example.com", "FirstName": "A", "LastName": "A", "Role": "customer", "CreatedAt": "2020-01-01T00:00:00Z"}`), "--units", "0.1", "--parallel", "1"},
	} {
		got := run(args...)
		assert.Equal(t, failed, got.code, text)
		assert.Contains(t, got.errs, text)
	}
}
