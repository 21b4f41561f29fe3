package dynastay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// List is a list that a repository returns. It represents the query, not its result: it sends no requests until a
// page is read, can be read any number of times, and is safe for concurrent use. If the arguments that it was made with
// are invalid, every page returns that error. The zero List has no items.
//
//	page, err := repo.ByUser(userID).Page(ctx, dynastay.Paging{Limit: 20})
//
//	for booking, err := range repo.ByUser(userID).All(ctx) { … }
//
// # Items that cannot be read
//
// A stored item that does not have the expected form does not hide the others. Page then returns a page together with
// an [*UnreadableError], which matches [ErrCorrupt] and names each such item. The page contains the other items, and
// its Next is valid. With any other error, the page is empty.
type List[T any] struct {
	rows
	load func(context.Context, Paging) ([]entry[T], Cursor, int, error)
	keep []func(T) bool
}

// rows are what a list reads, before it is decoded. Everything that does not need the type of the items is done by rows,
// because Go compiles the methods of a List once for each type in each package that has one.
type rows struct {
	err      error
	lanes    []lane
	meets    [][]lane // of an intersection or union: the lanes of each list
	any      bool     // a union
	loaded   bool     // by Load, from other lists
	filtered bool
}

// UnreadableError lists the items of a page that could not be read. It matches [ErrCorrupt].
type UnreadableError struct {
	Items []error // one for each item, usually an [*Error] with its entity, id and attribute
}

