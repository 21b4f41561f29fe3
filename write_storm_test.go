package dynastay_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fake"
)

// shelf is what the storm rages over: a text and a count of updates, a label that follows from both, and a count of deltas.
type shelf struct {
	ID, Text      string
	Sent, Hits    int
	Version       int
	WriteID       dynastay.WriteID
	label, writer string // only in the model: the derived label, and whose write id the item carries, "" for none
}

var background = context.Background() // a late request, and one on the way, outlives the context of its call

func labelOf(v *shelf) string { return fmt.Sprint(v.Text, "#", v.Sent) }

var shelfEntity = entity.New(entity.Spec[shelf]{
	Name: "Shelf", Schema: outboxTable, Version: "version", Counters: []string{"hits"},
	Key: func(v *shelf) (dynastay.Key, error) { return keyOf(v.ID), nil },
	Derived: []entity.Derived[shelf]{{Name: "label", Value: func(v *shelf) (types.AttributeValue, error) {
		return dynastay.Text(labelOf(v)), nil
	}}},
	Codec: entity.Declare(func(f *entity.Fields, v *shelf) {
		f.String("id", &v.ID)
		f.String("text", &v.Text)
		f.Int("sent", &v.Sent)
		f.Int("hits", &v.Hits)
		f.IfSet().Int("version", &v.Version)
		f.WriteID("WriteId", &v.WriteID)
	}),
})

// step is one operation of a call on one shelf.
type step struct {
	do      string // "create", "put", "update", "delete", "add", or "enter" through the door
	id      string
	version *int   // IfVersion
	written *shelf // IfWritten: as it was when the caller read it
}

// storyline is what one or more calls under one idempotency key, or one call without, set out to do.
type storyline struct {
	name, key string
	steps     []step
	done      int // the time of its commit, 0 for none
}

type call struct {
	*storyline
	cancel  context.CancelFunc
	done    bool // by this very call
	replays bool // an earlier call was carried out under the same key
	clouded bool // an answer was lost, or a read failed
	told    bool // of a refusal under a token
	refused bool // and its caller was told that it wrote nothing
}

// letter is a request on its way.
type letter struct {
	from  *call
	token string
	send  func() error
}

// storm is one world: shelves, callers whose calls interleave, and the network between them and DynamoDB.
type storm struct {
	*rapid.T
	engine  dynastay.Client
	db      *dynastay.DB
	direct  *entity.Table[shelf]
	dbs     []*dynastay.DB     // by the depth of a call: calls that interrupt each other are of different processes
	ids     []string           // of the shelves
	door    string             // an item that other software puts and removes
	history []map[string]shelf // the shelves after every commit
	stories []*storyline
	stack   []*call
	late    []*letter
	carried map[string]bool // client tokens, which the engine remembers
	told    map[string]bool // client tokens that were refused, and the caller knows
}

var stormWorlds = flag.Int("storm.worlds", 15, "histories of TestWritesAreTrueInAStorm, at most -rapid.checks")

// Whatever becomes of its requests, a call that returns nil was carried out once, and one that returns a definite error was
// not and never will be. What was carried out took place at one moment, on its conditions.
//
// The network loses requests and answers, and delivers requests late, also after the call has returned. It does not
// deliver what was refused under the same token and whose call has returned: that is the case that no client can exclude.
func TestWritesAreTrueInAStorm(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{})
	worlds, failed := 0, false
	rapid.Check(t, func(t *rapid.T) {
		// -rapid.checks is about all tests of the package, and most of them need no engine. After a failure, rapid looks
		// for a shorter history that fails as well.
		if worlds++; worlds > *stormWorlds && !failed {
			return
		}
		defer func() { failed = failed || t.Failed() }()
		s := &storm{
			T: t, engine: db.Engine.Client(), db: db.Direct, direct: entity.NewTable(db.Direct, shelfEntity),
			history: []map[string]shelf{{}}, carried: map[string]bool{}, told: map[string]bool{},
		}
		for depth := range 3 {
			s.dbs = append(s.dbs, dynastay.Open(fake.Client{Do: s.weather}, &dynastay.Options{
				TablePrefix: prefix(db), NoGates: depth == 2, Settle: time.Minute,
				Retry: dynastay.Retry{Attempts: 4, Base: time.Microsecond, Cap: time.Microsecond},
			}))
		}
		s.ids, s.door = []string{fmt.Sprint(worlds, "a"), fmt.Sprint(worlds, "b")}, fmt.Sprint(worlds, "door")
		_, err := s.direct.Put(background, &shelf{ID: s.ids[0], Text: "old"})
		require.NoError(t, err)
		s.history[0][s.ids[0]] = shelf{ID: s.ids[0], Text: "old", label: "old#0", writer: "before"}
		for range 4 + die.Draw(t, "calls")/2 {
			s.deliverLate()
			s.act()
		}
		for len(s.late) > 0 {
			s.deliver(0)
		}
		s.compare()
	})
}

