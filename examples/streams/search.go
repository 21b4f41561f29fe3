package main

import (
	"context"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

// document is what the search index has of a hotel or a guest.
type document struct {
	change  string // the ID of the last change
	text    string
	deleted bool // it is only a marker; a real index would remove it after some days
}

// index is a search engine. It is safe for concurrent use.
type index struct {
	mu        sync.Mutex
	documents map[dynastay.Key]document
	ignored   int // changes that were not newer
}

// put stores a document unless the index has it from the same change or a later one.
func (x *index) put(key dynastay.Key, d document) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if d.change <= x.documents[key].change {
		x.ignored++
		return
	}
	x.documents[key] = d
}

func (x *index) get(key dynastay.Key) (d document, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d, known = x.documents[key]
	return d, known
}

// size returns how many documents, markers and ignored changes there are.
func (x *index) size() (documents, markers, ignored int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range x.documents {
		if d.deleted {
			markers++
		} else {
			documents++
		}
	}
	return documents, markers, x.ignored
}

// indexed returns a handler that keeps the documents of one kind of entity.
func indexed[T any](x *index, text func(*T) string) func(context.Context, stream.Change[T]) error {
	return func(_ context.Context, c stream.Change[T]) error {
		d := document{change: c.Record.ID(), deleted: c.New == nil}
		if c.New != nil {
			d.text = text(c.New)
		}
		x.put(c.Key, d)
		return nil
	}
}

func textOfHotel(p *properties.Property) string { return p.Name + ", " + p.Address.City }

func textOfGuest(u *users.User) string { return u.FirstName + " " + u.LastName + " " + u.Email }
