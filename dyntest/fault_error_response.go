package dyntest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// refusal is an error answer in the form that the service uses.
type refusal struct {
	Status              int                `json:"-"` // 0 is 400
	Type                string             `json:"__type"`
	Message             string             `json:"Message,omitempty"`
	LowerMessage        string             `json:"message,omitempty"` // some exceptions spell it in lower case
	CancellationReasons []reason           `json:",omitempty"`
	ThrottlingReasons   []throttlingReason `json:",omitempty"`
}

// throttlingReason says which limit of which table or index a request has met.
type throttlingReason struct {
	Reason   string `json:"reason"`
	Resource string `json:"resource"` // an ARN
}

// reason is the cancellation reason of one action of a transaction. The message of "None" is omitted.
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

// throughputExceeded is how a request other than a transaction is throttled. It is the only exception for throttling
// that all operations declare, on tables of either billing mode.
func throughputExceeded(c *content) *refusal {
	what, way, table := "Table", "Write", c.TableName
	for table = range c.RequestItems { // a batch of several tables meets a limit of one of them
		break
	}
	resource := "arn:aws:dynamodb:us-east-1:000000000000:table/" + table
	if c.IndexName != "" {
		what, resource = "Index", resource+"/index/"+c.IndexName
	}
	if write, metered := kindOf(c.operation, new(question)); metered && !write {
		way = "Read"
	}
	return &refusal{
		ThrottlingReasons: []throttlingReason{{what + way + "ProvisionedThroughputExceeded", resource}},
		Type:              exception + "ProvisionedThroughputExceededException",
		LowerMessage: "The level of configured provisioned throughput for the table was exceeded. " +
			"Consider increasing your provisioning level with the UpdateTable API.",
	}
}

// rateExceeded is how a request to a stream is throttled.
func rateExceeded(code string) *refusal {
	return &refusal{Type: exception + code, LowerMessage: "Rate exceeded"}
}

func internalServerError() *refusal {
	return &refusal{
		Status: http.StatusInternalServerError,
		Type:   exception + "InternalServerError", LowerMessage: "Internal server error",
	}
}

func transactionCancelled(reasons []reason) *refusal {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return &refusal{
		Type: exception + "TransactionCanceledException",
		Message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
			strings.Join(codes, ", ") + "]",
		CancellationReasons: reasons,
	}
}

// conflictReasons returns the reasons of a transaction with some items held by others.
func conflictReasons(held []bool) []reason {
	reasons := make([]reason, len(held))
	for i, h := range held {
		reasons[i] = reason{Code: "None"}
		if h {
			reasons[i] = reason{"TransactionConflict", ongoing}
		}
	}
	return reasons
}

// firstReason returns the reasons of a transaction that its first action cancels.
func firstReason(actions int, first reason) []reason {
	reasons := make([]reason, actions)
	for i := range reasons {
		reasons[i] = reason{Code: "None"}
	}
	reasons[0] = first
	return reasons
}

func (r *refusal) Error() string { return r.Type }

func (r *refusal) response(req *http.Request) (*http.Response, error) {
	return respond(req, cmp.Or(r.Status, http.StatusBadRequest), r)
}

// respond returns an answer in JSON.
func respond(req *http.Request, status int, answer any) (*http.Response, error) {
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}, nil
}
