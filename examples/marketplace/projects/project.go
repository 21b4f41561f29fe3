package projects

import (
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Status is the state of a project.
type Status string

// The statuses of a project.
const (
	Open       Status = "OPEN"
	InProgress Status = "IN_PROGRESS"
	Completed  Status = "COMPLETED"
	Cancelled  Status = "CANCELLED"
)

// Project is work that a buyer wants to have done.
type Project struct {
	ID          string
	BuyerID     string
	Title       string
	Description string
	Category    string
	Skills      []string
	Place       Place
	Budget      Budget
	Timeline    Timeline

	Status           Status
	Bids             int    // that are not withdrawn
	AcceptedBidID    string // from IN_PROGRESS on
	AcceptedWorkerID string
	CancelledBy      string // the id of the user who has cancelled it
	CancelReason     string

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int // 1 for a new project, incremented by every change but those of Bids
	WriteID   dynastay.WriteID
}

// Place is where the work is done.
type Place struct {
	Address   string
	Latitude  float64 // decimal degrees
	Longitude float64
}

// Budget is what the buyer expects to pay, in one currency. All bids are in that currency.
type Budget struct{ Min, Max dynastay.Money }

// Timeline is when the work should be done. Both dates are optional.
type Timeline struct {
	Start, End dynastay.Date
	Flexible   bool
}

const attrBids = "bidCount"

// maxSkills is the largest number of skills that a project asks for.
const maxSkills = 20

func declareProject(f *entity.Fields, p *Project) {
	f.Const("entityType", "PROJECT")
	f.String("projectId", &p.ID)
	f.String("buyerId", &p.BuyerID)
	f.String("title", &p.Title)
	f.String("description", &p.Description)
	f.String("category", &p.Category)
	f.Strings("skills", &p.Skills)
	f.Map("location", func(f *entity.Fields) {
		f.String("address", &p.Place.Address)
		f.Float("lat", &p.Place.Latitude)
		f.Float("lng", &p.Place.Longitude)
	})
	f.Map("budget", func(f *entity.Fields) {
		f.Money("min", "currency", &p.Budget.Min)
		f.Money("max", "currency", &p.Budget.Max)
	})
	f.Map("timeline", func(f *entity.Fields) {
		f.Date("startDate", &p.Timeline.Start)
		f.Date("endDate", &p.Timeline.End)
		f.Bool("flexible", &p.Timeline.Flexible)
	})
	entity.String(f, "status", &p.Status)
	f.Int(attrBids, &p.Bids)
	f.String("acceptedBidId", &p.AcceptedBidID)
	f.String("acceptedWorkerId", &p.AcceptedWorkerID)
	f.String("cancelledBy", &p.CancelledBy)
	f.String("cancelReason", &p.CancelReason)
	f.Time("createdAt", &p.CreatedAt)
	f.Time("updatedAt", &p.UpdatedAt)
	f.IfSet().Int("version", &p.Version)
	f.WriteID(keys.AttrWriteID, &p.WriteID)
}

func newProjects(shards key.Shards) *entity.Entity[Project] {
	return entity.New(entity.Spec[Project]{
		Name: "Project", Operations: "projects", Schema: keys.Table, Validate: (*Project).Validate,
		ID: "projectId", Prefix: "proj_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Kept:     []string{"buyerId", "status", "acceptedBidId", "acceptedWorkerId", "cancelledBy", "cancelReason"},
		Counters: []string{attrBids}, // so that workers who bid at the same time do not overtake each other
		Key:      func(p *Project) (dynastay.Key, error) { return key.Of(keys.Project{ProjectID: p.ID}) },
		IDOf:     func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "PROJECT#") },
		Codec:    entity.Declare(declareProject),
		Indexes: map[string]func(*Project) (dynastay.Key, error){
			keys.Index2: func(p *Project) (dynastay.Key, error) {
				return key.Of(keys.ProjectByStatus{
					Status: string(p.Status), Shard: shards.Of(p.ID), CreatedAt: p.CreatedAt, ProjectID: p.ID,
				})
			},
		},
	})
}

// Validate returns a [*dynastay.InvalidError] for an invalid project: without a title, a category or a budget, with a
// skill without a name or more than 20 skills, with dates in the wrong order, or with invalid coordinates. Texts are
// limited to [entity.MaxName] bytes, the description and the reason of a cancellation to [entity.MaxNote].
func (p *Project) Validate() error {
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Title", p.Title, entity.MaxName},
		{"Description", p.Description, entity.MaxNote},
		{"Category", p.Category, entity.MaxName},
		{"Place.Address", p.Place.Address, entity.MaxName},
		{"CancelReason", p.CancelReason, entity.MaxNote},
	} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	switch {
	case strings.TrimSpace(p.Title) == "":
		return dynastay.Invalid("Title", "is required")
	case strings.TrimSpace(p.Category) == "":
		return dynastay.Invalid("Category", "is required")
	case len(p.Skills) > maxSkills:
		return dynastay.Invalid("Skills", "must be at most %d, got %d", maxSkills, len(p.Skills))
	case !p.Timeline.End.IsZero() && p.Timeline.End.Before(p.Timeline.Start):
		return dynastay.Invalid("Timeline.End", "must not be before the start")
	}
	for i, skill := range p.Skills {
		field := "Skills[" + strconv.Itoa(i) + "]"
		if strings.TrimSpace(skill) == "" {
			return dynastay.Invalid(field, "is required")
		}
		if err := entity.CheckText(skill, entity.MaxName); err != nil {
			return dynastay.Within(field, err)
		}
	}
	if _, err := key.PlaceOf(p.Place.Latitude, p.Place.Longitude); err != nil {
		return dynastay.Within("Place", err)
	}
	return dynastay.Within("Budget", p.Budget.validate())
}

func (b Budget) validate() error {
	if err := b.Min.Validate(); err != nil {
		return dynastay.Within("Min", err)
	}
	if err := b.Max.Validate(); err != nil {
		return dynastay.Within("Max", err)
	}
	order, err := b.Min.Compare(b.Max)
	switch {
	case err != nil:
		return dynastay.Invalid("Max", "must be in %s, like Min; got %s", b.Min.Currency(), b.Max.Currency())
	case b.Min.Sign() < 0:
		return dynastay.Invalid("Min", "must not be negative")
	case order > 0:
		return dynastay.Invalid("Max", "must not be less than Min")
	}
	return nil
}
