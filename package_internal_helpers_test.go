package dynastay

import (
	"context"
	"maps"
	"sync"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/fake"
)

type (
	sB    = types.AttributeValueMemberB
	sM    = types.AttributeValueMemberM
	sL    = types.AttributeValueMemberL
	sN    = types.AttributeValueMemberN
	sNULL = types.AttributeValueMemberNULL
	sBOOL = types.AttributeValueMemberBOOL
	sSS   = types.AttributeValueMemberSS
	sNS   = types.AttributeValueMemberNS
	sBS   = types.AttributeValueMemberBS
)

func str(s string) types.AttributeValue { return stored.Text(s) }

func num(digits string) types.AttributeValue { return stored.Number(digits) }

var (
	noon       = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	shopKey    = Key{"SHOP#1", "METADATA"}
	shopSchema = &Schema{Name: "Shops", Key: KeyNames{"PK", "SK"}}
)

// shop has a name. shops write it by the four kinds of action that tables of entities are made of.
type shop struct{ ID, Name string }

type shops struct{ db *DB }

func (s shop) item() Item {
	item := shopSchema.Key.Of(Key{"SHOP#" + s.ID, "METADATA"})
	item["ShopId"], item["Name"] = str(s.ID), str(s.Name)
	return item
}

func shopOf(row Row) *shop { return &shop{row.Text("ShopId"), row.Text("Name")} }

func (t shops) again(ctx context.Context, _ map[string]string) (*shop, error) {
	row, err := t.db.Get(ctx, shopSchema, shopKey, Consistent)
	switch {
	case err == nil && !row.Exists():
		err = ErrNotFound
	case row.Text("Stars") != "":
		err = ErrCorrupt // they are a number
	}
	return shopOf(row), err
}

func (t shops) put(name string, s *shop, expr Expr) *Operation[*shop] {
	return NewOp(OpSpec[*shop]{
		Name: name, Input: func(in *Input) { in.Item(s.item()) },
		Prepare: func(_ context.Context, tx *Tx) (*shop, error) {
			put := tx.Put(shopSchema, s.item()).Identified()
			if expr.Condition != nil {
				put.If(expr, func(Row) error { return &Error{Entity: "Shop", ID: shopKey.String(), Kind: ErrAlreadyExists} })
			}
			tx.Made("id", s.ID)
			return s, nil
		},
		Restore: t.again,
	})
}

func (t shops) PutOp(s *shop) *Operation[*shop] { return t.put("Shop.Put", s, Expr{}) }

func (t shops) CreateOp(s *shop) *Operation[*shop] { return t.put("Shop.Create", s, IfNew(shopSchema)) }

func (t shops) UpdateOp(key Key, fn func(*shop) error, opts ...UpdateOption) *Operation[*shop] {
	return NewOp(OpSpec[*shop]{
		Name: "Shop.Update",
		Input: func(in *Input) {
			in.Key(key)
			in.Field("options", itoa(len(opts)))
		},
		Prepare: func(ctx context.Context, tx *Tx) (*shop, error) {
			row, err := t.db.Get(ctx, shopSchema, key, Consistent)
			if err != nil {
				return nil, err
			}
			if !row.Exists() {
				return nil, ErrNotFound
			}
			s := shopOf(row)
			if err := fn(s); err != nil {
				return nil, err
			}
			a, err := tx.Rewrite(shopSchema, row, expression.Set(NameOf("Name"), expression.Value(str(s.Name))), "ShopId", "Name")
			if err != nil {
				return nil, err
			}
			a.Else(func(old Row) error {
				if !old.Exists() {
					return ErrNotFound
				}
				return ErrOvertaken
			})
			return s, nil
		},
		Restore: t.again,
	})
}

func (t shops) Update(ctx context.Context, key Key, fn func(*shop) error) (*shop, error) {
	return Do(ctx, t.db, t.UpdateOp(key, fn))
}

