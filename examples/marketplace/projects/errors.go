package projects

import (
	"errors"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// StatusError means that the status of a project does not allow what was asked for. Nothing was written.
type StatusError struct {
	ProjectID string
	Status    Status // as it is
}

// Error returns the project and its status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("project %s is %s", e.ProjectID, e.Status)
}

// Is makes it match [dynastay.ErrRefused].
func (*StatusError) Is(target error) bool { return target == dynastay.ErrRefused }

// BidStatusError means that the status of a bid does not allow what was asked for. Nothing was written.
type BidStatusError struct {
	ProjectID, WorkerID string
	Status              BidStatus // as it is
}

// Error returns the bid and its status.
func (e *BidStatusError) Error() string {
	return fmt.Sprintf("the bid of %s for project %s is %s", e.WorkerID, e.ProjectID, e.Status)
}

// Is makes it match [dynastay.ErrRefused].
func (*BidStatusError) Is(target error) bool { return target == dynastay.ErrRefused }

// QuoteError means that the worker has changed the quote since the buyer saw it. Nothing was written. Show the buyer
// the new one.
type QuoteError struct {
	ProjectID, WorkerID string
	Seen, Now           dynastay.Money
}

// Error returns both quotes.
func (e *QuoteError) Error() string {
	return fmt.Sprintf("the bid of %s for project %s was %s and is now %s", e.WorkerID, e.ProjectID, e.Seen, e.Now)
}

// Is makes it match [dynastay.ErrRefused].
func (*QuoteError) Is(target error) bool { return target == dynastay.ErrRefused }

// errOtherIDs is about an item of other software.
var errOtherIDs = errors.New("the item must contain the ids of its key")

// usable fails for a project that other software has stored without what its keys consist of.
func (r *Repository) usable(at dynastay.Key, p *Project) error {
	_, err := key.Of(keys.UserProject{UserID: p.BuyerID, CreatedAt: p.CreatedAt, ProjectID: p.ID})
	return hasKey(r.project, at, p, err)
}

// usableBid is [Repository.usable] for bids.
func (r *Repository) usableBid(at dynastay.Key, b *Bid) error {
	_, err := key.Of(keys.BidByStatus{Status: string(b.Status), CreatedAt: b.CreatedAt, BidID: b.ID})
	return hasKey(r.bid, at, b, err)
}

func hasKey[T any](e *entity.Entity[T], at dynastay.Key, v *T, err error) error {
	if now, _ := e.Key(v); err == nil && now != at {
		err = errOtherIDs
	}
	if err != nil {
		return unusable(e, e.IDOf(at), err)
	}
	return nil
}

// unusable returns the error for what is stored, from one that would be about the caller's arguments.
func unusable[T any](e *entity.Entity[T], id string, err error) error {
	return &dynastay.Error{Entity: e.Name, ID: id, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
}
