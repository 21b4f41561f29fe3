package dynastay

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// Expr is a built expression, ready for one request. Parts that were not built are nil.
type Expr struct {
	Key       *string // key condition
	Filter    *string
	Condition *string
	Update    *string
	Names     map[string]string
	Values    Item
}

// Compiled is an expression that is built once and filled with values for each request: building an expression with the
// SDK costs about forty times as much as filling in values.
type Compiled struct {
	expr   Expr
	params map[string]string // placeholder (":0") to parameter
	names  map[string]string // placeholder ("#0") to parameter
}

const paramMark = "\x00param:"

// Param returns a placeholder for a value that [Compiled.With] fills in. Use it in place of expression.Value.
func Param(name string) expression.ValueBuilder {
	return expression.Value(&types.AttributeValueMemberS{Value: paramMark + name})
}

// ParamName returns a placeholder for the name of an attribute that is data, such as an id within a map, for which
// [Compiled.With] fills in a text. Use it in place of expression.Name, usually with NameBuilder.AppendName.
func ParamName(name string) expression.NameBuilder {
	return expression.NameNoDotSplit(paramMark + name)
}

// MustCompile builds an expression whose values and names may be [Param]s and [ParamName]s. It is meant for package variables and constructors, and
// panics if the SDK rejects the expression, which can only be a programming error.
func MustCompile(b expression.Builder) *Compiled {
	expr, err := build(b)
	if err != nil {
		panic("dynastay.MustCompile: " + err.Error())
	}
	expr = expr.merged()
	c := &Compiled{expr: expr, params: map[string]string{}, names: map[string]string{}}
	for placeholder, v := range expr.Values {
		if name, ok := strings.CutPrefix(stored.TextOf(v), paramMark); ok {
			c.params[placeholder] = name
		}
	}
	for placeholder, attribute := range expr.Names {
		if name, ok := strings.CutPrefix(attribute, paramMark); ok {
			c.names[placeholder] = name
		}
	}
	return c
}

var placeholders = regexp.MustCompile(`:[0-9]+`)

// merged returns the expression with one placeholder for equal values, which makes a request shorter: the SDK's builder makes
// one for each use.
func (e Expr) merged() Expr {
	if len(e.Values) == 0 {
		return e // an empty map is rejected
	}
	same, kept := map[string]string{}, Item{}
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		same[name] = name
		for other, v := range kept {
			if stored.Equal(v, e.Values[name]) {
				same[name] = other
			}
		}
		kept[same[name]] = e.Values[name]
	}
	for _, text := range []**string{&e.Key, &e.Filter, &e.Condition, &e.Update} {
		if *text != nil {
			*text = ptr(placeholders.ReplaceAllStringFunc(**text, func(name string) string { return same[name] }))
		}
	}
	e.Values = kept
	return e
}

// With fills in the parameters. If one is missing, the request is invalid and DynamoDB rejects it.
func (c *Compiled) With(values Item) Expr {
	expr := c.expr
	if len(c.names) > 0 {
		expr.Names = maps.Clone(c.expr.Names)
		for placeholder, name := range c.names {
			expr.Names[placeholder] = stored.TextOf(values[name])
		}
	}
	if len(c.params) == 0 {
		return expr
	}
	expr.Values = make(Item, len(c.expr.Values))
	for placeholder, v := range c.expr.Values {
		if name, ok := c.params[placeholder]; ok {
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
	names := built.Names()
	for placeholder, name := range names {
		names[placeholder] = bracketed.Replace(name)
	}
	return Expr{
		Key: built.KeyCondition(), Filter: built.Filter(), Condition: built.Condition(), Update: built.Update(),
		Names: names, Values: built.Values(),
	}, nil
}

// The SDK takes brackets in a name for the index of a list, and rejects any but numbers. [build] puts them back. A name
// from [stored.Step] does not contain a zero byte.
var (
	unbracketed = strings.NewReplacer("[", "\x00(", "]", "\x00)")
	bracketed   = strings.NewReplacer("\x00(", "[", "\x00)", "]")
)

// PathOf returns the path of an attribute within maps, such as "Card.Name", for [NameOf], [Absent] and [AsRead]. Unlike
// a path that is built by hand, it supports names that contain dots, such as ids from other systems.
func PathOf(names ...string) string { return stored.Path(names...) }

// NameOf returns the name of an attribute for an expression of this package, see [MustCompile]. A path such as "Card.Name"
// is split at the dots. Brackets are part of a name, such as "Weight [kg]".
func NameOf(path string) expression.NameBuilder {
	first, rest, nested := stored.Step(path)
	name := expression.NameNoDotSplit(unbracketed.Replace(first))
	for nested {
		first, rest, nested = stored.Step(rest)
		name = name.AppendName(expression.NameNoDotSplit(unbracketed.Replace(first)))
	}
	return name
}

// IfNew returns the condition that no item with the action's key exists yet.
func IfNew(s *Schema) Expr {
	return MustCompile(expression.NewBuilder().WithCondition(expression.AttributeNotExists(NameOf(s.Key.Partition)))).With(nil)
}

// Absent returns the condition that an attribute is missing or NULL. Other software stores NULL for "none", and
// attribute_not_exists alone would treat such an item as one that has the attribute.
func Absent(path string) expression.ConditionBuilder {
	name := NameOf(path)
	return expression.AttributeNotExists(name).Or(expression.AttributeType(name, expression.Null))
}

// AsRead returns the condition that an attribute still has the value that it has in the row read. Missing and NULL are
// equivalent.
func AsRead(path string, read Row) expression.ConditionBuilder {
	v := stored.At(read.Item(), path)
	if stored.IsNull(v) {
		return Absent(path)
	}
	return expression.Equal(NameOf(path), expression.Value(v))
}

// Unchanged returns the condition that an item has not changed since it was read, except by deltas. If the item has a
// write id, the condition compares only that. An item without one was written by other software, and the known
// attributes are compared instead: pass all attributes that the decision depends on.
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
