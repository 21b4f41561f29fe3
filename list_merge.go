package dynastay

import "context"

// source is where the rows of a page come from.
type source interface {
	// next returns the next row. The reader is nil at the end, and when no reads are left.
	next(context.Context) (Row, *reader, error)
	page() *progress
	ended() bool
	cursor() Cursor // after the last row
}

// progress is how far a page has been filled.
type progress struct {
	identity string // of the list, for its cursors
	filtered bool
	limit    int  // maximum number of items of the page
	found    int  // items so far
	taken    int  // rows examined so far
	reads    int  // reads left
	moved    bool // the position has moved past the cursor
}

func (p *progress) page() *progress { return p }

// spent reports whether no reads are left. The position must have moved first: a cursor that makes no progress would
// keep its caller reading forever.
func (p *progress) spent() bool { return p.reads <= 0 && p.moved }

// ask returns how many rows to request from a lane that has been read before: twice as many with each read, but at most
// what the page still has room for or, with filters, what the page is likely to need given how many rows have passed
// the filters so far.
func (p *progress) ask(before int) int {
	missing, most := p.limit-p.found, maxLimit
	if !p.filtered {
		most = missing
	} else if p.found > 0 {
		most = likely(float64(missing) * float64(p.taken) / float64(p.found))
	}
	return min(2*before, most, maxLimit)
}

// readAll reads the next rows of several lanes, in parallel.
func readAll(ctx context.Context, p *progress, readers []*reader) error {
	p.reads--
	return readers[0].db.Each(ctx, len(readers), func(ctx context.Context, i int) error {
		ask := readers[i].ask // its share at first
		if readers[i].in.Limit != nil {
			ask = p.ask(ask)
		}
		return readers[i].read(ctx, ask)
	})
}

// merge takes rows from several lanes in the order of their sort values.
type merge struct {
	progress
	lanes []reader
	at    position
}

// merge opens the lanes of a list after the cursor of p.
func (l rows) merge(p Paging) (*merge, error) {
	m := &merge{progress: progress{identity: l.identity(), filtered: l.filtered, reads: p.Reads, limit: p.Limit}}
	var err error
	if p.After != "" {
		if m.at, err = p.After.position(m.identity); err != nil {
			return nil, err
		}
	}
	var until position
	if p.Until != "" {
		if until, err = p.Until.position(m.identity); err != nil {
			return nil, &InvalidError{Field: "Paging.Until", Reason: err.(*InvalidError).Reason, Err: ErrCursor}
		}
		if first := l.lanes[0]; p.After != "" && first.beyond(first.sortOf(m.at), until) {
			return nil, Invalid("Paging.Until", "must not be before After")
		}
	}
	m.lanes, err = openAll(l.lanes, m.at, until, p.Limit)
	switch {
	case err != nil:
		return nil, err
	case p.Until == "":
	case m.lanes[0].names.Sort == "": // the order of its rows is unknown
		return nil, Invalid("Paging.Until", "is not supported: the table or index has no sort key")
	}
	return m, nil
}

func (m *merge) next(ctx context.Context) (Row, *reader, error) {
	for empty := emptyOf(m.lanes); len(empty) > 0; empty = emptyOf(m.lanes) {
		if m.spent() {
			return Row{}, nil, nil
		}
		if err := readAll(ctx, &m.progress, empty); err != nil {
			return Row{}, nil, err
		}
		if only := &m.lanes[0]; len(m.lanes) == 1 && len(only.rows) == 0 && !only.last {
			m.at, m.moved = only.position(RowOf(only.in.ExclusiveStartKey)), true // an empty page also makes progress
		}
	}
	first := firstOf(m.lanes)
	if first == nil {
		return Row{}, nil, nil
	}
	row := first.rows[0]
	m.at, m.moved = first.position(row), true
	m.taken++
	first.rows = first.rows[1:]
	m.dropRepeated()
	return row, first, nil
}

// dropRepeated drops rows of other lanes at the same position. They are the same item: an entity that moved from one shard
// to another between the reads, or one that is stored in several partitions on purpose.
func (m *merge) dropRepeated() {
	for i := range m.lanes {
		lane := &m.lanes[i]
		if len(lane.rows) > 0 && lane.position(lane.rows[0]) == m.at {
			lane.rows = lane.rows[1:]
		}
	}
}

func (m *merge) ended() bool { return endOf(m.lanes) }

func (m *merge) cursor() Cursor { return m.at.cursor(m.identity) }