func (t shops) DeleteOp(key Key) *Operation[struct{}] {
	return NewOp(OpSpec[struct{}]{
		Name: "Shop.Delete", Input: func(in *Input) { in.Key(key) },
		Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
			there := expression.AttributeExists(NameOf("PK"))
			tx.Delete(shopSchema, key).If(MustCompile(expression.NewBuilder().WithCondition(there)).With(nil), func(Row) error {
				return ErrNotFound
			})
			return struct{}{}, nil
		},
	})
}

// cloneItem is a deep copy.
func cloneItem(item Item) Item { return stored.CopyMaps(item) }

// script is a database whose writes are answered by a list, the last entry for ever, or by a function, which may block. It
// stores nothing: every read finds one item, or what a function says.
type script struct {
	answers []error
	answer  func(n int) error
	stored  Item
	read    func(ctx context.Context, n int) (Item, error)

	mu     sync.Mutex
	last   any // the last write
	by     []string
	tokens []string
	times  []time.Time
	reads  int
}

func (s *script) open(o *Options) *DB { return Open(fake.Client{Do: s.do}, o) }

func (s *script) do(r *fake.Request) (any, error) {
	n := s.note(r.In)
	switch r.In.(type) {
	case *dynamodb.GetItemInput:
		if s.read == nil {
			return &dynamodb.GetItemOutput{Item: s.stored}, nil
		}
		item, err := s.read(r.Context, n)
		return &dynamodb.GetItemOutput{Item: item}, err
	case *dynamodb.UpdateItemInput, *dynamodb.TransactWriteItemsInput:
		switch {
		case s.answer != nil:
			return nil, s.answer(n)
		case len(s.answers) > 0:
			return nil, s.answers[min(n, len(s.answers))-1]
		}
		return nil, nil
	}
	return r.Send() // there is no engine, and the test ends
}

// note returns how many requests of the kind there have been.
func (s *script) note(in any) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, reads := in.(*dynamodb.GetItemInput); reads {
		s.reads++
		return s.reads
	}
	if tx, ok := in.(*dynamodb.TransactWriteItemsInput); ok {
		s.tokens = append(s.tokens, *tx.ClientRequestToken)
		if put := tx.TransactItems[0].Put; put != nil {
			s.by = append(s.by, RowOf(put.Item).Text("By"))
		}
	}
	s.last, s.times = in, append(s.times, time.Now())
	return len(s.times)
}

// pair is a transaction of two puts.
func pair(db *DB) []Part {
	table := shops{db}
	return []Part{table.PutOp(&shop{ID: "1"}), table.PutOp(&shop{ID: "2"})}
}

func cancelledBy(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, code := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return e
}

// purchase is an operation that takes turns for one item and writes it, and perhaps others without turns.
type purchase struct {
	name      string
	turn      string
	others    []string
	preparing func(n int)
	refusal   error // what a condition that does not hold means
	judge     error // what it makes of another's refusal
	prepared  int
}

var nightsSchema = &Schema{Name: "Nights", Key: KeyNames{"PK", "SK"}}

func (p *purchase) op() *Operation[struct{}] {
	return NewOp(OpSpec[struct{}]{
		Name: p.name, Input: func(*Input) {},
		Contest: &Contest{Items: gateRefs(p.turn), Judge: func(map[Ref]Row) error {
			if p.prepared > 0 && p.refusal != nil {
				return p.refusal // it is its own
			}
			return p.judge
		}},
		Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
			if p.prepared++; p.preparing != nil {
				p.preparing(p.prepared)
			}
			for _, name := range append([]string{p.turn}, p.others...) {
				item := nightsSchema.Key.Of(gateRef(name).Key)
				item["By"] = str(p.name)
				tx.Put(nightsSchema, item).If(Expr{}, func(Row) error { return p.refusal })
			}
			return struct{}{}, nil
		},
	})
}

// atOnce leaves no pauses between requests.
var atOnce = &Options{Retry: Retry{Base: 1, Cap: 1}}

// calls are writes that go on at once, and how they ended.
type calls struct {
	db    *DB
	mu    sync.Mutex
	ended map[string]error
}

func (c *calls) start(ctx context.Context, name string, parts ...Part) {
	go func() {
		err := c.db.Write(ctx, parts...)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended[name] = err
	}()
	synctest.Wait()
}

func (c *calls) now() map[string]error {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.ended)
}
