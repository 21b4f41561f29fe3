package writes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var (
	shelfTable   = &dynastay.Schema{Name: "Shelves", Key: dynastay.KeyNames{Partition: "id"}}
	removedTable = &dynastay.Schema{Name: "Removed", Key: dynastay.KeyNames{Partition: "id"}}
)

// parcel holds one piece for each of some shelves. Who returned it stands in By.
type parcel struct {
	ID, By, Note              string
	Pieces, Returned, Skipped []string
	Notes                     int
	WriteID                   dynastay.WriteID
}

var parcelEntity = entity.New(entity.Spec[parcel]{
	Name: "Parcel", Version: "notes",
	Schema: &dynastay.Schema{Name: "Parcels", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(v *parcel) (dynastay.Key, error) { return dynastay.Key{PK: v.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, v *parcel) {
		f.String("id", &v.ID)
		f.String("by", &v.By)
		f.String("note", &v.Note)
		f.Strings("pieces", &v.Pieces)
		f.Strings("returned", &v.Returned)
		f.Strings("skipped", &v.Skipped)
		f.IfSet().Int("notes", &v.Notes)
		f.WriteID("WriteId", &v.WriteID)
	}),
})

const shelves = 6

func shelfID(n int) string { return fmt.Sprint("shelf-", n) }

// returns put the pieces of parcels back on their shelves, while shelves are removed and come back empty: a piece whose
// shelf is missing is done without. What a shelf held when it was removed is kept, so that all pieces can be counted.
type returns struct {
	*checker.Run
	all checker.Deeds[*handling]

	mu      sync.Mutex
	parcels []string
	notes   map[string]*checker.Tally // by parcel
	deeds   map[string]*handling      // by mark
}

// handling is one write: the return of a parcel, or the removal or the coming of a shelf.
type handling struct {
	*checker.Deed
	kind  string
	id    string // of the parcel or the shelf
	made  *parcel
	moved bool // of the shelf or the parcel, as it is stored
}

var (
	errReturned = errors.New("the parcel was returned")
	errNoShelf  = errors.New("there is no such shelf")
	errShelf    = errors.New("there is a shelf")

	addPiece = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(expression.AttributeExists(dynastay.NameOf("count"))).
			WithUpdate(expression.Set(dynastay.NameOf("count"), dynastay.NameOf("count").Plus(expression.Value(1)))))
	noShelf = dynastay.MustCompile(expression.NewBuilder().
		WithCondition(expression.AttributeNotExists(dynastay.NameOf("id"))))
	sameShelf = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(dynastay.NameOf("life").Equal(dynastay.Param("life")).
				And(dynastay.NameOf("count").Equal(dynastay.Param("count")))))
)

func newReturns(c *checker.Run) *returns {
	return &returns{Run: c, notes: map[string]*checker.Tally{}, deeds: map[string]*handling{}}
}

func (r *returns) Step(w *checker.Worker) {
	id, there := r.pick(w)
	switch at := w.Rand.IntN(20); {
	case !there, at < 3:
		r.send(w)
		return
	case at < 6:
		r.note(w, id)
		return
	}
	d, v := r.all.Do(w, func(keyed bool) *handling {
		shelf := shelfID(w.Rand.IntN(shelves))
		switch at := w.Rand.IntN(14); {
		case at < 3:
			return r.remove(w, shelf, keyed)
		case at < 7:
			return r.place(w, shelf, keyed)
		}
		return r.giveBack(w, id, keyed)
	})
	if v == checker.Unknown {
		r.look(d)
	}
}

// pick is one of the last parcels, which others want to return too.
func (r *returns) pick(w *checker.Worker) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.parcels) == 0 {
		return "", false
	}
	return checker.Recent(w, r.parcels, 4), true
}

