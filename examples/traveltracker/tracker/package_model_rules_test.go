package tracker_test

import (
	"maps"
	"time"

	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// book is what the rules say that the server has of one visit. It is written from the description of the rules alone.
type book struct {
	there, deleted bool
	began, version int                      // the first version, and that of now
	expires        time.Time                // a deleted one counts as missing then
	text           map[tracker.Field]string // region name, date and notes
	wrote          map[tracker.Field]writer
}

type writer struct {
	version int
	at      time.Time
	device  string
}

func (w writer) beats(other writer) bool {
	if !w.at.Equal(other.at) {
		return w.at.After(other.at)
	}
	return w.device > other.device
}

// message is an operation on one visit.
type message struct {
	kind    tracker.OperationType
	version int
	by      writer // without a version
	text    map[tracker.Field]string
	waited  *int // the version of the book when it began to wait
	number  int  // that its entry in the log would have
	now     time.Time
}

var textFields = []tracker.Field{tracker.RegionName, tracker.VisitedDate, tracker.Notes}

// expired reports whether nothing has to be left of the visit.
func (b book) expired(now time.Time) bool { return b.deleted && !b.expires.After(now) }

func (b book) clone() book {
	b.text, b.wrote = maps.Clone(b.text), maps.Clone(b.wrote)
	return b
}

// receive returns the book after a message, and the outcome. rule is the name of a rule, or "ask".
func (b book) receive(m message, rule string) (book, tracker.Outcome) {
	if b = b.clone(); b.expired(m.now) {
		b = book{}
	}
	if m.kind == tracker.Create {
		m.version = 0
	}
	newer := func(f tracker.Field) bool {
		w := b.wrote[f]
		if m.waited != nil && (w.version > *m.waited || *m.waited > b.version) {
			return true // whoever wrote it
		}
		return (w.version > m.version || m.version > b.version) && w.device != m.by.device
	}
	if !b.there && m.kind != tracker.Create {
		return b, tracker.Rejected
	}
	if b.there && b.deleted && m.kind != tracker.Create && !newer(tracker.Deleted) {
		return b, tracker.Rejected
	}

	// What the message would write, and what of it another device has written.
	mine := map[tracker.Field]bool{}
	for f := range m.text {
		mine[f] = true
	}
	conflicts := map[tracker.Field]bool{}
	if b.there {
		for _, f := range textFields {
			if newer(f) && (m.kind == tracker.Delete || mine[f] && !(b.deleted && m.kind == tracker.Create)) {
				conflicts[f] = true
			}
		}
		if newer(tracker.Deleted) && (b.deleted || m.kind == tracker.Delete) {
			conflicts[tracker.Deleted] = true
		}
	}
	if b.deleted && m.kind == tracker.Delete { // it writes no field but the deletion
		for _, f := range textFields {
			delete(conflicts, f)
		}
	}
	if len(conflicts) > 0 {
		beatsAll := true
		for f := range conflicts {
			beatsAll = beatsAll && m.by.beats(b.wrote[f])
		}
		switch rule {
		case "ask":
			return b, tracker.Waiting
		case "server_wins":
			return b, tracker.Rejected
		case "last_writer":
			if !beatsAll {
				return b, tracker.Rejected
			}
		case "merge":
			switch {
			case m.kind == tracker.Delete:
				if !beatsAll {
					return b, tracker.Rejected
				}
			case b.deleted && !m.by.beats(b.wrote[tracker.Deleted]):
				return b, tracker.Rejected
			case b.deleted && m.kind == tracker.Create:
			default:
				for f := range mine {
					if conflicts[f] && !m.by.beats(b.wrote[f]) {
						delete(mine, f)
					}
				}
				if len(mine) == 0 {
					return b, tracker.Rejected
				}
			}
		}
	}
	return b.write(m, mine), tracker.Applied
}

func (b book) write(m message, mine map[tracker.Field]bool) book {
	b.version++
	if !b.there {
		b.began, b.version = m.number, m.number
	}
	by := m.by
	by.version = b.version
	if !b.there || b.deleted && m.kind == tracker.Create {
		b.text, b.there = map[tracker.Field]string{}, true
		if b.wrote == nil {
			b.wrote = map[tracker.Field]writer{}
		}
		for _, f := range textFields {
			b.wrote[f] = by
		}
		b.wrote[tracker.Deleted] = by
	}
	for f := range mine {
		b.text[f], b.wrote[f] = m.text[f], by
	}
	if b.deleted || m.kind == tracker.Delete {
		b.wrote[tracker.Deleted] = by
	}
	b.deleted, b.expires = m.kind == tracker.Delete, m.now.AddDate(0, 0, 90)
	return b
}
