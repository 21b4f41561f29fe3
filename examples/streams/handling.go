package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

// handling is what the processes share besides the tables: the search engine, the hotel's system, and what goes wrong.
type handling struct {
	index         *index
	received      atomic.Int64 // by the hotel's system, with those that it got again
	crashes, lost faults
	errs          errs

	mu    sync.Mutex
	first map[dynastay.Key][]byte // the first change of each item in the table Users, in JSON
}

func newHandling() *handling {
	return &handling{index: &index{documents: map[dynastay.Key]document{}}, first: map[dynastay.Key][]byte{}}
}

// router returns the handlers of one process. read decodes the messages in the outbox.
func (h *handling) router(db *dynastay.DB, read func(dynastay.Row) (*message, error)) *stream.Router {
	notifier := &notifier{db: db, notifications: entity.NewTable(db, notifications), crash: &h.crashes}
	outbox := &outbox{
		messages: entity.NewTable(db, messages), lost: &h.lost,
		receiver: &receiver{db: db, receipts: entity.NewTable(db, receipts), calls: &h.received},
	}
	booked := bookings.New(db, nil).Changes()
	return stream.NewRouter(
		stream.On(booked.Bookings, notifier.onBooking),
		stream.On(booked.Refunds, notifier.onRefund),
		stream.On(properties.New(db, nil).Changes().Properties, indexed(h.index, textOfHotel)),
		stream.On(users.New(db, nil).Changes().Users, indexed(h.index, textOfGuest)),
		stream.On(stream.NewDecoder(db, outboxTable, key.Is[messageKey], read), outbox.deliver),
		stream.OnItems(db, keys.UsersTable, h.keepFirst),
	)
}

// keepFirst keeps the first change of each item, to deliver it again later. Do not do that on a platform: the changes
// contain personal data, which an erasure would not find.
func (h *handling) keepFirst(_ context.Context, r stream.Record) error {
	record, err := json.Marshal(r)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := keys.UsersTable.Key.From(r.Keys); h.first[at] == nil {
		h.first[at] = record
	}
	return nil
}

func (h *handling) firstOf(at dynastay.Key) (r stream.Record, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return r, json.Unmarshal(h.first[at], &r)
}

// faults makes handlers fail after they have had their effect, as if the process had crashed or a response were lost.
type faults struct {
	mu     sync.Mutex
	met    map[string]bool
	failed int
}

var errInjected = errors.New("failed after the effect")

// firstTime fails for every third id, when it is called with the id for the first time.
func (f *faults) firstTime(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.met[id] {
		return nil
	}
	if f.met == nil {
		f.met = map[string]bool{}
	}
	f.met[id] = true
	if len(f.met)%3 != 1 {
		return nil
	}
	f.failed++
	return errInjected
}

func (f *faults) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}
