package dynastay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// Listing is a list that a repository answers with. It is a question rather than an answer: it sends nothing before it
// is asked for a page, may be asked any number of times, and is safe for concurrent use. What was wrong with the
// arguments that it was made with is the error of every page. The zero Listing has no items.
//
//	page, err := repo.ByUser(userID).Page(ctx, dynastay.Paging{Limit: 20})
//
//	for booking, err := range repo.ByUser(userID).All(ctx) { … }
//
// # Items that cannot be read
//
// A stored item that does not have the expected form does not hide the others. A page is then returned together with
// an [*UnreadableError], which matches [ErrCorrupt] and names each such item: the page holds the rest, and its Next
// leads on. Any other error comes with an empty page.
type Listing[T any] struct {
	err   error
	lanes []lane[T]
	keep  []func(T) bool
}

// UnreadableError names the items of a page that could not be read. It matches [ErrCorrupt].
type UnreadableError struct {
	Items []error // one for each item, as a rule an [*Error] with its entity, id and attribute
}

// Error names every item.
func (e *UnreadableError) Error() string {
	texts := make([]string, len(e.Items))
	for i, err := range e.Items {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap gives the errors of the items.
func (e *UnreadableError) Unwrap() []error { return e.Items }

// List is the list of what a query finds, each row read by decode. For whole entities, the List method of their table is
// shorter.
//
// An error of decode is one of the row that it was given, and becomes an [ErrCorrupt] unless it is one. Decode may send
// requests of its own, as it gets the page's context: an [*Error] of another kind ends the page.
func List[T any](db *DB, s *Schema, q Query, decode func(context.Context, Row) (T, error)) Listing[T] {
	return Listing[T]{lanes: lanesOf(db, s, q, decode)}
}

// NoListing is the list for arguments that were refused: every page of it fails with err.
func NoListing[T any](err error) Listing[T] { return Listing[T]{err: err} }

// Filter is the list without the items that keep refuses. A page is filled to its limit all the same, within
// [Paging.Reads]; what is left out has been read, and is paid for.
func (l Listing[T]) Filter(keep func(T) bool) Listing[T] {
	l.keep = append(l.keep[:len(l.keep):len(l.keep)], keep)
	return l
}

// Merge is one list of several, in the order of their sort values, read in parallel under one cursor. All are lists of
// one index, or all of one table, and have one direction. Their sort values must differ from each other: let them end
// in the entity's id. Filters come after Merge.
func Merge[T any](lists ...Listing[T]) Listing[T] {
	var merged Listing[T]
	for i, l := range lists {
		if l.err != nil {
			return l
		}
		if len(l.keep) > 0 {
			return NoListing[T](Invalid(fmt.Sprintf("Lists[%d]", i), "is filtered; filter the merged list instead"))
		}
		for _, lane := range l.lanes {
			if len(merged.lanes) > 0 && !merged.lanes[0].runsWith(lane) {
				return NoListing[T](Invalid(fmt.Sprintf("Lists[%d]", i), "must have the same DB, table, index and direction as the first list"))
			}
			merged.lanes = append(merged.lanes, lane)
		}
	}
	return merged
}

// Page reads one page.
func (l Listing[T]) Page(ctx context.Context, p Paging) (Page[T], error) {
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

// All walks the list to its end, page by page as the loop goes on. The pages grow from 50 items to 1,000, so that a loop
// that ends early has not read much for nothing. An item that cannot be read comes as its [ErrCorrupt], and the loop may
// go on; any other error is the last that the loop gets.
func (l Listing[T]) All(ctx context.Context) iter.Seq2[T, error] {
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

// entry is an item of a page, or the error that it is in place of one.
type entry[T any] struct {
	item T
	err  error
}

// read fills a page from the lanes, always from the one whose next row comes first. Every lane goes on behind the last
// row that was taken from any of them, so that one position is the cursor of them all.
func (l Listing[T]) read(ctx context.Context, p Paging) (entries []entry[T], next Cursor, err error) {
	if l.err != nil {
		return nil, "", l.err
	}
	if p, err = p.complete(); err != nil || len(l.lanes) == 0 {
		return nil, "", err
	}
	m := merge[T]{lanes: make([]reader[T], len(l.lanes)), filtered: len(l.keep) > 0, reads: p.Reads, limit: p.Limit}
	identity := l.identity()
	if p.After != "" {
		if m.at, err = p.After.position(identity); err != nil {
			return nil, "", err
		}
	}
	for i, lane := range l.lanes {
		if m.lanes[i], err = lane.open(m.at, p.Limit, len(l.lanes)); err != nil {
			return nil, "", err
		}
	}
	for m.found < p.Limit {
		row, lane, err := m.next(ctx)
		if err != nil {
			return nil, "", err
		}
		if lane == nil {
			break
		}
		item, err := lane.decode(ctx, row)
		switch {
		case err == nil && l.keeps(item):
			entries = append(entries, entry[T]{item: item})
			m.found++
		case err != nil && ctx.Err() != nil || isRequests(err):
			return nil, "", err
		case err != nil:
			entries = append(entries, entry[T]{err: lane.unreadable(row, err)})
		}
	}
	if m.ended() {
		return entries, "", nil
	}
	return entries, m.at.cursor(identity), nil
}

// identity is what a cursor is tied to. Shards are no part of it: their number may change between two pages.
func (l Listing[T]) identity() string {
	var all []string
	for _, lane := range l.lanes {
		if id := lane.query.identity(lane.schema); !lane.shard {
			all = append(all, id)
		}
	}
	return strings.Join(all, ";")
}

func (l Listing[T]) keeps(item T) bool {
	for _, keep := range l.keep {
		if !keep(item) {
			return false
		}
	}
	return true
}

// isRequests tells the error of a request, which decode has sent, from that of a row.
func isRequests(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && !errors.Is(err, ErrCorrupt)
}

// unreadable is the error of a row. It names the row where the entity's own error does not.
func (l lane[T]) unreadable(row Row, err error) error {
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	// The text alone: a refused field of what is stored must not match ErrInvalid, which blames the caller.
	return &Error{
		Entity: l.schema.Name, ID: l.schema.Key.From(row).String(), Kind: ErrCorrupt, Err: errors.New(shown.OneLine(err.Error())),
	}
}
