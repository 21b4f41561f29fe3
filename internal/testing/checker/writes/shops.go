package writes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var (
	byName    = dynastay.Index{Name: "ByName", Key: dynastay.KeyNames{Partition: "nameKey", Sort: "nameSort"}}
	shopTable = &dynastay.Schema{
		Name: "Shops", Key: dynastay.KeyNames{Partition: "pk"}, Indexes: []dynastay.Index{byName},
	}
	signTable     = &dynastay.Schema{Name: "Signs", Key: dynastay.KeyNames{Partition: "shop"}}
	registerTable = &dynastay.Schema{Name: "Register", Key: dynastay.KeyNames{Partition: "shop", Sort: "version"}}
)

// shop has a name that no other has. Who wrote it last stands in By.
type shop struct {
	ID, Name, By string
	Version      int
	WriteID      dynastay.WriteID
}

var shopEntity = entity.New(entity.Spec[shop]{
	Name: "Shop", Schema: shopTable, ID: "id", Prefix: "shop_", Version: "version",
	Key: func(s *shop) (dynastay.Key, error) { return shopKey(s.ID), nil },
	Codec: entity.Declare(func(f *entity.Fields, s *shop) {
		f.String("id", &s.ID)
		f.String("name", &s.Name)
		f.String("by", &s.By)
		f.IfSet().Int("version", &s.Version)
		f.WriteID("WriteId", &s.WriteID)
	}),
	Indexes: map[string]func(*shop) (dynastay.Key, error){
		byName.Name: func(s *shop) (dynastay.Key, error) { return dynastay.Key{PK: nameKey(s.Name).PK, SK: s.ID}, nil },
	},
	Unique: []entity.Unique[shop]{{
		Field: "Name", Owner: []string{"id"},
		Guard: func(s *shop) (dynastay.Key, error) { return nameKey(s.Name), nil },
		Index: byName.Name, Partition: func(s *shop) (string, error) { return nameKey(s.Name).PK, nil },
	}},
	Follow: followShop,
})

func shopKey(id string) dynastay.Key { return dynastay.Key{PK: "SHOP#" + id} }

func nameKey(name string) dynastay.Key { return dynastay.Key{PK: "NAME#" + name} }

// followShop keeps a copy of the name, and a line of every version, the last one being that the shop was closed.
func followShop(tx *dynastay.Tx, before, after *shop) error {
	l := line{version: 1}
	if before != nil {
		l.shop, l.version = before.ID, before.Version+1
	}
	if after == nil {
		tx.Delete(signTable, dynastay.Key{PK: before.ID})
	} else {
		l.shop, l.name, l.by = after.ID, after.Name, after.By
		tx.Put(signTable, dynastay.Item{"shop": dynastay.Text(l.shop), "name": dynastay.Text(l.name)})
	}
	tx.Put(registerTable, dynastay.Item{
		"shop": dynastay.Text(l.shop), "version": dynastay.Text(fmt.Sprintf("%06d", l.version)),
		"name": dynastay.Text(l.name), "by": dynastay.Text(l.by),
	})
	return nil
}

// line is what the register says of one version of a shop, and when that can have been written. A shop that is closed
// has no name.
type line struct {
	shop, name, by string
	version        int
	checker.Span
}

const (
	names = 9
	wild  = 3 // of the names, which other software gives to its shops without asking
)

// shops are opened, renamed and closed under few names. The register tells what was done in which order.
type shops struct {
	*checker.Run
	outbox *outbox
	all    checker.Deeds[*trade]

	mu       sync.Mutex
	trades   map[string]*trade  // by mark
	known    []*shop            // that may be open, as they were found or made
	released string             // a name that may be free
	excused  map[[2]string]bool // shops, and the names that other software let them have without a guard
	finds    []find
}

// trade is one write of a shop.
type trade struct {
	*checker.Deed
	kind    string
	shop    string // of an open one, as it was acknowledged
	name    string
	version int  // that was asked for, 0 for none
	sure    bool // that there is a shop to close
	lines   int  // of the register
}

// find is an answer of [entity.Table.Find]: a shop at a version, or 0 for none.
type find struct {
	checker.Span
	name, shop string
	version    int
}

func newShops(c *checker.Run, outbox *outbox) *shops {
	return &shops{Run: c, outbox: outbox, trades: map[string]*trade{}, excused: map[[2]string]bool{}}
}

func (s *shops) name(w *checker.Worker) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := w.Rand.IntN(names); s.released != "" && w.OneIn(3) {
		return s.released
	} else if n >= wild {
		return fmt.Sprint("name-", n)
	} else {
		return fmt.Sprint("wild-", n)
	}
}

