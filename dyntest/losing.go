package dyntest

import (
	"fmt"
	"io"
	"net/http"
)

// carryOut passes an exchange on, and returns once the engine has carried it out.
func carryOut(x *exchange, next hop) error {
	resp, err := next(x)
	if err != nil {
		return err
	}
	_, err = readAnswer(resp)
	return err
}

// LoseRequest breaks the connection before the engine has the request. The caller cannot tell it from [LoseAnswer].
func LoseRequest() Fault {
	return newFault("LoseRequest", nil, func(t *turn, x *exchange, _ hop) (*http.Response, error) {
		t.hit()
		return nil, fmt.Errorf("dyntest lost the request %s: %w", x.operation, io.ErrUnexpectedEOF)
	})
}

// LoseAnswer has the engine carry the request out, and breaks the connection instead of passing the answer on. A client
// with the SDK's default retries sends the request again and its caller notices nothing; [dynastay.DB.Write] settles its
// requests itself. When.EveryAttempt loses the answers to the repetitions too.
func LoseAnswer() Fault {
	return newFault("LoseAnswer", nil, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		if err := carryOut(x, next); err != nil {
			return nil, err
		}
		t.hit()
		return nil, fmt.Errorf("dyntest lost the answer to %s: %w", x.operation, io.ErrUnexpectedEOF)
	})
}
