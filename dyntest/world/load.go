package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
)

// Load writes the whole world into the tables of db. Like [dynastay.DB.PutAll], it writes without conditions and
// overwrites existing items, so the tables must be empty or hold the same world. It returns an error if the date by the
// clock of db is not Today, because quotes would then differ from the world.
//
// A few goroutines make and write the hotels, each with its share of the users and listings; each goroutine holds at
// most one hotel in memory. One more writes the catalogues and the venue.
// Progress is called after each hotel with the number that are done, one call at a time, and last with the total; it
// may be nil. Load stops at the first error, or when the context ends. Calling Load again writes the same items.
func (w *World) Load(ctx context.Context, db *dynastay.DB, progress func(done, of int)) error {
	if today := dynastay.DateOf(db.Now(), nil); today != w.opts.Today {
		return fmt.Errorf("world: the clock of db must be at %s, got %s; create db with dyntest.At(w.Now()), "+
			"or set Options.Today", w.opts.Today, today)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		next atomic.Int64
		mu   sync.Mutex // for progress
		done int
		wg   sync.WaitGroup
	)
	var rest error
	of := w.opts.Properties
	tell := func() {
		mu.Lock()
		defer mu.Unlock() // even if progress ends its goroutine, as a failed assertion does
		done++
		if progress != nil {
			progress(done, of)
		}
	}
	wg.Go(func() {
		if rest = w.loadRest(ctx, db); rest != nil {
			stop(rest)
		}
	})
	for range min(workers(), of) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < of; i = int(next.Add(1)) - 1 {
				if err := w.loadPart(ctx, db, i); err != nil {
					stop(err)
					return
				}
				tell()
			}
		})
	}
	wg.Wait()
	if done < of || rest != nil {
		return cmp.Or(context.Cause(ctx),
			errors.New("world: the progress function called runtime.Goexit, as a failed assertion does"))
	}
	return nil
}

func (w *World) loadRest(ctx context.Context, db *dynastay.DB) error {
	c, err := w.rest(ctx)
	if err != nil {
		return err
	}
	return db.PutAll(ctx, c.items)
}

func (w *World) loadPart(ctx context.Context, db *dynastay.DB, i int) error {
	c, err := w.part(ctx, i)
	if err != nil {
		return err
	}
	return db.PutAll(ctx, c.items)
}

// workers are enough to keep an engine busy while some of them make items.
func workers() int { return 4 + runtime.GOMAXPROCS(0) }