func (s *storm) act() {
	if s.chance(3, "other software") {
		s.meddle(s.ids[die.Draw(s.T, "shelf")%2])
		return
	}
	s.call(s.story())
}

// plots are the operations that calls are made of.
var plots = [16][]string{
	{"update"}, {"create"}, {"put"}, {"delete"}, {"add"}, {"update"}, {"delete"}, {"update", "enter"},
	{"update", "create"}, {"update", "update"}, {"create", "delete"}, {"update", "add"}, {"create", "create"},
	{"update", "enter"}, {"create", "enter"}, {"update", "add", "enter"},
}

// story is a new one, or one that is told again.
func (s *storm) story() *storyline {
	keyed := slices.DeleteFunc(slices.Clone(s.stories), func(l *storyline) bool { return l.key == "" })
	if len(keyed) > 0 && s.chance(5, "repeat") {
		return rapid.SampledFrom(keyed).Draw(s.T, "which")
	}
	l := &storyline{name: fmt.Sprint(s.ids[0], len(s.stories))}
	first := die.Draw(s.T, "shelf")
	for i, do := range plots[die.Draw(s.T, "operations")] {
		st := step{do: do, id: s.ids[(first+i)%2]}
		if do == "update" || do == "delete" {
			seen, err := s.direct.Get(background, keyOf(st.id), dynastay.Consistent)
			switch n := die.Draw(s.T, "if"); {
			case err != nil:
			case n >= 13:
				st.version = &seen.Version
			case n >= 10 && seen.WriteID != "":
				st.written = &shelf{WriteID: seen.WriteID, writer: s.shelves()[st.id].writer}
			}
		}
		l.steps = append(l.steps, st)
	}
	if s.chance(5, "keyed") {
		l.key = l.name
	}
	s.stories = append(s.stories, l)
	return l
}

func (s *storm) call(l *storyline) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	c, db := &call{storyline: l, cancel: cancel, replays: l.done > 0}, s.dbs[len(s.stack)]
	var parts []dynastay.Part
	for _, st := range l.steps {
		parts = append(parts, s.operation(db, l.name, st))
	}
	if l.key != "" {
		parts = append(parts, dynastay.IdempotencyKey(l.key))
	}
	s.Logf("%*s%s begins: %+v", 2*len(s.stack), "", l.name, l.steps)
	s.stack = append(s.stack, c)
	err := db.Write(ctx, parts...)
	s.stack = s.stack[:len(s.stack)-1]
	s.Logf("%*s%s ends: %v", 2*len(s.stack), "", l.name, err)
	s.forget(c)
	switch {
	case err == nil:
		require.NotZero(s.T, l.done, "%s was acknowledged", l.name)
		for i, st := range l.steps {
			if op, ok := parts[i].(*dynastay.Operation[*shelf]); ok {
				s.isTrue(l, st, op.Result())
			}
		}
	case errors.Is(err, dynastay.ErrCommitted):
		require.NotZero(s.T, l.done, "%s: %v", l.name, err)
	case errors.Is(err, dynastay.ErrOutcomeUnknown):
		require.True(s.T, c.clouded, "%s: %v", l.name, err)
	default:
		require.False(s.T, c.done || c.replays, "%s was carried out, and is told %v", l.name, err)
		c.refused = true
	}
}

// isTrue asks that a result was the state of the shelf when the write was carried out or, read again, at some time since.
func (s *storm) isTrue(l *storyline, st step, got *shelf) {
	for _, at := range s.history[l.done:] {
		if was, there := at[st.id]; there && was.Text == got.Text && was.Sent == got.Sent && was.Version == got.Version {
			return
		}
	}
	s.Fatalf("%s shows %+v, which never was: %+v", l.name, *got, s.history[l.done:])
}