// pick is one of the last shops, which others want too.
func (s *shops) pick(w *checker.Worker) *shop {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return nil
	}
	return checker.Recent(w, s.known, 5)
}

// saw remembers a shop as somebody has seen it.
func (s *shops) saw(v *shop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.known, func(known *shop) bool { return known.ID == v.ID }); i >= 0 {
		s.known[i] = v
	} else {
		s.known = append(s.known, v)
	}
}

func (s *shops) gone(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = slices.DeleteFunc(s.known, func(known *shop) bool { return known.ID == id })
}

func (s *shops) Step(w *checker.Worker) {
	switch at := w.Rand.IntN(20); {
	case at < 2:
		s.foreign(w)
		return
	case at < 4:
		s.find(w)
		return
	}
	there := s.pick(w)
	draw := func(keyed bool) *trade { return s.open(w, keyed) }
	if at := w.Rand.IntN(10); there != nil && at < 4 {
		draw = func(keyed bool) *trade { return s.rename(w, there, keyed) }
	} else if there != nil && at < 7 {
		draw = func(keyed bool) *trade { return s.close(w, there, keyed) }
	}
	if t, v := s.all.Do(w, draw); v == checker.Unknown {
		s.look(t)
	}
}

// trade makes a deed of an operation, one in three with a message of the outbox in the same Write, before it or after
// it.
func (s *shops) trade(
	w *checker.Worker, t *trade, mark, about string, keyed bool, refusal checker.Refusal,
	op func(*checker.Process) dynastay.Part, done func(dynastay.Part),
) *trade {
	m, together := &message{Queue: s.outbox.queue(w), ID: mark}, w.Rand.IntN(6)
	t.Deed = w.Deed(mark, t.kind, strings.TrimSpace(t.shop+" "+t.name), about, keyed, refusal,
		func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
			one := op(p)
			parts = append(parts, one)
			switch together {
			case 0:
				parts = append(parts, tablesOf(p).outbox.CreateOp(m))
			case 1:
				parts = append([]dynastay.Part{tablesOf(p).outbox.CreateOp(m)}, parts...)
			}
			err := p.Write(ctx, parts...)
			if err == nil {
				done(one)
			} else if errors.Is(err, dynastay.ErrNotFound) {
				s.gone(t.shop)
			}
			return err
		})
	if together < 2 {
		s.outbox.announce(m, t.Verdict)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trades[mark] = t
	return t
}

func (s *shops) open(w *checker.Worker, keyed bool) *trade {
	mark, name := w.Mark(), s.name(w)
	t := &trade{kind: "open shop", name: name}
	return s.trade(w, t, mark, "as "+name, keyed, checker.Taken("Name"),
		func(p *checker.Process) dynastay.Part { return tablesOf(p).shops.CreateOp(&shop{Name: name, By: mark}) },
		func(op dynastay.Part) { s.opened(t, op.(*dynastay.Operation[*shop]).Result()) })
}

func (s *shops) opened(t *trade, v *shop) {
	s.mu.Lock()
	other := t.shop
	if other == "" {
		t.shop = v.ID
	}
	s.mu.Unlock()
	switch other {
	case "":
		s.saw(v)
	case v.ID:
	default:
		s.Differ("two shops of one key", t.name, "%s: %s and %s", t.Mark, other, v.ID)
	}
}

// asked are the conditions of a write: that the shop still is as it was seen, or none.
func (t *trade) asked(w *checker.Worker, seen *shop) (opts []dynastay.UpdateOption) {
	switch at := w.Rand.IntN(3); {
	case at == 0:
		opts = append(opts, dynastay.IfVersion(seen.Version))
	case at == 1 && seen.WriteID != "": // other software writes none, and what is read again shows none
		opts = append(opts, dynastay.IfWritten(seen.WriteID))
	default:
		return nil
	}
	t.version = seen.Version
	return opts
}

func (s *shops) rename(w *checker.Worker, seen *shop, keyed bool) *trade {
	mark, name := w.Mark(), s.name(w)
	t := &trade{kind: "rename shop", shop: seen.ID, name: name}
	opts := append(t.asked(w, seen), dynastay.AgreedOn(mark, name))
	mayRefuse := checker.Taken("Name").Or(checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion))
	return s.trade(w, t, mark, fmt.Sprintf("to %s, of version %d", name, t.version), keyed, mayRefuse,
		func(p *checker.Process) dynastay.Part {
			return tablesOf(p).shops.UpdateOp(shopKey(seen.ID), func(v *shop) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.released, v.Name, v.By = v.Name, name, mark
				return nil
			}, opts...)
		}, func(dynastay.Part) {})
}

