package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// streamed is the number of streams that are read. A local engine has one shard for each.
const streamed = 4

func (s *story) startA(ctx context.Context, out *report.Findings) error {
	s.a.start(ctx)
	return errors.Join(s.untilHeld(ctx, s.a, map[string]int{s.a.name: streamed}), s.showShards(ctx, out))
}

func (s *story) startB(ctx context.Context, out *report.Findings) error {
	s.b.start(ctx)
	return errors.Join(s.untilShared(ctx, s.b), s.showShards(ctx, out))
}

// race stops the process that delivers the messages while guests are booking. The other one takes its shards, and goes
// on where it has stopped.
func (s *story) race(ctx context.Context, out *report.Findings) error {
	goesOn, err := s.holderOf(ctx, outboxTable)
	if err != nil {
		return err
	}
	s.stopped, goesOn = goesOn, s.a
	if s.stopped == s.a {
		goesOn = s.b
	}
	refused, err := s.everyoneBooks(ctx, func() error {
		err := until(ctx, "some messages are delivered", func() (bool, error) { return s.handled.received.Load() >= stopAfter, nil })
		s.stopped.stop()
		return err
	})
	if err != nil {
		return err
	}
	out.Row(len(s.sold), "got a room")
	out.Row(refused, "refused: sold out")
	out.Row(s.stopped.name + " has stopped")
	if err := s.untilHeld(ctx, goesOn, map[string]int{goesOn.name: streamed}); err != nil {
		return err
	}
	return s.showHandled(ctx, out)
}

func (s *story) restart(ctx context.Context, out *report.Findings) error {
	s.stopped.start(ctx)
	return errors.Join(s.untilShared(ctx, s.stopped), s.showShards(ctx, out))
}

func (s *story) pay(ctx context.Context, out *report.Findings) error {
	return errors.Join(s.platform.pay(ctx, out), s.showHandled(ctx, out))
}

func (s *story) cancel(ctx context.Context, out *report.Findings) error {
	if err := errors.Join(s.platform.cancel(ctx, out), s.showHandled(ctx, out)); err != nil {
		return err
	}
	notified, err := s.notified(ctx)
	out.Row(notified, "notifications so far")
	return err
}

func (s *story) edit(ctx context.Context, out *report.Findings) error {
	return errors.Join(s.platform.edit(ctx, out), s.showHandled(ctx, out))
}

func (s *story) erase(ctx context.Context, out *report.Findings) error {
	if err := s.platform.erase(ctx, out); err != nil {
		return err
	}
	return errors.Join(s.showHandled(ctx, out), s.gone(out))
}

// deliverAgain passes the creation of the erased guest to the handlers, as if a process had been paused in between.
func (s *story) deliverAgain(ctx context.Context, out *report.Findings) error {
	at, err := keys.Of(keys.Profile{UserID: s.erased})
	if err != nil {
		return err
	}
	old, err := s.handled.firstOf(at)
	if err != nil {
		return err
	}
	_, _, before := s.handled.index.size()
	if err := s.handled.router(s.a.db, messages.Value).Handle(ctx, old); err != nil {
		return err
	}
	_, _, after := s.handled.index.size()
	out.Row("ignored", after-before, "creation of "+s.erased)
	if after == before {
		return errors.New("the index must ignore an old change")
	}
	return s.gone(out)
}

// gone fails if the index has the erased guest.
func (s *story) gone(out *report.Findings) error {
	at, err := keys.Of(keys.Profile{UserID: s.erased})
	if err != nil {
		return err
	}
	d, known := s.handled.index.get(at)
	if !known || !d.deleted || d.text != "" {
		return fmt.Errorf("the index must have only a marker of %s, got %+v", s.erased, d)
	}
	out.Row("index", 1, "marker and no document of "+s.erased)
	return nil
}

const unreadable = "msg_of_other_software"

// poison puts a message with a time of another form, and another message after it.
func (s *story) poison(ctx context.Context, out *report.Findings) error {
	at, err := key.Of(messageKey{unreadable})
	if err != nil {
		return err
	}
	item := outboxTable.Key.Of(at)
	maps.Copy(item, dynastay.Item{
		"MessageId": dynastay.Text(unreadable), "Topic": dynastay.Text(roomTaken), "BookingId": dynastay.Text(s.sold[0].ID),
		createdAt: dynastay.Number(int(time.Now().Unix())),
	})
	table := s.db.TableName(outboxTable)
	if _, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		return err
	}
	next, err := s.messages.Create(ctx, &message{Topic: roomTaken, BookingID: s.sold[1].ID})
	if err != nil {
		return err
	}
	s.sent = append(s.sent, next.ID)
	if err := s.showHandled(ctx, out); err != nil {
		return err
	}
	dead, err := parked(ctx, s.db)
	if err != nil {
		return err
	}
	for _, d := range dead {
		out.Row("dead letter: " + d.Error)
	}
	if len(dead) != 1 {
		return fmt.Errorf("%d dead letters, want 1", len(dead))
	}
	return s.delivered(ctx, map[string]int{unreadable: 0, next.ID: 1})
}

// handleDeadLetter passes the stored change to a router with the corrected handler.
func (s *story) handleDeadLetter(ctx context.Context, out *report.Findings) error {
	dead, err := parked(ctx, s.db)
	if err != nil {
		return err
	}
	router := s.handled.router(s.a.db, readBoth)
	for _, d := range dead {
		var change stream.Record
		if err := json.Unmarshal([]byte(d.Record), &change); err != nil {
			return err
		}
		err := until(ctx, "the message is delivered", func() (bool, error) {
			err := router.Handle(ctx, change)
			if errors.Is(err, errInjected) { // nobody but the program tries again here
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return err
		}
		if err := d.remove(ctx, s.db); err != nil {
			return err
		}
		s.sent = append(s.sent, unreadable)
	}
	out.Row(len(dead), "handled")
	return s.delivered(ctx, map[string]int{unreadable: 1})
}

// refundLater makes changes while nobody reads the streams.
func (s *story) refundLater(ctx context.Context, out *report.Findings) error {
	s.stopProcesses()
	if err := s.refund(ctx); err != nil {
		return err
	}
	out.Row(late, "refunded")
	return s.showShards(ctx, out)
}

func (s *story) drain(ctx context.Context, out *report.Findings) error {
	return errors.Join(s.a.Drain(ctx), s.showShards(ctx, out))
}

func (s *story) stopProcesses() {
	s.a.stop()
	s.b.stop()
}
