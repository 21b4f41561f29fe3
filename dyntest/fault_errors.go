package dyntest

import (
	"net/http"
	"slices"
	"strconv"
)

// refusing returns a fault that answers by itself; the engine never receives the request.
func refusing(name string, operations []string, refuse func(*content) *refusal) Fault {
	return newFault(name, operations, func(t *turn, x *exchange, _ hop) (*http.Response, error) {
		t.hit()
		return refuse(t.content).response(x.Request)
	})
}

// Throttle refuses a request as if the table had no capacity left. A transaction is cancelled, with ThrottlingError as
// the reason of its first action. A request to a stream gets a ThrottlingException, or a LimitExceededException if it
// is GetRecords. All other requests get a ProvisionedThroughputExceededException, which names the table or index.
func Throttle() Fault {
	return refusing("Throttle", nil, func(c *content) *refusal {
		switch {
		case c.operation == "GetRecords":
			return rateExceeded("LimitExceededException")
		case slices.Contains(streamOperations, c.operation):
			return rateExceeded("ThrottlingException")
		case len(c.TransactItems) == 0:
			return throughputExceeded(c)
		}
		return transactionCancelled(firstReason(len(c.TransactItems), reason{
			"ThrottlingError",
			"Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table " +
				"or index so please try again shortly. If exceptions persist, check if you have a hot key: " +
				"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html",
		}))
	})
}

// Cancel cancels a transaction, with the given code as the reason of its first action, such as "ValidationError" or
// "ItemCollectionSizeLimitExceeded". Nothing is written. DynamoDB reports an invalid value or an item that is too large
// either in this way or as a ValidationException of the whole transaction, depending on the region; see [Fail].
func Cancel(code string) Fault {
	name := "Cancel(" + strconv.Quote(code) + ")"
	cancel := refusing(name, []string{"TransactGetItems", "TransactWriteItems"}, func(c *content) *refusal {
		return transactionCancelled(firstReason(len(c.TransactItems), reason{code, "fault injected by the test"}))
	})
	if code == "" {
		cancel.wrong = "code is required"
	}
	return cancel
}

// InternalError answers with an InternalServerError, status 500, and does not carry out the request. The caller cannot
// distinguish it from [InternalErrorAfterCommit].
func InternalError() Fault {
	return refusing("InternalError", nil, func(*content) *refusal { return internalServerError() })
}

// InternalErrorAfterCommit lets the engine carry out a request, and then answers with an InternalServerError, status
// 500.
func InternalErrorAfterCommit() Fault {
	return newFault("InternalErrorAfterCommit", nil, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		if err := t.carryOut(x, next); err != nil {
			return nil, err
		}
		return internalServerError().response(x.Request)
	})
}

// Conflict refuses a write or a transaction as if another transaction held its item, or the first of its items. Nothing
// is written.
func Conflict() Fault {
	held := []string{"PutItem", "UpdateItem", "DeleteItem", "TransactGetItems", "TransactWriteItems"}
	return refusing("Conflict", held, func(c *content) *refusal {
		if len(c.TransactItems) == 0 {
			return transactionConflict()
		}
		return transactionCancelled(firstReason(len(c.TransactItems), reason{"TransactionConflict", ongoing}))
	})
}

// InProgress answers a TransactWriteItems with a TransactionInProgressException, as if an earlier request with the same
// client token were still in flight, and does not carry it out.
func InProgress() Fault {
	return refusing("InProgress", []string{"TransactWriteItems"}, func(*content) *refusal { return transactionInProgress() })
}

// statuses has the status of errors that the service causes; errors that the caller causes have status 400.
var statuses = map[string]int{
	"InternalServerError":         http.StatusInternalServerError,
	"InternalFailure":             http.StatusInternalServerError,
	"ServiceUnavailable":          http.StatusServiceUnavailable,
	"ServiceUnavailableException": http.StatusServiceUnavailable,
}

// Fail refuses a request with any other error of the service, such as "AccessDeniedException",
// "ResourceNotFoundException" or, for a stream, "ExpiredIteratorException". Nothing is written. The status is 500 for
// InternalServerError and InternalFailure, 503 for ServiceUnavailable and ServiceUnavailableException, and 400 for all
// other codes. The SDK retries a 500 or 503.
func Fail(code string) Fault {
	fail := refusing("Fail("+strconv.Quote(code)+")", nil, func(*content) *refusal {
		return &refusal{Status: statuses[code], Type: exception + code, LowerMessage: "fault injected by the test"}
	})
	if code == "" {
		fail.wrong = "code is required"
	}
	return fail
}
