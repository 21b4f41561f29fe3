package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// move is a database into which a platform moves.
type move struct {
	*dyntest.DB
	hosts   *properties.Repository
	nights  *availability.Repository
	sales   *bookings.Repository
	guests  *users.Repository
	opinion *reviews.Repository
}

func openMove(t testing.TB) *move {
	db := dyntest.New(t, dyntest.At(fixture.Now), dyntest.OnlyTables(
		keys.PropertiesTable, keys.AvailabilityTable, keys.BookingsTable, keys.UsersTable, keys.ReviewsTable, keys.MetadataTable))
	hosts := properties.New(db.DB, nil)
	return &move{db, hosts, availability.New(db.DB), bookings.New(db.DB, nil), users.New(db.DB, nil), reviews.New(db.DB, hosts, nil)}
}

func (m *move) mover(opts migrate.Options) *migrate.Mover {
	opts.DB.TablePrefix, opts.DB.Clock = m.TableName(&dynastay.Schema{}), m.Clock.Now
	return migrate.New(m.Client, opts)
}

func text(lines ...string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))), nil }
}

// load loads lines, all of which must be loaded.
func (m *move) load(t testing.TB, lines migrate.Lines, name string, all ...string) migrate.Loaded {
	t.Helper()
	loaded, err := m.mover(migrate.Options{}).Load(t.Context(), migrate.Load{
		Name: name, Lines: lines, Open: text(all...), CSV: !strings.HasPrefix(all[0], "{"),
		Refused: func(l migrate.LineError) { t.Error(l) },
	})
	require.NoError(t, err)
	require.True(t, loaded.Done)
	return loaded
}

const (
	grand = `{"ID": "grand", "Name": "Grand", "Slug": "grand", "Type": "hotel", "OwnerID": "user_host", "Status": "approved", ` +
		`"TimeZone": "America/New_York", "CheckInTime": "15:00", "CancellationPolicy": "free_cancellation_48h", ` +
		`"Address": {"City": "New York", "Country": "USA", "Latitude": 40.7, "Longitude": -73.9}, "CreatedAt": "2020-01-01T00:00:00Z", ` +
		`"Rooms": [{"ID": "king", "Name": "King", "MaxOccupancy": 2, "MaxAdults": 2, "MaxChildren": 1, "BasePrice": "280.00 USD", "Total": 10}]}`
	twin   = `{"ID": "twin", "PropertyID": "grand", "Name": "Twin", "MaxOccupancy": 2, "MaxAdults": 2, "BasePrice": "200.00 USD", "Total": 5}`
	july   = `{"PropertyID": "grand", "RoomTypeID": "king", "Nights": {"CheckIn": "2026-07-01", "CheckOut": "2026-08-01"}, "Rooms": 3, "Price": "280.00 USD"}`
	closed = `{"PropertyID": "grand", "Changes": [{"RoomTypeIDs": ["king"], "Dates": {"CheckIn": "2026-07-04", "CheckOut": "2026-07-05"}, "ClosedToArrival": true}]}`
	ada    = `{"ID": "ada", "Email": "Ada@example.com", "EmailVerified": true, "FirstName": "Ada", "LastName": "Byron", "Role": "customer", "CreatedAt": "2019-05-06T07:08:09Z", "LastLoginAt": "2026-05-01T00:00:00Z"}`
	opine  = `{"ID": "rev-1", "BookingID": "old", "UserID": "ada", "PropertyID": "grand", "Ratings": {"Overall": 9.2}, "Text": "Fine", "Status": "approved", "CreatedAt": "2025-02-01T00:00:00Z"}`
)

// stays are the bookings of another system: one that is over, one that is ahead and one that was cancelled.
var stays = []string{
	"ID,Reference,UserID,Property.ID,Stay.CheckIn,Stay.CheckOut,Guests.Adults,Rooms[0].RoomTypeID,Rooms[0].Quantity,Rooms[0].Agreed," +
		"Guest.FirstName,Guest.LastName,Guest.Email,Status,CreatedAt,CancelledAt,Channel,Data[campaign],Payments[0].ProviderTransactionID," +
		"Payments[0].Provider,Payments[0].Method,Payments[0].Amount,Payments[0].Status,Payments[0].At,TaxesAndFees",
	"old,A/1,ada,grand,2025-01-10,2025-01-12,2,king,1,100.00 USD;110.00 USD,Ada,Byron,ada@example.com,completed,2024-12-01T10:00:00Z,,,,,,,,,,",
	`ahead,A/2,,grand,2026-07-10,2026-07-13,4,king,2,150.00 USD,Bob,"Stone, Jr.",bob@example.com,confirmed,2026-01-01T10:00:00Z,,expedia,summer,tx1,stripe,card,910.00 USD,paid,2026-01-01T10:00:05Z,10.00 USD`,
	"gone,A/3,ada,grand,2026-07-10,2026-07-13,1,king,1,150.00 USD,Ada,Byron,ada@example.com,cancelled,2026-01-01T10:00:00Z,2026-02-01T10:00:00Z,,,,,,,,,",
}

