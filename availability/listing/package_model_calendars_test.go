package listing_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// calendars is the model: what is stored for each listing.
type calendars map[string]*calendar

type calendar struct {
	events  map[string]modelEvent
	imports map[string]modelImport
}

type modelEvent struct {
	stay     dynastay.Stay
	imported bool
	version  int
}

type modelImport struct {
	revision           int
	stay               dynastay.Stay
	cancelled, deleted bool
}

func newCalendars() calendars {
	all := calendars{}
	for _, at := range []string{"lst_1", "lst_2"} {
		all[at] = &calendar{map[string]modelEvent{}, map[string]modelImport{}}
	}
	return all
}

func (c calendars) clone() calendars {
	all := calendars{}
	for at, one := range c {
		all[at] = &calendar{maps.Clone(one.events), maps.Clone(one.imports)}
	}
	return all
}

func (c calendars) String() string {
	var lines []string
	for at, one := range c {
		for id, e := range one.events {
			lines = append(lines, fmt.Sprintf("%s EVENT#%s %s version %d", at, id, e.stay, e.version))
			for date := range e.stay.Dates() {
				lines = append(lines, fmt.Sprintf("%s DATE#%s %s", at, date, id))
			}
		}
		for id, i := range one.imports {
			lines = append(lines, fmt.Sprintf("%s IMPORT#%s revision %d %s %t %t", at, id, i.revision, i.stay, i.cancelled, i.deleted))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// lineOf returns a stored item in the form of calendars.String.
func lineOf(row dynastay.Row) string {
	sk := row.Text("sk")
	stay := dynastay.Stay{}
	_ = stay.CheckIn.UnmarshalText([]byte(row.Text("checkIn")))
	_ = stay.CheckOut.UnmarshalText([]byte(row.Text("checkOut")))
	switch {
	case strings.HasPrefix(sk, "EVENT#"):
		moving := ""
		if row.Value("moving").Kind() != dynastay.KindMissing {
			moving = " moving"
		}
		return fmt.Sprintf("%s %s version %d%s", sk, stay, row.Int("version"), moving)
	case strings.HasPrefix(sk, "IMPORT#"):
		is := func(name string) bool { return row.Value(name).Kind() == dynastay.KindBool }
		return fmt.Sprintf("%s revision %d %s %t %t", sk, row.Int("revision"), stay, is("cancelled"), is("deleted"))
	}
	return sk + " " + row.Text("eventId")
}

// taken returns the nights of a stay that events hold, apart from one.
func (c *calendar) taken(stay dynastay.Stay, but string) (nights []string) {
	for date := range stay.Dates() {
		for id, e := range c.events {
			if id != but && e.stay.Contains(date) {
				nights = append(nights, date.String()+" "+id)
			}
		}
	}
	return nights
}

func (w *world) book(at, id string, stay dynastay.Stay) operation {
	return operation{"Book", func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error) {
		_, err := listing.New(db).Book(ctx, listing.Booking{ListingID: at, HostID: host, BookingID: id, Stay: stay})
		return "", err
	}, placed(at, "BOOKING#"+id, stay)}
}

func (w *world) block(at, id string, stay dynastay.Stay) operation {
	return operation{"Block", func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error) {
		_, err := listing.New(db).Block(ctx, listing.Block{ListingID: at, HostID: host, BlockID: id, Stay: stay})
		return "", err
	}, placed(at, "BLOCK#"+id, stay)}
}

func placed(at, event string, stay dynastay.Stay) func(calendars) (string, []string) {
	return func(c calendars) (string, []string) {
		taken := c[at].taken(stay, event)
		_, there := c[at].events[event]
		switch {
		case there && stay.Nights() > 97 && len(taken) > 0:
			return "taken", taken // it is refused before the event is read
		case there:
			return "exists", nil
		case len(taken) > 0:
			return "taken", taken
		}
		c[at].events[event] = modelEvent{stay: stay, version: 1}
		return "done", nil
	}
}

// message is an entity of the caller's own.
type message struct{ ID string }

var messages = entity.New(entity.Spec[message]{
	Name: "Message", Schema: &dynastay.Schema{Name: "Messages", Key: dynastay.KeyNames{Partition: "PK"}},
	Key:   func(m *message) (dynastay.Key, error) { return key.Of(messageKey(*m)) },
	Codec: entity.Declare(func(f *entity.Fields, m *message) { f.String("ID", &m.ID) }),
})

type messageKey message

func (k *messageKey) Form(f *key.Form) { f.PK("MESSAGE#", key.ID("ID", &k.ID)) }

// bookWithMessage writes a booking and a message of the caller's own, or neither.
func (w *world) bookWithMessage(at, id string, stay dynastay.Stay) operation {
	stay.CheckOut = stay.CheckIn.AddDays(min(stay.Nights(), 5))
	return operation{"Book with a message", func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error) {
		book := listing.New(db).BookOp(listing.Booking{ListingID: at, HostID: host, BookingID: id, Stay: stay})
		return "", db.Write(ctx, book, entity.NewTable(db, messages).CreateOp(&message{at + id}))
	}, placed(at, "BOOKING#"+id, stay)}
}

