package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// platform are the flags that say how the services use the tables. They must be those of the services.
type platform struct {
	account
	Prefix          string         `help:"What the names of the tables begin with." placeholder:"prod-"`
	Suffix          string         `help:"What the names of the tables end with, as --suffix=-v2."`
	Shards          map[string]int `help:"The shard counts that the services write with: bookings-status, bookings-check-in, bookings-hold, properties-type, properties-featured, properties-pending, reviews-pending." placeholder:"NAME=COUNT"`
	EmailSecretFile string         `help:"A file with users.Options.EmailSecret, byte for byte." type:"existingfile" placeholder:"FILE"`
	UnitsPerSecond  float64        `help:"How many read and write units may be consumed in a second. Default: any number."`
	Units           float64        `help:"How many may be consumed in all; then it stops, and goes on when it is called again, except that a dry run or a verification begins at the beginning. Default: any number."`
	Parallel        int            `help:"How many requests are sent at the same time." default:"8"`
}

// moving is what the commands work with.
type moving struct {
	*migrate.Mover
	nights *availability.Repository
	stays  *bookings.Repository
	hosts  *properties.Repository
	people *users.Repository
	said   *reviews.Repository
	arrive key.Shards
}

func (f platform) open(p *program) (*moving, error) {
	if f.UnitsPerSecond < 0 || f.Units < 0 || f.Parallel < 1 {
		return nil, errors.New("--units-per-second and --units must not be negative, and --parallel must be positive")
	}
	counts := maps.Clone(f.Shards)
	shards := func(name string) key.Shards {
		n := counts[name]
		delete(counts, name)
		return key.Shards{Write: n, Read: n}
	}
	stays := bookings.Options{StatusShards: shards("bookings-status"), CheckInShards: shards("bookings-check-in"), HoldShards: shards("bookings-hold")}
	hosts := properties.Options{TypeShards: shards("properties-type"), FeaturedShards: shards("properties-featured"), PendingShards: shards("properties-pending")}
	said := reviews.Options{PendingShards: shards("reviews-pending")}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		return nil, fmt.Errorf("--shards has an unknown name, %q", name)
	}
	for name, n := range f.Shards {
		if err := (key.Shards{Write: n, Read: n}).Validate(); err != nil {
			return nil, fmt.Errorf("--shards %s: %w", name, err)
		}
	}
	people := users.Options{}
	if f.EmailSecretFile != "" {
		var err error
		if people.EmailSecret, err = os.ReadFile(f.EmailSecretFile); err != nil {
			return nil, err
		}
		if len(people.EmailSecret) < 32 {
			return nil, errors.New("--email-secret-file must have at least 32 bytes")
		}
	}
	client, _, err := f.account.open(p.ctx)
	if err != nil {
		return nil, err
	}
	m := &moving{Mover: migrate.New(client, migrate.Options{
		DB: dynastay.Options{TablePrefix: f.Prefix, TableSuffix: f.Suffix, Parallel: f.Parallel}, UnitsPerSecond: f.UnitsPerSecond, Units: f.Units,
	}), arrive: stays.CheckInShards}
	m.nights, m.stays, m.hosts, m.people = availability.New(m.DB), bookings.New(m.DB, &stays), properties.New(m.DB, &hosts), users.New(m.DB, &people)
	m.said = reviews.New(m.DB, m.hosts, &said)
	return m, nil
}

// refusedError says how many items or lines were refused, which have been printed already.
func refusedError(n int, what string) error {
	switch n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("1 %s was refused", what)
	}
	return fmt.Errorf("%d %ss were refused", n, what)
}

// tableOrExport are the flags that say what a walk reads.
type tableOrExport struct {
	Segments int    `help:"How many parts of the table are walked at the same time." default:"4"`
	Export   string `help:"Read an export of the table to S3 instead of the table: the folder with manifest-summary.json, of a full export as DYNAMODB_JSON." type:"existingdir" placeholder:"FOLDER"`
}

func (f tableOrExport) read(w *migrate.Walk, parallel int) {
	if f.Export != "" {
		w.Export = os.DirFS(f.Export)
		return
	}
	w.Segments = min(f.Segments, parallel)
}

type adoptCommand struct {
	platform
	Kind string `arg:"" enum:"properties,nights,bookings,users,reviews" help:"properties, nights, bookings, users or reviews."`
	tableOrExport
	DryRun bool `help:"Read everything, and write nothing."`
}

// Run adopts the items of a table, and goes on where it was interrupted.
func (c adoptCommand) Run(p *program) error {
	m, err := c.open(p)
	if err != nil {
		return err
	}
	w := migrate.Walk{
		Name: "adopt-" + c.Kind, DryRun: c.DryRun, Table: tableOf[c.Kind],
		Each: map[string]each{"properties": m.hosts.AdoptRow, "nights": m.nights.AdoptRow, "bookings": m.stays.AdoptRow, "users": m.people.AdoptRow, "reviews": m.said.AdoptRow}[c.Kind],
	}
	if c.read(&w, c.Parallel); c.Export != "" {
		w.Name += "-export" // the table may have been walked
	}
	_, err = p.walk(m, w, "adopted")
	return err
}