func (s *storm) operation(db *dynastay.DB, name string, st step) dynastay.Part {
	table, opts := entity.NewTable(db, shelfEntity), []dynastay.UpdateOption{dynastay.AgreedOn(name)}
	if st.version != nil {
		opts = append(opts, dynastay.IfVersion(*st.version))
	}
	if st.written != nil {
		opts = append(opts, dynastay.IfWritten(st.written.WriteID))
	}
	switch st.do {
	case "create":
		return table.CreateOp(&shelf{ID: st.id, Text: name})
	case "put":
		return table.PutOp(&shelf{ID: st.id, Text: name})
	case "update":
		return table.UpdateOp(keyOf(st.id), func(v *shelf) error { v.Sent++; return nil }, opts...)
	case "delete":
		return table.DeleteOp(keyOf(st.id), opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test." + st.do, Input: func(in *dynastay.Input) { in.Field("name", name) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			if st.do == "add" {
				tx.Update(outboxTable, keyOf(st.id), addHit).Else(func(dynastay.Row) error { return dynastay.ErrNotFound })
				return none, nil
			}
			// The door has to be as it is now. Unlike a write id, that may be so again: what was refused for it may yet be done.
			door, err := db.Get(ctx, outboxTable, keyOf(s.door), dynastay.Consistent)
			condition := exists
			if !door.Exists() {
				condition = dynastay.IfNew(outboxTable)
			}
			tx.Check(outboxTable, keyOf(s.door), condition, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return none, err
		},
	})
}

var addHit = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(expression.AttributeExists(expression.Name("id"))).
	WithUpdate(expression.Add(expression.Name("hits"), expression.Value(1)))).With(nil)

// meddle is other software, which changes a text, leaves the label as it is, and removes the write id.
func (s *storm) meddle(id string) {
	next := maps.Clone(s.shelves())
	v, there := next[id]
	if !there {
		return
	}
	v.Text, v.writer = fmt.Sprint("meddled", len(s.history)), ""
	item, err := shelfEntity.Item(&v)
	require.NoError(s.T, err)
	item["label"] = dynastay.Text(v.label)
	require.NoError(s.T, s.db.PutAll(background, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(outboxTable, item) }))
	next[id] = v
	s.history = append(s.history, next)
}

// swing opens or closes the door.
func (s *storm) swing() {
	err := s.direct.Delete(background, keyOf(s.door))
	if errors.Is(err, dynastay.ErrNotFound) {
		_, err = s.direct.Put(background, &shelf{ID: s.door})
	}
	require.NoError(s.T, err)
}

func (s *storm) shelves() map[string]shelf { return s.history[len(s.history)-1] }

// commit is told by the engine: in the model the call takes place now.
func (s *storm) commit(c *call) {
	s.Logf("%*s%s is carried out", 2*len(s.stack), "", c.name)
	require.Zero(s.T, c.storyline.done, "%s is carried out twice", c.name)
	require.False(s.T, c.refused, "%s was refused, and is carried out", c.name)
	next := maps.Clone(s.shelves())
	for _, st := range c.steps {
		v, there := next[st.id]
		if !slices.Contains([]string{"put", "enter"}, st.do) {
			require.Equal(s.T, st.do != "create", there, "%s: %+v", c.name, st)
		}
		if st.version != nil {
			require.Equal(s.T, *st.version, v.Version, "%s: %+v", c.name, st)
		}
		if st.written != nil {
			require.Equal(s.T, st.written.writer, v.writer, "%s: %+v", c.name, st)
		}
		switch st.do {
		case "create", "put":
			v = shelf{ID: st.id, Text: c.name}
			if st.do == "create" {
				v.Version = 1
			}
			v.label, v.writer = labelOf(&v), c.name
		case "update":
			v.Sent++
			v.Version++
			v.label, v.writer = labelOf(&v), c.name
		case "add":
			v.Hits++
		}
		if next[st.id] = v; st.do == "delete" || !there && st.do == "enter" {
			delete(next, st.id)
		}
	}
	c.done, c.storyline.done = true, len(s.history)
	s.forget(c)
	s.history = append(s.history, next)
}

// compare holds the stored shelves against the model.
func (s *storm) compare() {
	for _, id := range s.ids {
		item, err := s.db.Get(background, outboxTable, keyOf(id), dynastay.Consistent)
		require.NoError(s.T, err)
		want, there := s.shelves()[id]
		require.Equal(s.T, there, item.Exists(), id)
		if !there {
			continue
		}
		got, err := shelfEntity.Value(item)
		require.NoError(s.T, err)
		got.label = item.Text("label")
		require.Equal(s.T, want.writer != "", got.WriteID != "", id)
		got.WriteID, want.writer = "", ""
		require.Equal(s.T, want, *got)
	}
}