func (w *world) modify(at, event string, stay dynastay.Stay, version int) operation {
	var opts []dynastay.UpdateOption
	if version > 0 {
		opts = append(opts, dynastay.IfVersion(version))
	}
	return operation{"Modify", func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error) {
		_, err := listing.New(db).Modify(ctx, at, event, stay, opts...)
		return "", err
	}, func(c calendars) (string, []string) {
		e, there := c[at].events[event]
		taken := c[at].taken(stay, event)
		switch {
		case !there:
			return "not found", nil
		case e.imported:
			return "imported", nil
		case len(taken) > 0 && (version == 0 || version == e.version):
			return "taken", taken
		case version > 0 && version != e.version:
			return "version", nil
		case e.stay != stay:
			c[at].events[event] = modelEvent{stay: stay, version: e.version + 1}
		}
		return "done", nil
	}}
}

func (w *world) remove(at, event string) operation {
	return operation{"Delete", func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error) {
		return "", listing.New(db).Delete(ctx, at, event)
	}, func(c calendars) (string, []string) {
		e, there := c[at].events[event]
		if !there {
			return "not found", nil
		}
		delete(c[at].events, event)
		if e.imported {
			for id, i := range c[at].imports {
				if "BOOKING#bk_"+strings.ReplaceAll(strings.ToLower(id), "#", "_") == strings.ReplaceAll(strings.ToLower(event), "booking#", "BOOKING#") {
					i.deleted = true
					c[at].imports[id] = i
				}
			}
		}
		return "done", nil
	}}
}

func importOf(d listing.Reservation) string { return string(d.Source) + "#" + d.ExternalID }

func (w *world) deliver(d listing.Reservation) operation {
	return operation{"Import", func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error) {
		got, err := listing.New(db).Import(ctx, d)
		return got.Outcome, err
	}, func(c calendars) (string, []string) {
		at, event := c[d.ListingID], "BOOKING#"+d.BookingID
		was, known := at.imports[importOf(d)]
		holds := known && !was.cancelled && !was.deleted
		switch {
		case known && d.Revision < was.revision:
			return "outdated", nil
		case known && d.Revision == was.revision:
			return "repeated", nil
		case !d.Cancelled && !(holds && was.stay == d.Stay):
			if taken := at.taken(d.Stay, event); len(taken) > 0 {
				return "taken", taken
			}
		}
		at.imports[importOf(d)] = modelImport{d.Revision, d.Stay, d.Cancelled, false}
		switch {
		case d.Cancelled && known && was.cancelled, !d.Cancelled && holds && was.stay == d.Stay:
			return "unchanged", nil
		case d.Cancelled:
			delete(at.events, event)
			return "cancelled", nil
		case holds:
			at.events[event] = modelEvent{d.Stay, true, at.events[event].version + 1}
			return "changed", nil
		}
		at.events[event] = modelEvent{d.Stay, true, 1}
		return "created", nil
	}}
}