// A whole platform moves in, in the order in which one thing needs another, and once more: nothing is written twice.
func TestLoad(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := openMove(t)
	for round, want := range []migrate.Loaded{{Written: 1}, {There: 1}} {
		all := func(n int) migrate.Loaded {
			return migrate.Loaded{Lines: n, Written: want.Written * n, There: want.There * n, Done: true}
		}
		name := func(kind string) string { return fmt.Sprint(kind, round) }
		assert.Equal(t, all(1), m.load(t, migrate.Properties(m.hosts), name("properties"), grand))
		assert.Equal(t, all(1), m.load(t, migrate.RoomTypes(m.hosts), name("rooms"), twin))
		assert.Equal(t, all(1), m.load(t, migrate.Nights(m.nights), name("nights"), july))
		assert.Equal(t, all(1), m.load(t, migrate.NightChanges(m.nights), name("changes"), closed))
		assert.Equal(t, all(1), m.load(t, migrate.Users(m.guests), name("users"), ada))
		assert.Equal(t, all(3), m.load(t, migrate.Bookings(m.sales, m.hosts), name("bookings"), stays...))
		assert.Equal(t, all(1), m.load(t, migrate.Reviews(m.opinion), name("reviews"), opine))
	}

	p, err := m.hosts.GetWithRooms(ctx, "grand")
	require.NoError(t, err)
	assert.Equal(t, "2020-01-01T00:00:00Z", p.CreatedAt.Format("2006-01-02T15:04:05Z07:00"))
	assert.Len(t, p.Rooms, 2)
	assert.Equal(t, dynastay.Rating(92), p.Rating)
	assert.Equal(t, 1, p.ReviewCount)
	u, err := m.guests.ByEmail(ctx, "ada@example.com")
	require.NoError(t, err)
	assert.Equal(t, "2019-05-06 2026-05-01 true", fmt.Sprint(u.CreatedAt.Format("2006-01-02 "), u.LastLoginAt.Format("2006-01-02 "), u.EmailVerified))
	nights, err := m.nights.Check(ctx, "grand", "king", 1, dynastay.MustStay("2026-07-04", "2026-07-11"))
	require.NoError(t, err)
	assert.True(t, nights.Nights[0].ClosedToArrival)
	assert.Equal(t, 3, nights.Nights[5].Available)
	assert.Equal(t, 1, nights.Nights[6].Available, "two rooms from the 10th on")

	old, err := m.sales.Get(ctx, "old")
	require.NoError(t, err)
	assert.Equal(t, "210.00 USD", old.Total.String())
	assert.Equal(t, "Grand America/New_York 15:00", old.PropertyName+" "+old.TimeZone+" "+old.CheckInTime)
	assert.Equal(t, "King", old.Lines[0].Name)
	assert.Equal(t, availability.FreeCancellation(48), old.CancellationPolicy)
	ahead, err := m.sales.ByReference(ctx, "A/2")
	require.NoError(t, err)
	assert.Equal(t, "910.00 USD paid", ahead.Total.String()+" "+string(ahead.PaymentStatus))
	assert.Equal(t, "Stone, Jr.", ahead.Guest.LastName)
	assert.Equal(t, bookings.Data{"campaign": "summer"}, ahead.Data)
	review, err := m.opinion.Get(ctx, "rev-1")
	require.NoError(t, err)
	assert.Equal(t, "approved 2025-02-01", string(review.Status)+review.CreatedAt.Format(" 2006-01-02"))
}