// Error returns the errors of all items.
func (e *UnreadableError) Error() string {
	texts := make([]string, len(e.Items))
	for i, err := range e.Items {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors of the items.
func (e *UnreadableError) Unwrap() []error { return e.Items }

// List returns the list of the rows that a query finds, each decoded by decode. For whole entities, the List method of
// their table is shorter.
//
// An error from decode is taken as an error of its row, and is wrapped to match [ErrCorrupt] if it does not already.
// Decode may send requests of its own, with the page's context; if it returns an [*Error] that does not match
// ErrCorrupt, the page fails with it.
func ListOf[T any](db *DB, s *Schema, q Query, decode func(context.Context, Row) (T, error)) List[T] {
	return List[T]{rows: rows{lanes: lanesOf(db, s, q, decode)}}
}

// NoList returns a list for invalid arguments: every page fails with err.
func NoList[T any](err error) List[T] { return List[T]{rows: rows{err: err}} }

// Filter returns a list of only those items for which keep returns true. A page is still filled up to its limit, unless
// that takes more reads than [Paging.Reads] allows. Items that are filtered out are read nevertheless, and consume capacity.
func (l List[T]) Filter(keep func(T) bool) List[T] {
	l.keep, l.filtered = append(l.keep[:len(l.keep):len(l.keep)], keep), true
	return l
}

// Merge merges several lists into one, in the order of their sort values. The lists are read in parallel and share one
// cursor. All must have the same DB, table, index, range and direction. Their sort values must be unique across the
// lists, so they should end in the entity's id: of several rows at one position, only one is returned. If different
// items have one sort value, rows can be repeated or missed where a page ends; use [Union] for them. To filter, call
// Filter on the merged list; a list that is already filtered, and the result of [Intersect], [Union] or [Load], is
// refused. Lists of properties are filtered, because rows of other software may be out of place.
func Merge[T any](lists ...List[T]) List[T] { return List[T]{rows: mergeAll(rowsOf(lists))} }

func rowsOf[T any](lists []List[T]) []rows {
	all := make([]rows, len(lists))
	for i, l := range lists {
		all[i] = l.rows
	}
	return all
}

func noRows(i int, reason string) rows {
	return rows{err: Invalid(fmt.Sprintf("Lists[%d]", i), "%s", reason)}
}

func mergeAll(lists []rows) (merged rows) {
	for i, l := range lists {
		switch {
		case l.err != nil:
			return l
		case l.filtered:
			return noRows(i, "must not be filtered; filter the merged list instead")
		case l.loaded || l.meets != nil:
			return noRows(i, "must be a list of rows")
		}
		for _, lane := range l.lanes {
			if len(merged.lanes) > 0 && !merged.lanes[0].runsWith(lane) {
				return noRows(i, "must have the same DB, table, index, range and direction as the first list")
			}
			merged.lanes = append(merged.lanes, lane)
		}
	}
	return merged
}

// Page reads one page. It returns an [*InvalidError] for invalid arguments or an invalid cursor ([ErrCursor]), and an
// [*UnreadableError] together with the page, see [List].
func (l List[T]) Page(ctx context.Context, p Paging) (Page[T], error) {
	entries, next, err := l.read(ctx, p)
	if err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Next: next}
	var unreadable []error
	for _, e := range entries {
		if e.err != nil {
			unreadable = append(unreadable, e.err)
		} else {
			page.Items = append(page.Items, e.item)
		}
	}
	if len(unreadable) > 0 {
		return page, &UnreadableError{unreadable}
	}
	return page, nil
}

// All iterates over the whole list, and reads one page after another as the loop proceeds. The pages grow from 50 to 1,000 items,
// so that a loop that ends early has not read many items unnecessarily. For an unreadable item it yields an error that matches
// [ErrCorrupt], and the loop can continue; any other error ends the iteration.
func (l List[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for p := (Paging{Limit: defaultLimit}); ; p.Limit = min(2*p.Limit, maxLimit) {
			entries, next, err := l.read(ctx, p)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, e := range entries {
				if !yield(e.item, e.err) {
					return
				}
			}
			if next == "" {
				return
			}
			p.After = next
		}
	}
}

// entry is an item of a page, or the error for an unreadable one.
type entry[T any] struct {
	item T
	err  error
}

// read fills a page.
func (l List[T]) read(ctx context.Context, p Paging) (entries []entry[T], next Cursor, err error) {
	ctx, end := l.begin(ctx)
	defer func() {
		told := err
		for i := 0; told == nil && i < len(entries); i++ {
			told = entries[i].err // the caller gets an UnreadableError
		}
		end(told)
	}()
	entries, next, _, err = l.fill(ctx, p)
	return entries, next, err
}

// begin tells the observer that a page is read. The operation's name is that of the first query.
func (l rows) begin(ctx context.Context) (context.Context, func(error)) {
	lanes := l.lanes
	if len(l.meets) > 0 {
		lanes = l.meets[0]
	}
	if len(lanes) == 0 {
		return ctx, unobserved
	}
	return lanes[0].db.beginQuery(ctx, lanes[0].schema, lanes[0].query)
}

// fill is read that also returns the number of reads that it took.
func (l List[T]) fill(ctx context.Context, p Paging) (entries []entry[T], next Cursor, reads int, err error) {
	if l.err != nil {
		return nil, "", 0, l.err
	}
	if p, err = p.complete(); err != nil {
		return nil, "", 0, err
	}
	if l.loaded {
		return l.fillLoaded(ctx, p)
	}
	next, reads, err = l.rows.fill(ctx, p, func(lane lane, row Row) (kept bool, err error) {
		item, err := lane.decode.(func(context.Context, Row) (T, error))(ctx, row)
		switch {
		case err == nil && l.keeps(item):
			entries = append(entries, entry[T]{item: item})
			return true, nil
		case err != nil && ctx.Err() != nil || isRequests(err):
			return false, err
		case err != nil:
			entries = append(entries, entry[T]{err: lane.unreadable(row, err)})
		}
		return false, nil
	})
	if err != nil {
		return nil, "", 0, err
	}
	return entries, next, reads, nil
}

// fill reads rows until take has returned true as often as the page has items. The position after the last row that was
// taken serves as the cursor of all lanes: each continues after it.
func (l rows) fill(ctx context.Context, p Paging, take func(lane, Row) (bool, error)) (next Cursor, reads int, err error) {
	if len(l.lanes) == 0 && len(l.meets) == 0 {
		return "", 0, nil
	}
	rows, err := l.open(p)
	if err != nil {
		return "", 0, err
	}
	page := rows.page()
	for page.found < p.Limit {
		row, from, err := rows.next(ctx)
		if err != nil {
			return "", 0, err
		}
		if from == nil {
			break
		}
		kept, err := take(from.lane, row)
		if err != nil {
			return "", 0, err
		}
		if kept {
			page.found++
		}
	}
	next = p.Until
	if !rows.ended() {
		next = rows.cursor()
	}
	return next, p.Reads - page.reads, nil
}

func (l rows) open(p Paging) (source, error) {
	if len(l.meets) > 0 {
		return l.meet(p)
	}
	return l.merge(p)
}

// identity is what a cursor is tied to. Shards are not part of it, because their number may change between two pages.
func (l rows) identity() string {
	if len(l.meets) == 0 {
		return identityOf(l.lanes)
	}
	all := make([]string, len(l.meets))
	for i, lanes := range l.meets {
		all[i] = identityOf(lanes)
	}
	return strings.Join(all, "&")
}

func identityOf(lanes []lane) string {
	var all []string
	for _, lane := range lanes {
		if id := lane.query.identity(lane.schema); !lane.shard {
			all = append(all, id)
		}
	}
	return strings.Join(all, ";")
}

func (l List[T]) keeps(item T) bool {
	for _, keep := range l.keep {
		if !keep(item) {
			return false
		}
	}
	return true
}

// isRequests reports whether err is the error of a request that decode sent, and not of a row.
func isRequests(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && !errors.Is(err, ErrCorrupt)
}

// unreadable returns the error of a row. It identifies the row, unless the entity's own error already does.
func (l lane) unreadable(row Row, err error) error {
	var named *Error
	if errors.As(err, &named) && named.ID != "" && errors.Is(err, ErrCorrupt) {
		return err
	}
	// Only the text: an invalid field of a stored item must not match ErrInvalid, which is about the caller's
	// arguments.
	return &Error{
		Entity: l.schema.Name, ID: l.schema.Key.From(row).String(), Kind: ErrCorrupt, Err: errors.New(shown.OneLine(err.Error())),
	}
}
