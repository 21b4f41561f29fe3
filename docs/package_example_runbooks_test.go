package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// onPage is what a runbook does in Go: the lines between these two comments are on its page, so what an operator copies is what
// a test has run.
var onPage = regexp.MustCompile(`(?m)^(\t*)// page (\w[\w-]*): (.*)\n((?:.*\n)*?)\t*// end of page\n`)

func TestBlocksOfRunbooks(t *testing.T) {
	sources, err := filepath.Glob("package_example_*_test.go")
	require.NoError(t, err)
	on := map[string]int{}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, block := range onPage.FindAllStringSubmatch(string(text), -1) {
			code := strings.TrimPrefix(strings.ReplaceAll("\n"+block[4], "\n"+block[1], "\n"), "\n")
			page.Section(t, "docs/runbooks/"+block[2]+".md", block[3], "```go\n"+code+"```")
			on[block[2]]++
		}
	}
	files, err := filepath.Glob("runbooks/*.md")
	require.NoError(t, err)
	assert.Len(t, files, 10)
	index, err := os.ReadFile("runbooks/README.md")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		assert.Equal(t, on[name], strings.Count(string(text), "\n```go\n"), "%s has Go that no test runs", file)
		if name != "README" {
			assert.Contains(t, string(index), "]("+name+".md)")
		}
	}
}

// Whoever gets an alarm finds the page by the name of its metric.
func TestRunbooksForEveryAlarm(t *testing.T) {
	t.Parallel()
	operations, err := os.ReadFile("operations.md")
	require.NoError(t, err)
	index, err := os.ReadFile("runbooks/README.md")
	require.NoError(t, err)
	_, alarms, _ := strings.Cut(string(operations), "<!-- alarms -->")
	alarms, _, _ = strings.Cut(alarms, "<!-- end of alarms -->")
	rows := regexp.MustCompile(`(?m)^\| (\w+)[^|]* \| (?:Sum|Maximum|Average|p99)? above`).FindAllStringSubmatch(alarms, -1)
	require.Greater(t, len(rows), 10)
	for _, row := range rows {
		assert.Contains(t, string(index), "`"+row[1]+"`")
	}
}

// at is when the tables were as they should be again: the time to which they are restored.
var at = fixture.Now

// aged is a database whose clock goes on by a minute with each step of a test.
func aged(t *testing.T) (*dyntest.DB, func()) {
	t.Helper()
	now := at
	db := dyntest.New(t, dyntest.With(dynastay.Options{Clock: func() time.Time { return now }}))
	return db, func() { now = now.Add(time.Minute) }
}

// restored returns other tables with the items that a database has now, as a restore makes them.
func restored(t *testing.T, from *dyntest.DB) *dyntest.DB {
	t.Helper()
	db := dyntest.New(t, dyntest.At(at.Add(time.Hour)))
	for _, s := range keys.Tables() {
		raw.Put(t, db, s, raw.All(t, from, s)...)
	}
	return db
}

// book books the hotel for two.
func book(t *testing.T, db *dyntest.DB, hotel fixture.Hotel, stay dynastay.Stay) *bookings.Booking {
	t.Helper()
	made, err := bookings.New(db.DB, nil).Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, stay, 1)))
	require.NoError(t, err)
	return made
}

// pay records that a booking was paid in full.
func pay(t *testing.T, db *dyntest.DB, b *bookings.Booking) {
	t.Helper()
	_, err := bookings.New(db.DB, nil).RecordPayment(t.Context(), bookings.Payment{
		BookingID: b.ID, Provider: "stripe", ProviderTransactionID: "ch_" + b.ID, Method: "credit_card", Amount: b.Total, Status: bookings.PaymentPaid,
	})
	require.NoError(t, err)
}
