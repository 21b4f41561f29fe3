package projects

import (
	"fmt"

	"github.com/dynastay/dynastay"
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

// BidStatusError means that the status of a bid does not allow what was asked for. Nothing was written.
type BidStatusError struct {
	ProjectID, WorkerID string
	Status              BidStatus // as it is
}

// Error returns the bid and its status.
func (e *BidStatusError) Error() string {
	return fmt.Sprintf("the bid of %s for project %s is %s", e.WorkerID, e.ProjectID, e.Status)
}

// QuoteError means that the worker has changed the quote since the buyer saw it. Nothing was written. Show the buyer the
// new one.
type QuoteError struct {
	ProjectID, WorkerID string
	Seen, Now           dynastay.Money
}

// Error returns both quotes.
func (e *QuoteError) Error() string {
	return fmt.Sprintf("the bid of %s for project %s was %s and is now %s", e.WorkerID, e.ProjectID, e.Seen, e.Now)
}
