package dynastay

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"iter"
	"strings"
)

// Page is a part of a query's answer, in the query's order. A page may hold fewer items than the limit, even none,
// without being the last: only an empty Next is the end.
type Page[T any] struct {
	Items []T
	Next  Cursor
}

// Cursor is a position behind a page: opaque, versioned text that is safe to hand to a browser and to take back. It
// holds nothing but the position: the partition that it points into is rebuilt from the arguments of the call that it
// is passed to, so it can never open another user's. It is neither secret nor signed. A cursor of another query, of
// the same one with other arguments, or a damaged one is refused with [ErrCursor] before any request.
type Cursor string

// Paging asks for one page.
type Paging struct {
	Limit int    // items at the most, 1 to 1000; default 50
	After Cursor // the Next of the page before; default: the first page
}

const (
	defaultLimit = 50
	maxLimit     = 1000
)

func (p Paging) limit() (int, error) {
	switch {
	case p.Limit == 0:
		return defaultLimit, nil
	case p.Limit < 0 || p.Limit > maxLimit:
		return 0, Invalid("Limit", "%d is not between 1 and %d", p.Limit, maxLimit)
	}
	return p.Limit, nil
}

// Each walks all pages of a query, one request at a time as the loop goes on. It starts after from.After and ends with
// the loop, the last page, or an error, which it yields once.
//
//	for b, err := range dynastay.Each(ctx, dynastay.Paging{}, func(ctx context.Context, p dynastay.Paging) (dynastay.Page[*bookings.Summary], error) {
//		return repo.ByUser(ctx, userID, p)
//	}) { … }
func Each[T any](ctx context.Context, from Paging, page func(context.Context, Paging) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			got, err := page(ctx, from)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range got.Items {
				if !yield(item, nil) {
					return
				}
			}
			if got.Next == "" {
				return
			}
			from.After = got.Next
		}
	}
}

// cursorVersion is the first byte of a cursor. A change of the form below takes another one, and old cursors are then
// refused instead of misread.
const cursorVersion = 1

// position is where a page ended: the table's sort value and, where an index was read, also the index's sort value and
// the table's partition value. The partition value that was queried is left out on purpose, see [Cursor].
type position struct {
	Sort string `json:"s,omitempty"`
	PK   string `json:"p,omitempty"`
	SK   string `json:"k,omitempty"`
}

// cursorTag ties a position to its query: a copy under another query, or a damaged byte, no longer matches.
func cursorTag(query string, body []byte) [8]byte {
	h := sha256.New()
	h.Write([]byte{cursorVersion})
	h.Write([]byte(query))
	h.Write([]byte{0})
	h.Write(body)
	return [8]byte(h.Sum(nil))
}

func (p position) cursor(query string) Cursor {
	body, _ := json.Marshal(p) // a struct of strings cannot fail
	tag := cursorTag(query, body)
	raw := append([]byte{cursorVersion}, tag[:]...)
	return Cursor(base64.RawURLEncoding.EncodeToString(append(raw, body...)))
}

func (c Cursor) position(query string) (position, error) {
	refuse := func(reason string) (position, error) {
		return position{}, &InvalidError{Field: "After", Reason: reason, Err: ErrCursor}
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if err != nil || len(raw) < 9 || strings.ContainsAny(string(c), "\r\n") { // base64 passes over ends of lines
		return refuse("is not a cursor")
	}
	if raw[0] != cursorVersion {
		return refuse("is a cursor of another version of the library")
	}
	if cursorTag(query, raw[9:]) != [8]byte(raw[1:9]) {
		return refuse("belongs to another query or was altered")
	}
	var p position
	if err := json.Unmarshal(raw[9:], &p); err != nil || p.SK == "" && p.PK == "" {
		return refuse("is not a cursor")
	}
	return p, nil
}
