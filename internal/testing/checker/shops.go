package checker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
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
	span
}

const (
	names = 9
	wild  = 3 // of the names, which other software gives to its shops without asking
)

// shops are opened, renamed and closed under few names. The register tells what was done in which order.
type shops struct {
	*checker
	outbox *outbox
	all    deeds[*trade]

	mu       sync.Mutex
	trades   map[string]*trade  // by mark
	known    []*shop            // that may be open, as they were found or made
	released string             // a name that may be free
	excused  map[[2]string]bool // shops, and the names that other software let them have without a guard
	finds    []find
}

// trade is one write of a shop.
type trade struct {
	*deed
	kind    string
	shop    string // of an open one, as it was acknowledged
	name    string
	version int  // that was asked for, 0 for none
	sure    bool // that there is a shop to close
	lines   int  // of the register
}

// find is an answer of [entity.Table.Find]: a shop at a version, or 0 for none.
type find struct {
	span
	name, shop string
	version    int
}

func newShops(c *checker, outbox *outbox) *shops {
	return &shops{checker: c, outbox: outbox, trades: map[string]*trade{}, excused: map[[2]string]bool{}}
}

func (s *shops) name(w *worker) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := w.rand.IntN(names); s.released != "" && w.oneIn(3) {
		return s.released
	} else if n >= wild {
		return fmt.Sprint("name-", n)
	} else {
		return fmt.Sprint("wild-", n)
	}
}

// pick is one of the last shops, which others want too.
func (s *shops) pick(w *worker) *shop {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return nil
	}
	return s.known[len(s.known)-1-w.rand.IntN(min(5, len(s.known)))]
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

func (s *shops) step(w *worker) {
	switch at := w.rand.IntN(20); {
	case at < 2:
		s.foreign(w)
		return
	case at < 4:
		s.find(w)
		return
	}
	there := s.pick(w)
	draw := func(keyed bool) *trade { return s.open(w, keyed) }
	if at := w.rand.IntN(10); there != nil && at < 4 {
		draw = func(keyed bool) *trade { return s.rename(w, there, keyed) }
	} else if there != nil && at < 7 {
		draw = func(keyed bool) *trade { return s.close(w, there, keyed) }
	}
	if t, v := s.all.do(w, draw); v == unknown {
		s.look(t)
	}
}

