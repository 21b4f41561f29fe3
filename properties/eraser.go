package properties

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// Eraser keeps a user who owns properties from being erased. It deletes nothing. Before the erasure, give each of the
// user's properties another owner with [Repository.Update], and replace its Contact if that is the user's own, or
// delete it with [Repository.Delete]. Nothing else of a property says which user wrote it.
type Eraser struct{ r *Repository }

// Eraser returns the eraser of this repository. It sends no requests.
func (r *Repository) Eraser() *Eraser { return &Eraser{r} }

// OwnerError means that a user cannot be erased because of properties that the user owns.
type OwnerError struct {
	UserID      string
	PropertyIDs []string // in the order of [Repository.ByOwner]
}

// Error names the user and the properties.
func (e *OwnerError) Error() string {
	ids := make([]string, len(e.PropertyIDs))
	for i, id := range e.PropertyIDs {
		ids[i] = shown.Masked(id)
	}
	return fmt.Sprintf("cannot erase user %s, the owner of properties: %s", shown.Masked(e.UserID), strings.Join(ids, ", "))
}

// Is makes it match [dynastay.ErrRefused].
func (*OwnerError) Is(target error) bool { return target == dynastay.ErrRefused }

// Check returns an [*OwnerError] if the user owns properties, whatever their status: one that is being deleted counts
// until it is gone. The index by owner only shows which properties to read, so a property that was just created, or has
// just got its owner, may be missing: repeat Check later than the index may lag behind, see
// [dynastay.DB.AwaitIndexes]. 1 request, a Query of the index, and 1 for each further MB; then 1 consistent request for
// every 100 properties.
func (e *Eraser) Check(ctx context.Context, userID string) (err error) {
	ctx, end := e.r.db.Begin(ctx, "properties.Eraser.Check")
	defer func() { end(err) }()
	partition, err := keys.Partition(keys.PropertyByOwner{OwnerID: userID})
	if err != nil {
		return renamed("UserID", err)
	}
	rows, err := dynastay.QueryAll(ctx, e.r.db, keys.PropertiesTable, dynastay.Query{
		Index: keys.OwnerIndex, Partition: partition,
	})
	if err != nil {
		return err
	}
	at := make([]dynastay.Key, len(rows))
	for i, row := range rows {
		at[i] = keys.PropertiesTable.Key.From(row)
	}
	if rows, err = e.r.db.GetAll(ctx, keys.PropertiesTable, at, dynastay.Consistent); err != nil {
		return err
	}
	no := &OwnerError{UserID: userID}
	for i, row := range rows {
		if row.Text("OwnerId") == userID {
			no.PropertyIDs = append(no.PropertyIDs, e.r.entity.IDOf(at[i]))
		}
	}
	if len(no.PropertyIDs) == 0 {
		return nil
	}
	return no
}

// Erase fails as Check does. Otherwise there is nothing to erase, and the result is empty. The requests of Check.
func (e *Eraser) Erase(ctx context.Context, userID string) (_ map[string]int, err error) {
	ctx, end := e.r.db.Begin(ctx, "properties.Eraser.Erase")
	defer func() { end(err) }()
	return map[string]int{}, e.Check(ctx, userID)
}
