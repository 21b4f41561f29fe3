package dyntest

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
)

// conflicts knows which items the writes in flight hold.
type conflicts struct {
	schemas map[string]*dynastay.Schema
	hold    time.Duration

	mu           sync.Mutex
	transactions map[string]bool // items, as itemOf writes them
	writes       map[string]int  // items; single writes queue for an item and do not conflict with each other
	tokens       map[string]bool
}

func newConflicts(schemas map[string]*dynastay.Schema, hold time.Duration) *conflicts {
	return &conflicts{
		schemas: schemas, hold: hold,
		transactions: map[string]bool{}, writes: map[string]int{}, tokens: map[string]bool{},
	}
}

// send sends the request, or answers it with a conflict.
func (c *conflicts) send(x *exchange, next hop) (*http.Response, error) {
	switch x.operation {
	case "TransactWriteItems":
		items, token, err := c.itemsOf(x.body)
		if err != nil {
			return nil, err
		}
		if refusal := c.beginTransaction(items, token); refusal != nil {
			return refusal.response(x.Request)
		}
		defer c.endTransaction(items, token)
		// The time that a transaction takes in the service. If the caller gives up, the transaction is not sent.
		if err := pause(x.Context(), c.hold); err != nil {
			return nil, err
		}
	case "TransactGetItems":
		items, _, err := c.itemsOf(x.body)
		if err != nil {
			return nil, err
		}
		if refusal := c.beginRead(items); refusal != nil {
			return refusal.response(x.Request)
		}
	case "PutItem", "UpdateItem", "DeleteItem":
		var write action
		if err := json.Unmarshal(x.body, &write); err != nil {
			return nil, err
		}
		item := c.itemOf(write)
		if refusal := c.beginWrite(item); refusal != nil {
			return refusal.response(x.Request)
		}
		defer c.endWrite(item)
	}
	return next(x)
}

func (c *conflicts) beginTransaction(items []string, token string) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token != "" && c.tokens[token] {
		return transactionInProgress()
	}
	if held := c.heldOf(items); slices.Contains(held, true) {
		return transactionCancelled(conflictReasons(held))
	}
	for _, item := range items {
		if item != "" {
			c.transactions[item] = true
		}
	}
	c.tokens[token] = true
	return nil
}

func (c *conflicts) endTransaction(items []string, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, item := range items {
		delete(c.transactions, item)
	}
	delete(c.tokens, token)
}

// beginRead has no matching end: a read holds no items, it only conflicts with those that hold them.
func (c *conflicts) beginRead(items []string) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held := c.heldOf(items); slices.Contains(held, true) {
		return transactionCancelled(conflictReasons(held))
	}
	return nil
}

// heldOf reports for each item whether a write in flight holds it.
func (c *conflicts) heldOf(items []string) []bool {
	held := make([]bool, len(items))
	for i, item := range items {
		held[i] = c.transactions[item] || c.writes[item] > 0
	}
	return held
}

func (c *conflicts) beginWrite(item string) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.transactions[item] {
		return transactionConflict()
	}
	if item != "" {
		c.writes[item]++
	}
	return nil
}

func (c *conflicts) endWrite(item string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writes[item]--; c.writes[item] <= 0 {
		delete(c.writes, item)
	}
}

// action is a single write, or one action of a transaction. A Put has the whole item; all others have its key.
type action struct {
	TableName string
	Key, Item map[string]json.RawMessage
}

// itemsOf returns the items of a transaction, in the order of its actions, and its client token.
func (c *conflicts) itemsOf(body []byte) (items []string, token string, err error) {
	var transaction struct {
		ClientRequestToken string
		TransactItems      []map[string]action // one entry each: Put, Update, Delete, ConditionCheck or Get
	}
	if err := json.Unmarshal(body, &transaction); err != nil {
		return nil, "", err
	}
	for _, kinds := range transaction.TransactItems {
		for _, a := range kinds {
			items = append(items, c.itemOf(a))
		}
	}
	return items, transaction.ClientRequestToken, nil
}

// itemOf returns a text that identifies the item, or "" if the table is not the test's, so that its key is unknown.
func (c *conflicts) itemOf(a action) string {
	schema := c.schemas[a.TableName]
	if schema == nil {
		return ""
	}
	attributes := a.Key
	if attributes == nil {
		attributes = a.Item
	}
	return a.TableName + " " + keyText(schema, attributes)
}

// keyText returns the key of an item, taken from its attributes as they were sent.
func keyText(schema *dynastay.Schema, attributes map[string]json.RawMessage) string {
	return string(attributes[schema.Key.Partition]) + " " + string(attributes[schema.Key.Sort])
}
