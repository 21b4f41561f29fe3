package dyntest

import (
	"fmt"
	"io"
	"net/http"
)

// carryOut passes an exchange on and waits for the engine's response. It is a hit unless the response is a refusal: a
// test that loses the response "sold out" has not lost the response to a booking.
func (t *turn) carryOut(x *exchange, next hop) error {
	resp, err := next(x)
	if err != nil {
		return err
	}
	if _, err := readAnswer(resp); err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK {
		t.hit()
	}
	return nil
}

// LoseRequest breaks the connection before the engine receives the request. The caller cannot distinguish it from [LoseAnswer].
func LoseRequest() Fault {
	return newFault("LoseRequest", nil, func(t *turn, x *exchange, _ hop) (*http.Response, error) {
		t.hit()
		return nil, fmt.Errorf("dyntest: the %s request was lost: %w", x.operation, io.ErrUnexpectedEOF)
	})
}

// LoseAnswer lets the engine carry out the request, and breaks the connection instead of passing the response on. A
// client with the SDK's default retries sends the request again, so that its caller notices nothing;
// [dynastay.DB.Write] resolves lost responses itself. When.EveryAttempt loses the responses to the retries too. If the
// engine refuses the request, that response is lost too, but it does not count as a hit.
func LoseAnswer() Fault {
	return newFault("LoseAnswer", nil, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		if err := t.carryOut(x, next); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("dyntest: the response to %s was lost: %w", x.operation, io.ErrUnexpectedEOF)
	})
}