type each = func(context.Context, dynastay.Row) (bool, error)

var tableOf = map[string]*dynastay.Schema{
	"properties": keys.PropertiesTable, "nights": keys.AvailabilityTable, "bookings": keys.BookingsTable, "users": keys.UsersTable,
	"reviews": keys.ReviewsTable, "sold": keys.PropertiesTable, "units": keys.PropertiesTable, "ratings": keys.PropertiesTable,
}

// walk walks a table, and prints what becomes of its items.
func (p *program) walk(m *moving, w migrate.Walk, changed string) (migrate.Report, error) {
	w.Refused = func(key dynastay.Key, err error) { fmt.Fprintf(p.out, "refused: %s: %v\n", key, err) }
	w.Progress = func(r migrate.Report) {
		fmt.Fprintf(p.out, "%d walked, %d %s, %d refused\n", r.Walked, r.Changed, changed, r.Refused)
	}
	report, err := m.Walk(p.ctx, w)
	if err != nil {
		return report, err
	}
	return report, refusedError(report.Refused, "item")
}

type verifyCommand struct {
	platform
	Kind string `arg:"" enum:"properties,nights,bookings,users,reviews,sold,units,ratings" help:"properties, nights, bookings, users or reviews; sold: the nights against the bookings; units: the plan of the units against the bookings; ratings: those of the properties against the reviews."`
	tableOrExport
	From string `help:"Of sold and units: the first night." placeholder:"DATE"`
	To   string `help:"Of sold and units: the date after the last night, at most 732 later." placeholder:"DATE"`
	Mend bool   `help:"Write what differs, if it follows from what is stored. Can be interrupted and called again. Then call verify without it, which also prints what a person must look at."`
}

// Run compares what is stored with what follows from it. It begins at the beginning, unless a mend was interrupted.
func (c verifyCommand) Run(p *program) error {
	nights, err := c.nights()
	if err != nil {
		return err
	}
	m, err := c.open(p)
	if err != nil {
		return err
	}
	w := migrate.Walk{Name: "mend-" + c.Kind, DryRun: !c.Mend, Table: tableOf[c.Kind]}
	if c.ofNights() { // other dates are another walk
		w.Name += "-" + c.From + "-" + c.To
	}
	if c.Mend {
		w.Each = m.mends(nights)[c.Kind]
	} else {
		w.Each = m.verifies(nights)[c.Kind]
	}
	c.read(&w, c.Parallel)
	report, err := p.walk(m, w, "mended")
	if c.Mend && report.Done() {
		err = errors.Join(err, m.Forget(p.ctx, w.Name))
	}
	return err
}

func (c verifyCommand) ofNights() bool { return c.Kind == "sold" || c.Kind == "units" }

// nights returns those of sold and units.
func (c verifyCommand) nights() (nights dynastay.Stay, err error) {
	if !c.ofNights() {
		if c.From != "" || c.To != "" {
			return nights, errors.New("--from and --to are for sold and units only")
		}
		return nights, nil
	}
	if nights, err = dynastay.ParseStay(c.From, c.To); err != nil {
		return nights, fmt.Errorf("--from and --to must be dates such as 2026-07-01: %w", err)
	}
	if nights.Nights() > 732 {
		return nights, errors.New("--to must be at most 732 nights after --from")
	}
	return nights, nil
}

func (m *moving) verifies(nights dynastay.Stay) map[string]each {
	return map[string]each{
		"properties": m.hosts.VerifyRow, "nights": m.nights.VerifyRow, "bookings": m.stays.VerifyRow, "users": m.people.VerifyRow, "reviews": m.said.VerifyRow,
		"sold": migrate.EachProperty(func(ctx context.Context, id string) (bool, error) {
			return false, m.stays.VerifyNights(ctx, id, nights)
		}),
		"units": migrate.EachProperty(func(ctx context.Context, id string) (bool, error) {
			return false, m.stays.VerifyUnits(ctx, id, nights)
		}),
		"ratings": migrate.EachProperty(func(ctx context.Context, id string) (bool, error) { return false, m.said.VerifyRating(ctx, id) }),
	}
}

func (m *moving) mends(nights dynastay.Stay) map[string]each {
	return map[string]each{
		"properties": m.hosts.MendRow, "nights": m.nights.MendRow, "bookings": m.stays.MendRow, "users": m.people.MendRow, "reviews": m.said.MendRow,
		"sold": migrate.EachProperty(func(ctx context.Context, id string) (bool, error) {
			mended, err := m.stays.MendNights(ctx, id, nights)
			return len(mended) > 0, err
		}),
		"units": migrate.EachProperty(func(ctx context.Context, id string) (bool, error) {
			mended, err := m.stays.MendUnits(ctx, id, nights)
			return len(mended) > 0, err
		}),
		"ratings": migrate.EachProperty(func(ctx context.Context, id string) (bool, error) {
			var different *entity.DifferentError
			if err := m.said.VerifyRating(ctx, id); !errors.As(err, &different) {
				return false, err
			}
			recount, err := m.said.RepairRating(ctx, id)
			return recount.Changed, err
		}),
	}
}