// All lines are checked before the first is written. Those that are invalid are named, with the field.
func TestLoadOfInvalidLines(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	m.load(t, migrate.Properties(m.hosts), "properties", grand)
	for name, test := range map[string]struct {
		lines migrate.Lines
		text  []string
		want  []string
	}{
		"users": {migrate.Users(m.guests), []string{
			ada, "",
			`{"ID": "b"`,
			`{"ID": "c", "Name": "C"}`,
			`{"ID": "d", "CreatedAt": "yesterday"}`,
			`{"ID": 5}`,
			`{"ID": "e", "CreatedAt": "2020-01-01T00:00:00Z", "Email": "no address"}`,
			strings.Replace(ada, `"ada"`, `"ada2"`, 1),
			`{"ID": "f"} {}`,
			`{"ID": "f"} ] {`,
			`{"ID": "g", "ID": "h"}`,
			"{\"ID\": \"J\xfcrgen\"}",
			`{"CreatedAt": "2020-01-01T00:00:00Z"}`,
			`{"ID": "` + strings.Repeat("a", 1<<20) + `"}`,
			`[]`,
			strings.Replace(ada, "Ada@", "ada@", 1),
		}, []string{
			"line 3: invalid: unexpected EOF",
			"line 4: invalid Name: is no field",
			`line 5: invalid CreatedAt: must be a time such as 2026-07-01T12:00:00Z, got "yesterday"`,
			"line 6: invalid ID: must be a text, got number",
			"line 7: users.Import: invalid Email: must be a valid e-mail address",
			"line 8: Email ada@example.com is that of line 1",
			"line 9: invalid: must be one JSON value",
			"line 10: invalid: must be one JSON value",
			"line 11: invalid ID: appears more than once",
			"line 12: invalid: must be UTF-8",
			"line 13: users.Import: invalid ID: must be an id that a key can have",
			"line 14: invalid: must be at most 1 MB",
			"line 15: invalid: must be an object, got array",
			"line 16: ID ada is that of line 1",
		}},
		"bookings": {migrate.Bookings(m.sales, m.hosts), []string{
			"ID,Property.ID,Stay.CheckIn,Stay.CheckOut,Guests.Adults,Rooms[0].RoomTypeID,Rooms[0].Quantity,Rooms[0].Agreed,Rooms[1].RoomTypeID,Status,UniqueReference",
			"a,palace,2026-07-01,2026-07-02,1,king,1,1.00 USD,,confirmed,",
			"b,grand,2026-07-01,2026-07-02,1,queen,1,1.00 USD,,confirmed,",
			"c,grand,2026-07-01,01.07.2026,1,king,1,1.00 USD,,confirmed,",
			"d,grand,2026-07-01,2026-07-02,one,king,1,1.00 USD,,confirmed,",
			"e,grand,2026-07-01,2026-07-02,1,king,1,1.00 USD",
			"f,grand,2026-07-01,2026-07-02,1,king,1,1.00 USD;2.00,,confirmed,",
			"g,grand,2026-07-01,2026-07-02,1,king,1,1.00 USD,,confirmed,maybe",
			"h,grand,2026-07-01,2026-07-02,1,king,1,1.00 USD,,confirmed,",
			",,,,,,,,,,",
			"i,grand,2026-07-01,2026-07-02,1,,,,king,confirmed,",
			"j,grand,2026-07-01,2026-07-02,1,king,1,1.00 USD;,,confirmed,",
			"k,grand,2026-07-01,2026-07-02,null,king,1,1.00 USD,,confirmed,",
			"J\xfcrgen,grand,2026-07-01,2026-07-02,1,king,1,1.00 USD,,confirmed,",
			"l\"x,grand",
		}, []string{
			"line 2: invalid Property.ID: must be that of a property",
			"line 3: invalid Rooms[0].RoomTypeID: must be a room type of the property",
			`line 4: invalid Stay.CheckOut: must be a valid date in the form YYYY-MM-DD, got "01.07.2026"`,
			`line 5: invalid Guests.Adults: must be a number or JSON, got "one"`,
			"line 6: invalid: must have 11 fields, as the header, got 8",
			`line 7: invalid Rooms[0].Agreed[1]: must be an amount and a currency in the form 250.00 USD, got "2.00"`,
			`line 8: invalid UniqueReference: must be true or false, got "maybe"`,
			"line 9: bookings.Import: invalid CreatedAt: is required",
			"line 10: invalid Property.ID: must be that of a property",
			"line 11: invalid Rooms[0]: is missing, but a later one is not",
			"line 12: invalid Rooms[0].Agreed: must not have an empty entry",
			`line 13: invalid Guests.Adults: must be a number or JSON, got "null"`,
			"line 14: invalid ID: must be UTF-8",
			`line 15: invalid: bare " in non-quoted-field`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			stop := m.Faults.Record()
			loaded, err := m.mover(migrate.Options{}).Load(t.Context(), migrate.Load{
				Name: name, Lines: test.lines, Open: text(test.text...), CSV: test.text[0][0] != '{',
			})
			invalid := blame.As[*migrate.InvalidLinesError](t, err)
			require.ErrorIs(t, err, dynastay.ErrInvalid)
			var got []string
			for _, l := range invalid.Lines {
				got = append(got, l.Error())
				require.ErrorIs(t, l, dynastay.ErrInvalid)
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, len(test.want), invalid.Count)
			assert.Equal(t, len(test.want), loaded.Refused)
			assert.Contains(t, err.Error(), fmt.Sprintf("nothing was loaded, invalid lines: %d: %s; ", len(got), got[0]))
			for _, r := range stop() {
				assert.Contains(t, []string{"Query", "GetItem"}, r.Operation)
			}
		})
	}
}

