package keys

import (
	"time"

	"github.com/dynastay/dynastay/keys/key"
)

// Project is the item of a project: PROJECT#{ProjectID} / METADATA.
type Project struct{ ProjectID string }

func (k *Project) Form(f *key.Form) {
	f.PK("PROJECT#", key.ID("ProjectID", &k.ProjectID))
	f.SK("METADATA")
}

// ProjectByStatus is the row of a [Project] in [Index2]: STATUS#{Status} / TIMESTAMP#{CreatedAt}#PROJECT#{ProjectID}.
type ProjectByStatus struct {
	Status    string
	Shard     int
	CreatedAt time.Time
	ProjectID string
}

func (k *ProjectByStatus) Form(f *key.Form) {
	f.PK("STATUS#", key.ID("Status", &k.Status), key.Shard("Shard", &k.Shard))
	f.SK("TIMESTAMP#", key.Instant("CreatedAt", &k.CreatedAt), "#PROJECT#", key.ID("ProjectID", &k.ProjectID))
}

// Bid is the item of a worker's bid for a project: PROJECT#{ProjectID} / BID#{WorkerID}.
type Bid struct{ ProjectID, WorkerID string }

func (k *Bid) Form(f *key.Form) {
	f.PK("PROJECT#", key.ID("ProjectID", &k.ProjectID))
	f.SK("BID#", key.ID("WorkerID", &k.WorkerID))
}

// BidByStatus is the row of a [Bid] in [Index2]: STATUS#{Status}#BID / TIMESTAMP#{CreatedAt}#BID#{BidID}.
type BidByStatus struct {
	Status    string
	Shard     int
	CreatedAt time.Time
	BidID     string
}

func (k *BidByStatus) Form(f *key.Form) {
	f.PK("STATUS#", key.ID("Status", &k.Status), "#BID", key.Shard("Shard", &k.Shard))
	f.SK("TIMESTAMP#", key.Instant("CreatedAt", &k.CreatedAt), "#BID#", key.ID("BidID", &k.BidID))
}

// Rejecting is the item of a project whose bids are still to be rejected: PROJECT#{ProjectID} / REJECTING.
type Rejecting struct{ ProjectID string }

func (k *Rejecting) Form(f *key.Form) {
	f.PK("PROJECT#", key.ID("ProjectID", &k.ProjectID))
	f.SK("REJECTING")
}

// RejectingByTime is the row of a [Rejecting] in [Index2]: STATUS#REJECTING / TIMESTAMP#{At}#REJECTING#{ProjectID}.
type RejectingByTime struct {
	At        time.Time
	ProjectID string
}

func (k *RejectingByTime) Form(f *key.Form) {
	f.PK("STATUS#REJECTING")
	f.SK("TIMESTAMP#", key.Instant("At", &k.At), "#REJECTING#", key.ID("ProjectID", &k.ProjectID))
}