// die has sixteen sides, all of them alike: rapid's own ranges prefer what is small.
var die = rapid.Custom(func(t *rapid.T) (n int) {
	for range 4 {
		n *= 2
		if rapid.Bool().Draw(t, "") {
			n++
		}
	}
	return n
})

// chance is true n times in sixteen.
func (s *storm) chance(n int, what string) bool { return die.Draw(s.T, what) >= 16-n }

// interrupt lets others come before a request: a whole call of another process, and requests that are late.
func (s *storm) interrupt() {
	if len(s.stack) < len(s.dbs) && len(s.stories) < 16 && s.chance(5, "interrupt") {
		s.act()
	}
	c := s.stack[len(s.stack)-1]
	if c.steps[len(c.steps)-1].do == "enter" && s.chance(6, "door") {
		s.swing()
		for i := len(s.late) - 1; i >= 0; i-- {
			if i < len(s.late) && s.late[i].from == c && s.told[s.late[i].token] { // while its call can still see it, or never
				s.deliver(i)
			}
		}
	}
	s.deliverLate()
}

func (s *storm) deliverLate() {
	for i := len(s.late) - 1; i >= 0; i-- {
		if i < len(s.late) && !s.told[s.late[i].token] && s.chance(5, "late") {
			s.deliver(i)
		}
	}
}

// forget loses for good what is left of a call that was told of a refusal.
func (s *storm) forget(c *call) {
	s.late = slices.DeleteFunc(s.late, func(m *letter) bool { return m.from == c && c.told })
}

func (s *storm) deliver(i int) {
	m := s.late[i]
	s.late = slices.Delete(s.late, i, i+1)
	s.Logf("%*s%s arrives late", 2*len(s.stack), "", m.from.name)
	_ = m.send()
}

// weather is the way to DynamoDB.
func (s *storm) weather(r *fake.Request) (any, error) {
	switch in := r.In.(type) {
	case *dynamodb.PutItemInput:
		return send(s, s.engine.PutItem, in, "")
	case *dynamodb.UpdateItemInput:
		return send(s, s.engine.UpdateItem, in, "")
	case *dynamodb.DeleteItemInput:
		return send(s, s.engine.DeleteItem, in, "")
	case *dynamodb.TransactWriteItemsInput:
		return send(s, s.engine.TransactWriteItems, in, *in.ClientRequestToken)
	}
	s.interrupt()
	if s.chance(1, "unreadable") {
		s.stack[len(s.stack)-1].clouded = true
		return nil, &types.ProvisionedThroughputExceededException{}
	}
	return s.engine.GetItem(r.Context, r.In.(*dynamodb.GetItemInput))
}

// send takes a request through the storm.
func send[I, O any](
	w *storm, request func(context.Context, *I, ...func(*dynamodb.Options)) (*O, error), in *I, token string,
) (answer *O, err error) {
	w.interrupt()
	c := w.stack[len(w.stack)-1]
	m := &letter{from: c, token: token, send: func() error {
		if answer, err = request(background, in); err == nil && !w.carried[token] {
			w.carried[token] = token != ""
			w.commit(c)
		}
		return err
	}}
	switch fate := die.Draw(w.T, "fate"); {
	case fate < 6: // it arrives, and so does the answer
		var refused *types.TransactionCanceledException
		if errors.As(m.send(), &refused) {
			w.told[token], c.told = true, true
		}
		return answer, err
	case fate == 6 && token == "":
		return nil, &types.TransactionConflictException{}
	case fate == 6:
		return nil, cancelled("TransactionConflict")
	case fate == 7:
		return nil, &types.ProvisionedThroughputExceededException{}
	case fate < 10:
		_ = m.send()
	case fate < 15:
		w.late = append(w.late, m)
	}
	c.clouded = true
	switch lost := rapid.IntRange(0, 3).Draw(w.T, "how"); {
	case lost == 1:
		return nil, &types.InternalServerError{}
	case lost == 2 && token != "":
		return nil, &types.TransactionInProgressException{}
	case lost == 3:
		c.cancel()
		return nil, context.Canceled
	}
	return nil, io.ErrUnexpectedEOF
}