func (s *shops) close(w *checker.Worker, seen *shop, keyed bool) *trade {
	t := &trade{kind: "close shop", shop: seen.ID}
	opts, mayRefuse := t.asked(w, seen), checker.RefusedBy(dynastay.ErrVersion)
	if t.sure = !w.OneIn(3); t.sure {
		mayRefuse = checker.RefusedBy(dynastay.ErrVersion, dynastay.ErrNotFound)
	} else {
		opts = append(opts, dynastay.OrMissing())
	}
	return s.trade(w, t, w.Mark(), fmt.Sprintf("of version %d, sure %t", t.version, t.sure), keyed, mayRefuse,
		func(p *checker.Process) dynastay.Part { return tablesOf(p).shops.DeleteOp(shopKey(seen.ID), opts...) },
		func(dynastay.Part) { s.gone(seen.ID) })
}

// foreign opens a shop as other software would: without a guard, or by making another's guard its own.
func (s *shops) foreign(w *checker.Worker) {
	mark, rob := w.Mark(), w.OneIn(2)
	v := &shop{ID: "foreign-" + mark, Name: fmt.Sprint("wild-", w.Rand.IntN(wild)), By: mark, Version: 1}
	item, err := shopEntity.Item(v)
	if err != nil {
		w.T.Error(err)
		return
	}
	put := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "foreign",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Put(shopTable, item)
			return struct{}{}, followShop(tx, nil, v)
		},
	})
	t := &trade{kind: "foreign shop", shop: v.ID, name: v.Name}
	t.Deed = w.Deed(mark, t.kind, v.ID+" "+v.Name, fmt.Sprint("robs: ", rob), false, checker.Never,
		func(context.Context, *checker.Process, ...dynastay.Part) error {
			if rob {
				s.rob(v)
			} else {
				s.excuse(v.ID, v.Name)
			}
			return s.Base.Direct.Write(w.T.Context(), put)
		})
	s.mu.Lock()
	s.trades[mark] = t
	s.mu.Unlock()
	if t.Call(w) != checker.Acknowledged {
		w.Differ("a write past all faults that failed", v.ID, "")
		return
	}
	s.saw(v)
}

// rob lets a shop have the guard of its name, whoever had it before.
func (s *shops) rob(v *shop) {
	guard, table := shopTable.Key.Of(nameKey(v.Name)), s.Base.Direct.TableName(shopTable)
	guard["id"] = dynastay.Text(v.ID)
	out, err := s.Base.Engine.Client().PutItem(s.T.Context(), &dynamodb.PutItemInput{
		TableName: &table, Item: guard, ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		s.T.Error(err)
		return
	}
	if robbed := dynastay.RowOf(out.Attributes).Text("id"); robbed != "" {
		s.excuse(robbed, v.Name)
	}
}

func (s *shops) excuse(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.excused[[2]string{id, name}] = true
}

func (s *shops) find(w *checker.Worker) {
	ctx, cancel := w.Deadline()
	defer cancel()
	name := s.name(w)
	f := find{Span: checker.Span{From: w.Moment()}, name: name}
	v, err := tablesOf(w).shops.Find(ctx, "Name", &shop{Name: name})
	f.To = w.Moment()
	switch {
	case err == nil && v.Name != name:
		s.Differ("a shop of another name", name, "%v", *v)
	case err == nil:
		f.shop, f.version = v.ID, v.Version
		s.saw(v)
	case !errors.Is(err, dynastay.ErrNotFound):
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finds = append(s.finds, f)
}

// look finds out what became of a write of which nobody knows. That it is not there says nothing: it may yet arrive.
func (s *shops) look(t *trade) {
	direct := entity.NewTable(s.Base.Direct, shopEntity)
	ctx := s.T.Context()
	if t.kind == "open shop" {
		if there, err := direct.Find(ctx, "Name", &shop{Name: t.name}); err == nil && there.By == t.Mark {
			t.Saw(s.Moment())
			s.opened(t, there)
		}
		return
	}
	there, err := direct.Get(ctx, shopKey(t.shop), dynastay.Consistent)
	switch missing := errors.Is(err, dynastay.ErrNotFound); {
	case missing:
		s.gone(t.shop)
	case err == nil && there.By == t.Mark:
		t.Saw(s.Moment())
	}
}

func (s *shops) Settle(w *checker.Worker) { s.all.Settle(w) }
