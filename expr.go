package dynastay

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// Expr is a built expression, ready for one request. Fields that a request has no use for are nil.
type Expr struct {
	Key       *string // key condition
	Filter    *string
	Condition *string
	Update    *string
	Names     map[string]string
	Values    Item
}

// Prepared is an expression that was built once and takes its values later: building one with the SDK costs some forty
// times what filling one in does.
type Prepared struct {
	expr   Expr
	params map[string]string // placeholder (":0") to parameter
}

const paramMark = "\x00param:"

// Param stands for a value that [Prepared.With] fills in. It goes where expression.Value would.
func Param(name string) expression.ValueBuilder {
	return expression.Value(&types.AttributeValueMemberS{Value: paramMark + name})
}

// Prepare builds an expression whose values may be [Param]s. It is meant for package variables and constructors and
// panics where the SDK refuses the expression, which no input can cause.
func Prepare(b expression.Builder) *Prepared {
	expr, err := build(b)
	if err != nil {
		panic("dynastay.Prepare: " + err.Error())
	}
	p := &Prepared{expr: expr, params: map[string]string{}}
	for placeholder, v := range expr.Values {
		if name, ok := strings.CutPrefix(stored.TextOf(v), paramMark); ok {
			p.params[placeholder] = name
		}
	}
	return p
}

// With fills in the parameters. One that is missing leaves the request invalid: DynamoDB refuses it.
func (p *Prepared) With(values Item) Expr {
	expr := p.expr
	if len(p.params) == 0 {
		return expr
	}
	expr.Values = make(Item, len(p.expr.Values))
	for placeholder, v := range p.expr.Values {
		if name, ok := p.params[placeholder]; ok {
			v = values[name]
		}
		expr.Values[placeholder] = v
	}
	return expr
}

func build(b expression.Builder) (Expr, error) {
	built, err := b.Build()
	if err != nil {
		return Expr{}, err
	}
	return Expr{
		Key: built.KeyCondition(), Filter: built.Filter(), Condition: built.Condition(), Update: built.Update(),
		Names: built.Names(), Values: built.Values(),
	}, nil
}

// PathOf is the path of an attribute within maps, such as "Card.Name", for [NameOf], [Absent] and [AsRead]. Unlike a
// path that is put together by hand, it also holds names with dots in them, which foreign ids may have.
func PathOf(names ...string) string { return stored.Path(names...) }

// NameOf is the name of an attribute for an expression, its path split at the dots: "Card.Name".
func NameOf(path string) expression.NameBuilder {
	first, rest, nested := stored.Step(path)
	name := expression.NameNoDotSplit(first)
	for nested {
		first, rest, nested = stored.Step(rest)
		name = name.AppendName(expression.NameNoDotSplit(first))
	}
	return name
}

// IfNew is the condition that there is no item under the key yet.
func IfNew(s *Schema) Expr {
	return Prepare(expression.NewBuilder().WithCondition(expression.AttributeNotExists(NameOf(s.Key.Partition)))).With(nil)
}

// Absent is the condition that an attribute is missing or NULL. Other software stores NULL for "none", so a bare
// attribute_not_exists would take such an item for one that has the attribute.
func Absent(path string) expression.ConditionBuilder {
	name := NameOf(path)
	return expression.AttributeNotExists(name).Or(expression.AttributeType(name, expression.Null))
}

// AsRead is the condition that an attribute still is what it was in the item as read, missing and NULL being alike.
func AsRead(path string, read Row) expression.ConditionBuilder {
	v := stored.At(read.Item(), path)
	if stored.IsNull(v) {
		return Absent(path)
	}
	return expression.Equal(NameOf(path), expression.Value(v))
}

// Unchanged is the condition that an item still is the one that was read, apart from what deltas count. Its write id says so
// in one comparison. Where it has none, other software wrote it, and the known attributes are compared instead: name all that
// the decision rests on.
func Unchanged(s *Schema, read Row, known ...string) expression.ConditionBuilder {
	own := s.WriteIDName()
	condition := expression.AttributeExists(NameOf(s.Key.Partition)).And(AsRead(own, read))
	if stampsOf(read.Item()[own]).own == (stamp{}) {
		for _, name := range known {
			condition = condition.And(AsRead(PathOf(name), read))
		}
	}
	return condition
}
