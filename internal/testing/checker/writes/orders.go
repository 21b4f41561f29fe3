package writes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var goodsTable = &dynastay.Schema{Name: "Goods", Key: dynastay.KeyNames{Partition: "id"}}

// basket holds goods to be ordered.
type basket struct {
	ID      string
	Goods   []string
	Version int
}

var basketEntity = entity.New(entity.Spec[basket]{
	Name: "Basket", Version: "version",
	Schema: &dynastay.Schema{Name: "Baskets", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(b *basket) (dynastay.Key, error) { return dynastay.Key{PK: b.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, b *basket) {
		f.String("id", &b.ID)
		f.Strings("goods", &b.Goods)
		f.IfSet().Int("version", &b.Version)
	}),
})

// order has one piece of each of its goods. Who made it stands in By, and who cancelled it in CancelledBy.
type order struct {
	ID, By, CancelledBy string
	Goods               []string
}

var orderEntity = entity.New(entity.Spec[order]{
	Name:   "Order",
	Schema: &dynastay.Schema{Name: "Orders", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(o *order) (dynastay.Key, error) { return dynastay.Key{PK: o.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, o *order) {
		f.String("id", &o.ID)
		f.String("by", &o.By)
		f.String("cancelledBy", &o.CancelledBy)
		f.Strings("goods", &o.Goods)
	}),
})

const (
	kinds   = 8 // of goods
	pieces  = 4 // of each
	baskets = 4
)

func goodsID(n int) string { return fmt.Sprint("goods-", n) }

func basketID(n int) string { return fmt.Sprint("basket-", n) }

// orders take goods that others want too. An order of goods by name says from the start what it fights for; one of a
// basket, and a cancellation, when it has read them. Two of them in one Write name their items in every order.
type orders struct {
	*checker.Run
	all checker.Deeds[*purchase]

	mu     sync.Mutex
	deeds  map[string]*purchase // by mark
	open   []*order             // the last ones, of which no cancellation was acknowledged
	inside map[string]string    // who is alone at goods, by process
}

// purchase is one Write: orders, and what it cancels, if anything.
type purchase struct {
	*checker.Deed
	goods    map[string][]string // by the order's id, nil for those of a basket
	cancels  string
	possible []string // goods of a basket
}

func newOrders(c *checker.Run) *orders {
	ctx, table := context.Background(), entity.NewTable(c.Base.Direct, basketEntity)
	for n := range baskets {
		if _, err := table.Create(ctx, &basket{ID: basketID(n), Goods: halves[n%2][:2]}); err != nil {
			c.T.Fatal(err)
		}
	}
	if err := c.Base.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for n := range kinds {
			if !yield(goodsTable, dynastay.Item{"id": dynastay.Text(goodsID(n)), "left": dynastay.Number(pieces)}) {
				return
			}
		}
	}); err != nil {
		c.T.Fatal(err)
	}
	return &orders{Run: c, deeds: map[string]*purchase{}, inside: map[string]string{}}
}

// halves are the goods of the baskets with an even number, and of the others. So two orders in one Write have nothing
// in common.
var halves = func() (all [2][]string) {
	for n := range kinds {
		all[n*2/kinds] = append(all[n*2/kinds], goodsID(n))
	}
	return all
}()

// soldError are the goods of which nothing was left.
type soldError struct{ goods []string }

func (e *soldError) Error() string { return fmt.Sprint("sold: ", e.goods) }

func sold(err error) bool {
	var refusal *soldError
	return errors.As(err, &refusal)
}

var errCancelled = errors.New("the order is cancelled")

func goodsRef(id string) dynastay.Ref { return dynastay.RefOf(goodsTable, dynastay.Key{PK: id}) }

func refsOf(goods []string) (refs []dynastay.Ref) {
	for _, id := range goods {
		refs = append(refs, goodsRef(id))
	}
	return refs
}

func keysOf(goods []string) (all []dynastay.Key) {
	for _, id := range goods {
		all = append(all, dynastay.Key{PK: id})
	}
	return all
}

// contest is about goods, of which each has to have a piece left.
func contest(p *checker.Process, goods []string) *dynastay.Contest {
	return &dynastay.Contest{
		Items: refsOf(goods),
		Judge: func(seen map[dynastay.Ref]dynastay.Row) error {
			var none []string
			for _, id := range goods {
				if row, known := seen[goodsRef(id)]; known && row.Int("left") < 1 {
					none = append(none, id)
				}
			}
			if len(none) > 0 {
				return &soldError{none}
			}
			return nil
		},
		See: func(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) {
			rows, err := p.GetAll(ctx, goodsTable, keysOf(goods), dynastay.Consistent)
			seen := map[dynastay.Ref]dynastay.Row{}
			for i, row := range rows {
				seen[goodsRef(goods[i])] = row
			}
			return seen, err
		},
	}
}

