package writes

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var importTable = &dynastay.Schema{Name: "Imports", Key: dynastay.KeyNames{Partition: "id"}}

// imports are batches that one worker writes and reads again: [dynastay.DB.PutAll] and GetAll, with parts left
// unprocessed.
type imports struct {
	*checker.Run
	mu    sync.Mutex
	lines map[string]string // what was acknowledged
}

func newImports(c *checker.Run) *imports { return &imports{Run: c, lines: map[string]string{}} }

// whatever an import is told, short of success, some of it may be there.
func whatever(err error) bool {
	return !errors.Is(err, dynastay.ErrOutcomeUnknown) && !errors.Is(err, dynastay.ErrCommitted)
}

func (i *imports) Step(w *checker.Worker) {
	mark, n := w.Mark(), 1+w.Rand.IntN(60)
	id := func(k int) string { return fmt.Sprintf("%s-%d", mark, k) }
	if w.Call("put all", mark, "", whatever, func(ctx context.Context) error {
		return w.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			for k := range n {
				if !yield(importTable, i.item(id(k), mark)) {
					return
				}
			}
		})
	}) != checker.Acknowledged {
		return // some may be there
	}
	var asked []dynastay.Key
	i.mu.Lock()
	for k := range n {
		i.lines[id(k)] = mark
		asked = append(asked, dynastay.Key{PK: id(k)})
	}
	i.mu.Unlock()
	var got []dynastay.Row
	if w.Call("get all", mark, "", whatever, func(ctx context.Context) (err error) {
		got, err = w.GetAll(ctx, importTable, asked, dynastay.Consistent)
		return err
	}) != checker.Acknowledged {
		return
	}
	for k, row := range got {
		if !reflect.DeepEqual(row.Item(), i.item(id(k), mark)) {
			i.Differ("a line that is not read again", mark, "%d: %v", k, row.Item())
		}
	}
}

func (i *imports) item(id, mark string) dynastay.Item {
	return dynastay.Item{"id": dynastay.Text(id), "mark": dynastay.Text(mark)}
}

func (i *imports) Settle(*checker.Worker) {}

func (i *imports) Check() {
	there := map[string]any{}
	for _, p := range i.Scan(importTable) {
		there[p["id"].(string)] = p["mark"]
	}
	for id, mark := range i.lines {
		if there[id] != mark {
			i.Differ("a line is lost", mark, "%s: %v", id, there[id])
		}
	}
}