type loadCommand struct {
	platform
	Kind        string `arg:"" enum:"properties,room-types,nights,night-changes,users,bookings,reviews" help:"properties, room-types, nights, night-changes, users, bookings or reviews: see docs/moving.md."`
	File        string `arg:"" type:"existingfile" help:"A file with JSON Lines, or with comma-separated values if its name ends with .csv."`
	Name        string `help:"The name under which is stored how far it has come. Default: load- and the kind." placeholder:"NAME"`
	SkipInvalid bool   `help:"Load the other lines of a file that has invalid ones."`
	DryRun      bool   `help:"Check all lines, and write nothing."`
}

// Run loads a file, and goes on where it was interrupted.
func (c loadCommand) Run(p *program) error {
	m, err := c.open(p)
	if err != nil {
		return err
	}
	lines := map[string]func() migrate.Lines{
		"properties":    func() migrate.Lines { return migrate.Properties(m.hosts) },
		"room-types":    func() migrate.Lines { return migrate.RoomTypes(m.hosts) },
		"nights":        func() migrate.Lines { return migrate.Nights(m.nights) },
		"night-changes": func() migrate.Lines { return migrate.NightChanges(m.nights) },
		"users":         func() migrate.Lines { return migrate.Users(m.people) },
		"bookings":      func() migrate.Lines { return migrate.Bookings(m.stays, m.hosts) },
		"reviews":       func() migrate.Lines { return migrate.Reviews(m.said) },
	}[c.Kind]()
	loaded, err := m.Load(p.ctx, migrate.Load{
		Name: cmp.Or(c.Name, "load-"+c.Kind), Lines: lines, CSV: strings.EqualFold(filepath.Ext(c.File), ".csv"),
		Open:        func() (io.ReadCloser, error) { return os.Open(c.File) },
		SkipInvalid: c.SkipInvalid, DryRun: c.DryRun,
		Refused:  func(l migrate.LineError) { fmt.Fprintf(p.out, "refused: %v\n", l) },
		Progress: func(l migrate.Loaded) { fmt.Fprintf(p.out, "%s\n", loadedText(l)) },
	})
	var invalid *migrate.InvalidLinesError
	switch {
	case errors.As(err, &invalid):
		for _, line := range invalid.Lines {
			fmt.Fprintf(p.out, "invalid: %v\n", line)
		}
		return fmt.Errorf("nothing was loaded, invalid lines: %d", invalid.Count)
	case err != nil:
		return err
	}
	if c.DryRun {
		fmt.Fprintf(p.out, "%d lines, %d invalid\n", loaded.Lines, loaded.Refused)
	}
	return refusedError(loaded.Refused, "line")
}

func loadedText(l migrate.Loaded) string {
	return fmt.Sprintf("%d lines: %d written, %d already there, %d refused", l.Lines, l.Written, l.There, l.Refused)
}

type exportCommand struct {
	platform
	What string `arg:"" enum:"user,property,arrivals" help:"user, property or arrivals."`
	ID   string `arg:"" help:"The id of the user or the property, or the date of the arrivals."`
	From string `help:"Of a property: the first night." placeholder:"DATE"`
	To   string `help:"Of a property: the date after the last night." placeholder:"DATE"`
	CSV  bool   `help:"Write comma-separated values instead of JSON Lines."`
}

// Run writes what is stored.
func (c exportCommand) Run(p *program) error {
	m, err := c.open(p)
	if err != nil {
		return err
	}
	parts, err := c.parts(m)
	if err != nil {
		return err
	}
	if !c.CSV {
		return m.Export(p.ctx, parts, migrate.JSONLines(p.out))
	}
	var all []migrate.Exported
	err = m.Export(p.ctx, parts, func(e migrate.Exported) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		return err
	}
	return migrate.WriteCSV(p.out, all)
}

func (c exportCommand) parts(m *moving) ([]migrate.Part, error) {
	switch c.What {
	case "user":
		return migrate.OfUser(c.ID)
	case "property":
		nights, err := dynastay.ParseStay(c.From, c.To)
		if err != nil {
			return nil, fmt.Errorf("--from and --to must be dates such as 2026-07-01: %w", err)
		}
		return migrate.OfProperty(c.ID, nights)
	}
	date, err := dynastay.ParseDate(c.ID)
	if err != nil {
		return nil, err
	}
	return migrate.OfArrivals(date, m.arrive)
}

type forgetCommand struct {
	platform
	Name string `arg:"" help:"The name of a load or an adoption, such as load-bookings or adopt-users."`
}

// Run forgets how far a load or an adoption has come, so that the next one begins at the beginning.
func (c forgetCommand) Run(p *program) error {
	m, err := c.open(p)
	if err != nil {
		return err
	}
	return m.Forget(p.ctx, c.Name)
}
