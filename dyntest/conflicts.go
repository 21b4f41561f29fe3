package dyntest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
)

// conflicts knows which items the writes under way hold.
type conflicts struct {
	schemas map[string]*dynastay.Schema
	hold    time.Duration

	mu           sync.Mutex
	transactions map[string]bool // items, as itemOf writes them
	writes       map[string]int  // items; single writes queue for an item, they do not conflict with each other
	tokens       map[string]bool
}

func newConflicts(schemas map[string]*dynastay.Schema, hold time.Duration) *conflicts {
	return &conflicts{
		schemas: schemas, hold: hold,
		transactions: map[string]bool{}, writes: map[string]int{}, tokens: map[string]bool{},
	}
}

// send sends the request, or answers it with the conflict that it meets.
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
		if err := c.wait(x.Request); err != nil {
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

// wait is the time that a transaction takes in the service. A caller that gives up ends it before it was sent.
func (c *conflicts) wait(req *http.Request) error {
	timer := time.NewTimer(c.hold)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-req.Context().Done():
		return req.Context().Err()
	}
}

func (c *conflicts) beginTransaction(items []string, token string) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token != "" && c.tokens[token] {
		return transactionInProgress()
	}
	if held := c.heldOf(items); slices.Contains(held, true) {
		return transactionCancelled(held)
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

// beginRead needs no end: a read holds nothing, it only meets what others hold.
func (c *conflicts) beginRead(items []string) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held := c.heldOf(items); slices.Contains(held, true) {
		return transactionCancelled(held)
	}
	return nil
}

// heldOf says of each item whether a write that is under way holds it.
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

// action is a single write, or one action of a transaction. A Put has the whole item, all others its key.
type action struct {
	TableName string
	Key, Item map[string]json.RawMessage
}

// itemsOf are the items of a transaction, in the order of its actions, and its client token.
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

// itemOf is a text that names the item, or "" where the table is none of the test's and its key therefore unknown.
func (c *conflicts) itemOf(a action) string {
	schema := c.schemas[a.TableName]
	if schema == nil {
		return ""
	}
	attributes := a.Key
	if attributes == nil {
		attributes = a.Item
	}
	return a.TableName + " " + string(attributes[schema.Key.Partition]) + " " + string(attributes[schema.Key.Sort])
}

// refusal is an error answer, in the form of the service.
type refusal struct {
	Type                string   `json:"__type"`
	Message             string   `json:"Message,omitempty"`
	LowerMessage        string   `json:"message,omitempty"` // not all exceptions spell it alike
	CancellationReasons []reason `json:",omitempty"`
}

type reason struct {
	Code    string
	Message string `json:",omitempty"`
}

const (
	exception = "com.amazonaws.dynamodb.v20120810#"
	ongoing   = "Transaction is ongoing for the item"
)

func transactionInProgress() *refusal {
	return &refusal{
		Type:    exception + "TransactionInProgressException",
		Message: "The transaction with the given request token is already in progress.",
	}
}

func transactionConflict() *refusal {
	return &refusal{Type: exception + "TransactionConflictException", LowerMessage: ongoing}
}

func transactionCancelled(held []bool) *refusal {
	r := &refusal{Type: exception + "TransactionCanceledException"}
	var codes []string
	for _, h := range held {
		reason := reason{Code: "None"}
		if h {
			reason.Code, reason.Message = "TransactionConflict", ongoing
		}
		r.CancellationReasons = append(r.CancellationReasons, reason)
		codes = append(codes, reason.Code)
	}
	r.Message = "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
		strings.Join(codes, ", ") + "]"
	return r
}

func (r *refusal) response(req *http.Request) (*http.Response, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status:     "400 Bad Request",
		StatusCode: http.StatusBadRequest,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}, nil
}