// A header must name fields.
func TestLoadOfAnInvalidHeader(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	for header, reason := range map[string]string{
		"":                    "line 1: invalid: there is no header",
		"ID,Nmae":             "line 1: invalid Nmae: is no field",
		"ID,Stay.CheckIn.Day": "line 1: invalid Stay.CheckIn.Day: is no field",
		"ID,Rooms[x].Name":    "line 1: invalid Rooms[x].Name: must have an index between 0 and 99",
		"Rooms[100].Name":     "line 1: invalid Rooms[100].Name: must have an index between 0 and 99",
		"Rooms[0":             "line 1: invalid Rooms[0: is no field",
		"ID[0]":               "line 1: invalid ID[0]: is no field",
		"Rooms[0]Name":        "line 1: invalid Rooms[0]Name: is no field",
		"ID.":                 "line 1: invalid ID.: is no field",
		"Rooms[0].":           "line 1: invalid Rooms[0].: is no field",
		"ID,Status,ID":        "line 1: invalid ID: is also said by another column",
		"Data[a],Rooms,Data":  "line 1: invalid Data: is also said by another column",
		"ID,,Status":          "line 1: invalid: column 2 has no name",
	} {
		_, err := m.mover(migrate.Options{}).Load(t.Context(), migrate.Load{
			Name: "l", Lines: migrate.Bookings(m.sales, m.hosts), Open: text(header), CSV: true,
		})
		require.ErrorIs(t, err, dynastay.ErrInvalid, header)
		assert.EqualError(t, err, reason, header)
	}
}

// What cannot be loaded as asked is refused before the file is read.
func TestLoadRefused(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	whole := migrate.Load{Name: "l", Lines: migrate.Users(m.guests), Open: text(ada)}
	for field, change := range map[string]func(*migrate.Load){
		"Lines":  func(l *migrate.Load) { l.Lines = migrate.Lines{} },
		"Open":   func(l *migrate.Load) { l.Open = nil },
		"Page":   func(l *migrate.Load) { l.Page = 1001 },
		"WalkID": func(l *migrate.Load) { l.Name = "a#b" },
	} {
		l := whole
		change(&l)
		_, err := m.mover(migrate.Options{}).Load(t.Context(), l)
		if field == "WalkID" {
			field = "Walk"
		}
		blame.Invalid(t, err, field)
	}
	lost := errors.New("lost")
	whole.Open = func() (io.ReadCloser, error) { return nil, lost }
	_, err := m.mover(migrate.Options{}).Load(t.Context(), whole)
	require.ErrorIs(t, err, lost)
}

