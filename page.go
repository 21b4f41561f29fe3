package dynastay

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Page is a part of a list, in the list's order. A page may hold fewer items than the limit, even none, without being
// the last: only an empty Next is the end.
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
	Limit int    // items at the most, 1 to 1,000; default 50
	After Cursor // the Next of the page before; default: the first page
	// Reads is how often a page may go back to DynamoDB before it is returned as it is, 1 to 100; default 10. A list that
	// leaves out much of what it reads needs several reads to fill a page. The other lists need one, which for a sharded
	// list is a request for each shard, sent in parallel, and a second one where the rows are spread unevenly.
	Reads int
}

const (
	defaultLimit = 50
	maxLimit     = 1000
	defaultReads = 10
	maxReads     = 100
)

// complete fills in the defaults.
func (p Paging) complete() (Paging, error) {
	switch {
	case p.Limit < 0 || p.Limit > maxLimit:
		return p, Invalid("Paging.Limit", "must be between 1 and 1,000")
	case p.Reads < 0 || p.Reads > maxReads:
		return p, Invalid("Paging.Reads", "must be between 1 and 100")
	}
	p.Limit, p.Reads = cmp.Or(p.Limit, defaultLimit), cmp.Or(p.Reads, defaultReads)
	return p, nil
}

// cursorVersion is the first byte of a cursor. A change of the form below takes another one, and old cursors are then
// refused instead of misread.
const cursorVersion = 1

// position is where a page ended: the table's sort value and, where an index was read, also the index's sort value and
// the table's partition value. It is the same for all partitions of a list that are merged: each goes on behind it. The partition value that was queried is left out on purpose, see [Cursor].
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
		return position{}, &InvalidError{Field: "Paging.After", Reason: reason, Err: ErrCursor}
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if err != nil || len(raw) < 9 || strings.ContainsAny(string(c), "\r\n") { // base64 passes over ends of lines
		return refuse("is not a valid cursor")
	}
	if raw[0] != cursorVersion {
		return refuse("was made by a different version of the library")
	}
	if cursorTag(query, raw[9:]) != [8]byte(raw[1:9]) {
		return refuse("belongs to a different query or was altered")
	}
	var p position
	if err := json.Unmarshal(raw[9:], &p); err != nil || p.SK == "" && p.PK == "" {
		return refuse("is not a valid cursor")
	}
	return p, nil
}
