package entity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/fake"
)

// shop is an entity with six attributes, one of them a map, and attributes that are derived from them.
type shop struct {
	ID      string
	Name    string
	City    string
	Stars   int
	Price   dynastay.Money
	Tags    []string
	Spec    spec
	Version int
	Touched time.Time
}

type spec struct {
	Colour string
	Size   int
	Stock  map[string]int
}

var shopSchema = &dynastay.Schema{
	Name: "Shops", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{{Name: "ByCity", Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}}, {Name: "ByTag", Key: dynastay.KeyNames{Partition: "GSI2PK"}}},
}

func shopSpec() Spec[shop] {
	return Spec[shop]{
		Name: "Shop", Schema: shopSchema, Version: "Version", Updated: "UpdatedAt",
		Codec: Declare(func(f *Fields, s *shop) {
			f.String("ShopId", &s.ID)
			f.String("Name", &s.Name)
			f.String("City", &s.City)
			f.Int("Stars", &s.Stars)
			f.Money("Price", "Currency", &s.Price)
			f.Strings("Tags", &s.Tags)
			f.Map("Spec", func(f *Fields) {
				f.String("Colour", &s.Spec.Colour)
				f.Int("Size", &s.Spec.Size)
				Keyed(f, "Stock", &s.Spec.Stock, func(f *Fields, name string, n *int) { f.Int(name, n) })
			})
			f.IfSet().Int("Version", &s.Version)
			f.Time("UpdatedAt", &s.Touched)
		}),
		Key: func(s *shop) (dynastay.Key, error) { return dynastay.Key{PK: "SHOP#" + s.ID, SK: "METADATA"}, nil },
		Validate: func(s *shop) error {
			if s.Name == "forbidden" {
				return dynastay.Invalid("Name", "is forbidden")
			}
			return nil
		},
		Indexes: map[string]func(*shop) (dynastay.Key, error){
			// A key that vanishes without a city, from two inputs.
			"ByCity": func(s *shop) (dynastay.Key, error) {
				if s.City == "" {
					return dynastay.Key{}, nil
				}
				return dynastay.Key{PK: "CITY#" + s.City, SK: fmt.Sprintf("STARS#%d#SHOP#%s", s.Stars, s.ID)}, nil
			},
			"ByTag": func(s *shop) (dynastay.Key, error) {
				if len(s.Tags) == 0 {
					return dynastay.Key{}, nil
				}
				return dynastay.Key{PK: "TAG#" + s.Tags[0]}, nil
			},
		},
		Derived: []Derived[shop]{
			CopyOf[shop]("Card.Name", "Name"),
			CopyOf[shop]("Card.Colour", "Spec.Colour"),
			CopyOf[shop]("Card.Price", "Price"),
			{Name: "Card.Total", Value: func(s *shop) (types.AttributeValue, error) {
				return dynastay.Number(s.Stars + s.Spec.Size), nil
			}},
			// Written into the map that the codec declares as well.
			{Name: "Spec.Label", Value: func(s *shop) (types.AttributeValue, error) {
				return dynastay.Text(s.Name + "/" + s.Spec.Colour), nil
			}},
			{Name: "StockSum", Value: func(s *shop) (types.AttributeValue, error) {
				sum := 0
				for _, n := range s.Spec.Stock {
					sum += n
				}
				return dynastay.Number(sum), nil
			}},
		},
	}
}

func shopEntity() *Entity[shop] { return New(shopSpec()) }

var (
	noon    = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	shopKey = dynastay.Key{PK: "SHOP#1", SK: "METADATA"}
)

func shops() *Table[shop] {
	return NewTable(dynastay.Open(nil, &dynastay.Options{Clock: func() time.Time { return noon }}), shopEntity())
}

var shopWord = rapid.SampledFrom([]string{"", "a", "b"})

func anyShop() *rapid.Generator[shop] {
	return rapid.Custom(func(t *rapid.T) shop {
		s := shop{
			ID: "1", Name: shopWord.Draw(t, "Name"), City: shopWord.Draw(t, "City"), Stars: rapid.IntRange(0, 2).Draw(t, "Stars"),
			Version: rapid.IntRange(0, 2).Draw(t, "Version"),
			Spec:    spec{Colour: shopWord.Draw(t, "Colour"), Size: rapid.IntRange(0, 2).Draw(t, "Size")},
		}
		if rapid.Bool().Draw(t, "priced") {
			s.Price = dynastay.MustMoney(rapid.SampledFrom([]string{"1", "2.50"}).Draw(t, "Price"), "USD")
		}
		if rapid.Bool().Draw(t, "tagged") {
			s.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 2).Draw(t, "Tags")
		}
		if rapid.Bool().Draw(t, "stocked") {
			s.Spec.Stock = rapid.MapOfN(rapid.SampledFrom([]string{"r1", "r.2"}), rapid.IntRange(0, 2), 1, 2).Draw(t, "Stock")
		}
		return s
	})
}

// unknown attributes are put into every stored item at all levels, and must never be touched.
var unknown = map[string]types.AttributeValue{
	"X": str("kept"), "Spec.X": num("1"), "Card.X": &sM{Value: dynastay.Item{"Y": str("kept")}}, "Spec.Stock.X.Y": num("7"),
}