// A dry run checks the lines, and writes nothing.
func TestLoadDry(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	loaded, err := m.mover(migrate.Options{}).Load(t.Context(), migrate.Load{
		Name: "l", Lines: migrate.Users(m.guests), Open: text(ada, `{"ID": "b"}`), DryRun: true, SkipInvalid: true,
	})
	require.NoError(t, err)
	assert.Equal(t, migrate.Loaded{Lines: 2, Refused: 1}, loaded)
	_, err = m.guests.Get(t.Context(), "ada")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

// What a repository refuses counts as refused, and the load goes on. A line whose id somebody else has is refused.
func TestLoadOfRefusedLines(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := openMove(t)
	_, err := m.guests.Create(ctx, users.User{ID: "bob", Email: "bob@example.com", FirstName: "B", LastName: "B", Role: users.Customer})
	require.NoError(t, err)
	user := func(id, email string) string {
		return strings.NewReplacer(`"ada"`, `"`+id+`"`, "Ada@example.com", email).Replace(ada)
	}
	var refused []string
	loaded, err := m.mover(migrate.Options{}).Load(ctx, migrate.Load{
		Name: "l", Lines: migrate.Users(m.guests), SkipInvalid: true,
		Open:    text(user("ada", "ada@example.com"), user("x", "bob@example.com"), `{"ID": "y"}`, user("bob", "new@example.com"), user("z", "z@example.com")),
		Refused: func(l migrate.LineError) { refused = append(refused, l.Error()) },
	})
	require.NoError(t, err)
	assert.Equal(t, migrate.Loaded{Lines: 5, Written: 2, Refused: 3, Done: true}, loaded)
	assert.Equal(t, []string{
		"line 2: users.Create: User x (Email): already exists",
		"line 3: users.Import: invalid CreatedAt: is required",
		"line 4: users.Create: User bob: already exists",
	}, refused)
}

// A load that is interrupted, by its budget here, goes on where it was, and counts each line once. With another file, it does not.
func TestLoadGoesOn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := openMove(t)
	var lines []string
	for n := range 25 {
		lines = append(lines, strings.NewReplacer(`"ada"`, fmt.Sprintf(`"ada-%02d"`, n), "Ada@", fmt.Sprintf("ada-%02d@", n)).Replace(ada))
	}
	l := migrate.Load{Name: "l", Lines: migrate.Users(m.guests), Open: text(lines...), Page: 10}
	runs, loaded := 0, migrate.Loaded{}
	for !loaded.Done {
		mover := m.mover(migrate.Options{Units: 20, DB: dynastay.Options{Parallel: 2}})
		l.Lines = migrate.Users(users.New(mover.DB, nil))
		before := loaded.Lines
		var err error
		loaded, err = mover.Load(ctx, l)
		if !loaded.Done {
			require.ErrorIs(t, err, migrate.ErrBudget)
			require.Greater(t, loaded.Lines, before)
		}
		runs++
	}
	assert.Greater(t, runs, 3)
	assert.Equal(t, 25, loaded.Lines)
	assert.Equal(t, 25, loaded.Written+loaded.There)
	assert.Zero(t, loaded.Refused)

	again, err := m.mover(migrate.Options{}).Load(ctx, l)
	require.NoError(t, err)
	assert.Equal(t, loaded, again, "it has ended")
	l.Open = text(lines[:24]...)
	_, err = m.mover(migrate.Options{}).Load(ctx, l)
	blame.Invalid(t, err, "Name")
	require.NoError(t, m.mover(migrate.Options{}).Forget(ctx, "l"))
	again, err = m.mover(migrate.Options{}).Load(ctx, l)
	require.NoError(t, err)
	assert.Equal(t, migrate.Loaded{Lines: 24, There: 24, Done: true}, again)
}

// With the smallest budget, each run loads a line at least.
func TestLoadWithASmallBudget(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	l := migrate.Load{Name: "l", Open: text(ada, strings.NewReplacer(`"ada"`, `"bob"`, "Ada@", "bob@").Replace(ada))}
	for n := 1; n <= 2; n++ {
		mover := m.mover(migrate.Options{Units: 0.1, DB: dynastay.Options{Parallel: 1}})
		l.Lines = migrate.Users(users.New(mover.DB, nil))
		loaded, err := mover.Load(t.Context(), l)
		assert.Equal(t, n, loaded.Lines, "%v", err)
	}
}

// If a line stops a load, what was done after it at the same time does not count.
func TestLoadCountsUpToTheLineThatStops(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	type note struct{ ID string }
	broken, second := errors.New("the disk is full"), make(chan struct{})
	lines := migrate.LinesOf("notes", func(*note) ([]string, error) { return nil, nil }, func(_ context.Context, n *note) (bool, error) {
		if n.ID == "1" {
			<-second
			return false, broken
		}
		close(second)
		return true, nil
	})
	loaded, err := m.mover(migrate.Options{}).Load(t.Context(), migrate.Load{Name: "notes", Lines: lines, Open: text(`{"ID": "1"}`, `{"ID": "2"}`)})
	require.ErrorIs(t, err, broken)
	assert.Equal(t, migrate.Loaded{}, loaded)
}

// Lines of a kind of one's own are loaded like any other.
func TestLoadOfOwnLines(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	type note struct{ ID, Text string }
	var written []string
	broken := errors.New("the disk is full")
	lines := migrate.LinesOf("notes", func(n *note) ([]string, error) { return []string{"ID " + n.ID}, nil },
		func(_ context.Context, n *note) (bool, error) {
			if n.Text == "stop" {
				return false, broken
			}
			written = append(written, n.ID)
			return true, nil
		})
	l := migrate.Load{Name: "notes", Lines: lines, Open: text("\ufeff"+`{"ID": "1"}`, `{"ID": "2", "Text": "stop"}`), Page: 1}
	loaded, err := m.mover(migrate.Options{}).Load(t.Context(), l)
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "line 2: the disk is full")
	assert.Equal(t, migrate.Loaded{Lines: 1, Written: 1}, loaded)
	assert.Equal(t, []string{"1"}, written)
}
