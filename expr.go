package dynastay

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
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
		if name, ok := strings.CutPrefix(text(v), paramMark); ok {
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

// S is text as a stored value.
func S(s string) types.AttributeValue { return str(s) }

// N is a whole number as a stored value.
func N(n int) types.AttributeValue { return num(itoa(n)) }

// T is an instant as a stored value, in the form of [Fields.Time].
func T(t time.Time) types.AttributeValue { return str(instant(t)) }

// TextOf is the text of a stored value, "" where it is none.
func TextOf(v types.AttributeValue) string { return text(v) }

// PathOf is the path of an attribute within maps, such as "Card.Name", for [NameOf], [Absent] and [AsRead]. Unlike a
// path that is put together by hand, it also holds names with dots in them, which foreign ids may have.
func PathOf(names ...string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.ReplaceAll(name, ".", dotInName)
	}
	return strings.Join(escaped, ".")
}

// dotInName stands in a path for a dot that belongs to a name.
const dotInName = "\x00"

// step splits the first name off a path.
func step(path string) (name, rest string, nested bool) {
	name, rest, nested = strings.Cut(path, ".")
	return strings.ReplaceAll(name, dotInName, "."), rest, nested
}

// NameOf is the name of an attribute for an expression, its path split at the dots: "Card.Name".
func NameOf(path string) expression.NameBuilder {
	first, rest, nested := step(path)
	name := expression.NameNoDotSplit(first)
	for nested {
		first, rest, nested = step(rest)
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
func AsRead(path string, item Item) expression.ConditionBuilder {
	v := at(item, path)
	if isNull(v) {
		return Absent(path)
	}
	return expression.Equal(NameOf(path), expression.Value(v))
}

func at(item Item, path string) types.AttributeValue {
	for {
		first, rest, nested := step(path)
		v := item[first]
		if !nested {
			return v
		}
		m, ok := v.(*types.AttributeValueMemberM)
		if !ok {
			return nil
		}
		item, path = m.Value, rest
	}
}

func isNull(v types.AttributeValue) bool {
	_, null := v.(*types.AttributeValueMemberNULL)
	return v == nil || null
}