// anyStored draws a stored shop as the library, or other software, may have left it.
func anyStored() *rapid.Generator[dynastay.Item] {
	null := &sNULL{Value: true}
	return rapid.Custom(func(t *rapid.T) dynastay.Item {
		s := anyShop().Draw(t, "stored")
		item, err := shopEntity().Item(&s)
		require.NoError(t, err)
		item = cloneItem(item)
		if rapid.Bool().Draw(t, "identified") {
			item["WriteId"] = &sB{Value: []byte("abcdefghijkl")}
		}
		for name, v := range unknown {
			if parent := parentOf(name); name != "Spec.Stock.X.Y" && (parent == "" || isMap(stored.At(item, parent))) && rapid.Bool().Draw(t, name) {
				stored.Place(item, name, v)
			}
		}
		for _, name := range []string{"Card", "Spec", "Spec.Stock", "City", "Stars", "Price", "GSI1PK", "Card.Name", "Version", "StockSum"} {
			parent := parentOf(name)
			if parent != "" && !isMap(stored.At(item, parent)) || rapid.IntRange(0, 5).Draw(t, "spoil "+name) > 0 {
				continue
			}
			switch rapid.IntRange(0, 2).Draw(t, "spoilt "+name) {
			case 0:
				stored.Place(item, name, null)
			case 1:
				unplace(item, name)
			case 2:
				if slices.Contains([]string{"GSI1PK", "Card.Name"}, name) {
					stored.Place(item, name, str("stale"))
				}
				if slices.Contains([]string{"Card", "Spec", "Spec.Stock"}, name) {
					stored.Place(item, name, &sM{Value: dynastay.Item{}})
				}
			}
		}
		return item
	})
}

func isMap(v types.AttributeValue) bool { _, ok := v.(*sM); return ok }

func parentOf(path string) string {
	if i := strings.LastIndex(path, "."); i >= 0 {
		return path[:i]
	}
	return ""
}

func unplace(item dynastay.Item, path string) {
	if m, ok := stored.At(item, parentOf(path)).(*sM); ok {
		item = m.Value
	}
	name, _, _ := stored.Step(path[strings.LastIndex(path, ".")+1:])
	delete(item, name)
}

// anyEdit draws an update's function.
func anyEdit() *rapid.Generator[func(*shop) error] {
	return rapid.Custom(func(t *rapid.T) func(*shop) error {
		to := anyShop().Draw(t, "to")
		what := rapid.SliceOfNDistinct(rapid.SampledFrom(
			[]string{"Name", "City", "Stars", "Price", "Tags", "Colour", "Size", "Stock"},
		), 0, 8, rapid.ID).Draw(t, "what")
		return func(s *shop) error {
			for _, field := range what {
				switch field {
				case "Name":
					s.Name = to.Name
				case "City":
					s.City = to.City
				case "Stars":
					s.Stars = to.Stars
				case "Price":
					s.Price = to.Price
				case "Tags":
					s.Tags = to.Tags
				case "Colour":
					s.Spec.Colour = to.Spec.Colour
				case "Size":
					s.Spec.Size = to.Spec.Size
				case "Stock":
					s.Spec.Stock = to.Spec.Stock
				}
			}
			return nil
		}
	})
}

// sent is the request of a write, and what becomes of its refusal.
type sent struct {
	expr   dynastay.Expr
	refuse dynastay.Item // as the item stood; nil for none
	done   bool
}

func (s *sent) do(r *fake.Request) (any, error) {
	in := r.In.(*dynamodb.UpdateItemInput)
	s.expr = dynastay.Expr{
		Condition: in.ConditionExpression, Update: in.UpdateExpression, Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues,
	}
	if s.done {
		return nil, &types.ConditionalCheckFailedException{Item: s.refuse}
	}
	return nil, nil
}

// write sends a change through a client that takes it, or refuses it.
func (s *sent) write(change interface{ AddTo(*dynastay.Tx) error }) error {
	db := dynastay.Open(fake.Client{Do: s.do}, &dynastay.Options{Retry: dynastay.Retry{Attempts: 1}})
	return db.Write(context.Background(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name:    "test",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) { return struct{}{}, change.AddTo(tx) },
	}))
}

// refused is the error of a change whose condition does not hold for the item as it then stands.
func refused(change interface{ AddTo(*dynastay.Tx) error }, now dynastay.Item) error {
	return (&sent{done: true, refuse: now}).write(change)
}

// action is what a change sends, nil where there is nothing to write.
func action[T any](t require.TestingT, c *Change[T]) *sent {
	var s sent
	require.NoError(t, s.write(c))
	require.Equal(t, c.Changed(), s.expr.Update != nil)
	if s.expr.Update == nil {
		return nil
	}
	return &s
}

// idOf is the write id that an update leaves; its first half is that of the write.
func (s *sent) idOf(t require.TestingT) []byte {
	for placeholder, v := range s.expr.Values {
		if b, ok := v.(*sB); ok && strings.Contains(*s.expr.Update, " = "+placeholder) {
			return b.Value
		}
	}
	t.Errorf("%s leaves no write id", *s.expr.Update)
	return nil
}

type (
	sN    = types.AttributeValueMemberN
	sB    = types.AttributeValueMemberB
	sM    = types.AttributeValueMemberM
	sL    = types.AttributeValueMemberL
	sBOOL = types.AttributeValueMemberBOOL
	sNULL = types.AttributeValueMemberNULL
	sSS   = types.AttributeValueMemberSS
	sNS   = types.AttributeValueMemberNS
	sBS   = types.AttributeValueMemberBS
)

// clone is a deep copy.
func clone(v types.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *sM:
		return &sM{Value: cloneItem(v.Value)}
	case *sL:
		list := make([]types.AttributeValue, len(v.Value))
		for i := range v.Value {
			list[i] = clone(v.Value[i])
		}
		return &sL{Value: list}
	}
	return v
}

func cloneItem(item dynastay.Item) dynastay.Item {
	copied := dynastay.Item{}
	for name, v := range item {
		copied[name] = clone(v)
	}
	return copied
}

func str(s string) types.AttributeValue { return stored.Text(s) }

func num(digits string) types.AttributeValue { return stored.Number(digits) }
