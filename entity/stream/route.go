package stream

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/dynastay/dynastay"
)

// Route passes the changes of some items to a function. It is an argument of [NewRouter].
type Route struct {
	table     string
	handle    func(context.Context, Record) (ok bool, err error)
	otherwise bool
}

// On returns a route that decodes the changes of one kind of entity and passes them to fn. If the entity cannot be
// decoded, the error is permanent, see [Permanent].
func On[T any](d Decoder[T], fn func(context.Context, Change[T]) error) Route {
	return Route{table: d.table, handle: func(ctx context.Context, r Record) (bool, error) {
		c, ok, err := d.Decode(r)
		if err != nil {
			return true, Permanent(err)
		}
		if !ok {
			return false, nil
		}
		return true, fn(ctx, c)
	}}
}

// OnItems returns a route that passes the changes of all items in the table of schema s to fn.
func OnItems(db *dynastay.DB, s *dynastay.Schema, fn func(context.Context, Record) error) Route {
	return Route{table: db.TableName(s), handle: func(ctx context.Context, r Record) (bool, error) {
		return true, fn(ctx, r)
	}}
}

// Otherwise returns a route that passes to fn the changes of all items that no other route is for, in the tables that
// other routes are for.
func Otherwise(fn func(context.Context, Record) error) Route {
	return Route{otherwise: true, handle: func(ctx context.Context, r Record) (bool, error) { return true, fn(ctx, r) }}
}

// Router passes each change to the routes that are for its item.
type Router struct {
	routes    []Route
	otherwise []Route
	tables    []string
}

// NewRouter returns a router.
func NewRouter(routes ...Route) *Router {
	h := &Router{}
	for _, r := range routes {
		if r.otherwise {
			h.otherwise = append(h.otherwise, r)
			continue
		}
		h.routes = append(h.routes, r)
		if !slices.Contains(h.tables, r.table) {
			h.tables = append(h.tables, r.table)
		}
	}
	return h
}

// Tables returns the full names of the tables that the routes are for.
func (h *Router) Tables() []string { return slices.Clone(h.tables) }

// Handle passes a change to all routes that are for its item, in their order, up to the first error. If the change is
// handled again because of the error, all of them get it again. An item that no route is for is ignored, but a record
// of a table that no route is for is an error, because it means that the streams and the routes do not fit together. A
// panic of a route's function becomes a permanent error with the stack.
func (h *Router) Handle(ctx context.Context, r Record) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Permanent(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	if !slices.Contains(h.tables, r.Table) {
		return fmt.Errorf("no route is for the table %s; the routes are for %q", r.Table, h.tables)
	}
	taken := false
	for _, route := range h.routes {
		if route.table != r.Table {
			continue
		}
		ok, err := route.handle(ctx, r)
		if err != nil {
			return err
		}
		taken = taken || ok
	}
	if taken {
		return nil
	}
	for _, route := range h.otherwise {
		if _, err := route.handle(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// ErrPermanent: the change cannot be handled, and trying again would not help.
var ErrPermanent = errors.New("permanent")

// Permanent returns err as one that also matches [ErrPermanent]. The record then goes to the dead letters at once
// instead of being tried again. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

type permanent struct{ error }

func (p permanent) Unwrap() []error { return []error{ErrPermanent, p.error} }
