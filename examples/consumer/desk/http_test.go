package desk_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
)

// post sends the order over HTTP, with changes.
func (t *test) post(id string, changes map[string]any) (status int, body map[string]any) {
	t.Helper()
	order := map[string]any{
		"propertyId": t.order.PropertyID, "roomTypeId": t.order.RoomTypeID, "rooms": t.order.Rooms,
		"checkIn": t.order.Stay.CheckIn, "checkOut": t.order.Stay.CheckOut, "adults": t.order.Guests.Adults,
		"userId": t.order.UserID, "guest": t.order.Guest,
	}
	for name, value := range changes {
		order[name] = value
	}
	text, err := json.Marshal(order)
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/bookings", bytes.NewReader(text))
	request.Header.Set("Idempotency-Key", id)
	answer := httptest.NewRecorder()
	t.desk.ServeHTTP(answer, request)
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &body))
	return answer.Code, body
}

func TestHTTP(tt *testing.T) {
	t := newTest(tt)
	status, body := t.post("request-1", nil)
	require.Equal(t, http.StatusCreated, status, "%v", body)
	assert.Regexp(t, `^BKG-\d{4}-\w{6}$`, body["reference"])
	assert.Equal(t, t.order.Stay.CheckIn.String(), body["checkIn"])

	status, again := t.post("request-1", nil)
	assert.Equal(t, http.StatusCreated, status)
	assert.Equal(t, body, again)

	status, body = t.post("request-2", map[string]any{"adults": 0})
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "Guests.Adults", body["field"])

	status, body = t.post("request-3", map[string]any{"checkOut": t.order.Stay.CheckIn.AddDays(60)})
	assert.Equal(t, http.StatusConflict, status)
	assert.NotEmpty(t, body["nights"], "the nights that are not on sale")

	status, body = t.post("", nil)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, body["problem"], "Idempotency-Key")
}

// A caller must not keep retrying when the operator made a mistake.
func TestHTTPWhenThereIsNoPermission(tt *testing.T) {
	t := newTest(tt)
	t.db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	status, body := t.post("request-1", nil)
	assert.Equal(t, http.StatusInternalServerError, status)
	assert.NotContains(t, body["problem"], "AccessDenied", "that is only logged")
}

func TestHTTPWhenThereIsNoCapacity(tt *testing.T) {
	t := newTest(tt)
	throttled := t.db.Faults.Inject(dyntest.Throttle(), dyntest.When{Table: "Properties", Operation: "Query"})
	status, _ := t.post("request-1", nil)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	throttled.Stop()
	status, _ = t.post("request-1", nil)
	assert.Equal(t, http.StatusCreated, status)
}
