package entity

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// evaluation carries out condition and update expressions of the forms that updates use, on an item in memory.
type evaluation struct {
	expr   dynastay.Expr
	item   dynastay.Item
	tokens []string
}

var tokenForm = regexp.MustCompile(`[#:]?[A-Za-z0-9_]+|[().,=+]`)

func (e *evaluation) next() string {
	token := e.tokens[0]
	e.tokens = e.tokens[1:]
	return token
}

func (e *evaluation) peek() string {
	if len(e.tokens) == 0 {
		return ""
	}
	return e.tokens[0]
}

func (e *evaluation) path() []string {
	names := []string{e.expr.Names[e.next()]}
	for e.peek() == "." {
		e.next()
		names = append(names, e.expr.Names[e.next()])
	}
	return names
}

func (e *evaluation) value() types.AttributeValue { return e.expr.Values[e.next()] }

func (e *evaluation) read(path []string) (types.AttributeValue, bool) {
	item := e.item
	for i, name := range path {
		v, ok := item[name]
		if i == len(path)-1 || !ok {
			return v, ok
		}
		m, ok := v.(*sM)
		if !ok {
			return nil, false
		}
		item = m.Value
	}
	return nil, false
}

// holds evaluates the condition.
func (e evaluation) holds() bool {
	e.tokens = tokenForm.FindAllString(*e.expr.Condition, -1)
	result := e.or()
	if len(e.tokens) > 0 {
		panic(fmt.Sprintf("left over: %v of %s", e.tokens, *e.expr.Condition))
	}
	return result
}

func (e *evaluation) or() bool {
	result := e.operand()
	for e.peek() == "AND" || e.peek() == "OR" {
		operator := e.next()
		if other := e.operand(); operator == "AND" {
			result = result && other
		} else {
			result = result || other
		}
	}
	return result
}

func (e *evaluation) operand() bool {
	token := e.peek()
	switch token {
	case "(":
		e.next()
		result := e.or()
		e.next()
		return result
	case "attribute_exists", "attribute_not_exists":
		e.next()
		e.next()
		_, there := e.read(e.path())
		e.next()
		return there == (token == "attribute_exists")
	case "attribute_type":
		e.next()
		e.next()
		v, _ := e.read(e.path())
		e.next()
		if kind := stored.TextOf(e.value()); kind != "NULL" {
			panic("attribute_type of " + kind)
		}
		e.next()
		_, null := v.(*sNULL)
		return null
	}
	v, there := e.read(e.path())
	if operator := e.next(); operator != "=" {
		panic("operator " + operator)
	}
	want := e.value()
	return there && stored.Equal(v, want)
}

// apply carries out the update as DynamoDB does: no two paths overlap, and the map of a path must be there.
func (e evaluation) apply() (dynastay.Item, [][]string, error) {
	item := cloneItem(e.item)
	var written [][]string
	for _, line := range strings.Split(strings.TrimSpace(*e.expr.Update), "\n") {
		e.tokens = tokenForm.FindAllString(line, -1)
		clause := e.next()
		for len(e.tokens) > 0 {
			path := e.path()
			for _, other := range written {
				if n := min(len(other), len(path)); slices.Equal(other[:n], path[:n]) {
					return nil, nil, fmt.Errorf("two document paths overlap: %v, %v", other, path)
				}
			}
			written = append(written, path)
			var v types.AttributeValue
			switch clause {
			case "SET":
				e.next() // =
				v = clone(e.value())
			case "ADD":
				v = e.value()
				old, there := e.read(path)
				if n, ok := old.(*sN); ok {
					v = num(strconv.Itoa(numberOf(n) + numberOf(v)))
				} else if there {
					return nil, nil, fmt.Errorf("an operand of ADD is no number: %v", path)
				}
			}
			if e.peek() == "," {
				e.next()
			}
			parent := item
			for _, name := range path[:len(path)-1] {
				m, ok := parent[name].(*sM)
				if !ok {
					return nil, nil, fmt.Errorf("the document path is invalid for update: %v", path)
				}
				parent = m.Value
			}
			if v == nil {
				delete(parent, path[len(path)-1])
			} else {
				parent[path[len(path)-1]] = v
			}
		}
	}
	return item, written, nil
}

func numberOf(v types.AttributeValue) int {
	n, err := strconv.Atoi(v.(*sN).Value)
	if err != nil {
		panic(err)
	}
	return n
}
