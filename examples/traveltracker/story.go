package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/regions/reference"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

const ana = "user_ana"

// story holds the devices and what one step leaves for the next.
type story struct {
	repo          *tracker.Repository
	regions       *regions.Repository
	now           time.Time
	colours       bool
	phone, tablet *device
	waiting       string // an operation
}

func (s *story) summer(ctx context.Context, out *report.Report) error {
	s.phone = &device{id: "phone", visits: map[tracker.VisitID]*tracker.Visit{}}
	s.tablet = &device{id: "tablet", visits: map[tracker.VisitID]*tracker.Visit{}}
	for _, step := range []struct {
		title string
		do    func(context.Context, *report.Findings) error
	}{
		{"The regions of the world are loaded", s.load},
		{"Ana signs up", s.signUp},
		{"Offline, she marks where she has been; then the phone is online", s.mark},
		{"The answer was lost, so the phone sends everything again", s.again},
		{"The tablet is new, and begins with a snapshot", s.begin},
		{"Both change six visits offline; the phone is online first", s.diverge},
		{"The tablet, two hours slow, pushes one of them under each rule", s.conflict},
		{"Ana decides about the one that waits", s.decide},
		{"Both read what they do not have yet", s.agree},
		{"She looks for Korea, and at the map around Fiji", s.search},
		{"Her progress, calculated once today", s.progress},
		{"It is asked for again", s.cached},
		{"The counters are compared with a recount", s.recount},
		{"Ana leaves, while her phone still has something to send", s.leave},
	} {
		s.now = s.now.Add(10 * time.Minute)
		if err := out.Step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return out.Total()
}

func (s *story) load(ctx context.Context, found *report.Findings) error {
	n, err := s.regions.Load(ctx, reference.Regions())
	found.Add("%d regions", n)
	return err
}

func (s *story) signUp(ctx context.Context, found *report.Findings) error {
	p := tracker.Profile{ID: ana, AuthProvider: "apple", AuthProviderID: "001234.abcd", Email: "Ana@Example.com", DisplayName: "Ana"}
	made, err := s.repo.SignUp(ctx, p)
	if err != nil {
		return err
	}
	found.Add("%s, version %d", made.Email, made.Version)
	p.ID, p.Email = "", ""
	if _, err = s.repo.SignUp(ctx, p); !errors.Is(err, dynastay.ErrAlreadyExists) {
		return fmt.Errorf("her other device has signed up too: %w", err)
	}
	var refused *dynastay.Error
	if errors.As(err, &refused) {
		found.Add("her other device, at the same moment: %s %v", refused.Field, refused.Kind)
	}
	return nil
}

// visited are the countries that Ana marks, and the states.
var visited = []string{
	"IT", "FR", "ES", "PT", "CH", "AT", "DE", "GR", "GB", "IS", "EG", "MA", "JP", "KR", "TH", "VN", "FJ", "NZ", "CA", "US", "PE", "CL",
}

func (s *story) mark(ctx context.Context, found *report.Findings) error {
	batch := tracker.Operation{Type: tracker.BatchCreate}
	for i, code := range visited {
		batch.Batch = append(batch.Batch, tracker.NewVisit{
			Visit: tracker.VisitID{RegionType: regions.Country, RegionCode: code, MarkedAt: s.now.Add(time.Duration(i) * time.Second)},
			Place: tracker.VisitEdit{VisitedDate: of(dynastay.MustDate("2037-08-01").AddDays(i - i%3))},
		})
	}
	s.phone.do(s, batch)
	for _, code := range []string{"CA", "NY"} {
		s.phone.do(s, tracker.Operation{Type: tracker.Create, Visit: tracker.VisitID{RegionType: regions.USState, RegionCode: code, MarkedAt: s.now}})
	}
	results, err := s.phone.push(ctx, s, tracker.ServerWins)
	for _, r := range results {
		found.Add("%-9s %s, %d visits", r.OperationID, r.Outcome, max(1, len(r.Parts)))
	}
	return err
}

func of[V any](v V) *V { return &v }

func (s *story) again(ctx context.Context, found *report.Findings) error {
	for id := range s.phone.visits {
		if id.RegionType == regions.USState {
			s.phone.queue = append(s.phone.queue, tracker.Operation{
				ID: map[string]string{"CA": "phone-2", "NY": "phone-3"}[id.RegionCode], Type: tracker.Create, Visit: id,
				ClientTime: s.now.Add(-10 * time.Minute),
			})
		}
	}
	results, err := s.phone.push(ctx, s, tracker.ServerWins)
	for _, r := range results {
		if r.Outcome != tracker.AlreadyApplied {
			return fmt.Errorf("%s was applied twice", r.OperationID)
		}
	}
	found.Add("%d operations, %s", len(results), tracker.AlreadyApplied)
	return err
}

func (s *story) begin(ctx context.Context, found *report.Findings) error {
	what, err := s.tablet.pull(ctx, s)
	found.Add("%s", what)
	return err
}

// contested are the visits that both devices change, each under a rule.
var contested = []struct {
	code string
	rule tracker.Rule
	what string
}{
	{"IT", tracker.ServerWins, "server wins"},
	{"FR", tracker.ClientWins, "client wins"},
	{"ES", tracker.LastWriter, "last writer"},
	{"PT", tracker.MergeFields, "merge"},
	{"CH", tracker.Decide(longer), "a function"},
	{"AT", tracker.Decide(func(*tracker.Conflict) tracker.Decision { return tracker.Ask() }), "ask Ana"},
}

// longer takes the longer notes.
func longer(c *tracker.Conflict) tracker.Decision {
	if n := c.VisitEdit.Notes; n != nil && len(*n) > len(c.Visit.Notes) {
		return tracker.TakeClient()
	}
	return tracker.KeepServer()
}

func (d *device) visitOf(code string) tracker.VisitID {
	for id := range d.visits {
		if id.RegionType == regions.Country && id.RegionCode == code {
			return id
		}
	}
	panic(d.id + " has no visit of " + code)
}

func (s *story) diverge(ctx context.Context, found *report.Findings) error {
	s.tablet.fast = -2 * time.Hour
	for _, c := range contested {
		s.phone.do(s, tracker.Operation{
			Type: tracker.Update, Visit: s.phone.visitOf(c.code), Place: tracker.VisitEdit{Notes: of("from the phone")},
		})
	}
	s.phone.do(s, tracker.Operation{Type: tracker.Delete, Visit: s.phone.visitOf("DE")})
	results, err := s.phone.push(ctx, s, tracker.ServerWins)
	found.Add("%d operations, all %s", len(results), results[len(results)-1].Outcome)
	return err
}

func (s *story) conflict(ctx context.Context, found *report.Findings) error {
	for _, c := range contested {
		s.tablet.do(s, tracker.Operation{Type: tracker.Update, Visit: s.tablet.visitOf(c.code), Place: tracker.VisitEdit{
			Notes: of("from the tablet"), VisitedDate: of(dynastay.MustDate("2037-07-31")),
		}})
		results, err := s.tablet.push(ctx, s, c.rule)
		if err != nil {
			return err
		}
		r := results[0]
		found.Add("%s  %-12s %-9s %q, visited on %s", c.code, c.what, r.Outcome, r.Visit.Notes, r.Visit.VisitedDate)
		if r.Outcome == tracker.Waiting {
			s.waiting = r.OperationID
		}
	}
	s.tablet.fast = 48 * time.Hour // which counts at most as the time when the push arrives
	s.tablet.do(s, tracker.Operation{Type: tracker.Update, Visit: s.tablet.visitOf("DE"), Place: tracker.VisitEdit{Notes: of("Berlin!")}})
	results, err := s.tablet.push(ctx, s, tracker.LastWriter)
	if err == nil {
		found.Add("DE  %-12s %-9s %q, which the phone had deleted, by a clock two days fast", "last writer", results[0].Outcome, results[0].Visit.Notes)
	}
	return err
}

func (s *story) decide(ctx context.Context, found *report.Findings) error {
	page, err := s.repo.Pending(ana).Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, e := range page.Items {
		found.Add("%s of %s waits since %s", e.OperationID, e.DeviceID, e.At.Format("15:04"))
	}
	r, err := s.repo.Settle(ctx, ana, s.waiting, tracker.Decide(func(*tracker.Conflict) tracker.Decision {
		return tracker.TakeFields(tracker.VisitedDate)
	}))
	if err != nil {
		return err
	}
	found.Add("she takes the date: %q, visited on %s", r.Visit.Notes, r.Visit.VisitedDate)
	return nil
}

func (s *story) agree(ctx context.Context, found *report.Findings) error {
	for _, d := range []*device{s.phone, s.tablet} {
		what, err := d.pull(ctx, s)
		if err != nil {
			return err
		}
		found.Add("%s", what)
	}
	if s.phone.String() != s.tablet.String() {
		return fmt.Errorf("the devices differ:\n%s\n\n%s", s.phone, s.tablet)
	}
	found.Add("both have the same %d visits", len(s.phone.visits))
	return nil
}
