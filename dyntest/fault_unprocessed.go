package dyntest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/dynastay/dynastay"
)

var batches = []string{"BatchGetItem", "BatchWriteItem"}

// mostInBatch is the largest number of keys, or writes, in one batch of DynamoDB.
var mostInBatch = map[string]int{"BatchGetItem": 100, "BatchWriteItem": 25}

// Unprocessed leaves the last n items of a BatchWriteItem, or the last n keys of a BatchGetItem, unprocessed: the answer
// returns them, in the form in which they were sent, to be sent again. If there are several tables, items are taken from the
// last one by name first.
//
// At least one item is processed. A batch of one does not match, because DynamoDB refuses a batch of which it can process
// nothing, as [Throttle] does. A batch that DynamoDB refuses as a whole does not match either: one with more than 25 writes
// or 100 keys, or with the same key twice. The engine gets it as it was sent. Keys are known for the test's tables; in other
// tables, only identical entries count as the same key.
func Unprocessed(n int) Fault {
	fault := newFault(fmt.Sprintf("Unprocessed(%d)", n), batches, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		var left batch
		body, err := edit(x.body, func(request map[string]json.RawMessage) error {
			var items batch
			if err := json.Unmarshal(request["RequestItems"], &items); err != nil {
				return err
			}
			left = items.takeLast(min(n, items.size()-1))
			var err error
			request["RequestItems"], err = json.Marshal(items)
			return err
		})
		if err != nil {
			return nil, err
		}
		resp, err := next(x.with(body))
		if err != nil || len(left) == 0 || resp.StatusCode != http.StatusOK {
			return resp, err
		}
		if err := giveBack(resp, left); err != nil {
			return nil, err
		}
		t.hit()
		return resp, nil
	})
	fault.applies = func(c *content) bool {
		size := c.RequestItems.size()
		return size > 1 && size <= mostInBatch[c.operation] && !c.RequestItems.repeats(c.schemas)
	}
	if n < 1 {
		fault.wrong = "n must be positive"
	}
	return fault
}

// batch is a batch by full table name, as in requests and answers.
type batch map[string]portion

// portion is the part of a batch for one table.
type portion struct {
	entries []json.RawMessage          // write requests, or keys
	reading map[string]json.RawMessage // keys only: what goes with them, such as a projection
}

// UnmarshalJSON accepts both forms: a list of write requests, and an object with keys.
func (p *portion) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, &p.entries)
	}
	if err := json.Unmarshal(data, &p.reading); err != nil {
		return err
	}
	return json.Unmarshal(p.reading["Keys"], &p.entries)
}

// MarshalJSON writes the form that UnmarshalJSON read.
func (p portion) MarshalJSON() ([]byte, error) {
	entries, err := json.Marshal(p.entries)
	if err != nil || p.reading == nil {
		return entries, err
	}
	reading := maps.Clone(p.reading)
	reading["Keys"] = entries
	return json.Marshal(reading)
}

func (b batch) size() int {
	n := 0
	for _, p := range b {
		n += len(p.entries)
	}
	return n
}

// repeats reports whether two of the entries are for the same item. The schemas are by full table name.
func (b batch) repeats(schemas map[string]*dynastay.Schema) bool {
	for table, p := range b {
		seen := map[string]bool{}
		for _, entry := range p.entries {
			item := p.itemOf(entry, schemas[table])
			if seen[item] {
				return true
			}
			seen[item] = true
		}
	}
	return false
}

// itemOf returns a text that identifies the item of an entry: its key, or the whole entry if the key is unknown.
func (p portion) itemOf(entry json.RawMessage, schema *dynastay.Schema) string {
	if attributes := p.attributesOf(entry); schema != nil && attributes != nil {
		return keyText(schema, attributes)
	}
	text, err := canonical(entry)
	if err != nil {
		return string(entry)
	}
	return string(text)
}

// attributesOf returns the key of an entry, or the item that it puts; nil if it has neither.
func (p portion) attributesOf(entry json.RawMessage) map[string]json.RawMessage {
	if p.reading != nil {
		var key map[string]json.RawMessage
		_ = json.Unmarshal(entry, &key) // the engine refuses what is not a key
		return key
	}
	var write struct {
		PutRequest    struct{ Item map[string]json.RawMessage }
		DeleteRequest struct{ Key map[string]json.RawMessage }
	}
	_ = json.Unmarshal(entry, &write)
	if write.PutRequest.Item != nil {
		return write.PutRequest.Item
	}
	return write.DeleteRequest.Key
}

// takeLast moves the last n entries into a separate batch.
func (b batch) takeLast(n int) batch {
	taken := batch{}
	for _, table := range slices.Backward(slices.Sorted(maps.Keys(b))) {
		p := b[table]
		stay := max(0, len(p.entries)-n)
		if stay == len(p.entries) {
			break
		}
		n -= len(p.entries) - stay
		taken[table] = portion{p.entries[stay:], p.reading}
		if b[table] = (portion{p.entries[:stay], p.reading}); stay == 0 {
			delete(b, table)
		}
	}
	return taken
}

// giveBack adds a batch to what the engine itself left unprocessed.
func giveBack(resp *http.Response, left batch) error {
	answer, err := readAnswer(resp)
	if err != nil {
		return err
	}
	answer, err = edit(answer, func(fields map[string]json.RawMessage) error {
		name := "UnprocessedItems"
		for _, p := range left {
			if p.reading != nil {
				name = "UnprocessedKeys"
			}
		}
		all := batch{}
		if there := fields[name]; there != nil {
			if err := json.Unmarshal(there, &all); err != nil {
				return err
			}
		}
		for table, p := range left {
			all[table] = portion{append(all[table].entries, p.entries...), p.reading}
		}
		var err error
		fields[name], err = json.Marshal(all)
		return err
	})
	if err != nil {
		return err
	}
	replaceAnswer(resp, answer)
	return nil
}
