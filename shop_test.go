package dynastay

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
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
			tx.Delete(shopSchema, key).If(Prepare(expression.NewBuilder().WithCondition(there)).With(nil), func(Row) error {
				return ErrNotFound
			})
			return struct{}{}, nil
		},
	})
}

// cloneItem is a deep copy.
func cloneItem(item Item) Item { return stored.CopyMaps(item) }
