package dynaotel

import (
	"cmp"
	"encoding/json"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/observe/measure"
)

// Conventions is the version of the semantic conventions, as the URL of their schema. This file is the only one that knows
// them.
const Conventions = semconv.SchemaURL

// errorType is the attribute error.type.
const errorType = semconv.ErrorTypeKey

// standard returns the attributes of a request that are stable in the conventions, apart from those of the server.
func standard(call dynastay.Call) []attribute.KeyValue {
	all := []attribute.KeyValue{
		semconv.DBSystemNameAWSDynamoDB, semconv.DBOperationName(call.Operation), semconv.DBQuerySummary(measure.Summary(call)),
	}
	if table := measure.Collection(call); table != "" {
		all = append(all, semconv.DBCollectionName(table))
	}
	if code := measure.StatusCode(call.Err); code != "" {
		all = append(all, semconv.DBResponseStatusCode(code))
	}
	if name := measure.RequestErrorType(call); name != "" {
		all = append(all, errorType.String(name))
	}
	return all
}

// server returns the attributes of the server. The port is left out if it is the usual one.
func server(address string, port int) []attribute.KeyValue {
	if address == "" {
		return nil
	}
	all := []attribute.KeyValue{semconv.ServerAddress(address)}
	if port != 0 && port != 443 {
		all = append(all, semconv.ServerPort(port))
	}
	return all
}

// constants returns the attributes that every value of a metric of the conventions has.
func constants(server []attribute.KeyValue) []attribute.KeyValue {
	return append([]attribute.KeyValue{semconv.DBSystemNameAWSDynamoDB}, server...)
}

// development returns the attributes of a request that may still change in the conventions.
func development(call dynastay.Call) []attribute.KeyValue {
	var tables []string
	for _, u := range call.Usage {
		if !slices.Contains(tables, u.Table) {
			tables = append(tables, u.Table)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	all := []attribute.KeyValue{semconv.AWSDynamoDBTableNames(tables...)}
	if index := call.Usage[0].Index; call.Operation == "Query" && index != "" {
		all = append(all, semconv.AWSDynamoDBIndexName(index))
	}
	if consumed := capacity(call.Usage); len(consumed) > 0 {
		all = append(all, semconv.AWSDynamoDBConsumedCapacity(consumed...))
	}
	return all
}

// consumed is an element of ConsumedCapacity, of a table, or of an index in one.
type consumed struct {
	TableName              string              `json:",omitempty"`
	CapacityUnits          float64             //
	ReadCapacityUnits      float64             `json:",omitempty"`
	WriteCapacityUnits     float64             `json:",omitempty"`
	Table                  *consumed           `json:",omitempty"`
	GlobalSecondaryIndexes map[string]consumed `json:",omitempty"`
}

func (c *consumed) add(u dynastay.Usage) {
	c.CapacityUnits += u.ReadUnits + u.WriteUnits
	c.ReadCapacityUnits += u.ReadUnits
	c.WriteCapacityUnits += u.WriteUnits
}

// capacity returns the units of each table as the JSON that DynamoDB answers with.
func capacity(usage []dynastay.Usage) (all []string) {
	tables := map[string]*consumed{}
	for _, u := range usage {
		if u.ReadUnits+u.WriteUnits == 0 {
			continue
		}
		c := tables[u.Table]
		if c == nil {
			c = &consumed{TableName: u.Table}
			tables[u.Table] = c
		}
		c.add(u)
		var part consumed
		part.add(u)
		switch {
		case u.Index == "":
			c.Table = &part
		case c.GlobalSecondaryIndexes == nil:
			c.GlobalSecondaryIndexes = map[string]consumed{u.Index: part}
		default:
			c.GlobalSecondaryIndexes[u.Index] = part
		}
	}
	for _, c := range tables {
		text, err := json.Marshal(c)
		if err == nil { // there is no value that cannot be marshalled
			all = append(all, string(text))
		}
	}
	slices.SortFunc(all, cmp.Compare[string])
	return all
}
