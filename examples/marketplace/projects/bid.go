package projects

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// BidStatus is the state of a bid.
type BidStatus string

// The statuses of a bid.
const (
	Pending   BidStatus = "PENDING"
	Accepted  BidStatus = "ACCEPTED"
	Rejected  BidStatus = "REJECTED"
	Withdrawn BidStatus = "WITHDRAWN"
)

// Bid is the offer of a worker to do a project. A worker has one bid for a project.
type Bid struct {
	ID        string
	ProjectID string
	WorkerID  string

	// The name and the score of the worker when the bid was made. They do not follow the profile.
	WorkerName       string
	WorkerTrustScore dynastay.Rating

	Quote    dynastay.Money // in the currency of the project's budget
	Start    dynastay.Date  // optional
	Duration int            // of the work, in Unit; optional
	Unit     Unit           // required with a Duration
	Proposal string

	Status    BidStatus
	CreatedAt time.Time // of the first bid of the worker for the project
	UpdatedAt time.Time
	Version   int
	WriteID   dynastay.WriteID
}

// Unit is a unit of time.
type Unit string

// The units.
const (
	Days   Unit = "days"
	Weeks  Unit = "weeks"
	Months Unit = "months"
)

func newBids(shards key.Shards) *entity.Entity[Bid] {
	return entity.New(entity.Spec[Bid]{
		Name: "Bid", Operations: "projects", Schema: keys.Table, Validate: (*Bid).Validate,
		ID: "bidId", Prefix: "bid_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Kept: []string{"projectId", "workerId", "workerName", "workerTrustScore", "status"},
		Key: func(b *Bid) (dynastay.Key, error) {
			return key.Of(keys.Bid{ProjectID: b.ProjectID, WorkerID: b.WorkerID})
		},
		IDOf: func(at dynastay.Key) string {
			return strings.TrimPrefix(at.SK, "BID#") + " for " + strings.TrimPrefix(at.PK, "PROJECT#")
		},
		Codec: entity.Declare(func(f *entity.Fields, b *Bid) {
			f.Const("entityType", "BID")
			f.String("bidId", &b.ID)
			f.String("projectId", &b.ProjectID)
			f.String("workerId", &b.WorkerID)
			f.String("workerName", &b.WorkerName)
			f.IfSet().Rating("workerTrustScore", &b.WorkerTrustScore)
			f.Money("quote", "currency", &b.Quote)
			f.Map("timeline", func(f *entity.Fields) {
				f.Date("startDate", &b.Start)
				f.IfSet().Int("duration", &b.Duration)
				entity.String(f, "unit", &b.Unit)
			})
			f.String("proposal", &b.Proposal)
			entity.String(f, "status", &b.Status)
			f.Time("createdAt", &b.CreatedAt)
			f.Time("updatedAt", &b.UpdatedAt)
			f.IfSet().Int("version", &b.Version)
			f.WriteID(keys.AttrWriteID, &b.WriteID)
		}),
		Indexes: map[string]func(*Bid) (dynastay.Key, error){
			keys.Index2: func(b *Bid) (dynastay.Key, error) {
				return key.Of(keys.BidByStatus{
					Status: string(b.Status), Shard: shards.Of(b.ID), CreatedAt: b.CreatedAt, BidID: b.ID,
				})
			},
		},
	})
}

// Validate returns a [*dynastay.InvalidError] for an invalid bid: without a positive quote, or with a
// duration without a unit. The proposal is limited to [entity.MaxNote] bytes.
func (b *Bid) Validate() error {
	if err := b.Quote.Validate(); err != nil {
		return dynastay.Within("Quote", err)
	}
	switch {
	case b.Quote.Sign() <= 0:
		return dynastay.Invalid("Quote", "must be positive")
	case b.Duration < 0:
		return dynastay.Invalid("Duration", "must not be negative")
	case b.Duration > 0 && b.Unit != Days && b.Unit != Weeks && b.Unit != Months:
		return dynastay.Invalid("Unit", "must be days, weeks or months")
	case b.Duration == 0 && b.Unit != "":
		return dynastay.Invalid("Duration", "is required with a unit")
	}
	return dynastay.Within("Proposal", entity.CheckText(b.Proposal, entity.MaxNote))
}

// settled returns the status of a bid, given its project as it was read after the bid: a bid has lost from the moment
// that the project is no longer open, even if that is not stored yet.
func (b *Bid) settled(p *Project) BidStatus {
	switch {
	case b.Status != Pending || p.Status == Open:
		return b.Status
	case b.WorkerID == p.AcceptedWorkerID, p.AcceptedWorkerID == "" && b.ID != "" && b.ID == p.AcceptedBidID:
		return Accepted // accepted between the two reads
	}
	return Rejected
}
