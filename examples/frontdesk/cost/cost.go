// Package cost counts what each request of a guest costs at DynamoDB.
package cost

import (
	"context"
	"fmt"
	"sync"

	"github.com/dynastay/dynastay"
)

// Tally is what one request has cost so far.
type Tally struct {
	mu       sync.Mutex
	requests int
	reads    float64
	writes   float64
}

type tallyKey struct{}

// Begin returns a context whose requests to DynamoDB are counted.
func Begin(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	return context.WithValue(ctx, tallyKey{}, t), t
}

// Observer counts. Set it in the options of the database.
func Observer() dynastay.Observer {
	return dynastay.RequestObserver(func(ctx context.Context, call dynastay.Call) {
		t, counted := ctx.Value(tallyKey{}).(*Tally)
		if !counted {
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.requests += call.Requests()
		t.reads += call.ReadUnits()
		t.writes += call.WriteUnits()
	})
}

// String returns such as "2 requests, 1.5 read units, 6 write units".
func (t *Tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%s, %s, %s", count(float64(t.requests), "request"), count(t.reads, "read unit"), count(t.writes, "write unit"))
}

func count(n float64, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%g %ss", n, of)
}