var (
	takeOne = dynastay.MustCompile(expression.NewBuilder().
		WithCondition(dynastay.NameOf("left").GreaterThanEqual(expression.Value(1))).
		WithUpdate(expression.Set(dynastay.NameOf("left"), dynastay.NameOf("left").Minus(expression.Value(1)))))
	returnOne = dynastay.MustCompile(expression.NewBuilder().
			WithUpdate(expression.Set(dynastay.NameOf("left"), dynastay.NameOf("left").Plus(expression.Value(1)))))
	ofVersion = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(dynastay.NameOf("version").Equal(dynastay.Param("version"))))
)

// alone reads the goods that it is somebody's turn for. In a process that takes turns nobody else may be there
// meanwhile.
func (o *orders) alone(ctx context.Context, p *checker.Process, mark string, goods []string) error {
	o.enter(p, mark, goods)
	defer o.leave(p, goods)
	return checker.ErrorOf(p.GetAll(ctx, goodsTable, keysOf(goods), dynastay.Consistent))
}

func (o *orders) enter(p *checker.Process, mark string, goods []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range goods {
		if other := o.inside[p.Name+id]; other != "" && p.TakesTurns {
			o.Differ("two who have their turn", id, "%s and %s in %s", other, mark, p.Name)
		}
		o.inside[p.Name+id] = mark
	}
}

func (o *orders) leave(p *checker.Process, goods []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range goods {
		delete(o.inside, p.Name+id)
	}
}

// orderOp orders goods that are known from the start.
func (o *orders) orderOp(p *checker.Process, mark string, goods []string) *dynastay.Operation[[]string] {
	return dynastay.NewOp(dynastay.OpSpec[[]string]{
		Name: "orders.Order", Contest: contest(p, goods),
		Input: func(in *dynastay.Input) { in.Field("mark", mark) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) ([]string, error) {
			for _, id := range goods {
				tx.Update(goodsTable, dynastay.Key{PK: id}, takeOne.With(nil))
			}
			return goods, o.alone(ctx, p, mark, goods)
		},
		Restore: func(context.Context, map[string]string) ([]string, error) { return goods, nil },
	})
}

// basketOp orders what is in a basket by then.
func (o *orders) basketOp(p *checker.Process, mark, id string) *dynastay.Operation[[]string] {
	return dynastay.NewOp(dynastay.OpSpec[[]string]{
		Name:  "orders.OrderBasket",
		Input: func(in *dynastay.Input) { in.Field("mark", mark) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) ([]string, error) {
			b, err := tablesOf(p).baskets.Get(ctx, dynastay.Key{PK: id}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if err := tx.Contend(ctx, *contest(p, b.Goods)); err != nil {
				return nil, err
			}
			for _, id := range b.Goods {
				tx.Update(goodsTable, dynastay.Key{PK: id}, takeOne.With(nil))
			}
			same := ofVersion.With(dynastay.Item{"version": dynastay.Number(b.Version)})
			tx.Check(basketEntity.Schema, dynastay.Key{PK: id}, same, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return b.Goods, o.alone(ctx, p, mark, b.Goods)
		},
		Restore: func(context.Context, map[string]string) ([]string, error) { return nil, nil }, // the order has them
	})
}

func (o *orders) cancelOp(p *checker.Process, mark, id string) *dynastay.Operation[struct{}] {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name:  "orders.Cancel",
		Input: func(in *dynastay.Input) { in.Field("mark", mark) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			change, err := tablesOf(p).orders.Change(ctx, dynastay.Key{PK: id}, func(v *order) error {
				if v.CancelledBy != "" {
					return errCancelled
				}
				v.CancelledBy = mark
				return nil
			})
			if err != nil {
				return none, err
			}
			goods := change.Before.Goods
			if err := tx.Contend(ctx, dynastay.Contest{Items: refsOf(goods)}); err != nil {
				return none, err
			}
			for _, id := range goods {
				tx.Update(goodsTable, dynastay.Key{PK: id}, returnOne.With(nil))
			}
			if err := change.AddTo(tx); err != nil {
				return none, err
			}
			return none, o.alone(ctx, p, mark, goods)
		},
	})
}

func (o *orders) Step(w *checker.Worker) {
	if w.OneIn(10) {
		o.fill(w)
		return
	}
	if d, v := o.all.Do(w, func(keyed bool) *purchase { return o.purchase(w, keyed) }); v == checker.Unknown {
		o.look(d)
	}
}

