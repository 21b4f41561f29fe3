package dyntest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
)

// meter observes every request and its answer as the SDK does: above the faults, below the retries.
type meter struct {
	prefix string // of the test's tables

	mu       sync.Mutex
	measures map[*measure]bool // the open ones
	tokens   map[string]bool   // of all transactions so far: a measure must know what was sent before it
}

// measure holds the calls in the order in which they were sent. They change until they are answered, under the meter's
// lock.
type measure struct{ calls []*Call }

func newMeter(prefix string) *meter {
	return &meter{prefix: prefix, measures: map[*measure]bool{}, tokens: map[string]bool{}}
}

func (m *meter) start() *measure {
	m.mu.Lock()
	defer m.mu.Unlock()
	measured := &measure{}
	m.measures[measured] = true
	return measured
}

// stop ends a measure and sums it up.
func (m *meter) stop(measured *measure) *Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.measures, measured)
	spent := &Spent{}
	for _, call := range measured.calls {
		copied := *call
		copied.Usage = slices.Clone(call.Usage)
		spent.add(copied)
	}
	return spent
}

func (m *meter) measuring() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.measures) > 0
}

func (m *meter) sent(call *Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for measured := range m.measures {
		measured.calls = append(measured.calls, call)
	}
}

func (m *meter) answered(call *Call, err string, usage []dynastay.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	call.Err, call.Usage = err, usage
}

// count is the stage that measures. If the caller does not ask for units, count asks for them and removes them from the
// answer, so that the caller sees no difference. A value that the engine does not know is passed on, to be refused.
func (m *meter) count(x *exchange, next hop) (*http.Response, error) {
	repeated := m.repeated(x)
	if !m.measuring() {
		return next(x)
	}
	var asked question
	if err := json.Unmarshal(x.body, &asked); err != nil {
		return nil, err
	}
	call := &Call{Operation: x.operation, Retry: repeated, Usage: m.named(&asked), Err: NoAnswer}
	m.sent(call)

	write, metered := kindOf(x.operation, &asked)
	askInstead := metered && slices.Contains(lessThanByIndex, asked.ReturnConsumedCapacity)
	if askInstead {
		body, err := askUnits(x.body)
		if err != nil {
			return nil, err
		}
		x = x.with(body)
	}
	resp, err := next(x)
	if err != nil {
		return nil, err
	}
	body, err := readAnswer(resp)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		m.answered(call, errorCode(resp, body), call.Usage)
		return resp, nil
	case !metered:
		m.answered(call, "", call.Usage)
		return resp, nil
	}
	consumed, err := consumedOf(body)
	if err != nil {
		return nil, err
	}
	m.answered(call, "", m.charge(call.Usage, consumed, write))
	if consumed != nil && askInstead {
		if body, err = answerAsAsked(body, asked.ReturnConsumedCapacity); err != nil {
			return nil, err
		}
		replaceAnswer(resp, body)
	}
	return resp, nil
}

// repeated reports whether this is a retry: one of the SDK, which counts attempts in a header, or a transaction that is
// sent again with its token.
func (m *meter) repeated(x *exchange) bool {
	attempt, _, _ := strings.Cut(x.Header.Get("Amz-Sdk-Request"), ";")
	again := attempt != "" && attempt != "attempt=1"
	if x.operation != "TransactWriteItems" {
		return again
	}
	var asked question
	if err := json.Unmarshal(x.body, &asked); err != nil || asked.ClientRequestToken == "" {
		return again
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	again = again || m.tokens[asked.ClientRequestToken]
	m.tokens[asked.ClientRequestToken] = true
	return again
}

// named returns the tables and the index that a request names, each once.
func (m *meter) named(asked *question) []dynastay.Usage {
	var named []dynastay.Usage
	name := func(table, index string) {
		u := dynastay.Usage{Table: strings.TrimPrefix(table, m.prefix), Index: index}
		if table != "" && !slices.Contains(named, u) {
			named = append(named, u)
		}
	}
	name(cmp.Or(asked.TableName, streamTable(asked.StreamArn, asked.ShardIterator)), asked.IndexName)
	for _, table := range slices.Sorted(maps.Keys(asked.RequestItems)) {
		name(table, "")
	}
	for _, kinds := range asked.TransactItems {
		for _, action := range kinds {
			name(action.TableName, "")
		}
	}
	return named
}

// errorCode returns the name of an error without that of the service, such as "ThrottlingException".
func errorCode(resp *http.Response, body []byte) string {
	var failure struct {
		Type string `json:"__type"`
	}
	if err := json.Unmarshal(body, &failure); err != nil || failure.Type == "" {
		return resp.Status // the answer is not from DynamoDB
	}
	return failure.Type[strings.LastIndex(failure.Type, "#")+1:]
}