func (r *returns) send(w *checker.Worker) {
	v := &parcel{ID: w.Mark()}
	for _, n := range w.Rand.Perm(shelves)[:1+w.Rand.IntN(4)] {
		v.Pieces = append(v.Pieces, shelfID(n))
	}
	if _, err := entity.NewTable(r.Base.Direct, parcelEntity).Create(w.T.Context(), v); err != nil {
		w.T.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parcels = append(r.parcels, v.ID)
	r.notes[v.ID] = &checker.Tally{}
}

// note changes a parcel while others return it.
func (r *returns) note(w *checker.Worker, id string) {
	mark := w.Mark()
	v := w.Call("note", id, mark, checker.Never, func(ctx context.Context) error {
		return checker.ErrorOf(tablesOf(w).parcels.Update(ctx, dynastay.Key{PK: id}, func(v *parcel) error { v.Note = mark; return nil }))
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes[id][v]++
}

func (r *returns) handling(
	w *checker.Worker, h *handling, mark, items string, keyed bool, refusal error, op func(*checker.Process) *dynastay.Operation[*parcel],
) *handling {
	h.Deed = w.Deed(mark, h.kind, items, "", keyed, checker.RefusedBy(refusal),
		func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
			one := op(p)
			err := p.Write(ctx, append(parts, one)...)
			if err == nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				h.made = one.Result()
			}
			return err
		})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deeds[mark] = h
	return h
}

// remove takes a shelf away with all that is on it.
func (r *returns) remove(w *checker.Worker, id string, keyed bool) *handling {
	mark := w.Mark()
	h := &handling{kind: "remove shelf", id: id}
	return r.handling(w, h, mark, id, keyed, errNoShelf, func(p *checker.Process) *dynastay.Operation[*parcel] {
		return dynastay.NewOp(dynastay.OpSpec[*parcel]{
			Name:  "returns.Remove",
			Input: func(in *dynastay.Input) { in.Field("mark", mark) },
			Prepare: func(ctx context.Context, tx *dynastay.Tx) (*parcel, error) {
				row, err := p.Get(ctx, shelfTable, dynastay.Key{PK: id}, dynastay.Consistent)
				if err != nil {
					return nil, err
				}
				if !row.Exists() {
					return nil, errNoShelf
				}
				life, count := dynastay.Text(row.Text("life")), dynastay.Number(row.Int("count"))
				same := sameShelf.With(dynastay.Item{"life": life, "count": count})
				tx.Delete(shelfTable, dynastay.Key{PK: id}).If(same, func(dynastay.Row) error { return dynastay.ErrOvertaken })
				tx.Put(removedTable, dynastay.Item{
					"id": dynastay.Text(mark), "shelf": dynastay.Text(id), "life": life, "count": count,
				})
				return nil, nil
			},
			Restore: func(context.Context, map[string]string) (*parcel, error) { return nil, nil },
		})
	})
}

// place brings a shelf back, with nothing on it.
func (r *returns) place(w *checker.Worker, id string, keyed bool) *handling {
	mark := w.Mark()
	h := &handling{kind: "place shelf", id: id}
	return r.handling(w, h, mark, id, keyed, errShelf, func(*checker.Process) *dynastay.Operation[*parcel] {
		return dynastay.NewOp(dynastay.OpSpec[*parcel]{
			Name:  "returns.Place",
			Input: func(in *dynastay.Input) { in.Field("mark", mark) },
			Prepare: func(_ context.Context, tx *dynastay.Tx) (*parcel, error) {
				tx.Put(shelfTable, dynastay.Item{
					"id": dynastay.Text(id), "life": dynastay.Text(mark), "count": dynastay.Number(0),
				}).If(dynastay.IfNew(shelfTable), func(dynastay.Row) error { return errShelf })
				return nil, nil
			},
			Restore: func(context.Context, map[string]string) (*parcel, error) { return nil, nil },
		})
	})
}

// without is how a return does without a shelf.
type without int

const (
	loosely  without = iota // it has to be missing only when it was tried
	strictly                // the operation checks that it is missing still
	again                   // the action is added again, and the library checks that
)

// giveBack returns a parcel, in one of these ways.
func (r *returns) giveBack(w *checker.Worker, id string, keyed bool) *handling {
	mark, way := w.Mark(), without(w.Rand.IntN(3))
	h := &handling{kind: "return", id: id}
	return r.handling(w, h, mark, mark+" "+id, keyed, errReturned, func(p *checker.Process) *dynastay.Operation[*parcel] {
		g := &givingBack{returns: r, Process: p, mark: mark, id: id, way: way}
		return dynastay.NewOp(dynastay.OpSpec[*parcel]{
			Name:    "returns.Return",
			Input:   func(in *dynastay.Input) { in.Field("mark", mark) },
			Prepare: g.prepare,
			Restore: func(ctx context.Context, _ map[string]string) (*parcel, error) {
				return tablesOf(p).parcels.Get(ctx, dynastay.Key{PK: id}, dynastay.Consistent)
			},
		})
	})
}

// givingBack is the operation of one call, with what it was told of its last preparations.
type givingBack struct {
	*returns
	*checker.Process
	mark, id  string
	way       without
	missing   map[string]bool // shelves, as the actions on them have failed
	overtaken bool            // since then
}

func (g *givingBack) prepare(ctx context.Context, tx *dynastay.Tx) (*parcel, error) {
	if g.overtaken {
		g.missing, g.overtaken = nil, false
	}
	row, err := g.Get(ctx, parcelEntity.Schema, dynastay.Key{PK: g.id}, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	v, err := parcelEntity.Value(row)
	if err != nil {
		return nil, err
	}
	if v.By != "" {
		return nil, errReturned
	}
	var refs []dynastay.Ref
	for _, shelf := range v.Pieces {
		refs = append(refs, dynastay.RefOf(shelfTable, dynastay.Key{PK: shelf}))
	}
	if err := tx.Contend(ctx, dynastay.Contest{Items: refs}); err != nil {
		return nil, err
	}
	v.By, v.Returned, v.Skipped = g.mark, []string{}, []string{}
	for _, shelf := range v.Pieces {
		skipped := tx.Skipped(shelfTable, dynastay.Key{PK: shelf})
		if g.way != again && skipped != g.missing[shelf] { // otherwise only the library knows whether it was overtaken
			g.Differ("a piece that is done without for another reason", g.id+" "+shelf, "%s: %t and %t", g.mark, skipped, g.missing[shelf])
		}
		if g.add(tx, shelf, skipped); skipped {
			v.Skipped = append(v.Skipped, shelf)
		} else {
			v.Returned = append(v.Returned, shelf)
		}
	}
	change := expression.Set(dynastay.NameOf("by"), expression.Value(v.By)).
		Set(dynastay.NameOf("returned"), expression.Value(v.Returned)).
		Set(dynastay.NameOf("skipped"), expression.Value(v.Skipped))
	action, err := tx.Rewrite(parcelEntity.Schema, row, change)
	if err != nil {
		return nil, err
	}
	action.Else(g.overtake)
	return v, nil
}

// overtake is the meaning of what asks for another preparation.
func (g *givingBack) overtake(dynastay.Row) error {
	g.overtaken = true
	return dynastay.ErrOvertaken
}

func (g *givingBack) add(tx *dynastay.Tx, shelf string, skipped bool) {
	key := dynastay.Key{PK: shelf}
	switch {
	case !skipped, g.way == again:
		tx.Update(shelfTable, key, addPiece.With(nil)).Else(func(dynastay.Row) error {
			if g.missing == nil {
				g.missing = map[string]bool{}
			}
			g.missing[shelf] = true
			return dynastay.ErrSkip
		})
	case g.way == strictly:
		tx.Check(shelfTable, key, noShelf.With(nil), g.overtake)
	}
}

// look finds out what became of a write of which nobody knows.
func (r *returns) look(h *handling) {
	ctx, db := r.T.Context(), r.Base.Direct
	var row dynastay.Row
	var err error
	attribute := "by"
	switch h.kind {
	case "return":
		row, err = db.Get(ctx, parcelEntity.Schema, dynastay.Key{PK: h.id}, dynastay.Consistent)
	case "remove shelf":
		attribute = "id"
		row, err = db.Get(ctx, removedTable, dynastay.Key{PK: h.Mark}, dynastay.Consistent)
	case "place shelf":
		attribute = "life"
		row, err = db.Get(ctx, shelfTable, dynastay.Key{PK: h.id}, dynastay.Consistent)
	}
	if err == nil && row.Text(attribute) == h.Mark {
		h.Saw(r.Moment())
	}
}

func (r *returns) Settle(w *checker.Worker) { r.all.Settle(w) }

// life is a shelf from when it was placed until it was removed, for certain and possibly.
type life struct{ possible, certain checker.Span }

func (r *returns) Check() {
	counts, lives := r.shelves()
	should := map[string]int{}
	for id, v := range checker.Stored(r.Run, parcelEntity) {
		r.checkParcel(id, v, lives)
		for _, shelf := range v.Returned {
			should[shelf]++
		}
	}
	if !maps.Equal(counts, should) {
		r.Differ("pieces do not add up", "shelves", "%v are on the shelves where %v were returned", counts, should)
	}
	for mark, h := range r.deeds {
		if h.Done() && !h.moved {
			r.Differ("a return, or the way of a shelf, is lost", h.Items, "%s %s", h.kind, mark)
		}
		for _, refusal := range h.Refusals {
			if !r.isTrue(h, refusal, lives) {
				r.Differ("a refusal that was not true", h.Items, "%s %s: %v", h.kind, mark, refusal.Err)
			}
		}
	}
}

// shelves are the pieces that each shelf has held, now and before it was removed, and its lives.
func (r *returns) shelves() (map[string]int, map[string][]life) {
	counts, lives := map[string]int{}, map[string][]life{}
	for _, p := range slices.Concat(r.Scan(shelfTable), r.Scan(removedTable)) {
		id, shelf, removed := p["id"].(string), p["shelf"], false
		until := checker.Since(checker.Ever)
		if shelf != nil {
			until, removed = r.move(id, "remove shelf", shelf.(string)), true
		} else {
			shelf = id
		}
		name := shelf.(string)
		from := r.move(p["life"].(string), "place shelf", name)
		if count := int(p["count"].(float64)); count > 0 {
			counts[name] += count
		}
		if removed {
			from.To = min(from.To, until.To)
		}
		lives[name] = append(lives[name], life{checker.Between(from.From, until.To), checker.Between(from.To, until.From)})
	}
	return counts, lives
}

// move notes that a deed has left what it was to leave, which it may do once, and tells when.
func (r *returns) move(mark, kind, id string) checker.Span {
	h := r.deeds[mark]
	if h == nil || h.kind != kind || h.id != id || h.Verdict() == checker.Refused || h.moved {
		r.Differ("a "+kind+" that was not to be, or twice", id, "by %q", mark)
		return checker.Since(0)
	}
	h.moved = true
	return h.Within
}

func (r *returns) checkParcel(id string, v *parcel, lives map[string][]life) {
	told := r.notes[id]
	if least, most := 1+told[checker.Acknowledged], 1+told[checker.Acknowledged]+told[checker.Unknown]; v.Notes < least || v.Notes > most {
		r.Differ("notes do not add up", id, "%d where %d to %d were made", v.Notes, least, most)
	}
	if v.By == "" {
		if len(v.Returned)+len(v.Skipped) > 0 {
			r.Differ("a parcel that nobody returned", id, "%v", *v)
		}
		return
	}
	within := r.move(v.By, "return", id)
	all := slices.Concat(v.Returned, v.Skipped)
	slices.Sort(all)
	if pieces := slices.Sorted(slices.Values(v.Pieces)); !slices.Equal(all, pieces) {
		r.Differ("pieces that are neither returned nor done without", id, "%v", *v)
	}
	if h := r.deeds[v.By]; h != nil && h.made != nil &&
		!(slices.Equal(h.made.Returned, v.Returned) && slices.Equal(h.made.Skipped, v.Skipped)) {
		r.Differ("a report that is wrong", id, "%v where %v is stored", *h.made, *v)
	}
	for _, shelf := range v.Skipped {
		if there(lives[shelf], within) {
			r.Differ("a piece that was done without where its shelf was", id+" "+shelf, "by %s", v.By)
		}
	}
}

// there reports whether a shelf certainly was there all the time.
func there(lives []life, at checker.Span) bool {
	return slices.ContainsFunc(lives, func(l life) bool { return l.certain.From < at.From && at.To < l.certain.To })
}

func (r *returns) isTrue(h *handling, refusal checker.Told, lives map[string][]life) bool {
	switch {
	case errors.Is(refusal.Err, errNoShelf):
		return !there(lives[h.id], refusal.Span)
	case errors.Is(refusal.Err, errShelf):
		return slices.ContainsFunc(lives[h.id], func(l life) bool { return l.possible.Meets(refusal.Span) })
	}
	for _, other := range r.deeds {
		if other.kind == "return" && other.id == h.id && other.moved {
			return other != h && other.Within.From <= refusal.To
		}
	}
	return false
}