// fill puts other goods into a basket.
func (o *orders) fill(w *checker.Worker) {
	n := w.Rand.IntN(baskets)
	goods := o.some(w, halves[n%2])
	w.Call("fill basket", basketID(n), fmt.Sprint(goods), checker.Never, func(ctx context.Context) error {
		return checker.ErrorOf(tablesOf(w).baskets.Update(ctx, dynastay.Key{PK: basketID(n)}, func(b *basket) error { b.Goods = goods; return nil }))
	})
}

// some are one to three of the goods.
func (o *orders) some(w *checker.Worker, of []string) (goods []string) {
	for _, n := range w.Rand.Perm(len(of))[:1+w.Rand.IntN(min(3, len(of)))] {
		goods = append(goods, of[n])
	}
	return goods
}

// parts are those of one operation, and the order that it makes, if it makes one.
type parts func(*checker.Process) (all []dynastay.Part, made *dynastay.Operation[*order])

// purchase draws one or two of an order of goods, of a basket, and a cancellation, in any order.
func (o *orders) purchase(w *checker.Worker, keyed bool) *purchase {
	d, mark, half := &purchase{goods: map[string][]string{}}, w.Mark(), w.Rand.IntN(2)
	var all []parts
	ordered := func(name string, op func(*checker.Process) *dynastay.Operation[[]string], goods []string) {
		id := mark + "/" + name
		d.goods[id] = goods
		all = append(all, func(p *checker.Process) ([]dynastay.Part, *dynastay.Operation[*order]) {
			taken := op(p)
			made := tablesOf(p).orders.CreateFromOp(func() (*order, error) {
				return &order{ID: id, By: mark, Goods: taken.Result()}, nil
			}, mark)
			return []dynastay.Part{taken, made}, made
		})
	}
	rest := slices.Concat(halves[0], halves[1])
	what := w.Rand.IntN(10)
	if cancelled := o.pick(w); cancelled != nil && what >= 5 {
		d.cancels = cancelled.ID
		rest = slices.DeleteFunc(rest, func(id string) bool { return slices.Contains(cancelled.Goods, id) })
		all = append(all, func(p *checker.Process) ([]dynastay.Part, *dynastay.Operation[*order]) {
			return []dynastay.Part{o.cancelOp(p, mark, cancelled.ID)}, nil
		})
	} else if what%5 < 3 {
		n := half + 2*w.Rand.IntN(baskets/2)
		d.possible, rest = halves[half], halves[1-half]
		ordered("basket", func(p *checker.Process) *dynastay.Operation[[]string] { return o.basketOp(p, mark, basketID(n)) }, nil)
	}
	if len(all) == 0 || what%2 == 0 {
		goods := o.some(w, rest)
		ordered("goods", func(p *checker.Process) *dynastay.Operation[[]string] { return o.orderOp(p, mark, goods) }, goods)
	}
	w.Rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	mayRefuse := checker.Refusal(sold).Or(checker.RefusedBy(errCancelled))
	d.Deed = w.Deed(mark, "order", strings.TrimSpace(mark+" "+d.cancels), fmt.Sprint(d.goods, " for ", d.cancels), keyed, mayRefuse,
		func(ctx context.Context, p *checker.Process, key ...dynastay.Part) error {
			var made []*dynastay.Operation[*order]
			for _, parts := range all {
				some, order := parts(p)
				key = append(key, some...)
				if order != nil {
					made = append(made, order)
				}
			}
			err := p.Write(ctx, key...)
			if err == nil {
				for _, op := range made {
					o.ordered(op.Result())
				}
			}
			if err == nil || errors.Is(err, errCancelled) {
				o.closed(d.cancels)
			}
			return err
		})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deeds[mark] = d
	return d
}

// pick is one of the last orders that may be open, nil for none.
func (o *orders) pick(w *checker.Worker) *order {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.open) == 0 {
		return nil
	}
	return checker.Recent(w, o.open, 6)
}

func (o *orders) ordered(made *order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if made.CancelledBy == "" && !slices.ContainsFunc(o.open, func(v *order) bool { return v.ID == made.ID }) {
		o.open = append(o.open, made)
	}
}

func (o *orders) closed(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = slices.DeleteFunc(o.open, func(v *order) bool { return v.ID == id })
}

// look finds out what became of a write of which nobody knows.
func (o *orders) look(d *purchase) {
	direct := entity.NewTable(o.Base.Direct, orderEntity)
	for id := range d.goods {
		if there, err := direct.Get(o.T.Context(), dynastay.Key{PK: id}, dynastay.Consistent); err == nil {
			d.Saw(o.Moment())
			o.ordered(there)
		}
	}
	if there, err := direct.Get(o.T.Context(), dynastay.Key{PK: d.cancels}, dynastay.Consistent); err == nil && there.CancelledBy == d.Mark {
		d.Saw(o.Moment())
	}
}

func (o *orders) Settle(w *checker.Worker) { o.all.Settle(w) }
