package dyntest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// The ways to ask for consumed units. Unset means none, and all other values are errors.
const (
	unitsByIndex = "INDEXES" // those of the table and of each index
	unitsInSum   = "TOTAL"   // one number for each table
	noUnits      = "NONE"
)

// lessThanByIndex are the ways to ask for less than a meter needs.
var lessThanByIndex = []string{"", noUnits, unitsInSum}

// question is what a meter reads from a request of any operation.
type question struct {
	TableName, IndexName           string
	StreamArn, ShardIterator       string
	RequestItems                   map[string]json.RawMessage // of a batch, by table
	TransactItems                  []map[string]struct{ TableName string }
	Statement                      string // PartiQL
	Statements, TransactStatements []struct{ Statement string }
	ClientRequestToken             string
	ReturnConsumedCapacity         string
}

// kindOf reports whether an operation consumes units, and whether they are write units.
func kindOf(operation string, asked *question) (write, metered bool) {
	switch operation {
	case "GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems":
		return false, true
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		return true, true
	case "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction":
		// The statements of one request either all read or all write.
		statement := asked.Statement
		for _, s := range slices.Concat(asked.Statements, asked.TransactStatements) {
			statement = s.Statement
		}
		words := strings.Fields(statement)
		return len(words) > 0 && !strings.EqualFold(words[0], "SELECT"), true
	}
	return false, false
}

// askUnits returns the request with its units by index asked for.
func askUnits(body []byte) ([]byte, error) {
	return edit(body, func(request map[string]json.RawMessage) error {
		request["ReturnConsumedCapacity"] = json.RawMessage(`"` + unitsByIndex + `"`)
		return nil
	})
}

// consumedOf returns what an answer reports: one object, or a list if the request may name several tables. It returns
// nil if the answer reports nothing.
func consumedOf(body []byte) ([]types.ConsumedCapacity, error) {
	var answer struct{ ConsumedCapacity json.RawMessage }
	if err := json.Unmarshal(body, &answer); err != nil || answer.ConsumedCapacity == nil {
		return nil, err
	}
	if isList(answer.ConsumedCapacity) {
		var several []types.ConsumedCapacity
		return several, json.Unmarshal(answer.ConsumedCapacity, &several)
	}
	one := make([]types.ConsumedCapacity, 1)
	return one, json.Unmarshal(answer.ConsumedCapacity, &one[0])
}

// answerAsAsked turns an answer with units by index into the answer that the caller asked for.
func answerAsAsked(body []byte, asked string) ([]byte, error) {
	const field = "ConsumedCapacity"
	return edit(body, func(answer map[string]json.RawMessage) (err error) {
		if asked == unitsInSum {
			answer[field], err = sumOnly(answer[field])
			return err
		}
		delete(answer, field)
		return nil
	})
}

// sumOnly removes the units of tables and indexes, and keeps their sum.
func sumOnly(consumed json.RawMessage) (json.RawMessage, error) {
	if isList(consumed) {
		var several []json.RawMessage
		if err := json.Unmarshal(consumed, &several); err != nil {
			return nil, err
		}
		for i := range several {
			var err error
			if several[i], err = sumOnly(several[i]); err != nil {
				return nil, err
			}
		}
		return json.Marshal(several)
	}
	return edit(consumed, func(one map[string]json.RawMessage) error {
		for _, detail := range []string{"Table", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
			delete(one, detail)
		}
		return nil
	})
}

func isList(text json.RawMessage) bool { return bytes.HasPrefix(text, []byte("[")) }

// charge adds what an answer reports to the tables and the index that its request named.
func (m *meter) charge(named []dynastay.Usage, consumed []types.ConsumedCapacity, write bool) []dynastay.Usage {
	usage := slices.Clone(named)
	add := func(table *string, index string, units types.Capacity) {
		u := unitsOf(units, write)
		u.Table, u.Index = strings.TrimPrefix(aws.ToString(table), m.prefix), index
		i := slices.IndexFunc(usage, func(other dynastay.Usage) bool { return other.Table == u.Table && other.Index == u.Index })
		switch {
		case i >= 0:
			usage[i].ReadUnits += u.ReadUnits
			usage[i].WriteUnits += u.WriteUnits
		case u.ReadUnits > 0 || u.WriteUnits > 0: // a query of an index also reports 0 units for the table
			usage = append(usage, u)
		}
	}
	for _, c := range consumed {
		if c.Table != nil {
			add(c.TableName, "", *c.Table)
		}
		for _, units := range []map[string]types.Capacity{c.GlobalSecondaryIndexes, c.LocalSecondaryIndexes} {
			for _, index := range slices.Sorted(maps.Keys(units)) {
				add(c.TableName, index, units[index])
			}
		}
	}
	return usage
}

// unitsOf reads units. DynamoDB splits those of a transaction by kind; those of other requests are all of one kind.
func unitsOf(units types.Capacity, write bool) dynastay.Usage {
	switch {
	case units.ReadCapacityUnits != nil || units.WriteCapacityUnits != nil:
		return dynastay.Usage{
			ReadUnits: aws.ToFloat64(units.ReadCapacityUnits), WriteUnits: aws.ToFloat64(units.WriteCapacityUnits),
		}
	case write:
		return dynastay.Usage{WriteUnits: aws.ToFloat64(units.CapacityUnits)}
	}
	return dynastay.Usage{ReadUnits: aws.ToFloat64(units.CapacityUnits)}
}
