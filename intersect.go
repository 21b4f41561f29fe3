package dynastay

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Intersect returns the list of the rows that all lists contain, compared by their sort values and in their order, such
// as the properties with each of several amenities. Of the rows with the same sort value, it decodes that of the first
// list. The sort values must be unique within each list. All lists must be ascending and have the same DB, table, index
// and range. To filter, call Filter on the result; a list that is already filtered is refused.
//
// A read is one request for each list, sent in parallel. Where one list has no rows for a while, the others skip theirs
// without reading them. If few rows are in all lists, a page takes several reads, see [Paging.Reads].
func Intersect[T any](lists ...Listing[T]) Listing[T] {
	var all Listing[T]
	for i, l := range lists {
		at := fmt.Sprintf("Lists[%d]", i)
		switch {
		case l.err != nil:
			return l
		case len(l.keep) > 0:
			return NoListing[T](Invalid(at, "must not be filtered; filter the intersection instead"))
		case len(l.lanes) == 0:
			return NoListing[T](Invalid(at, "must be a list of rows"))
		case l.lanes[0].query.Descending:
			return NoListing[T](Invalid(at, "must be ascending"))
		case !lists[0].lanes[0].runsWith(l.lanes[0]):
			return NoListing[T](Invalid(at, "must have the same DB, table, index and range as the first list"))
		}
		all.common = append(all.common, l.lanes)
	}
	if len(lists) == 1 {
		return lists[0]
	}
	return all
}

// meetingPoint is the cursor of an intersection: the sort value at which the next page begins or, if Past, the last one
// of the previous page. It cannot contain the rest of a key, because that differs between the lists.
type meetingPoint struct {
	Sort string `json:"s"`
	Past bool   `json:"p,omitempty"`
}

// meeting finds the sort values that all lists contain.
type meeting[T any] struct {
	progress
	lists   [][]reader[T] // each with its shards
	at      meetingPoint
	dropped int // rows of all lists that were taken or skipped so far
}

// meet opens the lists of an intersection after the cursor of p.
func (l Listing[T]) meet(p Paging) (*meeting[T], error) {
	m := &meeting[T]{progress: progress{identity: "common:" + l.identity(), limit: p.Limit, reads: p.Reads, filtered: true}}
	if p.After != "" {
		if err := p.After.Position(m.identity, &m.at); err != nil {
			return nil, err
		}
	}
	if p.Until != "" { // a page may end before the lists have met, so the last row would not be certain
		return nil, Invalid("Paging.Until", "is not supported for an intersection")
	}
	first := p.Limit
	if m.at.Past {
		first++ // a request cannot begin behind a sort value, so the last row of the previous page is read again
	}
	for _, lanes := range l.common {
		readers, err := openAll(lanes, position{}, position{}, first)
		switch {
		case err != nil:
			return nil, err
		case readers[0].names.Sort == "":
			return nil, Invalid("Lists", "cannot be intersected: the table or index has no sort key")
		case p.After != "" && !lanes[0].query.Range.has(m.at.Sort):
			return nil, outsideRange()
		}
		m.lists = append(m.lists, readers)
	}
	return m, m.seek()
}

func (m *meeting[T]) next(ctx context.Context) (Row, *reader[T], error) {
	for {
		for empty := m.empty(); len(empty) > 0 && !m.ended(); empty = m.empty() {
			if m.spent() {
				return Row{}, nil, nil
			}
			if err := readAll(ctx, &m.progress, empty); err != nil {
				return Row{}, nil, err
			}
			if err := m.seek(); err != nil { // the reads may begin with rows that come before
				return Row{}, nil, err
			}
		}
		heads := make([]*reader[T], len(m.lists))
		for i := range m.lists {
			if heads[i] = firstOf(m.lists[i]); heads[i] == nil {
				return Row{}, nil, nil
			}
		}
		last := slices.MaxFunc(heads, func(a, b *reader[T]) int { return strings.Compare(a.head(), b.head()) })
		all := !slices.ContainsFunc(heads, func(r *reader[T]) bool { return r.head() != last.head() })
		row := heads[0].rows[0]
		m.at, m.moved = meetingPoint{last.head(), all}, true
		if err := m.seek(); err != nil {
			return Row{}, nil, err
		}
		if all {
			return row, heads[0], nil
		}
	}
}

// seek drops the rows before the present position from all lists.
func (m *meeting[T]) seek() error {
	for _, list := range m.lists {
		for i := range list {
			before := len(list[i].rows)
			if err := list[i].seek(m.at); err != nil {
				return err
			}
			m.dropped += before - len(list[i].rows)
		}
	}
	m.taken = m.dropped / len(m.lists)
	return nil
}

// seek drops the rows before a position. If none is left, the next read begins at the position.
func (r *reader[T]) seek(at meetingPoint) error {
	before := func(row Row) bool {
		return row.Text(r.names.Sort) < at.Sort || at.Past && row.Text(r.names.Sort) == at.Sort
	}
	// A prefix cannot be combined with the value to begin at, so rows behind those with the prefix may have been read.
	if i := slices.IndexFunc(r.rows, func(row Row) bool { return !r.query.Range.has(row.Text(r.names.Sort)) }); i >= 0 {
		r.rows, r.last = r.rows[:i], true
	}
	if i := slices.IndexFunc(r.rows, func(row Row) bool { return !before(row) }); i >= 0 {
		r.rows = r.rows[i:]
		return nil
	}
	skipped := len(r.rows) > 0 && r.rows[len(r.rows)-1].Text(r.names.Sort) != at.Sort
	r.rows = nil
	if r.last || at.Sort == "" || r.in.Limit != nil && !skipped {
		return nil
	}
	q := r.query
	q.Range = Range{From: at.Sort, To: q.Range.To}
	in, _, err := r.db.queryInput(r.schema, q)
	if err != nil {
		return err
	}
	in.Limit = r.in.Limit
	r.in = in
	return nil
}

// empty returns the readers that must be read before it is known which row comes next.
func (m *meeting[T]) empty() (empty []*reader[T]) {
	for _, list := range m.lists {
		empty = append(empty, emptyOf(list)...)
	}
	return empty
}

// ended reports whether one of the lists has no more rows.
func (m *meeting[T]) ended() bool { return slices.ContainsFunc(m.lists, endOf[T]) }

func (m *meeting[T]) cursor() Cursor { return NewCursor(m.identity, m.at) }
