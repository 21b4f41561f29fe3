package dynastay

import (
	"context"
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
func Intersect[T any](lists ...List[T]) List[T] { return List[T]{rows: meetAll(rowsOf(lists), false)} }

// Union returns the list of the rows that at least one of the lists contains, such as the suppliers that offer soap or
// towels. A sort value that several lists contain is listed once. Otherwise it is like [Intersect], and a read is one
// request for each list, too.
//
// Lists whose sort values are all different are merged with [Merge], which also reads backwards.
func Union[T any](lists ...List[T]) List[T] { return List[T]{rows: meetAll(rowsOf(lists), true)} }

func meetAll(lists []rows, any bool) rows {
	all := rows{any: any}
	for i, l := range lists {
		switch {
		case l.err != nil:
			return l
		case l.filtered:
			return noRows(i, "must not be filtered; filter the result instead")
		case l.loaded || len(l.lanes) == 0:
			return noRows(i, "must be a list of rows")
		case l.lanes[0].query.Descending:
			return noRows(i, "must be ascending")
		case !lists[0].lanes[0].runsWith(l.lanes[0]):
			return noRows(i, "must have the same DB, table, index and range as the first list")
		}
		all.meets = append(all.meets, l.lanes)
	}
	if len(lists) == 1 {
		return lists[0]
	}
	return all
}

// meetingPoint is the cursor of an intersection or a union: the sort value at which the next page begins or, if Past,
// the last one of the previous page. It cannot contain the rest of a key, because that differs between the lists, and
// the order of rows with equal sort values in an index is undefined.
type meetingPoint struct {
	Sort string `json:"s"`
	Past bool   `json:"p,omitempty"`
}

// meeting finds the sort values that all lists contain or, with any, at least one.
type meeting struct {
	progress
	any     bool
	lists   [][]reader // each with its shards
	at      meetingPoint
	dropped int // rows of all lists that were taken or skipped so far
}

// meet opens the lists of an intersection or union after the cursor of p.
func (l rows) meet(p Paging) (*meeting, error) {
	found, first := "common:", p.Limit
	if l.any {
		found, first = "any:", share(p.Limit, len(l.meets))
	}
	m := &meeting{progress: progress{identity: found + l.identity(), limit: p.Limit, reads: p.Reads, filtered: true}, any: l.any}
	if p.After != "" {
		if err := p.After.Position(m.identity, &m.at); err != nil {
			return nil, err
		}
	}
	if p.Until != "" { // a page may end before the lists have met, so the last row would not be certain
		return nil, Invalid("Paging.Until", "is not supported for an intersection or a union")
	}
	if m.at.Past {
		first++ // a request cannot begin behind a sort value, so the last row of the previous page is read again
	}
	for _, lanes := range l.meets {
		readers, err := openAll(lanes, position{}, position{}, first)
		switch {
		case err != nil:
			return nil, err
		case readers[0].names.Sort == "":
			return nil, Invalid("Lists", "cannot be combined: the table or index has no sort key")
		case p.After != "" && !lanes[0].query.Range.has(m.at.Sort):
			return nil, outsideRange()
		}
		m.lists = append(m.lists, readers)
	}
	return m, m.seek()
}

func (m *meeting) next(ctx context.Context) (Row, *reader, error) {
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
		heads := m.heads()
		if len(heads) == 0 || len(heads) < len(m.lists) && !m.any {
			return Row{}, nil, nil
		}
		next, found := slices.MinFunc(heads, bySort), true // the first list's, of those with equal rows
		if !m.any {
			next = slices.MaxFunc(heads, bySort)
			found = !slices.ContainsFunc(heads, func(r *reader) bool { return r.head() != next.head() })
		}
		row := next.rows[0]
		m.at, m.moved = meetingPoint{next.head(), found}, true
		if err := m.seek(); err != nil {
			return Row{}, nil, err
		}
		if found {
			return row, next, nil
		}
	}
}

// heads returns the reader with the next row of each list that has one.
func (m *meeting) heads() (heads []*reader) {
	for _, list := range m.lists {
		if first := firstOf(list); first != nil {
			heads = append(heads, first)
		}
	}
	return heads
}

func bySort(a, b *reader) int { return strings.Compare(a.head(), b.head()) }

// seek drops the rows before the present position from all lists.
func (m *meeting) seek() error {
	for _, list := range m.lists {
		for i := range list {
			before := len(list[i].rows)
			if err := list[i].seek(m.at); err != nil {
				return err
			}
			m.dropped += before - len(list[i].rows)
		}
	}
	m.taken = (m.dropped + len(m.lists) - 1) / len(m.lists) // not 0 once something is found: ask multiplies by it
	return nil
}

// seek drops the rows before a position. If none is left, the next read begins at the position.
func (r *reader) seek(at meetingPoint) error {
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
func (m *meeting) empty() (empty []*reader) {
	for _, list := range m.lists {
		empty = append(empty, emptyOf(list)...)
	}
	return empty
}

// ended reports whether one of the lists has no more rows or, with any, all of them.
func (m *meeting) ended() bool {
	if m.any {
		return !slices.ContainsFunc(m.lists, func(list []reader) bool { return !endOf(list) })
	}
	return slices.ContainsFunc(m.lists, endOf)
}

func (m *meeting) cursor() Cursor { return NewCursor(m.identity, m.at) }