// trade makes a deed of an operation, one in three with a message of the outbox in the same Write, before it or after
// it.
func (s *shops) trade(
	w *worker, t *trade, mark, about string, keyed bool, refusal refusal,
	op func(*process) dynastay.Part, done func(dynastay.Part),
) *trade {
	m, together := &message{Queue: s.outbox.queue(w), ID: mark}, w.rand.IntN(6)
	t.deed = w.deed(mark, t.kind, strings.TrimSpace(t.shop+" "+t.name), about, keyed, refusal,
		func(ctx context.Context, p *process, parts ...dynastay.Part) error {
			one := op(p)
			parts = append(parts, one)
			switch together {
			case 0:
				parts = append(parts, p.outbox.CreateOp(m))
			case 1:
				parts = append([]dynastay.Part{p.outbox.CreateOp(m)}, parts...)
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
		s.outbox.announce(m, t.verdict)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trades[mark] = t
	return t
}

func (s *shops) open(w *worker, keyed bool) *trade {
	mark, name := w.mark(), s.name(w)
	t := &trade{kind: "open shop", name: name}
	return s.trade(w, t, mark, "as "+name, keyed, taken("Name"),
		func(p *process) dynastay.Part { return p.shops.CreateOp(&shop{Name: name, By: mark}) },
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
		s.differ("two shops of one key", t.name, "%s: %s and %s", t.mark, other, v.ID)
	}
}

// asked are the conditions of a write: that the shop still is as it was seen, or none.
func (t *trade) asked(w *worker, seen *shop) (opts []dynastay.UpdateOption) {
	switch at := w.rand.IntN(3); {
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

func (s *shops) rename(w *worker, seen *shop, keyed bool) *trade {
	mark, name := w.mark(), s.name(w)
	t := &trade{kind: "rename shop", shop: seen.ID, name: name}
	opts := append(t.asked(w, seen), dynastay.AgreedOn(mark, name))
	mayRefuse := taken("Name").or(refusedBy(dynastay.ErrNotFound, dynastay.ErrVersion))
	return s.trade(w, t, mark, fmt.Sprintf("to %s, of version %d", name, t.version), keyed, mayRefuse,
		func(p *process) dynastay.Part {
			return p.shops.UpdateOp(shopKey(seen.ID), func(v *shop) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.released, v.Name, v.By = v.Name, name, mark
				return nil
			}, opts...)
		}, func(dynastay.Part) {})
}

func (s *shops) close(w *worker, seen *shop, keyed bool) *trade {
	t := &trade{kind: "close shop", shop: seen.ID}
	opts, mayRefuse := t.asked(w, seen), refusedBy(dynastay.ErrVersion)
	if t.sure = !w.oneIn(3); t.sure {
		mayRefuse = refusedBy(dynastay.ErrVersion, dynastay.ErrNotFound)
	} else {
		opts = append(opts, dynastay.OrMissing())
	}
	return s.trade(w, t, w.mark(), fmt.Sprintf("of version %d, sure %t", t.version, t.sure), keyed, mayRefuse,
		func(p *process) dynastay.Part { return p.shops.DeleteOp(shopKey(seen.ID), opts...) },
		func(dynastay.Part) { s.gone(seen.ID) })
}

// foreign opens a shop as other software would: without a guard, or by making another's guard its own.
func (s *shops) foreign(w *worker) {
	mark, rob := w.mark(), w.oneIn(2)
	v := &shop{ID: "foreign-" + mark, Name: fmt.Sprint("wild-", w.rand.IntN(wild)), By: mark, Version: 1}
	item, err := shopEntity.Item(v)
	if err != nil {
		w.t.Error(err)
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
	t.deed = w.deed(mark, t.kind, v.ID+" "+v.Name, fmt.Sprint("robs: ", rob), false, never,
		func(context.Context, *process, ...dynastay.Part) error {
			if rob {
				s.rob(v)
			} else {
				s.excuse(v.ID, v.Name)
			}
			return s.db.Direct.Write(w.t.Context(), put)
		})
	s.mu.Lock()
	s.trades[mark] = t
	s.mu.Unlock()
	if t.call(w) != acknowledged {
		w.differ("a write past all faults that failed", v.ID, "")
		return
	}
	s.saw(v)
}

// rob lets a shop have the guard of its name, whoever had it before.
func (s *shops) rob(v *shop) {
	guard, table := shopTable.Key.Of(nameKey(v.Name)), s.db.Direct.TableName(shopTable)
	guard["id"] = dynastay.Text(v.ID)
	out, err := s.db.Engine.Client().PutItem(s.t.Context(), &dynamodb.PutItemInput{
		TableName: &table, Item: guard, ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		s.t.Error(err)
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

func (s *shops) find(w *worker) {
	ctx, cancel := w.deadline()
	defer cancel()
	name := s.name(w)
	f := find{span: span{from: w.now()}, name: name}
	v, err := w.shops.Find(ctx, "Name", &shop{Name: name})
	f.to = w.now()
	switch {
	case err == nil && v.Name != name:
		s.differ("a shop of another name", name, "%v", *v)
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
	direct := entity.NewTable(s.db.Direct, shopEntity)
	ctx := s.t.Context()
	if t.kind == "open shop" {
		if there, err := direct.Find(ctx, "Name", &shop{Name: t.name}); err == nil && there.By == t.mark {
			t.saw(s.now())
			s.opened(t, there)
		}
		return
	}
	there, err := direct.Get(ctx, shopKey(t.shop), dynastay.Consistent)
	switch missing := errors.Is(err, dynastay.ErrNotFound); {
	case missing:
		s.gone(t.shop)
	case err == nil && there.By == t.mark:
		t.saw(s.now())
	}
}

func (s *shops) settle(w *worker) { s.all.settle(w) }

func (s *shops) check() {
	register := s.register()
	for id, lines := range register {
		s.checkLines(id, lines)
	}
	s.checkTrades(register)
	s.checkStored(register)
	s.checkTenures(register)
	for _, t := range s.trades {
		for _, r := range t.refusals {
			if !s.isTrue(register, t, r) {
				s.differ("a refusal that was not true", t.items, "%s %s: %v", t.mark, t.about, r.err)
			}
		}
	}
	for _, f := range s.finds {
		s.checkFind(register, f)
	}
}

// register reads the lines of each shop, in their order, with the time of each: that of its trade, and between its
// neighbours.
func (s *shops) register() map[string][]line {
	all := map[string][]line{}
	for _, item := range s.scan(registerTable) {
		p := s.plainOf(item)
		l := line{shop: p["shop"].(string), name: p["name"].(string), by: p["by"].(string), span: span{0, ever}}
		if _, err := fmt.Sscan(strings.TrimLeft(p["version"].(string), "0"), &l.version); err != nil {
			s.t.Error(err)
		}
		if t := s.trades[l.by]; t != nil {
			l.span = t.within
		} else if l.name == "" {
			l.span = s.closing(l.shop)
		}
		all[l.shop] = append(all[l.shop], l)
	}
	for _, lines := range all {
		slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.version, b.version) })
		for i := 1; i < len(lines); i++ {
			lines[i].from = max(lines[i].from, lines[i-1].from)
		}
		for i := len(lines) - 2; i >= 0; i-- {
			lines[i].to = min(lines[i].to, lines[i+1].to)
		}
	}
	return all
}

// closing is when a shop was closed: by any of those that may have done it, and before any was told so.
func (s *shops) closing(id string) span {
	at := span{ever, ever}
	for _, t := range s.trades {
		if t.kind == "close shop" && t.shop == id && t.verdict() != refused {
			at.from, at.to = min(at.from, t.within.from), min(at.to, t.within.to)
		}
	}
	return at
}

func (s *shops) checkLines(id string, lines []line) {
	for i, l := range lines {
		if l.version != i+1 {
			s.differ("a version that is missing", id, "%v", lines)
			return
		}
		if l.name == "" {
			continue
		}
		t := s.trades[l.by]
		if t == nil || t.name != l.name || t.shop != "" && t.shop != id || t.version > 0 && l.version != t.version+1 {
			s.differ("a shop that was not to be written", id, "%v", l)
			continue
		}
		if t.verdict() == refused {
			s.differ("a shop that was refused", t.items, "%s %s is stored in version %d", t.mark, t.about, l.version)
		}
		if t.lines++; t.lines > 1 {
			s.differ("one write of a shop twice", t.items, "%s %s", t.mark, t.about)
		}
	}
}

// checkTrades finds what was acknowledged in the register.
func (s *shops) checkTrades(register map[string][]line) {
	sure, maybe := map[string]int{}, map[string]bool{}
	for mark, t := range s.trades {
		lines := register[t.shop]
		switch closed := len(lines) > 0 && lines[len(lines)-1].name == ""; {
		case t.kind != "close shop":
			if t.done() && t.lines == 0 {
				s.differ("a write of a shop is lost", t.items, "%s %s", mark, t.about)
			}
		case t.verdict() == refused:
		case t.verdict() == acknowledged && !closed:
			s.differ("a shop that was closed is there", t.shop, "%s", mark)
		case t.verdict() == acknowledged && t.sure:
			sure[t.shop]++
			if t.version > 0 && lines[len(lines)-1].version != t.version+1 {
				s.differ("a shop that was closed in another version", t.shop, "%s asked for %d", mark, t.version)
			}
			fallthrough
		default:
			maybe[t.shop] = true
		}
	}
	for id, lines := range register {
		if sure[id] > 1 {
			s.differ("a shop that was closed twice", id, "%d times", sure[id])
		}
		if lines[len(lines)-1].name == "" && !maybe[id] {
			s.differ("a shop that nobody closed", id, "%v", lines)
		}
	}
}

// checkStored compares the shops, their guards, copies and index keys with the last lines.
func (s *shops) checkStored(register map[string][]line) {
	shops, guards, signs := map[string]plain{}, map[string]string{}, map[string]any{}
	for _, item := range s.scan(shopTable) {
		p := s.plainOf(item)
		if name, isGuard := strings.CutPrefix(p["pk"].(string), "NAME#"); isGuard {
			guards[name] = p["id"].(string)
		} else {
			shops[p["id"].(string)] = p
		}
	}
	for _, item := range s.scan(signTable) {
		p := s.plainOf(item)
		signs[p["shop"].(string)] = p["name"]
	}
	for id, lines := range register {
		last, p := lines[len(lines)-1], shops[id]
		switch open := last.name != ""; {
		case !open && p == nil:
		case !open || p == nil:
			s.differ("a shop that its register does not know", id, "%v where the last line is %v", p, last)
		case p["name"] != last.name || p["by"] != last.by || p["version"] != float64(last.version):
			s.differ("a shop that is not what its register says", id, "%v where the last line is %v", p, last)
		}
	}
	owners := map[string]string{}
	for id, p := range shops {
		name := p["name"].(string)
		if register[id] == nil {
			s.differ("a shop without a register", id, "%v", p)
		}
		if p[byName.Key.Partition] != "NAME#"+name || p[byName.Key.Sort] != id {
			s.differ("a shop whose index keys are wrong", id, "%v", p)
		}
		if signs[id] != name {
			s.differ("a shop whose sign is wrong", id, "it is %v, and the sign says %v", name, signs[id])
		}
		if s.excused[[2]string{id, name}] {
			continue
		}
		if guards[name] != id {
			s.differ("a shop without its guard", id+" "+name, "%s is of %q", name, guards[name])
		}
		if other := owners[name]; other != "" {
			s.differ("two shops of one name", id+" "+other+" "+name, "%s", name)
		}
		owners[name] = id
	}
	for name, id := range guards {
		if p := shops[id]; p == nil || p["name"] != name {
			s.differ("a guard of nothing", id+" "+name, "%s is of %s: %v", name, id, p)
		}
	}
	for id := range signs {
		if shops[id] == nil {
			s.differ("a sign of no shop", id, "%v", signs[id])
		}
	}
}

// tenure is a version of a shop, and when it was there: possibly, and certainly.
type tenure struct {
	line
	possible, certain span
}

func tenures(lines []line) (all []tenure) {
	for i, l := range lines {
		until := span{ever, ever}
		if i+1 < len(lines) {
			until = lines[i+1].span
		}
		if l.name != "" {
			all = append(all, tenure{l, span{l.from, until.to}, span{l.to, until.from}})
		}
	}
	return all
}

// checkTenures looks for two who had a name at the same time.
func (s *shops) checkTenures(register map[string][]line) {
	byName := map[string][]tenure{}
	for _, id := range slices.Sorted(maps.Keys(register)) {
		for _, t := range tenures(register[id]) {
			if t.certain.from < t.certain.to && !s.excused[[2]string{t.shop, t.name}] {
				byName[t.name] = append(byName[t.name], t)
			}
		}
	}
	for name, all := range byName {
		slices.SortFunc(all, func(a, b tenure) int { return cmp.Compare(a.certain.from, b.certain.from) })
		for i := 1; i < len(all); i++ {
			if before := all[i-1]; before.shop != all[i].shop && before.certain.to > all[i].certain.from {
				s.differ("two shops of one name at a time", before.shop+" "+all[i].shop+" "+name, "%v and %v", before, all[i])
			}
		}
	}
}

// isTrue tells whether what a call was refused for was so at some moment of it.
func (s *shops) isTrue(register map[string][]line, t *trade, r told) bool {
	lines := register[t.shop]
	switch {
	case errors.Is(r.err, dynastay.ErrAlreadyExists):
		for id, lines := range register {
			for _, other := range tenures(lines) {
				if id != t.shop && other.name == t.name && other.possible.meets(r.span) {
					return true
				}
			}
		}
	case errors.Is(r.err, dynastay.ErrNotFound):
		return len(lines) > 0 && lines[len(lines)-1].name == "" && lines[len(lines)-1].from <= r.to
	case errors.Is(r.err, dynastay.ErrVersion):
		return t.version > 0 && len(lines) > t.version && lines[t.version].from <= r.to
	}
	return false
}

func (s *shops) checkFind(register map[string][]line, f find) {
	if f.shop != "" {
		all := tenures(register[f.shop])
		if f.version > len(all) || all[f.version-1].name != f.name || !all[f.version-1].possible.meets(f.span) {
			s.differ("a name that was found where it was not", f.shop+" "+f.name, "version %d", f.version)
		}
		return
	}
	for _, lines := range register {
		for _, t := range tenures(lines) {
			if t.name == f.name && !s.excused[[2]string{t.shop, t.name}] && t.certain.from < f.from && f.to < t.certain.to {
				s.differ("a name that was not found", t.shop+" "+f.name, "it had version %d", t.version)
			}
		}
	}
}
