package dynastay

import "context"

// Load returns the list of what fetch returns for the items of a list, one page at a time: for example the entities,
// read with GetAll, for an index that projects only their keys. fetch may return fewer items than it is given, because
// some no longer exist; the page is then filled up with the items that follow. If it returns an [*UnreadableError]
// together with the other items, so does the page. With any other error the page fails.
//
// Each call of fetch counts as one read, see [Paging.Reads]. A page takes at least two reads: one of the list, and one
// call of fetch.
func Load[T, U any](l List[T], fetch func(context.Context, []T) ([]U, error)) List[U] {
	return List[U]{rows: rows{err: l.err, loaded: true, lanes: l.lanes, meets: l.meets}, load: func(ctx context.Context, p Paging) ([]entry[U], Cursor, int, error) {
		p.Reads = max(p.Reads-1, 1) // one is for fetch
		found, next, reads, err := l.fill(ctx, p)
		if err != nil {
			return nil, "", 0, err
		}
		var items []T
		var entries []entry[U]
		for _, e := range found {
			if e.err != nil {
				entries = append(entries, entry[U]{err: e.err})
			} else {
				items = append(items, e.item)
			}
		}
		if len(items) == 0 {
			return entries, next, reads, nil
		}
		loaded, err := fetch(ctx, items)
		unreadable, ok := err.(*UnreadableError) // itself: an error that is joined with it must not be lost
		if err != nil && !ok {
			return nil, "", 0, err
		}
		for _, item := range loaded {
			entries = append(entries, entry[U]{item: item})
		}
		if unreadable != nil {
			for _, err := range unreadable.Items {
				entries = append(entries, entry[U]{err: err})
			}
		}
		return entries, next, reads + 1, nil
	}}
}

// fillLoaded fills a page of a list that was made by [Load].
func (l List[T]) fillLoaded(ctx context.Context, p Paging) (entries []entry[T], next Cursor, reads int, err error) {
	found := 0
	for part := p; ; {
		loaded, next, spent, err := l.load(ctx, part)
		if err != nil {
			return nil, "", 0, err
		}
		for _, e := range loaded {
			switch {
			case e.err != nil:
				entries = append(entries, e)
			case l.keeps(e.item):
				entries = append(entries, e)
				found++
			}
		}
		reads += spent
		part.After, part.Limit, part.Reads = next, p.Limit-found, p.Reads-reads
		if next == p.Until || part.Limit <= 0 || part.Reads <= 1 {
			return entries, next, reads, nil
		}
	}
}
