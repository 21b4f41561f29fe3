package dyntest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/dynastay/dynastay"
)

// Request is one request as it was sent.
type Request struct {
	Operation string // "Query", "TransactWriteItems"
	// Body is the JSON of the request with all object keys sorted and without the test's table prefix, so that the
	// same request always has the same text. The ARN of a stream and the iterator of a shard are new in every run.
	Body json.RawMessage
	// Context is that of the call that sent the request, with the caller's values.
	Context context.Context `json:"-"`
}

func (f *Faults) request(x *exchange) (Request, error) {
	text, err := canonical(bytes.ReplaceAll(x.body, []byte(f.prefix), nil))
	return Request{x.operation, text, x.Context()}, err
}

// canonical returns the same JSON with the keys of all objects sorted: the SDK writes maps in random order.
func canonical(body []byte) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // expressions are full of < and >
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// content is what faults need to know about a request.
type content struct {
	operation  string
	invocation string                      // the SDK's id of the call, the same for all its attempts
	tables     map[string]bool             // names of schemas, or of tables that are not the test's
	schemas    map[string]*dynastay.Schema // the test's, by full table name

	TableName, IndexName, ClientRequestToken string
	StreamArn, ShardIterator                 string

	Limit         int // 0 for none
	RequestItems  batch
	TransactItems []map[string]struct{ TableName string } // one entry each
}

// contentOf reads a request to the data plane.
func (f *Faults) contentOf(x *exchange) (*content, error) {
	c := &content{
		operation: x.operation, invocation: x.Header.Get("Amz-Sdk-Invocation-Id"),
		tables: map[string]bool{}, schemas: f.schemas,
	}
	if err := json.Unmarshal(x.body, c); err != nil {
		return nil, err
	}
	name := func(table string) { c.tables[strings.TrimPrefix(table, f.prefix)] = true }
	if table := cmp.Or(c.TableName, streamTable(c.StreamArn, c.ShardIterator)); table != "" {
		name(table)
	}
	for table := range c.RequestItems {
		name(table)
	}
	for _, kinds := range c.TransactItems {
		for _, a := range kinds {
			name(a.TableName)
		}
	}
	return c, nil
}

// streamTable returns the full name of the table that a request to a stream is for, or "" if it names none.
func streamTable(arn, iterator string) string {
	for _, text := range []string{arn, iterator} { // an iterator usually starts with the stream's ARN
		if _, name, found := strings.Cut(text, ":table/"); found {
			name, _, _ = strings.Cut(name, "/")
			return name
		}
	}
	var at struct { // an iterator of dynoxide
		Table string `json:"table_name"`
	}
	if text, err := base64.StdEncoding.DecodeString(iterator); err != nil || json.Unmarshal(text, &at) != nil {
		return ""
	}
	return at.Table
}
