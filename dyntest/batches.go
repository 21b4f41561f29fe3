package dyntest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

var batches = []string{"BatchGetItem", "BatchWriteItem"}

// Unprocessed leaves the last n items of a BatchWriteItem, or the last n keys of a BatchGetItem, unprocessed: the answer
// gives them back, in the form in which they were sent, to be sent again. Of several tables the last one by name is
// the first to lose its items. At least one item is processed, and a batch of one is no match: DynamoDB refuses a batch
// of which it can process nothing, as [Throttle] does.
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
	fault.befalls = func(c *content) bool { return c.RequestItems.size() > 1 }
	if n < 1 {
		fault.wrong = "that leaves nothing unprocessed"
	}
	return fault
}

// batch is a batch by full table name, as requests and answers hold it.
type batch map[string]portion

// portion is what a batch has of one table.
type portion struct {
	entries []json.RawMessage          // write requests, or keys
	reading map[string]json.RawMessage // keys only: what goes with them, such as a projection
}

// UnmarshalJSON takes both forms: a list of write requests, and an object with keys.
func (p *portion) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, &p.entries)
	}
	if err := json.Unmarshal(data, &p.reading); err != nil {
		return err
	}
	return json.Unmarshal(p.reading["Keys"], &p.entries)
}

// MarshalJSON gives the form that was taken.
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

// takeLast moves the last n entries into a batch of their own.
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
