package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/examples/report"
)

// The users.
const (
	ana    = "user_ana"
	ben    = "user_ben"
	mike   = "user_mike"
	thandi = "user_thandi"
	sipho  = "user_sipho"
	sarah  = "user_sarah"
)

// story holds the repositories, and what one step leaves for the next.
type story struct {
	people   *people.Repository
	projects *projects.Repository
	others   *projects.Repository // those of another process
	shop     *shop.Repository
	messages *messages.Repository
	reviews  *reviews.Repository

	now     time.Time
	project *projects.Project
	bricks  *shop.Product
	order   *shop.Order
}

func (s *story) month(ctx context.Context, out *report.Report) error {
	for _, step := range []struct {
		title string
		do    func(context.Context, *report.Findings) error
	}{
		{"Two buyers, three workers and a seller sign up", s.signUp},
		{"Somebody signs up with Mike's phone number", s.taken},
		{"Ana looks for bricklayers within 25 km", s.search},
		{"She posts the job", s.post},
		{"All three workers bid", s.bid},
		{"Ana asks Mike, and he answers", s.ask},
		{"She accepts, and Mike changes his quote at the same moment", s.accept},
		{"The other bids have lost, although that is not stored yet", s.lost},
		{"Another process finds what is left to do, and does it", s.reject},
		{"Sarah offers bricks", s.offer},
		{"Ana orders bricks, and so does Ben", s.buy},
		{"Ben is content with what is left, and changes his mind", s.cancel},
		{"Ana's bricks are delivered", s.deliver},
		{"The foundation is completed", s.complete},
		{"Ana and Mike review each other, and Ana reviews Sarah", s.review},
		{"What Ana and Mike see of it later", s.look},
		{"Everything adds up", s.check},
	} {
		s.now = s.now.Add(time.Hour)
		if err := out.Step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return out.Total()
}

func zar(amount string) dynastay.Money { return dynastay.MustMoney(amount, "ZAR") }

var users = []people.Profile{
	{ID: ana, Role: people.Buyer, Name: "Ana Dlamini", Email: "ana@example.com", Phone: "+27812345678", Location: place("Estcourt", 0, 0)},
	{ID: ben, Role: people.Buyer, Name: "Ben Nkosi", Email: "ben@example.com", Location: place("Estcourt", 0.01, 0)},
	{
		ID: mike, Role: people.Worker, Name: "Mike Builder", Phone: "+27823456789", Location: place("Estcourt", 0.02, 0.01),
		Work: people.Work{Skills: []string{"Bricklaying", "plastering", "painting"}, Bio: "10 years of houses"},
	},
	{
		ID: thandi, Role: people.Worker, Name: "Thandi Zulu", Phone: "+27834567890", Location: place("Winterton", 0.1, -0.15),
		Work: people.Work{Skills: []string{"brick-laying", "foundation"}},
	},
	{
		ID: sipho, Role: people.Worker, Name: "Sipho Ndlovu", Location: place("Ladysmith", 0.45, -0.1),
		Work: people.Work{Skills: []string{"bricklaying"}},
	},
	{
		ID: sarah, Role: people.Seller, Email: "sarah@example.com", Location: place("Estcourt", 0.005, 0.005),
		Shop: people.Shop{BusinessName: "Estcourt Building Supplies", Contact: "Sarah Smith", Delivers: true, Radius: 50, FreeOver: zar("5000")},
	},
}

// place returns a place north and east of Ana's, in degrees.
func place(city string, north, east float64) people.Location {
	return people.Location{City: city, Province: "KZN", Latitude: -29.0089 + north, Longitude: 29.8728 + east}
}

func (s *story) signUp(ctx context.Context, found *report.Findings) error {
	for _, p := range users {
		made, err := s.people.SignUp(ctx, p)
		if err != nil {
			return err
		}
		found.Add("%-6s  %s", made.Role, made.DisplayName())
	}
	return nil
}

func (s *story) taken(ctx context.Context, found *report.Findings) error {
	_, err := s.people.SignUp(ctx, people.Profile{
		Role: people.Worker, Name: "M. Builder", Phone: "+27823456789", Location: place("Estcourt", 0, 0),
	})
	var taken *dynastay.Error
	if !errors.As(err, &taken) || !errors.Is(err, dynastay.ErrAlreadyExists) {
		return fmt.Errorf("two users have one phone number: %w", err)
	}
	found.Add("%s %v", taken.Field, taken.Kind)
	return nil
}

func (s *story) search(ctx context.Context, found *report.Findings) error {
	near, err := s.people.Near(ctx, people.NearQuery{
		Role: people.Worker, Latitude: users[0].Location.Latitude, Longitude: users[0].Location.Longitude, Radius: 25_000,
		Skills: []string{"bricklaying"},
	})
	for _, w := range near {
		found.Add("%4.1f km  %s (%s)", w.Distance/1000, w.Name, strings.Join(w.Work.Skills, ", "))
	}
	return err
}

func (s *story) post(ctx context.Context, found *report.Findings) (err error) {
	s.project, err = s.projects.Post(ctx, projects.Project{
		BuyerID: ana, Title: "Build a foundation for a house", Category: "Construction", Skills: []string{"bricklaying", "foundation"},
		Place:    projects.Place{Address: "Plot 45, Estcourt", Latitude: -29.012, Longitude: 29.87},
		Budget:   projects.Budget{Min: zar("50000"), Max: zar("80000")},
		Timeline: projects.Timeline{Start: dynastay.MustDate("2037-02-01"), End: dynastay.MustDate("2037-03-15"), Flexible: true},
	})
	if err == nil {
		found.Add("%s, %s to %s", s.project.Status, s.project.Budget.Min, s.project.Budget.Max)
	}
	return err
}

func (s *story) bid(ctx context.Context, found *report.Findings) error {
	for _, b := range []projects.Bid{
		{WorkerID: mike, Quote: zar("65000"), Duration: 35, Unit: projects.Days, Proposal: "I have built ten of them."},
		{WorkerID: thandi, Quote: zar("72000"), Duration: 4, Unit: projects.Weeks},
		{WorkerID: sipho, Quote: zar("59500")},
	} {
		b.ProjectID = s.project.ID
		made, err := s.projects.Bid(ctx, b)
		if err != nil {
			return err
		}
		found.Add("%-12s %s", made.WorkerName, made.Quote)
	}
	return nil
}

func (s *story) ask(ctx context.Context, found *report.Findings) error {
	send := func(from, to, text string) error {
		_, err := s.messages.Send(ctx, messages.Message{SenderID: from, RecipientID: to, ProjectID: s.project.ID, Content: text})
		return err
	}
	for _, text := range []string{"Can you start on February 5th?", "Or on the 6th?"} {
		if err := send(ana, mike, text); err != nil {
			return err
		}
	}
	inbox, err := s.messages.Inbox(mike).Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, c := range inbox.Items {
		found.Add("Mike has %d unread messages, the last one is %q", c.Unread(), c.LastText)
		if err := s.messages.MarkRead(ctx, mike, c.OtherID, c.Received); err != nil {
			return err
		}
	}
	if err := send(mike, ana, "On the 6th."); err != nil {
		return err
	}
	sides := map[string]*messages.Conversation{}
	for user, other := range map[string]string{ana: mike, mike: ana} {
		if sides[user], err = s.messages.Conversation(ctx, user, other); err != nil {
			return err
		}
	}
	for m, err := range s.messages.Messages(ana, mike).All(ctx) {
		if err != nil {
			return err
		}
		read := map[bool]string{true: "read", false: "not read"}[m.ReadBy(sides[m.RecipientID])]
		found.Add("%s: %s (%s)", strings.TrimPrefix(m.SenderID, "user_"), m.Content, read)
	}
	return nil
}

func (s *story) accept(ctx context.Context, found *report.Findings) error {
	seen := projects.Acceptance{ProjectID: s.project.ID, WorkerID: mike, Quote: zar("65000")}
	_, err := s.others.Revise(ctx, s.project.ID, mike, func(b *projects.Bid) error { b.Quote = zar("66500"); return nil })
	if err != nil {
		return err
	}
	_, err = s.projects.Accept(ctx, seen)
	var changed *projects.QuoteError
	if !errors.As(err, &changed) {
		return fmt.Errorf("a quote was accepted that Ana has not seen: %w", err)
	}
	found.Add("refused: the quote was %s and is now %s", changed.Seen, changed.Now)
	seen.Quote = changed.Now
	if s.project, err = s.projects.Accept(ctx, seen, dynastay.IdempotencyKey("Ana accepts")); err == nil {
		found.Add("%s with %s", s.project.Status, strings.TrimPrefix(s.project.AcceptedWorkerID, "user_"))
	}
	return err
}

func (s *story) lost(ctx context.Context, found *report.Findings) error {
	for b, err := range s.projects.Bids(s.project.ID).All(ctx) {
		if err != nil {
			return err
		}
		found.Add("%-12s %s", b.WorkerName, b.Status)
	}
	pending := 0
	for _, err := range s.projects.BidsByStatus(projects.Pending).All(ctx) {
		if err != nil {
			return err
		}
		pending++
	}
	found.Add("%d are stored as PENDING", pending)
	return nil
}

func (s *story) reject(ctx context.Context, found *report.Findings) error {
	for r, err := range s.others.Rejecting().All(ctx) {
		if err != nil {
			return err
		}
		n, err := s.others.RejectRest(ctx, r.ProjectID)
		if err != nil {
			return err
		}
		found.Add("%d bids rejected", n)
	}
	return nil
}
