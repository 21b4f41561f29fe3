// Moving takes over a hotel: what other software has stored in the tables is adopted, the bookings of an older system are loaded
// from its file, what is stored is compared with what follows from it, and what is held about a person is exported and erased.
//
//	go run ./examples/moving
//
// The program runs against a real DynamoDB engine, which package dyntest/engine chooses, and prints the requests of each step
// and the units that the engine charged. A service can go on meanwhile, and each step can be interrupted and repeated.
package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

func main() { report.Main("moving", run) }

func run(ctx context.Context, w io.Writer, _ bool) error {
	p := report.Program{Name: "moving", Tables: keys.Tables()}
	p.Options.Clock = func() time.Time { return time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC) }
	p.Options.IndexLag = time.Millisecond // of a local engine
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, _ func() *dynastay.DB) error {
		m := &move{Mover: migrate.New(out.Client, migrate.Options{DB: out.Options}), client: out.Client}
		m.nights, m.stays, m.hosts, m.people = availability.New(m.DB), bookings.New(m.DB, nil), properties.New(m.DB, nil), users.New(m.DB, nil)
		m.said = reviews.New(m.DB, m.hosts, nil)
		for _, step := range []struct {
			title string
			do    func(context.Context, *report.Findings) error
		}{
			{"Other software has stored a hotel", func(ctx context.Context, _ *report.Findings) error { return m.DB.PutAll(ctx, stored) }},
			{"Its items are adopted", m.adopt("adopt")},
			{"A second adoption finds nothing to do", m.adopt("adopt again")},
			{"Keys, guards, cards, sums and ratings are verified", m.verify},
			{"A file of an older system: line 4 is wrong, so nothing is loaded", m.load(false)},
			{"The file is loaded without that line", m.load(true)},
			{"The file is loaded once more", m.load(true)},
			{"Other software takes a room without a booking, and a night differs", m.take},
			{"The night is mended", m.mend},
			{"What is held about Ada", m.export},
			{"Ada is erased", m.erase},
			{"What is held about Ada now", m.export},
		} {
			if err := out.Step(ctx, step.title, step.do); err != nil {
				return err
			}
		}
		return out.Total()
	})
}

// move is who moves in.
type move struct {
	*migrate.Mover
	client *dynamodb.Client // of the other software
	nights *availability.Repository
	stays  *bookings.Repository
	hosts  *properties.Repository
	people *users.Repository
	said   *reviews.Repository
}

type each = func(context.Context, dynastay.Row) (changed bool, err error)

// walk walks all tables, and prints what becomes of their items.
func (m *move) walk(ctx context.Context, name string, found *report.Findings, all []each) error {
	for i, table := range []*dynastay.Schema{keys.PropertiesTable, keys.AvailabilityTable, keys.BookingsTable, keys.UsersTable, keys.ReviewsTable} {
		walked, err := m.Walk(ctx, migrate.Walk{
			Name: name + " " + table.Name, Table: table, Each: all[i],
			Refused: func(key dynastay.Key, err error) { found.Add("%s: %v", key.PK, err) },
		})
		if err != nil {
			return err
		}
		found.Row(table.Name, walked.Walked, "walked,", walked.Changed, "changed,", walked.Refused, "refused")
	}
	return nil
}

func (m *move) adopt(name string) func(context.Context, *report.Findings) error {
	return func(ctx context.Context, found *report.Findings) error {
		return m.walk(ctx, name, found, []each{m.hosts.AdoptRow, m.nights.AdoptRow, m.stays.AdoptRow, m.people.AdoptRow, m.said.AdoptRow})
	}
}

func (m *move) verify(ctx context.Context, found *report.Findings) error {
	err := m.walk(ctx, "verify", found, []each{m.hosts.VerifyRow, m.nights.VerifyRow, m.stays.VerifyRow, m.people.VerifyRow, m.said.VerifyRow})
	return errors.Join(err, m.said.VerifyRating(ctx, "harbour"), m.stays.VerifyNights(ctx, "harbour", july))
}

var july = dynastay.MustStay("2037-07-01", "2037-08-01")

func (m *move) load(skip bool) func(context.Context, *report.Findings) error {
	return func(ctx context.Context, found *report.Findings) error {
		loaded, err := m.Load(ctx, migrate.Load{
			Name: "bookings", Lines: migrate.Bookings(m.stays, m.hosts), CSV: true, SkipInvalid: skip,
			Open:    func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file)), nil },
			Refused: func(line migrate.LineError) { found.Add("%v", line) },
		})
		var invalid *migrate.InvalidLinesError
		if errors.As(err, &invalid) {
			for _, line := range invalid.Lines {
				found.Add("%v", line)
			}
			return nil
		}
		found.Row(loaded.Lines, "lines:", loaded.Written, "written,", loaded.There, "already there,", loaded.Refused, "refused")
		if err != nil {
			return err // the same load goes on where it was
		}
		return m.Forget(ctx, "bookings") // or a second load would have nothing to do
	}
}

// take takes a room as other software does, and looks.
func (m *move) take(ctx context.Context, found *report.Findings) error {
	night, err := availability.NightRef("double", dynastay.MustDate("2037-07-13"))
	if err != nil {
		return err
	}
	if _, err := m.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(m.DB.TableName(keys.AvailabilityTable)), Key: keys.AvailabilityTable.Key.Of(night.Key),
		UpdateExpression:          aws.String("ADD AvailableRooms :less REMOVE WriteId"),
		ExpressionAttributeValues: dynastay.Item{":less": dynastay.Number(-1)},
	}); err != nil {
		return err
	}
	var different *bookings.NightsError
	if err := m.stays.VerifyNights(ctx, "harbour", july); !errors.As(err, &different) {
		return err
	}
	for _, night := range different.Nights {
		found.Add("%s", night)
	}
	return nil
}

func (m *move) mend(ctx context.Context, found *report.Findings) error {
	mended, err := m.stays.MendNights(ctx, "harbour", july)
	found.Row(len(mended), "night mended")
	return err
}

func (m *move) export(ctx context.Context, found *report.Findings) error {
	parts, err := migrate.OfUser("ada")
	if err != nil {
		return err
	}
	return m.Export(ctx, parts, func(e migrate.Exported) error { // or migrate.JSONLines(os.Stdout)
		row := dynastay.RowOf(e.Item)
		found.Row(e.Table, row.Text("PK"), row.Text("SK"))
		return nil
	})
}

func (m *move) erase(ctx context.Context, found *report.Findings) error {
	_, err := m.people.Erase(ctx, "ada", m.stays.Eraser(bookings.CancelUpcoming), m.said.Eraser(), m.hosts.Eraser())
	return err
}
