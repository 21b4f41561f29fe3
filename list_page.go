package dynastay

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Page is a part of a list, in the list's order. A page may contain fewer items than the limit, or none, and still not
// be the last: only an empty Next marks the end.
type Page[T any] struct {
	Items []T `json:",omitzero"`
	Next  Cursor
}

// Cursor is the position after a page: opaque, versioned text that can safely be sent to a browser and accepted from
// it. It contains only the position. The partition is rebuilt from the arguments of the call that the cursor is passed
// to, so a cursor can never open another user's partition. It is neither secret nor signed. A cursor that is damaged,
// or that belongs to a different query or to different arguments, fails with [ErrCursor] before any request.
type Cursor string

// Paging selects one page.
type Paging struct {
	Limit int    // maximum number of items, 1 to 1,000; default 50
	After Cursor // the Next of the previous page; default: the first page
	// Until is where the page ends at the latest: the Next of an earlier page. It is for reading the same part of a list
	// again, for example to sort it anew. Next is then Until, or an earlier position if Limit or Reads end the page
	// first. It is not supported for the result of [Intersect] or [Union]. Default: the end of the list.
	Until Cursor
	// Reads is the maximum number of reads from DynamoDB for one page, 1 to 100; default 10. A page that is not full
	// after that is returned as it is. A list that filters out much of what it reads needs several reads to fill a
	// page. Other lists need one read. For a sharded list, a read is one request for each shard, sent in parallel; a
	// second read follows if the rows are spread unevenly.
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

// cursorVersion is the first byte of a cursor. If the form below changes, so must the version: old cursors are then
// refused instead of misread.
const cursorVersion = 1

// position is where a page ended: the table's sort value and, if an index was read, also the index's sort value and the
// table's partition value. It is the same for all merged partitions of a list: each continues after it. The partition
// value that was queried is left out on purpose, see [Cursor].
// See docs/decisions/0009-lists.md for why one position is enough.
type position struct {
	Sort string `json:"s,omitempty"`
	PK   string `json:"p,omitempty"`
	SK   string `json:"k,omitempty"`
}

// NewCursor returns a cursor for a list that its author reads by other means than [ListOf], such as one that is sorted in
// memory. query identifies the list and its arguments: a cursor is refused by [Cursor.Position] for any other query.
// position is encoded as JSON; NewCursor panics if that is impossible, which depends only on the type of position and on
// numbers that are not finite.
func NewCursor(query string, position any) Cursor {
	body, err := json.Marshal(position)
	if err != nil {
		panic("dynastay.NewCursor: " + err.Error())
	}
	tag := cursorTag(query, body)
	raw := append([]byte{cursorVersion}, tag[:]...)
	return Cursor(base64.RawURLEncoding.EncodeToString(append(raw, body...)))
}

// Position decodes into position, a pointer, what [NewCursor] encoded for the same query. For any other cursor it
// returns an [*InvalidError] that matches [ErrCursor].
func (c Cursor) Position(query string, position any) error {
	refuse := func(reason string) error {
		return &InvalidError{Field: "Paging.After", Reason: reason, Err: ErrCursor}
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if err != nil || len(raw) < 9 || strings.ContainsAny(string(c), "\r\n") { // base64 ignores line breaks
		return refuse("is not a valid cursor")
	}
	if raw[0] != cursorVersion {
		return refuse("was created by a different version of the library; start again from the first page")
	}
	if cursorTag(query, raw[9:]) != [8]byte(raw[1:9]) {
		return refuse("was altered, or belongs to a different query or to different arguments; start again from the first page")
	}
	if json.Unmarshal(raw[9:], position) != nil {
		return refuse("is not a valid cursor")
	}
	return nil
}

// cursorTag ties a position to its query: with a different query, or a damaged byte, it no longer matches.
func cursorTag(query string, body []byte) [8]byte {
	h := sha256.New()
	h.Write([]byte{cursorVersion})
	h.Write([]byte(query))
	h.Write([]byte{0})
	h.Write(body)
	return [8]byte(h.Sum(nil))
}

func (p position) cursor(query string) Cursor { return NewCursor(query, p) }

func (c Cursor) position(query string) (p position, err error) {
	if err := c.Position(query, &p); err != nil {
		return position{}, err
	}
	if p.SK == "" && p.PK == "" {
		return position{}, &InvalidError{Field: "Paging.After", Reason: "is not a valid cursor", Err: ErrCursor}
	}
	return p, nil
}
